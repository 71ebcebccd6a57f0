"""How each published quantity is read off a model's result, and which no model gives."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import mul
from typing import NamedTuple

from qoslib import units
from qoslib.flows import Flow
from qoslib.platforms import Experiment, Platform
from qoslib.port import Chain, Switch
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = [
    "NO_STREAM",
    "OFFERED",
    "OWN",
    "READINGS",
    "UNREAD",
    "NotModelledError",
    "Reading",
    "View",
    "reading",
]

#: Name of the platform of measurements of one's own.
OWN = "own"
NO_STREAM = "not of the test's traffic: the experiment has no such stream"
NOTHING_OFFERED = "nothing of this stream is offered, so it has no share that is lost"
#: Names of the counters of the same load, by source: packets and bytes.
OFFERED = {
    "offered_packets": ("offered_packets", "class_packets", "mac_received_packets"),
    "offered_bytes": ("offered_bytes", "class_bytes", "mac_received_octets"),
}


class NotModelledError(Exception):
    """Raised by a reading when the model does not speak to a value, with the reason."""


@dataclass(frozen=True)
class View:
    """One result as seen from one published value.

    Attributes
    ----------
    platform : Platform
    experiment : Experiment
    result : Result
    given : mapping
        Published inputs in base units, by experiment, stream and quantity.
    stream : str
        Empty for all streams together.
    whole : bool
        Whether the result is a replay of the whole published run.
    """

    platform: Platform
    experiment: Experiment
    result: Result
    given: Mapping[tuple[str, str, str], float]
    stream: str = ""
    whole: bool = False

    def of(self, stream: str) -> "View":
        """The same result seen from another stream."""
        return dataclasses.replace(self, stream=stream)

    @property
    def flows(self) -> list[Flow]:
        """The TCP connections that are meant, by their name or mark.

        All of them where all streams are: what routers and hosts report about a TCP test is taken
        as about TCP, not the background.
        """
        each = (flow for host in self.experiment.hosts for flow in host.flows)
        return [flow for flow in each if self.stream in ("", flow.name, flow.label)]

    @property
    def streams(self) -> list[Stream]:
        """The streams that are meant, by their name or mark, or that of a group of them."""
        group = self.experiment.groups.get(self.stream, ())
        mine = [
            s
            for s in self.experiment.streams
            if self.stream in ("", s.name, s.label) or s.name in group
        ]
        if not mine:
            raise NotModelledError(NO_STREAM)
        return mine

    def leaving(self) -> "View":
        """The same result seen from the stream that leaves by this one's port."""
        return self.of(self.platform.leaves_by.get(self.stream, self.stream))

    def each(self, quantity: str) -> list[float]:
        """A quantity of the result, for each stream that is meant."""
        values = []
        for stream in self.flows or self.streams:
            value = getattr(self.result[stream.name], quantity)
            if value is None:
                none = "the model sends nothing of this stream, so it has no latency"
                raise NotModelledError(self.result.without_delay.get(stream.name, none))
            values.append(value * self._drained(quantity))
        return values

    def _drained(self, quantity: str) -> float:
        """What turns a rate over a whole replay into one over the time of its sending."""
        duration_s, whole_s = self.result.duration_s, self.experiment.whole_s
        if not self.whole or duration_s is None or whole_s is None:
            return 1.0
        return duration_s / whole_s if quantity.endswith(("_pps", "_bps")) else 1.0

    def mean(self, quantity: str) -> float:
        """A latency, each sent packet counting once."""
        latencies, sent = self.each(quantity), self.each("sent_pps")
        return sum(map(mul, latencies, sent)) / sum(sent) if len(sent) > 1 else latencies[0]

    def quantile(self, share: float) -> float:
        """The delay that this share of the packets of all streams that are meant do not exceed."""
        delays = self.result.histogram
        if delays is None:
            raise NotModelledError("a fluid has one latency a stream, and no percentiles")
        names = [stream.name for stream in self.flows or self.streams]
        at = [self.result.streams.index(name) for name in names]
        ends = [float(f(self.each(q))) for f, q in ((min, "delay_min_s"), (max, "delay_max_s"))]
        together = dataclasses.replace(delays, counts=delays.counts[at].sum(axis=0)[None])
        return min(max(float(together.quantile_s(share)[0]), ends[0]), ends[1])

    def round_trip(self, waiting_s: Callable[["View"], float]) -> float:
        """A round trip of a TCP connection: what its path takes, and the wait at the port."""
        if not self.flows:
            raise NotModelledError("no path is described: only a TCP flow has a round trip")
        if len({flow.round_trip_s for flow in self.flows}) > 1:
            raise NotModelledError("the flows that are meant have different round trips")
        return self.flows[0].round_trip_s + waiting_s(self)

    def retransmits(self) -> float:
        """Segments sent again, in as long as was measured."""
        if self.result.tcp is None or not self.flows:
            raise NotModelledError("the model has no TCP, which alone sends again")
        duration_s = self.result.duration_s
        measured_s = self.given.get((self.experiment.name, self.stream, "duration"), duration_s)
        if not duration_s or not measured_s:
            raise NotModelledError("over how long this was counted is not known")
        return self.total("retransmitted") / duration_s * measured_s

    def extreme(self, quantity: str, which: Callable[[list[float]], float]) -> float:
        """The largest or least latency; one that a tester timed takes a model with packets."""
        steady = self.platform.name == OWN and self.result.duration_s is None
        if self.result.seed is None and (self.experiment.timed or steady):
            raise NotModelledError(
                "a fluid has one latency a stream, and no extremes of single packets"
            )
        return which(self.each(quantity))

    def total(self, quantity: str) -> float:
        """A quantity of the result, summed over the streams that are meant."""
        return sum(self.each(quantity))

    def bits(self, quantity: str) -> float:
        """A packet rate as the bit rate that the source counts [bit/s]."""
        return sum(map(units.rate_bps, self.each(quantity), self.counted_bytes()))

    def counted_bytes(self) -> list[float]:
        """What the source counts of a frame of each stream [B]."""
        extra = self.experiment.counted_extra_bytes
        return [stream.mean_frame_bytes + extra for stream in self.streams]

    def payload_bytes(self) -> list[float]:
        """What the source counts of a frame as payload: as it says, or else all it counts [B]."""
        for stream in (self.stream, ""):
            payload = self.given.get((self.experiment.name, stream, "payload_size"))
            if payload is not None:
                return [payload] * len(self.streams)
        return self.counted_bytes()

    def throughput(self) -> float:
        """Bits that came through, by the published time or else the sender's [bit/s].

        Without a published time, the time of a run is that of its sending.
        """
        if self.flows:
            return self.goodput_bps()
        labels = [self.stream] if self.stream else {s.label: None for s in self.streams}
        return sum(self.of(label)._throughput() for label in labels)

    def goodput_bps(self) -> float:
        """Payload that the receivers got, as iperf counts it [bit/s]."""
        record = self.result.tcp
        if record is None:
            raise NotModelledError("the model has no TCP")
        return sum(float(record.goodput_bps[record.flows.index(f.name)]) for f in self.flows)

    def dropped(self) -> float:
        """Packets dropped: of a TCP run as they are, else of the published offered count."""
        if self.flows and self.result.duration_s is not None:
            return self.total("dropped_pps") * self.result.duration_s
        return self.count(self.total("dropped_pps"))

    def _throughput(self) -> float:
        time_s = self.given.get((self.experiment.name, self.stream, "duration"))
        if time_s == 0:
            raise NotModelledError("the published duration is 0")
        if time_s is not None and self.counted("offered_packets") is not None:
            return units.bits(self.octets()) / time_s
        stream, duration_s = self.streams[0], self.result.duration_s
        sent_bps = sum(map(units.rate_bps, self.each("sent_pps"), self.payload_bytes()))
        if stream.stop_s is None or duration_s is None:
            return sent_bps
        if len(self.streams) > 1:
            raise NotModelledError("several runs together have no one throughput")
        return sent_bps * duration_s / (stream.stop_s - stream.start_s)

    def octets(self) -> float:
        """What is sent, as the bytes that the source counts of the published offered packets."""
        return self.count(self.total("sent_pps")) * self.payload_bytes()[0]

    def count(self, rate_pps: float, offered: str = "offered_packets") -> float:
        """A packet rate as a share of the offered one, times the published offered count."""
        counted = self.counted(offered)
        if counted is None:
            raise NotModelledError(
                "neither the time that this counter ran nor an offered count is published with it;"
                " the rate is compared instead"
            )
        offered_pps = self.total("offered_pps")
        if counted and not offered_pps:
            raise NotModelledError(NOTHING_OFFERED)
        return rate_pps / offered_pps * counted if counted else rate_pps

    def counted(self, offered: str) -> float | None:
        """The published offered count of the stream, or the sum of those of a group."""
        for name in OFFERED.get(offered, (offered,)):
            if (key := (self.experiment.name, self.stream, name)) in self.given:
                return self.given[key]
        if self.stream not in self.experiment.groups:
            return None
        parts = [self.of(stream.name).counted(offered) for stream in self.streams]
        return None if None in parts else sum(part for part in parts if part is not None)

    def dropped_by(self, cause: str) -> float:
        """Packets dropped for a cause [packets/s]."""
        dropped_pps = self.result.dropped_by_pps.get(cause)
        places = [self.result.streams.index(stream.name) for stream in self.streams]
        if dropped_pps is None:
            return 0.0
        return float(sum(dropped_pps[..., i] for i in places)) * self._drained("dropped_pps")

    def dropped_at_random(self) -> float:
        """Packets dropped by RED or by a drop profile [packets/s]."""
        return self.dropped_by("red") + self.dropped_by("profile")

    def drop_ratio(self) -> float:
        """What is dropped of what is offered [ratio]."""
        offered_pps = self.total("offered_pps")
        if not offered_pps:
            raise NotModelledError(NOTHING_OFFERED)
        return self.total("dropped_pps") / offered_pps

    def payload_share(self) -> float:
        """What is sent, as a share of the published payload rate [ratio]."""
        payload = [value for (*_, name), value in self.given.items() if name == "payload_rate"]
        if not payload or not payload[0]:
            raise NotModelledError("no payload rate is published, or one of 0")
        return self.total("sent_bps") / payload[0]

    def loss_free(self) -> float:
        """The largest load without loss, if this is what the result is of [bit/s]."""
        if self.experiment.ramp is None:
            raise NotModelledError("no load was raised in this experiment")
        return self.total("offered_bps")

    def output(self, offered: str = "offered_packets") -> float:
        """What leaves by this one's port, of a published count of packets or bytes."""
        return self.count(self.leaving().total("sent_pps"), offered)

    def output_bytes(self) -> float:
        """Bytes that left: as a class counts them, or as the source counts a frame."""
        if self.counted("class_bytes") is not None:
            return self.output("class_bytes")
        return self.output() * self.counted_bytes()[0]

    def dropped_last(self) -> float:
        """Packets dropped at the last hop that the streams pass [packets/s]."""
        hops = [hop for hop in self.result.hops if self.streams[0].name in hop.streams]
        last = dataclasses.replace(self, result=hops[-1]) if hops else self
        return last.total("dropped_pps")

    def pause_frames(self) -> float:
        """PAUSE frames sent: none where the description has none."""
        port = self.experiment.port
        places = [hop.at for hop in port.hops] if isinstance(port, Chain | Switch) else [port]
        if any(place.pause for place in places):
            raise NotModelledError(
                "how many PAUSE frames are sent follows from fill levels that no source gives"
            )
        return 0.0

    def ratio(self, name: str) -> float:
        """The ratio of two streams that the platform declares under this name."""
        if name not in self.platform.ratios:
            raise NotModelledError(
                "of which two streams this is the ratio is declared for published platforms alone"
            )
        quantity, *streams = self.platform.ratios[name]
        above, below = (self.of(stream).total(quantity) for stream in streams)
        if not below:
            raise NotModelledError(f"the model has no {quantity} of {streams[1]} to divide by")
        return above / below


