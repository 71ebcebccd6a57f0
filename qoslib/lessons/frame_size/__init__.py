"""Lesson 05: a router that counts packets, not bits."""

from qoslib.lessons.frame_size.figures import Row, figure, published_rows
from qoslib.lessons.frame_size.sliders import explorer

__all__ = ["Row", "explorer", "figure", "published_rows"]
