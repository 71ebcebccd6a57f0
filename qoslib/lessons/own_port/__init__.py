"""Lesson 13: a port of the reader's own."""

from qoslib.explore.upload import Loaded
from qoslib.lessons.own_port.scenes import scene
from qoslib.lessons.own_port.shared_memory import shared_memory
from qoslib.lessons.own_port.sliders import explorer

__all__ = ["Loaded", "explorer", "scene", "shared_memory"]
