"""Lesson 06: how large a buffer TCP needs."""

from qoslib.lessons.buffer_size.figures import Band, figure
from qoslib.lessons.buffer_size.scenes import in_small, path_scene, scene
from qoslib.lessons.buffer_size.sliders import explorer

__all__ = ["Band", "explorer", "figure", "in_small", "path_scene", "scene"]
