"""Lesson 09: the same traffic at three routers and a plain queue."""

from qoslib.lessons.same_traffic.figures import figure
from qoslib.lessons.same_traffic.scenes import scene
from qoslib.lessons.same_traffic.sliders import explorer

__all__ = ["explorer", "figure", "scene"]
