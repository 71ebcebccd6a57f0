"""TCP against the size of a buffer: what arrives, what is lost, and why, over time."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from qoslib import tcp, units
from qoslib.lessons.tcp_buffers import published as common
from qoslib.lessons.tcp_buffers.published import CALLED, LIKE, Axis, Swept, TcpTest, drawn
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["Band", "figure"]

#: Titles of the panels, with units.
PANELS = ("TCP [Gb/s of data]", "lost [TCP packets]", "windows, queue [MB]")
X_TITLES = ("buffer [MB]", "buffer [MB]", "time [s]")
AXIS = Axis("buffer_bytes", "B", "MB", 2)
#: What is drawn over time, and the class whose look it has.
OVER_TIME = {"windows": "CS3", "queue": "CS4"}
PALE_BLUE = "rgba(86, 180, 233, 0.25)"


class Band(NamedTuple):
    """A prediction: buffers [B], the least and the most that TCP carries [bit/s]."""

    buffer_bytes: Sequence[float] = ()
    low_bps: Sequence[float] = ()
    high_bps: Sequence[float] = ()


def figure(
    scenario: Scenario,
    size_bytes: float,
    swept: Swept,
    now: Result,
    simulated: Result | None = None,
    published: Sequence[TcpTest] = (),
    band: Band | None = None,
    rules: Mapping[str, float | None] | None = None,
    platform: str = "",
    faded: bool = False,
) -> Figure:
    """Throughput and lost packets against the buffer; windows and queue over time at one of them.

    Parameters
    ----------
    scenario : Scenario
        The test at the buffer to mark.
    size_bytes : float
        That buffer, as configured [B].
    swept : Swept
        What the fluid model says, by buffer as configured [B].
    now, simulated : Result
        What the fluid and, if it was run, the packet model say of the scenario.
    published : sequence of TcpTest
    band : Band, optional
        Drawn pale, of a router of which nothing was published.
    rules : mapping of str to float
        Label to a buffer to mark by a dashed line [B].
    platform : str
        Whose colour the line has.
    faded : bool
        Whether the published tests have other settings.
    """
    traces, known = _band(band or Band(), band is not None), dict(rules or {})
    tops = [_top(swept, published, panel) for panel in (0, 1)]
    for panel, top in enumerate(tops):
        for place, (name, size) in enumerate(known.items()):
            x = None if size is None else float(AXIS.drawn(size))
            side, uid = "right" if place else "left", f"rule{place}-{panel}"
            traces.append(style.upright(name, x, top, panel, side, uid))
        given = (size_bytes, simulated, now, published, platform, faded)
        traces += common.traces(panel, AXIS, swept, *given)
    traces += [*_over_time(scenario, now, "fluid"), *_over_time(scenario, simulated, "packets")]
    return Figure(
        data=[*traces, *common.keys(published)],
        layout=_layout(swept, tops),
        summary=" ".join(filter(None, _summary(size_bytes, now, simulated, published, known))),
        table=common.table(AXIS, "buffer [MB]", swept, published),
    )


def _band(band, shown):
    """The most first: the least then fills up to it."""
    look, name, x = style.look(LIKE["mlx"]), f"{CALLED['mlx']}, predicted", AXIS.drawn(band[0])
    traces = []
    for end, rates in (("high", band.high_bps), ("low", band.low_bps)):
        trace = style.curve("bound", name, x, drawn(rates, 0), 0, as_look=look, uid=f"band-{end}")
        traces.append(trace | {"line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"})
    traces[1] |= {"fill": "tonexty", "fillcolor": PALE_BLUE, "showlegend": shown}
    return traces


def _over_time(scenario, result, kind):
    found = tcp.over_time(scenario, result) if result else None
    for name, like in OVER_TIME.items():
        x = found.time_s if found else ()
        y = getattr(found, f"{name}_bytes") if found else ()
        look, uid = style.look(like), f"{kind}-{name}"
        trace = style.curve(kind, name, x, AXIS.drawn(y), 2, as_look=look, uid=uid)
        yield trace | {"showlegend": kind == "fluid"}


def _top(swept, published, panel):
    highest = [*swept[1 + panel], *(test[-2 + panel].value for test in published)]
    return style.nice(max(*drawn(highest, panel), 1e-3))


def _layout(swept, tops):
    y_axes = [{"rangemode": "tozero", "range": [0, 1.12 * top]} for top in tops]
    layout = style.layout(PANELS, X_TITLES, [*y_axes, {"rangemode": "tozero"}])
    low, high = np.log10(AXIS.drawn([swept.at[0] / 1.3, swept.at[-1] * 1.6])).tolist()
    # Powers of ten, and three times these.
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    ticks = [each for power in powers for each in (10.0**power, 3 * 10.0**power)]
    for axis in ("xaxis", "xaxis2"):
        layout[axis] |= {"type": "log", "range": [low, high], "tickvals": ticks}
    return layout


def _summary(size, now, simulated, published, rules):
    rate, lost = tcp.totals(now)
    yield (
        f"With a buffer of {AXIS.drawn(size):.3g} MB the fluid model carries"
        f" {drawn(rate, 0):.3g} Gb/s of TCP data and loses {lost:,.0f} of its packets in"
        f" {now.duration_s:.3g} s."
    )
    yield common.sentence(simulated)
    for test in published:
        if np.isclose(test.buffer_bytes, size, rtol=1e-3):
            rate, lost = test.carried_bps.value, test.dropped_packets.value
            name = CALLED[test.platform]
            yield f"Published for the {name}: {drawn(rate, 0):.3g} Gb/s and {lost:,.0f} packets."
    marked = [
        f"{name} {units.convert(each, 'B', 'MB'):.3g} MB" for name, each in rules.items() if each
    ]
    yield f"Dashed: {', '.join(marked)}." if marked else ""
