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
from qoslib.packets import simulate
from qoslib.port import (
    Chain,
    DeficitRoundRobin,
    DropProfile,
    HeadDrop,
    Hop,
    Instantaneous,
    ModifiedDrr,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    Shaper,
    TailDrop,
    TimeLimit,
)
from qoslib.traffic import Cbr, Poisson, Stream

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
    return {name: result[name].sent_bps / 1e6 for name in offered_mbps}


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
    queues = tuple(Queue(str(i), PacketLimit(90), quantum_bytes=q) for i, (_, q) in enumerate(rows))
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


#: Two queues of one quantum, of which one holds 20 packets of 64 B: a tenth of the quantum.
SHORT = Port(
    "port",
    1e9,
    (
        Queue("a", PacketLimit(20), quantum_bytes=15_000),
        Queue("b", PacketLimit(1000), quantum_bytes=15_000),
    ),
    DeficitRoundRobin(),
)
SMALL_AND_LARGE = [Stream("a", 400e6, 64), Stream("b", 900e6, 1500)]


def test_a_queue_with_room_for_less_than_its_quantum_sends_what_a_visit_finds():
    """20 packets, and 12.7 that arrive meanwhile: 2,091 B of a round of 17,091 B."""
    fluid = solve(SHORT, SMALL_AND_LARGE)
    packets = simulate(SHORT, SMALL_AND_LARGE, 0.5)
    assert fluid.sent_bps[0] == pytest.approx(1e9 * 2091 / 17_091, rel=1e-3)
    assert_allclose(fluid.sent_bps, packets.sent_bps, rtol=0.01)
    assert fluid.delay_mean_s[0] == pytest.approx(packets.delay_mean_s[0], rel=0.03)
    assert fluid.notes == ()


def random_port(rng, kind):
    """Up to five queues with rooms of 5 to 60 packets and quanta of up to 470."""
    names = [f"queue {i}" for i in range(rng.integers(2, 6))]
    port = Port(
        "port",
        1e9,
        tuple(Queue(n, PacketLimit(1), quantum_bytes=rng.integers(1518, 30_000)) for n in names),
        DeficitRoundRobin(),
        overhead_bytes=20.0,
        transmit_ring_packets=rng.integers(3),
        shaper=Shaper(4e8, 3000) if kind == "shaped port" else None,
    )
    queues = tuple(q.replace(limit=PacketLimit(rng.integers(5, 60))) for q in port.queues)
    if kind == "shaped queues":
        queues = tuple(
            q.replace(limit=PacketLimit(200), shaper=Shaper(rng.uniform(1e8, 6e8), 10_000))
            for q in queues
        )
    if kind == "head drop":
        queues = tuple(queue.replace(dropper=HeadDrop()) for queue in queues)
    streams = [
        Stream(
            n, rng.uniform(5e7, 1e9), rng.choice([64, 200, 594, 1518]), Cbr(rng.uniform(0, 1e-4))
        )
        for n in names
    ]
    if kind == "low latency":
        queues = (*queues, Queue("fast", PacketLimit(100)))
        streams.append(Stream("fast", rng.uniform(5e7, 7e8), 300, Poisson()))
        port = port.replace(queues=queues, scheduler=ModifiedDrr("fast"))
    return port.replace(queues=queues), streams


@pytest.mark.parametrize(
    "kind", ["tail drop", "head drop", "low latency", "shaped port", "shaped queues"]
)
def test_random_ports_with_little_room_share_as_their_packets_do(kind):
    """Small queues see single packets, which the fluid does not: hence a mean and a bound."""
    rng, apart = np.random.default_rng(6), []
    for _ in range(12):
        port, streams = random_port(rng, kind)
        fluid, packets = solve(port, streams), simulate(port, streams, 0.06, warmup_s=0.01)
        apart.append(np.abs(fluid.sent_bps - packets.sent_bps).max() / port.rate_bps)
    assert np.mean(apart) < 0.01
    assert max(apart) < 0.05


def test_a_thousand_queues_with_less_room_than_their_quantum():
    rng, count, line_bps = np.random.default_rng(3), 1000, 10e9
    queues = tuple(Queue(str(i), PacketLimit(100), quantum_bytes=15_000) for i in range(count))
    port = Port("port", line_bps, queues, DeficitRoundRobin())
    frames = rng.choice([64, 200, 594, 1518], count)
    streams = [
        Stream(str(i), rng.uniform(0.2, 2.5) * line_bps / count, frame, Cbr(rng.uniform(0, 1e-3)))
        for i, frame in enumerate(frames)
    ]
    fluid, packets = solve(port, streams), simulate(port, streams, 0.4, warmup_s=0.1, bins=1)
    apart = np.abs(fluid.sent_bps - packets.sent_bps) / fluid.offered_bps
    assert apart.mean() < 0.015
    assert apart.max() < 0.1


@pytest.mark.parametrize("dropper", [TailDrop(), HeadDrop()], ids=["tail", "head"])
def test_a_packet_waits_less_where_a_visit_leaves_the_queue_shorter(dropper):
    """Each visit empties the first queue, in which packets wait 17 % longer if it stays full."""
    first, second = (queue.replace(dropper=dropper) for queue in SHORT.queues)
    port = SHORT.replace(queues=(first, second.replace(limit=PacketLimit(30))))
    fluid, packets = solve(port, SMALL_AND_LARGE), simulate(port, SMALL_AND_LARGE, 0.3)
    assert_allclose(fluid.delay_mean_s, packets.delay_mean_s, rtol=0.05)


KEPT_SHORT = {
    "RED": {"dropper": Red(RedProfile(5, 15), averaging=Instantaneous())},
    "a drop profile": {"dropper": DropProfile(((0.1, 0.3), (0.5, 0.6)))},
    "a limit at the served rate": {"limit": TimeLimit(1e-4, "served"), "guaranteed_bps": 1e6},
}


@pytest.mark.parametrize("changes", KEPT_SHORT.values(), ids=KEPT_SHORT)
def test_a_dropper_that_may_keep_a_queue_below_its_quantum_is_noted(changes):
    first, second = SHORT.queues
    port = SHORT.replace(queues=(first.replace(limit=PacketLimit(150)).replace(**changes), second))
    (note,) = solve(port, SMALL_AND_LARGE).notes
    assert note.startswith("Queue 'a' may be kept shorter than its quantum")
    (noted,) = solve(Chain("chain", (Hop(port),)), SMALL_AND_LARGE).notes
    assert noted == f"port: {note}"
    light = [Stream("a", 40e6, 64), Stream("b", 90e6, 1500)]
    assert solve(port, light).notes == ()


def test_a_profile_that_drops_all_at_a_fill_level_is_a_shorter_queue():
    half = Queue("a", PacketLimit(40), DropProfile(((0.5, 1.0),), drop_at="tail"))
    port = SHORT.replace(queues=(half.replace(quantum_bytes=15_000), SHORT.queues[1]))
    answers = solve(port, SMALL_AND_LARGE), solve(SHORT, SMALL_AND_LARGE)
    assert_allclose(answers[0].sent_bps, answers[1].sent_bps)
