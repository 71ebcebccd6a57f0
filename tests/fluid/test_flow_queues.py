"""Queues that keep flows apart, in the long run: shares, losses and waits against packets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from qoslib.fluid import over_time, solve
from qoslib.packets import simulate
from qoslib.port import (
    ByteLimit,
    CakeTins,
    Chain,
    Classifier,
    Cobalt,
    Codel,
    DeficitRoundRobin,
    FlowQueues,
    HierarchicalTokenBucket,
    Hop,
    Node,
    PacketLimit,
    Policer,
    Port,
    Queue,
    SchedulerTree,
    StrictPriority,
    Switch,
)
from qoslib.traffic import Cbr, Stream

LINE_BPS = 12e6
#: Two that offer too much, in packets of two sizes, and a call.
STREAMS = (
    Stream("large", 20e6, 1500, "poisson"),
    Stream("small", 9e6, 700, "poisson"),
    Stream("call", 0.16e6, 200, "poisson"),
)


LIMIT = PacketLimit(1000)


def port(flows, limit=LIMIT, **fields):
    """A line that adds 20 B to each frame."""
    queue = Queue("all", limit, flows=flows, **fields)
    return Port("line", LINE_BPS, (queue,), overhead_bytes=20)


def both(where, streams=STREAMS, duration_s=40.0, warmup_s=8.0):
    return solve(where, streams), simulate(where, streams, duration_s, seed=1, warmup_s=warmup_s)


def assert_shares_agree(fluid, packets, of_line=0.01):
    assert_allclose(fluid.sent_bps, packets.sent_bps, atol=of_line * LINE_BPS)


KINDS = {
    "fq_codel without CoDel": (FlowQueues(), PacketLimit(1000)),
    "a limit in bytes": (FlowQueues(batch_packets=1), ByteLimit(500_000)),
    "batches from the tail": (FlowQueues(drop_at="tail"), PacketLimit(1000)),
    "the longest loses": (FlowQueues(overflow="longest", drop_at="tail"), PacketLimit(1000)),
    "the longest loses its head": (FlowQueues(overflow="longest"), ByteLimit(400_000)),
    "a limit for each flow": (
        FlowQueues(overflow="arriving", flow_limit=PacketLimit(100)),
        PacketLimit(1000),
    ),
    "a limit in bytes for each flow": (
        FlowQueues(flow_limit=ByteLimit(100_000)),
        PacketLimit(1000),
    ),
    "nobody is served first": (FlowQueues(sparse_first=False), PacketLimit(1000)),
    "as CAKE": (FlowQueues(renews=True, ways=8), ByteLimit(500_000)),
}


@pytest.mark.parametrize(("flows", "limit"), KINDS.values(), ids=KINDS)
def test_shares_and_waits_of_flows_near_those_of_packets(flows, limit):
    """Shares within 1 % of the line, waits of the call within 5 %.

    Those of flows that lose within 3 %; within 8 % where they are dropped in batches of packets and
    the limit is one in bytes.
    """
    fluid, packets = both(port(flows, limit))
    assert_shares_agree(fluid, packets)
    within = 0.03 if flows.batch_packets == 1 or isinstance(limit, PacketLimit) else 0.08
    assert_allclose(fluid.delay_mean_s[:2], packets.delay_mean_s[:2], rtol=within)
    assert fluid["call"].delay_mean_s == pytest.approx(packets["call"].delay_mean_s, rel=0.05)
    assert not fluid.notes


@pytest.mark.parametrize("share", [0.05, 0.25])
@pytest.mark.parametrize("frame_bytes", [200, 1000])
def test_a_flow_that_uses_a_quarter_of_its_share_waits_as_said(share, frame_bytes):
    """Within 15 %, beside four flows that lose."""
    streams = [Stream(f"{n}", 8e6, 1500, "poisson") for n in range(4)]
    streams.append(Stream("sparse", share * LINE_BPS / 5, frame_bytes, "poisson"))
    fluid, packets = both(port(FlowQueues(ways=8)), streams, 60.0)
    own_s = (frame_bytes + 20) * 8 / LINE_BPS
    waits = (result["sparse"].delay_mean_s - own_s for result in (fluid, packets))
    assert next(waits) == pytest.approx(next(waits), rel=0.15)
    assert not fluid.notes


def test_a_flow_near_its_share_is_noted():
    streams = (*STREAMS[:2], Stream("call", 3.2e6, 200))
    (note,) = solve(port(FlowQueues()), streams).notes
    assert note.startswith("call is offered more than half of what a flow of queue 'all' may send.")


def test_what_is_offered_is_sent_or_dropped():
    loads = np.array([[1e6, 2e6, 0], [20e6, 9e6, 0.16e6], [8e6, 1e6, 4e6], [0, 0, 0]])
    result = solve(port(FlowQueues()), STREAMS, loads)
    assert_allclose(result.sent_bps + result.dropped_bps, loads)
    on_line = (result.sent_bps * (1 + 20 / np.array([1500, 700, 200]))).sum(-1)
    assert_allclose(on_line[1:3], LINE_BPS)
    assert result.dropped_bps[0].tolist() == [0, 0, 0]
    assert_allclose(sum(result.dropped_by_pps.values()), result.dropped_pps, atol=1e-9)


@pytest.mark.parametrize("offered_bps", [6e6, 11e6, 20e6])
@pytest.mark.parametrize("isolation", ["flows", "source", "hosts"])
def test_one_flow_is_as_in_a_queue_first_in_first_out(offered_bps, isolation):
    kept = FlowQueues(isolation=isolation, batch_packets=1, drop_at="tail")
    streams = [Stream("one", offered_bps, 1000)]
    apart = solve(port(kept), streams)
    plain = solve(port(kept).replace(queues=(Queue("all", PacketLimit(1000)),)), streams)
    assert_allclose(apart.sent_bps, plain.sent_bps)
    # A batch of one packet is half a packet on average.
    assert_allclose(apart.delay_mean_s, plain.delay_mean_s, rtol=1e-3)


def test_a_stream_of_many_flows_takes_as_many_shares():
    streams = [Stream("one", 20e6, 1000, "poisson"), Stream("many", 20e6, 1000, "poisson", flows=9)]
    fluid, packets = both(port(FlowQueues(ways=8)), streams)
    assert_allclose(fluid.sent_bps[1] / fluid.sent_bps[0], 9)
    assert_shares_agree(fluid, packets)


HOSTS = {
    "source": [("a", "")] * 4 + [("b", ""), ("a", "")],
    "destination": [("", "x")] * 3 + [("", "y")] * 2 + [("", "x")],
    "hosts": [("a", "x"), ("b", "x"), ("c", "y"), ("c", "z"), ("d", "w"), ("e", "w")],
}


@pytest.mark.parametrize("isolation", HOSTS)
def test_hosts_share_as_packets_do(isolation):
    """Within 1 % of the line; the last stream is sparse and takes no share from its host."""
    streams = [
        Stream(f"{n}", 12e6, 1000, "poisson", source=source, destination=destination)
        for n, (source, destination) in enumerate(HOSTS[isolation])
    ]
    streams[-1] = streams[-1].replace(rate_bps=0.05e6, frame_bytes=200)
    fluid, packets = both(port(FlowQueues(isolation=isolation, ways=8)), streams)
    assert_shares_agree(fluid, packets)
    assert fluid.dropped_bps[-1] == 0


def test_two_flows_to_one_host_have_half_the_share_of_a_third_to_another():
    pairs = [("a", "x"), ("b", "x"), ("c", "y")]
    streams = [Stream(s + d, 12e6, source=s, destination=d) for s, d in pairs]
    result = solve(port(FlowQueues(isolation="hosts")), streams)
    assert_allclose(result.sent_bps / result.sent_bps.sum(), [0.25, 0.25, 0.5], atol=1e-3)


@pytest.mark.parametrize("dropper", [Codel(), Cobalt()])
def test_behind_codel_rates_hold_and_the_wait_of_those_that_lose_is_not_told(dropper):
    fluid, packets = both(port(FlowQueues(), dropper=dropper))
    assert_shares_agree(fluid, packets)
    assert np.isnan(fluid.delay_mean_s[:2]).all()
    assert fluid["call"].delay_mean_s == pytest.approx(packets["call"].delay_mean_s, rel=0.05)
    assert list(fluid.without_delay) == ["large", "small"]
    assert "CoDel and the limit" in fluid.without_delay["large"]
    assert list(fluid.dropped_by_pps) == ["codel"]


def test_colours_of_a_flow_stay_in_its_queue():
    policer = Policer(2e6, 10_000, conform="green", exceed="yellow")
    result = solve(port(FlowQueues(), policer=policer), STREAMS)
    plain = solve(port(FlowQueues()), STREAMS)
    assert_allclose(result.sent_bps, plain.sent_bps)


LEAVES = (
    Queue("call", PacketLimit(100), priority=0, guaranteed_bps=3e6, quantum_bytes=1500),
    Queue(
        "data",
        PacketLimit(300),
        priority=1,
        guaranteed_bps=6e6,
        quantum_bytes=3000,
        flows=FlowQueues(ways=8),
    ),
)
ROOT = (Node("root", ("call", "data"), guaranteed_bps=10e6),)
SCHEDULERS = {
    "strict priority": StrictPriority(),
    "deficit round robin": DeficitRoundRobin(),
    "tins": CakeTins(),
    "a tree": SchedulerTree(ROOT),
    "HTB": HierarchicalTokenBucket(ROOT),
}
LEAF_STREAMS = (
    Stream("call", 2e6, 500, "poisson"),
    Stream("large", 20e6, 1500, "poisson"),
    Stream("small", 9e6, 700, "poisson"),
    Stream("rare", 0.1e6, 200, "poisson"),
)


def leaf(scheduler):
    return Port(
        "line", LINE_BPS, LEAVES, scheduler, classifier=Classifier((("call", "call"),), "data")
    )


@pytest.mark.parametrize("scheduler", SCHEDULERS.values(), ids=SCHEDULERS)
def test_flows_share_what_their_queue_is_served(scheduler):
    fluid, packets = both(leaf(scheduler), LEAF_STREAMS)
    assert_shares_agree(fluid, packets)
    assert_allclose(fluid.sent_bps[1], fluid.sent_bps[2])
    assert fluid.dropped_bps[3] == 0
    assert_allclose(fluid.delay_mean_s[1:3], packets.delay_mean_s[1:3], rtol=0.05)


def test_a_switch_and_a_chain_give_what_their_ports_do():
    where = port(FlowQueues())
    alone = solve(where, STREAMS)
    assert_allclose(solve(Switch("switch", (Hop(where),)), STREAMS).sent_bps, alone.sent_bps)
    second = where.replace(name="second", rate_bps=LINE_BPS / 2)
    through = solve(Chain("chain", (Hop(where), Hop(second))), STREAMS)
    assert_allclose(through.sent_bps, solve(second, STREAMS).sent_bps)


@pytest.mark.parametrize("drop_at", ["head", "tail"])
def test_what_fills_the_queues_of_flows_is_not_dropped(drop_at):
    """Two seconds of overload, and time to drain: as many drops as in packets, within a batch."""
    where = port(FlowQueues(drop_at=drop_at, batch_packets=1))
    streams = [stream.replace(arrivals=Cbr(), stop_s=2.0) for stream in STREAMS]
    fluid, packets = over_time(where, streams, 4.0), simulate(where, streams, 4.0)
    assert_allclose(fluid.dropped_pps * 4.0, packets.dropped_pps * 4.0, atol=10)
    assert_allclose(fluid.offered_pps, fluid.sent_pps + fluid.dropped_pps)


def test_many_flows_in_few_queues_are_noted():
    streams = [stream.replace(flows=5) for stream in STREAMS]
    (note,) = solve(port(FlowQueues(queues=16)), streams).notes
    assert note.startswith("Queue 'all' has 16 queues for 15 flows, so that 59 % of them share")


def test_flows_that_fill_the_whole_limit_are_noted():
    flows = FlowQueues(overflow="arriving", flow_limit=PacketLimit(250), ways=8)
    streams = [Stream(f"{n}", 8e6, 1000) for n in range(5)]
    assert not solve(port(flows), streams[:4]).notes
    (note,) = solve(port(flows), streams).notes
    assert note.startswith("The flows of queue 'all' fill its whole limit")


def test_where_what_arrives_loses_and_a_flow_has_no_limit_there_is_no_share():
    message = "Queue 'all' flows.overflow is 'arriving'; allowed: 'longest', 'fattest' or a flow_li"
    with pytest.raises(ValueError, match=message):
        solve(port(FlowQueues(overflow="arriving")), STREAMS)
