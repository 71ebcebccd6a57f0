"""cake: a shaper above tins, each with queues for its flows.

References
----------
Linux, net/sched/sch_cake.c, and iproute2 ee2a4a8, tc/q_cake.c and man/man8/tc-cake.8.
"""

from typing import NamedTuple

from qoslib import units
from qoslib.config.code_points import mark_of
from qoslib.config.sourced import Sourced, in_bytes, made, number
from qoslib.config.tc.classes import Classification, classifier_of, describe
from qoslib.config.tc.options import Options, by_default, words_of
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.values import Value
from qoslib.port import ByteLimit, Classifier, Cobalt, FlowQueues, Port, Queue

__all__ = ["FRAMINGS", "ISOLATIONS", "MODES", "ROUND_TRIPS", "cake_words", "tins"]

#: An Ethernet header, in place of which `overhead` counts, and a full packet with one [B].
HEADER_BYTES, PACKET_BYTES = 14, 1514
#: A quantum is what the rate carries in 1/4096 s, between these [B].
QUANTA_S, LEAST_QUANTUM_BYTES = 1 / 4096, 300
#: Of how many round trips' data there is room.
ROUND_TRIPS_HELD, LEAST_MEMORY_BYTES = 4, 4 * 2**20
#: A target is at least so many full packets long.
PACKETS_OF_TARGET = 1.5
#: A round trip is so many targets.
TARGETS = 20


class _Tin(NamedTuple):
    """A tin: its name, its part of the rate and the code points that lead to it."""

    name: str
    share: float
    codes: tuple[int, ...] = ()


_BULK = _Tin("bulk", 1 / 16, (1, 8))
_BY_PRECEDENCE = tuple((7 / 8) ** at for at in range(8))
#: Keyword -> its tins, the first in rank first, and the one of all other code points.
MODES: dict[str, tuple[tuple[_Tin, ...], str]] = {
    "besteffort": ((_Tin("best effort", 1),), "best effort"),
    "diffserv3": (
        (_Tin("voice", 1 / 4, (4, 44, 46, 48, 56)), _BULK, _Tin("best effort", 1)),
        "best effort",
    ),
    "diffserv4": (
        (
            _Tin("voice", 1 / 4, (32, 40, 44, 46, 48, 56)),
            _Tin("video", 1 / 2, (4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38)),
            _BULK,
            _Tin("best effort", 1),
        ),
        "best effort",
    ),
    "diffserv8": (
        (
            _Tin("network control", _BY_PRECEDENCE[7], (48, 56)),
            _Tin("minimum latency", _BY_PRECEDENCE[6], (32, 40, 44, 46)),
            _Tin("shell", _BY_PRECEDENCE[5], (16,)),
            _Tin("low latency", _BY_PRECEDENCE[4], (4, 18, 20, 22)),
            _Tin("video", _BY_PRECEDENCE[3], (24, 26, 28, 30, 34, 36, 38)),
            _Tin("best effort", _BY_PRECEDENCE[2]),
            _Tin("throughput", _BY_PRECEDENCE[1], (2, 8, 10, 12, 14)),
            _Tin("bulk", _BY_PRECEDENCE[0], (1,)),
        ),
        "best effort",
    ),
    "precedence": (
        tuple(
            _Tin(f"precedence {at}", _BY_PRECEDENCE[at], tuple(range(8 * at, 8 * at + 8)))
            for at in reversed(range(8))
        ),
        "precedence 0",
    ),
}
MODES["diffserv"] = MODES["diffserv4"]
#: Keyword -> whose share is equal.
ISOLATIONS = {
    "triple-isolate": "hosts", "dual-srchost": "source", "dual-dsthost": "destination",
    "flows": "flows",
}  # fmt: skip
#: Keyword -> round trip [s].
ROUND_TRIPS = {
    "datacentre": 1e-4, "lan": 1e-3, "metro": 0.01, "regional": 0.03, "internet": 0.1,
    "oceanic": 0.3, "satellite": 1.0,
}  # fmt: skip
#: Keyword -> bytes that count besides a packet of IP, and whether it is cut into cells.
FRAMINGS = {
    "ethernet": (38, False), "docsis": (18, False), "ether-vlan": (4, False),
    "pppoe-ptm": (30, True), "bridged-ptm": (22, True), "conservative": (48, True),
    "ipoa-vcmux": (8, True), "ipoa-llcsnap": (16, True), "bridged-vcmux": (24, True),
    "bridged-llcsnap": (32, True), "pppoa-vcmux": (10, True), "pppoa-llc": (14, True),
    "pppoe-vcmux": (32, True), "pppoe-llcsnap": (40, True),
}  # fmt: skip
_NO_RATE = "Without a bandwidth CAKE has no tins with rates, and no port describes it."
_CELLS = "Frames are not cut into cells here."
_SHORT = "A frame counts with its whole size here, not with less than its header."


