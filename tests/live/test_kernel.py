"""The kernel as a router: what lessons rest on, at rates that any machine keeps.

A run that fails a gate is repeated; where all are inconclusive the test is skipped and says why.
"""

import pytest

from livelab.experiment import Experiment, Point
from livelab.experiments.head_tail import HEAD_TAIL, LIMIT_PACKETS, LINE_BPS, scenario
from livelab.lab import Lab
from livelab.probe import lacking, probe
from livelab.run import run_once
from livelab.session import perform
from livelab.values import modelled
from qoslib import (
    ByteLimit,
    Cubic,
    Flow,
    Host,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Scenario,
    Stream,
    units,
)
from qoslib.port import Classifier, HeadDrop, PriorityLevels, Shaper, StrictPriority, TailDrop

NEEDS = (*HEAD_TAIL.needs, "u32")


@pytest.fixture(scope="module")
def found():
    return probe()


@pytest.fixture(scope="module", autouse=True)
def rights(found):
    if missing := lacking(found, NEEDS):
        pytest.skip(missing)


def medians(*points, repeats):
    """The medians of each point's conclusive runs; a skip where a point has none."""
    experiment = Experiment("test", "", points, NEEDS, "", "")
    tried = perform(experiment, print, repeats, spare=2)
    for each in tried:
        if not each.conclusive:
            pytest.skip(f"{each.point.name}: {each.runs[-1].inconclusive}")
    return [{key: values[0] for key, values in each.spread().items()} for each in tried]


def test_the_probe_finds_what_it_needs(found):
    works = {each.name for each in found if each.works}
    assert {"namespaces", "veth", *NEEDS} <= works
    assert all(each.works or each.remedy for each in found)
    managed = {"red", "codel", "pie", "sfq", "fq_codel", "cake", "dualpi2", "fq"}
    assert {*managed, "reno", "cubic", "bbr", "dctcp", "ecn"} <= {each.name for each in found}


def test_head_and_tail_drop(twice):
    """B / T and B / E, and one twice the other at twice the line rate."""
    points = [
        Point(name, scenario(dropper, 2.0, 3.0), {})
        for name, dropper in (("tail", TailDrop()), ("head", HeadDrop()))
    ]

    def attempt():
        tail, head = medians(*points, repeats=3)
        on_line = 1042
        drain_s = LIMIT_PACKETS / units.rate_pps(LINE_BPS, on_line)
        drain = units.convert(drain_s, "s", "ms")
        assert tail["all", "latency"] == pytest.approx(drain, rel=0.03)
        assert head["all", "latency"] == pytest.approx(drain / 2, rel=0.03)
        assert tail["all", "latency"] / head["all", "latency"] == pytest.approx(2, rel=0.02)
        for run in (tail, head):
            assert run["all", "drop_ratio"] == pytest.approx(50, rel=0.02)

    twice(attempt)


def two_classes(scheduler, ef_mbps, duration_s):
    """EF and the rest, at 10 Mb/s."""
    queues = (
        Queue("EF", PacketLimit(50), priority=0, guaranteed_bps=2e6),
        Queue("default", PacketLimit(50), priority=1, guaranteed_bps=8e6),
    )
    port = Port("two", 10e6, queues, scheduler, 24, Classifier((("EF", "EF"),), "default"))
    streams = (
        Stream("EF", units.mbps(ef_mbps), 1018, stop_s=duration_s),
        Stream("default", 9.1e6, 1018, start_s=0.0137, stop_s=duration_s),
    )
    return Scenario("two", port, streams, duration_s + 0.5)


def shaped(rate_bps):
    """Strict priority, and a shaper for EF."""
    made = two_classes(StrictPriority(), 4.0, 5.0)
    ef, other = made.only_port.queues
    port = made.only_port.replace(queues=(ef.replace(shaper=Shaper(rate_bps, 3000)), other))
    return made.replace(network=port)


#: What HTB in the kernel plays, and what the model does. EF has 2 Mb/s, sends 4 and borrows what
#: the other class leaves, nothing. HTB counts a port's overhead in a shaper's rate, the model not.
HTB = {
    "borrowing": (two_classes(PriorityLevels(), 4.0, 10.0),) * 2,
    "strict priority": (two_classes(StrictPriority(), 4.0, 5.0),) * 2,
    "shaper": (shaped(2e6), shaped(2e6 * 1018 / (1018 + 24))),
}


@pytest.mark.parametrize("name", HTB)
def test_htb_drops_what_the_model_drops(name, twice):
    here, there = (Point(name, each, {}, counts=True) for each in HTB[name])

    def attempt():
        (measured,) = medians(here, repeats=1)
        packets = modelled(there, "packets")
        assert measured.keys() == packets.keys()
        for key, value in measured.items():
            assert value == pytest.approx(packets[key], rel=0.01), key

    twice(attempt)


def test_a_policer_drops_what_the_model_drops(found, twice):
    """A program in front of the queues, which needs more than namespaces."""
    if missing := lacking(found, ("BPF",)):
        pytest.skip(missing)
    policer = Policer(2e6, 50_000, when="congested", congestion_packets=8, uncongested="keeps")
    made = two_classes(StrictPriority(), 4.0, 5.0)
    ef, other = made.only_port.queues
    port = made.only_port.replace(queues=(ef.replace(policer=policer), other))
    point = Point("policed", made.replace(network=port), {}, counts=True)

    def attempt():
        (measured,) = medians(point, repeats=1)
        packets = modelled(point, "packets")
        for stream in ("EF", "default"):
            key = stream, "dropped_packets"
            assert measured[key] == pytest.approx(packets[key], rel=0.02), key

    twice(attempt)


def test_tcp_fills_the_link_over_the_round_trip_of_the_delay_line(found, twice):
    """Between half of the line rate and all of it: no more is decided on TCP."""
    if missing := lacking(found, ("bfifo", "AF_PACKET", "cubic")):
        pytest.skip(missing)
    port = Port("TCP", 10e6, (Queue("all", ByteLimit(60_000)),), overhead_bytes=24)
    flow = Flow("a", 0.03, Cubic(), mss_bytes=1448, frame_bytes=1514, segments_per_ack=2)
    host = Host("sender", 1e9, (flow,))
    beside = Stream("beside", 0.5e6, 1018)
    scenario = Scenario("TCP", port, (beside,), 5.0, 1.0, hosts=(host,))

    def attempt():
        with Lab() as lab:
            run = run_once(lab, scenario)
        if run.inconclusive:
            pytest.skip(run.inconclusive)
        assert 5e6 < run.flows["a"].goodput_bps < 10e6
        round_trips_us = [look[-1] for look in run.flows["a"].looks if look[-1]]
        assert min(round_trips_us) > units.convert(flow.round_trip_s, "s", "us")

    twice(attempt)


def test_a_class_below_an_overloaded_priority_starves(twice):
    point = Point("starves", two_classes(StrictPriority(), 11.0, 4.0), {}, counts=True)

    def attempt():
        (measured,) = medians(point, repeats=1)
        offered = 4.0 * units.rate_pps(9.1e6, 1018)
        assert measured["default", "dropped_packets"] > 0.95 * offered

    twice(attempt)
