"""DualPI2: the controller, the coupling, who is served, and the two kinds of senders."""

from types import SimpleNamespace

import numpy as np
import pytest

from qoslib.flows import Dctcp, Flow, Host, Reno
from qoslib.packets import simulate
from qoslib.packets.kernels.dual import pi_step
from qoslib.port import Codel, DualPi2, PacketLimit, Port, Queue, TimeLimit
from qoslib.tcp import simulate as simulate_tcp
from qoslib.traffic import Stream

LINE_BPS = 40e6


def port(**fields):
    return Port("line", LINE_BPS, (Queue("both", PacketLimit(10_000), DualPi2(**fields)),))


def test_the_controller_follows_the_formula():
    """Delays of 0, 20, 20, 25, 15 and 10 ms at its updates; worked out by hand."""
    queue = SimpleNamespace(target_ps=15_000, alpha=0.16 / 1e6, beta=3.2 / 1e6)
    step = getattr(pi_step, "py_func", pi_step)
    probability, before, seen = 0.0, 0, []
    for delay in (0, 20_000, 20_000, 25_000, 15_000, 10_000):
        probability = step(probability, delay, before, queue)
        before = delay
        seen.append(probability)
    assert seen == pytest.approx([0, 0.0648, 0.0656, 0.0832, 0.0512, 0.0344])


def test_the_queue_of_what_does_not_listen_is_held_at_the_target():
    """Drops with p'^2 take what is beyond the line; the controller rests at its target."""
    run = simulate(port(), [Stream("all", 44e6, 1500, "poisson")], 60.0, seed=1, warmup_s=20.0)
    assert run.packets.lost[0] / run.packets.offered[0] == pytest.approx(1 / 11, rel=0.05)
    assert run.delay_mean_s[0] == pytest.approx(15e-3, rel=0.05)


def test_packets_with_ect_1_go_first_but_leave_a_tenth():
    streams = [
        Stream("classic", 40e6, 1500, "poisson"),
        Stream("low", 80e6, 1500, "poisson", ecn="l4s"),
    ]
    # No controller to speak of.
    where = port(alpha_hz=1e-12, beta_hz=1e-12, step_s=10.0)
    where = where.replace(queues=(where.queues[0].replace(limit=PacketLimit(500)),))
    run = simulate(where, streams, 0.05, seed=1)
    sent = run.packets.sent
    assert sent[0] / sent.sum() == pytest.approx(0.1, abs=0.03)


def test_a_low_delay_stream_below_its_share_waits_for_a_packet_or_two():
    streams = [
        Stream("classic", 44e6, 1500, "poisson"),
        Stream("low", 4e6, 1500, ecn="l4s"),
    ]
    run = simulate(port(), streams, 20.0, seed=1, warmup_s=5.0)
    assert run["low"].delay_p99_s < 3 * 1500 * 8 / LINE_BPS
    assert run["classic"].delay_mean_s > 10e-3
    # k p' of it is marked, where p'^2 of the other is dropped.
    dropped = run.packets.lost[0] / run.packets.offered[0]
    marked = run.packets.marked[1] / run.packets.sent[1]
    assert marked == pytest.approx(2 * np.sqrt(dropped), rel=0.1)
    assert run.packets.lost[1] == 0


def test_both_kinds_of_senders_get_the_share_that_their_round_trips_give():
    """Reno sends 1.22 / p', a scalable sender 2 / (k p') a round trip: 14 and 26 of 40 Mb/s."""
    common = {"mss_bytes": 1448, "frame_bytes": 1500}
    hosts = [
        Host("a", 1e9, (Flow("classic", 0.01, Reno(), **common),)),
        Host("b", 1e9, (Flow("scalable", 0.01, Dctcp(), ecn="l4s", **common),)),
    ]
    run = simulate_tcp(port(), hosts, 60.0, seed=1, warmup_s=10.0)
    assert run.sent_bps.sum() > 0.97 * LINE_BPS
    assert run.sent_bps / 1e6 == pytest.approx([14.0, 26.0], rel=0.25)
    assert run["scalable"].delay_mean_s < 2e-3
    assert run["classic"].delay_mean_s == pytest.approx(15e-3, rel=0.2)


WRONG = {
    "a limit in time": lambda: Queue("q", TimeLimit(0.1), DualPi2()),
    "flow queues": lambda: Queue("q", PacketLimit(9), DualPi2(), flows={"queues": 4}),
    "a marking of its own": lambda: Queue("q", PacketLimit(9), Codel(), marking=Codel()),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused_by_name(what):
    with pytest.raises(ValueError, match=r".+ is .+; allowed: .+"):
        WRONG[what]()
