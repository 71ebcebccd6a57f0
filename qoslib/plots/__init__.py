"""Figures: one style per kind of value, each with a paragraph and a table of the same content.

Figures are plain records. Only this room knows plotly, and loads it where a widget or a picture is
made: `live` hands out the widget that explorers update in place.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qoslib.plots.change import change
from qoslib.plots.classes import classes
from qoslib.plots.delay_histogram import delay_histogram
from qoslib.plots.figure import CONFIG, Figure, page
from qoslib.plots.over_load import over_load
from qoslib.plots.over_time import queue_over_time, tcp_over_time
from qoslib.plots.own_measurements import USUAL, overlay

if TYPE_CHECKING:
    from qoslib.plots.live_figure import LiveFigure, live, refresh

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

#: What loads plotly and the widgets of a notebook.
_WIDGETS = ("LiveFigure", "live", "refresh")


def __getattr__(name: str) -> Any:
    if name in _WIDGETS:
        return getattr(import_module("qoslib.plots.live_figure"), name)
    raise AttributeError(f"module 'qoslib.plots' has no attribute {name!r}")
