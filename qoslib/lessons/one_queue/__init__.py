"""Lesson 00: one queue, its delay and its loss."""

from qoslib.lessons.one_queue.figures import Published, figure, in_thirds
from qoslib.lessons.one_queue.scenes import bursts, overload, scene, spacing_scene
from qoslib.lessons.one_queue.sliders import explorer

__all__ = [
    "Published",
    "bursts",
    "explorer",
    "figure",
    "in_thirds",
    "overload",
    "scene",
    "spacing_scene",
]
