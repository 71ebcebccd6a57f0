"""Lesson 03: a line shared by deficit round robin."""

from qoslib.lessons.round_robin.figures import figure
from qoslib.lessons.round_robin.scenes import described, quanta_scene, scene
from qoslib.lessons.round_robin.sliders import explorer
from qoslib.lessons.round_robin.turns import premium_lost, service_order, updates_delay_ms

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
