"""A policed priority class and the rest: what arrives and is lost, and when the policer bites."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["Counted", "counted", "figure"]

#: Titles of the panels, with units.
PANELS = ("arrived [thousand packets]", "lost [% of offered]", "lost [packets/s]")
X_TITLES = ("EF offered [Mb/s of data]", "EF offered [Mb/s of data]", "time [s]")
#: Streams by the class whose look they have in every figure: the most urgent one, and the rest.
LIKE = {"EF": "CS4", "default": "BE"}


class Counted(NamedTuple):
    """Packets offered and lost by each stream."""

    offered: Sequence[float]
    lost: Sequence[float]


def counted(result: Result) -> Counted:
    """What a run counts of each stream."""
    both = result.offered_pps, result.dropped_pps
    return Counted(*((pps * result.duration_s).tolist() for pps in both))


def figure(
    loads_bps: np.ndarray,
    swept: Sequence[Result],
    load_bps: float,
    now: Result,
    simulated: Result | None = None,
    published: tuple[float, Counted] | None = None,
) -> Figure:
    """Packets that arrive and that are lost against the load of EF, and the losses over time.

    Parameters
    ----------
    loads_bps : ndarray
        Payload that EF offers [bit/s].
    swept : sequence of Result
        What the fluid model says of each of the loads; two streams, EF and the default class.
    load_bps : float
        The load to mark [bit/s].
    now, simulated : Result
        What the fluid and, if it was run, the packet model say at it; the latter with a history.
    published : (float, Counted), optional
        What was counted at which load [bit/s].
    """
    x = units.convert(np.asarray(loads_bps), "bit/s", "Mbit/s")
    lines = _panels([counted(each) for each in swept])
    marks = {
        "now": (load_bps, counted(now)),
        "packets": (load_bps, counted(simulated)) if simulated else None,
        "measured": published,
    }
    traces = []
    for panel in (0, 1):
        for place, name in enumerate(LIKE):
            traces.append(_line("fluid", name, x, lines[panel][:, place], panel))
        traces += [_marks(kind, seen, panel) for kind, seen in marks.items()]
    time_s, lost_pps = _lost_over_time(simulated)
    for name, lost in zip(LIKE, lost_pps, strict=True):
        traces.append(_line("packets", name, time_s, lost, 2))
    traces += style.keys("packets", "now", "measured")
    columns = [f"{name} {title}" for title in PANELS[:2] for name in LIKE]
    index = pd.Index(x.round(1), name=X_TITLES[0])
    table = pd.DataFrame(np.hstack(lines), columns=columns, index=index).round(2)
    ranges = ([0, 1.08 * max(1.0, float(lines[0].max()))], [-2, 104], None)
    y_axes = [{"rangemode": "tozero"} | ({"range": each} if each else {}) for each in ranges]
    layout = style.layout(PANELS, X_TITLES, y_axes)
    summary = _summary(marks)
    return Figure(data=traces, layout=layout, summary=summary, table=table.iloc[::5])


def _panels(counts: Sequence[Counted]):
    """Thousands of packets that arrive, and per cents lost, each of shape (loads, streams)."""
    offered, lost = (np.array([c[part] for c in counts], dtype=float) for part in (0, 1))
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


def _lost_over_time(simulated):
    """Middles of the bins [s], and packets that each stream loses per second."""
    if simulated is None:
        return [], [[]] * len(LIKE)
    history = simulated.history
    width_s = np.diff(history.time_s)
    return history.time_s[:-1] + width_s / 2, history.dropped_packets / width_s


def _summary(marks):
    names = {"now": "Fluid model", "packets": "Packet model", "measured": "Published"}
    load = units.convert(marks["now"][0], "bit/s", "Mbit/s")
    sentences = [f"EF is offered {load:.3g} Mb/s of data."]
    for kind, seen in marks.items():
        if seen is not None:
            at = f" for {units.convert(seen[0], 'bit/s', 'Mbit/s'):.3g} Mb/s"
            ef, rest = _panels([seen[1]])[1][0]
            lost = f"EF loses {ef:.3g} %, the default class {rest:.3g} %"
            sentences.append(f"{names[kind]}{at if kind == 'measured' else ''}: {lost}.")
    return " ".join(sentences)
