"""What a queue may hold: packets and bytes, resume thresholds, cells, dynamic thresholds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from qoslib import Scenario, run
from qoslib import port as p
from qoslib.fluid import burst_bytes, solve, threshold_bytes
from qoslib.packets import simulate
from qoslib.traffic import OnOff, Poisson, Stream

LINE_BPS = 1e9


def line(limit, dropper="tail_drop", **fields):
    return p.Port("line", LINE_BPS, (p.Queue("all", limit, dropper),), **fields)


def cbr(load, frame_bytes=1000):
    return [Stream("cbr", load * LINE_BPS, frame_bytes)]


def lengths(port, streams, duration_s=0.0192, warmup_s=0.0048):
    """The queue's length after each departure of the steady state, and the drops after it."""
    result = simulate(port, streams, duration_s, warmup_s=warmup_s, events=40_000)
    events = result.events
    steady = events.time_s > warmup_s
    assert events.time_s[-1] > 0.99 * duration_s
    return events.queue_packets[steady & (events.kind == "choice")], result, events.kind[steady]


def runs_of_drops(kinds):
    """How many arrivals in a row were dropped, each time."""
    arrivals = kinds[(kinds == "drop") | (kinds == "enqueue")]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], arrivals == "drop", [False]])))
    return np.diff(edges)[::2][1:-1]


def test_a_resume_threshold_makes_losses_bursty_and_no_more():
    """1.5 times the line's rate, 100 packets, resume at 80: 80 to 99 wait after a departure.

    A cycle fills for 40 packets and drains for 20, in which 30 arrive and are dropped.
    """
    held, result, kinds = lengths(line(p.PacketLimit(100, resume_packets=80)), cbr(1.5))
    assert (held.min(), held.max()) == (80, 99)
    assert held.mean() == pytest.approx(89.8, abs=0.2)
    assert result.packets.lost / result.packets.offered == pytest.approx(1 / 3, abs=1e-3)
    assert runs_of_drops(kinds) == pytest.approx(30, abs=1)
    plain, without, alone = lengths(line(p.PacketLimit(100)), cbr(1.5))
    assert set(plain) == {99}
    assert set(runs_of_drops(alone)) == {1}
    assert_allclose(result.packets.lost, without.packets.lost, rtol=5e-3)


@pytest.mark.parametrize(
    ("limit", "frame_bytes", "packets"),
    [
        (p.PacketLimit(100, limit_bytes=64_000), 1000, 64),
        (p.PacketLimit(100, limit_bytes=64_000), 500, 100),
        (p.PacketLimit(100, 64_000, 40), 1000, (64 + 40) / 2),
        (p.ByteLimit(64_000, 40_000), 1000, (64 + 40) / 2),
    ],
)
def test_the_limit_that_is_hit_first_holds_in_both_models(limit, frame_bytes, packets):
    port, streams = line(limit), cbr(1.5, frame_bytes)
    waits_s = 8 * frame_bytes * (packets + 1) / LINE_BPS
    assert solve(port, streams).delay_mean_s[0] == pytest.approx(waits_s)
    found = simulate(port, streams, 0.05, warmup_s=0.01)
    assert found.delay_mean_s[0] == pytest.approx(waits_s, rel=0.02)


SIZES = {64: 208, 208: 208, 209: 416, 1500: 1664, 9000: 9152}


@pytest.mark.parametrize("frame_bytes", SIZES)
def test_memory_is_taken_in_cells(frame_bytes):
    """A memory of 50 packets' cells holds 50 packets, whatever their cells waste."""
    memory = p.MemoryPool("memory", 50 * SIZES[frame_bytes], cell_bytes=208)
    assert memory.taken_bytes(frame_bytes) == SIZES[frame_bytes]
    queue = p.Queue("all", p.PacketLimit(500), pool="memory")
    port = p.Port("line", LINE_BPS, (queue,), pools=(memory,))
    packets_s = 8 * frame_bytes / LINE_BPS
    result = simulate(port, cbr(1.5, frame_bytes), 1000 * packets_s)
    assert result.history.queue_packets.max() == 50
    assert set(result.packets.dropped) == {"pool"}


def shared(alphas, memory_bytes=300_000, reserved=0, **pool):
    """A port of equal queues that share a memory, each offered twice its part of the line."""
    names = [f"q{i}" for i in range(len(alphas))]
    queues = tuple(
        p.Queue(name, p.PacketLimit(10**4), pool="m", alpha=alpha, reserved_bytes=reserved)
        for name, alpha in zip(names, alphas, strict=True)
    )
    memory = p.MemoryPool("m", memory_bytes, **pool)
    port = p.Port("port", LINE_BPS, queues, p.StartTimeFairQueueing(), pools=(memory,))
    return port, [Stream(name, 2 * LINE_BPS / len(names), 1000, Poisson()) for name in names]


