"""An engine and its slow twin say the same of each packet, count, latency and bin."""

import itertools
import math

import numpy as np
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from qoslib.packets import simulate
from qoslib.port import Chain, Switch
from twin import simulate as slow

BINS = 7
EVENTS, FEW_EVENTS = 20_000, 9
CHUNKS = st.sampled_from([1, 7, 200_000])


def quiet(done_s, total_s):
    """No progress bar."""


def same_outcomes(trace, outcomes):
    stream, arrival, departure, size, cause = zip(*outcomes, strict=True) if outcomes else [()] * 5
    departed = np.array([np.nan if time is None else float(time) for time in departure])
    assert_array_equal(trace.stream, stream)
    assert_array_equal(trace.arrival_s, np.array(arrival) / 10**12)
    assert_array_equal(trace.departure_s, departed / 10**12)
    assert_array_equal(trace.frame_bytes, size)
    assert_array_equal(trace.cause, cause)


def same_latencies(result, latencies):
    for i, mine in enumerate(latencies):
        some = [min(mine), sum(mine) / len(mine), max(mine)] if mine else [np.nan] * 3
        got = (result.delay_min_s[i], result.delay_mean_s[i], result.delay_max_s[i])
        assert_array_equal(got, np.array(some) / 10**12)
        edges_s = result.histogram.edges_s
        changed = math.fsum(abs(b - a) for a, b in itertools.pairwise(mine))
        about = [(changed + mine[0] - min(mine)) / (len(mine) - 1)] if mine[1:] else [np.nan]
        np.testing.assert_allclose(result.heard.jitter_s[i], np.array(about[0]) / 10**12, 1e-12)
        bins = np.searchsorted(edges_s, np.array(mine) / 10**12, side="right") - 1
        counts = np.bincount(np.maximum(bins, 0), minlength=len(edges_s) - 1)
        assert_array_equal(result.histogram.counts[i], counts)


def same_counts(result, twin):
    packets = result.packets
    assert_array_equal(packets.offered, twin.offered)
    assert_array_equal(packets.sent, twin.sent)
    assert_array_equal(packets.marked, twin.marked)
    assert set(packets.dropped) == set(twin.dropped)
    for cause, dropped in twin.dropped.items():
        assert_array_equal(packets.dropped[cause], dropped)
    assert result.pause_frames == twin.pauses
    for found, expected in zip(result.heard.loss_runs, twin.loss_runs, strict=True):
        assert expected in (found, None)
    if result.sent_by_mark_pps:
        assert set(result.sent_by_mark_pps) == set(twin.by_mark)
    for mark, sent_pps in result.sent_by_mark_pps.items():
        assert_array_equal(sent_pps, np.array(twin.by_mark[mark]) / result.duration_s)


def same_history(history, twin):
    assert_array_equal(history.queue_packets.T, twin.peaks)
    assert_array_equal(history.tokens_share.T, twin.tokens)
    offered, sent, dropped = twin.past
    assert_array_equal(history.offered_packets.T, offered)
    assert_array_equal(history.sent_packets.T, sent)
    assert_array_equal(history.dropped_packets.T, dropped)


def same_events(events, twin, most):
    """The first of them, up to so many."""
    for name, none in (("scheduler", math.nan), ("full_s", math.nan), ("turn", -1)):
        found = getattr(events, name)
        nothing = np.full(found.shape[1:], none)
        values = [nothing if each is None else each for each in twin.pop(name)]
        values = np.reshape(values, (len(values), *nothing.shape))[:most]
        assert_array_equal(found, values, err_msg=name)
    for name, expected in twin.items():
        assert_array_equal(getattr(events, name), np.array(expected)[:most], err_msg=name)


def same_record(result, twin, most_events):
    same_events(result.events, twin.events, most_events)
    if result.trace is not None:
        same_outcomes(result.trace, twin.outcomes)
    same_counts(result, twin)
    same_latencies(result, twin.latencies)
    same_history(result.history, twin)


def same_chain(result, hops, through, most_events):
    for hop, twin in zip(result.hops, hops, strict=True):
        same_record(hop, twin, most_events)
    same_latencies(result, through)


def agree(scene, chunk_packets):
    options = {"seed": scene.seed, "warmup_s": scene.warmup_s, "bins": BINS}
    arguments = scene.where, scene.streams, scene.duration_s
    most = FEW_EVENTS if chunk_packets == 7 else EVENTS
    recording = {
        "trace_packets": 20_000,
        "events": most,
        "progress": quiet,
        "chunk_packets": chunk_packets,
    }
    result, twin = simulate(*arguments, **options, **recording), slow(*arguments, **options)
    if isinstance(scene.where, Chain):
        same_chain(result, *twin, most)
    elif isinstance(scene.where, Switch):
        for port, slow_port in zip(result.hops, twin, strict=True):
            same_record(port, slow_port, most)
    else:
        same_record(result, twin, most)
