"""Packets of lesson 09, one by one: the same mix at all four ports."""

from functools import partial

from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.lessons.same_traffic import same_line
from qoslib.port import PacketLimit, Port, Queue, Red, RedProfile, TailDrop
from qoslib.record import fail
from qoslib.scenario import Scenario

__all__ = ["SHOWN", "scaled", "scene"]

#: The ports, from the top down.
SHOWN = ("one queue", "M120", "Cisco 12000", "ISR4331")
#: Rates and queues of a scale model are divided by this, so a full queue keeps its delay.
DIVIDED_BY = 320.0
#: Where the window begins, when all queues are full, and its end [s].
START_S, END_S = 0.8, 0.9


def scaled(name: str) -> Scenario:
    """The mix at a port as its scale model is made of it, with the queues that the mix uses."""
    if name not in SHOWN:
        fail("port", name, ", ".join(SHOWN))
    streams, port = same_line.streams(), same_line.ports()[name]
    used = {port.queue_of(stream) for stream in streams}
    port = port.replace(queues=tuple(q for n, q in enumerate(port.queues) if n in used))
    if name == "Cisco 12000":
        port = _line_card(port)
    return Scenario(name, port, streams, END_S, seed=1)


def scene(*names: str) -> PacketView:
    """The same packets at several ports, one above the other.

    Parameters
    ----------
    *names : str
        Some of `SHOWN`; all of them by default.

    Raises
    ------
    ValueError
        If a port is another one.
    """
    lanes = {name: scaled(name) for name in names or SHOWN}
    return packet_view(
        lanes,
        packets=240,
        start_s=START_S,
        rates_divided_by=DIVIDED_BY,
        guess=partial(guess_words, "09.a"),
    )


def _line_card(port: Port) -> Port:
    """The Cisco 12000, with what a scale model keeps but has to divide, or the other way round."""
    return port.replace(queues=tuple(map(_counted, port.queues)), transmit_ring_packets=0)


def _counted(queue: Queue) -> Queue:
    # The bucket of voice decides by the number of its packets how many are dropped. WRED of these
    # classes drops from a number of packets on.
    if isinstance(queue.dropper, Red) and isinstance(queue.dropper.profile, RedProfile):
        limit = PacketLimit(round(queue.dropper.profile.maximum_packets))
        queue = queue.replace(dropper=TailDrop(), limit=limit)
    if policer := queue.policer:
        burst_bytes = round(policer.burst_bytes * DIVIDED_BY)
        queue = queue.replace(policer=policer.replace(burst_bytes=burst_bytes))
    return queue
