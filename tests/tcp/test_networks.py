"""TCP through several ports: laws of chains and switches, and one port as a network of one."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from qoslib import flows as f
from qoslib import port as p
from qoslib import tcp
from qoslib.traffic import Poisson, Stream

SIZES = {"mss_bytes": 1448, "frame_bytes": 1500}
LIMIT = p.PacketLimit(40)
LINE = p.Port("line", 10e6, (p.Queue("all", LIMIT),), base_delay_s=1e-3)
BY_MARK = p.Classifier((("a", "first"),), "rest")
LEAVES = tuple(p.Queue(name, LIMIT, quantum_bytes=1500) for name in ("first", "rest"))
NODES = (p.Node("root", ("first", "rest"), 9e6, p.Shaper(8e6, 6000)),)
TREE = LINE.replace(queues=LEAVES, classifier=BY_MARK, scheduler=p.SchedulerTree(NODES))
COLOURED = p.Queue(
    "all",
    LIMIT,
    p.Red(p.RedProfile(20, 40, 0.1), (("AF12", p.RedProfile(2, 10, 0.5)),), p.Instantaneous()),
    policer=p.Policer(4e6, 9000, excess=p.PeakRate(8e6, 9000), exceed="AF12", violate="drop"),
)
PORTS = {
    "flat": LINE,
    "tree": TREE,
    "HTB": TREE.replace(scheduler=p.HierarchicalTokenBucket(NODES)),
    "flow queues": LINE.replace(queues=(p.Queue("all", LIMIT, flows=p.FlowQueues(8)),)),
    "CoDel that marks": LINE.replace(queues=(p.Queue("all", LIMIT, p.Codel(5e-3, 0.1, ecn=True)),)),
    "policer with colours": LINE.replace(queues=(COLOURED,)),
    "transmit ring": LINE.replace(transmit_ring_packets=5),
}
UDP = (Stream("udp", 2e6, 1500, Poisson()),)


def hosts():
    """Two, with all that a host may have."""
    flows = (
        f.Flow("a", 0.03, f.Reno(), ecn="classic", **SIZES),
        f.Flow("b", 0.05, f.Bbr(), segments_per_ack=2, transfer_bytes=900_000, **SIZES),
    )
    netem = f.NetemQueue(30, 0.004)
    other = f.Flow("c", 0.08, f.Cubic(), f.NewRenoRecovery(), start_s=0.3, lost_share=1e-3, **SIZES)
    return (
        f.Host("paced", 1e8, flows, 2, netem, f.FqPacing(2e7), jitter_s=1e-3),
        f.Host("other", 3e7, (other,), jitter_s=1e-4),
    )


@pytest.mark.parametrize("port", PORTS.values(), ids=PORTS)
def test_a_chain_of_one_port_is_the_port_alone(port):
    options = {"streams": UDP, "seed": 5, "warmup_s": 0.4, "bins": 9, "events": 3000}
    alone = tcp.simulate(port, hosts(), 2.0, **options)
    chain = p.Chain("chain", (p.Hop(port),))
    for chunk_events in (10**6, 77):
        result = tcp.simulate(chain, hosts(), 2.0, chunk_events=chunk_events, **options)
        assert result.tcp == alone.tcp
        assert dataclasses.replace(result.hops[0], model="tcp", tcp=alone.tcp) == alone
        whole = {"queues": alone.queues, "events": alone.events, "hops": ()}
        assert dataclasses.replace(result, **whole) == alone


def test_flows_cross_a_policer_that_remarks_what_exceeds():
    """What conforms keeps its mark, what exceeds is dropped early, and what violates at once.

    A remarked packet is of another class, and still of its flow: no segment is forgotten.
    """
    flows = tuple(f.Flow(name, 0.03, f.Reno(), mark="AF11", **SIZES) for name in "abc")
    port = LINE.replace(queues=(COLOURED,), rate_bps=6e6)
    result = tcp.simulate(port, [f.Host("host", 1e8, flows, jitter_s=1e-3)], 10.0)
    assert set(result.sent_by_mark_pps) == {"AF11", "AF12"}
    conforming_pps = result.sent_by_mark_pps["AF11"].sum()
    assert_allclose(conforming_pps * 8 * 1500, 4e6, rtol=0.05)
    assert set(result.packets.dropped) >= {"policer", "red"}
    record = result.tcp
    drops = record.first_send_drops + record.retransmit_drops
    assert_array_equal(drops, result.packets.lost)
    assert record.timeouts.sum() < 0.1 * drops.sum()


def parking_lot(each):
    """One bottleneck behind the other; a long flow passes both, and short ones one each."""
    red = p.Red(p.RedProfile(30, 180, 0.03), averaging=p.Instantaneous())
    queue = p.Queue("all", p.PacketLimit(300), red)
    names = {kind: tuple(f"{kind} {i}" for i in range(each)) for kind in ("long", "left", "right")}
    line = p.Port("line", 40e6, (queue,))
    hops = (
        p.Hop(line.replace(name="first"), names["long"] + names["left"]),
        p.Hop(line.replace(name="second"), names["long"] + names["right"]),
    )
    flows = [f.Flow(name, 0.1, f.Reno(), **SIZES) for of in names.values() for name in of]
    hosts = tuple(f.Host(flow.name, 1e9, (flow,), jitter_s=1e-4) for flow in flows)
    return p.Chain("parking lot", hops), hosts


def test_a_long_flow_of_a_parking_lot_gets_the_share_of_two_losses():
    """Reno's rate goes as 1 / (RTT sqrt p): of two bottlenecks 1 / (1 + sqrt 2) of a line."""
    chain, hosts = parking_lot(each=4)
    result = tcp.simulate(chain, hosts, 120.0, warmup_s=20.0)
    by_kind = result.sent_bps.reshape(3, -1).sum(axis=1)
    assert_allclose(by_kind[0] + by_kind[1:], 40e6, rtol=0.03)
    dropped = np.array([hop.packets.lost.sum() / hop.packets.offered.sum() for hop in result.hops])
    lost = np.array([dropped.sum(), *dropped])
    waits = [hop.delay_mean_s.mean() for hop in result.hops]
    trips_s = 0.1 + np.array([sum(waits), *waits])
    law = 1 / (trips_s * np.sqrt(lost))
    assert_allclose(by_kind[0] / by_kind[1:], law[0] / law[1:], rtol=0.12)
    assert_allclose(by_kind[0] / 40e6, 1 / (1 + np.sqrt(2)), rtol=0.1)


