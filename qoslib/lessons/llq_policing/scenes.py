"""What lesson 02 shows packet by packet: priority, a policer's bucket, and two streams in step."""

from functools import partial
from typing import Any

from qoslib import units
from qoslib.explore import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.port import Classifier, PacketLimit, Policer, Port, Queue, Shaper, StrictPriority
from qoslib.scenario import Scenario
from qoslib.traffic import OnOff, Stream

__all__ = [
    "bursts_scene",
    "in_step",
    "limited",
    "policer_scene",
    "priority",
    "scene",
    "step_scene",
]

#: A tenth of the tested link, so that single packets can be seen.
LINK_BPS, FRAME_BYTES = units.mbps(10), 1500


def scene() -> PacketView:
    """A priority queue without a policer, offered nearly as much as the link carries."""
    return packet_view({"EF goes first": priority(9)}, packets=220, start_s=0.1)


def policer_scene() -> PacketView:
    """The same policer twice: EF alone, and EF with the default class."""
    police = Policer(
        units.mbps(2), 15_000, when="congested", congestion_packets=6, uncongested="keeps"
    )
    lanes = {
        "EF alone": priority(3, police, default_mbps=0),
        "EF and the default class": priority(3, police),
    }
    return packet_view(lanes, packets=80, guess=partial(guess_words, "02.a"))


def step_scene() -> PacketView:
    """Two even streams at one full queue, with two starts that are a fraction of a ms apart."""
    lanes = {"EF starts first": in_step(0.0), "EF starts 0.6 ms later": in_step(0.6)}
    return packet_view(lanes, packets=160, start_s=0.2)


def bursts_scene() -> PacketView:
    """The same bursts, policed and shaped at the same rate."""
    bucket: dict[str, Any] = {"rate_bps": units.mbps(4), "burst_bytes": 6000}
    lanes = {
        "policer": limited(policer=Policer(**bucket)),
        "shaper": limited(shaper=Shaper(**bucket)),
    }
    return packet_view(lanes, packets=55, start_s=0.0)


def priority(ef_mbps: float, policer: Policer | None = None, default_mbps: float = 8.0) -> Scenario:
    """EF before the default class on a link of 10 Mb/s."""
    queues = (
        Queue("EF", PacketLimit(30), policer=policer, priority=0),
        Queue("default", PacketLimit(20), priority=1),
    )
    port = Port("link", LINK_BPS, queues, StrictPriority())
    return Scenario("priority", port, _streams(ef_mbps, default_mbps, 0.4))


def in_step(late_ms: float) -> Scenario:
    """Both classes in one queue; EF begins so many ms later."""
    queue = Queue("one queue", PacketLimit(12))
    port = Port("link", LINK_BPS, (queue,), classifier=Classifier(default=queue.name))
    return Scenario("in step", port, _streams(3, 8, 0.0, late_ms))


def limited(**limit: Any) -> Scenario:
    """Bursts of 6 Mb/s, 3 on average, at a queue with a limit of their rate."""
    queue = Queue("bursts", PacketLimit(16), **limit)
    arrivals = OnOff(units.ms(40), units.ms(40), "constant")
    stream = Stream("bursts", units.mbps(3), FRAME_BYTES, arrivals)
    return Scenario("bursts", Port("link", LINK_BPS, (queue,)), (stream,), seed=1)


def _streams(ef_mbps, default_mbps, default_late_ms, ef_late_ms=0.0):
    named = (("EF", ef_mbps, ef_late_ms), ("default", default_mbps, default_late_ms))
    return tuple(
        Stream(name, units.mbps(mbps), FRAME_BYTES, start_s=units.ms(late_ms))
        for name, mbps, late_ms in named
        if mbps
    )
