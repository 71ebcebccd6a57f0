"""TCP by the fluid model: the closed forms, nothing lost on the way, and what packets showed."""

import importlib
import math
import re
import signal
import threading

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
#: Not the function that it has given its name.
SOLVE = importlib.import_module("qoslib.tcp.fluid.solve")
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


def saw_tooth_and_fluid(share, flows):
    """What four hundred seconds of Reno carry of a line, in closed form and by the fluid."""
    line_bps, segment, on_line = 100e6, 1500, 1538
    held = line_bps * ROUND_TRIP_S / 8 / on_line
    queue = Queue("all", ByteLimit(int(held * share * segment)))
    port = Port("r", line_bps, (queue,), overhead_bytes=38)
    each = [
        Flow(str(i), ROUND_TRIP_S, Reno(), mss_bytes=1448, frame_bytes=segment)
        for i in range(flows)
    ]
    result = tcp.solve(port, [Host("h", 1e9, tuple(each))], 400.0, warmup_s=100.0)
    expected = tcp.saw_tooth(line_bps / 8 / on_line, ROUND_TRIP_S, held * share, flows)
    return expected.utilisation, result.sent_pps.sum() * 8 * on_line / line_bps


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0])
def test_the_saw_tooth_uses_the_line_as_in_closed_form(share):
    expected, carried = saw_tooth_and_fluid(share, 1)
    assert carried == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, 0.5])
def test_four_flows_of_which_some_lose_carry_more_than_if_all_did(share):
    together, carried = saw_tooth_and_fluid(share, 4)
    assert together + 0.02 < carried < 1


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
    assert (waiting > -1).all(), "of a packet that was lost a part may still be to send"
    assert waiting.sum() * 9000 <= size * 1.001
    windows = result.tcp.window_packets * 8948
    assert (result.tcp.in_flight_packets[:, -1] <= WINDOW / 8948 + 1).all()
    assert (windows <= 2 * WINDOW * 1.001).all()
    assert goodput_gbps(result) <= 8.0


def test_equal_flows_are_served_alike_and_a_longer_way_is_slower():
    result = esnet(4e6)
    assert result.tcp.goodput_bps[0] == pytest.approx(result.tcp.goodput_bps[1], rel=1e-3)
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


@pytest.mark.parametrize("share", [0.5, 0.75, 1.0])
def test_hystarts_train_ends_slow_start_where_packets_do(share):
    """Once a round's ACKs have taken `share` of 50 ms at 10 Gb/s, and the window grown by them."""
    start = SlowStart(hystart=HyStart(delay=False, train_share=share))
    flow = Flow("a", ROUND_TRIP_S, Cubic(), slow_start=start)
    port = Port("r", LINE_BPS, (Queue("all", ByteLimit(10**8)),))
    hosts = [Host("h", LINE_BPS, (flow,))]
    found, packets = tcp.solve(port, hosts, 1.0), tcp.simulate(port, hosts, 1.0)
    threshold = packets.tcp.ssthresh_packets.min()
    assert threshold > 2 * share * LINE_BPS * ROUND_TRIP_S / 8 / 9000
    assert found.tcp.ssthresh_packets.min() == pytest.approx(threshold, rel=0.05)


def test_a_first_window_beyond_the_hosts_queue_is_lowered_as_packets_are():
    """40 packets into room for 20: known at once, and half of 20 is the threshold then."""
    start = SlowStart(initial_window_packets=40)
    flow = Flow("a", ROUND_TRIP_S, Reno(), slow_start=start, mss_bytes=1448, frame_bytes=1500)
    host = Host("h", 1e9, (flow,), queue=NetemQueue(20, 0.01))
    port = Port("r", 100e6, (Queue("all", PacketLimit(500)),), overhead_bytes=38)
    water = tcp.solve(port, [host], 3.0)
    run = tcp.simulate(port, [host], 3.0, progress=lambda done_s, total_s: None)
    thresholds = [result.tcp.ssthresh_packets[0].min() for result in (water, run)]
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
        ({}, dict(slow_start=SlowStart(10**300)), "Flow 'a' initial_window_packets is 1000"),
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
    with pytest.raises(ValueError, match=r"duration_s is 1000000.0; allowed: at most 250000 with"):
        tcp.solve(line, [host], 1e6)


