"""The draws and the arrivals that the engine and its twin share, each on its own."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from qoslib.packets.kernels.arrivals import advance
from qoslib.packets.kernels.draws import exponential, key, mixed, uniform
from qoslib.packets.kernels.tables import STREAM
from qoslib.packets.plan import Run, planned
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Cbr, FrameMix, OnOff, Poisson, Stream, TickedBursts, Trace, imix
from twin import Draws, Sender

PORT = Port("port", 1e9, (Queue("q", PacketLimit(10)),))
PS = 10**12
MANY = 1_200_000


def pvalue(test, *of):
    """Of a test of statistics; scipy has many, and would take a second of each process."""
    from scipy import stats

    return getattr(stats, test)(*of).pvalue


@njit
def filled(owner, draw, values):
    for i in range(len(values)):
        values[i] = draw(owner)


@njit
def arrived(stream, classes, feed, times, kinds):
    last = -(1 << 60)
    for i in range(len(times)):
        advance(stream, classes, feed, last)
        last = stream.next_ps
        times[i], kinds[i] = last, stream.packet_class


def drawn(draw, count, seed, *owner, dtype=float):
    rows = np.zeros(1, STREAM)
    rows["key"] = key(seed, *owner)
    values = np.zeros(count, dtype)
    filled(rows[0], draw, values)
    return values


def arrivals(stream, count, seed=1):
    """Times [ps] and frame sizes of a stream's packets, by the engine's own rules."""
    state = planned(PORT, [stream], Run(1.0, seed=seed))
    times, kinds = np.zeros(count, np.int64), np.zeros(count, np.int64)
    arrived(state.streams[0], state.classes, state.feed, times, kinds)
    return times, state.classes["frame_bytes"][kinds]


@pytest.mark.parametrize("owner", [(0, 0), (0, 3), (1, 0, 2), (1, 2, 0)])
@pytest.mark.parametrize(
    ("draw", "name", "dtype"),
    [(mixed, "bits", np.uint64), (uniform, "uniform", float), (exponential, "exponential", float)],
)
def test_draws_are_those_of_plain_python(draw, name, dtype, owner):
    for seed in (0, 1, 2**63, 10**30):
        ours, plain = drawn(draw, 2000, seed, *owner, dtype=dtype), Draws(seed, *owner)
        assert list(ours) == [getattr(plain, name)() for _ in range(2000)]


def test_logarithms_agree_bit_for_bit_over_many_draws():
    plain = Draws(5, 0, 0)
    assert all(ours == plain.exponential() for ours in drawn(exponential, 200_000, 5, 0, 0))


def test_draws_are_even_and_owners_do_not_share_them():
    first, second = (drawn(uniform, 200_000, 7, 0, i) for i in range(2))
    assert pvalue("kstest", first, "uniform") > 0.01
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.01
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.01


@pytest.mark.parametrize("rate_bps", [1e9, 3e9 / 7, 0.1e9, 123456789.123, 999983.0])
@pytest.mark.parametrize("clock_ppm", [0.0, 37.5])
def test_constant_spacing_is_exact_to_a_picosecond(rate_bps, clock_ppm):
    stream = Stream("s", rate_bps, 1518, Cbr(1e-3), clock_ppm=clock_ppm)
    times, _ = arrivals(stream, MANY)
    gap = 8 * 1518 * PS / (Fraction(rate_bps) * (1 + Fraction(clock_ppm) / 10**6))
    for k in (*range(100), *range(MANY - 100, MANY), *range(0, MANY, 997)):
        assert times[k] == 10**9 + math.floor(k * gap), k
    assert set(np.diff(times)) <= {math.floor(gap), math.ceil(gap)}


def test_poisson_gaps_are_exponential_with_the_stream_s_mean():
    times, _ = arrivals(Stream("s", 8e8, 1000, Poisson()), 500_000)
    gaps = np.diff(times, prepend=0) / (10 * 10**6)
    assert abs(gaps.mean() - 1) < 3 / math.sqrt(len(gaps))
    assert abs(gaps.var() - 1) < 3 * math.sqrt(8 / len(gaps))
    assert pvalue("kstest", gaps[:20_000], "expon") > 0.01


def test_bursts_leave_at_the_first_tick_after_they_fall_due():
    stream = Stream("s", 9.7e8, 1000, TickedBursts(1e-3, 1e-4), start_s=0.5)
    times, _ = arrivals(stream, 100_000)
    due, _ = arrivals(stream.replace(arrivals=Cbr()), 100_000)
    tick, first = 10**9, 5 * 10**11 + 10**8
    ticks = first + np.maximum(-(-(due - first) // tick), 0) * tick
    np.testing.assert_array_equal(times, ticks)
    assert set(np.unique(times, return_counts=True)[1][1:-1]) <= {121, 122}


@pytest.mark.parametrize("periods", ["constant", "exponential"])
def test_on_off_sends_evenly_in_on_periods_and_keeps_the_mean_rate(periods):
    stream = Stream("s", 1e8, 1000, OnOff(3e-3, 7e-3, periods))
    times, _ = arrivals(stream, 400_000)
    gap = 24 * 10**6  # 3/10 of the mean gap
    assert times[-1] / (400_000 * 80 * 10**6) == pytest.approx(1, rel=0.03)
    steps = np.diff(times)
    assert steps.min() >= gap
    inside = steps[steps < gap + 2]
    assert len(inside) / len(steps) == pytest.approx(1 - 24e-6 / 3e-3, abs=2e-3)
    pauses = (steps[steps >= gap + 2] - gap) / 1e9
    if periods == "constant":
        assert set(pauses) == {7.0}
    else:
        assert pauses.mean() == pytest.approx(7, rel=0.05)


def test_jitter_is_even_and_keeps_the_order():
    slow = Stream("s", 8e6, 1000, jitter_s=9e-4)
    late = arrivals(slow, 50_000)[0] - arrivals(slow.replace(jitter_s=0.0), 50_000)[0]
    assert pvalue("kstest", late / 9e8, "uniform") > 0.01
    dense, _ = arrivals(Stream("s", 8e6, 1000, jitter_s=0.02), 50_000)
    assert np.diff(dense).min() >= 0


def test_a_link_spaces_packets_by_their_own_length():
    stream = Stream("s", 8e8, FrameMix((100, 1500), (0.5, 0.5)), Poisson(), access_bps=1e9)
    times, sizes = arrivals(stream, 100_000)
    assert (np.diff(times) - 8000 * sizes[1:]).min() == 0


def test_a_mix_has_its_shares():
    _, sizes = arrivals(Stream("s", 1e9, imix()), MANY)
    counts = [np.count_nonzero(sizes == size) for size in (64, 594, 1518)]
    assert pvalue("chisquare", counts, np.array([7, 4, 1]) * MANY / 12) > 0.01


def test_start_and_stop():
    stream = Stream("s", 8e6, 1000, start_s=0.25, stop_s=0.75)
    times, _ = arrivals(stream, 600)
    np.testing.assert_array_equal(times[:500], 25 * 10**10 + np.arange(500) * 10**9)
    assert (times[500:] == np.iinfo(np.int64).max).all()


def test_a_recorded_stream_arrives_as_recorded_between_its_start_and_stop():
    trace = Trace((0.0, 0.1, 0.1, 0.2, 0.3), (64, 65, 66, 64, 70))
    stream = Stream("s", arrivals=trace, start_s=0.1, stop_s=0.3)
    times, sizes = arrivals(stream, 4)
    assert list(times[:3] / PS) == [0.1, 0.1, 0.2]
    assert list(sizes[:3]) == [65, 66, 64]
    assert times[3] == np.iinfo(np.int64).max


SECONDS = st.floats(1e-5, 1e-2)
PROCESSES = st.one_of(
    st.builds(Cbr, SECONDS),
    st.just(Poisson()),
    st.builds(TickedBursts, SECONDS, SECONDS),
    st.builds(OnOff, SECONDS, SECONDS, st.sampled_from(["constant", "exponential"]), SECONDS),
)


@given(
    st.builds(
        Stream,
        st.just("s"),
        st.floats(1e6, 1e10),
        st.integers(1, 9000) | st.just(imix()),
        PROCESSES,
        clock_ppm=st.floats(-1e4, 1e4),
        jitter_s=st.just(0.0) | SECONDS,
        start_s=st.just(0.0) | SECONDS,
        access_bps=st.none() | st.floats(1e6, 1e10),
    ),
    st.integers(0, 100),
)
def test_every_stream_is_that_of_plain_python(stream, seed):
    times, sizes = arrivals(stream, 200, seed)
    plain, since = Sender(0, stream, seed), None
    for time_ps, size in zip(times, sizes, strict=True):
        assert (plain.next, plain.size) == (time_ps, size)
        since = plain.next
        plain.take(since)
