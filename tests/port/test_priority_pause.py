"""Priority-based flow control: with the formula's headroom nothing is lost, at any phase."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from qoslib import port as p
from qoslib import tcp
from qoslib.flows import Flow, Host
from qoslib.fluid import solve
from qoslib.packets import simulate
from qoslib.port import headroom_bytes, pause_response_s
from qoslib.traffic import Poisson, Stream
from soak import many

#: Lossless frames [B], line rate [bit/s] -> headroom for 100 m and jumbo frames of 9,216 B [B].
FIGURES = {
    (2300, 10e9): 18_778,
    (2300, 40e9): 30_336,
    (2300, 100e9): 80_076,
    (9216, 10e9): 25_694,
    (9216, 40e9): 37_252,
    (9216, 100e9): 86_992,
}


@pytest.mark.parametrize(("frame_bytes", "rate_bps"), FIGURES)
def test_the_formula_gives_the_published_figures(frame_bytes, rate_bps):
    found = headroom_bytes(rate_bps, frame_bytes, pause_response_s(rate_bps))
    assert found == FIGURES[frame_bytes, rate_bps]


def test_cable_and_reaction_count_as_the_sources_say():
    """513 ns for 100 m of fibre are 641 B at 10 Gb/s: here 5 ns per metre, both ways."""
    near, far = (pause_response_s(10e9, cable_m=metres) for metres in (0, 100))
    assert far - near == pytest.approx(2 * 500e-9)
    other = pause_response_s(1e9, interfaces=4, reaction_s=30_720e-9, interface_s=8192e-9)
    bits = 8 * (9216 + 20) + 672 + 4 * 8192 + 30_720
    assert other == pytest.approx(bits / 1e9 + 1e-6)


def lost(rate_bps, frame_bytes, response_s, headroom, xoff):
    """Packets that a sender at full rate loses at a port that hardly sends."""
    pause = p.PriorityPause(headroom, xoff // 2, response_s)
    queue = p.Queue("lossless", p.ByteLimit(xoff + headroom), pause=pause)
    port = p.Port("receiver", 1e3, (queue,))
    stream = Stream("sender", rate_bps, frame_bytes, access_bps=rate_bps)
    filled_s = 8 * (xoff + 2 * headroom + 10 * frame_bytes) / rate_bps + 2 * response_s
    return int(simulate(port, [stream], filled_s, bins=1).packets.lost[0])


@many(60)
@given(
    st.sampled_from([10e9, 25e9, 40e9, 100e9]),
    st.integers(64, 9216),
    st.floats(0, 1000),
    st.integers(10_000, 40_000),
)
def test_with_the_headroom_of_the_formula_nothing_is_lost(rate_bps, frame_bytes, cable_m, xoff):
    response_s = pause_response_s(rate_bps, cable_m=cable_m)
    headroom = headroom_bytes(rate_bps, frame_bytes, response_s)
    assert lost(rate_bps, frame_bytes, response_s, headroom, xoff) == 0


@pytest.mark.parametrize("cable_m", [0.0, 100.0, 437.0])
@pytest.mark.parametrize("rate_bps", [10e9, 100e9])
@pytest.mark.parametrize("frame_bytes", [1500, 2300, 9216])
def test_with_one_frame_less_something_is_lost_at_some_phase(rate_bps, frame_bytes, cable_m):
    """A phase is where in a frame the threshold is crossed."""
    response_s = pause_response_s(rate_bps, cable_m=cable_m)
    headroom = headroom_bytes(rate_bps, frame_bytes, response_s)
    phases = range(20_000, 20_000 + frame_bytes, frame_bytes // 20)
    arguments = rate_bps, frame_bytes, response_s
    assert [lost(*arguments, headroom, xoff) for xoff in phases] == [0] * len(phases)
    assert any(lost(*arguments, headroom - frame_bytes, xoff) for xoff in phases)


def lost_in_cells(rate_bps, frame_bytes, response_s, headroom, cell_bytes):
    """Packets lost at a port that hardly sends, in a memory with room for so much above xoff."""
    xoff = 200 * frame_bytes
    pause = p.PriorityPause(headroom, xoff // 2, response_s)
    room = (xoff // frame_bytes) * -(-frame_bytes // cell_bytes) * cell_bytes + headroom
    pool = p.MemoryPool("memory", room, cell_bytes)
    queue = p.Queue("lossless", p.ByteLimit(xoff + headroom), pause=pause, pool="memory")
    port = p.Port("receiver", 1e3, (queue,), pools=(pool,))
    # A link counts 20 B of preamble and gap with each frame.
    frames_bps = rate_bps * frame_bytes / (frame_bytes + 20)
    stream = Stream("sender", frames_bps, frame_bytes, access_bps=frames_bps)
    filled_s = 8 * (xoff + 2 * headroom + 10 * frame_bytes) / frames_bps + 2 * response_s
    return int(simulate(port, [stream], filled_s, bins=1).packets.lost[0])


@many(40)
@given(
    st.sampled_from([10e9, 25e9, 50e9, 100e9, 400e9]),
    st.sampled_from([80, 144, 208, 256, 384]),
    st.integers(64, 1500),
)
def test_in_cells_nothing_is_lost_whatever_the_frames(rate_bps, cell_bytes, frame_bytes):
    response_s = pause_response_s(rate_bps)
    headroom = headroom_bytes(rate_bps, 1500, response_s, cell_bytes=cell_bytes)
    assert headroom % cell_bytes == 0
    assert lost_in_cells(rate_bps, frame_bytes, response_s, headroom, cell_bytes) == 0


def test_bytes_instead_of_cells_lose_small_frames():
    response_s = pause_response_s(100e9)
    frames = headroom_bytes(100e9, 1500, response_s)
    assert lost_in_cells(100e9, 145, response_s, frames, 144) > 100


@pytest.mark.parametrize("rate_bps", [50e9, 200e9, 400e9])
def test_rates_of_today_have_a_reaction_and_a_driver_may_state_its_own(rate_bps):
    """SONiC's quanta of 802.3, 31B.3.7: 147 at 50 Gb/s, 453 at 200, 905 at 400."""
    quanta = {50e9: 147, 200e9: 453, 400e9: 905}[rate_bps]
    nothing = pause_response_s(rate_bps, reaction_s=0.0)
    assert pause_response_s(rate_bps) - nothing == pytest.approx(512 * quanta / rate_bps)
    longer = pause_response_s(rate_bps, reaction_s=2 * 512 * quanta / rate_bps)
    assert longer - nothing == pytest.approx(2 * 512 * quanta / rate_bps)


