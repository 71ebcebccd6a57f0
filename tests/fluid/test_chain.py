"""Forwarders and chains as water: their capacity is time, losses and latencies add hop by hop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from qoslib.fluid import knee_bytes, over_time, solve
from qoslib.packets import simulate
from qoslib.port import (
    ByteLimit,
    Chain,
    Forwarder,
    HeadDrop,
    Hop,
    PacketLimit,
    Pause,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    TimeLimit,
)
from qoslib.traffic import FrameMix, Poisson, Stream

MBPS = 1e6
QUEUE = Queue("in", PacketLimit(100))
ENGINE = Forwarder("engine", QUEUE, packet_s=10e-6)
BY_BYTE = Forwarder("by byte", QUEUE, packet_s=4e-6, byte_s=10e-9)


def line(name, rate=100 * MBPS, packets=50):
    return Port(name, rate, (Queue("out", PacketLimit(packets)),), overhead_bytes=20)


def router(engine=ENGINE, rate=100 * MBPS):
    """Two directions through one engine, as of a software router."""
    out = (Hop(line("right", rate), ("left",)), Hop(line("left", rate), ("right",)))
    return Chain("router", (Hop(engine), *out))


def stream(name, pps, frame=500, **changes):
    return Stream(name, pps * 8 * frame, frame, **changes)


def test_below_its_cap_a_forwarder_takes_its_time_for_each_packet():
    result = solve(BY_BYTE, [stream("a", 1000, 600)])
    assert_allclose(result.dropped_pps, 0, atol=1e-9)
    assert_allclose(result.delay_mean_s, 4e-6 + 600 * 10e-9)
    assert result.queues == ("in",)


@pytest.mark.parametrize("frames", [(64, 64), (64, 1500)])
def test_beyond_it_all_lose_the_same_share_of_packets(frames):
    loud = [stream(n, pps, size) for n, pps, size in zip("ab", (90e3, 60e3), frames, strict=True)]
    result = solve(ENGINE, loud)
    assert_allclose(result.sent_pps, [60e3, 40e3])
    assert_allclose(result.dropped_by_pps["tail"], [30e3, 20e3])


def test_the_work_of_all_streams_fills_the_time_there_is():
    loud = [stream("a", 200e3, 64), stream("b", 50e3, 1500)]
    result = solve(BY_BYTE, loud)
    assert_allclose((result.sent_pps * (4e-6 + 10e-9 * np.array([64, 1500]))).sum(), 1)
    assert_allclose(result.sent_pps / result.offered_pps, result.sent_pps[0] / 200e3)


@pytest.mark.parametrize(
    ("limit", "dropper", "waits_s"),
    [
        (PacketLimit(100), "tail", 100 * 10e-6),
        (PacketLimit(100), "head", 100 * 5e-6),
        (ByteLimit(50_000), "tail", 100 * 10e-6),
        (TimeLimit(2e-3, "line"), "tail", 2e-3),
    ],
)
def test_a_full_queue_waits_for_the_work_before_it(limit, dropper, waits_s):
    queue = Queue("in", limit, HeadDrop()) if dropper == "head" else Queue("in", limit)
    result = solve(ENGINE.replace(queue=queue), [stream("a", 200e3)])
    assert_allclose(result.delay_mean_s, waits_s + 10e-6)


@pytest.mark.parametrize("engine", [ENGINE, BY_BYTE], ids=lambda engine: engine.name)
def test_both_storeys_agree_on_an_overloaded_forwarder(engine):
    mix = FrameMix((64, 1500), (0.75, 0.25))
    loud = [
        Stream("a", 700 * MBPS, mix, Poisson()),
        Stream("b", 600 * MBPS, 500, Poisson()),
    ]
    water, packets = solve(engine, loud), simulate(engine, loud, 1.0, warmup_s=0.2)
    assert_allclose(packets.sent_pps, water.sent_pps, rtol=0.01)
    assert_allclose(packets.delay_mean_s, water.delay_mean_s, rtol=0.02)


@pytest.mark.parametrize("rate", [100 * MBPS, 300 * MBPS])
def test_both_storeys_agree_on_a_chain(rate):
    loud = [stream("left", 80e3, arrivals=Poisson()), stream("right", 60e3, arrivals=Poisson())]
    chain = router(rate=rate)
    water, packets = solve(chain, loud), simulate(chain, loud, 1.0, warmup_s=0.2)
    assert water.queues == packets.queues
    assert_allclose(packets.sent_pps, water.sent_pps, rtol=0.01)
    assert_allclose(packets.delay_mean_s, water.delay_mean_s, rtol=0.02)
    for hop, other in zip(water.hops, packets.hops, strict=True):
        assert_allclose(other.sent_pps, hop.sent_pps, rtol=0.01)


def test_a_chain_adds_up():
    result = solve(router(), [stream("left", 80e3), stream("right", 60e3)])
    engine, right, left = result.hops
    assert_allclose(result.offered_pps, result.sent_pps + result.dropped_pps)
    assert_allclose(sum(result.dropped_by_pps.values()), result.dropped_pps)
    assert_allclose(engine.sent_pps, [*right.offered_pps, *left.offered_pps])
    behind = np.concatenate([right.delay_mean_s, left.delay_mean_s])
    assert_allclose(result.delay_mean_s, engine.delay_mean_s + behind)


def test_many_loads_at_once():
    offered = np.linspace(0, 2000 * MBPS, 5)[:, None] * [0.5, 0.5]
    streams = [stream("left", 1), stream("right", 1)]
    together = solve(router(), streams, offered)
    for i, loads in enumerate(offered):
        assert_allclose(together.sent_bps[i], solve(router(), streams, loads).sent_bps)
    assert np.isnan(together.delay_mean_s[0]).all()


def test_one_engine_for_both_directions_is_no_cap_on_each():
    """A direction may take what the other leaves: half the cap a port is right for equal loads."""
    uneven = solve(router(rate=1000 * MBPS), [stream("left", 90e3), stream("right", 5e3)])
    assert_allclose(uneven.dropped_pps, 0, atol=1e-6)


def test_a_policer_before_the_engine_counts_bits():
    policed = ENGINE.replace(queue=QUEUE.replace(policer=Policer(100 * MBPS, 50_000)))
    assert_allclose(solve(policed, [stream("a", 50e3)]).sent_bps, 100 * MBPS)


@pytest.mark.parametrize("pps", [30e3, 120e3])
def test_senders_that_obey_pause_lose_nothing(pps):
    engine = ENGINE.replace(pause=Pause(80, 20))
    loud = [stream(n, pps, access_bps=1e9, arrivals=Poisson()) for n in ("left", "right")]
    chain = router(engine, 1000 * MBPS)
    water, packets = solve(chain, loud), simulate(chain, loud, 1.0, warmup_s=0.2)
    assert_allclose(water.dropped_pps, 0, atol=1e-6)
    assert_allclose(water.sent_pps, min(pps, 50e3))
    assert_allclose(packets.sent_pps, water.sent_pps, rtol=0.02)
    if pps > 50e3:
        assert_allclose(packets.delay_mean_s, water.delay_mean_s, rtol=0.1)


def test_pause_that_nobody_obeys_changes_nothing():
    deaf = ENGINE.replace(pause=Pause(80, 20, obeyed=False))
    loud = [stream("a", 200e3)]
    assert_allclose(solve(deaf, loud).sent_pps, solve(ENGINE, loud).sent_pps)


@pytest.mark.parametrize("byte_s", [0.0, 1e-10])
def test_the_knee_is_where_the_lines_stop_to_overload_the_engine(byte_s):
    engine = Forwarder("engine", QUEUE, 1e-7, byte_s)
    knee = knee_bytes(engine, 20e9, 20)
    assert_allclose(engine.packet_s + byte_s * knee, 8 * (knee + 20) / 20e9)
    for frame, lossless in ((knee * 0.9, False), (knee * 1.1, True)):
        pps = 20e9 / 8 / (int(frame) + 20)
        lost = solve(engine, [stream("a", pps, int(frame))]).dropped_pps[0]
        assert (lost < 1e-3) == lossless


def test_an_engine_slower_by_the_byte_than_the_lines_has_no_knee():
    assert knee_bytes(Forwarder("slow", QUEUE, 1e-7, 1e-9), 20e9, 20) == np.inf
    assert knee_bytes(Forwarder("idle", QUEUE, 1e-12, 1e-12), 20e9, 20) == 0


BAD = {
    "unknown": (Chain("c", (Hop(ENGINE, ("a", "x")),)), "'x'; allowed"),
    "left out": (Chain("c", (Hop(ENGINE, ("b",)), Hop(line("l"), ("b",)))), "of stream 'a' are "),
    "no stream": (Chain("c", (Hop(ENGINE, ("a", "b")), Hop(line("l"), ("z",)))), "'z'; allowed"),
    "late pause": (
        Chain(
            "c",
            (
                Hop(line("l")),
                Hop(
                    ENGINE.replace(pause=Pause(5)),
                ),
            ),
        ),
        "where all streams start",
    ),
    "no guarantee": (
        Chain(
            "c",
            (
                Hop(
                    ENGINE.replace(queue=Queue("in", TimeLimit(0.1, "served"))),
                ),
            ),
        ),
        "a time at the line rate",
    ),
}


@pytest.mark.parametrize(("chain", "says"), BAD.values(), ids=BAD)
def test_what_no_chain_can_do_is_refused(chain, says):
    with pytest.raises(ValueError, match=says):
        solve(chain, [stream("a", 1), stream("b", 1)])


def test_streams_that_start_and_stop_are_steady_in_between():
    port = line("port", packets=1)
    always, late = stream("always", 20e3), stream("late", 20e3, start_s=2.0, stop_s=6.0)
    result = over_time(port, [always, late], 10.0)
    alone, both = solve(port, [always]), solve(port, [always, late])
    # The one packet that fills the queue is sent after the overload, and not dropped.
    whole = [0.6 * alone.sent_pps[0] + 0.4 * both.sent_pps[0], 0.4 * both.sent_pps[1]]
    assert_allclose(result.sent_pps, whole, atol=0.11)
    assert_allclose(result.offered_pps, result.sent_pps + result.dropped_pps)
    assert result.duration_s == 10.0
    packets = simulate(port, [always, late], 10.0)
    assert_allclose(packets.offered_pps, result.offered_pps, rtol=1e-3)
    assert_allclose(packets.sent_pps.sum(), result.sent_pps.sum(), rtol=1e-3)


def test_a_chain_without_start_and_stop_is_steady_over_time():
    """What fills its queues is left out: `run` notes how much that is."""
    streams = [stream("left", 80e3), stream("right", 60e3)]
    run, steady = over_time(router(), streams, 5.0), solve(router(), streams)
    assert_allclose(run.sent_pps, steady.sent_pps)
    assert_allclose(run.delay_mean_s, steady.delay_mean_s)


def test_what_is_never_sent_has_no_latency():
    later = stream("later", 10.0, start_s=9.0)
    assert np.isnan(over_time(ENGINE, [stream("a", 1.0), later], 5.0).delay_max_s[1])
    with pytest.raises(ValueError, match="above 0"):
        over_time(ENGINE, [later], 0.0)


def test_a_hop_whose_queue_red_holds_down_leaves_its_reason_to_the_chain():
    red = line("second").replace(queues=(Queue("out", PacketLimit(50), Red(RedProfile(5, 10))),))
    result = solve(Chain("two", (Hop(ENGINE), Hop(red))), [stream("a", 50e3)])
    assert np.isnan(result.delay_mean_s).all()
    assert "RED" in result.without_delay["a"]
