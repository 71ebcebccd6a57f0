"""One queue: what is carried, lost and waited for, against the load."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.port import Port
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["Seen", "one_queue"]

#: Titles of the panels, with units.
PANELS = ("carried [Mb/s of frames]", "lost [% of offered]", "delay [ms]")
COLUMNS = ("carried [Mb/s]", "lost [%]", "delay [ms]")


class Seen(NamedTuple):
    """A published point of one queue: offered load, carried rate and share lost."""

    offered_bps: float
    carried_bps: float
    lost: float
    lost_half_width: float


def one_queue(
    port: Port, stream: Stream, sweep: Result, now: Result, published: Seen | None = None
) -> Figure:
    """Carried rate, loss and delay of one stream in one queue against its offered load.

    Parameters
    ----------
    port : Port
        A port with one queue.
    stream : Stream
        The stream; its rate is the point to mark.
    sweep, now : Result
        Arrays of shape (loads, 1), and the answer at the point to mark.
    published : Seen, optional
        A published point to draw over the lines.
    """
    x, lines = _load(port, stream, sweep.offered_bps[:, 0]), _drawn(sweep)
    here, marks = _load(port, stream, now.offered_bps), _drawn(now)
    traces = []
    for panel, (title, y) in enumerate(zip(COLUMNS, lines, strict=True)):
        line = style.line("fluid", stream.name, x, y[:, 0], panel, uid=f"line-{panel}")
        traces.append(line | {"name": style.KINDS["fluid"]})
        traces.append(
            style.points("now", [stream.name], here, marks[panel], panel, uid=f"now-{panel}")
        )
        traces.append(_measured(port, stream, published, title, panel))
    traces += [style.key("now"), style.key("measured")]
    table = pd.DataFrame(
        {title: y[:, 0] for title, y in zip(COLUMNS, lines, strict=True)},
        index=pd.Index(np.round(x, 1), name="offered [% of the line]"),
    ).round(3)
    layout = style.layout(PANELS, "offered [% of the line]")
    for axis in ("yaxis", "yaxis2", "yaxis3"):
        layout[axis]["rangemode"] = "tozero"
    return Figure(data=traces, layout=layout, summary=_summary(port, here, marks), table=table)


def _load(port, stream, offered_bps):
    """Offered load as a share of what the line can carry of this stream [%]."""
    frame = stream.mean_frame_bytes
    on_line = offered_bps * (frame + port.overhead_bytes) / frame
    return units.convert(on_line / port.rate_bps, "1", "%")


def _drawn(result):
    lost = np.divide(
        result.dropped_bps,
        result.offered_bps,
        out=np.zeros_like(result.offered_bps),
        where=result.offered_bps > 0,
    )
    carried = units.convert(result.sent_bps, "bit/s", "Mbit/s")
    delay = units.convert(result.latency_mean_s, "s", "ms")
    return carried, units.convert(lost, "1", "%"), delay


def _measured(port, stream, seen, title, panel):
    value, half_width = [], []
    if seen is not None and title == COLUMNS[0]:
        value, half_width = [units.convert(seen.carried_bps, "bit/s", "Mbit/s")], [0.0]
    if seen is not None and title == COLUMNS[1]:
        both = seen.lost, seen.lost_half_width
        value, half_width = [[units.convert(number, "1", "%")] for number in both]
    x = [_load(port, stream, seen.offered_bps)] * len(value) if seen else []
    uid = f"measured-{panel}"
    return style.points("measured", [stream.name], x, value, panel, uid=uid, half_width=half_width)


def _summary(port, load, marks):
    carried, lost, delay = (float(mark[0]) for mark in marks)
    waits = "there is no packet to wait" if np.isnan(delay) else f"a packet takes {delay:.3g} ms"
    return (
        f"Offered {float(load[0]):.3g} % of the line: it carries {carried:.4g} Mb/s of frames,"
        f" {lost:.3g} % is lost, and {waits}."
    )
