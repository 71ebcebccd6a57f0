"""Window laws alone, against the response functions of their RFCs."""

import numpy as np
import pytest
from numba import njit

from qoslib.flows import Cubic, Flow, HTcp, HyStart, Reno, SlowStart
from qoslib.tcp.kernels import tables, window
from qoslib.tcp.plan import fill_choices

PS = 10**12


def row_of(flow):
    rows = np.zeros(1, tables.FLOW)
    fill_choices(rows[0], flow)
    if not isinstance(flow.congestion, HTcp):
        rows["epoch_ps"] = np.iinfo(np.int64).max
    rows["srtt_ps"] = rows["min_srtt_ps"] = rows["max_srtt_ps"] = int(flow.round_trip_s * PS)
    return rows


@njit
def epochs_ps(rows, packets, losses):
    """Lose one of so many packets, as often as asked; the length of the last quarter of epochs."""
    flow, now_ps, begun_ps = rows[0], 0.0, 0.0
    for loss in range(losses):
        if loss == losses - losses // 4:
            begun_ps = now_ps
        for _ in range(packets):
            now_ps += flow.srtt_ps / flow.cwnd
            window.grows(flow, 1, 0, int(now_ps))
        window.shrinks(flow, False, int(now_ps))
        flow.cwnd = flow.ssthresh
    return now_ps - begun_ps


