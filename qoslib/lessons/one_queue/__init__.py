"""Lesson 00: one queue, its delay and its loss."""

from qoslib.lessons.one_queue.figures import Published, figure
from qoslib.lessons.one_queue.sliders import explorer

__all__ = ["Published", "explorer", "figure"]
