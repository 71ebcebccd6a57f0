"""A run from outside: its histogram and history, its progress, the stop button, its memory."""

import subprocess
import sys
from contextlib import closing
from unittest.mock import MagicMock

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from outcomes import long_enough, outcomes, picoseconds, runs
from qoslib import packets
from qoslib import port as p
from qoslib.packets.progress import ProgressBar
from qoslib.traffic import Poisson, Stream, imix
from strategies import ports, stream_sets

pytestmark = pytest.mark.newer

several = settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
STREAMS = [Stream("poisson", 60e6, imix(), Poisson()), Stream("regular", 60e6, 500)]
QUEUES = (p.Queue("poisson", p.PacketLimit(50)), p.Queue("regular", p.PacketLimit(20)))
PORT = p.Port("access", 100e6, QUEUES, p.StrictPriority(), base_delay_s=1e-6)
CHAIN = p.Chain("path", (p.Hop(PORT), p.Hop(PORT.replace(name="next", rate_bps=90e6))))
PLACES = pytest.mark.parametrize("where", [PORT, CHAIN], ids=["port", "chain"])
#: Each latency bin is 1/128 of a doubling wide.
BIN = 1 / 128


@several
@given(ports(), stream_sets(), st.booleans(), st.integers(1, 300))
def test_bins_of_the_history_sum_to_the_counts(port, streams, warm, bins):
    assume(runs(port, streams))
    duration_s = long_enough(streams)
    result = packets.simulate(port, streams, duration_s, warmup_s=warm * duration_s / 3, bins=bins)
    history = result.history
    assert history.time_s.shape == (bins + 1,)
    assert_array_equal(history.offered_packets.sum(1), result.packets.offered)
    assert_array_equal(history.sent_packets.sum(1), result.packets.sent)
    assert_array_equal(history.dropped_packets.sum(1), result.packets.lost)
    assert_array_equal(history.sent_bytes.sum(1), result.octets.sent)
    assert_array_equal(result.histogram.counts.sum(1), result.packets.sent)


@several
@given(ports(), stream_sets(), st.sampled_from([0.1, 0.5, 0.9, 0.99, 0.999]))
def test_latencies_are_those_of_the_packets_and_quantiles_within_one_percent(port, streams, share):
    assume(runs(port, streams))
    seen = outcomes(port, streams, long_enough(streams))
    latency = seen.departure - seen.arrival + picoseconds(port.base_delay_s)
    estimates_s = seen.result.histogram.quantile_s(share)
    for i in range(len(streams)):
        mine = np.sort(latency[(seen.stream == i) & (seen.departure <= seen.end)])
        assert len(mine) == seen.result.packets.sent[i]
        if len(mine):
            exact = mine[int(np.ceil(share * len(mine))) - 1]
            assert estimates_s[i] * 1e12 == pytest.approx(exact, rel=BIN)
            assert picoseconds(seen.result.delay_min_s[i]) == mine[0]
            assert picoseconds(seen.result.delay_max_s[i]) == mine[-1]
            mean = int(mine.sum()) / len(mine)
            assert seen.result.delay_mean_s[i] * 1e12 == pytest.approx(mean, rel=1e-14)
        else:
            assert np.isnan(estimates_s[i])
            assert np.isnan(seen.result.delay_mean_s[i])


@PLACES
@pytest.mark.parametrize("chunk_packets", [100, 10_000_000])
def test_progress_is_told_in_order_and_to_the_end(where, chunk_packets):
    told = []
    packets.simulate(
        where,
        STREAMS,
        0.5,
        progress=lambda done_s, total_s: told.append((done_s, total_s)),
        chunk_packets=chunk_packets,
    )
    done, total = np.transpose(told)
    assert (np.diff(done) >= 0).all()
    assert set(total) == {0.5}
    assert done[-1] == 0.5
    assert chunk_packets > 100 or len(done) > 50


def stopped_after(share):
    """A progress callable whose user presses stop."""

    def tell(done_s, total_s):
        if done_s > share * total_s:
            raise KeyboardInterrupt

    return tell


@PLACES
def test_a_stopped_run_says_so_and_records_what_was_played(where):
    with pytest.warns(UserWarning, match="stopped after 0.2"):
        result = packets.simulate(
            where, STREAMS, 0.5, progress=stopped_after(0.4), chunk_packets=100
        )
    assert result.interrupted
    assert 0.2 < result.duration_s < 0.25
    counts = result.packets
    assert_array_equal(counts.offered, counts.sent + counts.lost + counts.queued)
    assert (counts.queued >= 0).all()
    assert_array_equal(result.histogram.counts.sum(1), counts.sent)
    assert_allclose(result.offered_bps, 60e6, rtol=0.05)
    history = result.history
    assert 0.19 < history.time_s[-1] <= result.duration_s
    assert (history.sent_packets.sum(1) <= counts.sent).all()
    assert (history.sent_packets.sum(1) > 0.9 * counts.sent).all()


def test_a_stopped_run_is_a_whole_run_of_that_length():
    with pytest.warns(UserWarning, match="stopped"):
        stopped = packets.simulate(
            PORT, STREAMS, 0.5, progress=stopped_after(0.4), chunk_packets=100
        )
    whole = packets.simulate(PORT, STREAMS, stopped.duration_s)
    played = stopped.packets.offered - whole.packets.offered
    assert played.sum() in (0, 1)
    assert whole.interrupted is False


MEMORY = """
import resource
from qoslib import packets
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Poisson, Stream

port = Port("line", 1e9, (Queue("all", PacketLimit(1000)),))
for count in (100_000, 3_000_000):
    result = packets.simulate(port, [Stream("a", 0.9e9, 1000, Poisson())], count / 112_500)
    print(result.packets.offered[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_packets():
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    (few, small_kb), (many, large_kb) = (map(int, row.split()) for row in done.stdout.splitlines())
    assert many > 25 * few
    assert 1024 * (large_kb - small_kb) < many - few, "less than a byte a packet"


@pytest.mark.parametrize(("variable", "shown"), [("1", False), ("0", True), ("", True)])
def test_a_progress_bar_has_a_switch_that_does_not_depend_on_speed(monkeypatch, variable, shown):
    made = []
    monkeypatch.setattr("tqdm.auto.tqdm", lambda **options: made.append(options) or MagicMock(n=0))
    monkeypatch.setattr(ProgressBar, "patience_s", -1.0)
    monkeypatch.setenv("TQDM_DISABLE", variable)
    with closing(ProgressBar()) as bar:
        bar(0.1, 1.0)
    assert bool(made) is shown


def test_a_run_without_tqdm_has_no_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(ProgressBar, "patience_s", -1.0)
    monkeypatch.setenv("TQDM_DISABLE", "")
    assert packets.simulate(PORT, STREAMS, 0.01).duration_s == 0.01
