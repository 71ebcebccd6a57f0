"""How long a packet waits in a full queue: L = B / Tr by tail drop, L = B / E by head drop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from qoslib import port as p
from qoslib.fluid import solve
from qoslib.fluid.delay import buffer_bytes, usable_share, waiting_s
from qoslib.platforms import m120
from qoslib.port import DropProfile, HeadDrop, PacketLimit, Queue, TailDrop, TimeLimit

PACKET = np.array([1000.0, 1038.0])
DROP_ALL_AT_10 = DropProfile(((0.1, 1.0),))
RAMP = ((0.3, 0.1), (0.7, 0.5), (0.9, 1.0))


def waits_s(port, name, bps=None):
    streams = m120.PLATFORM.experiments()[name].streams
    result = solve(port, streams, bps)
    own_s = result["CS4"].delay_mean_s
    return {s.name: (result[s.name].delay_mean_s or np.nan) - own_s for s in streams}


@pytest.mark.parametrize(
    ("experiment", "stream", "formula_ms"),
    [
        ("profile1", "CS1", 50),
        ("profile1", "BE", 4),
        ("profile2", "CS1", 4),
        ("profile2", "BE", 50),
        ("scenario1", "CS1", 4),
        ("scenario1", "NC", 50),
        ("base", "CS1", 88),
        ("base", "BE", 4),
        ("base_drop_profile", "CS1", 8.8),
        ("base_temporal", "CS1", 4.4),
    ],
)
def test_closed_forms_of_the_m120(experiment, stream, formula_ms):
    """The served rate times the buffer's time, over the rate into the queue."""
    wait_s = waits_s(m120.PLATFORM.experiments()[experiment].port, experiment)[stream]
    assert wait_s * 1e3 == pytest.approx(formula_ms, rel=1e-6)


def test_the_same_buffer_with_tail_drop_is_its_whole_time_late():
    """L = B / Tr with B = Tr T is T, whatever is offered; with head drop Tr T / E."""
    tail = m120.port(CS1={"dropper": TailDrop()}, BE={"dropper": TailDrop()})
    for name in ("profile1", "profile2"):
        waits = waits_s(tail, name)
        assert waits["CS1"] == pytest.approx(0.1, rel=1e-9)
        assert waits["BE"] == pytest.approx(0.1, rel=1e-9)


def test_a_queue_that_sends_nothing_has_no_latency_and_one_that_keeps_up_no_wait():
    result = solve(
        m120.PLATFORM.experiments()["scenario1"].port,
        m120.PLATFORM.experiments()["scenario1"].streams,
    )
    assert result["BE"].sent_bps == 0
    assert result["BE"].delay_mean_s is None
    assert np.isnan(result.delay_mean_s[result.streams.index("CS2")])
    queue = Queue("q", PacketLimit(10))
    assert waiting_s(queue, 1e9, np.array(5e8), np.array(5e8), PACKET) == 0
    assert np.isnan(waiting_s(queue, 1e9, np.array(0.0), np.array(0.0), PACKET))


@pytest.mark.parametrize(
    ("limit", "expected_bytes"),
    [
        (PacketLimit(10), 10_380),
        (p.ByteLimit(10_000), 10_380),
        (TimeLimit(1e-3, "line"), 125_000),
        (TimeLimit(1e-3, "guaranteed"), 25_000),
        (TimeLimit(1e-3, "served"), 50_000),
    ],
)
def test_limits_in_bytes_on_the_line(limit, expected_bytes):
    queue = Queue("q", limit, guaranteed_bps=2e8)
    held = buffer_bytes(queue, 1e9, np.array([4e8]), PACKET[None, :])
    assert held.shape == (1,)
    assert_allclose(held, expected_bytes)


def test_a_served_rate_below_the_guarantee_does_not_shrink_the_buffer():
    queue = Queue("q", TimeLimit(1e-3, "served"), guaranteed_bps=2e8)
    assert buffer_bytes(queue, 1e9, np.array(1e8), PACKET) == 25_000


@given(st.floats(0.01, 1e9), st.floats(1.001, 100), st.integers(1, 1000))
def test_head_drop_is_earlier_than_tail_drop_by_the_share_that_is_sent(served, over, packets):
    offered, served = np.array(served * over), np.array(served)
    head, tail = (
        waiting_s(Queue("q", PacketLimit(packets), dropper), 1e9, offered, served, PACKET)
        for dropper in (HeadDrop(), TailDrop())
    )
    assert tail == pytest.approx(8 * 1038 * packets / served)
    assert head == pytest.approx(tail / over)


@pytest.mark.parametrize(
    ("dropper", "loss", "fill"),
    [
        (TailDrop(), 0.5, 1.0),
        (HeadDrop(), 0.5, 1.0),
        (DROP_ALL_AT_10, 0.01, 0.1),
        (DROP_ALL_AT_10, 1.0, 0.1),
        (DropProfile(((0.5, 1.0), (0.9, 1.0))), 0.3, 0.5),
        (DropProfile(RAMP), 0.05, 0.3),
        (DropProfile(RAMP), 0.1, 0.3),
        (DropProfile(RAMP), 0.2, 0.7),
        (DropProfile(RAMP), 0.6, 0.9),
        (DropProfile(((0.3, 0.1),)), 0.2, 1.0),
        (DropProfile(RAMP, "interpolated"), 0.05, 0.15),
        (DropProfile(RAMP, "interpolated"), 0.3, 0.5),
        (DropProfile(RAMP[:2], "interpolated"), 0.6, 1.0),
    ],
)
def test_a_profile_holds_a_queue_where_its_probability_is_the_loss(dropper, loss, fill):
    assert usable_share(dropper, np.array([loss])) == pytest.approx([fill])


@pytest.mark.parametrize("dropper", [p.Red(p.RedProfile(1, 2)), p.Codel(), p.Pie()])
def test_droppers_without_a_closed_form_say_so(dropper):
    with pytest.raises(ValueError, match=f"dropper is {type(dropper).__name__}; .* knows TailDrop"):
        usable_share(dropper, np.array([0.1]))
