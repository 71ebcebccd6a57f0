"""One memory behind several ports: Choudhury and Hahne's steady state, and bursts into it."""

import dataclasses
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from places import ROOT
from qoslib import Scenario, run, sweep
from qoslib import port as p
from qoslib.explore import packet_view
from qoslib.fluid import burst_bytes, solve, threshold_bytes
from qoslib.packets import simulate
from qoslib.record import from_json
from qoslib.results import QUANTITIES
from qoslib.traffic import Poisson, Stream

LINE_BPS = 1e9
#: A packet of 1000 B takes one unit of memory, and one slot on the line.
PACKET_BYTES = 1000
SLOT_S = 8 * PACKET_BYTES / LINE_BPS
MEMORY_PACKETS = 3000


def port(name, alpha, **queue):
    fields = {"pool": "memory", "alpha": alpha} | queue
    memory = p.MemoryPool("memory", MEMORY_PACKETS * PACKET_BYTES)
    return p.Port(
        name, LINE_BPS, (p.Queue("all", p.PacketLimit(10**4), **fields),), pools=(memory,)
    )


def switch(*alphas):
    names = [f"port {number}" for number in range(len(alphas))]
    hops = [p.Hop(port(n, a), (n,)) for n, a in zip(names, alphas, strict=True)]
    return p.Switch("switch", tuple(hops))


def overload(described, times=2.0, **fields):
    """Each port is offered twice what its line carries."""
    return [Stream(hop.at.name, times * LINE_BPS, PACKET_BYTES, **fields) for hop in described.hops]


#: Alphas -> what each queue holds of 3,000 packets' memory; 8 and 1 share 2,400 to 300.
STEADY = {
    (1,): (1500,),
    (1, 1): (1000, 1000),
    (8,): (2666.7,),
    (8,) * 4: (727.3,) * 4,
    (0.5,) * 3: (600,) * 3,
    (0.125,) * 2: (300,) * 2,
    (8, 1): (2400, 300),
}


@pytest.mark.parametrize("alphas", STEADY)
def test_every_port_stands_at_its_threshold(alphas):
    """Both models: ``q = alpha M / (1 + sum alpha)``, within a packet or two of the anchors."""
    described = switch(*alphas)
    streams = overload(described)
    result = simulate(described, streams, 20_000 * SLOT_S, bins=20)
    assert_allclose(result.history.queue_packets[:, -5:].T, [STEADY[alphas]] * 5, atol=2)
    assert_allclose(threshold_bytes(MEMORY_PACKETS, alphas), STEADY[alphas], rtol=1e-4)
    fluid = solve(described, streams)
    assert_allclose(fluid.delay_mean_s / SLOT_S, np.array(STEADY[alphas]) + 1, rtol=1e-4)
    assert_allclose(fluid.sent_bps, LINE_BPS)
    later = simulate(described, streams, 20_000 * SLOT_S, warmup_s=12_000 * SLOT_S)
    assert_allclose(later.delay_mean_s / SLOT_S, np.array(STEADY[alphas]), rtol=0.01, atol=2)


#: Alpha, speed -> the length at which the burst loses its first packet.
BURSTS = {
    (0.5, 2): 750,
    (0.5, 3): 750,
    (0.5, 11): 690,
    (1, 2): 1000,
    (1, 3): 1000,
    (1, 11): 789,
    (8, 2): 1408,
    (8, 3): 532,
    (8, 11): 325,
}


@pytest.mark.parametrize(("alpha", "speed"), BURSTS)
def test_a_large_alpha_starves_fast_bursts(alpha, speed):
    """A burst into an empty port, while the other stands at its threshold: law and packets."""
    assert burst_bytes(MEMORY_PACKETS, alpha, speed) == pytest.approx(BURSTS[alpha, speed], abs=4)
    described = switch(alpha, alpha)
    standing, burst = overload(described)
    begins_s = 12_000 * SLOT_S
    burst = burst.replace(rate_bps=speed * LINE_BPS, start_s=begins_s)
    result = simulate(
        described, [standing, burst], begins_s + 3000 * SLOT_S, events=150_000, progress=quiet
    )
    events = result.hops[1].events
    first = np.flatnonzero(events.kind == "drop")[0]
    # It is one packet off where packets of both ports arrive at the same time.
    found = events.queue_packets[first]
    assert found == pytest.approx(burst_bytes(MEMORY_PACKETS, alpha, speed), abs=4)


def quiet(done_s, total_s):
    """No progress bar."""


#: Of `docs/tasks.md`: full ports, and the longest burst that gets through one more, at ten times
#: the line rate with a memory of 32 MB.
TASK = re.findall(
    r"^(\d) full ports hold [\d.]+ MB each; a \D*(\d+\.\d) MB",
    (ROOT / "docs" / "tasks.md").read_text(),
    re.MULTILINE,
)


