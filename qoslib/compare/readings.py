"""What a model's result says about a published quantity."""

import re
from collections.abc import Callable
from typing import NamedTuple

from qoslib import units
from qoslib.compare.view import UnspokenError, View

__all__ = ["READINGS", "UNREAD", "Reading", "UnspokenError", "View", "reading"]

#: Quantities that no model gives: pattern and reason.
UNREAD = {
    r"average_latency": "a bound on the averages of all classes, which are compared one by one",
    r"dropped_((packets|bytes|bits)_)?(low|medium_low|medium_high|high)": "no model marks packets"
    " with a loss priority; the queue's total, which these counters split, is compared",
    r"sender_.*": "the sender's own line, printed before it can know of a loss",
    r"jitter": "a running estimate by the receiver's clock (RFC 3550) at the last datagram: it"
    " tells of the sender's bursts as much as of the router",
    r"queue_depth|(input|output)_(rate|bits)": "read after the traffic had ended",
    r"dropped_bits_5_minutes": "an average that decays over five minutes, read at an unknown time",
    r"(ipv6|stp)_.*": "of traffic and of a state that the test does not have",
    r"(input|output|mac|pcs|fec)_.*": "of faulty or unusual frames, or of faults of the line,"
    " which no model has",
}


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


def _dropped_by(cause):
    return lambda view: view.count(view.dropped_by(cause), "offered_packets")


def _leaving(quantity, offered):
    return lambda view: view.count(view.leaving().total(quantity), offered)


READINGS = {
    "latency_average": Reading("s", "latency", lambda view: view.mean("delay_mean_s")),
    "latency_maximum": Reading("s", "latency", lambda view: view.extreme("delay_max_s", max)),
    "latency_minimum": Reading("s", "latency", lambda view: view.extreme("delay_min_s", min)),
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
    "dropped_packets": Reading("packets", "dropped", lambda view: view.dropped()),
    "dropped_bytes": Reading("B", "dropped", _count("dropped_pps", "offered_bytes")),
    "tail_dropped": Reading("packets/s", "dropped", lambda view: view.dropped_by("tail")),
    "tail_dropped_packets": Reading("packets", "dropped", _dropped_by("tail")),
    # iperf3: payload, by the receiver's interval.
    "throughput": Reading("bit/s", "carried", lambda view: view.throughput()),
    "received_bytes": Reading("B", "carried", lambda view: view.octets(view.total("sent_pps"))),
    "drop_ratio": Reading("1", "dropped", lambda view: view.drop_ratio()),
    "payload_share": Reading("1", "carried", lambda view: view.of_payload()),
    "loss_free_rate": Reading("bit/s", "loss_free", lambda view: view.loss_free()),
    "loss_free_share": Reading(
        "1", "loss_free", lambda view: view.loss_free() / view.of("").total("sent_bps")
    ),
    # A policy's classes (IOS), an interface and its MAC (Junos).
    "queue_dropped_packets": Reading(
        "packets", "dropped", _count("dropped_pps", "offered_packets")
    ),
    "exceed_dropped_packets": Reading("packets", "dropped", _dropped_by("policer")),
    "no_buffer_dropped_packets": Reading("packets", "dropped", _dropped_by("pool")),
    "input_packets": Reading("packets", "carried", _count("sent_pps", "offered_packets")),
    "input_bytes": Reading("B", "carried", lambda view: view.octets(view.total("sent_pps"))),
    "input_drops": Reading("packets", "dropped", _count("dropped_pps", "offered_packets")),
    "output_packets": Reading("packets", "carried", _leaving("sent_pps", "offered_packets")),
    "output_bytes": Reading("B", "carried", lambda view: view.output_bytes()),
    "output_drops": Reading("packets", "dropped", lambda view: view.output_drops()),
    "mac_transmitted_packets": Reading(
        "packets", "carried", _leaving("sent_pps", "offered_packets")
    ),
    "mac_transmitted_unicast_packets": Reading(
        "packets", "carried", _leaving("sent_pps", "offered_packets")
    ),
    "mac_transmitted_octets": Reading("B", "carried", lambda view: view.mac_octets()),
    "mac_transmitted_pause_frames": Reading("packets", "dropped", lambda view: view.pause_frames()),
    "mac_transmitted_control_frames": Reading(
        "packets", "dropped", lambda view: view.pause_frames()
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
