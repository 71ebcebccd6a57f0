"""Lesson 03: a line shared by deficit round robin."""

from qoslib.lessons.shared_line.figures import figure
from qoslib.lessons.shared_line.sliders import explorer
from qoslib.lessons.shared_line.turns import service_order

__all__ = ["explorer", "figure", "service_order"]
