"""What is sent and waited for as all loads move by a little, around a line that is just full."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.front import Sweep
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["edge_figure"]

#: Quantity of each panel, and the unit to convert it to, if any.
_QUANTITIES = (("sent_pps", ""), ("delay_mean_s", "ms"))


def edge_figure(
    ratio: np.ndarray,
    result: Result,
    now: float,
    names: Sequence[str],
    published,
    simulated: tuple[np.ndarray, Sweep] | None = None,
) -> Figure:
    """What starving streams send and wait as all offered rates move by a little together.

    Parameters
    ----------
    ratio : ndarray
        Offered rates over the published ones, ascending.
    result : Result
        Arrays of shape (loads, streams).
    now : float
        The ratio to mark.
    names : sequence of str
        The streams to draw.
    published : sequence of (str, float, float)
        Stream, published latency [s], and a ratio to draw it at.
    simulated : (ndarray, Sweep), optional
        Some ratios, and what a packet model says at them.
    """
    x = units.convert(ratio - 1, "1", "%")
    here = int(np.argmin(np.abs(ratio - now)))
    traces, columns = [], {}
    for panel, (quantity, unit) in enumerate(_QUANTITIES):
        values = [getattr(result, quantity)[:, result.streams.index(name)] for name in names]
        values = [units.convert(v, "s", unit) for v in values] if unit else values
        for name, y in zip(names, values, strict=True):
            uid = f"{quantity}-{name}"
            traces.append(style.line("fluid", name, x, y, panel, uid=uid))
            columns[f"{name} {'latency [ms]' if unit else 'sent [packets/s]'}"] = y
        traces += _dots(names, quantity, unit, panel, *(simulated or ()))
        marks = [x[here]] * len(names), [y[here] for y in values]
        traces.append(style.points("now", names, *marks, panel, uid=f"now-{quantity}"))
    seen = list(zip(*published, strict=True)) or [(), (), ()]
    at = units.convert(np.asarray(seen[2], dtype=float) - 1, "1", "%")
    y = units.convert(np.asarray(seen[1], dtype=float), "s", "ms")
    traces.append(style.points("measured", seen[0], at, y, 1, uid="measured"))
    traces += [
        *([style.key("packets")] if simulated else []),
        style.key("now"),
        style.key("measured"),
    ]
    table = pd.DataFrame(columns, index=pd.Index(np.round(x, 4), name="offered [%]")).round(1)
    layout = style.layout(
        ("sent [packets/s]", "latency [ms]"), "offered above or below published [%]"
    )
    layout["yaxis2"] |= {"type": "log", "range": [0, 3], "dtick": 1}
    return Figure(
        data=traces, layout=layout, summary=_edge(table, here, names, simulated), table=table
    )


def _dots(names, quantity, unit, panel, ratio=(), result=None):
    """A trace a stream, of what the packet model says."""
    traces = []
    for name in names if result is not None else ():
        y = getattr(result, quantity)[:, result.streams.index(name)]
        y = units.convert(y, "s", unit) if unit else y
        x, uid = units.convert(np.asarray(ratio) - 1, "1", "%"), f"packets-{quantity}-{name}"
        traces.append(style.points("packets", [name], x, y, panel, uid=uid))
    return traces


def _edge(table, here, names, simulated):
    row = table.iloc[here]
    start = f"With all offered rates {table.index[here]:+.3f} % from the published ones:"
    sentences = [start, *(_edge_sentence(name, row) for name in names)]
    return " ".join([*sentences, *_edge_simulated(names, *(simulated or ()))])


def _edge_simulated(names, ratio=(), result=None):
    """From where to where the packet model sends something."""
    if result is None:
        return
    sends = [result.sent_pps[:, result.streams.index(name)].astype(bool) for name in names]
    some = units.convert(np.asarray(ratio)[np.all(sends, axis=0)] - 1, "1", "%")
    if len(some):
        yield f"Packet by packet they send something from {some[0]:+.3f} to {some[-1]:+.3f} %."


def _edge_sentence(name, row):
    sent, latency = row[f"{name} sent [packets/s]"], row[f"{name} latency [ms]"]
    if np.isnan(latency):
        return f"{name} sends nothing and has no latency."
    return f"{name} sends {sent:.0f} packets/s, which wait for {latency:.3g} ms."
