"""iperf3 with ``--json`` or ``--json-stream``: versions 3.0 to 3.20, TCP, UDP and SCTP."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from qoslib.telemetry.document import Node, Number, documents
from qoslib.telemetry.values import Values, short

__all__ = ["read"]

#: Headers of an IP packet and of UDP [B] (RFC 791, 8200 and 768).
IPV4_BYTES, IPV6_BYTES, UDP_BYTES = 20, 40, 8
#: A fragment but the last carries a multiple of so many bytes (RFC 791, section 3.2).
FRAGMENT_BYTES = 8
#: What ``--bidir`` calls the sums of the other direction, and the stream that they are here.
DIRECTIONS = {"": "", "_bidir_reverse": "reverse"}


def read(text: str, values: Values, mtu_bytes: int = 1500) -> None:
    """Add what a client or a server measured; of several tests each is an experiment."""
    tests = [*_tests(documents(text, values.file))]
    for number, test in enumerate(tests, 1):
        experiment = values.experiment(f"test {number}") if len(tests) > 1 else "own"
        error, before = test.text("error"), len(values)
        _test(test, values, experiment, mtu_bytes)
        if error and len(values) == before and len(tests) == 1:
            allowed = "the output of a test that ran"
            raise values.error(
                f"iperf3 measured nothing, it says {short(error)}; allowed: {allowed}"
            )
        if error:
            which = f"Test {number}" if len(tests) > 1 else "The test"
            values.note(f"{which} ended with an error: {error}.")


def _tests(found: Iterable[Node]) -> Iterator[Node]:
    """One object a test; the events of ``--json-stream`` are joined."""
    events: dict[str, Any] = {}
    for node in found:
        event = node.text("event")
        if not event:
            yield node
            continue
        data = node.get("data")
        if event in ("start", "end", "error") and data is not None:
            events[event] = data.value
        if event in ("end", "error"):
            yield Node(node.file, node.path, events)
            events = {}


def _test(test: Node, values: Values, experiment: str, mtu_bytes: int) -> None:
    end = test.get("end")
    if end is None:
        return
    if float(test.number("start", "test_start", "reverse") or 0):
        values.note("The server sent (-R): the values are of the direction from it.")
    if float(test.number("start", "test_start", "omit") or 0):
        values.note("The first seconds were omitted (-O): the sums do not hold them.")
    udp = _is_udp(test, end)
    for suffix, stream in DIRECTIONS.items():
        sent, received = end.get(f"sum_sent{suffix}"), end.get(f"sum_received{suffix}")
        both = end.get(f"sum{suffix}")
        if udp and (received or both):
            _udp(test, sent, received, both, values, experiment, stream, mtu_bytes)
        elif not udp and (sent or received):
            _tcp(test, sent, received, values, experiment, stream)


def _is_udp(test: Node, end: Node) -> bool:
    named = test.text("start", "test_start", "protocol").upper()
    return named == "UDP" or (not named and end.at("sum", "lost_packets") is not None)


def _tcp(
    test: Node,
    sent: Node | None,
    received: Node | None,
    values: Values,
    experiment: str,
    stream: str,
) -> None:
    """What the receiver got; retransmissions are counted by the sender alone."""
    best = received if received and received.get("bits_per_second") else sent
    if best is None:
        return
    seconds = best.number("seconds")
    over_s = float(seconds) if seconds else None
    measured: dict[str, Any] = {"interval_s": over_s, "experiment": experiment}
    if rate := best.number("bits_per_second"):
        quantity = "throughput" if best is received else "sender_throughput"
        exact: dict[str, Any] = {"statistic": "average", "half_width": None, **measured}
        values.add(stream, quantity, rate.value, "bit/s", rate.path, **exact)
    if seconds:
        _input(values, experiment, stream, "duration", seconds, "s", "unspecified")
    if sent and (again := sent.number("retransmits")):
        values.add(stream, "retransmits", again.value, "packets", again.path, **measured)
    if segment := test.number("start", "tcp_mss_default"):
        _input(values, experiment, stream, "payload_size", segment, "B", "configured")
    if not stream:
        _round_trips(test, values, measured)


def _round_trips(test: Node, values: Values, measured: dict[str, Any]) -> None:
    """The sender's running mean of the round trip, as it was at each report."""
    senders = [each.get("sender") for each in (test.at("end", "streams") or test).items()]
    if len(senders) != 1 or senders[0] is None:
        return
    for key, statistic in (("mean", "average"), ("max", "maximum"), ("min", "minimum")):
        found = senders[0].number(f"{key}_rtt")
        if found and found.value:
            exact: dict[str, Any] = {"statistic": statistic, "half_width": 0.5, **measured}
            values.add("", "smoothed_round_trip", found.value, "us", found.path, **exact)


