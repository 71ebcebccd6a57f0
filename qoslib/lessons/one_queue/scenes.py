"""Packets of lesson 00, one by one."""

from functools import partial

from qoslib import units
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.port import PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Arrivals, Cbr, OnOff, Poisson, Stream

__all__ = ["bursts", "overload", "scene", "spacing_scene"]

LINK_BPS = units.mbps(100)
FRAME_BYTES, GAP_BYTES = 1490, 24


def overload(room: int = 8) -> Scenario:
    """Three packets arrive in the time in which the link sends two.

    Parameters
    ----------
    room : int
        Packets that the queue holds.
    """
    return _offered(room, 1.5 * LINK_BPS, Cbr(), gap_bytes=0)


def scene() -> PacketView:
    """A queue in the middle of an overload, with a wall to drag.

    It begins after 0.2 s, when a queue of up to 800 packets has filled.
    """
    return packet_view(
        {"one queue": overload()}, packets=160, start_s=0.2, guess=partial(guess_words, "00.a")
    )


def spacing_scene(load: float = 0.9) -> PacketView:
    """The same load of a link twice: packets that arrive evenly, and at random.

    Parameters
    ----------
    load : float
        As a share of the link.
    """
    rate_bps = load * LINK_BPS * FRAME_BYTES / (FRAME_BYTES + GAP_BYTES)
    lanes = {"evenly": Cbr(), "at random": Poisson()}
    shown = {title: _offered(12, rate_bps, spacing) for title, spacing in lanes.items()}
    return packet_view(shown, packets=160, same_limit=True)


def bursts() -> Scenario:
    """A sender that is fast for 10 ms of every 100 ms, at a port with room for 64 packets."""
    return _offered(64, units.mbps(30), OnOff(units.ms(10), units.ms(90), "constant"), 0.5)


def _offered(
    room: int,
    rate_bps: float,
    spacing: Arrivals,
    duration_s: float = 1,
    gap_bytes: float = GAP_BYTES,
) -> Scenario:
    queue = Queue("all", PacketLimit(room))
    port = Port("slow link", LINK_BPS, (queue,), overhead_bytes=gap_bytes)
    stream = Stream("data", rate_bps, FRAME_BYTES, spacing)
    return Scenario("one queue", port, (stream,), duration_s, seed=3)
