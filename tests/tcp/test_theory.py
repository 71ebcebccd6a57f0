"""TCP through a port against closed forms, conservation, and what RFCs promise."""

import numpy as np
import pytest

from agreement import quiet
from qoslib import tcp
from qoslib.flows import (
    Bbr,
    Cubic,
    Dctcp,
    Flow,
    FqPacing,
    Host,
    HtbPacing,
    HTcp,
    NetemQueue,
    NewRenoRecovery,
    PathologicalRecovery,
    Prague,
    RateHalving,
    Reno,
    SackRecovery,
    SlowStart,
    TimeoutOnly,
    actual_rate_bps,
    burst_bytes,
)
from qoslib.port import (
    ByteLimit,
    Codel,
    HeadDrop,
    PacketLimit,
    Pie,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    TailDrop,
)
from qoslib.traffic import Poisson, Stream

LINE_BPS, FRAME, MSS = 100e6, 1500, 1448
ROUND_TRIP_S = 0.05
#: Packets that the line and the base round trip hold.
PIPE = LINE_BPS * ROUND_TRIP_S / (8 * FRAME)


def flow(name="f", congestion=None, recovery=None, round_trip_s=ROUND_TRIP_S, **changes):
    return Flow(
        name,
        round_trip_s,
        congestion or Reno(),
        recovery or SackRecovery(),
        mss_bytes=MSS,
        frame_bytes=FRAME,
        **changes,
    )


def host(*flows, name="h", access_bps=1e9, jitter_s=0.0, **changes):
    return Host(name, access_bps, flows, jitter_s=jitter_s, **changes)


def line(limit=None, dropper=None, rate_bps=LINE_BPS, **changes):
    return Port(
        "line",
        rate_bps,
        (Queue("all", limit or PacketLimit(400), dropper or TailDrop(), **changes),),
    )


def run(port, *hosts, duration_s=20.0, **options):
    return tcp.simulate(port, hosts, duration_s, progress=quiet, **options)


def sawtooth(buffer, beta=0.5):
    """Share of the line that one AIMD flow uses with so many packets of buffer (a pipe is 1).

    The window rises by one a round trip from ``beta W`` to W = pipe + buffer. Below the pipe the
    line idles, above it every round trip is longer.
    """
    top = 1 + buffer
    low = beta * top
    if low >= 1:
        return 1.0
    below, above = 1 - low, (top**2 - 1) / 2
    return ((1 - low**2) / 2 + above) / (below + above)


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1.0, 2.0])
@pytest.mark.parametrize("beta", [0.5, 0.7])
def test_a_sawtooth_uses_as_much_of_the_line_as_its_buffer_allows(share, beta):
    packets = int(share * PIPE)
    start = SlowStart(initial_threshold_packets=int((PIPE + packets) * beta))
    result = run(
        line(PacketLimit(packets)),
        host(flow(congestion=Reno(beta), slow_start=start)),
        duration_s=250.0,
        warmup_s=50.0,
    )
    used = result.sent_bps[0] / LINE_BPS
    assert used == pytest.approx(sawtooth(share, beta), rel=0.006)
    assert result.tcp.timeouts[0] == 0


RECOVERIES = (
    SackRecovery(),
    SackRecovery(finds_repeats=False),
    RateHalving(),
    NewRenoRecovery(),
    TimeoutOnly(),
    PathologicalRecovery(),
)
CONGESTIONS = (Reno(), Cubic(), HTcp(), Bbr(), Dctcp(), Prague())
DROPPERS = (
    TailDrop(),
    HeadDrop(),
    Codel(),
    Codel(ecn=True),
    Pie(),
    Red(RedProfile(20, 60, 0.1), ecn=True),
)


