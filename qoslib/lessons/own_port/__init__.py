"""Lesson 13: a configuration of the reader's own, its counters, and one change."""

from qoslib.lessons.own_port.branch import (
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
from qoslib.lessons.own_port.scenes import scene
from qoslib.lessons.own_port.shared_memory import shared_memory
from qoslib.lessons.own_port.sliders import explorer

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
