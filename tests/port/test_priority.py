"""Priority: strict, and Junos's levels with guaranteed and excess rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from oracles import by_level_and_guarantee, by_priority
from qoslib.fluid.sharing import priority_levels, strict_priority
from qoslib.port import PacketLimit, Port, PriorityLevels, Queue, StrictPriority

RATES = st.floats(0, 1e9) | st.sampled_from([0.0, 1e8, 5e8])


@st.composite
def loads(draw):
    """A port of one to five queues, what each is offered, and a capacity."""
    queues = tuple(
        Queue(
            str(i),
            PacketLimit(10),
            priority=draw(st.integers(0, 2)),
            guaranteed_bps=draw(RATES),
            weight=draw(st.floats(0.1, 10)),
        )
        for i in range(draw(st.integers(1, 5)))
    )
    demand = np.array([draw(RATES) for _ in queues])
    capacity = draw(st.floats(1e6, 1e9))
    return Port("port", capacity, queues, PriorityLevels()), demand


def shared(sharing, port, demand):
    weights = np.array([queue.weight for queue in port.queues])
    return sharing(port, demand, np.array(port.rate_bps), weights)


def levels_and_weights(port):
    return [queue.priority for queue in port.queues], [queue.weight for queue in port.queues]


@given(loads())
def test_strict_priority_is_its_twin(load):
    port, demand = load
    levels, weights = levels_and_weights(port)
    expected = by_priority(list(demand), port.rate_bps, levels, weights)
    assert_allclose(
        shared(strict_priority, port, demand), expected, rtol=1e-8, atol=1e-8 * port.rate_bps
    )


@given(loads())
def test_priority_levels_are_their_twin(load):
    port, demand = load
    levels, weights = levels_and_weights(port)
    guaranteed = [queue.guaranteed_bps for queue in port.queues]
    expected = by_level_and_guarantee(list(demand), port.rate_bps, levels, guaranteed, weights)
    assert_allclose(
        shared(priority_levels, port, demand), expected, rtol=1e-8, atol=1e-8 * port.rate_bps
    )


@pytest.mark.parametrize("sharing", [strict_priority, priority_levels])
@given(load=loads())
def test_the_line_is_never_idle_while_a_queue_is_not(sharing, load):
    port, demand = load
    sent = shared(sharing, port, demand)
    assert (sent <= demand * (1 + 1e-12)).all()
    assert_allclose(sent.sum(), min(demand.sum(), port.rate_bps), rtol=1e-9)


@given(loads())
def test_under_strict_priority_who_is_short_leaves_nothing_to_lower_levels(load):
    port, demand = load
    sent = shared(strict_priority, port, demand)
    for i, queue in enumerate(port.queues):
        if sent[i] < demand[i] * (1 - 1e-6):
            below = [j for j, other in enumerate(port.queues) if other.priority > queue.priority]
            assert_allclose(sent[below], 0, atol=1e-6 * port.rate_bps)


@given(loads())
def test_guarantees_that_fit_the_line_are_kept(load):
    port, demand = load
    guaranteed = np.array([queue.guaranteed_bps for queue in port.queues])
    promised = np.minimum(demand, guaranteed)
    if promised.sum() <= port.rate_bps:
        sent = shared(priority_levels, port, demand)
        assert (sent >= promised - 1e-9 * port.rate_bps).all()


def test_a_low_level_starves_inside_its_guarantee_when_higher_ones_take_the_line():
    queues = (
        Queue("high", PacketLimit(1), guaranteed_bps=1e9),
        Queue("low", PacketLimit(1), priority=1, guaranteed_bps=5e8),
    )
    port = Port("port", 1e9, queues, PriorityLevels())
    assert shared(priority_levels, port, np.array([1e9, 5e8])).tolist() == [1e9, 0]


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=5), st.floats(1e6, 1e10))
def test_a_fully_taken_line_leaves_nothing_at_all_not_a_rounding(parts, line_bps):
    shares = np.append(np.array(parts) / sum(parts), 0.2)
    queues = tuple(
        Queue(str(i), PacketLimit(1), priority=i, guaranteed_bps=share * line_bps)
        for i, share in enumerate(shares)
    )
    port = Port("port", line_bps, queues, PriorityLevels())
    assert shared(priority_levels, port, line_bps * shares)[-1] == 0


def test_equals_under_strict_priority_take_turns_packet_by_packet():
    queues = (Queue("small", PacketLimit(1)), Queue("large", PacketLimit(1)))
    port = Port("port", 1e6, queues, StrictPriority())
    sent = strict_priority(port, np.array([1e6, 1e6]), np.array(1e6), np.array([100.0, 900.0]))
    assert_allclose(sent, [1e5, 9e5])
