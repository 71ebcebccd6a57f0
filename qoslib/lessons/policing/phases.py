"""Two streams through one full queue: what each loses, run by run, and the published pair."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["phase_scatter"]

PANELS = ("lost [% of the second stream]", "runs that lose less [%]")


def phase_scatter(
    runs: Sequence[Result],
    fluid: Result,
    published: Sequence[float],
    half_width: Sequence[float] = (0.0, 0.0),
) -> Figure:
    """Losses of two streams in many runs as a cloud, and those of the first one as shares.

    Parameters
    ----------
    runs : sequence of Result
        Of a packet model, alike but for phases and seeds.
    fluid : Result
        What the fluid model says.
    published : sequence of float
        Lost share of each of the two [ratio].
    half_width : sequence of float
        Of their rounding [ratio].
    """
    first, second = fluid.streams
    lost = units.convert(np.array([run.drop_ratio for run in runs]), "1", "%")
    solved = units.convert(fluid.drop_ratio, "1", "%")
    seen, half = (units.convert(np.asarray(each), "1", "%") for each in (published, half_width))
    order = np.sort(lost[:, 0])
    below = units.convert((np.arange(len(order)) + 1) / len(order), "1", "%")
    cloud, curve = (lost[:, 0].tolist(), lost[:, 1], 0), (order.tolist(), below, 1)
    point = style.points("measured", ["CS4"], [seen[0]], [seen[1]], 0, half_width=[half[1]])
    point["error_x"] = {"type": "data", "array": [float(half[0])], "color": style.INK}
    traces = [
        style.points("packets", ["BE"], *cloud, uid="packets-0"),
        style.points("fluid", ["BE"], [solved[0]], [solved[1]], 0, uid="fluid-0"),
        point | {"uid": "measured-0"},
        style.points("packets", ["BE"], *curve, uid="packets-1"),
        _upright("fluid", "BE", solved[0]),
        _upright("bound", "CS4", seen[0]),
        *style.keys("packets", "fluid", "measured"),
    ]
    y_axes = [{"title": {"text": f"lost [% of {second}]", "standoff": 4}}, {"range": [0, 103]}]
    layout = style.layout(PANELS, f"lost [% of {first}]", y_axes)
    table = pd.DataFrame(
        np.percentile(lost, [5, 25, 50, 75, 95], axis=0).round(1),
        columns=[f"{name} lost [%]" for name in fluid.streams],
        index=pd.Index([5, 25, 50, 75, 95], name="runs that lose less [%]"),
    )
    less = np.mean(lost[:, 0] < seen[0])
    summary = (
        f"In {len(runs)} runs {first} loses from {order[0]:.2g} to {order[-1]:.2g} %; in"
        f" {less:.0%} of them less than the published {seen[0]:.2g} %. The fluid model gives"
        f" {solved[0]:.3g} % to both."
    )
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _upright(kind, like, x):
    """A line from bottom to top of the right panel."""
    look = style.look(like)
    trace = style.curve(kind, kind, [x, x], [0, 100], 1, as_look=look, uid=f"{kind}-1")
    del trace["legendgroup"]
    return trace | {"showlegend": False}
