"""Published measurements as tables: one row a value, each with unit, place and source.

`load` reads a published table by name, or a file of your own in the same form; `catalogue`
lists what is published; `sources` tells where it comes from. A file is data, never trusted:
whatever is wrong in it becomes one `MeasurementError` that names file, line and column.
"""

import csv
import io
import math
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from qoslib.units import UNITS

__all__ = ["COLUMNS", "STATISTICS", "MeasurementError", "catalogue", "folder", "load", "sources"]

#: The columns of a table, in order; the first line of each file.
HEADER = (
    "experiment,stream,quantity,statistic,as_printed,value,unit,half_width,"
    "low,high,place,status,consistent_value,reason"
)
COLUMNS = tuple(HEADER.split(","))
STATISTICS = (
    "average",
    "maximum",
    "minimum",
    "total",
    "up_to",
    "approximate",
    "unspecified",
    "configured",
    "range",
)
STATUSES = ("ok", "inconsistent")
KEY = ("experiment", "stream", "quantity", "statistic", "unit", "place")
NUMBERS = ("value", "half_width", "low", "high", "consistent_value")
REQUIRED = ("experiment", "quantity", "half_width", "place")
PRINTED = ("as_printed", "value")  # required too, but an inconsistent print may be no number
CHOICES = {"statistic": STATISTICS, "unit": tuple(UNITS), "status": STATUSES}

#: A larger file is refused unread: to read so much takes a few seconds.
MAX_BYTES = 10_000_000
MAX_TEXT = 2_000  # characters in a field
NUMBER = re.compile(r"[-+]?\d{1,30}(\.\d{1,30})?([eE][-+]?\d{1,3})?", re.ASCII)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


class MeasurementError(ValueError):
    """A table that cannot be read; the message names file, line, column and what is allowed.

    Attributes
    ----------
    file : str
        The file, or the name that was asked for.
    line : int or None
        Line in the file, from 1; None when the file as a whole is meant.
    column : str or None
        The column; None for a whole line.
    """

    def __init__(self, file: object, problem: str, line: int | None, column: str | None):
        self.file, self.line, self.column = str(file), line, column
        place = [str(file), f"line {line}" if line else "", f"column {column}" if column else ""]
        super().__init__(f"{', '.join(filter(None, place))}: {problem}")


class Record(NamedTuple):
    """One row as read, and the place to name when something is wrong with it."""

    file: Path
    line: int
    cells: dict[str, str]

    def error(self, column, problem):
        return MeasurementError(self.file, problem, self.line, column)


def load(table: str | Path) -> pd.DataFrame:
    """Read a published table by name, or a file of your own by path.

    Parameters
    ----------
    table : str or Path
        A name from `catalogue`, like ``"m120_latency"``, or the path of a CSV file with the
        columns `COLUMNS`, in UTF-8, of at most 10 million bytes.

    Returns
    -------
    DataFrame
        One row a value. ``attrs["source"]`` is the passport (title, publisher, date, ...; for a
        file of your own only its name), ``attrs["units"]`` the units of each quantity.

    Raises
    ------
    MeasurementError
        If there is no such table, or the first thing that is wrong in the file.

    Examples
    --------
    >>> load("m120_latency").attrs["source"]["publisher"]
    'Juniper Networks'
    """
    path = _find(table)
    frame = _frame(list(_records(path)))
    published = sources() if path.parent == folder() else {}
    frame.attrs["source"] = published.get(path.name, {"file": path.name, "title": path.stem})
    units = frame.groupby("quantity", sort=False)["unit"].unique()
    frame.attrs["units"] = {quantity: list(names) for quantity, names in units.items()}
    return frame


def catalogue() -> pd.DataFrame:
    """List the published tables: name, source, title, rows and quantities of each.

    Examples
    --------
    >>> "m120_latency" in set(catalogue()["name"])
    True
    """
    return pd.DataFrame([_entry(path) for path in sorted(folder().glob("*.csv"))])


def sources() -> dict[str, dict[str, Any]]:
    """Return the passport of each published file, by file name.

    A passport joins what is known of the file (places, transcription, rows, SHA-256, notes) with
    what is known of the document it was taken from (title, publisher, date, licence).
    """
    with open(folder().parent / "sources.toml", "rb") as text:
        passports = tomllib.load(text)
    files = passports["files"].items()
    return {name: {"file": name, **passports["sources"][f["source"]], **f} for name, f in files}


