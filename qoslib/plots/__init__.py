"""Figures: one look per kind of thing, each with a paragraph and a table that say the same.

Only this room knows plotly; `live` hands out the widget that explorers update in place.
"""

from qoslib.plots.classes import classes
from qoslib.plots.figure import CONFIG, Figure, LiveFigure, live, page, refresh
from qoslib.plots.latency_histogram import latency_histogram
from qoslib.plots.loss_over_load import loss_over_load
from qoslib.plots.over_load import latency_over_load
from qoslib.plots.over_time import queue_over_time
from qoslib.plots.tcp_over_time import tcp_over_time

__all__ = [
    "CONFIG",
    "Figure",
    "LiveFigure",
    "classes",
    "latency_histogram",
    "latency_over_load",
    "live",
    "loss_over_load",
    "page",
    "queue_over_time",
    "refresh",
    "tcp_over_time",
]
