"""Round robins by quanta, in the long run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles import water_level

from qoslib import units
from qoslib.fluid import solve
from qoslib.fluid.drr import quanta
from qoslib.port import (
    DeficitRoundRobin,
    ModifiedDrr,
    PacketLimit,
    Policer,
    Port,
    Queue,
)
from qoslib.traffic import Stream

#: Quanta of the Cisco 12000 [B]: 5 : 84 : 1.
QUANTA = {"network": 23_040, "default": 387_072, "less": 4608}
LINE_BPS, FRAME, OVERHEAD = units.mbps(2396.16), 1000, 9.09


def cisco12000(**changes):
    """The 12000's port with tail drop, as the fluid model has no RED."""
    police = Policer(units.mbps(200), 2000)
    queues = (
        Queue("premium", PacketLimit(2001), policer=police),
        *(Queue(name, PacketLimit(2001), quantum_bytes=q) for name, q in QUANTA.items()),
    )
    port = Port("POS", LINE_BPS, queues, ModifiedDrr("premium"), OVERHEAD)
    return port.replace(**changes)


def sent_mbps(port, **offered_mbps):
    streams = [Stream(name, units.mbps(rate), FRAME) for name, rate in offered_mbps.items()]
    result = solve(port, streams)
    return {name: result.of(name, "sent_bps") / 1e6 for name in offered_mbps}


def left_mbps(premium_mbps):
    """What Premium leaves of the line, in bits of frames."""
    return LINE_BPS * FRAME / (FRAME + OVERHEAD) / 1e6 - premium_mbps


def test_backlogged_queues_of_the_12000_share_exactly_5_to_84_to_1():
    sent = sent_mbps(cisco12000(), premium=200, network=4000, default=4000, less=4000)
    assert sent["premium"] == 200
    for name, share in (("network", 5), ("default", 84), ("less", 1)):
        assert sent[name] == pytest.approx(left_mbps(200) * share / 90, rel=1e-12)


def test_precedence_6_gets_five_ninetieths_of_what_premium_leaves():
    sent = sent_mbps(cisco12000(), premium=200, network=130, default=4000, less=40)
    assert sent["network"] == pytest.approx(120.8, abs=0.05)
    assert sent_mbps(cisco12000(), premium=200, network=120, default=4000)["network"] == 120
    more = sent_mbps(cisco12000(), premium=100, network=130, default=4000, less=40)
    assert more["network"] == pytest.approx(left_mbps(100) * 5 / 90, rel=1e-12)


def test_in_the_test_as_published_best_effort_alone_pays_but_for_the_smallest_class():
    sent = sent_mbps(cisco12000(), premium=200, network=120, default=3640, less=40)
    assert sent["less"] == pytest.approx(24.2, abs=0.05)
    assert sent["default"] == pytest.approx(left_mbps(200) - 120 - sent["less"], rel=1e-12)


def test_what_a_small_class_leaves_goes_to_the_others_by_their_quanta():
    sent = sent_mbps(cisco12000(), network=4000, default=1000, less=4000)
    assert sent["default"] == 1000
    assert sent["network"] / sent["less"] == pytest.approx(5, rel=1e-12)


def test_the_low_latency_queue_may_take_the_whole_line_when_nobody_polices_it():
    port = cisco12000()
    queues = (port.queues[0].replace(policer=None), *port.queues[1:])
    sent = sent_mbps(port.replace(queues=queues), premium=5000, network=100, default=100, less=1)
    assert sent["premium"] == pytest.approx(left_mbps(0), rel=1e-12)
    assert sent["network"] == sent["default"] == sent["less"] == 0


@given(st.lists(st.tuples(st.floats(0, 1e9), st.integers(500, 20_000)), min_size=1, max_size=4))
def test_without_a_low_latency_queue_both_round_robins_share_like_water(rows):
    queues = tuple(Queue(str(i), PacketLimit(9), quantum_bytes=q) for i, (_, q) in enumerate(rows))
    streams = [Stream(str(i), rate, 500) for i, (rate, _) in enumerate(rows)]
    expected = water_level([rate for rate, _ in rows], 1e9, [q for _, q in rows])
    for scheduler in (DeficitRoundRobin(), ModifiedDrr()):
        port = Port("port", 1e9, queues, scheduler)
        assert_allclose(solve(port, streams).sent_bps, expected, rtol=1e-8, atol=1)


def test_quanta_count_frames_and_the_line_carries_more():
    queues = (Queue("small", PacketLimit(9), quantum_bytes=1000),) * 2
    queues = (queues[0], queues[1].replace(name="large"))
    port = Port("port", 1e9, queues, DeficitRoundRobin(), overhead_bytes=20)
    result = solve(port, [Stream("small", 1e9, 100), Stream("large", 1e9, 1000)])
    assert result.sent_bps[0] == pytest.approx(result.sent_bps[1], rel=1e-12)
    assert 1.2 * result.sent_bps[0] + 1.02 * result.sent_bps[1] == pytest.approx(1e9)


def test_an_overdraft_that_is_not_carried_rounds_a_visit_up_to_whole_packets():
    port = cisco12000()
    packet = np.tile([1000.0, 1009.0], (4, 1))
    carried = quanta(port, packet) / 1009
    free = quanta(port.replace(scheduler=ModifiedDrr("premium", carry_deficit=False)), packet)
    assert carried[1:].tolist() == [23.04, 387.072, 4.608]
    assert (free / 1009)[1:].tolist() == [24, 388, 5]