def folder() -> Path:
    """The tables: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    inside = here / "data"
    return (inside if inside.is_dir() else here.parent / "data") / "measurements"


def _entry(path: Path) -> dict[str, Any]:
    frame = load(path)
    source = frame.attrs["source"]
    return {
        "name": path.stem,
        "source": source.get("source", ""),
        "title": source["title"],
        "publisher": source.get("publisher", ""),
        "date": str(source.get("date", "")),
        "rows": len(frame),
        "quantities": ", ".join(sorted(frame["quantity"].unique())),
    }


def _find(table: str | Path) -> Path:
    published = {path.stem: path for path in folder().glob("*.csv")}
    if isinstance(table, str) and table in published:
        return published[table]
    if not (isinstance(table, str | os.PathLike) and _is_file(Path(table))):
        problem = f"no such table; allowed: a CSV file or {', '.join(sorted(published))}"
        raise MeasurementError(_brief(table), problem, None, None)
    return Path(table)


def _is_file(path):
    """Whether there is such a file; a name may be too long for the system, or none at all."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _brief(table):
    """What was asked for, cut where it is no name that a person wrote."""
    if not isinstance(table, str | os.PathLike):
        return f"a {type(table).__name__}"
    text = str(table)
    return text if len(text) <= 200 else f"{text[:100]} ... {text[-80:]}"


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        problem = f"not readable ({error.strerror}); allowed: a file that you may read"
        raise MeasurementError(path, problem, None, None) from None
    if len(raw) > MAX_BYTES:
        raise MeasurementError(path, f"too large; allowed: up to {MAX_BYTES:,} bytes", None, None)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"byte {raw[error.start]:#04x} is not UTF-8; allowed: text in UTF-8"
        raise MeasurementError(path, problem, line, None) from None


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        problem = f"{error}; allowed: fields as in a CSV file"
        raise MeasurementError(path, problem, reader.line_num, None) from None


def _records(path: Path) -> Iterator[Record]:
    lines = _lines(path)
    header = _header(path, next(lines, (1, []))[1])
    seen: dict[tuple[str, ...], int] = {}
    for line, fields in lines:
        if len(fields) != len(header):
            problem = f"{len(fields)} fields; allowed: {len(header)}, as in the header"
            column = header[len(fields)] if len(fields) < len(header) else None
            raise MeasurementError(path, problem, line, column)
        record = Record(path, line, dict(zip(header, fields, strict=True)))
        _check(record)
        _check_key(record, seen)
        yield record
    if not seen:
        raise MeasurementError(path, "no rows; allowed: one row a value, at least one", 1, None)


def _header(path, header):
    for column in COLUMNS:
        if header.count(column) != 1:
            fault = "missing" if column not in header else "there twice"
            problem = f"{fault}; allowed: the columns {HEADER}"
            raise MeasurementError(path, problem, 1, column)
    for column in [name for name in header if name not in COLUMNS]:
        problem = f"unknown; allowed: the columns {HEADER}"
        raise MeasurementError(path, problem, 1, _short(column))
    return header


def _check(record):
    for column, text in record.cells.items():
        if len(text) > MAX_TEXT:
            raise record.error(column, f"{len(text)} characters; allowed: up to {MAX_TEXT}")
        if not text and _required(record, column):
            raise record.error(column, "empty; allowed: anything but that")
        if column in CHOICES and text not in CHOICES[column]:
            allowed = ", ".join(CHOICES[column])
            raise record.error(column, f"unknown {_short(text)}; allowed: {allowed}")
        if column in NUMBERS and text:
            _check_number(record, column, text)
    _check_names(record)
    _check_range(record)
    _check_status(record)


def _required(record, column):
    return column in REQUIRED or (column in PRINTED and record.cells["status"] != "inconsistent")


def _check_number(record, column, text):
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        problem = f"{_short(text)} is not a number; allowed: a finite number like 0.5 or 2e-6"
        raise record.error(column, problem)
    if column == "half_width" and float(text) < 0:
        raise record.error(column, f"{text} is negative; allowed: 0 or more")


def _check_names(record):
    for column in ("experiment", "quantity"):
        text = record.cells[column]
        if not NAME.fullmatch(text):
            allowed = "letters, digits and _, a letter first"
            raise record.error(column, f"{_short(text)} is not a name; allowed: {allowed}")


def _check_range(record):
    low, high, value = (record.cells[column] for column in ("low", "high", "value"))
    if not low and not high:
        return
    if not (low and high and value and float(low) <= float(value) <= float(high)):
        problem = f"range {low!r} to {high!r} with value {value}; allowed: low <= value <= high"
        raise record.error("low", f"{problem}, or neither")


def _check_status(record):
    flagged = record.cells["status"] == "inconsistent"
    for column in ("consistent_value", "reason"):
        if bool(record.cells[column]) != flagged:
            allowed = f"a {column} if and only if the status is inconsistent"
            fault = "missing" if flagged else "not empty though the status is ok"
            raise record.error(column, f"{fault}; allowed: {allowed}")


def _check_key(record, seen):
    key = tuple(record.cells[column] for column in KEY)
    if key in seen:
        problem = f"the same {', '.join(KEY)} as line {seen[key]}; allowed: each once"
        raise record.error("place", problem)
    seen[key] = record.line


def _short(text):
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _frame(records):
    columns = {}
    for name in COLUMNS:
        cells = [record.cells[name] for record in records]
        if name in NUMBERS:
            numbers = [float(cell) if cell else math.nan for cell in cells]
            columns[name] = pd.Series(numbers, dtype="float64")
        else:
            columns[name] = pd.Series(cells, dtype="string")
    return pd.DataFrame(columns)
