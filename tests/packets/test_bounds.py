"""Bounds that hold over every interval: token buckets, and the latency of a round robin."""

from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from formulas import drr_latency_s
from outcomes import long_enough, outcomes, picoseconds, runs
from qoslib import port as p
from qoslib.traffic import Stream, Trace
from strategies import ports, stream_sets

several = settings(suppress_health_check=[HealthCheck.filter_too_much])
SEEDS = st.integers(0, 1000)


def overrun_ps(times, sizes_bytes, rate_bps, burst_bytes):
    """By how much any interval has more than ``burst + rate t``, in time at the rate [ps]."""
    byte = Fraction(8 * 10**12) / Fraction(rate_bps)
    filled, before, most = Fraction(0), 0, -burst_bytes * byte
    for time, size in zip(times.tolist(), sizes_bytes.tolist(), strict=True):
        filled = max(filled - (time - before), 0) + size * byte
        before, most = time, max(most, filled - burst_bytes * byte)
    return most


#: A bucket and a packet's tokens are each counted in whole picoseconds, rounded down.
ROUNDED_PS = 2


def pressed(streams, port, rate_bps, excess):
    """The streams, so many times as fast as a bucket of the first queue fills, all towards it."""
    mark = port.queues[0].name
    return [s.replace(rate_bps=excess * rate_bps, mark=mark, stop_s=None) for s in streams]


EXCESS = st.sampled_from([0.5, 1.1, 3.0, 10.0])


@several
@given(ports(), stream_sets(False), SEEDS, EXCESS)
def test_a_policer_passes_no_more_than_its_burst_and_rate(port, streams, seed, excess):
    police = port.queues[0].policer or p.Policer(2e6, 9100)
    queue = port.queues[0].replace(policer=police.replace(when="always"))
    port = port.replace(queues=(queue, *port.queues[1:]))
    streams = pressed(streams, port, police.rate_bps, excess)
    assume(runs(port, streams))
    seen = outcomes(port, streams, long_enough(streams), seed=seed)
    trace = seen.result.trace
    into = np.array([port.queue_of(stream) == 0 for stream in streams])[trace.stream]
    passed = np.flatnonzero(into & (trace.cause != "policer"))
    times = picoseconds(trace.arrival_s[passed])
    order = np.argsort(times, kind="stable")
    sizes = trace.frame_bytes[passed][order] + police.overhead_bytes
    over = overrun_ps(times[order], sizes, police.rate_bps, police.burst_bytes)
    assert over <= ROUNDED_PS


@several
@given(ports(shared=False), stream_sets(False), SEEDS, EXCESS)
def test_a_shaper_lets_no_more_go_than_its_burst_and_rate(port, streams, seed, excess):
    shaper = port.queues[0].shaper or port.shaper or p.Shaper(3e6, 9100)
    queue = port.queues[0].replace(shaper=shaper)
    port = port.replace(queues=(queue, *port.queues[1:]), rate_bps=10 * shaper.rate_bps)
    streams = pressed(streams, port, shaper.rate_bps, excess)
    assume(runs(port, streams))
    seen = outcomes(port, streams, long_enough(streams), seed=seed)
    for index, queue in enumerate(port.queues):
        mine, its = seen.of_queue(index), queue.shaper
        if its:
            over = overrun_ps(mine.start, mine.frame_bytes, its.rate_bps, its.burst_bytes)
            assert over <= ROUNDED_PS
    if port.shaper:
        its = port.shaper
        over = overrun_ps(seen.start, seen.frame_bytes, its.rate_bps, its.burst_bytes)
        assert over <= ROUNDED_PS


def round_robin(quanta_bytes):
    """A line of 1 Gb/s, 8 ns a byte, shared by deficit round robin."""
    queues = tuple(
        p.Queue(str(i), p.PacketLimit(10_000), quantum_bytes=quantum)
        for i, quantum in enumerate(quanta_bytes)
    )
    return p.Port("round robin", 1e9, queues, p.DeficitRoundRobin())


def latencies_s(seen, quanta_bytes, index):
    """Of all packets of one queue: how late its own line would have to begin [s].

    While a queue is backlogged since tau, its packets that left before time t would have left a
    line of its rate by ``tau + W / rho``: t is that much later. What is on the line at tau counts.
    """
    mine = seen.of_queue(index)
    byte_ps = 8000 * sum(quanta_bytes) / quanta_bytes[index]
    begins = 0
    for k in range(len(mine.arrival)):
        if k and mine.start[k - 1] <= mine.arrival[k]:
            begins = k
        since = mine.arrival[begins]
        served = mine.frame_bytes[:k][mine.departure[:k] > since].sum()
        yield (mine.departure[k] - since - served * byte_ps) / 1e12


FLOWS = st.lists(
    st.tuples(
        st.integers(64, 1500),
        st.integers(0, 3000),
        st.lists(st.tuples(st.sampled_from([0, 0, 1, 500, 20_000]), st.floats(0, 1)), min_size=1),
    ),
    min_size=2,
    max_size=4,
)


@several
@given(FLOWS)
def test_deficit_round_robin_keeps_its_latency_bound_whatever_arrives(flows):
    largest = [most for most, _, _ in flows]
    quanta = [most + more for most, more, _ in flows]
    streams = []
    for i, (most, _, steps) in enumerate(flows):
        times_s = np.cumsum([gap for gap, _ in steps]) / 1e9
        sizes = [1 + round(part * (most - 1)) for _, part in steps]
        streams.append(Stream(str(i), arrivals=Trace(times_s, sizes)))
    seen = outcomes(round_robin(quanta), streams, 1.0)
    bounds_s = drr_latency_s(1e9, quanta, largest)
    for i, bound_s in enumerate(bounds_s):
        assert max(latencies_s(seen, quanta, i)) <= bound_s + ROUNDED_PS / 1e12


def test_the_latency_bound_of_deficit_round_robin_is_met_to_four_bytes():
    most, quanta = 1500, (1500, 1500, 1500)
    greedy = Trace([0.0] * 10, [1, most, most - 1] + [most] * 7)
    late = Trace([0.0] + [24_001e-12] * 3, [1, 1, most, most])
    streams = [Stream(str(i), arrivals=a) for i, a in enumerate((late, greedy, greedy))]
    worst_s = max(latencies_s(outcomes(round_robin(quanta), streams, 1e-3), quanta, 0))
    bound_s = drr_latency_s(1e9, quanta, [most] * 3)[0]
    assert bound_s - 4 * 8e-9 <= worst_s + ROUNDED_PS / 1e12 <= bound_s
