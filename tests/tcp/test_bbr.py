"""BBR keeps to its model of the path, loses what a Linux kernel loses, and shares."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from agreement import quiet
from qoslib import tcp
from qoslib.flows import Bbr, Flow, Host
from qoslib.port import ByteLimit, PacketLimit, Port, Queue
from qoslib.tcp.kernels import codes, tables
from qoslib.tcp.kernels.bbr import bbr_acts
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
    # window three bursts, its rounding, two packets where it looks for more, and what one ACK
    # reports at once.
    assert largest <= 2 * (pipe + 1.2 + segments_per_ack - 1) + 3 + 2 + 2 + segments_per_ack
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


class Bunched:
    """A flow that knows its path, a packet every 10 ps and ten in a round trip, and hears ACKs."""

    def __init__(self, rate=1 / GAP, cwnd=20.0, full=True):
        self.flow = np.zeros(1, tables.FLOW).view(np.recarray)[0]
        self.flow.phase, self.flow.cycles, self.flow.burst = codes.CYCLE, 4, 1
        self.flow.window_gain, self.flow.startup_gain, self.flow.full = 2.0, 2.885, full
        self.flow.least_ps, self.flow.probe_every_ps, self.flow.probe_packets = ROUND_TRIP, 10**9, 4
        self.flow.bandwidth_count, self.flow.rate, self.flow.cwnd = 11, rate, cwnd
        self.flow.flight, self.flow.round_upto = int(cwnd), 10**6
        self.rates = np.zeros(12)
        self.rates[0] = rate

    def hears(self, now, packets, round_over=False):
        """After an ACK of so many packets: the largest bunch of these rounds, and the window."""
        flow = self.flow
        flow.delivered += packets
        flow.delivered_ps = flow.phase_ps = now
        sample = flow.rate, flow.round_upto if round_over else 0, 0
        bbr_acts(flow, self.rates, sample, 0, flow.flight, packets, 0, now)
        flow.round_upto = 10**6
        return flow.bunch, flow.cwnd


def test_bunched_acks_add_to_the_window_what_they_bring_beyond_the_rate():
    """Counted by hand: packets since the count began, less one for every 10 ps.

    The window is twice the pipe, three bursts and the largest bunch, up to an even number.
    """
    bunched = Bunched(cwnd=40.0)
    # 20 + 3 + 6 = 29.
    assert bunched.hears(1000, 6) == (6, 30)
    # 6 > 1, so the count goes on: 6 + 1 - 1, 7 + 4 - 2 = 9, 11 + 3 - 2 = 12, as 29 ps are 2 whole.
    assert bunched.hears(1010, 1) == (6, 30)
    assert bunched.hears(1020, 4) == (9, 32)
    assert bunched.hears(1029, 3) == (12, 35)
    # 14 + 2 - 11 is less than there was, and the largest counts: 20 + 3 + 12 = 35.
    assert bunched.hears(1110, 2) == (12, 36)
    # 16 = 16: it begins anew, and all that this ACK brings is beyond the rate.
    assert bunched.hears(1160, 14) == (14, 38)
    assert bunched.hears(1300, 5) == (14, 38)
    assert bunched.flow.counted == 5


def test_an_ack_at_the_rate_is_no_bunch():
    bunched = Bunched()
    for at in range(1000, 3000, GAP):
        assert bunched.hears(at, 1)[0] == 1
    # 20 + 3 + 1.
    assert bunched.flow.cwnd == 24


@pytest.mark.parametrize(("at_round", "kept"), [(0, 9), (3, 6), (4, 5), (5, 9)])
def test_a_bunch_is_forgotten_after_five_to_ten_rounds(at_round, kept):
    bunched = Bunched(cwnd=40.0)
    ends = itertools.count(1000, ROUND_TRIP)
    for _ in range(at_round):
        bunched.hears(next(ends), 1, round_over=True)
    assert bunched.hears(next(ends), 8)[0] == 8
    windows = [bunched.hears(next(ends), 1, round_over=True)[1] for _ in range(kept + 3)]
    # 20 + 3 + 8 = 31, and 20 + 3 + 1.
    assert windows == [32] * kept + [24] * 3


def test_a_bunch_counts_up_to_the_window_and_a_tenth_of_a_second_of_the_rate():
    assert Bunched(cwnd=20.0).hears(1000, 64) == (20, 44)
    # 30 packets in 0.1 s, and one in a round trip of 100 ps, at a gain of 2 as well.
    slow = Bunched(rate=30 / 10**11, cwnd=60.0)
    assert slow.hears(1000, 50) == (50, 2 * ((1 + 30 + 3 + 1) // 2))


def test_until_the_pipe_is_full_bunches_are_counted_and_add_nothing():
    """20 + 3 = 23: the window grows below 24 only."""
    bunched = Bunched(full=False, cwnd=23.0)
    assert bunched.hears(1000, 12) == (12, 35)
    assert bunched.hears(1001, 12) == (24, 35)


def test_after_a_million_packets_counting_begins_anew():
    bunched = Bunched(cwnd=2.0**21)
    assert bunched.hears(1000, 2**20 - 2)[0] == 2**20 - 2
    assert bunched.hears(1001, 1)[0] == 2**20 - 1
    assert bunched.flow.counted == 2**20 - 1
    bunched.hears(1002, 1)
    assert bunched.flow.counted == 1


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
