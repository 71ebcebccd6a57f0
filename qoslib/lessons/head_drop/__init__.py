"""Lesson 01: why a higher-priority queue can have the longer delay."""

from qoslib.lessons.head_drop.edge import edge_figure, knife_edge
from qoslib.lessons.head_drop.scenes import ends_scene, scene
from qoslib.lessons.head_drop.sliders import explorer

__all__ = ["edge_figure", "ends_scene", "explorer", "knife_edge", "scene"]
