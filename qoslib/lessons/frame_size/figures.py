"""What a router forwards against the size of its frames, counted in three ways."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import measurements, units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["Forwarded", "Row", "figure", "published_rows"]

#: Titles of the panels, with units: bits on the line, bits of frames, packets.
PANELS = ("on the line [Gb/s]", "of frames [Gb/s]", "packets [million/s]")
#: Sizes that the axis names [B].
TICKS = (64, 128, 256, 512, 1518)
#: Name that stands for all streams together, and gives them one colour.
ALL = "all"


class Forwarded(NamedTuple):
    """What a model forwards of frames of some sizes [B], a result a size."""

    sizes: Sequence[float]
    results: Sequence[Result]


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
    table = measurements.load(name).set_index(["quantity", "experiment"])
    sizes, seen = table.loc["frame_size"], table.loc["throughput"]
    both = units.convert(seen[["value", "half_width"]].to_numpy(), "Gbit/s", "bit/s")
    return [
        Row(float(sizes["value"][experiment]), *map(float, rates))
        for experiment, rates in zip(seen.index, both, strict=True)
    ]


def figure(
    overhead_bytes: float,
    forwarded: Mapping[str, Forwarded],
    published: Sequence[Row] = (),
    now: tuple[float, Result] | None = None,
) -> Figure:
    """All that is forwarded, on the line, in frames and in packets, against the frame size.

    The dashed line is what is offered. Symbols are drawn for a packet model, lines for others.

    Parameters
    ----------
    overhead_bytes : float
        What the line adds to each frame [B].
    forwarded : mapping of str to Forwarded
        Model to what it forwards; the first of them must be the fluid model, as a line.
    published : sequence of Row
    now : (float, Result), optional
        The frame size to mark [B], and the answer for it.
    """
    drawn = {kind: _drawn(each, "sent_pps", overhead_bytes) for kind, each in forwarded.items()}
    sizes, line = drawn["fluid"]
    _, bound = _drawn(forwarded["fluid"], "offered_pps", overhead_bytes)
    marks = _drawn(Forwarded([now[0]], [now[1]]), "sent_pps", overhead_bytes) if now else None
    traces = []
    for panel in range(len(PANELS)):
        traces.append(_line("bound", sizes, bound[panel], panel, "offered"))
        traces.append(_line("fluid", sizes, line[panel], panel, style.KINDS["fluid"]))
        traces += _marks("packets", drawn.get("packets"), panel)
        traces.append(_measured(published, overhead_bytes, panel))
        traces += _marks("now", marks, panel)
    kinds = ["packets"] * ("packets" in drawn) + ["now"] * (now is not None) + ["measured"]
    traces += [style.key(kind) for kind in kinds]
    table = _table(drawn, published)
    summary = " ".join([*_here(marks), *_rows(sizes, line[0], published)])
    return Figure(data=traces, layout=_layout(bound), summary=summary, table=table)


def _counted(pps, frame_bytes, overhead_bytes):
    """Gb/s on the line, Gb/s of frames, and million packets a second, one row each."""
    on_line = units.rate_bps(pps, frame_bytes + overhead_bytes)
    both = [on_line, units.rate_bps(pps, frame_bytes)]
    return [
        *(units.convert(each, "bit/s", "Gbit/s") for each in both),
        units.convert(pps, "packets/s", "Mpackets/s"),
    ]


def _drawn(forwarded, quantity, overhead_bytes):
    sizes = np.asarray(forwarded.sizes, dtype=float)
    pps = np.array([getattr(result, quantity).sum() for result in forwarded.results])
    return sizes, _counted(pps, sizes, overhead_bytes)


def _line(kind, x, y, panel, name):
    trace = style.line(kind, ALL, x, y, panel, uid=f"{kind}-{panel}")
    return trace | {"name": name, "legendgroup": kind, "mode": "lines"}


def _marks(kind, drawn, panel):
    if drawn is None:
        return []
    x, y = drawn
    return [style.points(kind, [ALL] * len(x), x, y[panel], panel, uid=f"{kind}-{panel}")]


def _measured(published, overhead_bytes, panel):
    rows = np.array(published, dtype=float).reshape(-1, 3)
    on_line = rows[:, 0] + overhead_bytes
    value, half = (
        _counted(units.rate_pps(bps, on_line), rows[:, 0], overhead_bytes)[panel]
        for bps in (rows[:, 1], rows[:, 2])
    )
    names, uid = [ALL] * len(rows), f"measured-{panel}"
    trace = style.points(
        "measured", names, rows[:, 0].tolist(), value, panel, uid=uid, half_width=half
    )
    return trace | {"marker": trace["marker"] | {"size": 10}}


def _layout(offered):
    layout = style.layout(PANELS, "frame [bytes]", type="log", tickvals=list(TICKS), tickangle=0)
    for panel, most in enumerate(offered):
        number = "" if panel == 0 else str(panel + 1)
        layout[f"xaxis{number}"]["range"] = np.log10([57, 1700]).tolist()
        layout[f"yaxis{number}"]["range"] = [0, 1.08 * max(1.0, float(np.max(most)))]
    layout["yaxis3"]["range"][1] = min(16.0, layout["yaxis3"]["range"][1])
    return layout


def _table(drawn, published):
    columns = {
        f"{title}, {style.KINDS[kind]}": pd.Series(y, index=sizes)
        for kind, (sizes, counted) in drawn.items()
        for title, y in zip(PANELS, counted, strict=True)
    }
    seen = {row.frame_bytes: units.convert(row.rate_bps, "bit/s", "Gbit/s") for row in published}
    columns[f"{PANELS[0]}, published"] = pd.Series(seen, dtype=float)
    table = pd.DataFrame(columns).rename_axis("frame [bytes]").round(3)
    return table.loc[list(seen)] if seen else table.iloc[:: max(1, len(table) // 10)]


def _here(marks):
    if marks is not None:
        (size,), counted = marks
        line, frames, packets = (float(each[0]) for each in counted)
        yield (
            f"Frames of {size:g} bytes: {line:.3g} Gb/s on the line, which is {frames:.3g} Gb/s of"
            f" frames and {packets:.3g} million packets a second."
        )


def _rows(sizes, line, published):
    """How many of the published rows the fluid line passes through, rounding included."""
    if not published:
        return
    said = np.interp([row.frame_bytes for row in published], sizes, line)
    near = [
        abs(units.convert(gbps, "Gbit/s", "bit/s") - row.rate_bps) <= row.half_width_bps
        for gbps, row in zip(said, published, strict=True)
    ]
    yield f"The fluid line passes through {sum(near)} of the {len(near)} published rows."
