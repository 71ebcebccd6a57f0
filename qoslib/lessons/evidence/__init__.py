"""Lesson 11: how far each model is from each published value."""

from qoslib.lessons.evidence.counted import COUNTS, counted, evidence
from qoslib.lessons.evidence.figures import figure, lanes_of
from qoslib.lessons.evidence.sliders import explorer

__all__ = ["COUNTS", "counted", "evidence", "explorer", "figure", "lanes_of"]
