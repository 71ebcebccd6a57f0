"""What a router forwards against the size of its frames, counted in three ways."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from qoslib import measurements, units
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["Row", "figure", "published_rows"]

#: Titles of the panels, with units: bits on the line, bits of frames, packets.
PANELS = ("on the line [Gb/s]", "of frames [Gb/s]", "packets [million/s]")
#: Sizes that the axis names [B].
TICKS = (64, 128, 256, 512, 1518)
#: Name that stands for all streams together, and gives them one colour.
ALL = "all"


class Row(NamedTuple):
    """A published row: frame [B], rate on the line and its rounding's half width [bit/s]."""

    frame_bytes: float
    rate_bps: float
    half_width_bps: float


def published_rows(name: str) -> list[Row]:
    """The rows of a published table of throughput by frame size.

    Parameters
    ----------
    name : str
        Of the table, as in `measurements.catalogue()`.
    """
    rows = measurements.rows(name).rows
    sizes = {row.experiment: row.value for row in rows if row.quantity == "frame_size"}
    seen = [row for row in rows if row.quantity == "throughput"]
    both = units.convert(np.array([(row.value, row.half_width) for row in seen]), "Gbit/s", "bit/s")
    return [
        Row(sizes[row.experiment], *rates) for row, rates in zip(seen, both.tolist(), strict=True)
    ]


def figure(
    overhead_bytes: float,
    forwarded: Mapping[str, Mapping[float, Result]],
    published: Sequence[Row] = (),
    now: tuple[float, Result] | None = None,
    faded: bool = False,
) -> Figure:
    """All that is forwarded, on the line, in frames and in packets, against the frame size.

    The dashed line is what is offered. Symbols are drawn for a packet model, lines for others.

    Parameters
    ----------
    overhead_bytes : float
        What the line adds to each frame [B].
    forwarded : mapping of str to mapping of float to Result
        Model to its result for each frame size [B]; the fluid model must be among them, as a line.
    published : sequence of Row
    now : (float, Result), optional
        The frame size to mark [B], and the answer for it.
    faded : bool
        Whether the published rows are of other settings.
    """
    drawn = {kind: _drawn(each, "sent_pps", overhead_bytes) for kind, each in forwarded.items()}
    sizes, line = drawn["fluid"]
    _, bound = _drawn(forwarded["fluid"], "offered_pps", overhead_bytes)
    dots = {"packets": drawn.get("packets")}
    dots["now"] = _drawn(dict([now]), "sent_pps", overhead_bytes) if now else None
    seen = np.array(published, dtype=float).reshape(-1, 3)
    value, half = (_counted_rows(seen[:, 0], rates, overhead_bytes) for rates in seen[:, 1:].T)
    traces = []
    for panel in range(len(PANELS)):
        for kind, y, name in (("bound", bound, "offered"), ("fluid", line, style.KINDS["fluid"])):
            curve = style.curve(kind, ALL, sizes, y[panel], panel, uid=f"{kind}-{panel}")
            traces.append(curve | {"name": name, "legendgroup": kind})
        shown = {"half_width": half[panel], "faded": faded}
        measured = _points("measured", (seen[:, 0], value), panel, **shown)
        measured["marker"]["size"] = 10
        marks = {kind: [_points(kind, each, panel)] for kind, each in dots.items() if each}
        traces += [*marks.get("packets", ()), measured, *marks.get("now", ())]
    kinds = [kind for kind in ("packets", "now") if dots[kind]]
    traces += style.keys(*kinds, "measured")
    summary = " ".join([*_here(dots["now"]), *_rows(sizes, line[0], published)])
    table = _table(drawn, published)
    return Figure(data=traces, layout=_layout(bound), summary=summary, table=table)


def _points(kind, drawn, panel, **more):
    x, y = drawn
    return style.points(kind, [ALL] * len(x), x, y[panel], panel, uid=f"{kind}-{panel}", **more)


def _counted(pps, frame_bytes, overhead_bytes):
    """Gb/s on the line, Gb/s of frames, and million packets a second, one row each."""
    both = (units.rate_bps(pps, frame_bytes + extra) for extra in (overhead_bytes, 0))
    rates = [units.convert(each, "bit/s", "Gbit/s") for each in both]
    return [*rates, units.convert(pps, "packets/s", "Mpackets/s")]


def _counted_rows(frame_bytes, on_line_bps, overhead_bytes):
    pps = units.rate_pps(on_line_bps, frame_bytes + overhead_bytes)
    return _counted(pps, frame_bytes, overhead_bytes)


def _drawn(forwarded, quantity, overhead_bytes):
    sizes = np.array(list(forwarded), dtype=float)
    pps = np.array([getattr(result, quantity).sum() for result in forwarded.values()])
    return sizes, _counted(pps, sizes, overhead_bytes)


def _layout(offered):
    tops = [1.05 * style.nice(max(1.0, float(np.max(most)))) for most in offered]
    tops[2] = min(16.0, tops[2])
    ticks = {"tickvals": list(TICKS), "tickangle": 0, "range": np.log10([57, 1700]).tolist()}
    y_axes = [{"range": [0, top]} for top in tops]
    return style.layout(PANELS, "frame [bytes]", y_axes, type="log", **ticks)


def _table(drawn, published):
    columns = {
        f"{title}, {style.KINDS[kind]}": (sizes, y)
        for kind, (sizes, counted) in drawn.items()
        for title, y in zip(PANELS, counted, strict=True)
    }
    seen = {row.frame_bytes: units.convert(row.rate_bps, "bit/s", "Gbit/s") for row in published}
    columns[f"{PANELS[0]}, published"] = list(seen), list(seen.values())
    table = Columns.aligned(columns, "frame [bytes]").round(3)
    if seen:
        return table.part(np.isin(table.index, list(seen)))
    return table.part(slice(None, None, max(1, len(table) // 10)))


def _here(marks):
    if marks is not None:
        (size,), counted = marks
        line, frames, packets = (float(each[0]) for each in counted)
        yield (
            f"Frames of {size:g} bytes: {line:.3g} Gb/s on the line, {frames:.3g} Gb/s of frames"
            f" and {packets:.3g} million packets per second."
        )


def _rows(sizes, line, published):
    """How many of the published rows the fluid line passes through, rounding included."""
    if not published:
        return
    solved = np.interp([row.frame_bytes for row in published], sizes, line)
    near = [
        abs(units.convert(gbps, "Gbit/s", "bit/s") - row.rate_bps) <= row.half_width_bps
        for gbps, row in zip(solved, published, strict=True)
    ]
    yield f"The fluid line passes through {sum(near)} of the {len(near)} published rows."
