"""Slow start: how fast a paced sender reaches its rate, and where growth ends."""

import math

import pytest

from agreement import quiet
from qoslib import tcp, units
from qoslib.flows import (
    Cubic,
    Flow,
    FqPacing,
    Host,
    HtbPacing,
    HyStart,
    NetemQueue,
    Reno,
    SlowStart,
    burst_bytes,
)
from qoslib.port import ByteLimit, PacketLimit, Port, Queue

MSS_BYTES, FRAME_BYTES, ON_LINE_BYTES = 1448, 1500, 38
#: A segment as a pacer counts it.
COUNTED_BYTES = burst_bytes(MSS_BYTES)
SHARE, MARGIN = 0.9, 0.02


def target_packets(rate_bps, round_trip_s):
    """The window that keeps a pacer at 90 % of a line busy."""
    return units.rate_pps(SHARE * rate_bps, COUNTED_BYTES) * round_trip_s


def ramp_s(rate_bps, round_trip_s):
    """As many round trips as doublings lead from the initial window to the target, and two more."""
    doublings = math.log2(target_packets(rate_bps, round_trip_s) / 10)
    return (max(doublings, 0) + 2) * round_trip_s


def scene(rate_bps, round_trip_s, pacing, congestion, **flow):
    """A host with a line as fast as the port's, paced at 90 % of it; 2 BDP of buffer at the port.

    The queue of htb's class holds 2 BDP. With fq what waits is in the socket: no queue of the host.
    """
    held_bytes = int(2 * tcp.bandwidth_delay_bytes(rate_bps, round_trip_s))
    port = Port("line", rate_bps, (Queue("all", ByteLimit(held_bytes)),), overhead_bytes=38)
    settings = {"mss_bytes": MSS_BYTES, "frame_bytes": FRAME_BYTES} | flow
    sender = Flow("paced", round_trip_s, congestion, segments_per_ack=1, **settings)
    queue = NetemQueue(held_bytes // FRAME_BYTES) if pacing is HtbPacing else None
    return port, Host("h", rate_bps, (sender,), queue=queue, pacing=pacing(SHARE * rate_bps))


def paced_share(result, rate_bps):
    """The rate as the pacer counts it, as a share of what it was told."""
    return result.sent_pps[0] * units.bits(COUNTED_BYTES) / (SHARE * rate_bps)


def after_ramp(rate_bps, round_trip_s, pacing, congestion, **flow):
    """A run recorded from the end of its ramp, for two round trips and at least 400 packets."""
    port, host = scene(rate_bps, round_trip_s, pacing, congestion, **flow)
    begun_s = ramp_s(rate_bps, round_trip_s)
    lasts_s = max(2 * round_trip_s, 400 / units.rate_pps(SHARE * rate_bps, COUNTED_BYTES))
    options = {"warmup_s": begun_s, "bins": 1, "progress": quiet}
    return tcp.simulate(port, [host], begun_s + lasts_s, **options)


@pytest.mark.parametrize("congestion", [Reno(), Cubic()], ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("pacing", [FqPacing, HtbPacing])
@pytest.mark.parametrize("round_trip_s", [0.001, 0.010, 0.080])
@pytest.mark.parametrize("rate_bps", [100e6, 1e9, 10e9])
def test_a_paced_sender_reaches_its_rate_as_fast_as_windows_double(
    rate_bps, round_trip_s, pacing, congestion
):
    result = after_ramp(rate_bps, round_trip_s, pacing, congestion)
    assert paced_share(result, rate_bps) == pytest.approx(1, abs=MARGIN)
    assert result.packets.lost[0] == 0


LINE_BPS, ROUND_TRIP_S = 1e9, 0.010
TARGET = target_packets(LINE_BPS, ROUND_TRIP_S)
BOTH = pytest.mark.parametrize("model", ["packets", "fluid"])


def record_of(model, port, host, round_trips):
    """What becomes of the one flow of a host in so many round trips."""
    if model == "fluid":
        return tcp.solve(port, [host], round_trips * ROUND_TRIP_S).tcp
    return tcp.simulate(port, [host], round_trips * ROUND_TRIP_S, progress=quiet).tcp


def last_window(model, pacing=FqPacing, **flow):
    """The window and what is in flight after 40 round trips [packets]."""
    record = record_of(model, *scene(LINE_BPS, ROUND_TRIP_S, pacing, Reno(), **flow), 40)
    return record.window_packets[0, -1], record.in_flight_packets[0, -1]


@BOTH
def test_slow_start_ends_at_twice_what_is_outstanding(model):
    """Linux: while ``cwnd < 2 max_packets_out``, whatever holds the flow back."""
    window, flight = last_window(model)
    assert flight == pytest.approx(TARGET, rel=0.01)
    assert window == pytest.approx(2 * flight, rel=0.01)
    window, flight = last_window(model, window_bytes=400 * MSS_BYTES)
    assert flight == 400
    assert window == pytest.approx(2 * flight, rel=0.01)


@BOTH
def test_congestion_avoidance_ends_where_the_window_is_not_what_holds_the_flow_back(model):
    start = SlowStart(initial_threshold_packets=int(0.99 * TARGET))
    window, flight = last_window(model, slow_start=start)
    assert flight == pytest.approx(TARGET, rel=0.01)
    assert flight <= window < 1.02 * flight
    start = SlowStart(initial_threshold_packets=390)
    window, flight = last_window(model, slow_start=start, window_bytes=400 * MSS_BYTES)
    assert flight == 400
    assert 400 < window < 403


@BOTH
def test_by_ack_growth_stops_as_soon_as_the_window_is_not_full(model):
    by_ack = SlowStart(validation="ack")
    window, flight = last_window(model, HtbPacing, slow_start=by_ack, window_bytes=400 * MSS_BYTES)
    assert flight == 400
    assert 400 <= window <= 402


def test_by_ack_a_flow_whose_packets_wait_for_their_pacing_stays_small():
    """Linux before 3.16."""
    window, _ = last_window("packets", slow_start=SlowStart(validation="ack"))
    assert window < TARGET / 10


@BOTH
def test_what_waits_for_its_pacing_in_the_socket_is_not_in_the_round_trip(model):
    port, host = scene(LINE_BPS, ROUND_TRIP_S, FqPacing, Cubic())
    record = record_of(model, port, host, 40)
    assert record.round_trip_s[0, -1] == pytest.approx(ROUND_TRIP_S, rel=0.01)


@BOTH
@pytest.mark.parametrize("share", [0.5, 1.0])
@pytest.mark.parametrize("initial_packets", [7, 8, 10, 12])
def test_a_train_of_acks_ends_slow_start_at_two_to_three_times_its_share(
    model, share, initial_packets
):
    """In the first round whose window w is above s BDP: from there it has grown by s BDP more."""
    hystart = HyStart(delay=False, train_share=share)
    start = SlowStart(initial_packets, hystart=hystart)
    product = tcp.bandwidth_delay_bytes(LINE_BPS, ROUND_TRIP_S) / (FRAME_BYTES + ON_LINE_BYTES)
    sizes = {"mss_bytes": MSS_BYTES, "frame_bytes": FRAME_BYTES}
    flow = Flow("f", ROUND_TRIP_S, Reno(), slow_start=start, **sizes)
    port = Port("line", LINE_BPS, (Queue("all", PacketLimit(10_000)),), overhead_bytes=38)
    record = record_of(model, port, Host("h", 10 * LINE_BPS, (flow,)), 20)
    window = initial_packets * 2 ** math.ceil(math.log2(share * product / initial_packets))
    assert record.ssthresh_packets[0, -1] == pytest.approx(window + share * product, rel=0.02)