@pytest.mark.parametrize("recovery", RECOVERIES, ids=lambda r: type(r).__name__)
@pytest.mark.parametrize("congestion", CONGESTIONS, ids=lambda c: type(c).__name__)
def test_packets_are_conserved(recovery, congestion):
    """Sent = arrived + lost + on the way, for any law, recovery and dropper."""
    for number, dropper in enumerate(DROPPERS):
        ecn = "classic" if "classic" in congestion.ecn else "l4s"
        flows = [
            flow("a", congestion, recovery, ecn=ecn),
            flow("b", congestion, recovery, 0.02, ecn=ecn),
        ]
        result = run(
            line(PacketLimit(100), dropper),
            host(*flows, jitter_s=1e-4),
            streams=[Stream("udp", 10e6, FRAME, Poisson())],
            duration_s=4.0,
            seed=number,
        )
        packets, record = result.packets, result.tcp
        lost = packets.lost[:2]
        assert np.array_equal(packets.offered, packets.sent + packets.lost + packets.queued)
        assert np.array_equal(lost, record.first_send_drops + record.retransmit_drops)
        assert (packets.queued >= 0).all()
        useful = record.goodput_bytes // MSS
        # The packet on the line at the end has been handed over, and is not yet sent.
        assert (useful <= packets.sent[:2] + 1).all()
        assert (useful > 100).all()
        assert (record.retransmit_drops <= record.retransmitted).all()
        if isinstance(recovery, SackRecovery | RateHalving) and not record.timeouts.any():
            assert (record.retransmitted <= lost).all()


