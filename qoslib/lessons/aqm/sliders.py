"""The explorer of droppers: one bottleneck under a constant stream and under TCP."""

from functools import lru_cache
from typing import Any

from qoslib import run, units
from qoslib.explore.controls import choice, slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.flows import Flow, Host
from qoslib.front.workers import silent
from qoslib.lessons import ghost
from qoslib.lessons.aqm.figures import figure
from qoslib.lessons.aqm.outcomes import outcomes_of
from qoslib.port import (
    Codel,
    Dropper,
    Instantaneous,
    PacketLimit,
    Pie,
    Port,
    Queue,
    Red,
    RedProfile,
    TailDrop,
)
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["LINE", "START", "described", "explorer", "red", "senders"]

#: The bottleneck: 1000 packets are what Linux keeps by default, 123 ms here.
LINE = Port("bottleneck", units.mbps(100), (Queue("all", PacketLimit(1000)),), overhead_bytes=38)
#: Offered in proportion to the line as in the published tests: 4.00 on 2.37 Gb/s.
BLAST = Stream("tester", units.mbps(168), 1500)
#: A TCP run and what of it is left out; longer ones differ by less than one point in a hundred [s].
DURATION_S, WARMUP_S = 20.0, 8.0
#: The share of that in the first drawing after a move; the whole follows.
AT_ONCE = 0.25
BLAST_S, BLAST_WARMUP_S = 5.0, 1.0
RED = "RED"
START: dict[str, Any] = {"dropper": RED, "minimum": 1.0, "flows": 16.0, "trip": 40.0}
OTHERS: dict[str, Dropper] = {"tail drop": TailDrop(), "CoDel": Codel(), "PIE": Pie()}


def red(minimum_packets: float) -> Red:
    """RED that drops nothing below a queue length and everything from twice as much on."""
    profile = RedProfile(minimum_packets, 2 * minimum_packets)
    return Red(profile, averaging=Instantaneous())


def senders(count: int, trip_s: float) -> Host:
    """A site with so many CUBIC flows, whose round trips differ by a tenth at most."""
    flows = tuple(
        Flow(f"flow {n}", trip_s * (1 + 0.1 * n / count), mss_bytes=1448, frame_bytes=1500)
        for n in range(count)
    )
    return Host("site", units.gbps(1), flows)


def described(values: dict, name: str = "", part: float = 1.0) -> tuple[Scenario, Scenario]:
    """The constant stream and the TCP flows at the port with one dropper, by default the chosen."""
    name = name or values["dropper"]
    dropper = red(round(values["minimum"])) if name == RED else OTHERS[name]
    port = LINE.replace(queues=(LINE.queues[0].replace(dropper=dropper),))
    trip_s = units.ms(round(values["trip"], 6))
    host = senders(round(values["flows"]), trip_s)
    return (
        Scenario("constant stream", port, (BLAST,), BLAST_S, BLAST_WARMUP_S),
        Scenario("TCP", port, (), part * DURATION_S, part * WARMUP_S, hosts=(host,)),
    )


@lru_cache(maxsize=200)
def _ran(scenario: Scenario) -> Result:
    result = run(scenario, bins=1, progress=silent)
    if result.interrupted:
        # A part of a run must not be remembered as the answer.
        raise KeyboardInterrupt
    return result


def explorer() -> Explorer:
    """A dropper, and sliders for RED's minimum threshold, the number of flows and the round trip.

    Everything is run packet by packet: a short run at once, the whole when the controls rest.
    """
    names = ("tail drop", RED, "CoDel", "PIE")
    controls = {
        "minimum": slider("RED's minimum [packets]", START["minimum"], 1, 150, 1),
        "flows": slider("TCP flows", START["flows"], 1, 64, 1),
        "trip": slider("Round trip [ms]", START["trip"], 5, 160, 5),
        "dropper": choice("Dropper on the right", list(names), START["dropper"]),
    }

    def simulate(values, progress, part=1.0):
        tests = {name: described(values, name, part) for name in names}
        return [{n: _ran(both[kind]) for n, both in tests.items()} for kind in (0, 1)]

    def draw(values, found):
        blasts, flows = found or simulate(values, None, AT_ONCE)
        scenario, chosen = described(values)[1], values["dropper"]
        blasted, tcp = (outcomes_of(scenario, each) for each in (blasts, flows))
        drawn = figure(scenario, blasted, tcp, flows[chosen], chosen)
        others = any(values[name] != START[name] for name in ("flows", "trip"))
        drawn.add_traces(
            [
                ghost("08.a", 1, y=["CoDel"], side="right"),
                ghost("08.b", 1, y=["CoDel"], side="left", faded=others),
            ]
        )
        return drawn

    return Explorer(controls, draw, simulate, Call("aqm", scenarios=described))
