"""Lesson 10: what the text of a configuration promises each class."""

from qoslib.lessons.configuration.readings import (
    classes,
    findings,
    numbers,
    promised,
    same_port,
    sorted_by,
)
from qoslib.lessons.configuration.runs import (
    base_test,
    counters,
    delays,
    first_drop_ms,
    rising,
    shown,
)
from qoslib.lessons.configuration.scenes import explorer, port_of, scene
from qoslib.lessons.configuration.texts import FACTS, M120_FACTS, edge, m120_text, office_text

__all__ = [
    "FACTS",
    "M120_FACTS",
    "base_test",
    "classes",
    "counters",
    "delays",
    "edge",
    "explorer",
    "findings",
    "first_drop_ms",
    "m120_text",
    "numbers",
    "office_text",
    "port_of",
    "promised",
    "rising",
    "same_port",
    "scene",
    "shown",
    "sorted_by",
]
