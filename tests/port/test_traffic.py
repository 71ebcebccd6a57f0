"""Streams: rates, frame sizes, marks, and what no stream may be."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qoslib.traffic import Cbr, FrameMix, OnOff, Repeated, Stream, Trace, imix, on_one_line
from strategies import MIXES, streams


def test_a_mark_stands_in_for_the_name():
    assert Stream("a").label == "a"
    assert Stream("a", mark="EF").label == "EF"


def test_the_clock_offset_is_in_the_rate():
    assert Stream("a", 1e9, clock_ppm=10).mean_rate_bps == pytest.approx(1e9 + 1e4, rel=1e-15)
    assert Stream("a", 1e9).mean_rate_bps == 1e9


def test_the_mean_of_the_internet_mix():
    assert imix().mean_bytes == pytest.approx((7 * 64 + 4 * 594 + 1518) / 12)
    assert Stream("a", frame_bytes=imix()).mean_frame_bytes == imix().mean_bytes
    assert Stream("a", frame_bytes=64).mean_frame_bytes == 64


@given(MIXES)
def test_a_mean_frame_lies_among_the_frames(mix):
    low, high = min(mix.sizes_bytes), max(mix.sizes_bytes)
    assert low * (1 - 1e-12) <= mix.mean_bytes <= high * (1 + 1e-12)


@given(st.integers(2, 50), st.floats(1e-6, 1), st.floats(0, 10), st.integers(64, 9000))
def test_a_regular_trace_has_the_rate_of_its_gap_whenever_it_starts(n, gap_s, start_s, frame):
    stream = Stream("a", arrivals=Trace(start_s + gap_s * np.arange(n), [frame] * n))
    assert stream.mean_rate_bps == pytest.approx(8 * frame / gap_s, rel=1e-6)
    assert stream.mean_frame_bytes == frame


def test_a_long_trace_is_the_same_from_arrays_lists_and_json():
    times_s, frames = np.arange(5_000) / 8, np.full(5_000, 64, np.int16)
    trace = Trace(times_s, frames)
    assert trace == Trace(times_s.tolist(), frames.tolist()) == Trace(tuple(times_s), iter(frames))
    assert hash(trace) == hash(Trace.from_json(trace.to_json()))
    assert Trace.from_json(trace.to_json()) == trace
    assert {type(value) for value in trace.times_s} == {float}
    assert {type(value) for value in trace.frames_bytes} == {int}
    assert Trace(range(100), range(1, 101)).times_s[-1] == 99.0
    large = [2**63 + 1] * 50
    for frames in (large, np.array(large, np.uint64), [1, 2**70] * 25):
        assert Trace([0.0] * 50, frames).frames_bytes == tuple(map(int, frames))
    assert repr(trace).startswith("Trace(times_s=(0.0, 0.125, 0.25, ..., 624.875), frames")


def test_a_trace_brings_its_own_frames_and_perhaps_none():
    trace = Trace((0.0, 1.0), (100, 300))
    assert Stream("a", frame_bytes=9000, arrivals=trace).mean_frame_bytes == 200
    for empty in (Trace((), ()), Trace((5.0,), (64,))):
        assert Stream("a", arrivals=empty).mean_rate_bps == 0


@given(streams("any"))
def test_any_stream_has_a_rate_and_a_frame(stream):
    assert 0 <= stream.mean_rate_bps < np.inf
    assert stream.mean_frame_bytes >= 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Stream(""), "Stream.name is ''; allowed: a text that is not empty"),
        (lambda: Stream("a", -1), r"Stream.rate_bps is -1.0; allowed: 0 to 1e18"),
        (lambda: Stream("a", 1e308), r"Stream.rate_bps is 1e\+308; allowed: 0 to 1e18"),
        (
            lambda: Stream("a", 1, arrivals=Trace((), ())),
            "rate_bps is 1.0; allowed: 0 with",
        ),
        (
            lambda: Stream("a", start_s=2, stop_s=2),
            "Stream.stop_s is 2.0; .* later than start_s",
        ),
        (lambda: Stream("a", clock_ppm=-1e6), "Stream.clock_ppm is -1000000.0; allowed: above"),
        (lambda: Stream("a", frame_bytes=0), r"Stream.frame_bytes is 0; allowed: 1 or more"),
        (lambda: Stream("a", frame_bytes=64.5), "Stream.frame_bytes is 64.5; .* a whole number"),
        (lambda: Stream("a", arrivals="vbr"), "Stream.arrivals is 'vbr'; allowed: Cbr, Poisson"),
        (lambda: Stream("a", arrivals="OnOff"), "is 'OnOff'; .* or 'cbr', 'poisson', 'ticked_b"),
        (lambda: Stream("a", arrivals=imix()), r"arrivals is FrameMix\(.*; allowed: Cbr"),
        (lambda: FrameMix((64, 65), (1.0,)), r"FrameMix.shares is \(1.0,\); .* one share for each"),
        (lambda: FrameMix((), ()), "FrameMix.shares is .*; allowed: .*at least one"),
        (lambda: FrameMix((64, 65), (0.5, 0.4)), "FrameMix.shares is .*; allowed: .* sum is 1"),
        (lambda: Trace((0.0,), ()), "Trace.frames_bytes is 0; allowed: 1 sizes"),
        (lambda: Trace((1.0, 0.5), (64, 64)), "Trace.times_s is .*; allowed: ascending times"),
        (lambda: Trace([0.0] * 99 + ["x"], [64] * 100), r"times_s\[99\] is 'x'; allowed: a number"),
        (lambda: Trace([0.0] * 100, [64] * 99 + [0]), r"frames_bytes\[99\] is 0; .* 1 or more"),
        (lambda: Trace([0.0] * 100, [64] * 99 + [True]), r"\[99\] is True; .* a whole number"),
        (lambda: Trace([0.0] * 100, np.full(100, 64.5)), r"\[0\] is 64.5; .* a whole number"),
        (lambda: Trace(np.arange(100.0)[::-1], [64] * 100), "Trace.times_s is .*: ascending t"),
        (lambda: Trace(np.array(1.0), [1]), "Trace.times_s is array.*; allowed: a sequence of num"),
        (lambda: Trace(np.zeros((50, 2)), [64] * 50), r"times_s\[0\] is \[0.0, 0.0\]; .* a number"),
        (lambda: OnOff(0, 1), r"OnOff.on_s is 0.0; allowed: above 0"),
        (lambda: OnOff(1, 1, "periodic"), "OnOff.periods is 'periodic'; allowed: 'constant', 'exp"),
        (lambda: Cbr(-1), r"Cbr.phase_s is -1.0; allowed: 0 or more"),
    ],
)
def test_what_no_stream_can_be(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def sender(*streams, line_bps=1e9):
    return on_one_line([Stream(*stream) for stream in streams], line_bps)


def test_streams_that_share_a_line_follow_each_other():
    """8 us a packet of 1000 B: two that are due at once, the first listed first."""
    first, second = sender(("a", 250e6, 1000), ("b", 500e6, 1000))
    assert first.arrivals == Repeated((0.0,))
    assert second.arrivals.shares == pytest.approx((0.25, 0.5))
    assert (first.rate_bps, second.rate_bps) == (250e6, 500e6)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_a_shared_line_sends_packet_after_packet_and_all_of_them(counts):
    """Twin: times of all packets of a period, no two closer than a packet on the line."""
    rates = [n * 1e6 for n in counts]
    made = sender(*((f"s{i}", rate, 1000) for i, rate in enumerate(rates)), line_bps=1e8)
    period_s = [8000 * len(s.arrivals.shares) / s.rate_bps for s in made]
    assert max(period_s) == pytest.approx(min(period_s))
    times = sorted(t * period_s[0] for s in made for t in s.arrivals.shares)
    assert all(b - a > 80e-6 * (1 - 1e-9) for a, b in pairwise(times))
    assert len(times) == pytest.approx(sum(rates) * period_s[0] / 8000)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Repeated(()), "Repeated.shares is .*; allowed: at least one, ascending, below 1"),
        (lambda: Repeated((0.5, 0.2)), "Repeated.shares"),
        (lambda: Repeated((0.0, 1.0)), "Repeated.shares"),
        (lambda: sender(("a", 6e8, 1000), ("b", 6e8, 1000)), "line_bps is .*; allowed: a line"),
        (lambda: sender(("a", 1e6, imix())), "Stream 'a' is .*; allowed: Cbr with one frame size"),
        (lambda: sender(("a", 999_983.0, 1000), ("b", 999_979.0, 1000)), "common period"),
    ],
)
def test_what_cannot_share_a_line(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
