"""Policers and shapers in the long run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from qoslib import units
from qoslib.fluid import solve
from qoslib.packets import simulate
from qoslib.port import (
    ByteLimit,
    Codel,
    DeficitRoundRobin,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    Shaper,
    StrictPriority,
)
from qoslib.port.metering import ios_ring_packets
from qoslib.traffic import Poisson, Stream, TickedBursts

MBPS = 1e6


def low_latency(when="congested", counted_bytes=0, line_mbps=100, **changes):
    """A policed queue before a default one."""
    police = Policer(20 * MBPS, 500_000, when, overhead_bytes=counted_bytes)
    queues = (
        Queue("EF", PacketLimit(512), policer=police),
        Queue("default", PacketLimit(416), priority=1),
    )
    return Port("port", line_mbps * MBPS, queues, StrictPriority()).replace(**changes)


def sent_mbps(port, ef, default, frame_bytes=1000):
    streams = [Stream("EF", ef * MBPS, frame_bytes), Stream("default", default * MBPS, frame_bytes)]
    return (solve(port, streams).sent_bps / MBPS).tolist()


def test_an_unconditional_policer_drops_on_an_idle_line_a_conditional_one_does_not():
    assert sent_mbps(low_latency("always"), 30, 10) == [20, 10]
    assert sent_mbps(low_latency("congested"), 30, 10) == [30, 10]
    assert sent_mbps(low_latency("congested"), 30, 70) == [30, 70]


def test_a_conditional_policer_holds_its_rate_under_lasting_congestion():
    assert sent_mbps(low_latency(), 30, 90) == [20, 80]
    assert sent_mbps(low_latency(), 300, 80) == [20, 80]


def test_a_conditional_policer_drops_no_more_than_ends_the_congestion():
    assert_allclose(sent_mbps(low_latency(), 30, 75), [25, 75])
    assert_allclose(sent_mbps(low_latency(), 30, 70.001), [29.999, 70.001])


@given(st.floats(0, 100), st.floats(0, 200), st.floats(0, 50))
def test_a_conditional_policer_never_leaves_a_congested_line_idle(ef, default, more):
    sent = sent_mbps(low_latency(), ef, default)
    assert sum(sent) == pytest.approx(min(ef + default, 100), rel=1e-9)
    assert sent_mbps(low_latency(), ef + more, default)[0] >= sent[0] - 1e-6


def test_a_shaped_port_is_congested_at_its_shaper():
    port = low_latency(line_mbps=1000, shaper=Shaper(100 * MBPS, 10_000))
    assert_allclose(sent_mbps(port, 30, 90), [20, 80])


def test_overhead_that_the_policer_counts_costs_rate():
    assert_allclose(sent_mbps(low_latency("always", 50), 30, 0), [20 / 1.05, 0])
    policed = low_latency("always", 14), 30, 0, 1476
    assert sent_mbps(*policed)[0] == pytest.approx(20 * 1476 / 1490)


def test_the_published_low_latency_test_within_two_per_cent():
    """100 Mb/s of 1490 B packets, 24 B more on the wire; 30 and 80 Mb/s of 1448 B payloads."""
    port = low_latency(overhead_bytes=24.0)
    ratio = 1490 / 1448
    streams = [Stream("EF", 30e6 * ratio, 1490), Stream("default", 80e6 * ratio, 1490)]
    result = solve(port, streams)
    assert result["default"].sent_bps / ratio == pytest.approx(76.2e6, rel=0.02)


def test_policed_and_overflown_packets_are_told_apart():
    port, frame = low_latency(), 1000
    streams = [Stream("EF", 30e6, frame), Stream("default", 90e6, frame)]
    result = solve(port, streams)
    assert_allclose(result.dropped_by_pps["policer"], [units.rate_pps(10e6, frame), 0])
    assert_allclose(result.dropped_by_pps["tail"], [0, units.rate_pps(10e6, frame)])


def test_a_queue_shaper_holds_a_queue_on_an_idle_line_and_makes_it_late():
    queue = Queue("q", PacketLimit(100), shaper=Shaper(10 * MBPS, 10_000))
    port = Port("port", 100 * MBPS, (queue,), overhead_bytes=24)
    result = solve(port, [Stream("s", 20 * MBPS, 1000)])
    assert result.sent_bps == pytest.approx(10 * MBPS)
    assert result.delay_mean_s == pytest.approx(100 * 8000 / 10e6 + 8 * 1024 / 100e6)


@given(st.floats(0, 5e8), st.floats(0, 5e8), st.floats(1e6, 5e8), st.none() | st.floats(1e6, 5e8))
def test_a_port_shaper_counts_frames_whatever_their_sizes(first, second, rate, queue_rate):
    shaper = None if queue_rate is None else Shaper(queue_rate, 10_000)
    queues = (
        Queue("small", PacketLimit(9), shaper=shaper, quantum_bytes=1000),
        Queue("large", PacketLimit(9), priority=1, quantum_bytes=3000),
    )
    wanted = min(first, queue_rate or first) + second
    for scheduler in (StrictPriority(), DeficitRoundRobin()):
        port = Port("port", 2e9, queues, scheduler, 38, shaper=Shaper(rate, 10_000))
        sent = solve(port, [Stream("small", first, 64), Stream("large", second, 1500)]).sent_bps
        assert_allclose(sent.sum(), min(wanted, rate), rtol=1e-9, atol=1)


def test_many_loads_of_a_shaped_and_policed_port_are_the_loads_one_by_one():
    port = low_latency(shaper=Shaper(90 * MBPS, 10_000), overhead_bytes=24.0)
    streams = [Stream("EF", 1.0, 500), Stream("default", 1.0, 1500)]
    loads = np.random.default_rng(1).uniform(0, 1e8, (5, 7, 2))
    at_once = solve(port, streams, loads)
    for index in np.ndindex(5, 7):
        alone = solve(port, streams, loads[index])
        assert_allclose(at_once.sent_bps[index], alone.sent_bps, rtol=1e-12)
        assert_allclose(at_once.delay_mean_s[index], alone.delay_mean_s, rtol=1e-12)


@pytest.mark.parametrize("ring_packets", [0, 64])
@pytest.mark.parametrize("burst_bytes", [400, 20_000])
@pytest.mark.parametrize("jitter_s", [0.0, 1e-3])
@pytest.mark.parametrize("line_mbps", [10, 100, 1000])
def test_voice_within_its_rate_loses_nothing_at_60_per_cent_load(
    line_mbps, jitter_s, burst_bytes, ring_packets
):
    """Its packets exceed a burst of two when jitter bunches them; the ring is never full."""
    line_bps = line_mbps * MBPS
    police = Policer(0.1 * line_bps, burst_bytes, "congested")
    port = low_latency(line_mbps=line_mbps, transmit_ring_packets=ring_packets)
    voice, data = port.queues
    port = port.replace(queues=(voice.replace(policer=police), data), overhead_bytes=20)
    streams = [
        Stream("EF", 0.1 * line_bps, 200, jitter_s=jitter_s),
        Stream("default", 0.5 * line_bps, 1500, Poisson()),
    ]
    packets = simulate(port, streams, 100 / line_mbps, bins=1)
    assert packets.packets.lost.tolist() == [0, 0]
    assert solve(port, streams).dropped_bps.tolist() == [0, 0]


CONGESTED = {
    "a long queue": {},
    "a short queue": {"limit": PacketLimit(10)},
    "RED": {"dropper": Red(RedProfile(5, 20, 0.5))},
    "CoDel": {"dropper": Codel()},
    "a queue in bytes": {"limit": ByteLimit(30_000)},
}


@pytest.mark.parametrize("changes", CONGESTED.values(), ids=CONGESTED)
@pytest.mark.parametrize("ring_packets", [0, 16])
def test_a_conditional_policer_acts_under_lasting_congestion_however_short_the_queue(
    ring_packets, changes
):
    port = low_latency(transmit_ring_packets=ring_packets)
    voice, data = port.queues
    policer = Policer(20 * MBPS, 20_000, "congested")
    port = port.replace(queues=(voice.replace(policer=policer), data.replace(**changes)))
    ticks = TickedBursts(1e-3)
    streams = [Stream("EF", 30 * MBPS, 500, ticks), Stream("default", 150 * MBPS, 1500, Poisson())]
    packets = simulate(port, streams, 1.0, warmup_s=0.2, bins=1)
    assert packets.sent_bps == pytest.approx([20 * MBPS, 80 * MBPS], rel=0.02)


def test_the_transmit_ring_of_ios_by_line_rate():
    rates_mbps = 1.5, 2, 9, 10, 25, 35, 40, 10_000
    rings = [ios_ring_packets(rate * MBPS) for rate in rates_mbps]
    assert rings == [2, 4, 4, 8, 16, 32, 64, 64]
    assert ios_ring_packets(None) == 64


def test_what_a_saved_policer_says_of_congestion_is_kept():
    saved = Policer(20 * MBPS, 20_000, "congested", congestion_packets=1).to_json()
    assert Policer.from_json(saved).congestion_packets == 1
    left_open = Policer(20 * MBPS, 20_000, "congested")
    assert Policer.from_json(left_open.to_json()) == left_open
    assert left_open.congestion_packets is None
