"""Levels in order of arrival: several queues that are served as if they were one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from outcomes import picoseconds
from qoslib import fluid, packets
from qoslib.port import Fifo, Node, PacketLimit, Port, Queue, SchedulerTree, Shaper
from qoslib.traffic import FrameMix, Poisson, Stream

LINE_BPS = 10e6
SIZES = st.sampled_from([64, 500, 1500]) | st.just(FrameMix((64, 1500), (0.5, 0.5)))
LOADS = st.lists(st.tuples(st.floats(1e4, 6e6), SIZES), min_size=2, max_size=4)
TREES = {
    "tree": lambda names: SchedulerTree((Node("line", names),), 1, 1),
    "two nodes": lambda names: SchedulerTree(
        (Node("one", names[:1]), Node("others", names[1:]), Node("line", ("one", "others"))), 1, 1
    ),
    "below a shaper": lambda names: SchedulerTree(
        (Node("line", names, shaper=Shaper(LINE_BPS / 2, 3000)),), 1, 1
    ),
}


def departures(port, streams):
    """Stream, arrival and departure [ps] of each packet, as they were sent."""
    result = packets.simulate(port, streams, 0.05, trace_packets=100_000, progress=lambda *_: None)
    times = picoseconds(result.trace.arrival_s), picoseconds(result.trace.departure_s)
    return [*zip(result.trace.stream.tolist(), *(each.tolist() for each in times), strict=True)]


@pytest.mark.parametrize("kind", TREES)
@given(loads=LOADS)
def test_queues_of_one_level_are_served_as_one_queue(kind, loads):
    names = tuple("abcd"[: len(loads)])
    streams = [
        Stream(name, rate_bps, size, Poisson())
        for name, (rate_bps, size) in zip(names, loads, strict=True)
    ]
    each = tuple(Queue(name, PacketLimit(10_000)) for name in names)
    several = Port("line", LINE_BPS, each, TREES[kind](names))
    shaper = Shaper(LINE_BPS / 2, 3000) if kind == "below a shaper" else None
    one = Port("line", LINE_BPS, (Queue("all", PacketLimit(10_000)),), Fifo(), shaper=shaper)
    assert departures(several, streams) == departures(one, streams)


@pytest.mark.parametrize(
    ("offered_mbps", "sent_mbps", "longest_ms"),
    [
        # Both are full: they wait equally long, and share by what they hold, 50 x 500 : 50 x 1500.
        ((9, 9), (2.5, 7.5), 80),
        # One is not full, and waits as long as the other.
        ((9, 3), (7, 3), 50 * 500 * 8 / 7e6 * 1e3),
        ((4, 3), (4, 3), 0),
    ],
)
def test_full_queues_of_one_level_share_by_what_they_hold(offered_mbps, sent_mbps, longest_ms):
    queues = Queue("a", PacketLimit(50)), Queue("b", PacketLimit(50))
    port = Port("line", LINE_BPS, queues, TREES["tree"](("a", "b")))
    streams = [
        Stream(name, 1e6 * rate, size, Poisson())
        for name, rate, size in zip("ab", offered_mbps, (500, 1500), strict=True)
    ]
    found = fluid.solve(port, streams)
    assert_allclose(found.sent_bps, [1e6 * rate for rate in sent_mbps])
    own_ms = [500 * 8 / LINE_BPS * 1e3, 1500 * 8 / LINE_BPS * 1e3]
    waits_ms = 1e3 * found.delay_mean_s - own_ms
    assert_allclose(waits_ms, longest_ms, atol=1e-9)
    ran = packets.simulate(port, streams, 20, progress=lambda *_: None)
    assert_allclose(ran.sent_bps, found.sent_bps, rtol=0.05)


def test_no_more_levels_are_in_order_than_are_strict():
    queues = Queue("a", PacketLimit(50)), Queue("b", PacketLimit(50))
    with pytest.raises(ValueError, match="fifo_levels is 2; allowed: at most 1"):
        Port("line", LINE_BPS, queues, SchedulerTree((Node("line", ("a", "b")),), 1, 2))
