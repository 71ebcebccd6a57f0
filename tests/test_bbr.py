"""BBR keeps to its model of the path, loses what a Linux kernel loses, and shares."""

from types import SimpleNamespace

import numpy as np
import pytest
from test_packets_twin import quiet

from qoslib import tcp
from qoslib.flows import Bbr, Flow, Host
from qoslib.port import ByteLimit, PacketLimit, Port, Queue
from qoslib.tcp.kernels import codes, tables
from qoslib.tcp.kernels.delivery import note_sent, rate_sample, sent_last
from qoslib.tcp.kernels.scoreboard import acknowledge, sacked

MSS, FRAME = 1448, 1500


def flow(name="f", round_trip_s=0.05, **changes):
    return Flow(name, round_trip_s, Bbr(), mss_bytes=MSS, frame_bytes=FRAME, **changes)


def run(rate_bps, buffer_packets, *flows, duration_s, **options):
    port = Port("line", rate_bps, (Queue("all", PacketLimit(buffer_packets)),))
    hosts = [Host(f"host of {f.name}", 10 * rate_bps, (f,)) for f in flows]
    return tcp.simulate(port, hosts, duration_s, progress=quiet, **options)


def pipe_packets(rate_bps, round_trip_s):
    return rate_bps * round_trip_s / (8 * FRAME)


def lost_share(result):
    return result.packets.lost.sum() / (result.packets.lost.sum() + result.packets.sent.sum())


def windows(result, from_s):
    return result.tcp.window_packets[:, result.tcp.time_s[1:] > from_s]


def fairness(shares):
    """Jain's index: 1 where all are alike, 1 / n where one has all."""
    return shares.sum() ** 2 / (len(shares) * (shares**2).sum())


