"""Three colours: RFC 2697, 2698 and 4115, what becomes of each, and what goes by the mark."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from qoslib import Cubic, Flow, Host, Scenario, fluid, packets, run
from qoslib import port as p
from qoslib.traffic import Poisson, Stream, Trace

CIR_BPS, FRAME = 8e6, 1000
#: CIR 8 Mb/s, CBS 3000 B, and the second bucket of each RFC; by colour a mark.
SECOND = {
    "RFC 2697": p.ExcessBurst(3000),
    "RFC 2698": p.PeakRate(2 * CIR_BPS, 6000),
    "RFC 4115": p.ExcessRate(CIR_BPS, 3000),
}
MARKS = {"conform": "G", "exceed": "Y", "violate": "R"}


def meter(rfc, **changes):
    return p.Policer(CIR_BPS, 3000, excess=SECOND[rfc], **MARKS).replace(**changes)


def one_queue(policer, **fields):
    """A fast line: what is offered passes at once, with its colour."""
    queue = p.Queue("q", p.PacketLimit(50), policer=policer, **fields)
    return p.Port("port", 1e9, (queue,))


def shares(result, stream=0):
    """The parts of a stream that leave green, yellow and red."""
    found = [result.sent_by_mark_pps.get(mark, np.zeros(9))[stream] for mark in "GYR"]
    return np.array(found) / result.offered_pps[stream]


@pytest.mark.parametrize("rfc", SECOND)
def test_of_ten_back_to_back_three_are_green_three_yellow_four_red(rfc):
    burst = Stream("burst", arrivals=Trace([0.0] * 10, [FRAME] * 10), access_bps=None)
    result = packets.simulate(one_queue(meter(rfc)), [burst], 1.0, events=100)
    arrivals = result.events.kind == "enqueue"
    assert "".join(result.events.mark[arrivals]) == "GGGYYYRRRR"
    assert list(result.events.colour[arrivals]) == ["green"] * 3 + ["yellow"] * 3 + ["red"] * 4
    # Each packet costs a bucket of three a third; PBS holds six, and green packets cost it too.
    third = np.arange(1, 4) / 3
    own = {"RFC 2697": np.r_[0, 0, 0, third], "RFC 2698": np.arange(1, 7) / 6}
    spent = own.get(rfc, np.r_[0, 0, 0, third])
    assert_allclose(result.events.tokens_share[arrivals][:6], 1 - np.r_[third, 1, 1, 1], atol=1e-9)
    assert_allclose(result.events.excess_share[arrivals][:6], 1 - spent, atol=1e-9)


@pytest.mark.parametrize(
    ("rfc", "times", "expected"),
    [
        ("RFC 2697", 3, (1 / 3, 0, 2 / 3)),
        ("RFC 2698", 3, (1 / 3, 1 / 3, 1 / 3)),
        ("RFC 4115", 3, (1 / 3, 1 / 3, 1 / 3)),
        ("RFC 2697", 1.5, (2 / 3, 0, 1 / 3)),
        ("RFC 2698", 1.5, (2 / 3, 1 / 3, 0)),
        ("RFC 4115", 1.5, (2 / 3, 1 / 3, 0)),
        ("RFC 2697", 0.9, (1, 0, 0)),
        ("RFC 2698", 1.0, (1, 0, 0)),
    ],
)
def test_a_constant_stream_in_the_long_run_in_both_models(rfc, times, expected):
    port, data = one_queue(meter(rfc)), [Stream("data", times * CIR_BPS, FRAME)]
    assert_allclose(shares(fluid.solve(port, data)), expected, atol=1e-12)
    assert_allclose(shares(packets.simulate(port, data, 3.0, warmup_s=0.5)), expected, atol=2e-3)


def aware(rfc, bursts, arrivals, green, seconds, first="green"):
    """The red part of what comes green, at `green` CIR, beside 3 CIR that come yellow."""
    colours = (("green", "green"), ("yellow", "yellow"))
    second = SECOND[rfc].replace(burst_bytes=bursts[1])
    policer = meter(rfc, excess=second, burst_bytes=bursts[0], colours=colours)
    streams = [
        Stream("green", green * CIR_BPS, FRAME, arrivals),
        Stream("yellow", 3 * CIR_BPS, FRAME, arrivals),
    ]
    streams.sort(key=lambda stream: stream.name != first)
    result = packets.simulate(one_queue(policer), streams, seconds, seed=1)
    return shares(result, result.streams.index("green"))[2]


@pytest.mark.parametrize(("rfc", "red"), [("RFC 2698", 0.47), ("RFC 4115", 0.002)])
def test_yellow_packets_make_green_ones_red_by_rfc_2698_and_not_by_4115(rfc, red):
    bursts = (10_000, 20_000 if rfc == "RFC 2698" else 10_000)
    assert aware(rfc, bursts, Poisson(), 0.8, 20.0) == pytest.approx(red, abs=0.01)


def test_of_constant_streams_the_phase_decides_which_of_them_rfc_2698_makes_red():
    """Green at CIR, yellow at 3 CIR: of two packets at once the first takes the peak's tokens."""
    bursts = (3000, 6000)
    assert aware("RFC 2698", bursts, "cbr", 1.0, 2.0) == 0
    assert aware("RFC 2698", bursts, "cbr", 1.0, 2.0, first="yellow") > 0.99
    for first in ("green", "yellow"):
        assert aware("RFC 4115", (3000, 3000), "cbr", 1.0, 2.0, first) == 0
        assert aware("RFC 2697", (3000, 3000), "cbr", 1.0, 2.0, first) == 0


