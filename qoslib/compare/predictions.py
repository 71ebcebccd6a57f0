"""What the models say where nothing was measured: never scored, and able to be wrong one day."""

from collections.abc import Sequence

from qoslib.compare.readings import READINGS, UnspokenError, View
from qoslib.compare.rows import said
from qoslib.compare.values import Published

__all__ = ["PREDICTED", "predictions"]

#: Quantity, and how the names of those quantities begin whose print is a measurement of it.
PREDICTED = {
    "latency_average": ("latency",),
    "dropped": ("dropped", "drop_rate"),
    "throughput": ("throughput", "sent", "in_service"),
    "drop_ratio": ("drop",),
}


def predictions(
    model: str, assumptions: str, views: Sequence[View], values: Sequence[Published]
) -> list[dict]:
    """One entry for each stream and quantity of `PREDICTED` that the source does not print.

    Parameters
    ----------
    model, assumptions : str
    views : sequence of View
        The model's results for one experiment.
    values : sequence of Published
        What is published of that experiment.
    """
    printed = {(value.stream, value.quantity) for value in values}
    return [
        _prediction(model, assumptions, views, stream, quantity)
        for stream in views[0].result.streams
        for quantity, beginnings in PREDICTED.items()
        if not any(s == stream and q.startswith(beginnings) for s, q in printed)
    ]


def _prediction(model, assumptions, views, stream, quantity):
    how, reason = READINGS[quantity], None
    try:
        modelled, low, high = said(how, [view.of(stream) for view in views], how.unit)
    except UnspokenError as silent:
        modelled, low, high, reason = None, None, None, str(silent)
    return {
        "platform": views[0].platform_name,
        "experiment": views[0].experiment.name,
        "stream": stream,
        "quantity": quantity,
        "unit": how.unit,
        "model": model,
        "assumptions": assumptions,
        "modelled": modelled,
        "low": low,
        "high": high,
        "reason": reason,
    }
