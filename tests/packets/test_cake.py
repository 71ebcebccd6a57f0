"""CAKE: its tins, and COBALT, the dropper of its flows."""

import pytest

from qoslib import run as run_scenario
from qoslib.flows import Cubic, Flow, Host
from qoslib.packets import simulate
from qoslib.port import (
    ByteLimit,
    CakeTins,
    Classifier,
    Cobalt,
    FlowQueues,
    PacketLimit,
    Port,
    Queue,
)
from qoslib.scenario import Scenario
from qoslib.tcp import simulate as simulate_tcp
from qoslib.traffic import Stream

LINE_BPS = 100e6
#: The tins of diffserv4: rank and share of the line.
DIFFSERV4 = {"voice": (0, 1 / 4), "video": (1, 1 / 2), "bulk": (2, 1 / 16), "best effort": (3, 1)}


def tins(**fields):
    queues = tuple(
        Queue(name, PacketLimit(1000), priority=rank, guaranteed_bps=share * LINE_BPS, **fields)
        for name, (rank, share) in DIFFSERV4.items()
    )
    return Port("cake", LINE_BPS, queues, CakeTins())


#: What tins that are saturated get [% of the line], packet by packet (`sch_cake.c`).
SATURATED = [
    {"best effort": 18.75, "bulk": 6.25, "video": 50, "voice": 25},
    {"best effort": 75, "voice": 25},
    {"best effort": 93.75, "bulk": 6.25},
    # Both over: a packet makes bulk due 16 packets later, voice 4, so that 13 of it come between.
    {"voice": 100 * 13 / 14, "bulk": 100 / 14},
]


@pytest.mark.parametrize("shares", SATURATED, ids=" and ".join)
def test_a_tin_over_its_threshold_loses_its_rank_and_no_bandwidth(shares):
    streams = [Stream(name, 1.5 * LINE_BPS, 1500) for name in shares]
    run = simulate(tins(), streams, 2.0, warmup_s=0.2)
    assert 100 * run.sent_bps / LINE_BPS == pytest.approx(list(shares.values()), abs=0.1)


@pytest.mark.parametrize("shares", SATURATED, ids=" and ".join)
def test_the_fluid_says_the_same_within_what_it_leaves_out(shares):
    streams = [Stream(name, 1.5 * LINE_BPS, 1500) for name in shares]
    fluid = run_scenario(Scenario("tins", tins(), streams), "fluid")
    assert 100 * fluid.sent_bps / LINE_BPS == pytest.approx(list(shares.values()), abs=1.25)


def test_calls_in_the_highest_tin_wait_for_one_packet_at_most():
    streams = [
        Stream("voice", 5e6, 200, "poisson"),
        Stream("best effort", 1.5 * LINE_BPS, 1500, "poisson"),
    ]
    run = simulate(tins(), streams, 5.0, seed=1)
    assert run["voice"].delay_p99_s < 3 * 1500 * 8 / LINE_BPS


def test_two_tins_of_one_rank_are_refused():
    queues = tuple(Queue(name, PacketLimit(9), guaranteed_bps=1e6) for name in "ab")
    with pytest.raises(ValueError, match=r"the tins' priority are \[0, 0\]; allowed: another"):
        Port("cake", LINE_BPS, queues, CakeTins())


def test_a_tin_without_a_threshold_is_refused():
    with pytest.raises(ValueError, match=r"guaranteed_bps is 0\.0; allowed: above 0, the tin's"):
        Port("cake", LINE_BPS, (Queue("a", PacketLimit(9)),), CakeTins())


FLOWS = FlowQueues(1024, 1514, ways=8, isolation="hosts", batch_packets=1, renews=True)


def besteffort(limit_bytes=4_000_000, **fields):
    cobalt = Cobalt(packet_s=1514 * 8 / 20e6)
    queue = Queue("all", ByteLimit(limit_bytes), cobalt, flows=FLOWS, **fields)
    return Port("cake", 20e6, (queue,), classifier=Classifier(default="all"))


def test_cobalt_drops_from_the_flow_that_is_over_alone():
    streams = [Stream("greedy", 22e6, 1514, "poisson"), Stream("call", 80e3, 200)]
    run = simulate(besteffort(), streams, 30.0, seed=2)
    assert run.packets.dropped["codel"][0] > 100
    assert run.packets.dropped["codel"][1] == 0
    assert run["call"].delay_p99_s < 2.5 * 1514 * 8 / 20e6


def test_cobalt_marks_where_it_may():
    streams = [Stream("greedy", 22e6, 1514, "poisson", ecn=True)]
    run = simulate(besteffort(), streams, 10.0, seed=2)
    assert run.packets.marked[0] > 100
    assert run.packets.lost[0] == 0


def test_blue_holds_a_flood_that_codel_does_not():
    """Twice the line, without end: the buffer overflows until BLUE drops the excess by itself."""
    streams = [Stream("flood", 40e6, 1514, "poisson", ecn=True)]
    run = simulate(besteffort(400_000), streams, 60.0, seed=2, bins=60)
    dropped = run.packets.dropped
    assert dropped["codel"].sum() > 10 * dropped["tail"].sum()
    late = run.history.dropped_packets[0][30:].sum() / run.history.offered_packets[0][30:].sum()
    assert late == pytest.approx(0.5, abs=0.03)


def test_an_emptied_flow_that_renews_is_new_again():
    """A flow of small packets keeps its place before the others, where RFC 8290 makes it wait."""
    sparse = Stream("sparse", 1.9e6, 200, "poisson")
    streams = [Stream("greedy", 30e6, 1514, "poisson", flows=8), sparse]
    waits = []
    for renews in (True, False):
        queue = Queue("all", ByteLimit(4_000_000), flows=FLOWS.replace(renews=renews))
        run = simulate(Port("line", 20e6, (queue,)), streams, 20.0, seed=4)
        waits.append(run["sparse"].delay_mean_s)
    assert waits[0] < waits[1]


@pytest.mark.parametrize(
    ("isolation", "least", "most"), [("hosts", 0.44, 0.5), ("flows", 0.17, 0.21)]
)
def test_a_host_with_four_connections_has_no_more_than_one_with_one(isolation, least, most):
    """Half of the line, of which a single connection leaves a little; without isolation a fifth."""
    common = {"mss_bytes": 1448, "frame_bytes": 1514}
    many = Host("many", 1e9, tuple(Flow(f"m{i}", 0.02, Cubic(), **common) for i in range(4)))
    one = Host("one", 1e9, (Flow("single", 0.02, Cubic(), **common),))
    where = besteffort()
    queue = where.queues[0].replace(flows=FLOWS.replace(isolation=isolation))
    where = where.replace(queues=(queue,))
    run = simulate_tcp(where, [many, one], 20.0, seed=1, warmup_s=5.0)
    assert least < run.sent_bps[4] / 20e6 < most
    assert run.sent_bps.sum() / 20e6 > 0.97
