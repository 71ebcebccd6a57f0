"""The explorer of a policed priority queue: loads, priority rate, burst, how the policer counts."""

from typing import Any

import numpy as np

from qoslib import compare, fluid, measurements, packets, units
from qoslib.explore.controls import button, choice, row, slider, switch
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.redraw import memoize_lines
from qoslib.lessons.policing.figures import Counted, figure
from qoslib.packets.phases import random_phases
from qoslib.packets.progress import Progress
from qoslib.platforms import isr4331
from qoslib.port import Port
from qoslib.scenario import Scenario

__all__ = ["LOADS_BPS", "POLICERS", "START", "described", "explorer", "simulated", "solved"]

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


def explorer() -> Explorer:
    """Sliders for two loads, the priority rate and burst, and how the policer counts.

    Each point is a run as it was published: EF starts first, both send for ten seconds. The fluid
    model follows at once; the packet model, which alone knows the burst, when a slider is let go.
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
        lambda others: [solved(others | {"ef": _mbps(ef)}) for ef in LOADS_BPS], "ef"
    )

    def draw(values, dots):
        swept = {"fluid": lines(values)}
        now = units.mbps(values["ef"]), solved(values)
        marks = seen[values["llq"]] if _as_published(values) else None
        drawn = figure(LOADS_BPS, swept, now, dots, marks)
        drawn.remark = compare.remark(_fluid(values), dots and dots[1])
        return drawn

    reset = button("Reset", lambda: app.move(**START))
    sliders = [controls[name] for name in ("ef", "default", "rate", "burst")]
    rows = [*sliders, row(controls["policer"], controls["llq"], reset)]
    call = Call("policing", "", lambda values: [_scenario(values)])
    app: Explorer = Explorer(controls, rows, draw, simulated, call)
    return app


def described(values: dict) -> tuple[Port, tuple]:
    """The port and its streams as the controls stand."""
    head_s = float(isr4331.FACTS.head_start_s) if values["llq"] else 0.0
    streams = (
        isr4331.stream("EF", units.mbps(values["ef"])),
        isr4331.stream("default", units.mbps(values["default"]), head_s),
    )
    return (_llq(values) if values["llq"] else isr4331.fifo()), streams


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


def _scenario(values):
    port, streams = described(values)
    return Scenario("a policed priority queue", port, streams, _end_s(streams), seed=SEED)


def solved(values: dict) -> Counted:
    """What the fluid model counts in a run."""
    return _counted(_fluid(values))


def _fluid(values):
    port, streams = described(values)
    return fluid.over_time(port, streams, _end_s(streams))


def simulated(values: dict, progress: Progress | None = None):
    """What the packet model counts in a run, and its record."""
    port, streams = described(values)
    begun, end_s = random_phases(streams, SEED), _end_s(streams)
    result = packets.simulate(port, begun, end_s, seed=SEED, bins=BINS, progress=progress)
    return _counted(result), result


def _end_s(streams):
    """When the last queue has drained."""
    return max(stream.stop_s for stream in streams) + 0.5


def _counted(result):
    run_s = result.duration_s
    return Counted(result.offered_pps * run_s, result.dropped_pps * run_s)


def _published(experiment):
    """The pair that was measured, at the load of EF at which it was."""
    table = measurements.load("isr4331_iperf3").query("experiment == @experiment")
    last = table.groupby(["quantity", "stream"])["value"].last()
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
