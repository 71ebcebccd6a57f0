"""Lesson 07: TCP from a paced sender."""

from qoslib.lessons.paced_sender.figures import figure, goodput_over_burst
from qoslib.lessons.paced_sender.scenes import in_small, scene
from qoslib.lessons.paced_sender.sliders import explorer

__all__ = ["explorer", "figure", "goodput_over_burst", "in_small", "scene"]
