"""TCP as water: the closed forms, nothing lost on the way, and what packets showed."""

import numpy as np
import pytest

from qoslib import tcp, units
from qoslib.flows import (
    Bbr,
    Cubic,
    Flow,
    FqPacing,
    Host,
    HtbPacing,
    HTcp,
    HyStart,
    NetemQueue,
    NewRenoRecovery,
    PathologicalRecovery,
    RateHalving,
    Reno,
    SackRecovery,
    SlowStart,
    TimeoutOnly,
)
from qoslib.port import ByteLimit, PacketLimit, Policer, Port, Queue, Red, RedProfile
from qoslib.traffic import Stream

pytestmark = pytest.mark.newer

LINE_BPS, UDP_BPS, ROUND_TRIP_S, WINDOW = 10e9, 2e9, 0.05, 48_000_000
RECOVERIES = [
    SackRecovery(),
    RateHalving(),
    NewRenoRecovery(),
    TimeoutOnly(),
    PathologicalRecovery(),
]


def esnet(buffer_bytes, congestion=None, background_bps=UDP_BPS, duration_s=30.0, **host):
    """Two streams over 50 ms beside UDP, 9000 B packets, 10 Gb/s."""
    names = dict(recovery=host.pop("recovery", SackRecovery()))
    names |= dict(slow_start=host.pop("slow_start", SlowStart()), window_bytes=WINDOW)
    flows = tuple(Flow(n, ROUND_TRIP_S, congestion or Reno(), **names) for n in "ab")
    port = Port("r", LINE_BPS, (Queue("all", ByteLimit(int(buffer_bytes))),), overhead_bytes=38)
    sender = Host("h", host.pop("access_bps", LINE_BPS), flows, burst_packets=7, **host)
    return tcp.solve(port, [sender], duration_s, streams=[Stream("udp", background_bps, 9000)])


def goodput_gbps(result):
    return units.convert(float(result.tcp.goodput_bps.sum()), "bit/s", "Gbit/s")


def drops(result):
    return float(result.dropped_pps[:2].sum() * result.duration_s)


@pytest.mark.parametrize("flows", [1, 4])
@pytest.mark.parametrize("share", [0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0])
def test_the_saw_tooth_uses_the_line_as_in_closed_form(share, flows):
    line_bps, segment, on_line = 100e6, 1500, 1538
    held = line_bps * ROUND_TRIP_S / 8 / on_line
    queue = Queue("all", ByteLimit(int(held * share * segment)))
    port = Port("r", line_bps, (queue,), overhead_bytes=38)
    each = [
        Flow(str(i), ROUND_TRIP_S, Reno(), mss_bytes=1448, frame_bytes=segment)
        for i in range(flows)
    ]
    result = tcp.solve(port, [Host("h", 1e9, tuple(each))], 400.0)
    past = result.history
    first = past.sent_packets.shape[1] // 4
    carried = past.sent_packets[:, first:].sum() / (past.time_s[-1] - past.time_s[first])
    expected = tcp.saw_tooth(line_bps / 8 / on_line, ROUND_TRIP_S, held * share, flows)
    assert carried * 8 * on_line / line_bps == pytest.approx(expected.utilisation, abs=0.005)


def test_the_first_drop_is_at_the_loss_free_buffer():
    on_line = 9038 / 8948
    queue_bytes = tcp.loss_free_buffer_bytes(
        2 * WINDOW * on_line, LINE_BPS, ROUND_TRIP_S, UDP_BPS * 9038 / 9000
    )
    enough = queue_bytes * 9000 / 9038
    assert enough == pytest.approx(59.1e6, rel=0.01)
    assert drops(esnet(1.01 * enough)) == 0
    assert drops(esnet(0.97 * enough)) > 1


@pytest.mark.parametrize(("paced_bps", "lost"), [(7.9e9, False), (8.2e9, True)])
def test_paced_senders_lose_only_beyond_the_line(paced_bps, lost):
    result = esnet(6e6, pacing=HtbPacing(paced_bps))
    assert (drops(result) > 1) == lost
    if not lost:
        assert goodput_gbps(result) == pytest.approx(paced_bps / 1e9, rel=0.05)


