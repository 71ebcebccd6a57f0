"""One vocabulary describes all seven routers of the sources, without a special case."""

import pytest

from places import ROOT, SUPPORT
from qoslib import port as p
from qoslib import traffic
from qoslib.explore import lane_description
from qoslib.packets.kernels import codes
from qoslib.record import from_json
from routers import BEST, LESS, NETWORK, PLUS, PORTS, PREMIUM, STREAMS

DESCRIBED = [
    pytest.param(described, id=f"{router}-{number}")
    for router, ports in PORTS.items()
    for number, described in enumerate((*ports, *STREAMS[router]))
]


@pytest.mark.parametrize("described", DESCRIBED)
def test_a_router_comes_back_from_json_as_itself(described):
    again = from_json(described.to_json())
    assert again == described
    assert hash(again) == hash(described)
    assert len({again, described}) == 1


@pytest.mark.parametrize("described", DESCRIBED)
def test_a_router_prints_as_what_makes_it_without_the_defaults(described):
    text = repr(described)
    assert eval(text, {**vars(p), **vars(traffic)}) == described
    assert "None" not in text
    assert "Cbr()" not in text
    assert "TailDrop()" not in text


@pytest.mark.parametrize("router", PORTS)
def test_every_stream_finds_its_queue_at_every_port_it_passes(router):
    for described in PORTS[router]:
        hops = described.hops if isinstance(described, p.Chain) else (p.Hop(described),)
        passed = {
            stream.name: hop.at.queue_of(stream)
            for hop in hops
            for stream in STREAMS[router]
            if isinstance(hop.at, p.Port) and stream.name in (hop.streams or (stream.name,))
        }
        assert set(passed) == {stream.name for stream in STREAMS[router]}


def test_the_cisco_12000_sorts_precedences_as_its_running_configuration_does():
    engine2, chain = PORTS["gsr12000"]
    marks = (NETWORK, PREMIUM, PLUS, BEST, LESS)
    assert [engine2.classifier.queue(mark) for mark in marks] == [
        "default", "premium", "default", "default", "default",
    ]  # fmt: skip
    assert [chain.hops[-1].at.classifier.queue(mark) for mark in marks] == [
        "network", "premium", "default", "default", "less",
    ]  # fmt: skip


def test_the_mechanisms_of_the_sources_are_all_in_use():
    everything = repr(PORTS) + repr(STREAMS)
    unused = {name for name in p.__all__ if f"{name}(" not in everything}
    assert unused == {
        *("AsymmetricEwma", "Codel", "DeficitRoundRobin", "Dropper", "Fifo", "Instantaneous"),
        *("Pie", "Scheduler", "StartTimeFairQueueing", "TailDrop"),
        *("ByteRedProfile", "ShareRedProfile", "TimeRedProfile"),
        *("HierarchicalTokenBucket", "Node", "SchedulerTree", "Switch"),
        *("PriorityPause", "headroom_bytes", "pause_response_s"),
        *("ExcessBurst", "ExcessRate", "PeakRate"),
        *("CakeTins", "Cobalt", "DualPi2", "FlowQueues", "WeightedRoundRobin"),
    }


@pytest.mark.parametrize("kind", codes.SCHEDULERS | codes.TREES, ids=lambda kind: kind.__name__)
def test_a_scheduler_has_words_a_twin_and_a_line_in_the_packet_view(kind):
    if kind is p.Fifo:
        return
    assert f"`{kind.__name__}" in (ROOT / "data" / "words.toml").read_text(encoding="utf-8")
    assert f"p.{kind.__name__}" in (SUPPORT / "mechanisms.py").read_text(encoding="utf-8")
    assert kind in lane_description.SCHEDULERS