def test_packets_are_conserved_from_hop_to_hop():
    first = TREE.replace(name="first", rate_bps=12e6)
    engine = p.Forwarder("engine", p.Queue("in", LIMIT), packet_s=1e-3, base_delay_s=2e-3)
    hops = (p.Hop(first), p.Hop(engine, ("a", "c", "udp")), p.Hop(LINE))
    result = tcp.simulate(p.Chain("chain", hops), hosts(), 3.0, streams=UDP, seed=2, events=500)
    packets, (one, two, three) = result.packets, (hop.packets for hop in result.hops)
    assert_array_equal(packets.offered, packets.sent + packets.lost + packets.queued)
    assert_array_equal(packets.offered, one.offered)
    assert_array_equal(packets.sent, three.sent)
    assert_array_equal(packets.lost[[0, 2, 3]], (one.lost + three.lost)[[0, 2, 3]] + two.lost)
    on_way = one.sent[[0, 2, 3]] - two.offered
    assert ((on_way >= 0) & (on_way <= 3)).all()
    assert one.sent[1] - three.offered[1] in (0, 1, 2)
    record = result.tcp
    drops = record.first_send_drops + record.retransmit_drops
    assert_array_equal(drops, packets.lost[:3])
    assert (result.delay_min_s[[0, 2, 3]] >= 4e-3).all()
    assert [len(hop.events) for hop in result.hops] == [500] * 3
    assert len(record.events) == 500


