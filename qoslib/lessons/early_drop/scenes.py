"""What lesson 04 shows packet by packet: early drop over time, and what it does to other queues."""

from functools import partial
from typing import Any

from qoslib import units
from qoslib.explore import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.platforms import gsr12000
from qoslib.port import (
    Classifier,
    Ewma,
    MemoryPool,
    ModifiedDrr,
    PacketLimit,
    Port,
    Queue,
    Red,
    RedProfile,
    Sampled,
    Shaper,
    StrictPriority,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = [
    "one_memory",
    "profiles_scene",
    "queue_scene",
    "saw_tooth",
    "scene",
    "three_queues",
]

#: Rates, quanta and counts of packets are divided by these, so that single packets can be seen.
SAW_BY, TURNS_BY, MEMORY_BY = 40, 10, 40
#: Class of the tests to its name in the scenes.
NAMES = {"prec6": "Updates", "prec3": "IP Plus", "prec1": "BE", "prec0": "LBE"}


def scene() -> PacketView:
    """Three queues of test B in a scale model, with 60 Mb/s of Less Than BE."""
    return packet_view({"three queues take turns": three_queues()}, packets=420, start_s=0.0205)


def queue_scene() -> PacketView:
    """The queue of test A in a scale model."""
    return packet_view(
        {"early drop": saw_tooth()}, packets=260, start_s=0.02, guess=partial(guess_words, "04.a")
    )


def profiles_scene() -> PacketView:
    """An input card whose two queues share one memory, with two profiles of best effort."""
    lanes = {
        "BE is dropped from 1 packet on": one_memory(1, 2),
        "BE is dropped from 1900 packets on": one_memory(1900, 2000),
    }
    return packet_view(lanes, packets=300, start_s=0.0)


def saw_tooth() -> Scenario:
    """Test A without Premium, with all rates and counts of packets divided by 40."""
    queue = Queue("all classes", PacketLimit(50), _early("e2", SAW_BY))
    port = Port("link", _left_bps() / SAW_BY, (queue,), classifier=Classifier(default=queue.name))
    return Scenario("saw-tooth", port, _streams(SAW_BY, "prec1", "prec3"))


def three_queues(less_than_best_effort_bps: float = units.mbps(60)) -> Scenario:
    """Test B without Premium, with all rates, quanta and counts of packets divided by 10."""
    facts = gsr12000.FACTS
    numbers = {"Updates": 0, "BE and IP Plus": 2, "LBE": 3}
    queues = []
    for name, number in numbers.items():
        quantum = facts[f"quantum_queue{number}_bytes"] * facts.quantum_e3_share / TURNS_BY
        early: dict[str, Any] = {"dropper": _early("e3", TURNS_BY)} if number == 2 else {}
        queues.append(Queue(name, PacketLimit(60), quantum_bytes=round(quantum), **early))
    where = (("prec6", "Updates"), ("prec0", "LBE"))
    port = Port(
        "link",
        _left_bps() / TURNS_BY,
        tuple(queues),
        ModifiedDrr(),
        classifier=Classifier(where, default="BE and IP Plus"),
    )
    streams = _streams(TURNS_BY, *NAMES, less_than_best_effort_bps=less_than_best_effort_bps)
    return Scenario("three queues", port, streams)


def one_memory(minimum_packets: float, maximum_packets: float) -> Scenario:
    """One input card in small, and the profile of best effort before that."""
    facts = gsr12000.FACTS
    profile = RedProfile(minimum_packets / MEMORY_BY, maximum_packets / MEMORY_BY)
    others = RedProfile(
        facts.label2_minimum / MEMORY_BY, (facts.label2_maximum + MEMORY_BY) / MEMORY_BY
    )
    wred = Red(others, (("prec1", profile),), Ewma(3))
    half_line = Shaper(facts.line_bps / len(gsr12000.PORTS) / MEMORY_BY, int(facts.frame_bytes))
    queues = (
        Queue("congested slot", PacketLimit(50), wred, shaper=half_line, pool="memory"),
        Queue("free slot", PacketLimit(50), wred, pool="memory"),
    )
    port = Port(
        "input card",
        units.gbps(4) / MEMORY_BY,
        queues,
        StrictPriority(),
        classifier=Classifier((("free", "free slot"),), default="congested slot"),
        pools=(MemoryPool("memory", round(units.megabytes(1) / MEMORY_BY)),),
    )
    free = Stream("to the free slot", units.mbps(200) / MEMORY_BY, 1000, mark="free")
    return Scenario("one memory", port, (*_streams(2 * MEMORY_BY, "prec1", "prec3"), free))


def _left_bps():
    """What Premium leaves of the line [bit/s]."""
    facts = gsr12000.FACTS
    return facts.line_bps - len(gsr12000.PORTS) * facts.offered_bps * facts.offered_prec5


def _early(engine, by):
    """WRED of best effort as it is fitted to a line card; all other classes only have the limit."""
    facts = gsr12000.FACTS
    look = Sampled(
        round(facts[f"relay_{engine}_packets"] / by),
        facts[f"relay_{engine}_s"],
        jitter=facts[f"relay_{engine}_jitter"],
        release_packets=0,
    )
    best_effort = RedProfile(facts.label1_minimum, facts.label1_maximum)
    return Red(best_effort, (("prec3", RedProfile(998, 999)),), look)


def _streams(by, *marks, less_than_best_effort_bps=None):
    """Classes of both tester ports with rates divided, one after the other so that none collide."""
    tested = gsr12000.streams("test_b", less_than_best_effort_bps)
    rates = {mark: sum(s.rate_bps for s in tested if s.mark == mark) / by for mark in marks}
    size = int(gsr12000.FACTS.frame_bytes)
    return tuple(
        Stream(NAMES[mark], rate_bps, size, mark=mark, start_s=units.us(17 * place))
        for place, (mark, rate_bps) in enumerate(rates.items())
    )
