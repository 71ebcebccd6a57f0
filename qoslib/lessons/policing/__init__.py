"""Lesson 02: a policed priority queue."""

from qoslib.lessons.policing.bucket import bucket_over_time
from qoslib.lessons.policing.figures import Counted, figure
from qoslib.lessons.policing.phases import phase_scatter
from qoslib.lessons.policing.sliders import explorer

__all__ = ["Counted", "bucket_over_time", "explorer", "figure", "phase_scatter"]