def test_a_run_that_is_stopped_is_right_up_to_its_end():
    """At a hop what was offered, sent and dropped by then is that of a run that ends there."""
    hops = p.Chain("chain", (p.Hop(TREE), p.Hop(LINE.replace(name="last"), ("a", "c", "udp"))))

    def stop(done_s, total_s):
        if done_s > 1.0:
            raise KeyboardInterrupt

    options = {"streams": UDP, "seed": 2, "warmup_s": 0.2}
    with pytest.warns(UserWarning, match="stopped after"):
        stopped = tcp.simulate(hops, hosts(), 3.0, progress=stop, chunk_events=500, **options)
    end_s = 0.2 + stopped.duration_s
    assert stopped.interrupted
    assert 1.0 < end_s < 1.2
    whole = tcp.simulate(hops, hosts(), round(end_s, 12), **options)
    assert_array_equal(stopped.tcp.goodput_bytes, whole.tcp.goodput_bytes)
    assert_array_equal(stopped.histogram.counts, whole.histogram.counts)
    for one, other in zip((stopped, *stopped.hops), (whole, *whole.hops), strict=True):
        assert one.packets == other.packets


def test_two_ports_of_a_switch_without_a_common_memory_are_two_ports():
    """Hosts without draws, so that it does not matter which is listed first."""
    one, two = LINE.replace(name="one"), TREE.replace(name="two", rate_bps=6e6)
    sides = [
        (f.Host(f"host {name}", 1e8, (f.Flow(name, rtt_s, law, **SIZES),)),)
        for name, rtt_s, law in (("a", 0.03, f.Reno()), ("b", 0.05, f.Cubic()))
    ]
    switch = p.Switch("switch", (p.Hop(one, ("a",)), p.Hop(two, ("b",))))
    whole = tcp.simulate(switch, [*sides[0], *sides[1]], 3.0)
    for number, (port, side) in enumerate(zip((one, two), sides, strict=True)):
        alone = tcp.simulate(port, side, 3.0)
        assert dataclasses.replace(whole.hops[number], model="tcp", tcp=alone.tcp) == alone
        assert whole.tcp.goodput_bytes[number] == alone.tcp.goodput_bytes[0]
        assert_array_equal(whole.tcp.window_packets[number], alone.tcp.window_packets[0])


def test_an_incast_takes_memory_from_a_flow_of_another_port():
    """Of a host with a flow to each of two ports."""
    memory = p.MemoryPool("memory", 150_000)
    queue = p.Queue("all", p.PacketLimit(1000), pool="memory")
    ports = [p.Port(name, 20e6, (queue,), pools=(memory,)) for name in ("left", "right")]
    flows = tuple(f.Flow(name, 0.02, f.Reno(), **SIZES) for name in ("a", "b"))
    burst = Stream("incast", 60e6, 1500, start_s=1.0, stop_s=2.0)
    switch = p.Switch("s", (p.Hop(ports[0], ("a", "incast")), p.Hop(ports[1], ("b",))))
    host = f.Host("host", 1e9, flows, jitter_s=1e-4)
    quiet = tcp.simulate(switch, [host], 3.0, streams=(burst.replace(rate_bps=1e3),))
    busy = tcp.simulate(switch, [host], 3.0, streams=(burst,))
    history = busy.hops[1].history
    during = (history.time_s[1:] > 1.0) & (history.time_s[1:] <= 2.0)
    of_quiet, of_busy = (each.hops[1].history.dropped_packets[0] for each in (quiet, busy))
    assert of_busy[during].sum() > 2 * of_quiet[during].sum()
    assert busy.tcp.goodput_bps[1] < 0.8 * quiet.tcp.goodput_bps[1]