@pytest.mark.parametrize(("full", "megabytes"), TASK)
def test_the_longest_burst_of_the_tasks_is_the_longest_without_loss(full, megabytes):
    """A burst 3 % shorter gets through the packet model, and one 3 % longer does not."""
    described = switch(*[1] * (int(full) + 1))
    *standing, burst = overload(described)
    begins_s = 12_000 * SLOT_S

    def lost(part):
        sent_s = part * float(megabytes) / 32 * MEMORY_PACKETS * SLOT_S / 10
        one = burst.replace(rate_bps=10 * LINE_BPS, start_s=begins_s, stop_s=begins_s + sent_s)
        result = simulate(described, [*standing, one], begins_s + 2 * sent_s, progress=quiet)
        return result[burst.name].dropped_pps

    assert lost(0.97) == 0
    assert lost(1.03) > 0


def test_the_task_has_three_bursts():
    assert [full for full, _ in TASK] == ["1", "3", "7"]


def test_several_standing_queues_leave_a_burst_less():
    alone, three = (burst_bytes(MEMORY_PACKETS, 1, 11, standing=n) for n in (1, 3))
    assert (round(alone), round(three)) == (789, 441)
    assert burst_bytes(MEMORY_PACKETS, 1, 3, standing=3) == MEMORY_PACKETS / 5


def test_a_reserved_part_saves_a_victim():
    """An incast that takes what is free; the other port loses nothing of 100 packets it has."""
    hog, victim = port("hog", 8), port("victim", 0.125)
    streams = [Stream("hog", 3 * LINE_BPS), Stream("victim", LINE_BPS * 0.9, 1000, Poisson())]

    def lost(reserved):
        kept = victim.queues[0].replace(reserved_bytes=reserved)
        hops = (p.Hop(hog, ("hog",)), p.Hop(victim.replace(queues=(kept,)), ("victim",)))
        result = simulate(p.Switch("s", hops), streams, 0.5, warmup_s=0.1)
        return result["victim"].dropped_pps

    assert lost(0) > 0
    assert lost(100_000) == 0


def leaves(*schedulers, kind="port", **fields):
    """A port of two queues for each scheduler, with a memory of its own."""
    for number, scheduler in enumerate(schedulers):
        name = f"{kind} {number}"
        memory = p.MemoryPool(f"memory of {name}", 50_000)
        queues = tuple(
            p.Queue(mark, p.PacketLimit(99), pool=memory.name, quantum_bytes=1500, **fields)
            for mark in ("red", "blue")
        )
        by_mark = p.Classifier((("red", "red"),), "blue")
        yield p.Port(name, 5e8, queues, scheduler, pools=(memory,), classifier=by_mark)


FAIR = p.StartTimeFairQueueing()
NODES = (p.Node("root", ("red", "blue"), guaranteed_bps=5e8, shaper=p.Shaper(4e8, 9000)),)
KINDS = {
    "flat": leaves(p.DeficitRoundRobin(), p.StrictPriority()),
    "trees": leaves(p.SchedulerTree(NODES), p.SchedulerTree((p.Node("root", ("blue", "red")),))),
    "HTB": leaves(p.HierarchicalTokenBucket(NODES), p.HierarchicalTokenBucket(NODES)),
    "flow queues": leaves(p.DeficitRoundRobin(), p.StrictPriority(), flows=p.FlowQueues(16)),
    "flow queues in trees": leaves(p.SchedulerTree(NODES), FAIR, flows=p.FlowQueues(16)),
    "all kinds": [
        *leaves(p.SchedulerTree(NODES), p.HierarchicalTokenBucket(NODES), FAIR),
        *leaves(FAIR, kind="flows", flows=p.FlowQueues(16)),
    ],
}


@pytest.mark.parametrize("ports", [list(each) for each in KINDS.values()], ids=KINDS)
def test_ports_without_a_common_memory_are_ports_alone(ports):
    """The same draws, so the same record, port by port, events and all."""
    streams = [
        Stream(f"{at.name}, {mark}", rate_bps, 1000, Poisson(), mark=mark, flows=9)
        for at, rate_bps in zip(ports, (8e8, 2e8, 4.9e8, 6e8), strict=False)
        for mark in ("red", "blue")
    ]
    by_port = [tuple(s.name for s in streams if s.name.startswith(at.name)) for at in ports]
    hops = tuple(p.Hop(at, names) for at, names in zip(ports, by_port, strict=True))
    options = {"seed": 3, "warmup_s": 0.002, "events": 2000}
    result = simulate(p.Switch("s", hops), streams, 0.02, chunk_packets=99, **options)
    alone = simulate(p.Chain("c", hops), streams, 0.02, **options)
    assert_array_equal(result.packets.sent, alone.packets.sent)
    for mine, other in zip(result.hops, alone.hops, strict=True):
        assert dataclasses.replace(mine, trace=None) == other


