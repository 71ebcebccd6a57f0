"""The two output ports: engine 2 and engine 3, with the WRED rivals."""

from typing import Any

from qoslib.platforms.gsr12000.facts import FACTS
from qoslib.port import (
    AsymmetricEwma,
    Classifier,
    Ewma,
    ModifiedDrr,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    Sampled,
    TailDrop,
    TruncatingEwma,
)
from qoslib.port.averaging import Averaging
from qoslib.units import convert

__all__ = ["RUNNING", "TEMPLATE", "averaging", "engine2", "engine3", "policer"]

#: The running configuration sends precedence 5 to the low-latency queue and maps no other: they
#: stay in queue 0 (the best reading: other lines that differ from a default are printed).
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


def averaging(rival: str, engine: str) -> Averaging:
    """What WRED of a line card looks at, by rival and ``e2`` or ``e3``.

    No source says how these cards average; each rival is a form that the tests can tell apart.
    """
    release = int(FACTS[f"relay_{engine}_release"])
    match rival:
        case "asymmetric":
            return AsymmetricEwma(9, float(FACTS[f"asymmetric_{engine}_s"]), release)
        case "truncating":
            return TruncatingEwma(9, counts_ring=True)
        case "textbook":
            return Ewma(9)
    return Sampled(
        int(FACTS[f"relay_{engine}_packets"]),
        float(FACTS[f"relay_{engine}_s"]),
        jitter=float(FACTS[f"relay_{engine}_jitter"]),
        release_packets=release,
    )


def _wred(look: Averaging) -> Red:
    """Best Effort by label 1, all others by label 2."""
    one, two = (
        RedProfile(float(FACTS[f"label{n}_minimum"]), float(FACTS[f"label{n}_maximum"]))
        for n in (1, 2)
    )
    return Red(two, (("prec1", one),), look)


def _queues(look: Averaging, scale: float, **low_latency: Any) -> tuple[Queue, ...]:
    limit = PacketLimit(int(FACTS.line_queue_packets))
    quanta = {n: int(FACTS[f"quantum_queue{n}_bytes"] * scale) for n in (0, 2, 3)}
    robin = [Queue(f"queue{n}", limit, _wred(look), quantum_bytes=q) for n, q in quanta.items()]
    fast = Queue("queue1", limit, **low_latency)
    return (robin[0], fast, *robin[1:])


def _port(name: str, queues: tuple[Queue, ...], classifier: Classifier, engine: str) -> Port:
    return Port(
        name,
        float(FACTS.line_bps),
        queues,
        ModifiedDrr("queue1"),
        overhead_bytes=float(FACTS[f"overhead_{engine}_bytes"]),
        classifier=classifier,
        transmit_ring_packets=int(FACTS[f"ring_{engine}_packets"]),
        base_delay_s=float(FACTS[f"transit_{engine}_s"]),
    )


def engine2(rival: str = "base", classifier: Classifier = RUNNING) -> Port:
    """The output port of test A."""
    look = averaging(rival, "e2")
    queues = _queues(look, 1.0, dropper=_wred(look))
    return _port("engine 2", queues, classifier, "e2")


def policer(slow_ppm: float, bucket_bytes: float) -> Policer:
    """The policer of Premium, at a rate by so many ppm below the printed one."""
    rate_bps = FACTS.policer_bps * (1 - convert(slow_ppm, "ppm", "1"))
    return Policer(float(rate_bps), int(bucket_bytes))


def engine3(rival: str = "base", police: Policer | None = None) -> Port:
    """The output port of test B; without a policer given, the one of `base`."""
    police = police or policer(FACTS.policer_slow_ppm, FACTS.policer_bucket_bytes)
    queues = _queues(
        averaging(rival, "e3"), FACTS.quantum_e3_share, dropper=TailDrop(), policer=police
    )
    return _port("engine 3", queues, TEMPLATE, "e3")
