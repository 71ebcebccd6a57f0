"""Write the parts of a port as lines of a script: queues, buckets, filters, names of classes."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import count

from qoslib import units
from qoslib.config.tc.filters import dscps, matching
from qoslib.config.tc.flow_queues import MOST_DEPTH_PACKETS
from qoslib.config.tc.options import LARGEST, words_of
from qoslib.config.tc.queues import PIE_SCALE, red_exponent
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Classifier,
    Codel,
    Dropper,
    DualPi2,
    Ewma,
    FlowQueues,
    HeadDrop,
    PacketLimit,
    Pie,
    Policer,
    Port,
    Queue,
    Red,
    Shaper,
    TimeLimit,
)

__all__ = ["Emitter", "queue_words"]

_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
_CLASS = re.compile(r"1:([1-9a-f][0-9a-f]{0,2})")
_VLAN = re.compile(r"PCP ([0-7])")
_FIREWALL = re.compile(r"fwmark ([1-9]\d{0,8})")
#: A tbf with another qdisc below it holds nothing itself, but has to be given a limit.
UNUSED_LIMIT = "100kb"
#: Sizes of a packet to try, until a burst gives the weight that RED is to have [B].
PACKETS_BYTES = (1000, 1500, 500, 250, 100, 64, 4000, 9000)
MOST_BURST_PACKETS = 20_000
#: What CoDel, PIE and queues of flows hold where their limit is not in packets.
CODEL_PACKETS = 1000
#: A time of 0 would be the default of tc.
LEAST_S = 1e-6


class Emitter:
    """The script of a port on an interface."""

    def __init__(self, port: Port, interface: str) -> None:
        self.port = port
        self.device = interface if _DEVICE.fullmatch(interface) else "eth0"
        whole = port.overhead_bytes == int(port.overhead_bytes) and port.overhead_bytes < 2**16
        #: Bytes that shapers count on top of each frame, and whether a command says so.
        self.counted = int(port.overhead_bytes) if whole else 0
        self.counts = False
        self.lines = [f"tc qdisc del dev {self.device} root 2>/dev/null || true"]
        if port.name != self.device:
            self.name("0:", port.name)

    def add(self, thing: str, command: str) -> None:
        """One more command about the device."""
        self.lines.append(f"tc {thing} add dev {self.device} {command}")

    def name(self, what: str, name: str) -> None:
        """A comment that names a class where its number does not."""
        if what != name:
            self.lines.append(f"# {what} is {json.dumps(name)}")

    def ids(self, names: Iterable[str]) -> dict[str, str]:
        """A class for each name: the name itself where it is one."""
        names = list(names)
        own = {name for name in names if _CLASS.fullmatch(name)}
        free = (f"1:{minor:x}" for minor in range(1, 2**12) if f"1:{minor:x}" not in own)
        return {name: name if name in own else next(free) for name in names}

    def overhead(self) -> int | None:
        """What a shaper counts on top of each frame."""
        self.counts = self.counts or bool(self.counted)
        return self.counted or None

    def bucket(self, place: str, handle: str, shaper: Shaper) -> None:
        """A tbf with a qdisc below it."""
        words = words_of(
            "qdisc",
            "tbf",
            rate=shaper.rate_bps,
            burst=shaper.burst_bytes,
            limit=UNUSED_LIMIT,
            overhead=self.overhead(),
        )
        self.add("qdisc", f"{place} handle {handle} {words}")

    def queue(self, queue: Queue, place: str, handle: str, *, shaped: bool = False) -> None:
        """The qdisc of a queue, behind a bucket where nothing else shapes it."""
        if queue.shaper is not None and not shaped:
            self.bucket(place, handle, queue.shaper)
            place, handle = f"parent {handle}1", f"{handle.removesuffix(':')}1:"
        self.add("qdisc", f"{place} handle {handle} {queue_words(queue, self.port.rate_bps)}")

    def leaf(self, queue: Queue, classid: str, *, shaped: bool = False) -> None:
        """The qdisc below a class, with the class's own number as its handle."""
        handle = f"{classid.removeprefix('1:')}0:"
        self.queue(queue, f"parent {classid}", handle, shaped=shaped)

    def filters(self, ids: dict[str, str], *, catch_all: bool = False) -> None:
        """The filters of the port, which lead to the classes of its queues."""
        default = self.port.classifier.default
        chosen = list(_matches(self.port.classifier if default else _by_name(self.port, ids)))
        queues = {queue.name: queue for queue in self.port.queues}
        if default and (catch_all or _police_words(queues[default])):
            chosen.append(("u32 match u32 0 0", "all", default, ("", "")))
        leading = [queue for _, _, queue, _ in chosen]
        for number, (words, protocol, queue, mark) in enumerate(chosen, 1):
            self.name(*mark)
            police = _police_words(queues[queue])
            if police:
                police = "police" if queue in leading[: number - 1] else police
                several = leading.count(queue) > 1
                index = f" index {list(ids).index(queue) + 1}" if several else ""
                police = f" action {police}{index}"
            first = f"parent 1: protocol {protocol} prio {number}"
            self.add("filter", f"{first} {words} flowid {ids[queue]}{police}")


