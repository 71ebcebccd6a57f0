"""The explorer of a policed priority queue: loads, priority rate, burst, how the policer counts."""

from typing import Any

import numpy as np

from qoslib import compare, measurements, run, units
from qoslib.explore.controls import choice, slider, stacked, switch
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.redraw import memoize_lines
from qoslib.lessons import ghost
from qoslib.lessons.llq_policing.figures import Counted, figure
from qoslib.packets.phases import random_phases
from qoslib.packets.progress import Progress
from qoslib.platforms import isr4331
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = [
    "LOADS_BPS",
    "POLICERS",
    "START",
    "arrived_mbps",
    "described",
    "explorer",
    "simulated",
]

#: What EF offers along the lines [bit/s].
LOADS_BPS = units.mbps(np.arange(10, 305, 10.0))
#: What a policer does with a packet that passes without congestion, or when there is none.
POLICERS: dict[str, dict[str, Any] | None] = {
    "tokens kept without congestion": {"uncongested": "keeps"},
    "tokens taken without congestion": {"uncongested": "drains"},
    "always polices": {"when": "always", "congestion_packets": 1},
    "no policer (what if)": None,
}
START: dict[str, Any] = {
    "ef": 30.0,
    "default": 80.0,
    "rate": 20.0,
    "burst": 500.0,
    "policer": next(iter(POLICERS)),
    "llq": True,
}
SEED, BINS = 1, 220
#: Controls that are always in sight; the others are below *More*.
FIRST = ("ef", "rate", "burst", "policer")


def explorer() -> Explorer:
    """Sliders for two loads, the priority rate and burst, and how the policer counts.

    Each point is a run as it was published: EF starts first, both send for ten seconds. The fluid
    model follows at once; the packet model, which alone knows the burst, when the controls rest.
    """
    controls = {
        "ef": slider("EF load [Mb/s of data]", START["ef"], 5, 300, 5),
        "default": slider("Default load [Mb/s of data]", START["default"], 0, 150, 5),
        "rate": slider("Priority rate [Mb/s]", START["rate"], 1, 100, 1),
        "burst": slider("Burst [kB]", START["burst"], 10, 2000, 10),
        "policer": choice("Policer", list(POLICERS), START["policer"]),
        "llq": switch("LLQ", True),
    }
    seen = {llq: _published("llq" if llq else "no_llq") for llq in (True, False)}
    lines = memoize_lines(
        lambda others: [run(described(others | {"ef": _mbps(ef)}), "fluid") for ef in LOADS_BPS],
        "ef",
    )

    def draw(values, dots):
        here, load_bps = run(described(values), "fluid"), units.mbps(values["ef"])
        faded = not _as_published(values)
        drawn = figure(LOADS_BPS, lines(values), load_bps, here, dots, seen[values["llq"]], faded)
        faded = faded or not values["llq"]
        drawn.add_traces(
            [
                ghost("02.b", 1, x=[START["ef"]], faded=faded, side="right"),
                ghost("02.c", 0, drawn=_thousands, faded=faded),
            ]
        )
        drawn.remark = compare.remark(here, dots)
        return drawn

    call = Call("llq_policing", scenarios=lambda values: [described(values)])
    return Explorer(controls, draw, simulated, call, stacked(controls, FIRST))


def described(values: dict) -> Scenario:
    """A run as the controls stand, until the last queue has drained."""
    head_s = float(isr4331.FACTS.head_start_s) if values["llq"] else 0.0
    streams = (
        isr4331.stream("EF", units.mbps(values["ef"])),
        isr4331.stream("default", units.mbps(values["default"]), head_s),
    )
    port = _llq(values) if values["llq"] else isr4331.fifo()
    end_s = max(stream.stop_s or 0.0 for stream in streams) + 0.5
    return Scenario("a policed priority queue", port, streams, end_s, seed=SEED)


def _llq(values):
    port = isr4331.llq()
    urgent, rest = port.queues
    how, policer = POLICERS[values["policer"]], None
    if how is not None and urgent.policer is not None:
        burst = round(units.convert(values["burst"], "kB", "B"))
        policer = urgent.policer.replace(
            rate_bps=units.mbps(values["rate"]), burst_bytes=burst, **how
        )
    return port.replace(queues=(urgent.replace(policer=policer), rest))


def simulated(values: dict, progress: Progress | None = None) -> Result:
    """What the packet model says of the run."""
    begun = described(values)
    return run(
        begun.replace(streams=random_phases(begun.streams, SEED)), progress=progress, bins=BINS
    )


def arrived_mbps(ef_mbps: float) -> float:
    """What arrives of EF with the published policer, in Mb/s of data."""
    counted = simulated(START | {"ef": ef_mbps})["EF"].sent_packets or 0
    payload_bytes = float(isr4331.FACTS.frame_bytes) - float(isr4331.FACTS.header_bytes)
    return _mbps(units.rate_bps(counted / float(isr4331.FACTS.run_s), payload_bytes))


def _thousands(arrived_mbps):
    """Thousand packets in a run, of so many Mb/s of data."""
    payload_bytes = float(isr4331.FACTS.frame_bytes) - float(isr4331.FACTS.header_bytes)
    pps = units.rate_pps(units.mbps(arrived_mbps), payload_bytes)
    return float(units.convert(pps * float(isr4331.FACTS.run_s), "packets", "kpackets"))


def _published(experiment):
    """The pair that was measured, at the load of EF at which it was."""
    rows = [row for row in measurements.rows("isr4331_iperf3") if row.experiment == experiment]
    last = {(row.quantity, row.stream): row.value for row in rows if row.is_known}
    both = [
        [last[quantity, name] for name in ("EF", "default")]
        for quantity in ("offered_packets", "dropped_packets")
    ]
    return float(isr4331.FACTS.EF_bps), Counted(*both)


def _as_published(values):
    """Whether all but the load of EF is as in the published runs."""
    fixed = ("default", "rate", "burst") if values["llq"] else ("default",)
    return all(values[name] == START[name] for name in fixed) and not (
        values["llq"] and POLICERS[values["policer"]] is None
    )


def _mbps(rate_bps):
    return float(units.convert(rate_bps, "bit/s", "Mbit/s"))
