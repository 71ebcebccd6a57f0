"""Lesson 06: how large a buffer TCP needs."""

from qoslib.lessons.tcp_buffers.figures import Band, figure
from qoslib.lessons.tcp_buffers.scenes import in_small, path_scene, scene
from qoslib.lessons.tcp_buffers.sliders import explorer

__all__ = ["Band", "explorer", "figure", "in_small", "path_scene", "scene"]
