"""Lesson 07: TCP from a paced sender."""

from qoslib.lessons.pacing.figures import figure, goodput_over_burst
from qoslib.lessons.pacing.scenes import in_small, scene
from qoslib.lessons.pacing.sliders import explorer

__all__ = ["explorer", "figure", "goodput_over_burst", "in_small", "scene"]
