"""Measured values as plain records, which need no pandas, and as a table of pandas."""

import math
import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from qoslib.record import fail
from qoslib.tables import Table, Tabular, number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "INTERVAL", "NUMBERS", "Measurement", "Measurements", "is_frame"]


class Measurement(NamedTuple):
    """One value, with the columns of a table of measurements.

    Numbers that are not known are NaN, and texts empty. `interval_s` is None in a table without
    that column.
    """

    experiment: str
    stream: str
    quantity: str
    statistic: str
    as_printed: str
    value: float
    unit: str
    half_width: float
    low: float
    high: float
    place: str
    status: str
    consistent_value: float
    reason: str
    interval_s: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


#: What a table of readings has besides: the time that each was taken over [s].
INTERVAL = "interval_s"
#: The columns of a table, in order.
COLUMNS = tuple(name for name in Measurement._fields if name != INTERVAL)
#: Those that hold numbers.
NUMBERS = ("value", "half_width", "low", "high", "consistent_value", INTERVAL)


@dataclass(frozen=True, repr=False)
class Measurements(Tabular):
    """Measured values, and what is known of where they come from.

    Attributes
    ----------
    rows : tuple of Measurement
    source : mapping of str to object
        The passport; of a table of one's own its name.
    experiments : mapping of str to str
        Experiment to what an output of a device calls it, say an interface and a direction.
    notes : tuple of str
        What a reader of such an output says about it.
    """

    rows: tuple[Measurement, ...]
    source: Mapping[str, Any] = field(default_factory=dict)
    experiments: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self.rows)

    @cached_property
    def units(self) -> dict[str, list[str]]:
        """The units of each quantity."""
        found: dict[str, list[str]] = {}
        for quantity, unit in dict.fromkeys((row.quantity, row.unit) for row in self.rows):
            found.setdefault(quantity, []).append(unit)
        return found

    def to_frame(self) -> "pd.DataFrame":
        """The table as pandas has it; this loads pandas.

        Returns
        -------
        DataFrame
            One row a value, with all of `COLUMNS`. ``attrs`` has the source, the units of each
            quantity, the experiments and the notes.

        Examples
        --------
        >>> from qoslib import measurements
        >>> measurements.rows("m120_latency").to_frame()["unit"].unique().tolist()
        ['ms', 'us']
        """
        import pandas as pd

        timed = any(row.interval_s is not None for row in self.rows)
        columns: dict[str, pd.Series] = {}
        for name in (*COLUMNS, *([INTERVAL] if timed else [])):
            cells = [getattr(row, name) for row in self.rows]
            columns[name] = pd.Series(cells, dtype="float64" if name in NUMBERS else "string")
        frame = pd.DataFrame(columns)
        frame.attrs = {"source": deepcopy(dict(self.source)), "units": deepcopy(self.units)}
        frame.attrs |= {"experiments": dict(self.experiments), "notes": self.notes}
        return frame

    @classmethod
    def of(cls, table: object, where: str) -> "Measurements":
        """Take a table as it is, or as plain records.

        Parameters
        ----------
        table : Measurements or DataFrame
            A DataFrame has the columns that `to_frame` gives.
        where : str
            Its name, for an error.

        Returns
        -------
        Measurements

        Raises
        ------
        ValueError
            If it is of another kind, or a column is missing.

        Examples
        --------
        >>> from qoslib import measurements
        >>> table = measurements.load("m120_latency").query("stream == 'CS1'")
        >>> [row.value for row in Measurements.of(table, "table") if row.statistic == "up_to"]
        [84.0]
        """
        if isinstance(table, cls):
            return table
        if not is_frame(table):
            fail(where, table, "a DataFrame or Measurements")
        columns = list(table.columns)
        if not set(COLUMNS) <= set(columns):
            fail(f"the columns of {where}", columns, "what measurements.load gives", verb="are")
        known = [*COLUMNS, *([INTERVAL] if INTERVAL in columns else [])]
        plain = table[known]
        # pandas copies the attributes at each look at a column, which takes longer than all else.
        plain.attrs = {}
        plain = plain.astype({name: "float64" for name in NUMBERS if name in known})
        rows = starmap(Measurement, plain.itertuples(index=False, name=None))
        said = {name: table.attrs.get(name, {}) for name in ("source", "experiments")}
        return cls(tuple(rows), **said, notes=tuple(table.attrs.get("notes", ())))

    def __repr__(self) -> str:
        return str(self)

    def _tables(self) -> Iterator[Table]:
        headings = ["experiment", "stream", "quantity", "statistic", "value", "unit"]
        rows = [
            [number(cell) if isinstance(cell, float) else cell for cell in cells]
            for row in self.rows
            for cells in [[getattr(row, name) for name in headings]]
        ]
        yield Table(str(self.source.get("title", "Measurements")), headings, rows, self.notes)


def is_frame(table: object) -> "TypeGuard[pd.DataFrame]":
    """Whether it is a DataFrame; whoever has one has loaded pandas.

    >>> is_frame([])
    False
    """
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)