def test_the_whole_says_what_its_ports_say():
    described = p.Switch(
        "s", (p.Hop(port("a", 1), ("one", "three")), p.Hop(port("b", 2), ("two",)))
    )
    streams = [Stream(name, 0.7e9, 1000, Poisson()) for name in ("one", "two", "three")]
    for model in ("packets", "fluid"):
        result = run(Scenario("s", described, streams, duration_s=0.05), model)
        assert result.queues == ("a/all", "b/all")
        assert [hop.streams for hop in result.hops] == [("one", "three"), ("two",)]
        for hop in result.hops:
            for name in hop.streams:
                for quantity in QUANTITIES:
                    one, other = getattr(result[name], quantity), getattr(hop[name], quantity)
                    assert one == other, quantity
    history, hops = result.history, result.hops
    assert history is None
    assert len(hops) == 2
    packets = run(Scenario("s", described, streams, duration_s=0.05))
    queued = packets.packets.offered - packets.packets.sent - packets.packets.lost
    assert_array_equal(packets.packets.queued, queued)
    assert_array_equal(
        packets.history.queue_packets,
        np.concatenate([hop.history.queue_packets for hop in packets.hops]),
    )
    assert_array_equal(packets.history.sent_packets[1], packets.hops[1].history.sent_packets[0])


def test_a_run_of_a_switch_repeats_itself_in_pieces():
    described = switch(0.5, 2)
    streams = overload(described, 1.5, arrivals=Poisson())
    whole = simulate(described, streams, 2e-3, seed=5, warmup_s=1e-3)
    assert simulate(described, streams, 2e-3, seed=5, warmup_s=1e-3, chunk_packets=7) == whole


def test_a_switch_is_a_document():
    described = switch(1, 8)
    assert from_json(described.to_json()) == described
    scenario = Scenario("s", described, overload(described))
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert "Switch 'switch'" in str(scenario)


def test_the_packet_view_has_a_lane_for_each_port():
    described = switch(1, 0.5)
    scenario = Scenario("s", described, overload(described))
    lanes = packet_view(scenario, packets=40).spec["lanes"]
    assert [lane["title"] for lane in lanes] == ["port 0", "port 1"]
    (only,) = packet_view(scenario, packets=40, hop="port 1").spec["lanes"]
    assert only["streams"] == [["port 1", 0]]


def test_a_sweep_moves_an_alpha():
    scenario = Scenario("s", switch(1, 1), overload(switch(1, 1)), 0.12, warmup_s=0.1)
    swept = sweep(scenario, {"network.hops['port 0'].at.queues[0].alpha": [1, 8]}, bins=1)
    assert np.diff(swept.delay_max_s[:, 1]) < 0


ONE = port("one", 1)
OTHER = p.MemoryPool("memory", 9)


@pytest.mark.parametrize(
    ("describe", "message"),
    [
        (lambda: p.Switch("s", ()), r"the ports of switch 's' are \[\]; allowed: at least one"),
        (lambda: p.Switch("s", (p.Hop(ONE),) * 2), "the ports .*; allowed: at least one, each"),
        (
            lambda: p.Switch(
                "s", (p.Hop(p.Forwarder("f", ONE.queues[0].replace(pool="", alpha=None), 1)),)
            ),
            "a hop of switch 's' is 'Forwarder'; allowed: a Port",
        ),
        (
            lambda: p.Switch("s", (p.Hop(ONE), p.Hop(ONE.replace(name="two", pools=(OTHER,))))),
            "Port 'two' pool 'memory' is .*; allowed: MemoryPool",
        ),
        (
            lambda: p.Switch(
                "s", tuple(p.Hop(port(n, 1, reserved_bytes=2_000_000)) for n in ("one", "two"))
            ),
            "reserved_bytes of the queues of pool 'memory' are 4000000; allowed: at most 3000000",
        ),
        (lambda: switch(1).members([Stream("x")]), "a stream of port 'port 0' is 'port 0'"),
        (
            lambda: p.Switch("s", (p.Hop(ONE, ("a",)),)).members([Stream("a"), Stream("b")]),
            r"the ports by which stream 'b' leaves are \[\]; allowed: one",
        ),
        (
            lambda: p.Switch("s", (p.Hop(ONE), p.Hop(port("b", 1)))).members([Stream("a")]),
            r"by which stream 'a' leaves are \['one', 'b'\]; allowed: one",
        ),
        (
            lambda: p.Switch("s", (p.Hop(ONE), p.Hop(port("b", 1), ("a",)))).members([]),
            "a stream of port 'b' is 'a'|the streams of port 'one' are",
        ),
        (
            lambda: simulate(switch(1, 1), [Stream("port 0")], 1.0),
            "a stream of port 'port 1' is 'port 1'; allowed: port 0",
        ),
    ],
)
def test_what_makes_no_sense_gets_one_clear_error(describe, message):
    with pytest.raises(ValueError, match=message):
        describe()
