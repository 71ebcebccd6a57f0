"""Figures: one look per kind of thing, each with a paragraph and a table that say the same.

Only this room knows plotly; `live` hands out the widget that explorers update in place.
"""

from qoslib.plots.change import change
from qoslib.plots.classes import classes
from qoslib.plots.delay_histogram import delay_histogram
from qoslib.plots.figure import CONFIG, Figure, LiveFigure, live, page, refresh
from qoslib.plots.over_load import over_load
from qoslib.plots.over_time import queue_over_time, tcp_over_time
from qoslib.plots.own_measurements import USUAL, overlay

__all__ = [
    "CONFIG",
    "USUAL",
    "Figure",
    "LiveFigure",
    "change",
    "classes",
    "delay_histogram",
    "live",
    "over_load",
    "overlay",
    "page",
    "queue_over_time",
    "refresh",
    "tcp_over_time",
]
