"""One queue: what is carried, lost and waited for, against the load."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.front import Sweep
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.port import Port
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["Published", "figure"]

#: Titles of the panels, with units.
PANELS = ("carried [Mb/s of frames]", "lost [% of offered]", "delay [ms]")
COLUMNS = ("carried [Mb/s]", "lost [%]", "delay [ms]")
#: Sizes of the packet model's dots: along the line, and where the sliders stand.
SMALL, LARGE = 6, 12


class Published(NamedTuple):
    """A published point of one queue: offered load, carried rate and share lost."""

    offered_bps: float
    carried_bps: float
    lost: float
    lost_half_width: float


def figure(
    port: Port,
    stream: Stream,
    sweep: Result,
    now: Result,
    published: Published | None = None,
    simulated: Sweep | None = None,
    delays_s: tuple[float, float] | None = None,
) -> Figure:
    """Carried rate, loss and delay of one stream in one queue against its offered load.

    The axes depend on the line, the loads and `delays_s` alone. So they stay still while buffer,
    frame and spacing change, and two settings can be compared.

    Parameters
    ----------
    port : Port
        A port with one queue.
    stream : Stream
        The stream; its rate is the point to mark.
    sweep, now : Result
        Arrays of shape (loads, 1), and the answer at the point to mark.
    published : Published, optional
        A published point to draw over the lines.
    simulated : Sweep, optional
        What a packet model says, arrays of shape (loads, 1); its last load is that of `now`, and
        has a larger dot.
    delays_s : (float, float), optional
        The least and the largest delay that the axis has to show [s]; by default those of `sweep`.
    """
    x, lines = _load(port, stream, sweep.offered_bps[:, 0]), _drawn(sweep)
    here, marks = _load(port, stream, now.offered_bps), _drawn(now)
    traces = []
    for panel, (title, y) in enumerate(zip(COLUMNS, lines, strict=True)):
        line = style.line("fluid", stream.name, x, y[:, 0], panel, uid=f"line-{panel}")
        traces.append(line | {"name": style.KINDS["fluid"], "mode": "lines"})
        traces.append(_dots(port, stream, simulated, panel))
        traces.append(
            style.points("now", [stream.name], here, marks[panel], panel, uid=f"now-{panel}")
        )
        traces.append(_measured(port, stream, published, title, panel))
    traces += [style.key("packets"), style.key("now"), style.key("measured")]
    table = pd.DataFrame(
        {title: y[:, 0] for title, y in zip(COLUMNS, lines, strict=True)},
        index=pd.Index(np.round(x, 1), name="offered [% of the line]"),
    ).round(3)
    summary = " ".join([_summary(here, marks), *_simulated(stream, simulated)])
    layout = _layout(port, x, delays_s or _ends(sweep.delay_mean_s))
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _ends(delay_s):
    return float(np.nanmin(delay_s)), float(np.nanmax(delay_s))


def _layout(port, load, delays_s):
    """Delays are drawn by powers of ten: what a packet waits below 100 % is small, not nothing."""
    layout = style.layout(PANELS, "offered [% of the line]")
    line_mbps = units.convert(port.rate_bps, "bit/s", "Mbit/s")
    most_lost = 100 - 100 * 100 / max(200, float(np.max(load)))
    for axis, most in (("yaxis", line_mbps), ("yaxis2", most_lost)):
        layout[axis]["range"] = [-0.03 * most, 1.05 * most]
    # A fifth of a power of ten more on either side, so that no symbol is cut off.
    low, high = np.log10(units.convert(np.array(delays_s), "s", "ms"))
    span = [float(low) - 0.2, float(high) + 0.2]
    layout["yaxis3"] |= {"type": "log", "range": span, "dtick": 1, "exponentformat": "none"}
    return layout


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
    delay = units.convert(result.delay_mean_s, "s", "ms")
    return carried, units.convert(lost, "1", "%"), delay


def _dots(port, stream, simulated, panel):
    x, y = [], []
    if simulated is not None:
        x = _load(port, stream, simulated.offered_bps[:, 0])
        y = _drawn(simulated)[panel][:, 0]
    dots = style.points("packets", [stream.name], x, y, panel, uid=f"packets-{panel}")
    sizes = [SMALL] * (len(x) - 1) + [LARGE] if len(x) else SMALL
    # plotly makes symbols of several sizes pale unless told not to.
    dots["marker"] |= {"size": sizes, "opacity": 1}
    return dots


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


def _summary(load, marks):
    carried, lost, delay = (float(mark[0]) for mark in marks)
    waits = "there is no packet to wait" if np.isnan(delay) else f"a packet takes {delay:.3g} ms"
    return (
        f"Offered {float(load[0]):.3g} % of the line. In the fluid model it carries {carried:.4g}"
        f" Mb/s of frames, {lost:.3g} % is lost, and {waits}."
    )


def _simulated(stream, simulated):
    """What the packet model says at the sliders."""
    if simulated is None:
        return
    _, lost, delay = (float(values[-1, 0]) for values in _drawn(simulated))
    if not np.isnan(delay):
        kind = type(stream.arrivals).__name__
        spacing = "CBR" if kind == "Cbr" else kind
        yield (
            f"Packet by packet ({spacing}) {lost:.3g} % is lost, and a packet takes {delay:.3g} ms."
        )