def queue_words(queue: Queue, line_bps: float) -> str:
    """Kind and options of the qdisc of a queue; what has no word becomes the plainest that fits.

    >>> queue_words(Queue("bulk", PacketLimit(64), HeadDrop()), 1e9)
    'pfifo_head_drop limit 64'
    """
    limit, dropper = _size(queue, line_bps), queue.dropper
    if queue.flows is not None:
        return _flow_words(queue.flows, limit, dropper)
    if isinstance(dropper, Pie):
        return _pie_words(dropper, limit)
    if isinstance(dropper, DualPi2):
        return _dual_pi2_words(dropper, limit)
    if isinstance(dropper, Codel):
        return _codel_words(dropper, limit)
    if isinstance(limit, ByteLimit):
        red = _red_words(dropper, limit, line_bps) if isinstance(dropper, Red) else ""
        return red or words_of("qdisc", "bfifo", limit=limit.limit_bytes)
    kind = "pfifo_head_drop" if isinstance(dropper, HeadDrop) else "pfifo"
    return words_of("qdisc", kind, limit=limit.packets)


def _size(queue: Queue, line_bps: float) -> PacketLimit | ByteLimit:
    """The limit in packets or bytes; a time at the rate that is known beforehand."""
    limit = queue.limit
    if isinstance(limit, TimeLimit):
        rate_bps = queue.guaranteed_bps if limit.at == "guaranteed" else line_bps
        return ByteLimit(max(round(units.octets(rate_bps * limit.time_s)), 1))
    return limit


def _flow_words(flows: FlowQueues, limit: PacketLimit | ByteLimit, dropper: Dropper) -> str:
    """The qdisc that keeps flows apart as the queue does, or most like it."""
    if isinstance(dropper, Codel):
        more = {"flows": flows.queues, "quantum": flows.quantum_bytes}
        return _codel_words(dropper, limit, "fq_codel", drop_batch=flows.batch_packets, **more)
    held, own = _in_packets(limit), flows.flow_limit
    each = own.packets if isinstance(own, PacketLimit) else held
    if flows.sparse_first:
        count, size = flows.queues, flows.quantum_bytes
        return words_of("qdisc", "fq", limit=held, flow_limit=each, buckets=count, quantum=size)
    return words_of(
        "qdisc",
        "sfq",
        limit=held,
        depth=min(each, MOST_DEPTH_PACKETS),
        divisor=1 << (flows.queues - 1).bit_length(),
        quantum=flows.quantum_bytes,
        perturb=None if flows.rehash_s is None else max(round(flows.rehash_s), 1),
        headdrop=flows.drop_at == "head",
    )


def _in_packets(limit: PacketLimit | ByteLimit) -> int:
    return limit.packets if isinstance(limit, PacketLimit) else CODEL_PACKETS


def _pie_words(dropper: Pie, limit: PacketLimit | ByteLimit) -> str:
    return words_of(
        "qdisc",
        "pie",
        limit=_in_packets(limit),
        target=max(dropper.target_s, LEAST_S),
        tupdate=max(dropper.update_s, LEAST_S),
        alpha=max(round(dropper.alpha_hz * PIE_SCALE), 1),
        beta=max(round(dropper.beta_hz * PIE_SCALE), 1),
        ecn=dropper.ecn,
    )


