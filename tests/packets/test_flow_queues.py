"""Queues that keep flows apart: orders of departure, shares, collisions, drops from the fattest."""

import numpy as np
import pytest

from qoslib.packets import simulate
from qoslib.port import ByteLimit, Codel, DeficitRoundRobin, FlowQueues, PacketLimit, Port, Queue
from qoslib.traffic import Stream, Trace

LINE_BPS = 12e6


def port(flows, packets=10_240, dropper=None):
    """A line on which 1,500 B take a millisecond, without CoDel unless it is given."""
    queue = Queue("all", PacketLimit(packets), flows=flows)
    return Port("line", LINE_BPS, (queue if dropper is None else queue.replace(dropper=dropper),))


def burst(name, *packets, **fields):
    """Packets of these (millisecond, bytes)."""
    times_s, sizes = zip(*((at / 1e3, size) for at, size in packets), strict=True)
    return Stream(name, arrivals=Trace(times_s, sizes), **fields)


def order_of_departure(where, *streams, seed=3):
    """Names of the streams, in the order in which their packets are sent."""
    run = simulate(where, streams, 1.0, seed=seed, trace_packets=1000)
    sent = np.flatnonzero(run.trace.cause == "")
    sent = sent[np.argsort(run.trace.departure_s[sent], kind="stable")]
    return "".join(streams[i].name for i in run.trace.stream[sent])


def test_a_sparse_flow_goes_first_until_it_has_had_a_quantum():
    sent = order_of_departure(
        port(FlowQueues()),
        burst("A", *[(0, 1514)] * 4),
        burst("B", *[(0, 1514)] * 4),
        # While the third packet is sent, and while the sixth is.
        burst("c", *[(2.5, 100)] * 2, (3.5, 100)),
    )
    assert sent == "ABAccBcABAB"


def test_a_small_quantum_lets_small_packets_overtake_large_ones():
    sent = order_of_departure(
        port(FlowQueues(quantum_bytes=300)),
        burst("B", *[(0, 300)] * 20),
        burst("A", *[(0, 1514)] * 4),
    )
    assert sent.startswith("BABBBBBABBBBBABBBBBA")


def test_without_new_queues_a_sparse_flow_waits_for_its_turn():
    """The first packet of A leaves its queue empty, so that A begins anew."""
    sent = order_of_departure(
        port(FlowQueues(sparse_first=False)),
        burst("A", *[(0, 1514)] * 4),
        burst("B", *[(0, 1514)] * 4),
        burst("c", (2.5, 100)),
    )
    assert sent == "AABAcBABB"


@pytest.mark.parametrize(
    ("limit", "waiting", "arrives", "lost"),
    [(10_240, {"A": 7_680, "B": 2_560}, "C", 64), (100, {"A": 90, "B": 10}, "B", 45)],
)
def test_the_fattest_flow_loses_a_batch_but_no_more_than_half_its_bytes(
    limit, waiting, arrives, lost
):
    """Limits of RFC 8290, section 4.1.3: 64 packets, and half the bytes."""
    packets = {name: [(0, 1514)] * count for name, count in waiting.items()}
    # The first packet of A is on the line at once.
    packets["A"].append((0, 1514))
    packets[arrives] = [*packets.get(arrives, ()), (0.1, 1514)]
    streams = [burst(name, *each) for name, each in packets.items()]
    run = simulate(port(FlowQueues(), limit), streams, 0.0005, seed=3)
    assert run.packets.dropped["tail"].tolist() == [lost if s.name == "A" else 0 for s in streams]
    # One of them is on the line.
    assert run.packets.queued.sum() == limit + 1 - lost + 1


def test_flows_that_are_backlogged_share_equally_whatever_they_offer():
    streams = [
        Stream("small", 6e6, 200, "poisson"),
        Stream("large", 12e6, 1514, "poisson"),
        Stream("sparse", 0.1e6, 200),
    ]
    run = simulate(port(FlowQueues(), 100), streams, 30.0, seed=1, warmup_s=3.0)
    small, large, sparse = run.sent_bps
    assert small == pytest.approx(large, rel=0.01)
    assert sparse == pytest.approx(0.1e6, rel=0.01)
    # No more than what is on the line, one packet of each other flow, and itself.
    assert run["sparse"].delay_max_s < (2 * 1514 + 2 * 200) * 8 / LINE_BPS


def test_hosts_share_equally_whatever_the_number_of_their_flows():
    """Four flows of one host and one of another: an eighth of the line each, and half."""
    flows = FlowQueues(isolation="source", ways=8)
    streams = [Stream(f"a{i}", 12e6, 1000, "poisson", source="a") for i in range(4)]
    streams.append(Stream("b", 12e6, 1000, "poisson", source="b"))
    run = simulate(port(flows, 500), streams, 20.0, seed=1, warmup_s=2.0)
    shares = run.sent_bps / LINE_BPS
    assert shares[:4] == pytest.approx([0.125] * 4, abs=0.005)
    assert shares[4] == pytest.approx(0.5, abs=0.005)
    plain = simulate(port(FlowQueues(ways=8), 500), streams, 20.0, seed=1, warmup_s=2.0)
    assert plain.sent_bps / LINE_BPS == pytest.approx([0.2] * 5, abs=0.005)


