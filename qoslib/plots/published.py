"""What was published about an experiment, in the units of a result."""

from typing import NamedTuple

from qoslib import units
from qoslib.compare import Published
from qoslib.compare import published as all_published
from qoslib.platforms import Experiment

__all__ = ["Point", "published"]


class Point(NamedTuple):
    """A published value of a stream in packets/s or s, and the rounding its text implies.

    `largest` says that it is the largest of all packets ("up to 84 ms"), not a mean.
    """

    stream: str
    quantity: str
    value: float
    half_width: float
    largest: bool = False


#: Quantity on the scoreboard -> quantity of a figure; of two, the earlier one here is drawn.
_DRAWN = {
    "latency_average": "latency",
    "latency_maximum": "latency",
    "sent": "sent",
    "dropped": "dropped",
    "in_service": "sent",
    "dropped_bits": "dropped",
}


def published(platform: str, experiment: Experiment) -> list[Point]:
    """Return the published rates and latencies of an experiment's streams, one a panel.

    What its table marks as inconsistent is left out.

    Parameters
    ----------
    platform : str
        Name of a platform.
    experiment : Experiment
        One of its experiments.

    Returns
    -------
    list of Point
        In the base units of a result.

    Examples
    --------
    >>> from qoslib.platforms import platform
    >>> points = published("m120", platform("m120").experiments()["base"])
    >>> [point.value for point in points if (point.stream, point.quantity) == ("CS1", "latency")]
    [0.084]
    """
    found: dict[tuple[str, str], Point] = {}
    frames = {stream.name: stream.mean_frame_bytes for stream in experiment.streams}
    mine = [
        each
        for each in all_published(platform).results
        if each.experiment == experiment.name and each.status == "ok" and each.stream in frames
    ]
    for quantity, drawn in _DRAWN.items():
        for each in mine:
            if each.quantity == quantity:
                counted = frames[each.stream] + experiment.counted_extra_bytes
                found.setdefault((each.stream, drawn), _point(each, drawn, counted))
    return list(found.values())


def _point(value: Published, drawn: str, counted_bytes: float) -> Point:
    kind, size = units.UNITS[value.unit]
    number, half_width = value.value * size, value.half_width * size
    if kind == "data rate":
        number, half_width = (units.rate_pps(each, counted_bytes) for each in (number, half_width))
    return Point(value.stream, drawn, number, half_width, value.quantity == "latency_maximum")
