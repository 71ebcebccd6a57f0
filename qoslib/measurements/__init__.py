"""Published measurements as tables: one row a value, each with unit, place and source.

`load` reads a published table by name, or one of your own from a file, a buffer or a DataFrame;
`catalogue` lists what is published; `sources` tells where it comes from.
"""

from qoslib.measurements.published import catalogue, folder, load, sources
from qoslib.measurements.table import COLUMNS, STATISTICS, MeasurementError

__all__ = ["COLUMNS", "STATISTICS", "MeasurementError", "catalogue", "folder", "load", "sources"]
