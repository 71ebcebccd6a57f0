"""Latency along a sweep of the load, one line a port."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.front import Sweep
from qoslib.platforms import Experiment
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result
from qoslib.units import Floats

__all__ = ["latency_over_load"]


def latency_over_load(
    experiment: Experiment,
    stream: str,
    results: Mapping[str, Result | Sweep],
    published: Mapping[float, float] | None = None,
) -> Figure:
    """Latency of one stream against its own offered load, a line or a row of dots a result.

    Parameters
    ----------
    experiment : Experiment
        The port and its streams.
    stream : str
        Name of the stream.
    results : mapping of str to Result or Sweep
        Label to a result with arrays of shape (loads, streams); a packet model's are dots.
    published : mapping of float to float, optional
        Published latency [s] at an offered load, as on the line [bit/s].

    Returns
    -------
    Figure
        One panel.

    Examples
    --------
    >>> import numpy as np
    >>> from qoslib.fluid import solve
    >>> from qoslib.platforms import platform
    >>> base = platform("m120").experiments()["base"]
    >>> offered_bps = np.outer([0.9, 1.0], [stream.mean_rate_bps for stream in base.streams])
    >>> swept = solve(base.port, base.streams, offered_bps)
    >>> latency_over_load(base, "CS1", {"fluid": swept}).table["fluid"].tolist()
    [0.072, 88.072]
    """
    traces, columns = [], {}
    for place, (label, result) in enumerate(results.items()):
        at = result.streams.index(stream)
        on_line_bps = units.rate_bps(result.offered_pps[..., at], _on_line_bytes(experiment, at))
        x = units.convert(on_line_bps, "bit/s", "Gbit/s")
        y = units.convert(result.delay_mean_s[..., at], "s", "ms")
        traces.append(_over(result.model, stream, place, label, x, y))
        columns[label] = pd.Series(y, index=np.round(x, 6))
    seen = {
        units.convert(x, "bit/s", "Gbit/s"): units.convert(y, "s", "ms")
        for x, y in (published or {}).items()
    }
    marks = style.points("measured", [stream] * len(seen), seen, seen.values(), 0, uid="measured")
    traces += [marks, style.key("measured")]
    table = pd.DataFrame(columns).rename_axis("offered [Gb/s]").round(3)
    zero = {"rangemode": "tozero"}
    layout = style.layout(
        ["latency [ms]"], f"offered to {stream} [Gb/s on the line]", [zero], **zero
    )
    return Figure(data=traces, layout=layout, summary=_over_load(stream, table), table=table)


def _over(model: str, stream: str, place: int, label: str, x: Floats, y: Floats) -> style.Json:
    drawn, uid = style.variant(stream, place), f"line-{place}"
    if model != "packets":
        return style.line(model, label, x, y, 0, as_look=drawn, uid=uid)
    return style.points(model, [stream], x, y, 0, uid=uid, name=label, showlegend=True)


def _on_line_bytes(experiment: Experiment, at: int) -> float:
    return experiment.streams[at].mean_frame_bytes + experiment.only_port.overhead_bytes


def _over_load(stream: str, table: pd.DataFrame) -> str:
    first, last = table.index[[0, -1]]
    known = [(label, column.dropna()) for label, column in table.items()]
    ends = [
        f"with {label} the latency goes from {column.iloc[0]:.3g} to {column.iloc[-1]:.3g} ms"
        for label, column in known
    ]
    return f"As {stream} is offered {first:.3g} to {last:.3g} Gb/s, {'; '.join(ends)}."
