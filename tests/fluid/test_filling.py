"""The filling of a queue in the fluid model of a short run: drops as in packets, or a note."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from qoslib import Scenario, run
from qoslib.fluid import over_time, solve
from qoslib.packets import simulate
from qoslib.port import (
    Chain,
    Forwarder,
    HeadDrop,
    Hop,
    PacketLimit,
    Port,
    Queue,
    Shaper,
    StrictPriority,
    Switch,
)
from qoslib.traffic import Stream

M = 1e6
FRAME = 1500


def port(limit, **more):
    return Port("p", 10 * M, (Queue("q", PacketLimit(limit)),), **more)


@pytest.mark.parametrize("limit", [10, 100, 400])
@pytest.mark.parametrize("load", [1.1, 1.5, 3.0])
def test_what_fills_the_queue_is_not_dropped_and_is_sent_afterwards(limit, load):
    """One second of overload, and time to drain: the limit's packets are not among the drops."""
    streams = [Stream("a", load * 10 * M, FRAME, stop_s=1.0)]
    fluid, packets = over_time(port(limit), streams, 2.0), simulate(port(limit), streams, 2.0)
    dropped = fluid.dropped_pps[0] * 2.0
    steady = (load - 1) * 10 * M / 8 / FRAME
    assert dropped == pytest.approx(max(steady - limit, 0), abs=2)
    assert dropped == pytest.approx(packets["a"].dropped_packets, abs=3)
    assert_allclose(fluid.offered_pps, fluid.sent_pps + fluid.dropped_pps)


def test_what_still_waits_at_the_end_is_neither_sent_nor_dropped():
    streams = [Stream("a", 20 * M, FRAME, start_s=0.5)]
    fluid = over_time(port(100), streams, 1.0)
    waits = (fluid.offered_pps - fluid.sent_pps - fluid.dropped_pps)[0] * 1.0
    assert waits == pytest.approx(100, abs=1.5)
    assert simulate(port(100), streams, 1.0)["a"].dropped_packets == pytest.approx(
        fluid.dropped_pps[0], abs=3
    )


def test_a_queue_that_never_fills_drops_nothing():
    streams = [Stream("a", 12 * M, FRAME, stop_s=0.5)]
    fluid = over_time(port(400), streams, 1.0)
    assert fluid.dropped_pps[0] == 0
    assert fluid.sent_pps[0] == pytest.approx(fluid.offered_pps[0])


def test_a_burst_after_a_pause_fills_the_queue_again_where_it_drained():
    """Twice half a second of 15 Mb/s, and half a second of nothing to drain 100 packets."""
    streams = [
        Stream("first", 15 * M, FRAME, stop_s=0.5),
        Stream("second", 15 * M, FRAME, start_s=1.0, stop_s=1.5),
    ]
    fluid, packets = over_time(port(100), streams, 2.5), simulate(port(100), streams, 2.5)
    for name in ("first", "second"):
        dropped = fluid[name].dropped_pps * 2.5
        assert dropped == pytest.approx(packets[name].dropped_packets, abs=3)


def test_classes_of_two_priorities_with_a_warm_up_and_a_shaper():
    queues = (
        Queue("high", PacketLimit(50), shaper=Shaper(4 * M, 3000)),
        Queue("low", PacketLimit(200), HeadDrop(), priority=1),
    )
    made = Port("p", 10 * M, queues, StrictPriority(), overhead_bytes=24)
    streams = [
        Stream("high", 6 * M, FRAME, stop_s=2.4),
        Stream("low", 9 * M, FRAME, start_s=0.4, stop_s=2.0),
    ]
    for warmup_s in (0.0, 1.0):
        fluid = over_time(made, streams, 4.0, warmup_s=warmup_s)
        packets = simulate(made, streams, 4.0, warmup_s=warmup_s)
        counted_s = 4.0 - warmup_s
        assert_allclose(fluid.dropped_pps * counted_s, packets.packets.lost, rtol=0.02, atol=6)
        assert (np.abs(fluid.sent_pps - packets.sent_pps) * counted_s < 8).all()


@pytest.mark.parametrize("warmup_s", [0.0, 0.1])
@pytest.mark.parametrize("duration_s", [0.5, 1.0, 10.0])
def test_a_run_over_time_without_start_and_stop_fills_its_queues_first(duration_s, warmup_s):
    streams = [Stream("a", 15 * M, FRAME)]
    fluid = over_time(port(100), streams, duration_s, warmup_s=warmup_s)
    packets = simulate(port(100), streams, duration_s, warmup_s=warmup_s)
    dropped = fluid["a"].dropped_pps * (duration_s - warmup_s)
    assert dropped == pytest.approx(packets["a"].dropped_packets, abs=3)


FIRST = Port("first", 20 * M, (Queue("q", PacketLimit(200)),))
SECOND = port(100)
ENGINE = Forwarder("engine", Queue("q", PacketLimit(300)), packet_s=1e-3)
A, B = Stream("a", 30 * M, FRAME), Stream("b", 15 * M, FRAME)
EMPTY_AT_FIRST = {
    "a port": (SECOND, (B,), 0.5),
    "a queue that drops at its head": (
        Port("p", 10 * M, (Queue("q", PacketLimit(100), HeadDrop()),)),
        (B,),
        0.5,
    ),
    "a forwarder": (ENGINE, (B,), 1.0),
    "a chain": (Chain("two", (Hop(FIRST), Hop(SECOND))), (A,), 0.3),
    "a switch": (Switch("leaf", (Hop(FIRST, ("a",)), Hop(SECOND, ("b",)))), (B, A), 0.5),
}


@pytest.mark.parametrize(
    ("network", "streams", "duration_s"), EMPTY_AT_FIRST.values(), ids=EMPTY_AT_FIRST
)
def test_a_steady_answer_says_what_a_run_would_lose_while_its_queues_fill(
    network, streams, duration_s
):
    scenario = Scenario("s", network, streams, duration_s)
    fluid, packets = run(scenario, "fluid"), run(scenario)
    assert_allclose(fluid.sent_bps, solve(network, streams).sent_bps)
    (note,) = fluid.notes
    said = re.findall(r"(\w+) would lose ([\d.]+) % instead of ([\d.]+) %", note)
    assert [name for name, _, _ in said] == [stream.name for stream in streams]
    for name, filling, steady in said:
        assert float(filling) == pytest.approx(100 * packets[name].drop_ratio, abs=1.5)
        assert float(steady) == pytest.approx(100 * fluid[name].drop_ratio, rel=0.01)


@pytest.mark.parametrize(("duration_s", "warmup_s"), [(10.0, 0.0), (1.0, 0.3)])
def test_a_long_run_and_one_with_a_warm_up_have_nothing_to_say(duration_s, warmup_s):
    scenario = Scenario("s", SECOND, (B,), duration_s, warmup_s)
    assert run(scenario, "fluid").notes == ()


def test_of_many_streams_that_fill_a_queue_three_are_named():
    streams = tuple(Stream(name, 3 * M, FRAME) for name in "vwxyz")
    (note,) = run(Scenario("s", SECOND, streams, 0.5), "fluid").notes
    assert note.count("instead of 33.3 %") == 3
    assert "and 2 more would lose less" in note
