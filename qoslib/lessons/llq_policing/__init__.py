"""Lesson 02: a policed priority queue."""

from qoslib.lessons.llq_policing.figures import Counted, bucket_over_time, figure, phase_scatter
from qoslib.lessons.llq_policing.scenes import (
    bursts_scene,
    limited,
    policer_scene,
    scene,
    step_scene,
)
from qoslib.lessons.llq_policing.sliders import arrived_mbps, explorer

__all__ = [
    "Counted",
    "arrived_mbps",
    "bucket_over_time",
    "bursts_scene",
    "explorer",
    "figure",
    "limited",
    "phase_scatter",
    "policer_scene",
    "scene",
    "step_scene",
]
