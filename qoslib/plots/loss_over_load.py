"""How much of a class is lost against its load: one line a model, dots where packets were run."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result
from qoslib.units import Floats

__all__ = ["loss_over_load"]


def loss_over_load(
    watched: Sequence[str],
    results: Mapping[str, Sequence[Result]],
    published_bps: float | None = None,
    configured_bps: float | None = None,
) -> Figure:
    """Share lost of some streams together against what they are offered together.

    Parameters
    ----------
    watched : sequence of str
        Names of the streams.
    results : mapping of str to sequence of Result
        Label to a result for each load.
    published_bps : float, optional
        The largest load that was seen to lose nothing [bit/s].
    configured_bps : float, optional
        What the streams are configured to get [bit/s], drawn as a bound.

    Returns
    -------
    Figure
        Lines for the fluid model, dots for packets.

    Examples
    --------
    >>> from qoslib.fluid import solve
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> swept = [solve(port, [Stream("data", rate_bps)]) for rate_bps in (50e6, 100e6, 200e6)]
    >>> loss_over_load(["data"], {"fluid": swept}).table["fluid lost [%]"].tolist()
    [0.0, 0.0, 50.0]
    """
    traces, columns = [], {}
    for place, (label, swept) in enumerate(results.items()):
        x, y = np.array([_point(watched, result) for result in swept]).T
        traces.append(_drawn(swept[0].model, place, label, x, y))
        columns[f"{label} lost [%]"] = pd.Series(y, index=np.round(x, 1))
    highest = max(max(trace["y"]) for trace in traces)
    if configured_bps is not None:
        at = [units.convert(configured_bps, "bit/s", "Mbit/s")] * 2
        look = style.Look(style.INK, "circle")
        bound = style.line("bound", "configured", at, [0, highest], 0, as_look=look)
        traces.append(bound | {"uid": "bound", "name": "configured"})
    seen = [] if published_bps is None else [units.convert(published_bps, "bit/s", "Mbit/s")]
    traces.append(style.points("measured", ["BE"] * len(seen), seen, [0.0] * len(seen), 0))
    traces[-1]["uid"] = "measured"
    traces.append(style.key("measured"))
    table = pd.DataFrame(columns).rename_axis("offered [Mb/s]").round(2)
    layout = style.layout(["lost [% of offered]"], "offered [Mb/s]")
    layout["yaxis"]["range"] = [-0.06 * max(highest, 1), 1.1 * max(highest, 1)]
    layout["xaxis"]["rangemode"] = "tozero"
    return Figure(data=traces, layout=layout, summary=_summary(table), table=table)


def _point(watched: Sequence[str], result: Result) -> tuple[float, float]:
    offered, dropped = (
        sum(getattr(result[name], quantity) or 0.0 for name in watched)
        for quantity in ("offered_bps", "dropped_bps")
    )
    lost = units.convert(dropped / offered if offered else 0.0, "1", "%")
    return units.convert(offered, "bit/s", "Mbit/s"), lost


def _drawn(model: str, place: int, label: str, x: Floats, y: Floats) -> style.Json:
    look, uid = style.variant("BE", place), f"line-{place}"
    drawn = style.line(model, label, x, y, 0, as_look=look, uid=uid)
    if model == "packets":
        drawn |= {"mode": "lines+markers"}
        drawn["marker"] |= {"size": 8, "maxdisplayed": 0}
    return drawn


def _summary(table: pd.DataFrame) -> str:
    sentences = []
    for column in table:
        known = table[column].dropna()
        free = known[known <= 0].index
        label = str(column).removesuffix(" lost [%]")
        most = f"loses nothing up to {free.max():.3g} Mb/s" if len(free) else "always loses some"
        sentences.append(f"{label} {most} and {known.iloc[-1]:.3g} % at {known.index[-1]:.3g} Mb/s")
    return f"{'; '.join(sentences)}."
