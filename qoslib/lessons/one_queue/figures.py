"""One queue: what is carried and lost, and the delay, against the load."""

from typing import NamedTuple

import numpy as np

from qoslib import units
from qoslib.front import Sweep
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.port import Port
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["Published", "figure", "in_thirds"]

#: Titles of the panels, with units.
PANELS = ("carried [Mb/s of frames]", "lost [% of offered]", "delay [ms]")
#: Kind -> columns of the table, in the order of the panels.
COLUMNS = {
    kind: [f"{column}, {model}" for column in ("carried [Mb/s]", "lost [%]", "delay [ms]")]
    for kind, model in style.KINDS.items()
}
INDEX = "offered [% of the link]"
#: Sizes of the packet model's dots: along the line, and where the sliders stand.
SMALL, LARGE = 6, 12


class Published(NamedTuple):
    """A published point of one queue: offered load, carried rate and share lost."""

    offered_bps: float
    carried_bps: float
    lost: float
    lost_half_width: float


def in_thirds(share: float) -> str:
    """A share in the words of prediction 00.a.

    Parameters
    ----------
    share : float
        Of the packets [ratio].
    """
    if abs(share - 1 / 3) < 0.01:
        return "a third"
    return "more than a third" if share > 1 / 3 else "less than a third"


def figure(
    port: Port,
    stream: Stream,
    solved: Result,
    published: Published | None = None,
    simulated: Sweep | None = None,
    delays_s: tuple[float, float] | None = None,
    faded: bool = False,
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
    solved : Result
        The fluid model's answers, arrays of shape (loads, 1). The last load is the stream's own:
        it is marked, and no point of the lines.
    published : Published, optional
        A published point to draw over the lines.
    simulated : Sweep, optional
        What a packet model says, arrays of shape (loads, 1); its last load is the stream's own
        too, and has a larger dot.
    delays_s : (float, float), optional
        The least and the largest delay that the axis has to show [s]; by default those of `solved`.
    faded : bool
        Whether the published point has other settings than the rest.
    """
    line_bps = port.rate_bps * stream.mean_frame_bytes
    line_bps /= stream.mean_frame_bytes + port.overhead_bytes
    x, *fluid = _drawn(solved, line_bps)
    dots_x, *dots = _drawn(simulated, line_bps) if simulated else np.zeros((4, 0))
    seen_x, *seen = _published(published, line_bps)
    name, traces = stream.name, []
    for panel, (y, dots_y, (value, half)) in enumerate(zip(fluid, dots, seen, strict=True)):
        line = style.curve("fluid", name, x[:-1], y[:-1], panel, uid=f"line-{panel}")
        traces.append(line | {"name": style.KINDS["fluid"]})
        drawn = style.points("packets", [name], dots_x, dots_y, panel, uid=f"packets-{panel}")
        sizes = [SMALL] * (len(dots_x) - 1) + [LARGE] if len(dots_x) else SMALL
        # plotly makes symbols of several sizes pale by default.
        drawn["marker"] |= {"size": sizes, "opacity": 1}
        traces.append(drawn)
        traces.append(style.points("now", [name], x[-1:], y[-1:], panel, uid=f"now-{panel}"))
        more = {"uid": f"measured-{panel}", "half_width": half, "faded": faded}
        traces.append(style.points("measured", [name], seen_x[: len(value)], value, panel, **more))
    traces += style.keys("packets", "now", "measured")
    table = _table(x, fluid, dots_x, dots)
    summary = _summary(*np.array([x, *fluid])[:, -1].tolist())
    if simulated and not np.isnan(dots[2][-1]):
        kind = type(stream.arrivals).__name__
        summary += (
            f" Packet model ({'CBR' if kind == 'Cbr' else kind}): {dots[1][-1]:.3g} % is lost,"
            f" and a packet takes {dots[2][-1]:.3g} ms."
        )
    shown_s = delays_s or (np.nanmin(solved.delay_mean_s), np.nanmax(solved.delay_mean_s))
    layout = _layout(port, float(x.max()), shown_s)
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _table(x, fluid, dots_x, dots):
    """Both models by load; while the controls move, the fluid model alone, which is quick."""
    if not len(dots_x):
        lines = zip(COLUMNS["fluid"], np.round(fluid, 3)[:, :-1], strict=True)
        return Columns(dict(lines), np.round(x[:-1], 1), INDEX)
    drawn = {"fluid": (x, fluid), "packets": (dots_x, dots)}
    columns = {
        name: (np.round(loads, 1), values)
        for kind, (loads, rows) in drawn.items()
        for name, values in zip(COLUMNS[kind], rows, strict=True)
    }
    return Columns.aligned(columns, INDEX).round(3)


def _layout(port, load, delays_s):
    """Delays are drawn by powers of ten: what a packet waits below 100 % is small, not nothing."""
    line_mbps = units.convert(port.rate_bps, "bit/s", "Mbit/s")
    most_lost = 100 - 100 * 100 / max(200, load)
    ranges = [{"range": [-0.03 * most, 1.05 * most]} for most in (line_mbps, most_lost)]
    # A fifth of a power of ten more on either side, so that no symbol is cut off.
    low, high = np.log10(units.convert(np.array(delays_s), "s", "ms"))
    y_axes = [*ranges, style.decades(float(low) - 0.2, float(high) + 0.2)]
    return style.layout(PANELS, INDEX, y_axes)


def _drawn(result, line_bps):
    """Offered [% of the link], carried [Mb/s], lost [%] and delay [ms], of each load."""
    offered_bps = result.offered_bps[:, 0]
    return (
        units.convert(offered_bps / line_bps, "1", "%"),
        units.convert(result.sent_bps[:, 0], "bit/s", "Mbit/s"),
        units.convert(result.drop_ratio[:, 0], "1", "%"),
        units.convert(result.delay_mean_s[:, 0], "s", "ms"),
    )


def _published(seen, line_bps):
    """Its load, and the values with their half widths in each panel."""
    if seen is None:
        return [], ([], []), ([], []), ([], [])
    shares = np.array([seen.offered_bps / line_bps, seen.lost, seen.lost_half_width])
    load, lost, half = units.convert(shares, "1", "%").tolist()
    carried = units.convert(seen.carried_bps, "bit/s", "Mbit/s")
    return [load], ([carried], [0.0]), ([lost], [half]), ([], [])


def _summary(load, carried, lost, delay):
    waits = "there is no packet to wait" if np.isnan(delay) else f"a packet takes {delay:.3g} ms"
    return (
        f"Offered {load:.3g} % of the link. Fluid model: the link carries {carried:.4g}"
        f" Mb/s of frames, {lost:.3g} % is lost, and {waits}."
    )
