"""What a model's result says about a published quantity."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import mul
from types import ModuleType
from typing import NamedTuple

from qoslib import units
from qoslib.platforms.provenance import Experiment
from qoslib.results import Result

__all__ = ["READINGS", "UNREAD", "Reading", "UnspokenError", "View", "reading"]

NOTHING_SENT = "the model sends nothing of this stream, so it has no latency"
NO_EXTREMES = "a fluid has one latency a stream, and no extremes of single packets"
NO_OFFERED = (
    "neither the time that this counter ran nor an offered count beside it is printed;"
    " the rate beside it is compared"
)
#: Quantities that no model gives: pattern and reason.
UNREAD = {
    r"average_latency": "a bound on the averages of all classes, which are compared one by one",
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
    whole : bool
        Whether the result is a replay of the whole published run.
    """

    platform: ModuleType
    experiment: Experiment
    result: Result
    given: Mapping[tuple[str, str, str], float]
    stream: str = ""
    whole: bool = False

    @property
    def platform_name(self) -> str:
        """File stem of the platform."""
        return self.platform.__name__.rpartition(".")[-1]

    def of(self, stream: str) -> "View":
        """The same result seen from another stream."""
        return dataclasses.replace(self, stream=stream)

    @property
    def meant(self) -> tuple[str, ...]:
        """The streams that are meant."""
        alone = (self.stream,) if self.stream else self.result.streams
        named = self.experiment.groups.get(self.stream, alone)
        return tuple(name for name in named if name in self.result.streams)

    def each(self, quantity: str) -> list[float]:
        """A quantity of the result, for each stream that is meant."""
        if not self.meant:
            raise UnspokenError(f"the model has no stream {self.stream!r}")
        values = [(name, self.result.of(name, quantity)) for name in self.meant]
        for name, value in values:
            if value is None:
                raise UnspokenError(self.result.without_latency.get(name, NOTHING_SENT))
        return [value for _, value in values if value is not None]

    def mean(self, quantity: str) -> float:
        """A latency, each sent packet counting once."""
        latencies, sent = self.each(quantity), self.each("sent_pps")
        return sum(map(mul, latencies, sent)) / sum(sent) if len(sent) > 1 else latencies[0]

    def extreme(self, quantity: str, which: Callable[[list[float]], float]) -> float:
        """The largest or least latency; one that a tester timed takes a model with packets."""
        if self.experiment.timed and self.result.seed is None:
            raise UnspokenError(NO_EXTREMES)
        return which(self.each(quantity))

    def total(self, quantity: str) -> float:
        """A quantity of the result, summed over the streams that are meant."""
        return sum(self.each(quantity))

    def bits(self, quantity: str) -> float:
        """A packet rate as the bit rate that the source counts [bit/s]."""
        extra, streams = self.experiment.counted_extra_bytes, self.experiment.streams
        frames = {s.name: s.mean_frame_bytes + extra for s in streams}
        sizes = [frames[name] for name in self.meant]
        return sum(map(units.rate_bps, self.each(quantity), sizes))

    def printed(self, quantity: str) -> float | None:
        """A published input for the streams that are meant, None where it is not printed."""
        name = self.experiment.name
        if (name, self.stream, quantity) in self.given:
            return self.given[name, self.stream, quantity]
        parts = [self.given.get((name, stream, quantity)) for stream in self.meant]
        return None if None in parts else sum(part for part in parts if part is not None)

    def count(self, rate_pps: float, offered: str) -> float:
        """A packet rate as a share of the offered one, times the published offered count."""
        counted = self.printed(offered)
        if counted is None:
            raise UnspokenError(NO_OFFERED)
        return rate_pps / self.total("offered_pps") * counted if counted else rate_pps

    def loss(self) -> float:
        """Dropped packets a packet offered."""
        return self.total("dropped_pps") / self.total("offered_pps")

    def of_payload(self) -> float:
        """What is sent, as a share of the payload rate that the source prints."""
        payload = [value for (*_, name), value in self.given.items() if name == "payload_rate"]
        if not payload:
            raise UnspokenError("no payload rate is printed")
        return self.total("sent_bps") / payload[0]

    def loss_free(self) -> float:
        """The largest load without loss, if this is what the result is of [bit/s]."""
        if self.experiment.ramp is None:
            raise UnspokenError("no load was raised in this experiment")
        return self.total("offered_bps")

    def tail(self) -> float:
        """Packets dropped at the tail [packets/s]."""
        by_tail = self.result.dropped_by_pps.get("tail")
        at = [self.result.streams.index(name) for name in self.meant]
        return 0.0 if by_tail is None else float(by_tail[at].sum())

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
    "latency_average": Reading("s", "latency", lambda view: view.mean("latency_mean_s")),
    "latency_maximum": Reading("s", "latency", lambda view: view.extreme("latency_max_s", max)),
    "latency_minimum": Reading("s", "latency", lambda view: view.extreme("latency_min_s", min)),
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
    "drop_ratio": Reading("1", "dropped", lambda view: view.loss()),
    "payload_share": Reading("1", "carried", lambda view: view.of_payload()),
    "loss_free_rate": Reading("bit/s", "loss_free", lambda view: view.loss_free()),
    "loss_free_share": Reading(
        "1", "loss_free", lambda view: view.loss_free() / view.of("").total("sent_bps")
    ),
}


def reading(quantity: str, unit: str = "") -> Reading:
    """How to read a quantity; one that is printed as a bit rate is read as one.

    Raises
    ------
    UnspokenError
        If no model gives it.
    """
    in_bits = READINGS.get(f"{quantity}_bits")
    if in_bits is not None and unit in units.UNITS and units.UNITS[unit][0] == "data rate":
        return in_bits
    if quantity not in READINGS:
        reasons = (why for pattern, why in UNREAD.items() if re.fullmatch(pattern, quantity))
        raise UnspokenError(next(reasons, "no model gives this quantity"))
    return READINGS[quantity]