def tins(part: Part) -> tuple[list[Sourced[Queue]], Classifier, Value]:
    """The tins of a cake, the marks that lead to them, and the rate of its shaper."""
    notes, options = part.notes, part.options
    rate = options.said("bandwidth")
    if rate is None or "autorate-ingress" in options:
        raise Unmodelled(part.command, _NO_RATE)
    if notes.known_rate is not None and notes.known_rate.value < rate.value:
        raise Unmodelled(part.command, "No port describes a shaper that is faster than its line.")
    part.lose(*options.lost())
    _count_frames(part)
    mode = next((each for each in reversed(options) if each in MODES), "diffserv3")
    every, default = MODES[mode]
    queues = [
        _queue(tin, rank, rate, options, by_default("cake_tins", mode))
        for rank, tin in enumerate(every)
    ]
    rules = [(mark_of(code), tin.name) for tin in every for code in tin.codes]
    rules = [each for each in rules if each[1] != default]
    classifier = classifier_of(rules, default)
    _described(notes, classifier, tuple(rules), [tin.name for tin in every])
    return queues, classifier, rate


def _described(
    notes: DeviceNotes, classifier: Classifier, rules: tuple[tuple[str, str], ...], names: list[str]
) -> None:
    found = Classification(rules, None, {}, {})
    describe(notes, classifier, found, {name: name for name in names}, {}, {})


def _queue(tin: _Tin, rank: int, rate: Value, options: Options, source: Value) -> Sourced[Queue]:
    """One tin: at a low rate a longer target, and a smaller quantum."""
    rate_bps = rate.value * tin.share
    trip = _round_trip(options)
    packet_s, wanted_s = units.serialisation_s(PACKET_BYTES, rate_bps), trip.value / TARGETS
    target_s = max(PACKETS_OF_TARGET * packet_s, wanted_s)
    interval_s = max(trip.value + target_s - wanted_s, 2 * target_s)
    held_bytes = max(
        int(units.octets(rate.value * trip.value * ROUND_TRIPS_HELD)), LEAST_MEMORY_BYTES
    )
    memory = options.said("memlimit") or by_default("cake_memory", held_bytes)
    return made(
        Queue,
        name=tin.name,
        limit=in_bytes(memory.value, memory),
        dropper=made(
            Cobalt,
            target_s=number(target_s, trip),
            interval_s=number(interval_s, trip),
            packet_s=number(packet_s, rate),
        ),
        flows=_flows(rate_bps, rate, options),
        priority=number(rank, source),
        guaranteed_bps=number(rate_bps, rate),
    )


def _round_trip(options: Options) -> Value:
    if given := options.said("rtt"):
        return given
    keyword = next((each for each in reversed(options) if each in ROUND_TRIPS), "")
    if not keyword:
        return by_default("cake_rtt")
    return Value(ROUND_TRIPS[keyword], "s", options[keyword].line)


def _flows(rate_bps: float, rate: Value, options: Options) -> Sourced[FlowQueues]:
    """The queues of a tin, of which a flow takes one of eight that is free."""
    quantum = min(int(units.octets(rate_bps) * QUANTA_S), PACKET_BYTES)
    keyword = next((each for each in reversed(options) if each in ISOLATIONS), "triple-isolate")
    return made(
        FlowQueues,
        quantum_bytes=number(max(quantum, LEAST_QUANTUM_BYTES), rate),
        ways=by_default("cake_ways"),
        isolation=ISOLATIONS[keyword],
        batch_packets=number(1, by_default("cake_ways")),
        renews=True,
    )


def _count_frames(part: Part) -> None:
    """What the shaper counts of a frame besides its packet, in place of the Ethernet header."""
    options = part.options
    framings = [each for each in options if each in FRAMINGS]
    if any(FRAMINGS[each][1] for each in framings) or {"atm", "ptm"} & options.keys():
        part.lose(_CELLS)
    if "raw" in options or ("overhead" not in options and not framings):
        return
    given = options.get("overhead") or options[framings[-1]]
    counted = sum(FRAMINGS[each][0] for each in framings)
    counted += int(options["overhead"].value) if "overhead" in options else 0
    if counted < HEADER_BYTES:
        part.lose(_SHORT)
    part.notes.overheads.append(given._replace(value=max(counted - HEADER_BYTES, 0)))


def cake_words(port: Port, overhead: int | None) -> str:
    """A cake with the tins of a port; empty where none has them.

    >>> cake_words(Port("a", 1e6, (Queue("all", ByteLimit(9000), guaranteed_bps=1e6),)), None)
    ''
    """
    had = {queue.name: queue.guaranteed_bps for queue in port.queues}
    of_mode = {
        mode: {tin.name: port.rate_bps * tin.share for tin in every}
        for mode, (every, _) in MODES.items()
    }
    mode = next((each for each, tins in of_mode.items() if tins == had), "")
    whole = max(port.queues, key=lambda queue: queue.guaranteed_bps)
    if not mode or not isinstance(whole.limit, ByteLimit):
        return ""
    dropper = whole.dropper if isinstance(whole.dropper, Cobalt) else Cobalt()
    trip_s = (dropper.interval_s - dropper.target_s) / (1 - 1 / TARGETS)
    isolation = whole.flows.isolation if whole.flows else "hosts"
    keyword = next(each for each, of in ISOLATIONS.items() if of == isolation)
    more = {} if overhead is None else {"overhead": overhead + HEADER_BYTES}
    words = words_of(
        "qdisc",
        "cake",
        bandwidth=port.rate_bps,
        rtt=trip_s,
        memlimit=whole.limit.limit_bytes,
        **{mode: True, keyword: True},
        **more,
    )
    return words