#: Quantities that no model gives: pattern and reason.
UNREAD = {
    r"average_latency": "a bound on the averages of all classes, which are compared one by one",
    r"dropped_((packets|bytes|bits)_)?(low|medium_low|medium_high|high)": "no model marks packets"
    " with a loss priority; the queue's total, which these counters split, is compared",
    r"sender_.*": "the sender's own line, written before it can know of a loss",
    r"jitter": "a running estimate by the receiver's clock (RFC 3550) at the last datagram: it"
    " tells of the sender's bursts as much as of the router",
    r"queue_high_watermark": "the largest since the counters were cleared, over an unknown time",
    r"smoothed_queue_depth": "an average that decays, read at an unknown time",
    r"queue_depth": "one look at a queue at one moment, which no mean and no maximum is",
    r"(input|output)_(rate|bits)": "read after the traffic had ended",
    r"dropped_bits_5_minutes": "an average that decays over five minutes, read at an unknown time",
    r"dropped_bits_(\d+_(seconds?|minutes?)|interval)": "an average that decays over the load"
    " interval, read at an unknown time; two readings give a rate (telemetry.rates)",
    r"red_dropped(_.*)?": "Junos counts drops at a queue's head here too; the total is compared",
    r"datagram_.*": "of UDP datagrams that travel in fragments: one lost fragment loses all of it",
    r"smoothed_round_trip_(maximum|minimum)": "of the sender's running mean, read once per report",
    r"flow_dropped_packets": "no model counts the drops of a fair queue's flows apart",
    r"(ipv6|stp)_.*": "of traffic and of a state that the test does not have",
    r"(input|output|mac|pcs|fec)_.*": "of faulty or unusual frames, or of faults of the line,"
    " which no model has",
}


