"""Your own files: a scenario as JSON, measurements as CSV, counters as a device wrote them.

They are read whole or not at all.
"""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qoslib import compare, measurements, telemetry
from qoslib.measurements import Measurements
from qoslib.results import Result
from qoslib.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_BYTES", "MOST_ROWS", "Loaded"]

#: The largest file that a page may hand over [B], the longest table, the streams of a figure.
MOST_BYTES, MOST_ROWS, MOST_STREAMS = 1_000_000, 2_000, 200


class Loaded:
    """What was given by code or loaded from a file; a bad file changes nothing."""

    def __init__(
        self,
        scenario: Scenario | None = None,
        measured: "Measurements | pd.DataFrame | None" = None,
    ) -> None:
        self._first = scenario, None if measured is None else Measurements.of(measured, "measured")
        self.scenario, self.measured = self._first

    def take(self, name: str, raw: bytes) -> str:
        """Read a scenario, measurements or counters, and say what the file holds."""
        if len(raw) > MOST_BYTES:
            raise ValueError(f"{name} has {len(raw):,} bytes; allowed: up to {MOST_BYTES:,}")
        ending = Path(name.lower()).suffix
        # A scenario names the schema of its document.
        saved = ending == ".json" and b'"schema"' in raw
        kind = "" if ending == ".csv" or saved else _kind(name, raw)
        if ending not in (".csv", ".json") and not kind:
            raise ValueError(
                f"{name} is neither JSON nor CSV; allowed: a scenario in a file named .json,"
                " measurements in a file named .csv, or the output of"
                f" {', '.join(telemetry.KINDS)}"
            )
        if ending == ".csv" or kind:
            read = telemetry.rows if kind else measurements.rows
            self.measured = _table(read, name, raw)
            values = _many(len(self.measured), "value")
            return f"{name}: {values} {f'of {kind} ' if kind else ''}compared with the models."
        scenario = _scenario(name, raw)
        if len(scenario.streams) > MOST_STREAMS:
            number = f"{len(scenario.streams):,} streams"
            raise ValueError(f"{name} has {number}; allowed: up to {MOST_STREAMS}, to be drawn")
        self.scenario = scenario
        return f"{name}: {scenario.name!r} with {_many(len(scenario.streams), 'stream')}."

    def kept(self) -> tuple[Scenario | None, Measurements | None]:
        """What is there now."""
        return self.scenario, self.measured

    def back_to(self, before: tuple[Scenario | None, Measurements | None]) -> None:
        """As it was, for a file that is right in itself and that no figure shows."""
        self.scenario, self.measured = before

    def forget(self) -> None:
        """Back to what was given at first."""
        self.scenario, self.measured = self._first

    def unknown(self, scenario: Scenario) -> str:
        """Which class of the measurements the scenario does not have; mostly empty."""
        if self.measured is None:
            return ""
        names = dict.fromkeys(row.stream for row in self.measured)
        first = next((name for name in names if compare.unknown_class(name, scenario)), "")
        return f" {compare.unknown_class(first, scenario)}." if first else ""

    def overlay(self, scenario: Scenario, results: Sequence[Result]) -> compare.Overlay:
        """The measurements next to results; without any, the results alone."""
        if self.measured is None:
            return compare.Overlay(scenario, results=tuple(results))
        return compare.overlay(scenario, self.measured, results)


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _scenario(name: str, raw: bytes) -> Scenario:
    try:
        return Scenario.from_json(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not UTF-8; allowed: a scenario as JSON, or CSV") from None
    except ValueError as error:
        raise ValueError(f"{name} is not a scenario: {error}") from None


def _named(name: str, raw: bytes) -> io.BytesIO:
    """A file with a name, for messages."""
    file = io.BytesIO(raw)
    file.name = name
    return file


def _kind(name: str, raw: bytes) -> str:
    """The kind of output that this is; nothing where it is none, or no text."""
    try:
        return telemetry.kind_of(_named(name, raw))
    except measurements.MeasurementError:
        return ""


def _table(read: Callable[[io.BytesIO], Measurements], name: str, raw: bytes) -> Measurements:
    table = read(_named(name, raw))
    if len(table) > MOST_ROWS:
        raise ValueError(f"{name} has {len(table):,} rows; allowed: up to {MOST_ROWS:,}")
    return table
