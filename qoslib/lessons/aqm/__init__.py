"""Lesson 08: droppers under constant streams and under TCP."""

from qoslib.lessons.aqm.figures import both_loads, codel_over_time, figure, ramps
from qoslib.lessons.aqm.outcomes import fault, jain_index, outcomes
from qoslib.lessons.aqm.scenes import scene
from qoslib.lessons.aqm.sliders import explorer

__all__ = [
    "both_loads",
    "codel_over_time",
    "explorer",
    "fault",
    "figure",
    "jain_index",
    "outcomes",
    "ramps",
    "scene",
]