def test_fair_queueing_paces_each_flow():
    result = esnet(6e6, pacing=FqPacing(3e9))
    assert result.tcp.goodput_bps == pytest.approx([3e9, 3e9], rel=0.05)


@pytest.mark.parametrize("congestion", [Reno(), Cubic(), HTcp()])
@pytest.mark.parametrize("recovery", RECOVERIES)
@pytest.mark.parametrize("size", [1e6, 12e6])
def test_nothing_is_lost_on_the_way(congestion, recovery, size):
    """What was offered has passed, was dropped or still waits in the queue."""
    result = esnet(size, congestion, recovery=recovery, duration_s=5.0)
    waiting = (result.offered_pps - result.sent_pps - result.dropped_pps) * result.duration_s
    assert (waiting > -1e-6).all()
    assert waiting.sum() * 9000 <= size * 1.001
    windows = result.tcp.window_packets * 8948
    assert (result.tcp.in_flight_packets[:, -1] <= WINDOW / 8948 + 1).all()
    assert (windows <= WINDOW * 1.001).all()
    assert goodput_gbps(result) <= 8.0


def test_equal_flows_are_served_alike_and_a_longer_way_is_slower():
    result = esnet(4e6)
    assert result.tcp.goodput_bps[0] == pytest.approx(result.tcp.goodput_bps[1])
    flows = tuple(Flow(n, r, Reno()) for n, r in (("near", 0.02), ("far", 0.08)))
    port = Port("r", 1e9, (Queue("all", PacketLimit(300)),), overhead_bytes=38)
    near, far = tcp.solve(port, [Host("h", 1e9, flows)], 120.0).tcp.goodput_bps
    assert near > 2 * far


@pytest.mark.parametrize(
    ("size", "gbps", "lost"),
    [(0.5e6, 1.23, 83), (1.25e6, 1.96, 201), (4e6, 4.60, 699), (12e6, 7.58, 1795)],
)
def test_it_is_near_what_a_packet_model_found(size, gbps, lost):
    """Two Reno flows, mean of five seeds of an earlier simulator, throughput and TCP drops."""
    result = esnet(size)
    assert goodput_gbps(result) == pytest.approx(gbps, rel=0.2)
    assert lost / 2 < drops(result) < 2 * lost


def test_a_pathological_recovery_collapses_and_others_do_not():
    fitted = esnet(36e6, recovery=PathologicalRecovery(), access_bps=8.3e9)
    assert goodput_gbps(fitted) == pytest.approx(1.9, rel=0.1)
    assert fitted.tcp.timeouts.tolist() == [1, 1]
    assert goodput_gbps(esnet(36e6, access_bps=8.3e9)) > 7


def test_hystart_leaves_before_the_queue_is_full():
    early = esnet(36e6, Cubic(), slow_start=SlowStart(hystart=HyStart()))
    assert drops(early) < drops(esnet(36e6, Cubic())) / 2


def test_a_first_window_beyond_the_hosts_queue_is_lowered_as_packets_are():
    """40 packets into room for 20: known at once, and half of 20 is the threshold then."""
    start = SlowStart(initial_window_packets=40)
    flow = Flow("a", ROUND_TRIP_S, Reno(), slow_start=start, mss_bytes=1448, frame_bytes=1500)
    host = Host("h", 1e9, (flow,), queue=NetemQueue(20, 0.01))
    port = Port("r", 100e6, (Queue("all", PacketLimit(500)),), overhead_bytes=38)
    water = tcp.solve(port, [host], 3.0)
    run = tcp.simulate(port, [host], 3.0, progress=lambda done_s, total_s: None)
    thresholds = [result.tcp.threshold_packets[0].min() for result in (water, run)]
    assert thresholds[0] == pytest.approx(thresholds[1], abs=1)
    assert float(water.tcp.goodput_bps[0]) == pytest.approx(float(run.tcp.goodput_bps[0]), rel=0.1)


