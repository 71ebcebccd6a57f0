"""Thresholds of RED and of marking: units, steps, ECN, and queues of weight 0."""

import numpy as np
import pytest

from qoslib import Cubic, Flow, Host, Scenario, fluid, packets, run
from qoslib import port as p
from qoslib.traffic import Poisson, Stream

LINE_BPS, FRAME = 12e6, 1500
#: Ways to say 40 packets of 1500 B: of a limit of 80 packets, at 1.2 Mb/s.
FORTY = {
    "packets": p.RedProfile(40, 40),
    "bytes": p.ByteRedProfile(60_000, 60_000),
    "time": p.TimeRedProfile(0.4, 0.4, 1.2e6),
    "share": p.ShareRedProfile(0.5, 0.5),
}


def held_down(dropper, load=1.5, **queue):
    """A constant stream of so many lines through this dropper, and the queue's length over time."""
    where = p.Port("port", LINE_BPS, (p.Queue("q", p.PacketLimit(80), dropper, **queue),))
    data = Stream("data", load * LINE_BPS, FRAME, ecn=True)
    return packets.simulate(where, [data], 4.0, warmup_s=1.0, bins=3000)


@pytest.mark.parametrize("unit", FORTY)
@pytest.mark.parametrize(("exponent", "mean"), [(0, 39.0), (9, 39.8)])
def test_a_step_on_the_average_holds_a_constant_overload_at_the_step(unit, exponent, mean):
    result = held_down(p.Red(FORTY[unit], averaging=p.Ewma(exponent)))
    waited_packets = result.delay_mean_s[0] * LINE_BPS / 8 / FRAME - 1
    assert waited_packets == pytest.approx(mean, abs=1.0)
    assert result.packets.sent[0] == pytest.approx(3000, rel=2e-3)
    if exponent == 0:
        assert result.history.queue_packets.max() == 40


def test_a_step_says_the_same_in_every_unit():
    """Of packets of one size, with the same draws."""
    results = [held_down(p.Red(step, averaging=p.Ewma(4))) for step in FORTY.values()]
    assert len({int(each.packets.sent[0]) for each in results}) == 1
    for each in results[1:]:
        np.testing.assert_array_equal(each.histogram.counts, results[0].histogram.counts)


def test_a_minimum_above_the_maximum_is_refused():
    with pytest.raises(ValueError, match=r"ByteRedProfile.minimum_bytes is 3.0; allowed: up to"):
        p.ByteRedProfile(3, 2)
    with pytest.raises(ValueError, match=r"ShareRedProfile.maximum_share is 0.0; allowed: above 0"):
        p.ShareRedProfile(0, 0)
    with pytest.raises(ValueError, match=r"Red.profiles is RedProfile.*a ByteRedProfile, as the"):
        p.Red(p.ByteRedProfile(1, 2), (("AF13", p.RedProfile(1, 2)),))
    with pytest.raises(ValueError, match=r"Red.averaging is Sampled.*one that counts no packets"):
        p.Red(p.ByteRedProfile(1, 2), averaging=p.Sampled(9, 1e-3))
    limit = p.TimeLimit(0.1, "served")
    with pytest.raises(ValueError, match=r"limit is TimeLimit.*where thresholds are shares of it"):
        p.Queue("q", limit, p.Red(p.ShareRedProfile(0.1, 0.2)), guaranteed_bps=1e6)
    with pytest.raises(ValueError, match=r"marking is RedProfile.*None with CoDel, which has ce_"):
        p.Queue("q", p.PacketLimit(9), p.Codel(), marking=p.RedProfile(1, 1))
    with pytest.raises(
        ValueError, match=r"DropProfile.drop_at is 'head'; allowed: 'tail' with ecn"
    ):
        p.DropProfile(((0.5, 1.0),), ecn=True)


@pytest.mark.parametrize(
    "dropper", [p.TailDrop(), p.HeadDrop(), p.Pie(), p.Red(p.RedProfile(5, 9))]
)
def test_marking_has_knees_of_its_own_on_every_dropper(dropper):
    """From K on each packet is marked, and none is dropped before the queue is full."""
    result = held_down(dropper, marking=p.RedProfile(20, 20))
    assert result.packets.marked[0] == pytest.approx(1.5 * 3000, rel=0.35)
    assert set(result.packets.dropped) <= {"tail", "head"}
    calm = held_down(dropper, load=0.9, marking=p.RedProfile(20, 20))
    assert calm.packets.marked[0] == calm.packets.lost[0] == 0


