"""One record of what happened: single values, rows, totals and quantiles."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qoslib.fluid import solve
from qoslib.port import PacketLimit, Port, Queue
from qoslib.results import QUANTITIES, Counts, Histogram
from qoslib.traffic import Stream

pytestmark = pytest.mark.newer

PORT = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
STREAMS = [Stream("a", 150e6), Stream("idle")]


def test_one_value_of_one_stream():
    result = solve(PORT, STREAMS)
    assert result.of("a", "sent_bps") == 100e6
    assert result.of("idle", "sent_bps") == 0
    assert result.of("idle", "latency_mean_s") is None
    assert (result.model, result.streams, result.queues) == ("fluid", ("a", "idle"), ("all",))


def test_what_is_not_there_is_named_with_what_is():
    result = solve(PORT, STREAMS)
    with pytest.raises(ValueError, match="stream is 'b'; allowed: a, idle"):
        result.of("b", "sent_bps")
    with pytest.raises(ValueError, match="quantity is 'speed'; allowed: offered_pps, sent_pps"):
        result.of("a", "speed")
    with pytest.raises(ValueError, match=r"sent_bps has shape \(3, 2\); allowed: one value"):
        solve(PORT, STREAMS, np.ones((3, 2))).of("a", "sent_bps")


def test_a_row_a_stream_with_all_quantities():
    rows = solve(PORT, STREAMS).rows()
    assert [row["stream"] for row in rows] == ["a", "idle"]
    assert all(set(row) == {"stream", *QUANTITIES} for row in rows)
    assert rows[1]["latency_max_s"] is None


def test_lost_is_the_sum_over_the_causes():
    one, two, none = np.array([1, 2]), np.array([3, 4]), np.zeros(2, int)

    def counts(dropped):
        return Counts(offered=two, sent=one, queued=none, dropped=dropped, marked=none)

    assert counts({"a": one, "b": two}).lost.tolist() == [4, 6]
    assert counts({}).lost.tolist() == [0, 0]


EDGES = np.geomspace(1e-6, 1, 25)
ROWS = st.lists(st.integers(0, 20), min_size=24, max_size=24)


@given(ROWS, st.floats(0, 1))
def test_a_quantile_lies_in_the_bin_that_holds_it(row, share):
    counts = np.array([row])
    value = Histogram(EDGES, counts).quantile_s(share)[0]
    if not sum(row):
        assert math.isnan(value)
        return
    latencies = np.repeat(np.arange(24), row)
    at = latencies[max(math.ceil(share * sum(row)) - 1, 0)]
    assert EDGES[at] * (1 - 1e-9) <= value <= EDGES[at + 1] * (1 + 1e-9)


@given(ROWS, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_do_not_fall(row, a, b):
    histogram = Histogram(EDGES, np.array([row]))
    low, high = (histogram.quantile_s(share)[0] for share in sorted((a, b)))
    assert math.isnan(low) or low <= high * (1 + 1e-12)


def test_quantiles_by_hand():
    histogram = Histogram(np.array([0.0, 1.0, 4.0, 16.0]), np.array([[0, 4, 4], [4, 0, 0]]))
    assert histogram.quantile_s(0).tolist() == [1, 0]
    assert histogram.quantile_s(0.25) == pytest.approx([2, 0.25])
    assert histogram.quantile_s(0.5) == pytest.approx([4, 0.5])
    assert histogram.quantile_s(1) == pytest.approx([16, 1])
    with pytest.raises(ValueError, match=r"share is 1.5; allowed: 0 to 1"):
        histogram.quantile_s(1.5)
