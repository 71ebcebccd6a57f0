"""Lesson 01: why a higher-priority queue can have the longer delay."""

from qoslib.lessons.priority_queue.edge import edge_figure, knife_edge
from qoslib.lessons.priority_queue.sliders import explorer

__all__ = ["edge_figure", "explorer", "knife_edge"]
