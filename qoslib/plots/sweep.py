"""Answers along a sweep of the load, one line a class or a port."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.platforms.provenance import Experiment
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["knife_edge", "latency_over_load"]


def latency_over_load(
    experiment: Experiment,
    stream: str,
    results: Mapping[str, Result],
    published: Mapping[float, float] | None = None,
) -> Figure:
    """Latency of one stream against its own offered load, one line a result.

    Parameters
    ----------
    experiment : Experiment
        The port and its streams.
    stream : str
        Name of the stream.
    results : mapping of str to Result
        Label of the line to a result with arrays of shape (loads, streams).
    published : mapping of float to float, optional
        Published latency [s] at an offered load, as on the line [bit/s].
    """
    traces, columns = [], {}
    for place, (label, result) in enumerate(results.items()):
        at = result.streams.index(stream)
        on_line_bps = units.rate_bps(result.offered_pps[..., at], _on_line_bytes(experiment, at))
        x = units.convert(on_line_bps, "bit/s", "Gbit/s")
        y = units.convert(result.latency_mean_s[..., at], "s", "ms")
        drawn = style.variant(stream, place)
        traces.append(style.line("fluid", label, x, y, 0, as_look=drawn, uid=f"line-{place}"))
        columns[label] = pd.Series(y, index=np.round(x, 6))
    seen = {
        units.convert(x, "bit/s", "Gbit/s"): units.convert(y, "s", "ms")
        for x, y in (published or {}).items()
    }
    marks = style.points("measured", [stream] * len(seen), seen, seen.values(), 0, uid="measured")
    traces += [marks, style.key("measured")]
    table = pd.DataFrame(columns).rename_axis("offered [Gb/s]").round(3)
    layout = style.layout(["latency [ms]"], f"offered to {stream} [Gb/s on the line]")
    layout["xaxis"]["rangemode"] = "tozero"
    layout["yaxis"]["rangemode"] = "tozero"
    return Figure(data=traces, layout=layout, summary=_over_load(stream, table), table=table)


def _on_line_bytes(experiment, at):
    return experiment.streams[at].mean_frame_bytes + experiment.port.overhead_bytes


def _over_load(stream, table):
    first, last = table.index[[0, -1]]
    ends = [
        f"with {label} the latency goes from {column.iloc[0]:.3g} to {column.iloc[-1]:.3g} ms"
        for label, column in table.items()
    ]
    return f"As {stream} is offered {first:.3g} to {last:.3g} Gb/s, {'; '.join(ends)}."


def knife_edge(
    ratio: np.ndarray, result: Result, now: float, names: Sequence[str], published
) -> Figure:
    """What starving streams send and wait as all offered rates move by a little together.

    Parameters
    ----------
    ratio : ndarray
        Offered rates over their printed ones, ascending.
    result : Result
        Arrays of shape (loads, streams).
    now : float
        The ratio to mark.
    names : sequence of str
        The streams to draw.
    published : sequence of (str, float, float)
        Stream, published latency [s], and a ratio to draw it at.
    """
    x = units.convert(ratio - 1, "1", "%")
    here = int(np.argmin(np.abs(ratio - now)))
    traces, columns = [], {}
    for panel, (quantity, unit) in enumerate((("sent_pps", ""), ("latency_mean_s", "ms"))):
        values = [getattr(result, quantity)[:, result.streams.index(name)] for name in names]
        values = [units.convert(v, "s", unit) for v in values] if unit else values
        for name, y in zip(names, values, strict=True):
            uid = f"{quantity}-{name}"
            traces.append(style.line("fluid", name, x, y, panel, uid=uid))
            columns[f"{name} {'latency [ms]' if unit else 'sent [packets/s]'}"] = y
        marks = [x[here]] * len(names), [y[here] for y in values]
        traces.append(style.points("now", names, *marks, panel, uid=f"now-{quantity}"))
    seen = list(zip(*published, strict=True)) or [(), (), ()]
    at = units.convert(np.asarray(seen[2], dtype=float) - 1, "1", "%")
    y = units.convert(np.asarray(seen[1], dtype=float), "s", "ms")
    traces.append(style.points("measured", seen[0], at, y, 1, uid="measured"))
    traces += [style.key("now"), style.key("measured")]
    table = pd.DataFrame(columns, index=pd.Index(np.round(x, 4), name="offered [%]")).round(1)
    layout = style.layout(("sent [packets/s]", "latency [ms]"), "offered above or below print [%]")
    layout["yaxis2"] |= {"type": "log", "range": [0, 3], "dtick": 1}
    return Figure(data=traces, layout=layout, summary=_edge(table, here, names), table=table)


def _edge(table, here, names):
    row = table.iloc[here]
    start = f"With all offered rates {table.index[here]:+.3f} % from their print:"
    return " ".join([start, *(_edge_sentence(name, row) for name in names)])


def _edge_sentence(name, row):
    sent, latency = row[f"{name} sent [packets/s]"], row[f"{name} latency [ms]"]
    if np.isnan(latency):
        return f"{name} sends nothing and has no latency."
    return f"{name} sends {sent:.0f} packets/s, which wait for {latency:.3g} ms."
