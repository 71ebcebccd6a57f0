"""How each published quantity is read off a model's result, and which quantities no model gives."""

import re
from collections.abc import Callable
from typing import NamedTuple

from qoslib import units
from qoslib.compare.observe import NotModelledError, View

__all__ = ["READINGS", "UNREAD", "Reading", "reading"]

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