@pytest.mark.parametrize("alphas", [(1,), (1, 1), (8,) * 4, (0.5,) * 3, (0.125,) * 2, (8, 1)])
@pytest.mark.parametrize("reserved", [0, 20_000])
def test_queues_stand_at_their_dynamic_thresholds_in_both_models(alphas, reserved):
    """Choudhury and Hahne 1998: ``q = alpha M / (1 + sum alpha)``, and what is reserved besides."""
    port, streams = shared(alphas, 300_000 + reserved * len(alphas), reserved)
    held_bytes = threshold_bytes(300_000, alphas) + reserved
    assert_allclose(
        held_bytes - reserved, 300_000 * np.array(alphas) / (1 + sum(alphas)), rtol=1e-12
    )
    waits_s = 8 * len(alphas) * (held_bytes + 1000 / len(alphas)) / LINE_BPS
    fluid = solve(port, streams)
    assert_allclose(fluid.delay_mean_s, waits_s)
    assert set(fluid.dropped_by_pps) == {"pool"}
    found = simulate(port, streams, 0.3, warmup_s=0.1)
    assert_allclose(found.delay_mean_s, waits_s, atol=1.5 * 8000 * len(alphas) / LINE_BPS)


def test_a_queue_with_less_room_of_its_own_leaves_the_rest_to_the_others():
    port, streams = shared((1, 1))
    short = port.queues[0].replace(limit=p.PacketLimit(40))
    port = port.replace(queues=(short, port.queues[1]))
    fluid, found = solve(port, streams), simulate(port, streams, 0.3, warmup_s=0.1)
    held_bytes = np.array([40_000, 130_000])
    assert_allclose(fluid.delay_mean_s, 8 * 2 * (held_bytes + 500) / LINE_BPS)
    assert_allclose(found.delay_mean_s, fluid.delay_mean_s, rtol=0.03)
    assert [cause for cause, pps in fluid.dropped_by_pps.items() if pps[0] > 0] == ["tail"]


def test_a_queue_that_keeps_up_takes_no_part():
    port, streams = shared((1, 1))
    quiet = [streams[0].replace(rate_bps=0.1 * LINE_BPS), streams[1].replace(rate_bps=2 * LINE_BPS)]
    alone_s = solve(port, quiet).delay_mean_s[1]
    assert alone_s == pytest.approx(8 * 150_000 / (0.9 * LINE_BPS) + 8e-6)
    assert simulate(port, quiet, 0.3, warmup_s=0.1).delay_mean_s[1] == pytest.approx(alone_s, 0.02)


@pytest.mark.parametrize(
    ("describe", "message"),
    [
        (lambda: shared((0,)), "alpha is 0.0; allowed: above 0"),
        (lambda: shared((1, 1), 1000, 600), r"of pool 'm' are 1200; allowed: at most 1000"),
        (lambda: p.MemoryPool("m", 100, 208), "cell_bytes is 208; allowed: at most 100"),
        (lambda: p.Queue("q", p.PacketLimit(1), alpha=1), "alpha is 1.0; allowed: None without"),
        (lambda: p.Queue("q", p.PacketLimit(1), reserved_bytes=9), "is 9; allowed: 0 without a"),
        (lambda: p.PacketLimit(9, resume_packets=9), "is 9; allowed: below the limit, 9"),
        (lambda: p.ByteLimit(9, 10), "resume_bytes is 10; allowed: below the limit, 9"),
        (lambda: line(p.ByteLimit(9, 3), p.HeadDrop()), "allowed: one without a resume threshold"),
        (lambda: threshold_bytes(3000, [-1]), "alphas is .*; allowed: at least one, each 0 or"),
        (lambda: threshold_bytes(3000, ["a"]), "alphas is .*; allowed: numbers"),
        (lambda: burst_bytes(3000, 1, 1), "speed is 1; allowed: above 1"),
    ],
)
def test_what_makes_no_sense_gets_one_clear_error(describe, message):
    with pytest.raises(ValueError, match=message):
        describe()


def test_a_frame_that_no_limit_could_let_in_is_refused():
    with pytest.raises(ValueError, match="room for at least its largest frame"):
        simulate(line(p.PacketLimit(9, limit_bytes=999)), cbr(0.5), 0.01)


def test_shared_memory_works_for_bursts_as_for_a_steady_load():
    """On-off sources never take more than their thresholds, and bring no packet out of order."""
    port, streams = shared((0.5, 2.0))
    bursts = [stream.replace(arrivals=OnOff(2e-3, 2e-3)) for stream in streams]
    result = run(Scenario("bursts", port, bursts, duration_s=0.2))
    most = result.history.queue_packets.max(axis=1) * 1000
    alone = np.array([threshold_bytes(300_000, [alpha])[0] for alpha in (0.5, 2.0)])
    assert (most <= alone + 1000).all()
    assert most.sum() <= 300_000


def test_a_limit_in_bytes_is_refused_with_its_number():
    with pytest.raises(ValueError, match=r"limit_bytes is 256; allowed: room for at least"):
        simulate(line(p.ByteLimit(256)), cbr(0.5), 0.01)
