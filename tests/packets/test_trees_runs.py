"""A port with a tree runs as any port: in chains, in pieces, stopped, within its memory."""

import pytest
from numpy.testing import assert_array_equal

from qoslib import Scenario, flows, run, sweep
from qoslib.packets import simulate
from qoslib.port import (
    Chain,
    HierarchicalTokenBucket,
    Hop,
    Node,
    PacketLimit,
    Port,
    Queue,
    SchedulerTree,
    Shaper,
)
from qoslib.traffic import Poisson, Stream

QUEUES = tuple(
    Queue(name, PacketLimit(50), priority=i, guaranteed_bps=20e6, quantum_bytes=1500)
    for i, name in enumerate(("voice", "data"))
)
SITE = Node("site", ("voice", "data"), 50e6, Shaper(60e6, 30_000))
TREES = [SchedulerTree((SITE,), 1), HierarchicalTokenBucket((SITE,))]
STREAMS = [Stream("voice", 10e6, 200, Poisson()), Stream("data", 90e6, 1500, Poisson())]


@pytest.fixture(params=TREES, ids=lambda tree: type(tree).__name__)
def port(request):
    return Port("port", 100e6, QUEUES, request.param)


def same(one, other):
    assert_array_equal(one.packets.sent, other.packets.sent)
    assert_array_equal(one.delay_max_s, other.delay_max_s)
    assert_array_equal(one.history.queue_packets, other.history.queue_packets)


def test_pieces_of_any_length_make_the_same_run(port):
    whole = simulate(port, STREAMS, 0.05)
    same(whole, simulate(port, STREAMS, 0.05, chunk_packets=3, progress=lambda done, all_: None))


def test_a_chain_of_one_hop_is_the_port(port):
    chain = Chain("chain", (Hop(port),))
    same(simulate(port, STREAMS, 0.05), simulate(chain, STREAMS, 0.05).hops[0])


def test_a_run_that_is_stopped_ends_with_a_record_up_to_there(port):
    def stop(done_s, all_s):
        if done_s > 0.01:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="stopped after"):
        part = simulate(port, STREAMS, 10.0, chunk_packets=1000, progress=stop)
    whole = simulate(port, STREAMS, part.duration_s)
    assert_array_equal(part.packets.sent, whole.packets.sent)


def test_rates_of_nodes_are_axes_of_a_sweep(port):
    scenario = Scenario("site", port, STREAMS, 1.0, warmup_s=0.2)
    rates_bps = [35e6, 45e6]
    axis = "network.scheduler.nodes['site'].shaper.rate_bps"
    sent_bps = sweep(scenario, {axis: rates_bps}).sent_bps.sum(-1)
    assert sent_bps == pytest.approx(rates_bps, rel=0.01)


def test_a_tree_that_takes_too_much_memory_is_refused_before_it_is_made(monkeypatch, port):
    monkeypatch.setenv("QOSLIB_MEMORY_GB", "1e-3")
    names = tuple(f"q{i}" for i in range(3000))
    queues = tuple(QUEUES[0].replace(name=name, limit=PacketLimit(1)) for name in names)
    large = port.replace(
        queues=queues, scheduler=port.scheduler.replace(nodes=(Node("all", names, 1e9),))
    )
    with pytest.raises(ValueError, match=r"Port 'port' nodes is 3001; allowed: tables of 0.001 GB"):
        simulate(large, [STREAMS[0].replace(mark="q0")], 0.01, bins=1)


def test_hosts_of_tcp_run_in_packets_alone(port):
    one = port.replace(
        queues=QUEUES[:1], scheduler=port.scheduler.replace(nodes=(Node("n", ("voice",), 1e6),))
    )
    flow = flows.Flow("flow", 0.05, flows.Reno(), mss_bytes=1448, frame_bytes=1500)
    scenario = Scenario("tcp", one, (), 1.0, hosts=(flows.Host("host", 1e9, (flow,)),))
    assert run(scenario).sent_pps[0] > 0
    with pytest.raises(
        ValueError, match=r"Port 'port' scheduler is .*; allowed: in TCP's fluid model one without"
    ):
        run(scenario, "fluid")