def _dual_pi2_words(dropper: DualPi2, limit: PacketLimit | ByteLimit) -> str:
    return words_of(
        "qdisc",
        "dualpi2",
        limit=_in_packets(limit),
        target=max(dropper.target_s, LEAST_S),
        tupdate=max(dropper.update_s, LEAST_S),
        alpha=dropper.alpha_hz,
        beta=dropper.beta_hz,
        coupling_factor=max(round(dropper.coupling), 1),
        step_thresh=dropper.step_s,
        classic_protection=round(units.convert(dropper.classic_share, "1", "%")),
    )


def _codel_words(
    dropper: Codel, limit: PacketLimit | ByteLimit, kind: str = "codel", **more: int
) -> str:
    return words_of(
        "qdisc",
        kind,
        limit=_in_packets(limit),
        **more,
        target=max(dropper.target_s, LEAST_S),
        interval=max(dropper.interval_s, LEAST_S),
        ce_threshold=dropper.ce_threshold_s,
        ecn=dropper.ecn,
        noecn=not dropper.ecn,
    )


def _red_words(dropper: Red, limit: ByteLimit, line_bps: float) -> str:
    """RED in bytes, with a burst that gives its average its weight; empty where none does."""
    profile = dropper.profile
    if not isinstance(profile, ByteRedProfile) or not isinstance(dropper.averaging, Ewma):
        return ""
    low, high = round(profile.minimum_bytes), round(profile.maximum_bytes)
    burst = _burst(low, dropper.averaging.exponent) if 0 < low <= high <= LARGEST else None
    if burst is None:
        return ""
    return words_of(
        "qdisc",
        "red",
        limit=limit.limit_bytes,
        min=low,
        max=high,
        **burst,
        probability=profile.maximum_probability,
        bandwidth=line_bps,
        ecn=dropper.ecn,
        harddrop=dropper.ecn,
    )


def _burst(low: int, exponent: int) -> dict[str, int] | None:
    """A burst and a size of packets for which iproute2 chooses this weight."""
    for packet in PACKETS_BYTES:
        first, last = max(low // packet, 1), MOST_BURST_PACKETS
        if first > last:
            continue
        while first < last:
            middle = (first + last) // 2
            chosen = red_exponent(low, middle, packet) or (0 if middle * packet < low else 99)
            first, last = (middle + 1, last) if chosen < exponent else (first, middle)
        if red_exponent(low, first, packet) == exponent:
            return {"avpkt": packet, "burst": first}
    return None


def _by_name(port: Port, ids: dict[str, str]) -> Classifier:
    """With the queues that a mark of their own name leads to, unless that is a class's number."""
    known = {mark for mark, _ in port.classifier.rules}
    own = [name for name in port.queue_names if name not in known and name != ids[name]]
    return Classifier((*port.classifier.rules, *((name, name) for name in own)))


def _police_words(queue: Queue) -> str:
    """The queue's policer; empty where none of tc does the same."""
    policer = queue.policer
    if policer is None:
        return ""
    drops, overhead_bytes = policer.exceed != "pass", policer.overhead_bytes
    plain = Policer(
        policer.rate_bps,
        min(policer.burst_bytes, LARGEST),
        exceed="drop" if drops else "pass",
        overhead_bytes=overhead_bytes,
    )
    if plain != policer:
        return ""
    return words_of(
        "action",
        "police",
        rate=policer.rate_bps,
        burst=policer.burst_bytes,
        overhead=overhead_bytes or None,
        **{"conform-exceed": "drop" if drops else "ok"},
    )


def _matches(classifier: Classifier) -> Iterator[tuple[str, str, str, tuple[str, str]]]:
    """Words, protocol and queue of each filter, and its mark of a firewall with what it means."""
    rest = list(classifier.rules)
    used = {mark for mark, _ in rest}
    free = (number for number in count(1) if f"fwmark {number}" not in used)
    while rest:
        mark, queue = rest.pop(0)
        field, vlan, own = matching(mark), _VLAN.fullmatch(mark), _FIREWALL.fullmatch(mark)
        if field is not None:
            more = [(each, queue) for each in dscps(*field)[1:]]
            rest = rest[len(more) :] if rest[: len(more)] == more else rest
            value, mask = field
            yield f"u32 match ip dsfield {value:#04x} {mask:#04x}", "ip", queue, ("", "")
        elif vlan:
            yield f"flower vlan_prio {vlan[1]}", "802.1Q", queue, ("", "")
        else:
            number = int(own[1]) if own else next(free)
            yield f"handle {number} fw", "all", queue, (f"fwmark {number}", mark)
