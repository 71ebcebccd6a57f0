"""Packets of lesson 01, one by one."""

from functools import partial

from qoslib import units
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.platforms import m120
from qoslib.port import Dropper, HeadDrop, PacketLimit, Port, Queue, TailDrop
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["ends_scene", "scene"]

#: All rates of the base test are divided by this: CS1 then holds 92 packets, and BE four.
DIVIDED_BY = 200
#: When both queues have been full for a while: the larger one fills for most of a second [s].
FULL_S = 1.2


def scene() -> PacketView:
    """CS1 and BE in the vendor's base test, as a scale model, when both queues are full."""
    base = m120.PLATFORM.experiments()["base"].scenario
    return packet_view(
        {"the M120's base test": base},
        packets=700,
        start_s=FULL_S,
        queues=["CS1", "BE"],
        rates_divided_by=DIVIDED_BY,
        guess=partial(guess_words, "01.a"),
    )


def ends_scene() -> PacketView:
    """One full queue twice, with the same packets: one drops the newest, one the oldest."""
    ends = {"drop at the tail": TailDrop(), "drop at the head": HeadDrop()}
    return packet_view(
        {title: _full(end) for title, end in ends.items()},
        start_s=0.005,
        same_limit=True,
        guess=partial(guess_words, "01.b"),
    )


def _full(dropper: Dropper) -> Scenario:
    queue = Queue("all", PacketLimit(16), dropper)
    port = Port("link", units.mbps(100), (queue,))
    return Scenario("one queue", port, (Stream("data", units.mbps(200), 1500),))
