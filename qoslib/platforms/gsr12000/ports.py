"""The two output ports, engine 2 and engine 3, with the WRED rivals; and what is before them.

The source saw the queues in front of the fabric fill, gives no figure about them, and warns that
one of them can take the memory from all others. They are no part of the scored experiments.
"""

from typing import Any

from qoslib.platforms.gsr12000.facts import CLASSES, FACTS, PORTS
from qoslib.platforms.gsr12000.load import streams
from qoslib.port import (
    AsymmetricEwma,
    Chain,
    Classifier,
    Ewma,
    Hop,
    Instantaneous,
    MemoryPool,
    ModifiedDrr,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    Sampled,
    Shaper,
    StrictPriority,
    TailDrop,
    TruncatingEwma,
)
from qoslib.port.averaging import Averaging
from qoslib.traffic import Stream
from qoslib.units import convert, gbps, mbps

__all__ = [
    "RUNNING",
    "TEMPLATE",
    "averaging",
    "engine2",
    "engine3",
    "policer",
    "shared_memory",
    "to_fabric",
]

#: The running configuration sends precedence 5 to the low-latency queue and maps no other: they
#: stay in queue 0 (the best reading: other lines that differ from a default are shown).
RUNNING = Classifier((("prec5", "queue1"),), default="queue0")

#: What the template says, and the class-maps of engine 3, which are in the running configuration.
TEMPLATE = Classifier(
    (
        *((name, "queue0") for name in ("prec6", "prec7")),
        ("prec5", "queue1"),
        ("prec0", "queue3"),
    ),
    default="queue2",
)

_LIMIT = PacketLimit(int(FACTS.line_queue_packets))


def averaging(rival: str, engine: str) -> Averaging:
    """What WRED of a line card looks at, by rival and ``e2`` or ``e3``.

    No source says how these cards average; each rival is a form that the tests can tell apart.
    """
    release = int(FACTS[f"relay_{engine}_release"])
    match rival:
        case "asymmetric":
            return AsymmetricEwma(9, FACTS[f"asymmetric_{engine}_s"], release)
        case "truncating":
            return TruncatingEwma(9, counts_ring=True)
        case "textbook":
            return Ewma(9)
    return Sampled(
        int(FACTS[f"relay_{engine}_packets"]),
        FACTS[f"relay_{engine}_s"],
        jitter=FACTS[f"relay_{engine}_jitter"],
        release_packets=release,
    )


def _profile(label: str) -> RedProfile:
    return RedProfile(FACTS[f"{label}_minimum"], FACTS[f"{label}_maximum"])


def _wred(look: Averaging, best_effort: RedProfile | None = None) -> Red:
    """Best Effort by label 1 or the profile given, all others by label 2."""
    return Red(_profile("label2"), (("prec1", best_effort or _profile("label1")),), look)


def _queues(look: Averaging, scale: float, **low_latency: Any) -> tuple[Queue, ...]:
    quanta = {n: int(FACTS[f"quantum_queue{n}_bytes"] * scale) for n in (0, 2, 3)}
    robin = [Queue(f"queue{n}", _LIMIT, _wred(look), quantum_bytes=q) for n, q in quanta.items()]
    fast = Queue("queue1", _LIMIT, **low_latency)
    return (robin[0], fast, *robin[1:])


def _port(name: str, queues: tuple[Queue, ...], classifier: Classifier, engine: str) -> Port:
    return Port(
        name,
        FACTS.line_bps,
        queues,
        ModifiedDrr("queue1"),
        overhead_bytes=FACTS[f"overhead_{engine}_bytes"],
        classifier=classifier,
        transmit_ring_packets=int(FACTS[f"ring_{engine}_packets"]),
        base_delay_s=FACTS[f"transit_{engine}_s"],
    )


def engine2(rival: str = "base", classifier: Classifier = RUNNING) -> Port:
    """The output port of test A."""
    look = averaging(rival, "e2")
    queues = _queues(look, 1.0, dropper=_wred(look))
    return _port("engine 2", queues, classifier, "e2")


def policer(slow_ppm: float, bucket_bytes: float) -> Policer:
    """The policer of Premium, at a rate by so many ppm below the published one."""
    rate_bps = FACTS.policer_bps * (1 - convert(slow_ppm, "ppm", "1"))
    return Policer(rate_bps, int(bucket_bytes))


def engine3(rival: str = "base", police: Policer | None = None) -> Port:
    """The output port of test B; without a policer given, the one of `base`."""
    police = police or policer(FACTS.policer_slow_ppm, FACTS.policer_bucket_bytes)
    queues = _queues(
        averaging(rival, "e3"), FACTS.quantum_e3_share, dropper=TailDrop(), policer=police
    )
    return _port("engine 3", queues, TEMPLATE, "e3")


def to_fabric(output: Port, fabric_bps: float, look: Averaging = Instantaneous()) -> Chain:  # noqa: B008
    """Both input cards in front of an output port.

    The fabric serves the two cards in turns. Below twice what a tester port sends both stand
    full, so each is a queue before half of the fabric's rate.
    """
    wred = Queue("all", _LIMIT, _wred(look))
    cards = [
        Hop(
            Port(f"input {port}", fabric_bps / len(PORTS), (wred,)),
            tuple(f"{port}/{name}" for name in CLASSES),
        )
        for port in PORTS
    ]
    return Chain(f"two inputs, {output.name}", (*cards, Hop(output)))


def shared_memory(
    best_effort: RedProfile | None = None,
    memory_bytes: int = 1_000_000,
    other_bps: float = mbps(200),
) -> tuple[Port, tuple[Stream, ...]]:
    """One input card whose queue to a congested slot shares its memory with one to a free slot."""
    half_line = Shaper(FACTS.line_bps / len(PORTS), 10 * int(FACTS.frame_bytes))
    wred = _wred(Ewma(9), best_effort)
    card = Port(
        "input 1A",
        gbps(4),
        (
            Queue("congested", _LIMIT, wred, shaper=half_line, pool="memory"),
            Queue("free", _LIMIT, wred, pool="memory"),
        ),
        StrictPriority(),
        classifier=Classifier((("free", "free"),), default="congested"),
        pools=(MemoryPool("memory", memory_bytes),),
    )
    other = Stream("1A/free", other_bps, int(FACTS.frame_bytes), mark="free")
    return card, (*streams(ports=PORTS[:1]), other)
