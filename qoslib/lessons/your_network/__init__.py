"""Lesson 13: a configuration of the reader's own, its counters, and one change."""

from qoslib.lessons.your_network.branch import (
    FACTS,
    compared,
    configuration,
    counters,
    larger,
    listed,
    losses,
    probe,
    router,
    table,
    traffic,
    way,
)
from qoslib.lessons.your_network.scenes import scene
from qoslib.lessons.your_network.shared_memory import shared_memory
from qoslib.lessons.your_network.sliders import explorer

__all__ = [
    "FACTS",
    "compared",
    "configuration",
    "counters",
    "explorer",
    "larger",
    "listed",
    "losses",
    "probe",
    "router",
    "scene",
    "shared_memory",
    "table",
    "traffic",
    "way",
]
