"""The vocabulary of TCP senders."""

import pytest

from qoslib.flows import Flow, FqPacing, Host, HtbPacing, HTcp, HyStart, NetemQueue, actual_rate_bps

#: What tc's table made of 3 to 8 Gb/s, by segments of 8948 B in a burst (modelling of source 002).
LEGACY_BPS = {
    7: (3.28e9, 4.11e9, 5.45e9, 8.22e9, 8.22e9, 8.22e9),
    1: (3.28e9, 4.24e9, 5.55e9, 8.01e9, 9.01e9, 9.01e9),
}


@pytest.mark.parametrize("segments", LEGACY_BPS)
def test_a_table_of_whole_microseconds_paces_faster_than_asked(segments):
    asked = [actual_rate_bps(HtbPacing(n * 1e9, "legacy"), 8948, segments) for n in range(3, 9)]
    assert asked == pytest.approx(LEGACY_BPS[segments], abs=5e6)


def test_exact_pacing_is_exact_and_none_is_none():
    assert actual_rate_bps(HtbPacing(6e9), 8948, 7) == 6e9
    assert actual_rate_bps(FqPacing(6e9), 8948, 7) == 6e9
    assert actual_rate_bps(None, 8948) is None


def test_a_table_without_a_microsecond_lets_everything_pass():
    assert actual_rate_bps(HtbPacing(1e12, "legacy"), 8948) == float("inf")


FLOW = Flow("f", 0.05)


@pytest.mark.parametrize(
    ("made", "changes", "message"),
    [
        (FLOW, {"name": ""}, "Flow.name"),
        (FLOW, {"frame_bytes": 8000}, "Flow.frame_bytes is 8000"),
        (FLOW, {"window_bytes": 8000}, "Flow.window_bytes is 8000"),
        (FLOW, {"stop_s": 1.0, "start_s": 1.0}, "Flow.stop_s is 1.0"),
        (Host("h", 1e9, (FLOW,)), {"flows": (FLOW, FLOW)}, "each name once"),
        (Host("h", 1e9, (FLOW,)), {"flows": ()}, "at least one"),
        (Host("h", 1e9, (FLOW,)), {"queue": NetemQueue(9, 0.1)}, "round_trip_s is 0.05"),
        (HTcp(), {"beta_low": 0.9}, "HTcp.beta_low is 0.9"),
        (HyStart(), {"low_s": 0.1}, "HyStart.low_s is 0.1"),
    ],
)
def test_a_description_that_cannot_be_is_refused(made, changes, message):
    with pytest.raises(ValueError, match=message):
        made.replace(**changes)