def test_a_colour_never_gets_better():
    colours = (("high", "yellow"), ("worst", "red"))
    streams = [Stream("high", 1e5, FRAME), Stream("worst", 1e5, FRAME)]
    for rfc in SECOND:
        port = one_queue(meter(rfc, colours=colours))
        for result in (fluid.solve(port, streams), packets.simulate(port, streams, 2.0)):
            assert_allclose(shares(result, 0), (0, 1, 0), atol=0.01)
            assert_allclose(shares(result, 1), (0, 0, 1), atol=0.01)


@pytest.mark.parametrize("rfc", SECOND)
@pytest.mark.parametrize("times", [(0.5, 0.3, 0.1), (1.4, 0.2, 0.5), (0.7, 2.0, 0.0)])
def test_the_fluid_model_of_colour_aware_metering_is_the_long_run_of_poisson_packets(rfc, times):
    second = SECOND[rfc].replace(burst_bytes=60_000)
    colours = tuple((name, name) for name in ("green", "yellow", "red"))
    port = one_queue(meter(rfc, excess=second, burst_bytes=30_000, colours=colours))
    streams = [
        Stream(name, max(share, 1e-3) * CIR_BPS, FRAME, Poisson())
        for name, share in zip(("green", "yellow", "red"), times, strict=True)
    ]
    expected = fluid.solve(port, streams)
    played = packets.simulate(port, streams, 30.0, warmup_s=1.0)
    for stream in range(3):
        assert_allclose(shares(played, stream), shares(expected, stream), atol=0.05)


def test_one_bucket_may_remark_what_exceeds_it():
    port = one_queue(p.Policer(CIR_BPS, 3000, exceed="AF12"))
    data = [Stream("AF11", 2 * CIR_BPS, FRAME)]
    for result in (fluid.solve(port, data), packets.simulate(port, data, 2.0)):
        assert result.dropped_pps[0] == 0
        assert_allclose(result.sent_by_mark_pps["AF11"], 1000, rtol=2e-3)
        assert_allclose(result.sent_by_mark_pps["AF12"], 1000, rtol=2e-3)


EDGE = one_queue(p.Policer(CIR_BPS, 15_000, excess=p.PeakRate(20e6, 15_000), conform="AF11",
                           exceed="AF12", violate="drop"))  # fmt: skip


def core(**fields):
    return p.Port("core", 12e6, (p.Queue("AF", p.PacketLimit(60), **fields),))


@pytest.mark.parametrize(
    "fields",
    [
        {"limits": (("AF12", p.PacketLimit(20)),)},
        {"dropper": p.Red(p.RedProfile(40, 50), (("AF12", p.RedProfile(10, 20)),))},
        {
            "dropper": p.DropProfile(
                ((1.0, 1.0),), drop_at="tail", profiles=(("AF12", ((0.2, 0.0), (0.5, 1.0))),)
            )
        },
    ],
    ids=["limits", "WRED", "drop profiles"],
)
def test_a_mark_given_at_one_hop_is_the_drop_precedence_at_the_next(fields):
    chain = p.Chain("path", (p.Hop(EDGE), p.Hop(core(**fields))))
    data = [Stream("data", 30e6, FRAME, Poisson())]
    results = [packets.simulate(chain, data, 5.0, warmup_s=1.0)]
    if isinstance(fields.get("dropper"), p.DropProfile):
        with pytest.raises(ValueError, match=r"profiles is .*none by mark in the fluid model"):
            fluid.solve(chain, data)
    else:
        results.append(fluid.solve(chain, data))
    for result in results:
        at_core = result.hops[1]
        offered = result.hops[0].sent_by_mark_pps
        assert_allclose(offered["AF11"], 1000, rtol=0.02)
        assert_allclose(offered["AF12"], 1500, rtol=0.02)
        assert_allclose(at_core.sent_by_mark_pps["AF11"], 1000, rtol=0.02)
        assert_allclose(at_core.sent_by_mark_pps["AF12"], 500, rtol=0.05)
        assert result.sent_by_mark_pps["AF12"] == at_core.sent_by_mark_pps["AF12"]
        assert_allclose(result.dropped_by_pps["policer"], 1250, rtol=0.04)


def test_a_later_classifier_reads_the_new_mark():
    queues = (p.Queue("low", p.PacketLimit(50), priority=1), p.Queue("AF11", p.PacketLimit(50)))
    second = p.Port("second", 9e6, queues, p.StrictPriority(), classifier=p.Classifier((), "low")
                    .replace(rules=(("AF11", "AF11"),)))  # fmt: skip
    chain = p.Chain("path", (p.Hop(EDGE), p.Hop(second)))
    data = [Stream("data", 18e6, FRAME)]
    for result in (fluid.solve(chain, data), packets.simulate(chain, data, 3.0, warmup_s=1.0)):
        assert_allclose(result.sent_by_mark_pps["AF11"], 1000, rtol=0.01)
        assert_allclose(result.sent_by_mark_pps["AF12"], 125, rtol=0.05)