def mean_window(law, share, round_trip_s, peak, losses=40):
    """Of epochs that follow a loss at this peak."""
    rows = row_of(Flow("f", round_trip_s, law))
    rows["cwnd"] = peak
    window.shrinks(rows[0], False, 0)
    rows["cwnd"] = rows["ssthresh"]
    packets = round(1 / share)
    took_ps = epochs_ps(rows, packets, losses)
    return packets * (losses // 4) * rows["srtt_ps"][0] / took_ps


def reno_window(share):
    """RFC 9438, section 5.2: the square root law under deterministic loss."""
    return (3 / 2 / share) ** 0.5


def cubic_window(law, share, round_trip_s):
    """RFC 9438, section 5.1, equation 5, where CUBIC does not follow Reno."""
    factor = law.c * (3 + law.beta) / (4 * (1 - law.beta))
    return factor**0.25 * (round_trip_s / share) ** 0.75


@pytest.mark.parametrize("share", [1e-2, 1e-3, 1e-4, 1e-5])
def test_reno_follows_the_square_root_law(share):
    expected = reno_window(share)
    assert mean_window(Reno(), share, 0.1, expected) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("round_trip_s", [0.1, 0.01])
@pytest.mark.parametrize("share", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
@pytest.mark.parametrize("c", [0.04, 0.4, 4.0])
def test_cubic_follows_its_response_function(round_trip_s, share, c):
    """The tables of RFC 9438, section 5.1, within 4 % where its two regions are well apart.

    Between them, where one epoch has a part of each, the window is near the larger of both. As in
    the RFC's derivation, every epoch starts from the last one's peak: no fast convergence. Another
    peak than its own would be forgotten only slowly, as a window at its plateau hardly moves.
    """
    law = Cubic(c=c, fast_convergence=False)
    both = reno_window(share), cubic_window(law, share, round_trip_s)
    apart = max(both) > 2.5 * min(both)
    found = mean_window(law, share, round_trip_s, max(both) * 4 / (3 + law.beta))
    assert found == pytest.approx(max(both), rel=0.04 if apart else 0.12)


def test_cubic_is_not_slower_than_reno_unless_told():
    alone = mean_window(Cubic(friendly=False), 1e-2, 0.01, 10.0)
    assert alone < 0.5 * mean_window(Cubic(), 1e-2, 0.01, 10.0)


def test_cubic_comes_back_to_its_peak_after_k():
    """Section 4.2: K = cbrt((W_max - cwnd) / C), whatever the round trip."""
    rows = row_of(Flow("f", 0.1, Cubic(friendly=False)))
    flow = rows[0].view(np.recarray)
    rows["cwnd"], rows["ssthresh"] = 1000.0, 1.0
    window.shrinks(rows[0], False, 0)
    rows["cwnd"] = rows["ssthresh"]
    assert flow.cwnd == pytest.approx(700)
    k_s = (300 / 0.4) ** (1 / 3)
    now_s = 0.0
    while now_s < k_s:
        window.grows(rows[0], 70, 0, int(now_s * PS))
        now_s += 0.1 * 70 / flow.cwnd
    assert flow.cwnd == pytest.approx(1000, rel=2e-3)


def test_fast_convergence_lowers_the_next_peak():
    rows = row_of(Flow("f", 0.1, Cubic()))
    rows["cwnd"], rows["w_max"] = 800.0, 1000.0
    window.shrinks(rows[0], False, 0)
    assert rows["w_max"][0] == pytest.approx(800 * 1.7 / 2)
    rows["cwnd"], rows["w_max"] = 1000.0, 800.0
    window.shrinks(rows[0], False, 0)
    assert rows["w_max"][0] == 1000


@pytest.mark.parametrize(
    ("after_s", "scaling", "round_trip_s", "alpha"),
    [
        (0.5, False, 0.1, 1.0),
        (1.0, False, 0.1, 1.0),
        (2.0, False, 0.1, 1 + 10 + 0.25),
        (5.0, False, 0.1, 1 + 40 + 4.0),
        (5.0, True, 0.05, 45 / 2),
        (5.0, True, 0.2, 45 / 0.5),
        (5.0, True, 0.001, 45 / 10),
    ],
)
def test_htcp_grows_faster_the_longer_nothing_is_lost(after_s, scaling, round_trip_s, alpha):
    """Leith and Shorten 2004 with beta 1/2; scaling as in Linux, with its limits of 1/2 and 10."""
    rows = row_of(Flow("f", round_trip_s, HTcp(rtt_scaling=scaling)))
    rows["cwnd"], rows["ssthresh"] = 100.0, 1.0
    window.grows(rows[0], 1, 0, int(after_s * PS))
    assert rows["alpha"][0] == pytest.approx(alpha)


@pytest.mark.parametrize(("late_s", "alpha"), [(0.5, 0.4), (2.0, 0.4 * 11.25)])
def test_htcp_grows_slowly_after_it_gave_up_little(late_s, alpha):
    """2 (1 - beta) f with beta 0.8, the most that is kept, and f not below 1."""
    rows = row_of(Flow("f", 0.1, HTcp()))
    for _ in range(3):
        rows["cwnd"], rows["max_rate"] = 100.0, 1e-9
        window.shrinks(rows[0], False, 10 * PS)
    assert rows["beta"][0] == 0.8
    rows["ssthresh"] = 1.0
    window.grows(rows[0], 1, 0, int((10 + late_s) * PS))
    assert rows["alpha"][0] == pytest.approx(alpha)


def test_htcp_backs_off_by_the_ratio_of_round_trips():
    rows = row_of(Flow("f", 0.1, HTcp()))
    rows["max_srtt_ps"] = int(0.15 * PS)
    kept = []
    for _ in range(3):
        rows["cwnd"], rows["max_rate"] = 100.0, 1e-9
        rows["max_srtt_ps"] = int(0.15 * PS)
        window.shrinks(rows[0], False, 10 * PS)
        kept.append(rows["ssthresh"][0])
    assert kept == pytest.approx([50, 50, 100 / 1.5])
    rows["cwnd"], rows["max_rate"] = 100.0, 2e-9
    window.shrinks(rows[0], False, 10 * PS)
    assert rows["ssthresh"][0] == 50


@pytest.mark.parametrize(("counts", "window_packets"), [("bytes", 20.0), ("acks", 15.0)])
def test_slow_start_counts_bytes_or_acks(counts, window_packets):
    rows = row_of(Flow("f", 0.1, slow_start=SlowStart(counts=counts)))
    for _ in range(5):
        window.grows(rows[0], 2, 0, PS)
    assert rows["cwnd"][0] == window_packets


@pytest.mark.parametrize(("round_trip_s", "ends"), [(0.1, False), (0.111, False), (0.114, True)])
def test_hystart_ends_slow_start_when_round_trips_rise(round_trip_s, ends):
    start = SlowStart(hystart=HyStart(train=False))
    rows = row_of(Flow("f", 0.1, slow_start=start))
    rows["cwnd"], rows["una"], rows["next"] = 100.0, 1, 1000
    rows["min_rtt_ps"] = int(0.1 * PS)
    for _ in range(8):
        window.grows(rows[0], 1, int(round_trip_s * PS), PS)
    assert np.isfinite(rows["ssthresh"][0]) == ends


@pytest.mark.parametrize(("hystart", "after_ms"), [({}, 52), ({"train_share": 1.0}, 102)])
def test_hystart_ends_slow_start_when_acks_go_on_for_a_share_of_a_round_trip(hystart, after_ms):
    start = SlowStart(hystart=HyStart(delay=False, **hystart))
    rows = row_of(Flow("f", 0.1, slow_start=start))
    rows["cwnd"], rows["una"], rows["next"] = 100.0, 1, 1000
    rows["min_rtt_ps"] = int(0.1 * PS)
    ended_ms = None
    for now_ms in range(1, 200):
        window.grows(rows[0], 1, int(0.1 * PS), now_ms * PS // 1000)
        if ended_ms is None and np.isfinite(rows["ssthresh"][0]):
            ended_ms = now_ms
    assert ended_ms == after_ms
