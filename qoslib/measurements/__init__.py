"""Published measurements as tables: one row per value, each with unit, place and source.

`load` reads a published table by name, or one of your own from a file, a buffer or a DataFrame;
`rows` gives the same as plain records, which need no pandas; `catalogue` lists what is published;
`sources` tells where it comes from.
"""

from qoslib.measurements.measured import COLUMNS, Measurement, Measurements
from qoslib.measurements.published import catalogue, folder, load, rows, sources
from qoslib.measurements.table import STATISTICS, MeasurementError

__all__ = [
    "COLUMNS",
    "STATISTICS",
    "Measurement",
    "MeasurementError",
    "Measurements",
    "catalogue",
    "folder",
    "load",
    "rows",
    "sources",
]