def test_senders_of_one_priority_share_a_slow_receiver_and_others_go_on():
    """Four senders of 10 Gb/s each, paused by one queue; a fifth goes to a queue that does not."""
    rate_bps, names = 10e9, ("a", "b", "c", "d")
    response_s = pause_response_s(rate_bps)
    headroom = 4 * headroom_bytes(rate_bps, 1500, response_s)
    pause = p.PriorityPause(headroom, 20_000, response_s)
    queues = (
        p.Queue("lossless", p.ByteLimit(50_000 + headroom), pause=pause, priority=1),
        p.Queue("other", p.PacketLimit(100)),
    )
    rules = tuple((name, "lossless") for name in names)
    classifier = p.Classifier(rules, "other")
    port = p.Port("port", rate_bps, queues, p.StrictPriority(), classifier=classifier)
    streams = [Stream(n, 9e9, 1500, Poisson(), access_bps=rate_bps) for n in names]
    streams.append(Stream("other", 2e9, 1500, Poisson(), access_bps=rate_bps))
    result = simulate(port, streams, 0.02, warmup_s=0.002)
    assert result.dropped_pps.sum() == 0
    assert_allclose(result.sent_bps, [*[2e9] * 4, 2e9], rtol=0.03)
    assert result.pause_frames > 10
    most = 1500 * result.history.queue_packets[0]
    assert (most <= 50_000 + headroom).all()
    assert most.min() > 20_000
    assert result["other"].delay_max_s < 30e-6


