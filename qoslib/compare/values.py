"""Published values: which of them are results, and which were set by whoever ran the test."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from qoslib import measurements, units
from qoslib.measurements import Measurement
from qoslib.platforms import Experiment, platform
from qoslib.record import checked, fail

__all__ = [
    "INPUTS",
    "Data",
    "Point",
    "Published",
    "given_of",
    "published",
    "published_points",
    "values_of",
]

#: What is not a result although it is no configured value: pattern of the quantity, and why.
INPUTS = {
    r"offered(_.*)?|oversubscription|numbered_packets|interval_.*": "the load, or its counter",
    r"target_.*|paced_rate|allocated_.*|buffer|latency_budget": "a setting or a demand",
    r"(sender_)?duration|since_.*": "how long was measured",
    r"bandwidth|in_profile|out_of_profile": "follows from transmit rate and load by definition",
    r"class_(packets|bytes)|mac_received_(unicast_)?(packets|octets)": "the load, as counted",
    r"expected_.*": "calculated in the source, not measured",
}

#: Quantities whose statistic is part of what they are compared as; without one it is an average.
_OF_DELAY = ("latency", "round_trip", "smoothed_round_trip")
_STATISTIC = {each: each for each in ("maximum", "minimum", "p50", "p95", "p99")}
_STATISTIC |= {"up_to": "maximum"}


@dataclass(frozen=True)
class Published:
    """One published value.

    Attributes
    ----------
    table : str
        Name of its table; the part before the first underscore is the platform.
    experiment, stream : str
        The stream is empty where the value is about all of them.
    quantity : str
        As on the scoreboard: a latency carries its statistic, ``latency_average`` unless the
        source says maximum, minimum, a percentile or "up to".
    table_quantity : str
        As in its table.
    value, half_width : float
        The number and the rounding that its digits imply, in `unit`.
    unit : str
    status : str
        ``ok`` or ``inconsistent``.
    reason : str
        Why it is inconsistent.
    low, high : float or None
        Ends of a published range, in `unit`.
    configured : bool
        Whether the table marks it as a setting.
    place : str
        Where it stands in the source.
    """

    table: str
    experiment: str
    stream: str
    quantity: str
    table_quantity: str
    value: float
    half_width: float
    unit: str
    status: str
    reason: str
    low: float | None = None
    high: float | None = None
    configured: bool = False
    place: str = ""

    @property
    def platform(self) -> str:
        """Name of the platform."""
        return self.table.partition("_")[0]

    @property
    def keys(self) -> set[str]:
        """``table/experiment/stream/quantity``, as the facts of a platform name it: both ways."""
        place = f"{self.table}/{self.experiment}/{self.stream}"
        return {f"{place}/{self.table_quantity}", f"{place}/{self.quantity}"}

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What there is one of on the scoreboard, for each model and set of assumptions."""
        return self.platform, self.experiment, self.stream, self.quantity

    @property
    def is_input(self) -> bool:
        """Whether it was configured, sent or demanded, and is no result: see `INPUTS`."""
        patterns = (re.fullmatch(pattern, self.table_quantity) for pattern in INPUTS)
        return self.configured or self.table.endswith("_configuration") or any(patterns)

    @property
    def base_value(self) -> float:
        """The value in base units."""
        return self.value * units.UNITS[self.unit][1]


@dataclass(frozen=True)
class Data:
    """Published values, sorted out.

    Attributes
    ----------
    results : tuple of Published
        What was measured; where a value is published more than once, the most exact of them.
    inputs : tuple of Published
        What was configured, sent or demanded: see `INPUTS`.
    repeated : int
        How often a result is published once more.
    """

    results: tuple[Published, ...]
    inputs: tuple[Published, ...]
    repeated: int

    @cached_property
    def given(self) -> dict[tuple[str, str, str], float]:
        """The inputs of one platform in base units, by experiment, stream and quantity."""
        return given_of(self.inputs)

    def spread(self, value: Published) -> float:
        """How far apart the published counters of a value's pair are [ratio]; 0 without a pair.

        Parameters
        ----------
        value : Published

        Returns
        -------
        float
            ``|b / a - 1|`` of the two counters a and b.
        """
        pair = platform(value.platform).pairs.get(value.quantity, ())
        names = [(*value.name[:3], quantity) for quantity in pair]
        counters = [each.value for name in names for each in self.results if each.name == name]
        return abs(counters[1] / counters[0] - 1) if len(counters) == 2 and all(counters) else 0.0


