"""Lesson 02: a policed priority queue."""

from qoslib.lessons.policing.figures import Counted, bucket_over_time, figure, phase_scatter
from qoslib.lessons.policing.sliders import explorer

__all__ = ["Counted", "bucket_over_time", "explorer", "figure", "phase_scatter"]
