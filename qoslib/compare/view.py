"""One result of a model as seen from one published value."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import mul
from types import ModuleType

from qoslib import units
from qoslib.platforms.provenance import Experiment
from qoslib.port import Chain
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["UnspokenError", "View"]

NOTHING_SENT = "the model sends nothing of this stream, so it has no latency"
NO_OFFERED = (
    "neither the time that this counter ran nor an offered count beside it is printed;"
    " the rate beside it is compared"
)
NOTHING_OFFERED = "nothing of this stream is offered"
NO_EXTREMES = "a fluid has one latency a stream, and no extremes of single packets"
MANY_RUNS = "several runs together have no one throughput"
NO_STREAM = "not of the test's traffic: the experiment has no such stream"
NO_PAUSE_COUNT = "how many PAUSE frames are sent follows from fill levels that no source prints"
#: Names of the counters of the same load, by source: packets and bytes.
OFFERED = {
    "offered_packets": ("offered_packets", "class_packets", "mac_received_packets"),
    "offered_bytes": ("offered_bytes", "class_bytes", "mac_received_octets"),
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
    def streams(self) -> list[Stream]:
        """The descriptions of the streams that are meant."""
        if not self.meant:
            raise UnspokenError(NO_STREAM)
        return [stream for stream in self.experiment.streams if stream.name in self.meant]

    def leaving(self) -> "View":
        """The same result seen from the stream that leaves by this one's port."""
        return self.of(getattr(self.platform, "LEAVES_BY", {}).get(self.stream, self.stream))

    @property
    def meant(self) -> tuple[str, ...]:
        """The streams that are meant."""
        alone = (self.stream,) if self.stream else self.result.streams
        named = self.experiment.groups.get(self.stream, alone)
        return tuple(name for name in named if name in self.result.streams)

    def each(self, quantity: str) -> list[float]:
        """A quantity of the result, for each stream that is meant."""
        if not self.meant:
            raise UnspokenError(NO_STREAM)
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

    def counted_bytes(self) -> list[float]:
        """What the source counts of a frame of each stream [B]."""
        extra = self.experiment.counted_extra_bytes
        return [stream.mean_frame_bytes + extra for stream in self.streams]

    def throughput(self) -> float:
        """Bits that came through, by the time that the source prints or else the sender's [bit/s].

        The time of a run that is not printed is that of its sending.
        """
        names = (self.stream,) if self.stream else self.meant
        return sum(self.of(name)._throughput() for name in names)

    def _throughput(self):
        time_s = self.given.get((self.experiment.name, self.stream, "duration"))
        if time_s is not None and self.printed("offered_packets") is not None:
            return units.bits(self.octets(self.total("sent_pps"))) / time_s
        stream, duration_s = self.streams[0], self.result.duration_s
        if stream.stop_s is None or duration_s is None:
            return self.bits("sent_pps")
        if len(self.streams) > 1:
            raise UnspokenError(MANY_RUNS)
        return self.bits("sent_pps") * duration_s / (stream.stop_s - stream.start_s)

    def octets(self, rate_pps: float) -> float:
        """A packet rate as the bytes that the source counts, of the published offered packets."""
        return self.count(rate_pps, "offered_packets") * self.counted_bytes()[0]

    def count(self, rate_pps: float, offered: str) -> float:
        """A packet rate as a share of the offered one, times the published offered count."""
        counted = self.printed(offered)
        if counted is None:
            raise UnspokenError(NO_OFFERED)
        return rate_pps / self.total("offered_pps") * counted if counted else rate_pps

    def printed(self, quantity: str) -> float | None:
        """A published input for the streams that are meant, None where it is not printed."""
        names = OFFERED.get(quantity, (quantity,))
        found = [self._given(self.stream, name) for name in names]
        found += [self._sum([self._given(s, name) for s in self.meant]) for name in names]
        return next((value for value in found if value is not None), None)

    def _given(self, stream, quantity):
        return self.given.get((self.experiment.name, stream, quantity))

    @staticmethod
    def _sum(parts):
        return None if not parts or None in parts else sum(parts)

    def dropped_by(self, cause: str) -> float:
        """Packets dropped for a cause [packets/s]."""
        dropped_pps = self.result.dropped_by_pps.get(cause)
        places = [self.result.streams.index(stream.name) for stream in self.streams]
        return 0.0 if dropped_pps is None else float(sum(dropped_pps[..., i] for i in places))

    def loss(self) -> float:
        """Dropped packets a packet offered."""
        offered_pps = self.total("offered_pps")
        if not offered_pps:
            raise UnspokenError(NOTHING_OFFERED)
        return self.total("dropped_pps") / offered_pps

    def output_bytes(self) -> float:
        """Bytes that left: as a class counts them, or as the source counts a frame."""
        sent_pps = self.leaving().total("sent_pps")
        of_a_class = self.printed("class_bytes") is not None
        return self.count(sent_pps, "class_bytes") if of_a_class else self.octets(sent_pps)

    def output_drops(self) -> float:
        """Packets dropped where they leave."""
        return self.count(self.leaving().dropped_last(), "offered_packets")

    def dropped_last(self) -> float:
        """Packets dropped at the last hop that the streams pass [packets/s]."""
        hops = [hop for hop in self.result.hops if self.streams[0].name in hop.streams]
        last = dataclasses.replace(self, result=hops[-1]) if hops else self
        return last.total("dropped_pps")

    def mac_octets(self) -> float:
        """Bytes that the MAC sent, told only where no PAUSE frames are among them."""
        of_pause = self.pause_frames()
        return of_pause + self.count(self.leaving().total("sent_pps"), "offered_bytes")

    def pause_frames(self) -> float:
        """PAUSE frames sent: none where the description has none."""
        port = self.experiment.port
        places = [hop.at for hop in port.hops] if isinstance(port, Chain) else [port]
        if any(place.pause for place in places):
            raise UnspokenError(NO_PAUSE_COUNT)
        return 0.0

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

    def ratio(self, name: str) -> float:
        """The ratio of two streams that the platform declares under this name."""
        quantity, *streams = self.platform.RATIOS[name]
        above, below = (self.of(stream).total(quantity) for stream in streams)
        if not below:
            raise UnspokenError(f"the model has no {quantity} of {streams[1]} to divide by")
        return above / below