def given_of(inputs: Iterable[Published]) -> dict[tuple[str, str, str], float]:
    """Inputs in base units, by experiment, stream and quantity."""
    sound = [each for each in inputs if each.status == "ok"]
    return {(each.experiment, each.stream, each.quantity): each.base_value for each in sound}


def _exactness(value: Published) -> tuple[bool, float]:
    return value.status != "ok", value.half_width * units.UNITS[value.unit][1]


def published(platform: str = "") -> Data:
    """Read the published values of a platform and tell results from inputs.

    A value that is no number (a blank, a letter for a digit) is left out.

    Parameters
    ----------
    platform : str
        Only its tables are read; by default those of all platforms.

    Returns
    -------
    Data
        Its results and inputs.

    Raises
    ------
    ValueError
        If no table is about such a platform.

    Examples
    --------
    >>> [value] = [v for v in published("m120").results if v.name[1:3] == ("base", "CS1")
    ...            and v.quantity == "latency_maximum"]
    >>> value.value, value.unit
    (84.0, 'ms')
    """
    return _published(checked(str, platform, "platform"))


@cache
def _published(platform: str) -> Data:
    tables = sorted(path.stem for path in measurements.folder().glob("*.csv"))
    named = [table for table in tables if platform in ("", table.partition("_")[0])]
    if not named:
        fail("platform", platform, ", ".join(dict.fromkeys(t.partition("_")[0] for t in tables)))
    values = [value for table in named for value in values_of(table, measurements.rows(table))]
    inputs = tuple(value for value in values if value.is_input)
    results: dict[tuple[str, ...], Published] = {}
    for value in values:
        if not value.is_input:
            results[value.name] = min(results.get(value.name, value), value, key=_exactness)
    return Data(tuple(results.values()), inputs, len(values) - len(inputs) - len(results))


def values_of(table: str, rows: Iterable[Measurement]) -> Iterator[Published]:
    """The values of a table."""
    for row in rows:
        if not row.is_known:
            continue
        quantity, is_range = row.quantity, row.statistic == "range"
        carried = _STATISTIC.get(row.statistic, "average")
        yield Published(
            table=table,
            experiment=row.experiment,
            stream=row.stream,
            quantity=f"{quantity}_{carried}" if quantity in _OF_DELAY else quantity,
            table_quantity=quantity,
            value=row.value,
            half_width=row.half_width,
            unit=row.unit,
            status=row.status,
            reason=row.reason,
            low=row.low if is_range else None,
            high=row.high if is_range else None,
            configured=row.statistic == "configured",
            place=row.place,
        )


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


def published_points(platform: str, experiment: Experiment) -> list[Point]:
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

    Raises
    ------
    ValueError
        If there is no such platform, or the experiment is none.

    Examples
    --------
    >>> from qoslib.platforms import Experiment, platform
    >>> points = published_points("m120", platform("m120").experiments()["base"])
    >>> [point.value for point in points if (point.stream, point.quantity) == ("CS1", "latency")]
    [0.084]
    """
    checked(Experiment, experiment, "experiment")
    counted_bytes = {
        stream.name: stream.mean_frame_bytes + experiment.counted_extra_bytes
        for stream in experiment.streams
    }
    mine = [
        each
        for each in published(platform).results
        if (each.experiment, each.status) == (experiment.name, "ok")
        and each.stream in counted_bytes
    ]
    found: dict[tuple[str, str], Point] = {}
    for quantity, drawn in _DRAWN.items():
        for each in mine:
            if each.quantity == quantity:
                point = _point(each, drawn, counted_bytes[each.stream])
                found.setdefault((each.stream, drawn), point)
    return list(found.values())


def _point(value: Published, drawn: str, counted_bytes: float) -> Point:
    kind, size = units.UNITS[value.unit]
    number, half_width = value.value * size, value.half_width * size
    if kind == "data rate":
        number, half_width = (units.rate_pps(each, counted_bytes) for each in (number, half_width))
    return Point(value.stream, drawn, number, half_width, value.quantity == "latency_maximum")
