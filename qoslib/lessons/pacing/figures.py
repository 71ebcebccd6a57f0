"""TCP from a paced sender: what arrives, what is lost, and at which rate it really sends."""

from collections.abc import Mapping, Sequence

import numpy as np

from qoslib import tcp, units
from qoslib.lessons.tcp_buffers import published as common
from qoslib.lessons.tcp_buffers.published import Axis, Swept, TcpTest, drawn
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["figure", "goodput_over_burst"]

#: Titles of the panels, with units.
PANELS = ("TCP [Gb/s of data]", "lost [TCP packets]", "sent [Gb/s]")
X_TITLE = "paced at [Gb/s]"
AXIS = Axis("paced_bps", "bit/s", "Gbit/s", 3)
#: What a rate becomes -> the class whose look its line has.
TABLES = {"legacy": "CS4", "nominal": "CS3"}


def figure(
    paced_bps: float,
    swept: Swept,
    now: Result,
    stairs: Mapping[str, Sequence[float]],
    really: tuple[str, float],
    left_bps: float,
    simulated: Result | None = None,
    published: Sequence[TcpTest] = (),
    platform: str = "",
    faded: bool = False,
) -> Figure:
    """Throughput and lost packets against the paced rate, and the rate that really comes out.

    Parameters
    ----------
    paced_bps : float
        The rate to mark, as configured [bit/s].
    swept : Swept
        What the fluid model says, by rate as configured [bit/s].
    now, simulated : Result
        What the fluid and, if it was run, the packet model say at the mark.
    stairs : mapping of str to sequence of float
        ``configured`` to rates [bit/s]; ``legacy`` and ``nominal`` to what comes out at them.
    really : (str, float)
        Which of the two holds at the mark, and what comes out there [bit/s].
    left_bps : float
        What the background leaves of the line [bit/s].
    published : sequence of TcpTest
    platform : str
        Whose colour the line has.
    faded : bool
        Whether the published tests have other settings.
    """
    traces = []
    for panel in (0, 1):
        given = (paced_bps, simulated, now, published, platform, faded)
        traces += common.traces(panel, AXIS, swept, *given)
    traces += _stairs(stairs, left_bps, paced_bps, really)
    sent = {
        f"sent, {name} table [Gb/s]": drawn(
            np.interp(swept.at, stairs["configured"], stairs[name]), 0
        )
        for name in TABLES
    }
    return Figure(
        data=[*traces, *common.keys(published)],
        layout=_layout(swept, published),
        summary=_summary(paced_bps, now, really[1], left_bps, simulated),
        table=common.table(AXIS, X_TITLE, swept, published, **sent),
    )


def _stairs(stairs, left_bps, paced_bps, really):
    """The stairs and the straight line, what is left for TCP, and the mark on one of them."""
    x = drawn(stairs["configured"], 0)
    for name, like in TABLES.items():
        look, y = style.look(like), drawn(stairs[name], 0)
        trace = style.curve("fluid", f"{name} table", x, y, 2, as_look=look, uid=f"sent-{name}")
        yield trace | {"showlegend": True}
    left = drawn([left_bps] * 2, 0)
    yield style.bound("left for TCP", x[[0, -1]], left, 2, uid="left", showlegend=True)
    here = drawn([paced_bps], 0).tolist(), drawn([really[1]], 0)
    yield style.points("now", [TABLES[really[0]]], *here, 2, uid="now-2")


def _layout(swept, published):
    lost = [*swept.dropped_packets, *(test.dropped_packets.value for test in published)]
    tops = (style.nice(max(top, 1e-3)) for top in (float(drawn(max(swept.at), 0)), max(lost)))
    ranges = [[-0.02 * top, 1.04 * top] for top in tops]
    y_axes = [{"rangemode": "tozero", "range": each} for each in ranges]
    return style.layout(PANELS, X_TITLE, [*y_axes, {"rangemode": "tozero"}])


def _summary(paced_bps, now, really, left_bps, simulated):
    rate, lost = tcp.totals(now)
    verdict = "more than" if really > left_bps else "within"
    text = (
        f"Paced at {drawn(paced_bps, 0):.3g} Gb/s the host really sends up to"
        f" {drawn(really, 0):.3g} Gb/s, {verdict} the {drawn(left_bps, 0):.3g} Gb/s that are left."
        f" Fluid model: {drawn(rate, 0):.3g} Gb/s of TCP data, {lost:,.0f} packets lost."
    )
    return f"{text} {common.sentence(simulated)}".rstrip()


BURST = "burst of the policer, or queue before the shaper [kB]"
OF_BURSTS = ("TCP [Mb/s of data]",)
#: The two in their order, and the class whose look each has.
LIKE = ("CS4", "BE")


def goodput_over_burst(
    burst_bytes: Sequence[float],
    goodput_bps: Mapping[str, Sequence[float]],
    rate_bps: float,
    rules: Mapping[str, float],
) -> Figure:
    """Goodput against a policer's burst and a shaper's queue, packet by packet.

    Parameters
    ----------
    burst_bytes : sequence of float
        Bursts, and queues [B].
    goodput_bps : mapping of str to sequence of float
        Label to what arrives [bit/s]; two at most.
    rate_bps : float
        What policer and shaper let pass [bit/s].
    rules : mapping of str to float
        Label to a size to mark by a dashed line [B].
    """
    x = units.convert(np.asarray(burst_bytes, dtype=float), "B", "kB")
    columns, traces = {}, []
    top = float(units.convert(rate_bps, "bit/s", "Mbit/s"))
    for (name, rates), like in zip(goodput_bps.items(), LIKE, strict=False):
        y = units.convert(np.asarray(rates, dtype=float), "bit/s", "Mbit/s")
        columns[f"{name} [Mb/s]"] = y
        trace = style.line("tcp", name, x, y, 0, as_look=style.look(like), uid=name)
        trace["marker"].pop("maxdisplayed")
        traces.append(trace | {"mode": "lines+markers"})
    for name, size in rules.items():
        at = float(units.convert(size, "B", "kB"))
        # What stands right of the middle, of a logarithmic axis, is named on its left.
        side = "left" if at**2 > x[0] * x[-1] else "right"
        traces.append(style.upright(name, at, top, 0, side, name))
    table = Columns(columns, x, "burst or queue [kB]").round(1)
    layout = style.layout(OF_BURSTS, BURST)
    layout["xaxis"] |= {"type": "log", "tickvals": x.tolist(), "tickformat": ","}
    layout["yaxis"]["range"] = [0, 1.2 * top]
    return Figure(data=traces, layout=layout, summary=_of_bursts(table, rules, top), table=table)


def _of_bursts(table, rules, top):
    sentences = [
        f"{name.removesuffix(' [Mb/s]').capitalize()}: from {column[0]:.3g} to"
        f" {column[-1]:.3g} of {top:.3g} Mb/s as it grows from {table.index[0]:,.0f} to"
        f" {table.index[-1]:,.0f} kB."
        for name, column in table.columns.items()
    ]
    marked = [f"{name} {units.convert(each, 'B', 'kB'):,.0f} kB" for name, each in rules.items()]
    return " ".join([*sentences, f"Dashed: {', '.join(marked)}."])
