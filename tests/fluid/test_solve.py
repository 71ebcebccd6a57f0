"""The fluid answer as a whole: what must balance, what is published, what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from qoslib import units
from qoslib.fluid import solve
from qoslib.platforms import m120
from qoslib.port import (
    DeficitRoundRobin,
    Fifo,
    HeadDrop,
    MemoryPool,
    PacketLimit,
    Pause,
    Pie,
    Port,
    Queue,
    Red,
    RedProfile,
    Shaper,
    TimeLimit,
)
from qoslib.traffic import FrameMix, Stream, imix
from strategies import SIMPLE_DROPPERS, ports, stream_sets

pytestmark = pytest.mark.newer

PORTS = ports(SIMPLE_DROPPERS, shared=False)
ONE = Port("access", 100e6, (Queue("all", PacketLimit(100)),))


@given(PORTS, stream_sets())
def test_offered_is_sent_and_dropped_and_every_drop_has_a_cause(port, streams):
    result = solve(port, streams)
    for unit in ("pps", "bps"):
        offered, sent, dropped = (
            getattr(result, f"{name}_{unit}") for name in ("offered", "sent", "dropped")
        )
        assert_allclose(offered, sent + dropped, rtol=1e-9, atol=1e-6)
        assert (sent >= 0).all()
        assert (dropped >= 0).all()
    causes = sum(result.dropped_by_pps.values())
    assert_allclose(causes, result.dropped_pps, rtol=1e-6, atol=1e-6)


@given(PORTS, stream_sets())
def test_the_line_carries_its_rate_at_most_and_is_never_idle_in_vain(port, streams):
    result = solve(port, streams)
    frames = np.array([stream.mean_frame_bytes for stream in streams])
    on_line = (result.sent_bps * (frames + port.overhead_bytes) / frames).sum()
    assert on_line <= port.rate_bps * (1 + 1e-9)
    held_back = port.shaper or any(queue.shaper for queue in port.queues)
    overflow = result.dropped_pps - result.dropped_by_pps.get("policer", 0)
    if (overflow > 1e-6 * result.offered_pps).any() and not held_back:
        assert on_line >= port.rate_bps * (1 - 1e-6)


def test_a_queue_with_room_for_less_than_a_frame_has_no_negative_wait():
    """Found by random ports: a visit of a round robin sends no more than the queue holds."""
    queue = Queue("a", TimeLimit(0.004), HeadDrop(), shaper=Shaper(1e5, 9000),
                  guaranteed_bps=1e5, quantum_bytes=500)  # fmt: skip
    port = Port("port", 267_384, (queue,), scheduler=DeficitRoundRobin())
    alone_s = units.serialisation_s(156, port.rate_bps)
    delays_s = [
        solve(port, [Stream("s", rate_bps, 156)]).delay_mean_s[0]
        for rate_bps in (100_000.0001, 100_001, 101_000, 200_000)
    ]
    assert (np.array(delays_s) > alone_s).all()


@given(PORTS, stream_sets())
def test_a_latency_is_there_exactly_where_something_is_sent(port, streams):
    result = solve(port, streams)
    assert (np.isnan(result.delay_mean_s) == (result.sent_bps == 0)).all()
    frames = np.array([stream.mean_frame_bytes for stream in streams])
    least = port.base_delay_s + units.serialisation_s(frames, port.rate_bps, port.overhead_bytes)
    sends = result.sent_bps > 0
    assert (result.delay_mean_s[sends] >= least[sends] * (1 - 1e-12)).all()


@given(PORTS, stream_sets(), st.lists(st.floats(0, 3), min_size=4, max_size=4))
def test_many_loads_at_once_are_the_loads_one_by_one(port, streams, factors):
    offered = np.array([stream.mean_rate_bps for stream in streams])
    loads = np.array(factors).reshape(2, 2, 1) * offered
    at_once = solve(port, streams, loads)
    for index in np.ndindex(2, 2):
        alone = solve(port, streams, loads[index])
        for quantity in ("sent_bps", "dropped_pps", "delay_mean_s"):
            together = getattr(at_once, quantity)[index]
            assert_allclose(together, getattr(alone, quantity), rtol=1e-9, atol=1e-9)


@given(PORTS, stream_sets())
def test_the_order_of_the_streams_does_not_matter(port, streams):
    forth, back = solve(port, streams), solve(port, streams[::-1])
    assert_allclose(forth.sent_bps, back.sent_bps[::-1], rtol=1e-9, atol=1e-6)


def test_published_drops_of_the_base_test_within_two_per_cent():
    result = solve(m120.port(), m120.PLATFORM.experiments()["base"].streams)
    assert result["BE"].dropped_pps == pytest.approx(199_653, rel=0.02)
    assert result["CS1"].dropped_pps == pytest.approx(24_659, rel=0.02)
    for lossless in ("CS2", "CS3", "CS4", "NC"):
        assert result[lossless].dropped_pps == 0


def test_published_drops_of_scenario_1_within_one_per_cent():
    result = solve(m120.port(), m120.PLATFORM.experiments()["scenario1"].streams)
    published = {"BE": 208_026, "CS2": 191_505, "CS1": 199_715, "NC": 8328}
    for stream, dropped_pps in published.items():
        assert result[stream].dropped_pps == pytest.approx(dropped_pps, rel=0.01)
    for lossless in ("CS3", "CS4"):
        assert result[lossless].dropped_pps == 0
    assert result["BE"].sent_bps == result["CS2"].sent_bps == 0


def test_overhead_is_paid_for_each_packet_of_a_mix():
    """What a line carries of IMIX in frames: 8 C times mean frame over mean frame and overhead."""
    port = ONE.replace(overhead_bytes=20.0)
    result = solve(port, [Stream("mix", 200e6, imix())])
    mean = (7 * 64 + 4 * 594 + 1518) / 12
    assert result["mix"].sent_bps == pytest.approx(100e6 * mean / (mean + 20))
    assert result["mix"].sent_pps == pytest.approx(100e6 / 8 / (mean + 20))


def test_a_mix_in_a_queue_counts_as_its_parts_in_the_queue():
    port = ONE.replace(overhead_bytes=38.0)
    mix = FrameMix((64, 1500), (0.5, 0.5))
    together = solve(port, [Stream("mix", 150e6, mix)])
    share = 64 / 1564
    apart = solve(port, [Stream("s", 150e6 * share, 64), Stream("l", 150e6 * (1 - share), 1500)])
    assert together.sent_bps.sum() == pytest.approx(apart.sent_bps.sum())
    assert together.sent_pps.sum() == pytest.approx(apart.sent_pps.sum())


def test_a_packet_limit_of_mixed_frames_waits_for_the_mean_packet():
    result = solve(ONE, [Stream("small", 100e6, 100), Stream("large", 100e6, 900)])
    mean_bytes = 2 / (1 / 100 + 1 / 900)
    waits = result.delay_mean_s - units.serialisation_s(np.array([100, 900]), 100e6)
    assert_allclose(waits, 100 * mean_bytes * 8 / 100e6)


STREAM = Stream("s", 1e6)


@pytest.mark.parametrize(
    ("port", "streams", "offered", "message"),
    [
        (ONE, [], None, r"streams are \[\]; allowed: at least one"),
        (ONE, [STREAM, STREAM], None, r"\['s', 's'\]; allowed: at least one, each name once"),
        (ONE, [STREAM], [-1.0], r"offered_bps has -1.0; allowed: 0 to 1e\+18"),
        (ONE, [STREAM], [[1.0], [np.nan]], "offered_bps has nan"),
        (ONE, [STREAM], [np.inf], "offered_bps has inf"),
        (ONE, [STREAM], [1e308], r"offered_bps has 1e\+308; allowed: 0 to 1e\+18"),
        (ONE, [STREAM], [1.0, 2.0], r"shape \(2,\); allowed: \(..., 1\)"),
        (ONE, [STREAM], 1.0, r"shape \(\); allowed: \(..., 1\)"),
        (m120.port(), [STREAM], None, "queue of stream 's' is 's'; allowed: CS4, NC, CS3"),
        (
            ONE.replace(queues=(Queue("q", PacketLimit(1), Pie()),)),
            [STREAM],
            None,
            r"Queue 'q' dropper is Pie\(\); allowed: TailDrop, .* model; model=\"packets\" runs",
        ),
        (
            ONE.replace(
                pools=(MemoryPool("m", 9),), queues=(Queue("q", PacketLimit(1), pool="m"),)
            ),
            [STREAM],
            None,
            "Queue 'q' pool is 'm'; allowed: none in the fluid model; model=\"packets\" runs",
        ),
        (
            ONE.replace(pause=Pause(9)),
            [STREAM],
            None,
            r"pause is Pause\(.*; allowed: none that",
        ),
    ],
)
def test_what_the_fluid_model_cannot_answer_it_refuses(port, streams, offered, message):
    with pytest.raises(ValueError, match=message):
        solve(port, streams, offered)


def test_a_pause_that_nobody_obeys_changes_nothing():
    assert ONE.scheduler == Fifo()
    deaf = ONE.replace(pause=Pause(9, obeyed=False))
    assert solve(deaf, [STREAM]).sent_bps == solve(ONE, [STREAM]).sent_bps


WRED = Red(RedProfile(20, 40), (("low", RedProfile(1, 2)),))
WEIGHTED = ONE.replace(queues=(Queue("all", PacketLimit(50), WRED),))


def wred(low_bps, high_bps):
    return solve(WEIGHTED, [Stream("low", low_bps), Stream("high", high_bps)])


@pytest.mark.parametrize(
    ("low", "high", "sent"),
    [(40, 50, (40, 50)), (40, 80, (20, 80)), (40, 120, (0, 100)), (0, 130, (0, 100))],
)
def test_the_lower_profile_loses_first(low, high, sent):
    result = wred(units.mbps(low), units.mbps(high))
    assert_allclose(result.sent_bps, units.mbps(np.array(sent)), atol=1e-3)
    assert set(result.dropped_by_pps) == {"red"}


def test_a_queue_that_red_holds_down_has_no_latency_and_says_why():
    late = wred(40e6, 80e6)
    assert np.isnan(late.delay_mean_s).all()
    assert set(late.without_delay) == {"low", "high"}
    early = wred(20e6, 30e6)
    assert_allclose(early.delay_mean_s, units.serialisation_s(1000, 100e6))
    assert not early.without_delay


def test_profiles_that_overlap_are_refused():
    both = Red(RedProfile(20, 40), (("low", RedProfile(1, 30)),))
    port = ONE.replace(queues=(Queue("all", PacketLimit(50), both),))
    with pytest.raises(ValueError, match="allowed: profiles that do not overlap in the fluid"):
        solve(port, [Stream("low", 1e6), Stream("high", 1e6)])
    assert solve(port, [Stream("low", 1e6), Stream("low too", 1e6, mark="low")]).sent_bps.all()


def test_a_ring_is_full_while_the_port_is_overloaded_and_else_empty():
    port = ONE.replace(transmit_ring_packets=10)
    packet_s = units.serialisation_s(1000, 100e6)
    for load_bps, ring in ((90e6, 0), (110e6, 10)):
        streams = [Stream("s", load_bps)]
        more_s = solve(port, streams).delay_mean_s - solve(ONE, streams).delay_mean_s
        assert_allclose(more_s, ring * packet_s, atol=1e-12)
