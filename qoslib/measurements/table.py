"""How a table of measurements is read and checked: one row a value, each with its unit.

A file is data, never trusted: whatever is wrong in it becomes one `MeasurementError` that names
file, line and column.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from qoslib.measurements.measured import COLUMNS, INTERVAL, NUMBERS, Measurement
from qoslib.units import UNITS

__all__ = ["MAX_BYTES", "STATISTICS", "MeasurementError", "rows_of", "rows_of_cells", "text_of"]

#: The first line of each published table.
HEADER = ",".join(COLUMNS)
#: The columns that every table has; what the others are where they are not there: see `_filled`.
WANTED = ("stream", "quantity", "value", "unit")
DEFAULTS = {"experiment": "own", "statistic": "unspecified", "low": "", "high": "", "status": "ok"}
DEFAULTS |= {"consistent_value": "", "reason": ""}
#: The statistics that a table may name.
STATISTICS = (
    "average",
    "p50",
    "p95",
    "p99",
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
NOT_NEGATIVE = ("half_width", INTERVAL)
REQUIRED = ("experiment", "quantity", "half_width", "place")
TEXT_AND_VALUE = ("as_printed", "value")  # required too, but an inconsistent text may be no number
CHOICES = {"statistic": STATISTICS, "unit": tuple(UNITS), "status": STATUSES}

#: A larger file is refused unread: to read so much takes a few seconds.
MAX_BYTES = 10_000_000
MAX_TEXT = 2_000  # characters in a field
NUMBER = re.compile(r"[-+]?\d{1,30}(\.\d{1,30})?([eE][-+]?\d{1,3})?", re.ASCII)
LOST = re.compile(r"(sender_)?(drop|loss)(_ratio|_share)?")
#: What spreadsheets write in place of commas.
SEPARATORS = re.compile(r"[;\t|]")
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

    def __init__(self, file: object, problem: str, line: int | None, column: str | None) -> None:
        self.file, self.line, self.column = str(file), line, column
        place = [str(file), f"line {line}" if line else "", f"column {column}" if column else ""]
        super().__init__(f"{', '.join(filter(None, place))}: {problem}")


class Record(NamedTuple):
    """One row as read, and the place to name when something is wrong with it."""

    file: str
    line: int | None
    cells: dict[str, str]

    def error(self, column: str, problem: str) -> MeasurementError:
        return MeasurementError(self.file, problem, self.line, column)


def rows_of(text: str, name: str) -> tuple[Measurement, ...]:
    """The rows of a CSV text, checked.

    >>> (row,) = rows_of("stream,quantity,value,unit\\nvoice,latency,4.5,ms\\n", "mine")
    >>> row.half_width
    0.05
    """
    return tuple(map(_measurement, _records(text, name)))


def rows_of_cells(
    rows: Iterable[tuple[int | None, dict[str, str]]], name: str
) -> tuple[Measurement, ...]:
    """The rows of values that were found in a file of another form, checked by the same rules.

    They have an interval besides.

    >>> cells = {"stream": "voice", "quantity": "latency", "value": "4.5", "unit": "ms"}
    >>> (row,) = rows_of_cells([(7, cells)], "mine")
    >>> row.place
    'line 7'
    """
    found: list[Measurement] = []
    seen: dict[tuple[str, ...], int | None] = {}
    for line, cells in rows:
        record = Record(name, line, {INTERVAL: ""} | _filled(cells, line))
        _check(record)
        _check_key(record, seen)
        found.append(_measurement(record))
    return tuple(found)


def _measurement(record: Record) -> Measurement:
    cells: dict[str, Any] = dict(record.cells)
    for column in NUMBERS:
        if column in cells:
            cells[column] = float(cells[column]) if cells[column] else math.nan
    return Measurement(**cells)


def text_of(raw: bytes | str, name: str) -> str:
    """A text in UTF-8 of at most 10 million bytes.

    >>> text_of("72 \u00b5s".encode(), "mine")
    '72 \u00b5s'
    """
    if not isinstance(raw, bytes | str):
        problem = f"a {type(raw).__name__} was read; allowed: bytes or a text"
        raise MeasurementError(name, problem, None, None)
    if len(raw) > MAX_BYTES:
        raise MeasurementError(name, f"too large; allowed: up to {MAX_BYTES:,} bytes", None, None)
    if isinstance(raw, str):
        return raw.removeprefix("\ufeff")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"byte {raw[error.start]:#04x} is not UTF-8; allowed: text in UTF-8"
        raise MeasurementError(name, problem, line, None) from None


def _lines(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        problem = f"{error}; allowed: fields as in a CSV file"
        raise MeasurementError(name, problem, reader.line_num, None) from None


def _records(text: str, name: str) -> Iterator[Record]:
    lines = _lines(text, name)
    header = _header(name, next(lines, (1, []))[1])
    seen: dict[tuple[str, ...], int | None] = {}
    for line, fields in lines:
        if len(fields) != len(header):
            problem = f"{len(fields)} fields; allowed: {len(header)}, as in the header"
            column = header[len(fields)] if len(fields) < len(header) else None
            raise MeasurementError(name, problem, line, column)
        record = Record(name, line, _filled(dict(zip(header, fields, strict=True)), line))
        _check(record)
        _check_key(record, seen)
        yield record
    if not seen:
        raise MeasurementError(name, "no rows; allowed: one row a value, at least one", 1, None)


def _filled(cells: dict[str, str], line: int | None) -> dict[str, str]:
    """A row with what its table has no column for."""
    value = cells["value"]
    known = NUMBER.fullmatch(value) and math.isfinite(float(value))
    made = {"as_printed": value, "half_width": _rounding(value) if known else "0"}
    made["place"] = f"line {line}"
    return cells | {k: v for k, v in (DEFAULTS | made).items() if k not in cells}


def _rounding(text: str) -> str:
    """Half of the last digit that stands there: a value of 4.20 may be 0.005 off."""
    return str(float(Decimal(5).scaleb(int(Decimal(text).as_tuple().exponent) - 1)))


def _header(name: str, header: list[str]) -> list[str]:
    if len(header) == 1 and (found := SEPARATORS.search(header[0])):
        problem = f"fields are separated by {found[0]!r}; allowed: commas, and a point in 0.5"
        raise MeasurementError(name, problem, 1, None)
    allowed = f"allowed: the columns {','.join(WANTED)}, and {HEADER},{INTERVAL} where wanted"
    for column in dict.fromkeys((*WANTED, *header)):
        known = column in COLUMNS or column == INTERVAL
        if header.count(column) == 1 and known:
            continue
        fault = "there twice" if known else "unknown"
        fault = "missing" if column not in header else fault
        shown = column if known else _short(column)
        raise MeasurementError(name, f"{fault}; {allowed}", 1, shown)
    return header


def _check(record: Record) -> None:
    for column, text in record.cells.items():
        if len(text) > MAX_TEXT:
            raise record.error(column, f"{len(text)} characters; allowed: up to {MAX_TEXT}")
        if not text and _required(record, column):
            raise record.error(column, "empty; allowed: a value")
        if column in CHOICES and text not in CHOICES[column]:
            allowed = ", ".join(CHOICES[column])
            raise record.error(column, f"unknown {_short(text)}; allowed: {allowed}")
        if column in NUMBERS and text:
            _check_number(record, column, text)
    _check_names(record)
    _check_share(record)
    _check_range(record)
    _check_status(record)


def _required(record: Record, column: str) -> bool:
    return column in REQUIRED or (
        column in TEXT_AND_VALUE and record.cells["status"] != "inconsistent"
    )


def _check_number(record: Record, column: str, text: str) -> None:
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        problem = f"{_short(text)} is not a number; allowed: a finite number like 0.5 or 2e-6"
        raise record.error(column, problem)
    if column in NOT_NEGATIVE and float(text) < 0:
        raise record.error(column, f"{text} is negative; allowed: 0 or more")


def _check_names(record: Record) -> None:
    for column in ("experiment", "quantity"):
        text = record.cells[column]
        if not NAME.fullmatch(text):
            allowed = "letters, digits and _, a letter first"
            raise record.error(column, f"{_short(text)} is not a name; allowed: {allowed}")


def _check_share(record: Record) -> None:
    """What is lost of all that was offered is neither negative nor more than that."""
    unit, quantity = record.cells["unit"], record.cells["quantity"]
    value = record.cells["value"]
    if not value or UNITS[unit][0] != "ratio" or not LOST.fullmatch(quantity):
        return
    whole = 1 / UNITS[unit][1]
    if not 0 <= float(value) <= whole:
        allowed = f"0 to {whole:g}{'' if unit == '1' else f' {unit}'}"
        raise record.error("value", f"{quantity} of {value}; allowed: {allowed}")


def _check_range(record: Record) -> None:
    low, high, value = (record.cells[column] for column in ("low", "high", "value"))
    if not low and not high:
        return
    if not (low and high and value and float(low) <= float(value) <= float(high)):
        problem = f"range {low!r} to {high!r} with value {value}; allowed: low <= value <= high"
        raise record.error("low", f"{problem}, or neither")


def _check_status(record: Record) -> None:
    flagged = record.cells["status"] == "inconsistent"
    for column in ("consistent_value", "reason"):
        if bool(record.cells[column]) != flagged:
            allowed = f"a {column} if and only if the status is inconsistent"
            fault = "missing" if flagged else "not empty though the status is ok"
            raise record.error(column, f"{fault}; allowed: {allowed}")


def _check_key(record: Record, seen: dict[tuple[str, ...], int | None]) -> None:
    key = tuple(record.cells[column] for column in KEY)
    if key in seen:
        problem = f"the same {', '.join(KEY)} as line {seen[key]}; allowed: each once"
        raise record.error("place", problem)
    seen[key] = record.line


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