def test_the_record_adds_up():
    result = esnet(12e6)
    assert result.streams == ("a", "b", "udp")
    assert result.tcp.flows == ("a", "b")
    assert result.history.sent_packets.shape == (3, 400)
    total = result.history.sent_bytes.sum(1) * 8 / result.duration_s
    assert total == pytest.approx(result.sent_bps, rel=1e-4)
    assert np.isfinite(result.delay_mean_s).all()
    assert (result.delay_mean_s <= result.delay_max_s).all()


def test_flows_lose_whole_packets_and_the_queue_keeps_its_limit():
    result = esnet(4e6)
    lost = result.dropped_pps * result.duration_s
    assert lost == pytest.approx(np.rint(lost), abs=1e-9)
    assert result.history.dropped_packets.sum(1) == pytest.approx(lost)
    assert result.history.queue_packets.max() * 9000 <= 4e6 * 1.001


def two_flows(buffer_packets=100, round_trips_s=(0.02, 0.021), **host):
    """Two Reno flows at 100 Mb/s, each of its own host."""
    port = Port("r", 100e6, (Queue("all", PacketLimit(buffer_packets)),))
    like = dict(mss_bytes=1448, frame_bytes=1500)
    return port, [
        Host(f"h{at}", 1e9, (Flow(f"f{at}", trip_s, Reno(), **like),), **host)
        for at, trip_s in enumerate(round_trips_s)
    ]


def same(one, other):
    return all(
        np.array_equal(getattr(one.tcp, name), getattr(other.tcp, name), equal_nan=True)
        for name in ("goodput_bps", "window_packets", "fast_recoveries", "received_bytes")
    )


def test_a_seed_says_who_loses_and_one_flow_alone_needs_none():
    port, hosts = two_flows()
    first = tcp.solve(port, hosts, 20.0)
    assert first.seed == 0
    assert same(first, tcp.solve(port, hosts, 20.0, seed=0))
    assert not same(first, tcp.solve(port, hosts, 20.0, seed=1))
    alone = [tcp.solve(port, hosts[:1], 20.0, seed=seed) for seed in (0, 1)]
    assert same(*alone)


def test_what_a_warm_up_leaves_out_was_counted_before():
    port, hosts = two_flows()
    both = [Stream("udp", 1e7, 1500)]
    whole = tcp.solve(port, hosts, 20.0, streams=both)
    start = tcp.solve(port, hosts, 5.0, streams=both)
    late = tcp.solve(port, hosts, 20.0, streams=both, warmup_s=5.0)
    assert late.duration_s == pytest.approx(15.0)
    assert late.history.time_s[[0, -1]] == pytest.approx([5.0, 20.0])
    for name in ("offered_bps", "sent_bps", "dropped_bps"):
        parts = 15 * getattr(late, name) + 5 * getattr(start, name)
        assert parts == pytest.approx(20 * getattr(whole, name), rel=1e-9), name
    parts = late.tcp.goodput_bytes + start.tcp.goodput_bytes
    assert parts == pytest.approx(whole.tcp.goodput_bytes, abs=2)
    parts = late.tcp.fast_recoveries + start.tcp.fast_recoveries
    assert parts.tolist() == whole.tcp.fast_recoveries.tolist()
    with pytest.raises(ValueError, match=r"warmup_s is 20.0; allowed: below the duration"):
        tcp.solve(port, hosts, 20.0, warmup_s=20.0)


def test_bins_end_with_the_run():
    """Of 401 steps the last bin has one; none comes after it."""
    port, hosts = two_flows(round_trips_s=(0.02, 0.02))
    result = tcp.solve(port, hosts, 401 * 0.0002)
    assert result.history.time_s[-1] == pytest.approx(result.duration_s)
    assert result.history.sent_packets.shape == (2, len(result.history.time_s) - 1)


