"""The TCP engine and its slow twin agree packet for packet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from agreement import CHUNKS, quiet, same_counts, same_history, same_latencies
from qoslib import flows as f
from qoslib import tcp
from qoslib.port import (
    PacketLimit,
    Policer,
    Port,
    Queue,
)
from soak import many
from tcp_scenes import (
    FRAME,
    LINE_BPS,
    RECOVERIES,
    SCALABLE,
    STREAMS,
    hosts,
    marking_ports,
    networks,
    ports,
    trees,
)
from twin.clock import PS, whole_ps
from twin.tcp import simulate_tcp

pytestmark = [pytest.mark.newer, pytest.mark.soak]

BINS, SECONDS = 7, 1.5


def same_flows(record, flows):
    pairs = {
        "timeouts": "timeouts",
        "fast_recoveries": "recoveries",
        "retransmitted": "again",
        "dropped_in_host": "in_host",
        "first_send_drops": "lost_first",
        "retransmit_drops": "lost_again",
    }
    for name, other in pairs.items():
        assert_array_equal(getattr(record, name), [getattr(flow, other) for flow in flows])
    finished = [np.nan if flow.finished is None else flow.finished / PS for flow in flows]
    assert_array_equal(record.finished_s, finished)
    edges = [whole_ps(SECONDS) * (i + 1) // BINS for i in range(BINS)]
    received = [[flow.received(edge) * 1448 for edge in edges] for flow in flows]
    assert_array_equal(record.received_bytes.cumsum(axis=1), received)
    assert_array_equal(record.goodput_bytes, np.array(received)[:, -1])
    assert_array_equal(record.window_packets[:, -1], [flow.cwnd for flow in flows])
    assert_array_equal(record.ssthresh_packets[:, -1], [flow.ssthresh for flow in flows])
    assert_array_equal(record.in_flight_packets[:, -1], [flow.count("flight") for flow in flows])


def agree(network, host, streams, seed, chunk):
    options = {"streams": streams, "seed": seed, "bins": BINS}
    result = tcp.simulate(network, [host], SECONDS, progress=quiet, chunk_events=chunk, **options)
    twins, through, flows = simulate_tcp(network, [host], SECONDS, **options)
    for hop, twin in zip(result.hops or [result], twins, strict=True):
        same_counts(hop, twin)
        same_latencies(hop, twin.latencies)
        same_history(hop.history, twin)
    same_flows(result.tcp, flows)
    same_latencies(result, through)


@pytest.mark.parametrize("recovery", RECOVERIES)
def test_the_twin_agrees(recovery):
    scenes = given(ports(), hosts(recovery), STREAMS, st.integers(0, 9), CHUNKS)
    many(25)(scenes(agree))()


@pytest.mark.parametrize("recovery", ["sack", "newreno"])
def test_the_twin_agrees_where_scalable_senders_are_marked(recovery):
    senders = hosts(recovery, SCALABLE)
    scenes = given(marking_ports(), senders, STREAMS, st.integers(0, 9), CHUNKS)
    many(25)(scenes(agree))()


@pytest.mark.parametrize("recovery", ["sack", "newreno"])
def test_the_twin_agrees_in_trees(recovery):
    scenes = given(trees(), hosts(recovery), STREAMS, st.integers(0, 9), CHUNKS)
    many(15)(scenes(agree))()


@pytest.mark.parametrize("recovery", ["sack", "halving"])
def test_the_twin_agrees_in_networks(recovery):
    scenes = given(networks(hosts(recovery)), st.integers(0, 9), CHUNKS)
    many(25)(scenes(lambda scene, seed, chunk: agree(*scene, seed, chunk)))()


def test_repeats_that_tell_of_no_loss_find_room_in_the_log():
    """Most of a window was sent again and has arrived; its first packet is still in flight."""
    sack = f.SackRecovery(duplicate_packets=1, finds_repeats=False)
    sizes = {"window_bytes": 20_000, "mss_bytes": 1448, "frame_bytes": FRAME}
    rest = sizes | {"ack_delay_s": 0.0, "minimum_timeout_s": 0.05}
    flows = (
        f.Flow("a", 0.02, f.Cubic(), sack, **rest),
        f.Flow("b", 0.05, f.Cubic(c=40.0), sack, **rest),
    )
    queue = Queue("all", PacketLimit(20), policer=Policer(5e6, 10_000))
    agree(Port("line", LINE_BPS, (queue,)), f.Host("host", LINE_BPS, flows), (), 0, 1)
