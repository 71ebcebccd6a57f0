"""The explorer of an experiment whose offered loads fill the line to the last packet."""

import numpy as np

from qoslib import fluid, plots, units
from qoslib.explore.controls import slider
from qoslib.explore.explorer import Explorer
from qoslib.platforms import platform as platform_named

__all__ = ["knife_edge"]

#: How far the sweep goes either way [%].
REACH = 0.1


def knife_edge(platform: str = "m120", experiment: str = "scenario1") -> Explorer:
    """One slider that moves all offered rates together by up to 0.1 % either way.

    Drawn are the streams that send nothing when the rates are exactly as printed. Their published
    latencies stand where the generator's own counters, printed for another test, put the rates.

    Parameters
    ----------
    platform, experiment : str
        Names of a platform and of one of its published experiments.
    """
    module = platform_named(platform)
    known = module.experiments()[experiment]
    sent = fluid.solve(known.port, known.streams).sent_pps
    names = [s.name for s, pps in zip(known.streams, sent, strict=True) if pps == 0]
    # The middle is 1 exactly; a rate that is one rounding error lower would not be the edge.
    steps = np.arange(-40, 41)
    ratio = 1 + steps / 40 * units.convert(REACH, "%", "1")
    offered = np.array([stream.rate_bps for stream in known.streams])
    swept = fluid.solve(known.port, known.streams, ratio[:, None] * offered)
    seen = [
        (p.stream, p.value) for p in plots.published(platform, known) if p.quantity == "latency"
    ]
    likely = _generator(module, experiment, known)
    marks = [(name, value, likely) for name, value in seen if name in names]
    moved = slider("All offered loads [± %]", 0.0, -REACH, REACH, 0.0025, digits=4)

    def draw(values):
        now = 1 + units.convert(values["change"], "%", "1")
        return plots.knife_edge(ratio, swept, now, names, marks)

    return Explorer({"change": moved}, [moved], draw)


def _generator(module, experiment, known):
    """What the generator sent over what is printed, in the platform's own words."""
    measured = module.experiments("generator")[experiment]
    return measured.streams[0].rate_bps / known.streams[0].rate_bps
