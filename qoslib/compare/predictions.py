"""What the models say where nothing was measured: never scored, and able to be wrong one day."""

from collections.abc import Collection, Sequence

from qoslib.compare.readings import READINGS, UnspokenError, View
from qoslib.compare.rows import said
from qoslib.compare.values import Published

__all__ = ["PREDICTED", "bands", "predictions"]

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
        for stream in _told(views[0])
        for quantity, beginnings in PREDICTED.items()
        if not any(s == stream and q.startswith(beginnings) for s, q in printed)
    ]


def _told(view: View):
    """Names of the streams; TCP connections of one mark are told together."""
    marks = {flow.name: flow.label for host in view.experiment.hosts for flow in host.flows}
    return dict.fromkeys(marks.get(name, name) for name in view.result.streams)


def _prediction(model, assumptions, views, stream, quantity):
    how, reason = READINGS[quantity], None
    try:
        modelled, low, high = said(how, [view.of(stream) for view in views], how.unit)
    except UnspokenError as silent:
        modelled, low, high, reason = None, None, None, str(silent)
    return {
        "platform": views[0].platform.name,
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


def bands(foretold: Sequence[dict], measured: Collection[str]) -> list[dict]:
    """What is predicted of a router that nothing was measured of, over all its experiments.

    Parameters
    ----------
    foretold : sequence of dict
        As from `predictions`.
    measured : collection of str
        The platforms with published results.

    Returns
    -------
    list of dict
        One entry for each stream's throughput, model and set: the least and the largest.
    """
    found: dict[tuple[str, ...], list[dict]] = {}
    for each in foretold:
        if each["platform"] not in measured and each["quantity"] == "throughput":
            found.setdefault(tuple(each[k] for k in _OF_BAND), []).append(each)
    return [dict(zip(_OF_BAND, key, strict=True)) | _ends(mine) for key, mine in found.items()]


_OF_BAND = ("platform", "stream", "model", "assumptions")


def _ends(mine):
    said = [each["modelled"] for each in mine if each["modelled"] is not None]
    over = [each["experiment"] for each in mine]
    return {"low": min(said), "high": max(said), "unit": mine[0]["unit"], "over": over}
