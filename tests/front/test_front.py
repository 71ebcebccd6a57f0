"""`run` gives a whole scenario to the engine that can run it."""

from concurrent.futures import Executor

import numpy as np
import pytest

from outcomes import same
from qoslib import (
    Chain,
    Flow,
    Forwarder,
    Hop,
    Host,
    PacketLimit,
    Poisson,
    Port,
    Queue,
    Scenario,
    Stream,
    fluid,
    packets,
    run,
    tcp,
)

QUEUE = Queue("all", PacketLimit(20))
PORT = Port("port", 10e6, (QUEUE,))
ENGINE = Forwarder("engine", QUEUE, 1e-3)
CHAIN = Chain("chain", (Hop(ENGINE), Hop(PORT)))
STREAMS = (Stream("a", 6e6, arrivals=Poisson()), Stream("b", 6e6))
HOSTS = (Host("host", 1e8, (Flow("flow", 0.01, mss_bytes=1448, frame_bytes=1500),)),)
SPAN = {"duration_s": 0.4, "warmup_s": 0.1, "seed": 5}
NETWORKS = pytest.mark.parametrize("network", [PORT, ENGINE, CHAIN], ids=lambda each: each.name)


@NETWORKS
def test_streams_are_run_packet_by_packet_or_as_fluid(network):
    scenario = Scenario("s", network, STREAMS, **SPAN)
    by_hand = packets.simulate(network, STREAMS, 0.4, warmup_s=0.1, seed=5, trace_packets=9)
    same(run(scenario, trace_packets=9), by_hand)
    same(run(scenario, "fluid"), fluid.solve(network, STREAMS))


def test_hosts_and_streams_are_run_together():
    scenario = Scenario("s", PORT, STREAMS, hosts=HOSTS, **SPAN)
    span = {"streams": STREAMS, "warmup_s": 0.1, "seed": 5}
    same(run(scenario, bins=7), tcp.simulate(PORT, HOSTS, 0.4, bins=7, **span))
    same(run(scenario, "fluid"), tcp.solve(PORT, HOSTS, 0.4, **span))
    alone = Scenario("s", PORT, (), hosts=HOSTS, **SPAN)
    assert run(alone).streams == ("flow",)


def test_as_fluid_a_stream_that_stops_counts_while_it_sends_after_the_warm_up():
    stops = (STREAMS[0], STREAMS[1].replace(start_s=0.05, stop_s=0.2))
    result = run(Scenario("s", PORT, stops, **SPAN), "fluid")
    np.testing.assert_allclose(result.offered_bps, [6e6, 6e6 * 0.1 / 0.3])
    # The 20 packets of the full queue and the one on the line leave when the stream has stopped.
    waited_bits = 21 * 8 * STREAMS[0].mean_frame_bytes
    np.testing.assert_allclose(result.sent_bps.sum(), (1e7 * 0.1 + 6e6 * 0.2 + waited_bits) / 0.3)
    assert result.duration_s == pytest.approx(0.3)
    outside = (STREAMS[0], STREAMS[1].replace(start_s=0.05, stop_s=9.0))
    same(run(Scenario("s", PORT, outside, **SPAN), "fluid"), fluid.solve(PORT, STREAMS))


@pytest.mark.parametrize("network", [ENGINE, CHAIN], ids=lambda each: each.name)
def test_the_fluid_runs_hosts_at_a_port_alone_and_packets_anywhere(network):
    scenario = Scenario("s", network, STREAMS, hosts=HOSTS, duration_s=0.1)
    with pytest.raises(ValueError, match=r"network of TCP hosts is '\w+'; allowed: a Port in the"):
        run(scenario, "fluid")
    assert (run(scenario, "packets").sent_pps > 0).any()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "water"}, "model is 'water'; allowed: 'packets', 'fluid'"),
        ({"model": None}, "model is None; allowed: 'packets', 'fluid'"),
        ({"scenario": PORT}, "scenario is Port.*; allowed: a Scenario"),
        ({"bin": 5}, "an option is 'bin'; allowed: bins, chunk_packets"),
        ({"warmup_s": 5}, "an option is 'warmup_s'; allowed: bins"),
        ({"model": "fluid", "bins": 5}, "an option is 'bins'; allowed: none of this model"),
        ({"executor": Executor()}, "executor is .*; allowed: None without seeds"),
        ({"seeds": [1]}, r"seeds is \(1,\); allowed: at least two, all different"),
        ({"seeds": [1, 1]}, "seeds is .*; allowed: at least two, all different"),
        ({"seeds": []}, "seeds is .*; allowed: at least two, all different"),
        ({"seeds": [1, -1]}, r"seeds\[1\] is -1; allowed: 0 or more"),
        ({"seeds": 3}, "seeds is 3; allowed: a sequence"),
        ({"seeds": [1, 2], "model": "fluid"}, "seeds is .*; allowed: None, since the fluid"),
    ],
)
def test_a_wrong_argument_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        run(**{"scenario": Scenario("s", PORT, STREAMS), **given})


@pytest.mark.parametrize("hosts", [(), HOSTS], ids=["streams", "hosts"])
def test_replications_are_the_single_runs(hosts):
    scenario = Scenario("s", PORT, STREAMS, hosts=hosts, **SPAN)
    heard = []
    many = run(scenario, seeds=range(3), progress=lambda *done: heard.append(done), bins=3)
    assert heard == [(1, 3), (2, 3), (3, 3)]
    for seed, result in enumerate(many.results):
        same(result, run(scenario.replace(seed=seed), bins=3))


def test_replications_of_hosts_as_fluid():
    many = run(Scenario("s", PORT, (), hosts=HOSTS, **SPAN), "fluid", seeds=(4, 2))
    assert [result.seed for result in many.results] == [4, 2]