def test_a_pause_that_comes_too_late_saves_nothing():
    """With half of the headroom some is lost, and the more the longer the cable."""
    rate_bps, lossy = 10e9, []
    for cable_m in (0, 10_000, 100_000):
        response_s = pause_response_s(rate_bps, cable_m=cable_m)
        lossy.append(lost(rate_bps, 1500, response_s, 8000, 20_000))
    assert 0 < lossy[0] < lossy[1] < lossy[2]


PAUSE = p.PriorityPause(900, 50, 1e-6)
QUEUE = p.Queue("q", p.ByteLimit(1000), pause=PAUSE)
PORT = p.Port("p", 1e9, (QUEUE,))
STREAM = Stream("s", 1e6, 500)


@pytest.mark.parametrize(
    ("describe", "message"),
    [
        (lambda: QUEUE.replace(limit=p.ByteLimit(900)), "headroom_bytes is 900; allowed: below"),
        (lambda: QUEUE.replace(limit=p.PacketLimit(9)), "limit is .*; allowed: a ByteLimit"),
        (lambda: QUEUE.replace(limit=p.ByteLimit(1000, 9)), "allowed: a ByteLimit without a resu"),
        (lambda: QUEUE.replace(dropper=p.HeadDrop()), "dropper is .*; allowed: one that drops on"),
        (lambda: QUEUE.replace(dropper=p.Codel()), "dropper is .*; allowed: one that drops on"),
        (
            lambda: QUEUE.replace(pause=PAUSE.replace(resume_bytes=101)),
            "resume_bytes is 101; allowed: at most 100, the threshold",
        ),
        (lambda: PORT.replace(pause=p.Pause(9)), "Port 'p' pause is .*; allowed: None with"),
        (lambda: p.Forwarder("f", QUEUE, 1e-6), "queue pause is .*; allowed: None, only queues"),
        (lambda: pause_response_s(1e9), "rate_bps is 1000000000.0; allowed: 1e\\+10, 2.5e\\+10"),
        (lambda: solve(PORT, [STREAM]), "Queue 'q' pause is .*; allowed: None in the fluid model"),
        (
            lambda: tcp.simulate(PORT, [Host("h", 1e9, (Flow("f", 1e-3),))], 1e-3),
            "Queue 'q' pause is .*; allowed: None: TCP's hosts know no PAUSE",
        ),
        (
            lambda: simulate(
                p.Chain(
                    "c",
                    (
                        p.Hop(PORT.replace(name="o", queues=(QUEUE.replace(pause=None),))),
                        p.Hop(PORT),
                    ),
                ),
                [STREAM],
                1e-3,
            ),
            "'p' pause is PriorityPause.*; allowed: None, except where all streams start",
        ),
    ],
)
def test_what_makes_no_sense_gets_one_clear_error(describe, message):
    with pytest.raises(ValueError, match=message):
        describe()


@pytest.mark.parametrize(("resume", "full"), [(3_000, False), (60_000, True)])
def test_a_queue_that_resumes_too_late_runs_empty(resume, full):
    """A kilometre of cable: what drains in a response must still be there as senders go on."""
    response_s = pause_response_s(10e9, cable_m=1000)
    pause = p.PriorityPause(200_000, resume, response_s)
    port = p.Port("p", 5e9, (p.Queue("q", p.ByteLimit(264_000), pause=pause),))
    result = simulate(port, [Stream("s", 8e9, 1000, access_bps=10e9)], 0.01, warmup_s=1e-3)
    assert result.packets.lost[0] == 0
    assert (resume > 5e9 * response_s / 8) == full
    assert (result.sent_bps[0] > 0.999 * 5e9) == full
