"""What a model's result says about a published quantity."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

from qoslib import units
from qoslib.platforms.provenance import Experiment
from qoslib.results import Result

__all__ = ["READINGS", "UNREAD", "Reading", "UnspokenError", "View", "reading"]

NOTHING_SENT = "the model sends nothing of this stream, so it has no latency"
NO_OFFERED = (
    "neither the time that this counter ran nor an offered count beside it is printed;"
    " the rate beside it is compared"
)
#: Quantities that no model gives: pattern and reason.
UNREAD = {
    r"dropped_((packets|bytes|bits)_)?(low|medium_low|medium_high|high)": "no model marks packets"
    " with a loss priority; the queue's total, which these counters split, is compared",
}


class UnspokenError(Exception):
    """Raised by a reading when the model does not speak to a value, with the reason."""


@dataclass(frozen=True)
class View:
    """One result as seen from one published value.

    Attributes
    ----------
    platform : module
    experiment : Experiment
    result : Result
    given : mapping
        Published inputs in base units, by experiment, stream and quantity.
    stream : str
        Empty for all streams together.
    """

    platform: ModuleType
    experiment: Experiment
    result: Result
    given: Mapping[tuple[str, str, str], float]
    stream: str = ""

    @property
    def platform_name(self) -> str:
        """File stem of the platform."""
        return self.platform.__name__.rpartition(".")[-1]

    def of(self, stream: str) -> "View":
        """The same result seen from another stream."""
        return dataclasses.replace(self, stream=stream)

    def each(self, quantity: str) -> list[float]:
        """A quantity of the result, for each stream that is meant."""
        names = (self.stream,) if self.stream else self.result.streams
        values = [self.result.of(name, quantity) for name in names]
        if None in values:
            raise UnspokenError(NOTHING_SENT)
        return [value for value in values if value is not None]

    def total(self, quantity: str) -> float:
        """A quantity of the result, summed over the streams that are meant."""
        return sum(self.each(quantity))

    def bits(self, quantity: str) -> float:
        """A packet rate as the bit rate that the source counts [bit/s]."""
        extra, streams = self.experiment.counted_extra_bytes, self.experiment.streams
        frames = [s.mean_frame_bytes + extra for s in streams if self.stream in ("", s.name)]
        return sum(map(units.rate_bps, self.each(quantity), frames))

    def count(self, rate_pps: float, offered: str) -> float:
        """A packet rate as a share of the offered one, times the published offered count."""
        counted = self.given.get((self.experiment.name, self.stream, offered))
        if counted is None:
            raise UnspokenError(NO_OFFERED)
        return rate_pps / self.total("offered_pps") * counted

    def tail(self) -> float:
        """Packets dropped at the tail [packets/s]."""
        by_tail = self.result.dropped_by_pps.get("tail")
        at = self.result.streams.index(self.stream)
        return 0.0 if by_tail is None else float(by_tail[at])

    def ratio(self, name: str) -> float:
        """The ratio of two streams that the platform declares under this name."""
        quantity, *streams = self.platform.RATIOS[name]
        above, below = (self.of(stream).total(quantity) for stream in streams)
        if not below:
            raise UnspokenError(f"the model has no {quantity} of {streams[1]} to divide by")
        return above / below


class Reading(NamedTuple):
    """How to read a quantity: base unit, kind of tolerance, and the function."""

    unit: str
    kind: str
    read: Callable[[View], float]


def _rate(quantity):
    return lambda view: view.total(quantity)


def _bits(quantity):
    return lambda view: view.bits(quantity)


def _count(quantity, offered):
    return lambda view: view.count(view.total(quantity), offered)


READINGS = {
    "latency_average": Reading("s", "latency", _rate("latency_mean_s")),
    "latency_maximum": Reading("s", "latency", _rate("latency_max_s")),
    "latency_minimum": Reading("s", "latency", _rate("latency_min_s")),
    "sent": Reading("packets/s", "carried", _rate("sent_pps")),
    "sent_bits": Reading("bit/s", "carried", _bits("sent_pps")),
    "sent_packets": Reading("packets", "carried", _count("sent_pps", "offered_packets")),
    "sent_bytes": Reading("B", "carried", _count("sent_pps", "offered_bytes")),
    "in_service": Reading("bit/s", "carried", _bits("sent_pps")),
    # Head drops and RED drops are one counter on these routers; tail drops have their own below.
    "dropped": Reading("packets/s", "dropped", _rate("dropped_pps")),
    "drop_rate": Reading("packets/s", "dropped", _rate("dropped_pps")),
    "drop_rate_ratio": Reading("1", "dropped", lambda view: view.ratio("drop_rate_ratio")),
    "dropped_bits": Reading("bit/s", "dropped", _bits("dropped_pps")),
    "dropped_packets": Reading("packets", "dropped", _count("dropped_pps", "offered_packets")),
    "dropped_bytes": Reading("B", "dropped", _count("dropped_pps", "offered_bytes")),
    "tail_dropped": Reading("packets/s", "dropped", lambda view: view.tail()),
    "tail_dropped_packets": Reading(
        "packets", "dropped", lambda view: view.count(view.tail(), "offered_packets")
    ),
}


def reading(quantity: str) -> Reading:
    """How to read a quantity.

    Raises
    ------
    UnspokenError
        If no model gives it.
    """
    if quantity not in READINGS:
        reasons = (why for pattern, why in UNREAD.items() if re.fullmatch(pattern, quantity))
        raise UnspokenError(next(reasons, "no model gives this quantity"))
    return READINGS[quantity]
