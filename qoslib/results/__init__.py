"""The result of a run: one record, whichever model made it.

A `Result` prints in one screen, shows as a table in a notebook, knows why a value is missing, and
becomes a pandas table (`to_frame`), an xarray dataset (`to_xarray`) or JSON (`to_json`).
"""

from qoslib.results.interval import Interval
from qoslib.results.parts import (
    Counts,
    Events,
    FlowEvents,
    FlowRecord,
    Heard,
    Histogram,
    History,
    PacketTrace,
)
from qoslib.results.result import QUANTITIES, Result
from qoslib.results.stream import StreamResult

__all__ = [
    "QUANTITIES",
    "Counts",
    "Events",
    "FlowEvents",
    "FlowRecord",
    "Heard",
    "Histogram",
    "History",
    "Interval",
    "PacketTrace",
    "Result",
    "StreamResult",
]