def _udp(
    test: Node,
    sent: Node | None,
    received: Node | None,
    both: Node | None,
    values: Values,
    experiment: str,
    stream: str,
    mtu_bytes: int,
) -> None:
    """Loss and jitter stand in ``sum_received``; up to version 3.9 there is only ``sum``."""
    seen = received if received and received.get("packets") else both or received
    if seen is None:
        return
    packets, lost = seen.number("packets"), seen.number("lost_packets")
    seconds = seen.number("seconds")
    over_s = float(seconds) if seconds else None
    size = test.number("start", "test_start", "blksize")
    fragments = _fragments(test, size, mtu_bytes)
    prefix = "" if fragments == 1 else "datagram_"
    if size and prefix:
        values.note(
            f"Each datagram of {size.value} B travels as {fragments} fragments over an MTU of"
            f" {mtu_bytes} B, and is lost with any of them: its loss is no loss of packets."
        )
    if seconds:
        _input(values, experiment, stream, "duration", seconds, "s", "unspecified")
    if size:
        _input(values, experiment, stream, "payload_size", size, "B", "configured")
    if packets:
        _input(values, experiment, stream, f"{prefix}offered_packets", packets, "packets", "total")
    measured: dict[str, Any] = {"interval_s": over_s, "experiment": experiment}
    _throughput(values, f"{prefix}throughput", stream, seen, received, packets, lost, measured)
    if lost:
        quantity = f"{prefix}dropped_packets"
        values.add(stream, quantity, lost.value, "packets", lost.path, **measured)
    if ratio := seen.number("lost_percent"):
        exact: dict[str, Any] = {"statistic": "average", "half_width": None, **measured}
        values.add(stream, f"{prefix}drop_ratio", ratio.value, "%", ratio.path, **exact)
    if jitter := seen.number("jitter_ms"):
        exact = {"statistic": "unspecified", "half_width": None, **measured}
        values.add(stream, "jitter", jitter.value, "ms", jitter.path, **exact)


def _throughput(
    values: Values,
    quantity: str,
    stream: str,
    seen: Node,
    received: Node | None,
    packets: Number | None,
    lost: Number | None,
    measured: dict[str, Any],
) -> None:
    """Payload that arrived; the only sum of older versions is of what was sent."""
    rate = seen.number("bits_per_second")
    if rate is None:
        return
    value, place, half_width = rate.value, rate.path, None
    if seen is not received and packets and packets.value:
        if lost and lost.value > packets.value:
            seen.fail("more lost packets than packets; allowed: at most as many")
        arrived = 1 - float(lost or 0) / float(packets)
        value, half_width = round(float(rate) * arrived), 0.5
        place = f"{rate.path}, less the lost share of {seen.path}"
    exact: dict[str, Any] = {"statistic": "average", "half_width": half_width, **measured}
    values.add(stream, quantity, value, "bit/s", place, **exact)


def _fragments(test: Node, size: Number | None, mtu_bytes: int) -> int:
    """IP packets that one datagram travels as."""
    if size is None:
        return 1
    hosts = [each.text("remote_host") for each in (test.at("start", "connected") or test).items()]
    ip_bytes = IPV6_BYTES if any(":" in host for host in hosts) else IPV4_BYTES
    whole = float(size) + UDP_BYTES
    room = mtu_bytes - ip_bytes
    return 1 if whole <= room else math.ceil(whole / (room - room % FRAGMENT_BYTES))


def _input(
    values: Values,
    experiment: str,
    stream: str,
    quantity: str,
    number: Number,
    unit: str,
    statistic: str,
) -> None:
    """What was set or offered, and is no result."""
    exact: dict[str, Any] = {"half_width": None if unit == "s" else 0.0, "experiment": experiment}
    values.add(stream, quantity, number.value, unit, number.path, statistic=statistic, **exact)
