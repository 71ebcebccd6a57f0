"""Weighted round robin by packets: its turns by hand, and the law of its shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qoslib import fluid, packets
from qoslib.port import (
    ByteLimit,
    PacketLimit,
    Port,
    Queue,
    Shaper,
    StrictPriority,
    WeightedRoundRobin,
)
from qoslib.record import from_json
from qoslib.traffic import FrameMix, Poisson, Stream, Trace
from soak import many

LINE_BPS = 100e6
NAMES = "abcd"
SIZES = st.sampled_from([64, 500, 1500]) | st.just(FrameMix((64, 1500), (0.5, 0.5)))
TURNS = st.sampled_from([1, 2, 4, 25])
WRR = WeightedRoundRobin()


def port(turns, priorities=(0, 0, 0, 0), scheduler=WRR):
    queues = tuple(
        Queue(name, PacketLimit(100), weight=turn, priority=priority)
        for name, turn, priority in zip(NAMES, turns, priorities, strict=False)
    )
    return Port("line", LINE_BPS, queues, scheduler)


def run(network, streams, duration_s, **more):
    return packets.simulate(network, streams, duration_s, progress=lambda *_: None, **more)


def order(network, streams, duration_s=2e-3):
    """The streams of the packets sent, as they were sent."""
    trace = run(network, streams, duration_s, trace_packets=10_000).trace
    left = trace.cause == ""
    sent = np.argsort(trace.departure_s[left], kind="stable")
    return "".join(streams[i].name for i in trace.stream[left][sent])


def at(*microseconds):
    """Packets of 500 B, each 40 us on the line."""
    return Trace(tuple(t * 1e-6 for t in microseconds), (500,) * len(microseconds))


def test_a_turn_is_as_many_packets_as_the_weight():
    """The first packet finds the line free and leaves its queue empty: that turn is over."""
    streams = [Stream("a", arrivals=at(*[0] * 6)), Stream("b", arrivals=at(*[0] * 6))]
    assert order(port((2, 3)), streams) == "abbbaabbbaaa"


def test_an_empty_queue_loses_the_rest_of_its_turn():
    """Of a's turn of 3 one packet is sent; those that come at 10 us wait for the next turn."""
    streams = [Stream("a", arrivals=at(0, 10, 10)), Stream("b", arrivals=at(0, 0, 0))]
    assert order(port((3, 2)), streams) == "abbaab"


def test_a_higher_level_interrupts_a_turn_that_then_goes_on():
    streams = [
        Stream("a", arrivals=at(100)),
        Stream("b", arrivals=at(0, 0, 0, 0)),
        Stream("c", arrivals=at(0, 0)),
    ]
    assert order(port((1, 3, 1), (0, 1, 1)), streams) == "bcbabbc"


def test_a_queue_that_its_shaper_stops_loses_the_rest_of_its_turn():
    """A frame's tokens come in 4 ms: a sends one of its three and b goes on."""
    network = port((3, 1))
    first = network.queues[0].replace(shaper=Shaper(1e6, 500))
    network = network.replace(queues=(first, network.queues[1]))
    streams = [Stream("a", arrivals=at(10, 10)), Stream("b", arrivals=at(0, 10, 10, 10))]
    assert order(network, streams, 9e-3) == "babbba"


@many(25)
@given(st.tuples(TURNS, TURNS, TURNS), st.tuples(SIZES, SIZES, SIZES), st.integers(0, 99))
def test_backlogged_queues_send_their_turns_of_packets_and_bytes_by_size(turns, sizes, seed):
    """Packets over weight differ by less than a turn of each: a law of any circle of turns.

    So with equal packets the bytes are shared by weight, and else by weight times mean packet.
    """
    streams = [
        Stream(name, 1.5 * LINE_BPS, size, Poisson())
        for name, size in zip("abc", sizes, strict=True)
    ]
    trace = run(port(turns), streams, 0.05, seed=seed, trace_packets=100_000).trace
    stream = trace.stream[trace.cause == ""][300:]
    rounds = np.array([np.cumsum(stream == i) / turns[i] for i in range(3)])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert np.ptp(np.append(rounds[i] - rounds[j], 0.0)) <= 2
    model = fluid.solve(port(turns), streams).sent_bps
    shares = np.array(turns) * [stream.mean_frame_bytes for stream in streams]
    np.testing.assert_allclose(model, LINE_BPS * shares / shares.sum())