class Stop:
    """Stops a run when it is told how far it is for the n-th time."""

    def __init__(self, at):
        self.left, self.done_s = at, math.nan

    def __call__(self, done_s, total_s):
        self.left, self.done_s = self.left - 1, done_s
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("warmup_s", [0.0, 1.0])
def test_a_stopped_run_is_right_up_to_there(monkeypatch, warmup_s):
    monkeypatch.setattr(SOLVE, "CHUNK_ROWS", 20_011)
    port, hosts = two_flows()
    stop = Stop(3)
    with pytest.warns(UserWarning, match="stopped after"):
        stopped = tcp.solve(port, hosts, 20.0, progress=stop, warmup_s=warmup_s)
    assert stopped.interrupted
    assert stopped.duration_s == pytest.approx(stop.done_s - warmup_s)
    assert stopped.history.time_s[-1] == pytest.approx(stop.done_s)
    whole = tcp.solve(port, hosts, stop.done_s, warmup_s=warmup_s)
    assert not whole.interrupted
    assert stopped.tcp.goodput_bps.tolist() == whole.tcp.goodput_bps.tolist()
    for name in ("sent_bps", "dropped_bps", "delay_mean_s"):
        assert getattr(stopped, name) == pytest.approx(getattr(whole, name), rel=1e-9), name


def test_a_run_that_is_stopped_in_its_warm_up_has_no_record(monkeypatch):
    monkeypatch.setattr(SOLVE, "CHUNK_ROWS", 1000)
    port, hosts = two_flows()
    with pytest.raises(KeyboardInterrupt):
        tcp.solve(port, hosts, 20.0, progress=Stop(1), warmup_s=10.0)


def test_ctrl_c_stops_a_long_run():
    """5e6 steps of 50 flows, in one call of a kernel before."""
    # Tests that a shell started in the background are born deaf to the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    trips_s = [0.02 + i * 1e-4 for i in range(50)]
    port, hosts = two_flows(round_trips_s=trips_s)
    began = threading.Event()
    threading.Thread(target=lambda: began.wait(30) and signal.raise_signal(signal.SIGINT)).start()
    try:
        with pytest.warns(UserWarning, match="stopped after"):
            result = tcp.solve(port, hosts, 1000.0, progress=lambda done_s, total_s: began.set())
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.interrupted
    assert 0 < result.duration_s < 1000


@pytest.mark.parametrize(
    ("port", "flows", "streams", "match"),
    [
        (dict(limit=ByteLimit(10**15)), {}, [], r"Queue 'all' limit is ByteLimit.*tables of 4 GB"),
        ({}, dict(a=1e5, b=1e-3), [], r"Flow 'a' round_trip_s is 100000.0; .*tables of 4 GB"),
        ({}, dict(a=1e-6), [], r"duration_s is 30.0; allowed: at most 5 with these round trips"),
        ({}, dict(a=1e-323), [], r"duration_s is 30.0; allowed: at most 0 with these"),
        ({}, {}, [1e18, 1e18], r"Stream 's1' rate_bps is 1e\+18; allowed: at most 1.2.* of port"),
        (dict(rate_bps=1e300), {}, [], r"Port 'r' rate_bps is 1e\+300; allowed: at most 1.2"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_allocated(port, flows, streams, match):
    line = Port(
        "r", port.get("rate_bps", 1e9), (Queue("all", port.get("limit", ByteLimit(10**6))),)
    )
    each = tuple(Flow(name, trip_s) for name, trip_s in (flows or dict(a=0.05)).items())
    beside = [Stream(f"s{at}", rate_bps) for at, rate_bps in enumerate(streams)]
    with pytest.raises(ValueError, match=match):
        tcp.solve(line, [Host("h", 1e9, each)], 30.0, streams=beside)


@pytest.mark.parametrize(
    ("flows", "share", "host", "said"),
    [
        (1, 0.19, {}, "holds 0.19 of the bandwidth-delay product. Below 0.2, bursts can fill"),
        (1, 0.21, {}, None),
        (16, 0.9, {}, "holds 0.9 of the bandwidth-delay product over the square root of 16 flows"),
        (16, 1.1, {}, None),
        (16, 0.1, dict(pacing=HtbPacing(5e6)), None),
        (1, 0.1, dict(burst_packets=50), "burst of 50 packets from host 'h0' needs .* 45 packets"),
        (4, 1.0, dict(burst_packets=50), None),
    ],
)
def test_it_says_where_a_buffer_is_too_small_for_it(flows, share, host, said):
    """100 Mb/s and 50 ms hold 416.7 packets."""
    size = math.ceil(share * 100e6 * 0.05 / 8 / 1500 / math.sqrt(flows))
    port, hosts = two_flows(size, [0.05] * flows, **host)
    notes = tcp.solve(port, hosts, 30.0).notes
    if said is None:
        assert notes == ()
    else:
        (note,) = notes
        assert re.search(said, note)
        assert note.endswith("Use tcp.simulate, which simulates every packet.")
