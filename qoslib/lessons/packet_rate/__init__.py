"""Lesson 05: an engine that takes the same time for each packet, whatever its size."""

from qoslib.lessons.packet_rate.figures import Row, figure, published_rows
from qoslib.lessons.packet_rate.scenes import pause_scene, scene
from qoslib.lessons.packet_rate.sliders import explorer

__all__ = ["Row", "explorer", "figure", "pause_scene", "published_rows", "scene"]
