"""TCP through a policer by its burst, and through a shaper with a queue as large."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure

__all__ = ["goodput_over_burst"]

X_TITLE = "burst of the policer, or queue before the shaper [kB]"
PANELS = ("TCP [Mb/s of data]",)
#: The two in their order, and the class whose look each has.
LIKE = ("CS4", "BE")


def goodput_over_burst(
    burst_bytes: Sequence[float],
    goodput_bps: Mapping[str, Sequence[float]],
    rate_bps: float,
    rules: Mapping[str, float],
) -> Figure:
    """Goodput against a policer's burst and a shaper's queue, packet by packet.

    Parameters
    ----------
    burst_bytes : sequence of float
        Bursts, and queues [B].
    goodput_bps : mapping of str to sequence of float
        Label to what arrives [bit/s]; two at most.
    rate_bps : float
        What policer and shaper let pass [bit/s].
    rules : mapping of str to float
        Label to a size to mark by a dashed line [B].
    """
    x = units.convert(np.asarray(burst_bytes, dtype=float), "B", "kB")
    columns, traces = {}, []
    top = float(units.convert(rate_bps, "bit/s", "Mbit/s"))
    for (name, rates), like in zip(goodput_bps.items(), LIKE, strict=False):
        y = units.convert(np.asarray(rates, dtype=float), "bit/s", "Mbit/s")
        columns[f"{name} [Mb/s]"] = y
        trace = style.line("tcp", name, x, y, 0, as_look=style.look(like), uid=name)
        trace["marker"].pop("maxdisplayed")
        traces.append(trace | {"mode": "lines+markers"})
    for name, size in rules.items():
        at = float(units.convert(size, "B", "kB"))
        # What stands right of the middle, of a logarithmic axis, is named on its left.
        side = "left" if at**2 > x[0] * x[-1] else "right"
        traces.append(style.upright(name, at, top, 0, side, name))
    table = pd.DataFrame(columns, index=pd.Index(x, name="burst or queue [kB]")).round(1)
    layout = style.layout(PANELS, X_TITLE)
    layout["xaxis"] |= {"type": "log", "tickvals": x.tolist(), "tickformat": ","}
    layout["yaxis"]["range"] = [0, 1.2 * top]
    return Figure(data=traces, layout=layout, summary=_summary(table, rules, top), table=table)


def _summary(table, rules, top):
    sentences = [
        f"{name.removesuffix(' [Mb/s]').capitalize()}: from {column.iloc[0]:.3g} to"
        f" {column.iloc[-1]:.3g} of {top:.3g} Mb/s as it grows from {table.index[0]:,.0f} to"
        f" {table.index[-1]:,.0f} kB."
        for name, column in table.items()
    ]
    marked = [f"{name} {units.convert(each, 'B', 'kB'):,.0f} kB" for name, each in rules.items()]
    return " ".join([*sentences, f"Dashed: {', '.join(marked)}."])