def test_a_limit_of_a_mark_is_tested_on_the_whole_queue():
    """Alone, what has the lower limit stands there; beside enough of the other it gets nothing."""
    port = core(limits=(("low", p.PacketLimit(20)),))
    alone = packets.simulate(port, [Stream("low", 18e6, FRAME)], 2.0, warmup_s=1.0)
    assert alone.history.queue_packets.max() == 20
    assert_allclose(
        alone.delay_mean_s, fluid.solve(port, [Stream("low", 18e6)]).delay_mean_s, rtol=0.05
    )
    both = [Stream("high", 18e6, FRAME), Stream("low", 3e6, FRAME)]
    for result in (fluid.solve(port, both), packets.simulate(port, both, 2.0, warmup_s=1.0)):
        assert_allclose(result.sent_bps, (12e6, 0), rtol=1e-3)
        assert_allclose(result.delay_mean_s[0], 60 * 8 * FRAME / 12e6, rtol=0.03)


def test_a_tcp_flow_that_is_remarked_is_acknowledged_and_marked_like_any():
    police = p.Policer(5e6, 30_000, exceed="AF12")
    red = p.Red(
        p.RedProfile(30, 40), (("AF12", p.RedProfile(5, 15, 0.1)),), p.Instantaneous(), True
    )
    queue = p.Queue("q", p.PacketLimit(60), red, police)
    flow = Flow("flow", 0.02, Cubic(), ecn=True)
    where = p.Port("port", 20e6, (queue,))
    result = run(Scenario("s", where, (), 5.0, 1.0, hosts=(Host("h", 1e9, (flow,)),)))
    assert result.packets.marked[0] > 0
    assert result.tcp.goodput_bps[0] > 17e6
    assert result.sent_by_mark_pps["AF12"][0] > result.sent_by_mark_pps["flow"][0] > 0
    calm = run(Scenario("s", where.replace(queues=(queue.replace(dropper=p.TailDrop()),)), (), 5.0,
                        1.0, hosts=(Host("h", 1e9, (flow,)),)))  # fmt: skip
    assert calm.packets.marked[0] == 0


def test_what_no_policer_can_do_is_refused():
    with pytest.raises(ValueError, match=r"PeakRate.rate_bps is 1000000.0; allowed: at least the"):
        p.Policer(2e6, 3000, excess=p.PeakRate(1e6, 3000))
    with pytest.raises(ValueError, match=r"Policer.when is 'congested'; allowed: 'always' where"):
        p.Policer(2e6, 3000, "congested", exceed="AF12")
    with pytest.raises(
        ValueError, match=r"Policer.exceed is ''; allowed: 'pass', 'drop' or a mark"
    ):
        p.Policer(2e6, 3000, exceed="")
    with pytest.raises(ValueError, match=r"Policer.colours are|Policer.colours is"):
        p.Policer(2e6, 3000, colours=(("a", "red"), ("a", "green")))
    small = one_queue(p.Policer(2e6, 3000, excess=p.ExcessBurst(500), exceed="pass"))
    with pytest.raises(
        ValueError, match=r"burst_bytes is 500; allowed: at least 1000: a larger pac"
    ):
        packets.simulate(small, [Stream("data", 1e6, FRAME)], 1.0)
    with pytest.raises(ValueError, match=r"limits is ByteLimit.*limits of one size, of the"):
        p.Queue("q", p.PacketLimit(9), limits=(("low", p.ByteLimit(3000)),))
    queue = p.Queue("q", p.ByteLimit(9000), limits=(("low", p.ByteLimit(500)),))
    with pytest.raises(ValueError, match=r"limit for 'low' is .*room for at least its largest"):
        packets.simulate(p.Port("port", 1e6, (queue,)), [Stream("data", 1e6, FRAME)], 1.0)


def test_a_switch_has_the_marks_that_its_ports_give_and_those_that_come():
    """Of a port without a policer, packets leave with the mark that they came with."""
    plain = p.Port("plain", 1e9, (p.Queue("all", p.PacketLimit(50)),))
    metered = one_queue(p.Policer(CIR_BPS, 3000, exceed="AF12"))
    switch = p.Switch("switch", (p.Hop(plain, ("b",)), p.Hop(metered, ("a",))))
    streams = [Stream("a", 2 * CIR_BPS, FRAME, mark="AF11"), Stream("b", 4e6, FRAME, mark="AF12")]
    for result in (fluid.solve(switch, streams), packets.simulate(switch, streams, 2.0)):
        assert_allclose(result.sent_by_mark_pps["AF11"], (1000, 0), rtol=2e-3)
        assert_allclose(result.sent_by_mark_pps["AF12"], (1000, 500), rtol=2e-3)