def test_a_transfer_arrives_whole_and_ends():
    transfer = flow(transfer_bytes=5_000_000)
    result = run(line(PacketLimit(50)), host(transfer))
    packets = -(-5_000_000 // MSS)
    assert result.tcp.goodput_bytes[0] == packets * MSS
    assert 0.5 < result.tcp.finished_s[0] < 3
    assert result.packets.offered[0] == packets + result.tcp.retransmitted[0]
    assert result.tcp.retransmitted[0] == result.packets.lost[0] > 0


def test_slow_start_doubles_each_round_trip():
    """10, 20, 40, ... segments a round trip: 10 (2^k - 1) after k of them."""
    result = run(line(rate_bps=10e9), host(flow(), access_bps=10e9), duration_s=0.3, bins=6)
    sent = result.history.offered_packets[0]
    assert sent.tolist() == [10, 20, 40, 80, 160, 320]


def test_a_window_limits_the_rate_to_itself_a_round_trip():
    result = run(line(), host(flow(window_bytes=100 * MSS)), duration_s=10.0, warmup_s=2.0)
    # The last bit of a packet leaves two serialisations after it was sent.
    on_lines_s = 8 * FRAME / LINE_BPS + 8 * FRAME / 1e9
    expected_bps = 100 * 8 * MSS / (ROUND_TRIP_S + on_lines_s)
    # Windows arrive whole: one more or less of them in the 8 s.
    one_window_bps = 100 * 8 * MSS / 8.0
    assert result.tcp.goodput_bps[0] == pytest.approx(expected_bps, abs=one_window_bps)


@pytest.mark.parametrize("congestion", [Reno(), Cubic(), HTcp()], ids=lambda c: type(c).__name__)
def test_equal_flows_share_equally_over_seeds(congestion):
    goodput = []
    for seed in range(6):
        hosts = [
            host(flow(f"f{i}", congestion, start_s=0.1 * i), name=f"h{i}", jitter_s=2e-3)
            for i in range(4)
        ]
        result = run(line(PacketLimit(200)), *hosts, duration_s=60.0, warmup_s=10.0, seed=seed)
        goodput.append(result.tcp.goodput_bps)
        assert goodput[-1].sum() > 0.9 * LINE_BPS * MSS / FRAME
    mean = np.mean(goodput, axis=0)
    jain = mean.sum() ** 2 / (len(mean) * (mean**2).sum())
    assert jain > 0.98


def test_goodput_through_a_policer_grows_with_its_burst():
    """Its bucket has to hold what the upper half of a sawtooth sends above the rate.

    With a mean of one pipe P the window rises from 2/3 P to 4/3 P in 2/3 P round trips; what is
    sent above the rate in the upper half is P^2 / 18 packets, here 386 or 579 kB.
    """
    rate_bps, goodput = 20e6, []
    for size_bytes in (5_000, 20_000, 60_000, 200_000, 900_000):
        queue = Queue("all", PacketLimit(1000), policer=Policer(rate_bps, size_bytes))
        result = run(Port("p", LINE_BPS, (queue,)), host(flow()), duration_s=90.0, warmup_s=30.0)
        goodput.append(result.tcp.goodput_bps[0] * FRAME / MSS / rate_bps)
    assert goodput == sorted(goodput)
    assert goodput[0] < 0.75
    assert 0.97 < goodput[-1] < 1.01


@pytest.mark.parametrize("dropper", [Codel(), Pie()], ids=lambda d: type(d).__name__)
def test_active_queues_hold_delay_where_tail_drop_fills_the_buffer(dropper):
    hosts = [host(flow(f"f{i}", Cubic()), name=f"h{i}", jitter_s=1e-3) for i in range(4)]
    options = {"duration_s": 40.0, "warmup_s": 10.0}
    full = run(line(PacketLimit(2000)), *hosts, **options)
    held = run(line(PacketLimit(2000), dropper), *hosts, **options)
    assert full.delay_mean_s.mean() > 0.1
    assert held.delay_mean_s.mean() < 0.025
    assert held.tcp.goodput_bps.sum() > 0.93 * full.tcp.goodput_bps.sum()


def test_marks_replace_drops():
    dropper = Red(RedProfile(20, 200, 0.1), ecn=True)
    able = run(line(PacketLimit(400), dropper), host(flow(ecn=True)), duration_s=30.0)
    result = run(line(PacketLimit(400), dropper), host(flow()), duration_s=30.0)
    late = able.history.dropped_packets[0][50:].sum()
    assert able.packets.marked[0] > 10
    assert late == 0 < result.history.dropped_packets[0][50:].sum()
    assert able.tcp.retransmitted[0] < result.tcp.retransmitted[0]


def test_newreno_fills_one_hole_each_round_trip():
    """RFC 6582: the loss of n packets at once takes n round trips to repair, with SACK one."""
    port = line(PacketLimit(100))
    one = {"duration_s": 12.0, "bins": 1200}
    start = SlowStart(initial_window_packets=10)
    slow = run(port, host(flow(recovery=NewRenoRecovery(), slow_start=start)), **one)
    fast = run(port, host(flow(slow_start=start)), **one)
    lost = slow.packets.lost[0]
    assert lost > 80
    assert slow.tcp.timeouts[0] == fast.tcp.timeouts[0] == 0
    stalled = slow.tcp.received_bytes[0][:1000].reshape(-1, 5).sum(axis=1)
    assert slow.tcp.goodput_bps[0] < 0.5 * fast.tcp.goodput_bps[0]
    assert (stalled <= 2 * 200 * MSS).mean() > 0.3


def test_a_lost_window_without_recovery_waits_for_the_timer():
    """RFC 6298: at least the round trip and 200 ms, then one packet."""
    result = run(
        line(PacketLimit(50)),
        host(flow(recovery=TimeoutOnly(), transfer_bytes=2_000_000)),
        duration_s=20.0,
        bins=2000,
    )
    assert result.tcp.timeouts[0] >= 1
    assert result.tcp.fast_recoveries[0] == 0
    silent = result.history.offered_packets[0][: int(result.tcp.finished_s[0] * 100)] == 0
    longest = max(map(len, "".join("x" if s else " " for s in silent).split()))
    assert longest >= 18
    assert result.tcp.goodput_bytes[0] >= 2_000_000


@pytest.mark.parametrize(("first_s", "repairs"), [(0.002, 2), (0.001, 1)])
def test_losses_in_a_recovery_lower_the_window_a_second_time(first_s, repairs):
    """RFC 5681: by a second recovery (section 4.3), or by a timeout in the first (section 3.1).

    Two blasts of UDP, the second while the losses of the first are repaired.
    """
    times_s = [(2.0, first_s), (2.05, 0.03)]
    blasts = [
        Stream(f"blast {at}", 1e9, FRAME, start_s=at, stop_s=at + lasts) for at, lasts in times_s
    ]
    start = SlowStart(initial_threshold_packets=300)
    slower = host(flow(slow_start=start, window_bytes=400 * MSS), access_bps=90e6)
    once, twice = (
        run(line(PacketLimit(40)), slower, streams=played, duration_s=4.0, bins=400)
        for played in (blasts[:1], blasts)
    )
    assert (once.tcp.fast_recoveries[0], once.tcp.timeouts[0]) == (1, 0)
    assert (twice.tcp.fast_recoveries[0], twice.tcp.timeouts[0]) == (repairs, 2 - repairs)
    halved = once.tcp.ssthresh_packets[0].min()
    assert halved < 300
    assert twice.tcp.ssthresh_packets[0].min() == pytest.approx(halved / 2, rel=0.01)


def test_the_pathological_rule_costs_a_timeout_and_most_of_the_window():
    rule = PathologicalRecovery(critical_packets=20, threshold_packets=30)
    result = run(line(PacketLimit(100)), host(flow(recovery=rule)), duration_s=4.0, bins=400)
    assert result.tcp.timeouts[0] == 1
    assert result.tcp.ssthresh_packets[0].min() == 30
    assert run(line(PacketLimit(100)), host(flow())).tcp.timeouts[0] == 0


def test_a_host_queue_limits_what_is_under_way():
    """1000 bursts of netem in 50 ms: the rate is at most bursts over delay."""
    queue = NetemQueue(100, ROUND_TRIP_S)
    sender = host(flow(), queue=queue)
    result = run(line(), sender, duration_s=30.0, warmup_s=5.0)
    cap_bps = 100 * 8 * FRAME / ROUND_TRIP_S
    assert 0.7 * cap_bps < result.sent_bps[0] <= 1.01 * cap_bps
    assert result.tcp.dropped_in_host[0] > 0
    assert result.packets.lost[0] == 0


@pytest.mark.parametrize(
    ("pacing", "expected_bps"),
    [(FqPacing(30e6), 60e6), (HtbPacing(60e6), 60e6)],
    ids=["each flow", "the host"],
)
def test_paced_hosts_send_at_their_rate(pacing, expected_bps):
    sender = host(flow("a"), flow("b"), pacing=pacing)
    result = run(line(), sender, duration_s=20.0, warmup_s=10.0)
    # Pacing counts the payload and 66 bytes of headers, frames are 14 bytes shorter here.
    assert result.sent_bps.sum() == pytest.approx(expected_bps * FRAME / (MSS + 66), rel=0.01)
    assert result.packets.lost.sum() == 0


def test_bbr_fills_the_line_without_filling_the_buffer():
    options = {"duration_s": 20.0, "warmup_s": 8.0}
    port = line(PacketLimit(1000))
    bbr = run(port, host(flow(congestion=Bbr())), **options)
    cubic = run(port, host(flow(congestion=Cubic())), **options)
    assert bbr.sent_bps[0] > 0.93 * LINE_BPS
    assert bbr.delay_mean_s[0] < 0.3 * cubic.delay_mean_s[0]


def test_shorter_round_trips_get_more():
    near, far = flow("near", round_trip_s=0.02), flow("far", round_trip_s=0.08)
    hosts = host(near, jitter_s=1e-3), host(far, name="g", jitter_s=1e-3)
    result = run(line(PacketLimit(100)), *hosts, duration_s=60.0, warmup_s=10.0)
    assert result.tcp.goodput_bps[0] > 2 * result.tcp.goodput_bps[1]


def test_frames_count_against_a_limit_in_bytes():
    full = run(line(ByteLimit(150_000)), host(flow()), duration_s=20.0)
    assert full.history.queue_packets.max() == 100


@pytest.mark.parametrize("segments_per_ack", [1, 2, 3, 7])
def test_a_window_sends_whole_bursts_however_small_the_acks(segments_per_ack):
    """A rate table makes another rate of a part of a burst: 5.51 Gb/s of single segments."""
    pacing, mss_bytes = HtbPacing(5e9, "legacy"), 8948
    flow = Flow("a", 0.05, window_bytes=36_000_000, segments_per_ack=segments_per_ack)
    host = Host("host", 10e9, (flow,), burst_packets=7, pacing=pacing)
    line = Port("line", 10e9, (Queue("all", PacketLimit(9000)),))
    result = tcp.simulate(line, [host], 3.0, warmup_s=1.0, progress=quiet)
    burst_share = 7 * mss_bytes / burst_bytes(mss_bytes, 7)
    expected_bps = actual_rate_bps(pacing, mss_bytes, 7) * burst_share
    assert result.tcp.goodput_bps[0] == pytest.approx(expected_bps, rel=2e-4)