class Reading(NamedTuple):
    """How to read a quantity: base unit, kind of tolerance, and the function of a `View`."""

    unit: str
    kind: str
    read: Callable[[View], float]


#: By quantities that are read alike, with blanks between.
_READINGS: dict[str, Reading] = {
    "latency_average": Reading("s", "latency", lambda v: v.mean("delay_mean_s")),
    "latency_maximum": Reading("s", "latency", lambda v: v.extreme("delay_max_s", max)),
    "latency_minimum": Reading("s", "latency", lambda v: v.extreme("delay_min_s", min)),
    "latency_p50": Reading("s", "latency", lambda v: v.quantile(0.50)),
    "latency_p95": Reading("s", "latency", lambda v: v.quantile(0.95)),
    "latency_p99": Reading("s", "latency", lambda v: v.quantile(0.99)),
    "round_trip_average smoothed_round_trip_average": Reading(
        "s", "latency", lambda v: v.round_trip(lambda w: w.mean("delay_mean_s"))
    ),
    "round_trip_p50": Reading("s", "latency", lambda v: v.round_trip(lambda w: w.quantile(0.50))),
    "round_trip_p95": Reading("s", "latency", lambda v: v.round_trip(lambda w: w.quantile(0.95))),
    "round_trip_p99": Reading("s", "latency", lambda v: v.round_trip(lambda w: w.quantile(0.99))),
    "round_trip_maximum": Reading(
        "s", "latency", lambda v: v.round_trip(lambda w: w.extreme("delay_max_s", max))
    ),
    "round_trip_minimum": Reading(
        "s", "latency", lambda v: v.round_trip(lambda w: w.extreme("delay_min_s", min))
    ),
    "retransmits": Reading("packets", "dropped", View.retransmits),
    "sent": Reading("packets/s", "carried", lambda v: v.total("sent_pps")),
    "sent_bits in_service": Reading("bit/s", "carried", lambda v: v.bits("sent_pps")),
    "sent_packets input_packets": Reading(
        "packets", "carried", lambda v: v.count(v.total("sent_pps"))
    ),
    "sent_bytes": Reading("B", "carried", lambda v: v.count(v.total("sent_pps"), "offered_bytes")),
    # Head drops and RED drops are one counter on these routers; tail drops have their own below.
    "dropped drop_rate": Reading("packets/s", "dropped", lambda v: v.total("dropped_pps")),
    "drop_rate_ratio": Reading("1", "dropped", lambda v: v.ratio("drop_rate_ratio")),
    "dropped_bits": Reading("bit/s", "dropped", lambda v: v.bits("dropped_pps")),
    "dropped_packets": Reading("packets", "dropped", View.dropped),
    "dropped_bytes": Reading(
        "B", "dropped", lambda v: v.count(v.total("dropped_pps"), "offered_bytes")
    ),
    "tail_dropped": Reading("packets/s", "dropped", lambda v: v.dropped_by("tail")),
    "tail_dropped_packets": Reading("packets", "dropped", lambda v: v.count(v.dropped_by("tail"))),
    # iperf3: payload, by the receiver's interval.
    "throughput": Reading("bit/s", "carried", View.throughput),
    "received_bytes input_bytes": Reading("B", "carried", View.octets),
    "drop_ratio": Reading("1", "dropped", View.drop_ratio),
    "payload_share": Reading("1", "carried", View.payload_share),
    "loss_free_rate": Reading("bit/s", "loss_free", View.loss_free),
    "loss_free_share": Reading(
        "1", "loss_free", lambda v: v.loss_free() / v.of("").total("sent_bps")
    ),
    # A policy's classes (IOS), an interface and its MAC (Junos).
    "queue_dropped_packets input_drops": Reading(
        "packets", "dropped", lambda v: v.count(v.total("dropped_pps"))
    ),
    "exceed_dropped": Reading("packets/s", "dropped", lambda v: v.dropped_by("policer")),
    "no_buffer_dropped": Reading("packets/s", "dropped", lambda v: v.dropped_by("pool")),
    "queue_dropped_bytes": Reading(
        "B", "dropped", lambda v: v.count(v.total("dropped_pps"), "offered_bytes")
    ),
    "exceed_dropped_bytes": Reading(
        "B", "dropped", lambda v: v.count(v.dropped_by("policer"), "offered_bytes")
    ),
    "tail_dropped_bytes": Reading(
        "B", "dropped", lambda v: v.count(v.dropped_by("tail"), "offered_bytes")
    ),
    "random_dropped_bytes": Reading(
        "B", "dropped", lambda v: v.count(v.dropped_at_random(), "offered_bytes")
    ),
    "random_dropped": Reading("packets/s", "dropped", lambda v: v.dropped_at_random()),
    "random_dropped_packets": Reading(
        "packets", "dropped", lambda v: v.count(v.dropped_at_random())
    ),
    "exceed_dropped_packets": Reading(
        "packets", "dropped", lambda v: v.count(v.dropped_by("policer"))
    ),
    "no_buffer_dropped_packets": Reading(
        "packets", "dropped", lambda v: v.count(v.dropped_by("pool"))
    ),
    "output_packets mac_transmitted_packets mac_transmitted_unicast_packets": Reading(
        "packets", "carried", View.output
    ),
    "output_bytes": Reading("B", "carried", View.output_bytes),
    "output_drops": Reading("packets", "dropped", lambda v: v.count(v.leaving().dropped_last())),
    # Known only where no PAUSE frames are among what the MAC sent.
    "mac_transmitted_octets": Reading(
        "B", "carried", lambda v: v.pause_frames() + v.output("offered_bytes")
    ),
    "mac_transmitted_pause_frames mac_transmitted_control_frames": Reading(
        "packets", "dropped", View.pause_frames
    ),
}
#: By quantity.
READINGS = {name: how for names, how in _READINGS.items() for name in names.split()}


def reading(quantity: str, unit: str = "") -> Reading:
    """How to read a quantity; one that is published as a bit rate is read as one."""
    in_bits = READINGS.get(f"{quantity}_bits")
    if in_bits is not None and unit in units.UNITS and units.UNITS[unit][0] == "data rate":
        return in_bits
    if quantity not in READINGS:
        reasons = (why for pattern, why in UNREAD.items() if re.fullmatch(pattern, quantity))
        raise NotModelledError(next(reasons, "no model gives this quantity"))
    return READINGS[quantity]