def test_a_host_queue_of_bursts_bounds_the_rate():
    """netem with 1000 bursts of one segment and 50 ms lets 1.43 Gb/s pass."""
    queue = NetemQueue(1000, ROUND_TRIP_S)
    port = Port("r", LINE_BPS, (Queue("all", ByteLimit(120_000_000)),), overhead_bytes=38)
    flows = tuple(Flow(n, ROUND_TRIP_S, Reno(), window_bytes=WINDOW) for n in "ab")
    result = tcp.solve(port, [Host("h", LINE_BPS, flows, queue=queue)], 30.0)
    assert 1.0 < goodput_gbps(result) <= 1.44
    assert result.tcp.dropped_in_host.min() > 0
    assert drops(result) == 0


def test_a_transfer_ends_and_a_flow_stops():
    port = Port("r", 1e9, (Queue("all", ByteLimit(10_000_000)),), overhead_bytes=38)
    flows = (
        Flow("whole", 0.05, Reno(), transfer_bytes=8_948_000),
        Flow("stopped", 0.05, Reno(), start_s=1.0, stop_s=2.0),
    )
    result = tcp.solve(port, [Host("h", 10e9, flows)], 10.0)
    whole, stopped = result.tcp.goodput_bytes
    assert whole == pytest.approx(8_948_000, rel=1e-3)
    assert 0 < stopped < 1.3e9 / 8
    assert result.tcp.finished_s[0] == pytest.approx(0.375, abs=0.05)  # 10, 20, 40, ... 1000
    assert np.isnan(result.tcp.finished_s[1])


def test_a_shorter_step_gives_the_same():
    from qoslib.tcp.fluid import plan

    coarse = [esnet(b) for b in (2e6, 12e6)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "STEPS_A_ROUND", 400)
        fine = [esnet(b) for b in (2e6, 12e6)]
    for one, other in zip(coarse, fine, strict=True):
        assert goodput_gbps(one) == pytest.approx(goodput_gbps(other), rel=0.02)
        assert drops(one) == pytest.approx(drops(other), rel=0.1)


@pytest.mark.parametrize(
    ("port", "flow", "match"),
    [
        (dict(dropper=Red(RedProfile(10, 20))), {}, "queues is .*; allowed: one queue"),
        (dict(policer=Policer(1e9, 10_000)), {}, "policer is"),
        ({}, dict(congestion=Bbr()), "congestion is .*the packet model"),
    ],
)
def test_what_only_packets_can_is_refused(port, flow, match):
    line = Port("r", LINE_BPS, (Queue("all", ByteLimit(1_000_000), **port),))
    with pytest.raises(ValueError, match=match):
        tcp.solve(line, [Host("h", LINE_BPS, (Flow("a", 0.05, **flow),))], 1.0)


def test_names_and_times_are_checked():
    line = Port("r", LINE_BPS, (Queue("all", ByteLimit(1_000_000)),))
    host = Host("h", LINE_BPS, (Flow("a", 0.05),))
    with pytest.raises(ValueError, match="each name once"):
        tcp.solve(line, [host], 1.0, streams=[Stream("a", 1e9)])
    with pytest.raises(ValueError, match="duration_s is 0"):
        tcp.solve(line, [host], 0)
    with pytest.raises(ValueError, match="at most"):
        tcp.solve(line, [host], 1e9)


def test_the_record_adds_up():
    result = esnet(12e6)
    assert result.streams == ("a", "b", "udp")
    assert result.tcp.flows == ("a", "b")
    assert result.history.sent_packets.shape == (3, 400)
    total = result.history.sent_bytes.sum(1) * 8 / result.duration_s
    assert total == pytest.approx(result.sent_bps, rel=1e-4)
    assert np.isfinite(result.latency_mean_s).all()
    assert (result.latency_mean_s <= result.latency_max_s).all()
