"""Water-filling against a twin that pours, and the laws that any sharing keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose

from oracles import water_level
from qoslib.fluid import fill, in_proportion, solve
from qoslib.port import PacketLimit, Port, PriorityLevels, Queue
from qoslib.traffic import Stream

RATES = st.floats(0, 1e10) | st.just(0.0) | st.sampled_from([1e6, 1e9])
CAPACITIES = st.floats(1e3, 1e10)
WEIGHTS = st.floats(0.01, 100)


@st.composite
def loads(draw, queues=None):
    """Demands, a capacity and weights of one to six queues."""
    n = queues or draw(st.integers(1, 6))
    demands = draw(st.lists(RATES, min_size=n, max_size=n))
    return np.array(demands), draw(CAPACITIES), np.array([draw(WEIGHTS) for _ in range(n)])


@given(loads())
def test_fill_is_what_pouring_gives(load):
    demand, capacity, weights = load
    assert_allclose(
        fill(demand, capacity, weights),
        water_level(list(demand), capacity, list(weights)),
        rtol=1e-9,
        atol=1e-9 * capacity,
    )


@given(loads())
@pytest.mark.parametrize("share", [fill, lambda d, c, w: in_proportion(d, c)], ids=["fill", "fifo"])
def test_all_that_there_is_goes_to_who_wants_it(share, load):
    demand, capacity, weights = load
    sent = share(demand, capacity, weights)
    assert (sent >= 0).all()
    assert (sent <= demand * (1 + 1e-12)).all()
    assert_allclose(sent.sum(), min(demand.sum(), capacity), rtol=1e-9)


@given(loads())
def test_nobody_short_gets_less_for_its_weight_than_another(load):
    demand, capacity, weights = load
    sent = fill(demand, capacity, weights)
    short = sent < demand * (1 - 1e-9)
    if short.any():
        level = (sent / weights)[short]
        assert_allclose(level, level.max(), rtol=1e-9)
        assert (sent / weights <= level.max() * (1 + 1e-9)).all()


@given(loads(), st.floats(1, 2))
def test_more_room_never_takes_from_anyone(load, more):
    demand, capacity, weights = load
    less = fill(demand, capacity, weights)
    assert (fill(demand, capacity * more, weights) >= less * (1 - 1e-9)).all()


@given(loads(), st.floats(1, 3), st.integers(0, 5))
def test_who_asks_for_more_never_gets_less_and_others_never_get_more(load, more, who):
    demand, capacity, weights = load
    who %= len(demand)
    greedy = demand.copy()
    greedy[who] *= more
    change = fill(greedy, capacity, weights) - fill(demand, capacity, weights)
    slack = 1e-9 * capacity
    assert change[who] >= -slack
    assert (np.delete(change, who) <= slack).all()


@given(arrays.arrays(float, (2, 3, 4), elements=RATES), CAPACITIES)
def test_many_sets_at_once_are_the_sets_one_by_one(demands, capacity):
    weights = np.array([1.0, 2.0, 3.0, 0.5])
    at_once = fill(demands, np.full((2, 3), capacity), weights)
    for index in np.ndindex(2, 3):
        assert_allclose(at_once[index], fill(demands[index], capacity, weights), rtol=1e-12)


def test_a_queue_a_hundred_million_million_times_larger_drowns_nobody():
    assert_allclose(fill([1.0, 1e20], 10.0, [1.0, 1.0]), [1.0, 9.0])


def test_lists_and_whole_numbers_do():
    assert fill([6, 6, 1], 9, [1, 3, 1]).tolist() == [2, 6, 1]
    assert in_proportion([6, 2], 4).tolist() == [3, 1]
    assert in_proportion([0, 0], 4).tolist() == [0, 0]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_weights_of_any_size_share_a_line_that_is_just_full(order):
    """The queue of weight 1e9 wants all there is: rounding may not leave both with nothing."""
    demand, weights = np.array([8e5, 8e5])[order], np.array([1e-9, 1e9])[order]
    assert fill(demand, 8e5, weights).tolist() == np.array([0.0, 8e5])[order].tolist()
    port = Port(
        "p",
        1e6,
        tuple(
            Queue(name, PacketLimit(9), weight=weight, guaranteed_bps=1e5)
            for name, weight in zip("ab", weights, strict=True)
        ),
        PriorityLevels(),
    )
    sent_bps = solve(port, [Stream("a", 9e5), Stream("b", 9e5)]).sent_bps
    assert_allclose(sent_bps, np.array([1e5, 9e5])[order])
