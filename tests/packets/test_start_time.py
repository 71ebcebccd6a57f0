"""Start-time fair queueing: its tags by hand, its fairness and its delay bound."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from outcomes import picoseconds
from qoslib import fluid, packets
from qoslib.port import PacketLimit, Port, Queue, StartTimeFairQueueing
from qoslib.traffic import Cbr, FrameMix, Poisson, Stream, Trace
from soak import many

#: One byte takes 80 ns on this line.
LINE_BPS = 100e6
PS_A_BYTE = 80_000
NAMES = "abc"
SIZES = st.sampled_from([64, 500, 1500]) | st.just(FrameMix((64, 1500), (0.5, 0.5)))
WEIGHTS = st.sampled_from([0.3, 1.0, 2.0, 7.5])


def port(weights, priorities=(0, 0, 0)):
    queues = tuple(
        Queue(name, PacketLimit(50), weight=weight, priority=priority)
        for name, weight, priority in zip(NAMES, weights, priorities, strict=True)
    )
    return Port("line", LINE_BPS, queues, StartTimeFairQueueing())


def sent(network, streams, duration_s, seed=0):
    """Stream, arrival and departure [ps] and size [B] of each packet sent, as they were sent."""
    result = packets.simulate(
        network, streams, duration_s, seed=seed, trace_packets=100_000, progress=lambda *_: None
    )
    trace = result.trace
    left = trace.cause == ""
    times = picoseconds(trace.arrival_s[left]), picoseconds(trace.departure_s[left])
    return trace.stream[left], *times, trace.frame_bytes[left]


def at(*microseconds):
    return Trace(tuple(t * 1e-6 for t in microseconds), (500,) * len(microseconds))


def test_the_order_of_tags_by_hand():
    """500 B take 40 us. Weights 2 and 1: finish tags are 20 and 40 apart (in times of the heavier).

    From 0 on a has start tags 0, 40, 80 and b, of half the weight, 0, 80, 160: after a's first
    packet, b's first, a's second and third, the tags are equal again, and a is listed first.
    """
    streams = [Stream("a", arrivals=at(0, 0, 0, 0, 0)), Stream("b", arrivals=at(0, 0, 0))]
    order, *_ = sent(port((2.0, 1.0, 1.0)), streams, 1e-3)
    assert "".join(NAMES[i] for i in order) == "abaabaab"


def test_an_idle_port_forgets_who_has_had_more():
    """After idle time the queue that had sent has no debt: the first one listed is sent first."""
    streams = [Stream("a", arrivals=at(0, 0, 200, 200)), Stream("b", arrivals=at(200, 200))]
    order, *_ = sent(port((1.0, 1.0, 1.0)), streams, 1e-3)
    assert "".join(NAMES[i] for i in order) == "aaabab"


def test_a_level_goes_before_the_next():
    streams = [Stream(name, arrivals=at(0, 0, 0)) for name in NAMES]
    order, *_ = sent(port((1.0, 1.0, 9.0), (1, 0, 0)), streams, 1e-3)
    # The first arrival finds the line free.
    assert NAMES[order[0]] == "a"
    assert set(order[1:7]) == {1, 2}


@many(25)
@given(st.tuples(WEIGHTS, WEIGHTS, WEIGHTS), st.tuples(SIZES, SIZES, SIZES), st.integers(0, 99))
def test_backlogged_queues_differ_by_a_packet_of_each(weights, sizes, seed):
    """``|W_i / w_i - W_j / w_j| <= L_i / w_i + L_j / w_j`` (Goyal, Vin and Cheng, theorem 1).

    Every stream offers more than the line, so that all queues always hold packets. The tags count
    whole picoseconds: up to one for each packet.
    """
    streams = [
        Stream(name, 1.5 * LINE_BPS, size, Poisson())
        for name, size in zip(NAMES, sizes, strict=True)
    ]
    stream, _, _, frame_bytes = (column[30:] for column in sent(port(weights), streams, 0.02, seed))
    work = np.array([np.cumsum(frame_bytes * (stream == i)) / weights[i] for i in range(3)])
    largest = [max(getattr(size, "sizes_bytes", (size,))) for size in sizes]
    rounding = len(stream) / PS_A_BYTE / min(weights)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        ahead = np.append(work[i] - work[j], 0.0)
        bound = largest[i] / weights[i] + largest[j] / weights[j]
        assert np.ptp(ahead) <= bound + rounding


@many(25)
@given(st.tuples(WEIGHTS, WEIGHTS, WEIGHTS), st.tuples(SIZES, SIZES, SIZES), st.integers(0, 99))
def test_a_packet_is_delayed_no_more_than_its_rate_and_a_packet_of_each_other(weights, sizes, seed):
    """Departure at most ``EAT + sum L_j / C + L / C`` (Goyal, Vin and Cheng, theorem 4).

    EAT, when the packet would be served by a line of its own at the rate ``C w / sum w``, is
    ``max(A, EAT + L / r)`` with arrival A and EAT and L of the packet before it.
    """
    streams = [Stream("a", 0.8 * LINE_BPS * weights[0] / sum(weights), sizes[0], Poisson())]
    streams += [Stream(name, 1.5 * LINE_BPS, sizes[i], Cbr()) for i, name in enumerate("bc", 1)]
    network = port(weights)
    network = network.replace(
        queues=(network.queues[0].replace(limit=PacketLimit(5000)), *network.queues[1:])
    )
    stream, arrivals, departures, frame_bytes = sent(network, streams, 0.02, seed)
    others = sum(max(getattr(size, "sizes_bytes", (size,))) for size in sizes[1:])
    ready_ps, before_ps = 0.0, 0.0
    mine = stream == 0
    rows = zip(arrivals[mine], departures[mine], frame_bytes[mine], strict=True)
    for count, (arrival, departure, size) in enumerate(rows, 1):
        ready_ps = max(arrival, ready_ps + before_ps)
        before_ps = size * PS_A_BYTE * sum(weights) / weights[0]
        rounding = count * sum(weights) / min(weights)
        assert departure <= ready_ps + (others + size) * PS_A_BYTE + rounding


def test_in_the_long_run_the_line_is_shared_by_weight():
    streams = [
        Stream(name, 0.7 * LINE_BPS, size) for name, size in zip("ab", (64, 1500), strict=True)
    ]
    network = port((1.0, 3.0, 1.0))
    model = fluid.solve(network, streams).sent_bps
    np.testing.assert_allclose(model, [25e6 + 5e6, 70e6])
    simulated = packets.simulate(network, streams, 1.0, progress=lambda *_: None).sent_bps
    np.testing.assert_allclose(simulated, model, rtol=2e-3)
