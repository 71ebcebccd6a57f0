"""Documents that qoslib/1 wrote are read, and say the same."""

import json

import pytest

from places import SUPPORT
from qoslib import flows as f
from qoslib import port as p
from qoslib import traffic as t
from qoslib.record import from_json
from qoslib.scenario import Scenario

pytestmark = pytest.mark.newer

#: Written by qoslib/1 and never again: the same scenarios as below, by name.
STORED = json.loads((SUPPORT / "schema_1.json").read_text())

PORT = p.Port(
    "port",
    100e6,
    (
        p.Queue("tail", p.PacketLimit(9), p.TailDrop(), quantum_bytes=1500, pool="memory"),
        p.Queue("head", p.ByteLimit(9_000), p.HeadDrop(), quantum_bytes=1500, weight=2.0),
        p.Queue("codel", p.TimeLimit(0.01, "line"), p.Codel(), quantum_bytes=3000),
        p.Queue("pie", p.PacketLimit(99), p.Pie(ecn=True), quantum_bytes=3000),
        p.Queue("red", p.PacketLimit(99), p.Red(p.RedProfile(1, 2)), quantum_bytes=3000),
        p.Queue("profile", p.PacketLimit(99), p.DropProfile(((0.5, 1.0),)), quantum_bytes=1),
    ),
    p.ModifiedDrr("head"),
    overhead_bytes=20,
    classifier=p.Classifier((("EF", "head"),), default="tail"),
    pools=(p.MemoryPool("memory", 10_000),),
    shaper=p.Shaper(90e6, 9_000),
    pause=p.Pause(30, 5, 1000),
)
STREAMS = (
    t.Stream("regular", 1e6, 64, t.Cbr(1e-3), mark="EF", clock_ppm=-3.5),
    t.Stream("random", 1e6, t.imix(), t.Poisson(), jitter_s=1e-4),
    t.Stream("ticked", 1e6, arrivals=t.TickedBursts(), start_s=0.1, stop_s=0.2),
    t.Stream("on and off", 1e6, arrivals=t.OnOff(0.1, 0.1), access_bps=1e9, ecn=True),
    t.Stream("repeated", 1e6, arrivals=t.Repeated((0.0, 0.5))),
    t.Stream("recorded", arrivals=t.Trace((0.0, 0.5), (64, 1500))),
)
RED = p.Red(p.RedProfile(1, 2, 0.5))
AVERAGED = (
    *(p.Instantaneous(), p.Ewma(), p.TruncatingEwma(), p.AsymmetricEwma()),
    p.Sampled(9, 1e-3),
)


def ports():
    """A port for each scheduler but the first's, with the averages of RED."""
    kinds = (p.Fifo(), p.StrictPriority(), p.PriorityLevels(), p.DeficitRoundRobin())
    for index, (scheduler, average) in enumerate(zip((*kinds, p.Fifo()), AVERAGED, strict=True)):
        queue = p.Queue("all", p.PacketLimit(9), RED.replace(averaging=average), quantum_bytes=9)
        queue = queue.replace(policer=p.Policer(1e6, 9_000), shaper=p.Shaper(2e6, 9_000))
        yield p.Port(f"port {index}", 1e6, (queue,), scheduler)


def hosts():
    laws = (f.Reno(), f.Cubic(), f.HTcp(), f.Bbr(), f.Reno())
    repairs = (f.SackRecovery(), f.RateHalving(), f.NewRenoRecovery(), f.TimeoutOnly())
    flows = [
        f.Flow(f"flow {index}", 0.05, law, repair, mss_bytes=1448, frame_bytes=1500)
        for index, (law, repair) in enumerate(
            zip(laws, (*repairs, f.PathologicalRecovery()), strict=True)
        )
    ]
    flows[1] = flows[1].replace(slow_start=f.SlowStart(hystart=f.HyStart()))
    yield f.Host("fq", 1e9, tuple(flows[:2]), pacing=f.FqPacing(1e8))
    yield f.Host("htb", 1e9, tuple(flows[2:]), queue=f.NetemQueue(50), pacing=f.HtbPacing(1e8))


def scenarios():
    engine = p.Forwarder("engine", p.Queue("in", p.PacketLimit(9)), 1e-5)
    chain = p.Chain("chain", (p.Hop(engine), *(p.Hop(port) for port in ports())))
    return (
        Scenario("a port", PORT, STREAMS, 2.0, 0.5, 7),
        Scenario("a chain", chain, STREAMS),
        Scenario("a forwarder", engine, STREAMS[:1]),
        Scenario("TCP", next(ports()), STREAMS[:2], 3.0, hosts=tuple(hosts())),
    )


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.name)
def test_a_document_of_qoslib_1_is_the_scenario_that_was_saved(scenario):
    document = STORED[scenario.name]
    assert document["schema"] == "qoslib/1"
    assert Scenario.from_json(json.dumps(document)) == scenario
    assert from_json(scenario.to_json()) == scenario


def test_every_kind_of_qoslib_1_is_among_them():
    kinds = set()

    def note(value):
        if isinstance(value, dict):
            kinds.update({value["type"]} if "type" in value else ())
        for part in value.values() if isinstance(value, dict) else value:
            if isinstance(part, dict | list):
                note(part)

    note(list(STORED.values()))
    assert len(kinds) == 55


def test_a_field_of_another_version_is_refused():
    document = STORED["a forwarder"]
    with pytest.raises(ValueError, match="document field is 'where'; allowed: name, network"):
        from_json(json.dumps(document | {"schema": "qoslib/2"}))
    with pytest.raises(ValueError, match="schema is 'qoslib/3'; allowed: 'qoslib/2', or 'qoslib/1"):
        from_json(json.dumps(document | {"schema": "qoslib/3"}))
