"""Closed forms of TCP at a buffer, against printed tables, limits and slow sums."""

import math

import pytest

from qoslib.tcp.formulas import (
    aimd_window_packets,
    bandwidth_delay_bytes,
    cubic_window_packets,
    desynchronised_buffer_bytes,
    loss_free_buffer_bytes,
    mathis_bps,
    policer_burst_bytes,
    saw_tooth,
    window_limited_bps,
)

#: RFC 9438, tables 1 and 2: loss, then Reno, CUBIC at 100 ms, CUBIC at 10 ms [packets].
RFC_9438 = [
    (1e-2, 12, 12, 12),
    (1e-3, 38, 38, 38),
    (1e-4, 120, 187, 120),
    (1e-5, 379, 1054, 379),
    (1e-6, 1200, 5926, 1200),
    (1e-7, 3795, 33325, 5926),
    (1e-8, 12000, 187400, 33325),
]


@pytest.mark.parametrize(("lost", "reno", "far", "near"), RFC_9438)
def test_response_functions_are_those_of_the_rfc(lost, reno, far, near):
    # The tables take 1.2 for the square root of 3/2, and round to whole packets.
    assert aimd_window_packets(lost) == pytest.approx(reno, rel=0.025)
    for printed, round_trip_s in ((far, 0.1), (near, 0.01)):
        rel = 0.001 if printed > reno else 0.025
        assert cubic_window_packets(lost, round_trip_s) == pytest.approx(printed, rel=rel, abs=0.5)


def test_mathis_is_the_saw_tooth_without_a_buffer():
    """Where the tooth alone makes the loss, its window is 3/4 of the largest."""
    tooth = saw_tooth(1e5, 0.1, 0.0)
    segment = 1448
    carried_bps = tooth.utilisation * 1e5 * 8 * segment
    assert mathis_bps(segment, 0.1, tooth.lost_share) == pytest.approx(carried_bps, rel=1e-3)


def slow_tooth(rate_pps, round_trip_s, buffer_packets, flows, decrease):
    """The same, round trip by round trip."""
    held = rate_pps * round_trip_s
    window, most = decrease * (held + buffer_packets), held + buffer_packets
    passed = time_s = 0.0
    while window < most:
        passed += window / 100
        time_s += max(round_trip_s, window / rate_pps) / 100
        window += flows / 100
    return passed / (rate_pps * time_s), time_s


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.99, 1.5])
@pytest.mark.parametrize(("flows", "decrease"), [(1, 0.5), (4, 0.5), (1, 0.7)])
def test_the_saw_tooth_is_the_sum_of_its_round_trips(share, flows, decrease):
    given = (5e4, 0.05, share * 2500, flows, decrease)
    tooth, (utilisation, period_s) = saw_tooth(*given), slow_tooth(*given)
    assert tooth.utilisation == pytest.approx(utilisation, rel=2e-3)
    assert tooth.period_s == pytest.approx(period_s, rel=5e-3)


def test_a_buffer_of_one_product_keeps_the_line_busy_and_none_three_quarters():
    assert saw_tooth(1e4, 0.1, 1000).utilisation == 1
    assert saw_tooth(1e4, 0.1, 999).utilisation < 1
    assert saw_tooth(1e4, 0.1, 0).utilisation == 0.75
    assert saw_tooth(1e4, 0.1, 1000 * (1 / 0.7 - 1), decrease=0.7).utilisation == pytest.approx(1)


def test_a_window_that_the_path_holds_needs_no_buffer():
    assert loss_free_buffer_bytes(49e6, 10e9, 0.05, 2e9) == 0
    assert loss_free_buffer_bytes(51e6, 10e9, 0.05, 2e9) == pytest.approx(1.25e6)


def test_the_loss_free_queue_is_a_balance():
    """What stands in path and queue of the flows is their windows."""
    line, background, round_trip_s, windows = 10e9, 3e9, 0.05, 97e6
    buffer = loss_free_buffer_bytes(windows, line, round_trip_s, background)
    left = line - background
    under_way = left * round_trip_s / 8 + buffer * left / line
    assert under_way == pytest.approx(windows)
    waiting_s = 8 * buffer / line
    assert window_limited_bps(windows, round_trip_s + waiting_s) == pytest.approx(left)


def test_many_flows_need_less():
    whole = bandwidth_delay_bytes(8e9, 0.05)
    assert desynchronised_buffer_bytes(8e9, 0.05, 1) == whole
    assert desynchronised_buffer_bytes(8e9, 0.05, 400) == whole / 20


def slow_policed(held, bucket, flows, rounds=20_000):
    """Share of a policer's rate that Reno flows use, round trip by round trip."""
    windows, tokens, sent = held / flows, bucket, 0.0
    for _ in range(rounds):
        tokens += held
        passed = min(windows * flows, tokens)
        windows = windows / 2 if passed < windows * flows else windows + 1
        tokens = min(tokens - passed, bucket)
        sent += passed
    return sent / rounds / held


@pytest.mark.parametrize("flows", [1, 4])
def test_a_policer_passes_its_rate_from_this_burst_on(flows):
    held, packet = 500 / 3, 1500
    burst = policer_burst_bytes(100e6, 0.020, packet, flows) / packet
    assert slow_policed(held, burst, flows) == pytest.approx(1, abs=0.005)
    assert slow_policed(held, burst / 2, flows) < 0.95
    assert slow_policed(held, 0, flows) == pytest.approx(0.75, abs=0.01)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: bandwidth_delay_bytes(0, 0.05), "rate_bps"),
        (lambda: desynchronised_buffer_bytes(1e9, 0.05, 0), "flows"),
        (lambda: loss_free_buffer_bytes(1e6, 1e9, 0.05, 1e9), "background_bps"),
        (lambda: window_limited_bps(1e6, -1), "round_trip_s"),
        (lambda: policer_burst_bytes(1e6, 0.1, 0), "packet_bytes"),
        (lambda: policer_burst_bytes(1e6, 0.1, 1500, 0), "flows"),
        (lambda: aimd_window_packets(0), "lost_share"),
        (lambda: cubic_window_packets(1e-3, 0.1, decrease=1.0), "decrease"),
        (lambda: saw_tooth(1e4, 0.1, -1), "buffer_packets"),
        (lambda: saw_tooth(1e4, math.inf, 1), "round_trip_s"),
        (lambda: saw_tooth(1e4, 0.1, 1, decrease=1), "decrease"),
    ],
)
def test_what_is_refused_is_named(call, name):
    with pytest.raises(ValueError, match=f"{name} is .*; allowed: "):
        call()
