"""Packets of lesson 13, one by one: a port before and after a change."""

from functools import partial

from qoslib import units
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.port import PacketLimit, Port, Queue, StrictPriority
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

__all__ = ["after", "before", "scene"]

LINK_BPS = units.mbps(10)
STREAMS = (
    Stream("voice", units.mbps(0.5), 200, Poisson()),
    Stream("video", units.mbps(4), 1200, Poisson()),
    Stream("data", units.mbps(7), 1500, Poisson()),
)


def before() -> Scenario:
    """An overloaded uplink with one queue of 40 packets."""
    port = Port("uplink", LINK_BPS, (Queue("all", PacketLimit(40)),), overhead_bytes=20)
    return Scenario("before", port, STREAMS, seed=1)


def after() -> Scenario:
    """The same uplink with three queues in strict priority, 40 packets together."""
    rooms = {"voice": 8, "video": 12, "data": 20}
    queues = tuple(
        Queue(name, PacketLimit(room), priority=level)
        for level, (name, room) in enumerate(rooms.items())
    )
    port = Port("uplink", LINK_BPS, queues, StrictPriority(), overhead_bytes=20)
    return Scenario("after", port, STREAMS, seed=1)


def scene(old: Scenario | None = None, new: Scenario | None = None) -> PacketView:
    """The same packets at a port before and after a change.

    Parameters
    ----------
    old, new : Scenario, optional
        By default `before` and `after`.
    """
    shown = {"before": old or before(), "after": new or after()}
    return packet_view(shown, packets=200, start_s=0.5, guess=partial(guess_words, "13.a"))
