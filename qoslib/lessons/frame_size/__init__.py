"""Lesson 05: an engine that takes the same time for each packet, whatever its size."""

from qoslib.lessons.frame_size.figures import Row, figure, published_rows
from qoslib.lessons.frame_size.scenes import pause_scene, scene
from qoslib.lessons.frame_size.sliders import explorer

__all__ = ["Row", "explorer", "figure", "pause_scene", "published_rows", "scene"]
