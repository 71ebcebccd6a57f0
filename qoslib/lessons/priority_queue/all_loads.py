"""The explorer of an experiment whose offered loads fill the line to the last packet."""

import numpy as np

from qoslib import fluid, sweep, units
from qoslib.compare import published_points
from qoslib.explore.controls import slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.redraw import silent
from qoslib.lessons.priority_queue.figures import edge_figure
from qoslib.packets.phases import random_phases
from qoslib.platforms import platform as platform_named
from qoslib.record import checked, fail

__all__ = ["knife_edge"]

#: Where the packet model is run [%]: a run takes longer than a slider may.
SIMULATED = (-0.1, -0.06, -0.03, -0.01, 0.0, 0.05)
SEED = 1
#: How far the sweep goes either way [%].
REACH = 0.1


def knife_edge(platform: str = "m120", experiment: str = "scenario1") -> Explorer:
    """One slider that moves all offered rates together by up to 0.1 % either way.

    Drawn are the streams that send nothing when the rates are exactly as published: as lines by the
    fluid model, and as dots, at a few rates, by the packet model. Their published delays stand
    where the router's counters of another test would put the rates; nobody knows the true ones.

    Parameters
    ----------
    platform, experiment : str
        Names of a platform and of one of its published experiments.
    """
    module = platform_named(platform)
    if checked(str, experiment, "experiment") not in module.experiments():
        fail("experiment", experiment, ", ".join(module.experiments()))
    known = module.experiments()[experiment]
    sent = fluid.solve(known.port, known.streams).sent_pps
    names = [s.name for s, pps in zip(known.streams, sent, strict=True) if pps == 0]
    # The middle is 1 exactly; a rate that is one rounding error lower would not be the edge.
    steps = np.arange(-40, 41)
    ratio = 1 + steps / 40 * units.convert(REACH, "%", "1")
    offered = np.array([stream.rate_bps for stream in known.streams])
    swept = fluid.solve(known.port, known.streams, ratio[:, None] * offered)
    seen = [
        (point.stream, point.value)
        for point in published_points(platform, known)
        if point.quantity == "latency"
    ]
    likely = _generator(module, experiment, known)
    marks = [(name, value, likely) for name, value in seen if name in names]
    simulated = _simulated(known)
    moved = slider("All offered loads [± %]", 0.0, -REACH, REACH, 0.0025, digits=4)

    def draw(values, _):
        now = 1 + units.convert(values["change"], "%", "1")
        return edge_figure(ratio, swept, now, names, marks, simulated)

    def scenarios(values):
        now = 1 + units.convert(values["change"], "%", "1")
        streams = tuple(each.replace(rate_bps=each.rate_bps * now) for each in known.streams)
        return [known.scenario.replace(streams=streams)]

    call = Call("priority_queue", f"{platform!r}, {experiment!r}", scenarios, function="knife_edge")
    return Explorer({"change": moved}, draw, call=call)


def _simulated(known):
    """Some ratios, and what the packet model says at them."""
    ratio = 1 + units.convert(np.array(SIMULATED), "%", "1")
    streams = random_phases(known.streams, SEED)
    scenarios = [
        known.scenario.replace(
            streams=[each.replace(rate_bps=part * each.rate_bps) for each in streams], seed=SEED
        )
        for part in ratio
    ]
    return ratio, sweep(scenarios, bins=1, progress=silent)


def _generator(module, experiment, known):
    """What the generator sent over what is published, in the platform's own words."""
    measured = module.experiments("generator")[experiment]
    return measured.streams[0].rate_bps / known.streams[0].rate_bps