def test_a_drop_profile_marks_below_certainty():
    points = ((0.25, 0.2), (0.75, 1.0))
    marked = held_down(p.DropProfile(points, drop_at="tail", ecn=True))
    assert marked.packets.marked[0] > 500
    assert marked.history.queue_packets.max() == 60
    assert marked.packets.sent[0] == pytest.approx(3000, rel=1e-3)


def test_codels_ce_threshold_marks_who_waited_longer():
    """At 1.5 of the line the wait soon is above the threshold: all that is sent is marked."""
    result = held_down(p.Codel(ce_threshold_s=1e-3))
    assert result.packets.marked[0] == pytest.approx(3000, abs=3)
    assert held_down(p.Codel()).packets.marked[0] == 0
    assert held_down(p.Codel(ce_threshold_s=1e-3), load=0.9).packets.marked[0] == 0


def test_step_marking_keeps_the_queue_of_a_tcp_flow_near_k():
    """RFC 8257's K with a sender of today: the queue stays below K and one window's growth."""
    queue = p.Queue("q", p.PacketLimit(400), marking=p.RedProfile(30, 30))
    flow = Flow("flow", 0.01, Cubic(), ecn=True)
    test = Scenario(
        "step", p.Port("port", 100e6, (queue,)), (), 6.0, 2.0, hosts=(Host("h", 1e9, (flow,)),)
    )
    result = run(test)
    assert result.packets.lost[0] == 0
    assert result.packets.marked[0] > 0
    assert 30 <= result.history.queue_packets.max() < 60


WEIGHTED = [p.StartTimeFairQueueing(), p.PriorityLevels()]


@pytest.mark.parametrize("scheduler", WEIGHTED, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(("offered", "left"), [(6e6, 6e6), (11.9e6, 0.1e6), (20e6, 0.0)])
def test_a_queue_of_weight_0_gets_what_nobody_else_of_its_level_wants(scheduler, offered, left):
    queues = (
        p.Queue("scavenger", p.PacketLimit(50), weight=0),
        p.Queue("data", p.PacketLimit(50), weight=3.0),
        p.Queue("last", p.PacketLimit(50), priority=1),
    )
    where = p.Port("port", LINE_BPS, queues, scheduler)
    streams = [Stream(q.name, 20e6, FRAME, Poisson()) for q in queues]
    streams[1] = Stream("data", offered, FRAME)
    played = packets.simulate(where, streams, 2.0, warmup_s=0.5)
    for result in (fluid.solve(where, streams), played):
        scavenger, _, last = result.sent_bps
        assert scavenger == pytest.approx(left, abs=0.15e6)
        assert last == pytest.approx(0, abs=0.05e6)


def test_queues_of_weight_0_share_equally():
    queues = tuple(p.Queue(name, p.PacketLimit(50), weight=0) for name in "ab")
    where = p.Port("port", LINE_BPS, queues, p.StartTimeFairQueueing())
    streams = [Stream("a", 20e6, FRAME), Stream("b", 20e6, 500)]
    for result in (fluid.solve(where, streams), packets.simulate(where, streams, 2.0)):
        assert result.sent_bps == pytest.approx([6e6, 6e6], rel=0.02)


def test_the_fluid_model_orders_profiles_in_every_unit_and_refuses_marks_it_cannot_weigh():
    low, high = p.TimeRedProfile(0.1, 0.2, 1.2e6), p.TimeRedProfile(0.3, 0.3, 1.2e6)
    wred = p.Red(high, (("low", low),))
    where = p.Port("port", LINE_BPS, (p.Queue("q", p.PacketLimit(80), wred),))
    streams = [Stream("high", 8e6, FRAME, mark="high"), Stream("low", 8e6, FRAME, mark="low")]
    assert fluid.solve(where, streams).sent_bps == pytest.approx([8e6, 4e6])
    profile = p.DropProfile(((0.5, 0.2),), drop_at="tail", ecn=True)
    where = p.Port("port", LINE_BPS, (p.Queue("q", p.PacketLimit(80), profile),))
    with pytest.raises(ValueError, match='model="packets" runs it'):
        fluid.solve(where, [Stream("data", 20e6, FRAME, ecn=True)])
