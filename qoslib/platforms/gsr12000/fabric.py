"""What if: queues in front of the fabric, and the memory that they share.

The source saw these queues fill, prints no figure about them, and warns that one of them can take
the memory from all others. Neither is part of the scored experiments.
"""

from typing import Any

from qoslib import units
from qoslib.platforms.gsr12000.facts import CLASSES, FACTS, PORTS
from qoslib.platforms.gsr12000.load import streams
from qoslib.port import (
    Chain,
    Classifier,
    Ewma,
    Hop,
    Instantaneous,
    MemoryPool,
    PacketLimit,
    Port,
    Queue,
    Red,
    RedProfile,
    Shaper,
    StrictPriority,
)
from qoslib.port.averaging import Averaging
from qoslib.traffic import Stream

__all__ = ["shared_memory", "to_fabric"]


def _profile(label: str) -> RedProfile:
    return RedProfile(float(FACTS[f"{label}_minimum"]), float(FACTS[f"{label}_maximum"]))


def _queue(name: str, best_effort: RedProfile, look: Averaging, **more: Any) -> Queue:
    wred = Red(_profile("label2"), (("prec1", best_effort),), look)
    return Queue(name, PacketLimit(int(FACTS.line_queue_packets)), wred, **more)


def to_fabric(output: Port, fabric_bps: float, look: Averaging = Instantaneous()) -> Chain:  # noqa: B008
    """Both input cards in front of an output port.

    The fabric serves the two cards in turns. Below twice what a tester port sends both stand
    full, so each is a queue before half of the fabric's rate.

    Parameters
    ----------
    output : Port
        `engine2` or `engine3`.
    fabric_bps : float
        What the fabric carries to that port's slot [bit/s].
    look : Instantaneous, Sampled, ...
        What WRED of the input cards looks at.
    """
    cards = [
        Hop(
            Port(
                f"input {port}", fabric_bps / len(PORTS), (_queue("all", _profile("label1"), look),)
            ),
            tuple(f"{port}/{name}" for name in CLASSES),
        )
        for port in PORTS
    ]
    return Chain(f"two inputs, {output.name}", (*cards, Hop(output)))


def shared_memory(
    best_effort: RedProfile | None = None,
    memory_bytes: int = 1_000_000,
    other_bps: float = units.mbps(200),
) -> tuple[Port, tuple[Stream, ...]]:
    """One input card whose queue to a congested slot shares its memory with one to a free slot.

    Parameters
    ----------
    best_effort : RedProfile, optional
        WRED of Best Effort; by default the printed one, which drops from the second packet.
    memory_bytes : int
        Memory of the card's queues [B]; its size is not printed.
    other_bps : float
        What goes to the free slot, in 1000-byte packets as all others [bit/s].

    Returns
    -------
    Port, tuple of Stream
        The card and its streams; the last goes to the free slot.
    """
    half_line = Shaper(float(FACTS.line_bps / len(PORTS)), 10 * int(FACTS.frame_bytes))
    profile = best_effort or _profile("label1")
    card = Port(
        "input 1A",
        units.gbps(4),
        (
            _queue("congested", profile, Ewma(9), shaper=half_line, pool="memory"),
            _queue("free", profile, Ewma(9), pool="memory"),
        ),
        StrictPriority(),
        classifier=Classifier((("free", "free"),), default="congested"),
        pools=(MemoryPool("memory", memory_bytes),),
    )
    other = Stream("1A/free", other_bps, int(FACTS.frame_bytes), mark="free")
    return card, (*streams(ports=PORTS[:1]), other)
