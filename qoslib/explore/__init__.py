"""Explorers: controls around a figure that follows them, one function a question."""

from qoslib.explore.buffer_size import buffer_size
from qoslib.explore.explorer import Explorer
from qoslib.explore.frame_size import frame_size
from qoslib.explore.glossary import entries, glossary, words
from qoslib.explore.knife_edge import knife_edge
from qoslib.explore.one_queue import one_queue
from qoslib.explore.pacing import pacing
from qoslib.explore.police import police
from qoslib.explore.priority import priority
from qoslib.explore.same_traffic import same_traffic
from qoslib.explore.scores import scores
from qoslib.explore.share import share
from qoslib.explore.your_port import your_port

__all__ = [
    "Explorer",
    "buffer_size",
    "entries",
    "frame_size",
    "glossary",
    "knife_edge",
    "one_queue",
    "pacing",
    "police",
    "priority",
    "same_traffic",
    "scores",
    "share",
    "words",
    "your_port",
]
