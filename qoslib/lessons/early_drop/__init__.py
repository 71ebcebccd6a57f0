"""Lesson 04: WRED over time, and what the other queues make of it."""

from qoslib.lessons.early_drop.scenes import profiles_scene, queue_scene, scene
from qoslib.lessons.early_drop.sliders import explorer, ramp

__all__ = ["explorer", "profiles_scene", "queue_scene", "ramp", "scene"]