def test_both_hosts_of_a_flow_count():
    """Two sources to one destination, a third to another: 25, 25 and 50 %."""
    pairs = [("a", "x"), ("b", "x"), ("c", "y")]
    streams = [
        Stream(f"{of}{to}", 12e6, 1000, "poisson", source=of, destination=to) for of, to in pairs
    ]
    flows = FlowQueues(isolation="hosts", ways=8)
    run = simulate(port(flows, 500), streams, 20.0, seed=1, warmup_s=2.0)
    assert run.sent_bps / LINE_BPS == pytest.approx([0.25, 0.25, 0.5], abs=0.005)


def flows_that_share(flows, number, seeds):
    """Share of flows that share their queue with another, where one packet of each waits."""
    names = [f"f{i}" for i in range(number)]
    streams = [burst(name, (0, 100)) for name in ("first", *names)]
    together = 0
    for seed in range(seeds):
        run = simulate(port(flows), streams, 1e-5, seed=seed, events=2 * number + 10)
        events = run.events
        joined = events.flow_queue[(events.kind == "enqueue") & (events.stream > 0)]
        together += sum(np.sum(joined == each) > 1 for each in joined)
    return together / (number * seeds)


@pytest.mark.parametrize(("queues", "number"), [(16, 10), (16, 50), (1024, 100)])
def test_flows_collide_as_often_as_birthdays(queues, number):
    seeds = 40
    flows = FlowQueues(queues=queues)
    expected = flows.collision_probability(number)
    error = 3 * np.sqrt(expected * (1 - expected) / (number * seeds) * 3)
    assert flows_that_share(flows, number, seeds) == pytest.approx(expected, abs=error)


def test_eight_ways_hardly_collide():
    assert flows_that_share(FlowQueues(ways=8), 100, 20) < 0.001


def test_codel_acts_on_each_flow_by_itself():
    """Only the flow that overloads its share is dropped from."""
    streams = [Stream("greedy", 20e6, 1500, "poisson"), Stream("call", 80e3, 200)]
    run = simulate(port(FlowQueues(), 1000, Codel()), streams, 20.0, seed=1)
    assert run.packets.dropped["codel"][0] > 1000
    assert run.packets.dropped["codel"][1] == 0
    assert run["call"].delay_p99_s < 3e-3


def test_a_stream_of_many_flows_takes_as_many_shares():
    streams = [Stream("one", 20e6, 1000, "poisson"), Stream("many", 20e6, 1000, "poisson", flows=9)]
    run = simulate(port(FlowQueues(ways=8), 1000), streams, 20.0, seed=1, warmup_s=2.0)
    assert run.sent_bps / LINE_BPS == pytest.approx([0.1, 0.9], abs=0.01)


def test_flows_that_end_make_room_for_others():
    """Flows that last a fifth of a second: each has a queue of its own in turn."""
    streams = [Stream("many", 1e6, 1000, flows=4, flow_s=0.2)]
    run = simulate(port(FlowQueues()), streams, 4.0, seed=1, events=5000)
    events = run.events
    rows = set(events.flow_queue[events.kind == "enqueue"].tolist())
    assert 70 <= len(rows) <= 84


WRONG = {
    "a quantum of nothing": (lambda: FlowQueues(quantum_bytes=10), "is 10; allowed: 64 to"),
    "ways that do not divide": (lambda: FlowQueues(10, ways=3), "a divisor of queues, 10"),
    "a resume threshold": (
        lambda: port(FlowQueues()).queues[0].replace(limit=PacketLimit(9, resume_packets=3)),
        "without a resume threshold",
    ),
    "PIE": (
        lambda: port(FlowQueues()).queues[0].replace(dropper="pie"),
        "TailDrop, Codel or Cobalt with flow queues",
    ),
    "a flow's limit below a frame": (
        lambda: simulate(
            port(FlowQueues(flow_limit=ByteLimit(100))),
            [Stream("a", 1e6, 1000)],
            1.0,
        ),
        "room for its largest frame",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused_by_name(what):
    make, message = WRONG[what]
    with pytest.raises(ValueError, match=message):
        make()


def test_hosts_count_in_each_queue_by_themselves():
    """Four flows of host a in one queue take nothing from its flow in the other."""
    flows = FlowQueues(isolation="source", ways=8)
    queues = tuple(
        Queue(name, PacketLimit(500), flows=flows, quantum_bytes=1500) for name in ("one", "two")
    )
    where = Port("line", LINE_BPS, queues, DeficitRoundRobin())
    streams = [
        *(Stream(f"a in one {i}", 12e6, 1000, "poisson", "one", source="a") for i in range(4)),
        *(Stream(f"{of} in two", 12e6, 1000, "poisson", "two", source=of) for of in "ab"),
    ]
    run = simulate(where, streams, 10.0, seed=1, warmup_s=1.0)
    assert run.sent_bps / LINE_BPS == pytest.approx([0.125] * 4 + [0.25] * 2, abs=0.01)