@pytest.mark.parametrize("sizes", [(500, 500), (64, 1500), (1500, 64)])
def test_both_models_share_the_line_by_weight_times_size(sizes):
    streams = [
        Stream(name, 2.0 * LINE_BPS, size, Poisson())
        for name, size in zip("ab", sizes, strict=True)
    ]
    shares = np.array([1, 3]) * sizes
    model = fluid.solve(port((1, 3)), streams)
    np.testing.assert_allclose(model.sent_bps, LINE_BPS * shares / shares.sum())
    simulated = run(port((1, 3)), streams, 2.0, warmup_s=0.1)
    np.testing.assert_allclose(simulated.sent_bps, model.sent_bps, rtol=5e-3)


def test_a_turn_sends_no_more_than_the_queue_holds():
    """Half a line's load into room for 3 packets: a turn of 25 ends after about 5 of them."""
    streams = [Stream("a", 0.5 * LINE_BPS, 500, Poisson()), Stream("b", 2 * LINE_BPS, 500)]
    network = port((25, 20))
    short = network.queues[0].replace(limit=ByteLimit(1500))
    network = network.replace(queues=(short, network.queues[1]))
    model = fluid.solve(network, streams).sent_bps
    np.testing.assert_allclose(model, [LINE_BPS * 5 / 25, LINE_BPS * 20 / 25])
    np.testing.assert_allclose(run(network, streams, 2.0).sent_bps, model, rtol=0.1)


def test_the_expedite_queue_is_served_whole_and_the_others_share_the_rest():
    """As `priority-queue out`: queue d before the turns of 1, 25 and 4."""
    network = port((1, 25, 4, 1), (1, 1, 1, 0))
    streams = [Stream(name, 90e6, 500, Poisson()) for name in "abc"]
    streams.append(Stream("d", 10e6, 200, Poisson()))
    model = fluid.solve(network, streams)
    np.testing.assert_allclose(model.sent_bps, [3e6, 75e6, 12e6, 10e6])
    simulated = run(network, streams, 2.0, warmup_s=0.2)
    np.testing.assert_allclose(simulated.sent_bps, model.sent_bps, rtol=0.02)
    np.testing.assert_allclose(simulated.delay_mean_s[:3], model.delay_mean_s[:3], rtol=0.1)


def test_with_weights_of_one_it_is_strict_priority():
    streams = [Stream(name, 0.4 * LINE_BPS, 500, Poisson()) for name in NAMES]
    orders = [
        order(port((1, 1, 1, 1), (0, 1, 1, 2), scheduler=scheduler), streams, 0.05)
        for scheduler in (WeightedRoundRobin(), StrictPriority())
    ]
    assert orders[0] == orders[1]


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.5, 1_000_001])
def test_a_weight_that_is_no_number_of_packets_is_refused(weight):
    with pytest.raises(ValueError, match="allowed: a whole number of packets from 1 to 1,000,000"):
        port((1, weight))


def test_a_port_comes_back_from_json_as_itself():
    network = port((1, 25, 4, 1), (1, 1, 1, 0))
    assert from_json(network.to_json()) == network


def test_the_event_record_has_what_is_left_of_each_turn():
    streams = [Stream("a", arrivals=at(0, 0, 0)), Stream("b", arrivals=at(0, 0))]
    events = run(port((2, 3)), streams, 1e-3, events=100).events
    chosen = events.kind == "choice"
    assert events.scheduler[chosen].tolist() == [[2, 0], [0, 3], [0, 2], [2, 0], [1, 0]]
