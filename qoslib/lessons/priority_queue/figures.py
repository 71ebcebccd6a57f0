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

#: Quantity of each panel, its title, and the unit to convert it to, if any.
_PANELS = (("sent_pps", "sent [packets/s]", ""), ("delay_mean_s", "delay [ms]", "ms"))


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
        Stream, published delay [s], and a ratio to draw it at.
    simulated : (ndarray, Sweep), optional
        Some ratios, and what a packet model says at them.
    """
    x, here = _percent(ratio), int(np.argmin(np.abs(ratio - now)))
    traces, columns = [], {}
    for panel, (quantity, title, _) in enumerate(_PANELS):
        lines = _values(result, names, panel)
        for name, y in lines.items():
            traces.append(style.line("fluid", name, x, y, panel, uid=f"{quantity}-{name}"))
            columns[f"{name} {title}"] = y
        if simulated:
            dots_x = _percent(simulated[0])
            for name, y in _values(simulated[1], names, panel).items():
                uid = f"packets-{quantity}-{name}"
                traces.append(style.points("packets", [name], dots_x, y, panel, uid=uid))
        marks = [x[here]] * len(names), [y[here] for y in lines.values()]
        traces.append(style.points("now", names, *marks, panel, uid=f"now-{quantity}"))
    seen = list(zip(*published, strict=True)) or [(), (), ()]
    y = units.convert(np.asarray(seen[1], dtype=float), "s", "ms")
    traces.append(style.points("measured", seen[0], _percent(seen[2]), y, 1, uid="measured"))
    traces += style.keys(*(["packets"] if simulated else []), "now", "measured")
    table = pd.DataFrame(columns, index=pd.Index(np.round(x, 4), name="offered [%]")).round(1)
    y_axes = [{}, {"type": "log", "range": [0, 3], "dtick": 1}]
    titles = [title for _, title, _ in _PANELS]
    layout = style.layout(titles, "offered above or below published [%]", y_axes)
    summary = " ".join([*_sentences(table, here, names), *_simulated(names, simulated)])
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _percent(ratio):
    """Above or below the published rates [%]."""
    return units.convert(np.asarray(ratio, dtype=float) - 1, "1", "%")


def _values(result, names, panel):
    """What a panel shows of each stream."""
    quantity, _, unit = _PANELS[panel]
    found = {name: getattr(result, quantity)[:, result.streams.index(name)] for name in names}
    return {name: units.convert(y, "s", unit) if unit else y for name, y in found.items()}


def _sentences(table, here, names):
    yield f"With all offered rates {table.index[here]:+.3f} % from the published ones:"
    for name in names:
        sent, delay = (table[f"{name} {title}"].iloc[here] for _, title, _ in _PANELS)
        waits = f"{sent:.0f} packets/s, which wait for {delay:.3g} ms."
        yield f"{name} sends {'nothing and has no delay.' if np.isnan(delay) else waits}"


def _simulated(names, simulated):
    """From where to where the packet model sends something."""
    if simulated:
        sent = _values(simulated[1], names, 0).values()
        some = _percent(simulated[0])[np.all([each.astype(bool) for each in sent], axis=0)]
        if len(some):
            yield f"Packet by packet they send something from {some[0]:+.3f} to {some[-1]:+.3f} %."
