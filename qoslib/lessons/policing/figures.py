"""A policed priority class and the rest: what arrives and is lost, and when the policer bites."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["Counted", "figure"]

#: Titles of the panels, with units.
PANELS = ("arrived [thousand packets]", "lost [% of offered]", "lost [packets/s]")
X_TITLES = ("EF offered [Mb/s of data]", "EF offered [Mb/s of data]", "time [s]")
#: Streams by the class whose look they have in every figure: the most urgent one, and the rest.
LIKE = {"EF": "CS4", "default": "BE"}


class Counted(NamedTuple):
    """Packets offered and lost by each stream."""

    offered: Sequence[float]
    lost: Sequence[float]


def figure(
    loads_bps: np.ndarray,
    swept: Mapping[str, Sequence[Counted]],
    now: tuple[float, Counted],
    simulated: tuple[Counted, Result] | None = None,
    published: tuple[float, Counted] | None = None,
) -> Figure:
    """Packets that arrive and that are lost against the load of EF, and the losses over time.

    Parameters
    ----------
    loads_bps : ndarray
        Payload that EF offers [bit/s].
    swept : mapping of str to sequence of Counted
        ``fluid`` to what it counts at each of the loads; two streams, EF and the default class.
    now : (float, Counted)
        Load to mark [bit/s], and what the fluid model counts at it.
    simulated : (Counted, Result), optional
        What the packet model counts at the same load, and its record with a history.
    published : (float, Counted), optional
    """
    x, lines = units.convert(np.asarray(loads_bps), "bit/s", "Mbit/s"), _panels(swept["fluid"])
    marks = {"now": now, "packets": simulated and (now[0], simulated[0]), "measured": published}
    traces = []
    for panel in (0, 1):
        for place, name in enumerate(LIKE):
            traces.append(_line("fluid", name, x, lines[panel][:, place], panel))
        traces += [_marks(kind, seen, panel) for kind, seen in marks.items()]
    for place, name in enumerate(LIKE):
        time, lost = _lost_over_time(simulated, place)
        traces.append(_line("packets", name, time, lost, 2))
    traces += style.keys("packets", "now", "measured")
    columns = [f"{name} {title}" for title in PANELS[:2] for name in LIKE]
    index = pd.Index(x.round(1), name=X_TITLES[0])
    table = pd.DataFrame(np.hstack(lines), columns=columns, index=index).round(2)
    ranges = ([0, 1.08 * max(1.0, float(lines[0].max()))], [-2, 104], None)
    y_axes = [{"rangemode": "tozero"} | ({"range": each} if each else {}) for each in ranges]
    layout = style.layout(PANELS, X_TITLES, y_axes)
    summary = _summary(now, simulated, published)
    return Figure(data=traces, layout=layout, summary=summary, table=table.iloc[::5])


def _panels(counted: Sequence[Counted]):
    """Thousands of packets that arrive, and per cents lost, each of shape (loads, streams)."""
    offered, lost = (np.array([c[part] for c in counted], dtype=float) for part in (0, 1))
    share = np.divide(lost, offered, out=np.zeros_like(lost), where=offered > 0)
    return units.convert(offered - lost, "packets", "kpackets"), units.convert(share, "1", "%")


def _line(kind, name, x, y, panel):
    look, uid = style.look(LIKE[name]), f"{kind}-{name}-{panel}"
    return style.curve(kind, name, x, y, panel, as_look=look, uid=uid)


def _marks(kind, seen, panel):
    x: list[float] = []
    y: list[float] = []
    if seen is not None:
        x = [units.convert(seen[0], "bit/s", "Mbit/s")] * len(LIKE)
        y = _panels([seen[1]])[panel][0].tolist()
    trace = style.points(kind, list(LIKE.values()), x, y, panel, uid=f"{kind}-{panel}")
    return trace | {"text": list(LIKE), "hoverinfo": "text+x+y"}


def _lost_over_time(simulated, place):
    """Middles of the bins [s], and packets lost a second in each."""
    if simulated is None:
        return [], []
    history = simulated[1].history
    width_s = np.diff(history.time_s)
    return history.time_s[:-1] + width_s / 2, history.dropped_packets[place] / width_s


def _summary(now, simulated, published):
    def percent(counted):
        return "{:.3g} % and {:.3g} %".format(*_panels([counted])[1][0])

    text = (
        f"EF is offered {units.convert(now[0], 'bit/s', 'Mbit/s'):.3g} Mb/s of data. Fluid model:"
        " EF loses {:.3g} %, the default class {:.3g} %.".format(*_panels([now[1]])[1][0])
    )
    if simulated is not None:
        text += f" Packet model: {percent(simulated[0])}."
    if published is not None:
        load = units.convert(published[0], "bit/s", "Mbit/s")
        text += f" Published for {load:.3g} Mb/s: {percent(published[1])}."
    return text
