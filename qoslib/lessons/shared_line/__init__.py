"""Lesson 03: a line shared by deficit round robin."""

from qoslib.lessons.shared_line.figures import figure
from qoslib.lessons.shared_line.scenes import described, quanta_scene, scene
from qoslib.lessons.shared_line.sliders import explorer
from qoslib.lessons.shared_line.turns import service_order
from qoslib.lessons.shared_line.what_if import premium_lost, updates_delay_ms

__all__ = [
    "described",
    "explorer",
    "figure",
    "premium_lost",
    "quanta_scene",
    "scene",
    "service_order",
    "updates_delay_ms",
]
