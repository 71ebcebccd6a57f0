"""TCP from a paced sender: what arrives, what is lost, and at which rate it really sends."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import tcp, units
from qoslib.lessons.buffer_size.published import CALLED, LIKE, TcpTest, keys, marks
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["PacedSweep", "figure"]

#: Titles of the panels, with units.
PANELS = ("TCP [Gb/s of data]", "lost [TCP packets]", "sent [Gb/s]")
X_TITLE = "paced at [Gb/s]"
#: What a rate becomes -> the class whose look its line has.
TABLES = {"legacy": "CS4", "nominal": "CS3"}


class PacedSweep(NamedTuple):
    """Rates as configured, what TCP carried [bit/s], and how many packets it lost."""

    paced_bps: Sequence[float]
    carried_bps: Sequence[float]
    lost_packets: Sequence[float]


def figure(
    paced_bps: float,
    swept: PacedSweep,
    now: Result,
    stairs: Mapping[str, Sequence[float]],
    really: tuple[str, float],
    left_bps: float,
    simulated: Result | None = None,
    published: Sequence[TcpTest] = (),
    platform: str = "",
) -> Figure:
    """Throughput and lost packets against the paced rate, and the rate that really comes out.

    Parameters
    ----------
    paced_bps : float
        The rate to mark, as configured [bit/s].
    swept : PacedSweep
        What the fluid model says.
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
    """
    traces = []
    for panel in (0, 1):
        traces.append(_line(swept, panel, platform))
        traces.append(_point("packets", paced_bps, simulated, panel, ""))
        traces.append(_point("now", paced_bps, now, panel, platform))
        quantity = ("carried_bps", "dropped_packets")[panel]
        traces += marks(published, _configured, quantity, panel, f"measured-{panel}")
    traces += _stairs(stairs, left_bps, paced_bps, really)
    traces += [style.key(kind) for kind in ("packets", "now")] + keys(published)
    return Figure(
        data=traces,
        layout=_layout(swept, published),
        summary=_summary(paced_bps, now, really[1], left_bps, simulated),
        table=_table(swept, stairs, published),
    )


def _gbps(rate_bps):
    return units.convert(np.asarray(rate_bps, dtype=float), "bit/s", "Gbit/s")


def _configured(test):
    return float(_gbps(test.paced_bps))


def _line(swept, panel, platform):
    y = _gbps(swept.carried_bps) if panel == 0 else swept.lost_packets
    look, name = style.look(LIKE[platform]), style.KINDS["fluid"]
    x = _gbps(swept.paced_bps)
    trace = style.line("fluid", name, x, y, panel, as_look=look, uid=f"fluid-{panel}")
    return trace | {"mode": "lines"}


def _point(kind, paced_bps, result, panel, platform):
    x, y = [], []
    if result is not None:
        rate, lost = tcp.totals(result)
        x, y = [float(_gbps(paced_bps))], [float(_gbps(rate)) if panel == 0 else lost]
    return style.points(kind, [LIKE[platform]] * len(x), x, y, panel, uid=f"{kind}-{panel}")


def _stairs(stairs, left_bps, paced_bps, really):
    """The stairs and the straight line, what is left for TCP, and the mark on one of them."""
    x = _gbps(stairs["configured"])
    traces = []
    for name, like in TABLES.items():
        look, y = style.look(like), _gbps(stairs[name])
        trace = style.line("fluid", f"{name} table", x, y, 2, as_look=look, uid=f"sent-{name}")
        traces.append(trace | {"mode": "lines", "showlegend": True})
    left, grey = [float(_gbps(left_bps))] * 2, style.Look(style.INK, "circle")
    trace = style.line("bound", "left for TCP", x[[0, -1]], left, 2, as_look=grey, uid="left")
    traces.append(trace | {"showlegend": True})
    here = [float(_gbps(paced_bps))], _gbps([really[1]])
    traces.append(style.points("now", [TABLES[really[0]]], *here, 2, uid="now-2"))
    return traces


def _layout(swept, published):
    layout = style.layout(PANELS, X_TITLE)
    highest = max(swept.lost_packets, default=0)
    tops = [_gbps(max(swept.paced_bps)), max([highest, *_drops(published)]), None]
    for panel, top in enumerate(tops):
        axis = layout[f"yaxis{panel + 1 if panel else ''}"]
        axis["rangemode"] = "tozero"
        if top is not None:
            axis["range"] = [-0.02 * float(top), 1.08 * max(float(top), 1e-3)]
    return layout


def _drops(published):
    return [test.dropped_packets.value for test in published]


def _table(swept, stairs, published):
    at = _gbps(swept.paced_bps).round(3)
    columns = {
        "fluid model [Gb/s]": pd.Series(_gbps(swept.carried_bps), index=at),
        "fluid model lost": pd.Series(list(swept.lost_packets), index=at),
    }
    for name in TABLES:
        sent = np.interp(swept.paced_bps, stairs["configured"], stairs[name])
        columns[f"sent, {name} table [Gb/s]"] = pd.Series(_gbps(sent), index=at)
    for name in dict.fromkeys(test.platform for test in published):
        mine = [test for test in published if test.platform == name]
        x = [round(_configured(test), 3) for test in mine]
        rates = [float(_gbps(test.carried_bps.value)) for test in mine]
        columns[f"{CALLED[name]} published [Gb/s]"] = pd.Series(rates, index=x)
        columns[f"{CALLED[name]} published lost"] = pd.Series(_drops(mine), index=x)
    return pd.DataFrame(columns).sort_index().rename_axis("paced at [Gb/s]").round(2)


def _summary(paced_bps, now, really, left_bps, simulated):
    rate, lost = tcp.totals(now)
    verdict = "more than" if really > left_bps else "within"
    said = (
        f"Paced at {_gbps(paced_bps):.3g} Gb/s the host really sends up to {_gbps(really):.3g}"
        f" Gb/s, {verdict} the {_gbps(left_bps):.3g} Gb/s that are left. Fluid model:"
        f" {_gbps(rate):.3g} Gb/s of TCP data, {lost:,.0f} packets lost."
    )
    if simulated is None:
        return said
    rate, lost = tcp.totals(simulated)
    return f"{said} Packet by packet: {_gbps(rate):.3g} Gb/s and {lost:,.0f} packets."