@pytest.mark.parametrize("segments_per_ack", [1, 2])
@pytest.mark.parametrize("round_trip_s", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("rate_bps", [10e6, 100e6, 1e9])
def test_a_flow_fills_the_line_with_a_window_of_twice_the_pipe(
    rate_bps, round_trip_s, segments_per_ack
):
    pipe, warmup_s = pipe_packets(rate_bps, round_trip_s), 1.0 + 30 * round_trip_s
    sender = flow(round_trip_s=round_trip_s, segments_per_ack=segments_per_ack)
    result = run(rate_bps, int(4 * pipe), sender, duration_s=12.0, warmup_s=warmup_s)
    assert lost_share(result) < 0.01
    assert result.tcp.goodput_bps[0] > 0.9 * rate_bps * MSS / FRAME
    largest = windows(result, warmup_s).max()
    # The least round trip contains a packet's times on both lines and the packets of an ACK; the
    # window three bursts, its rounding, and two packets where it looks for more.
    assert largest <= 2 * (pipe + 1.2 + segments_per_ack - 1) + 3 + 2 + 2
    assert largest <= 2.5 * pipe or pipe < 20


GAP, ROUND_TRIP = 10, 100


def rates_of(acks, packets=60):
    """Rates where a packet leaves every `GAP`; an ACK is (time, all before, packet)."""
    flow = np.zeros(1, tables.FLOW).view(np.recarray)[0]
    flow.mask, flow.min_rtt_ps, flow.recovery = 63, ROUND_TRIP, codes.SACK
    senders = SimpleNamespace(
        segments=np.zeros(64, tables.SEGMENT), departures=np.zeros(64, tables.DEPARTURE)
    )
    sent = [(GAP * number, 1, 0, number) for number in range(packets)]
    rates = []
    for now, leaves, upto, number in sorted([*((at, 0, *ack) for at, *ack in acks), *sent]):
        if leaves:
            segment = senders.segments[number]
            segment["state"], segment["order"] = codes.IN_FLIGHT, number
            segment["sent_ps"], flow.next = now, number + 1
            note_sent(flow, senders.departures, number, 1, now)
            continue
        last = sent_last(flow, senders.segments, upto, number << codes.TRIES_BITS | 1)
        news = acknowledge(flow, senders.segments, upto)
        if number >= flow.una:
            news += sacked(flow, senders.segments, number)
        rates.append(rate_sample.py_func(flow, senders, last, news, now)[0])
    return rates


def test_acks_in_clumps_do_not_raise_the_rate():
    """By the time between ACKs alone the largest of these would be 14 packets in 104."""
    last_of_five = [number - number % 5 + 4 for number in range(45)]
    acks = [
        (GAP * last + ROUND_TRIP + number % 5, number + 1, number)
        for number, last in enumerate(last_of_five)
    ]
    assert max(rates_of(acks)) == 1 / GAP


def test_a_repaired_hole_does_not_raise_the_rate():
    """Packet 10 arrives together with 31: an ACK that moves on by 22 packets reports these two."""
    acks = [
        (GAP * number + ROUND_TRIP, min(number + 1, 10), number)
        for number in range(31)
        if number != 10
    ]
    rates = rates_of([*acks, (410, 32, 31)])
    assert max(rates[:-1]) == 1 / GAP
    assert rates[-1] == 11 / ROUND_TRIP


def test_a_buffer_of_one_pipe_is_not_overrun():
    """Repaired holes look like bursts to a rate of what is acknowledged in order."""
    result = run(100e6, 400, flow(), duration_s=60.0)
    assert windows(result, 2.0).max() <= 2.1 * pipe_packets(100e6, 0.05)
    assert lost_share(result) < 0.01
    assert result.tcp.goodput_bps[0] > 0.95 * 100e6 * MSS / FRAME


@pytest.mark.parametrize("buffer_packets", [400, 1600])
def test_flows_that_start_one_after_another_share_a_minute_later(buffer_packets):
    """Who comes to a full line gets little of it at first; so it is in a kernel."""
    flows = [flow(f"{i}", start_s=float(i)) for i in range(4)]
    result = run(100e6, buffer_packets, *flows, duration_s=80.0, warmup_s=60.0)
    assert fairness(result.tcp.goodput_bps) > 0.8
    assert result.tcp.goodput_bps.sum() > 0.95 * 100e6 * MSS / FRAME


#: Flows, buffer [B], lost [%] of two runs each, from the 2nd to the 22nd second: Linux 6.18, three
#: network namespaces, HTB at 20 Mb/s with overhead 24 and a bfifo, no segmentation offload, 50 ms.
KERNEL = {
    (1, 6_000): (3.4, 3.4),
    (1, 24_000): (1.8, 2.0),
    (2, 6_000): (8.1, 8.4),
    (2, 24_000): (6.1, 6.5),
    (2, 120_000): (2.4, 2.9),
    (4, 6_000): (13.1, 13.4),
    (4, 24_000): (11.8, 13.6),
    (4, 120_000): (7.6, 8.8),
}


@pytest.mark.parametrize(("flows", "buffer_bytes"), KERNEL)
def test_as_much_is_lost_as_in_a_kernel(flows, buffer_bytes):
    port = Port("line", 20e6, (Queue("all", ByteLimit(buffer_bytes)),), overhead_bytes=24)
    senders = [
        flow(f"{i}", start_s=0.02 * i, segments_per_ack=2).replace(frame_bytes=1514)
        for i in range(flows)
    ]
    host = Host("host", 1e9, tuple(senders), jitter_s=1e-4)
    result = tcp.simulate(port, [host], 22.0, warmup_s=2.0, progress=quiet)
    measured = np.mean(KERNEL[flows, buffer_bytes])
    assert measured / 1.5 < 100 * lost_share(result) < 1.5 * measured


def test_the_pipe_is_emptied_for_a_new_least_round_trip():
    """Two flows keep a queue, so that none sees the least round trip: four packets for 0.2 s."""
    flows = flow("a"), flow("b", start_s=1.0)
    result = run(100e6, 1600, *flows, duration_s=40.0, bins=4000)
    for window in result.tcp.window_packets:
        few = np.flatnonzero(np.diff(np.concatenate([[0], window == 4, [0]])))
        lasted_s = (few[1::2] - few[::2]) * 0.01
        assert 2 <= len(lasted_s) <= 4
        assert 0.2 <= lasted_s.min() <= lasted_s.max() <= 0.4
    assert result.tcp.goodput_bps.sum() > 0.9 * 100e6 * MSS / FRAME


def test_a_window_below_the_pipe_sets_the_rate():
    result = run(100e6, 400, flow(window_bytes=100 * MSS), duration_s=12.0, warmup_s=2.0)
    assert result.tcp.goodput_bps[0] == pytest.approx(100 * MSS * 8 / 0.05, rel=0.05)
    assert result.packets.lost.sum() == 0


def test_the_first_phase_is_drawn():
    """As far as the draw every run is the same."""
    runs = [run(10e6, 160, flow(), duration_s=4.0, seed=seed) for seed in range(6)]
    assert len({result.tcp.window_packets.tobytes() for result in runs}) > 2
    assert len({windows(result, 0.0)[0, :20].tobytes() for result in runs}) == 1
