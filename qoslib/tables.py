"""Small text and HTML tables, for records that are shown on one screen."""

import html
import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from typing import Any, NamedTuple

import numpy as np

from qoslib import units

__all__ = ["Table", "Tabular", "format_quantity", "in_unit", "number", "other_fields", "table_of"]

#: A longer table is shown without its middle.
MOST_ROWS = 32
#: The longest line of text, and the longest text in a cell [characters].
MOST_CHARACTERS = 100
LONGEST_CELL = 52
#: The longest remark below a table [characters].
LONGEST = 500
#: The units that a person reads a quantity in, by the end of its name.
UNITS_SHOWN = {
    "bps": ("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
    "pps": ("packets/s", "kpackets/s", "Mpackets/s"),
    "s": ("ns", "us", "ms", "s"),
    "bytes": ("B", "MB", "GB"),
    "share": ("%",),
}


def in_unit(quantity: str, values: np.ndarray) -> tuple[str, np.ndarray]:
    """Values in the largest unit in which the largest of them is at least 1, and that unit.

    Parameters
    ----------
    quantity : str
        A name that ends in its base unit, like ``sent_bps``.
    values : ndarray
        In that unit.

    Returns
    -------
    str
        The unit as people write it; empty where the name ends in none.
    ndarray
        The values in that unit.

    Examples
    --------
    >>> unit, values = in_unit("delay_mean_s", np.array([0.5e-3, 12e-3]))
    >>> unit, values.round(6).tolist()
    ('ms', [0.5, 12.0])
    """
    names = UNITS_SHOWN.get(quantity.rsplit("_", 1)[-1])
    if names is None:
        return "", values
    kind, _ = units.UNITS[names[0]]
    base = next(name for name, (of, size) in units.UNITS.items() if of == kind and size == 1)
    there = np.abs(values[np.isfinite(values)])
    largest = float(there.max()) if there.size else 0.0
    scaled = [(name, units.convert(values, base, name)) for name in names]
    fits = [name for name in names if units.convert(largest, base, name) >= 1]
    # Nothing but zeros is shown in the middle of the units, which people use most.
    chosen = fits[-1] if fits else names[0] if largest else names[len(names) // 2]
    return units.symbol(chosen), dict(scaled)[chosen]


def number(value: float) -> str:
    """Four digits of a number, or a dash where there is none.

    Parameters
    ----------
    value : float

    Returns
    -------
    str
        The digits, rounded.

    Examples
    --------
    >>> number(0.123456), number(1234.5), number(math.nan)
    ('0.1235', '1234', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if 1_000 <= abs(value) < 1e7 else f"{value:.4g}"


class Table(NamedTuple):
    """What a record shows of itself: texts under headings, and remarks below them."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    below: Iterable[str] = ()

    def __str__(self) -> str:
        """A line a row; the first column is to the left, the others to the right.

        >>> print(Table("Two queues", ["queue", "limit"], [["voice", "20"], ["data", "100"]]))
        Two queues
        queue  limit
        voice     20
        data     100
        """
        first, last, left_out = _shortened(self.rows)
        shown = [
            [_brief(cell, LONGEST_CELL) for cell in row] for row in (self.headings, *first, *last)
        ]
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(width) if at else cell.ljust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in shown
        ]
        if left_out:
            lines.insert(len(lines) - len(last), f"... {left_out} more")
        remarks = (textwrap.fill(_brief(line, LONGEST), MOST_CHARACTERS) for line in self.below)
        return "\n".join([_brief(self.title), *lines, *remarks])

    def html(self) -> str:
        """The same as HTML; whatever stands in a cell is text.

        Returns
        -------
        str
            A table element, and a paragraph for each remark.

        Examples
        --------
        >>> "<td>&lt;b&gt;</td>" in Table("", ["name"], [["<b>"]]).html()
        True
        """
        first, last, left_out = _shortened(self.rows)
        body = [_row("td", row) for row in first]
        if left_out:
            columns = len(self.headings)
            body.append(f'<tr><td colspan="{columns}">... {left_out} more</td></tr>')
        body += [_row("td", row) for row in last]
        caption = f"<caption>{html.escape(_brief(self.title))}</caption>"
        remarks = "".join(f"<p>{html.escape(_brief(line, LONGEST))}</p>" for line in self.below)
        head = f"<thead>{_row('th', self.headings)}</thead>"
        return f"<table>{caption}{head}<tbody>{''.join(body)}</tbody></table>{remarks}"


class Tabular:
    """Base of records that print as tables, and show as such in a notebook."""

    def _tables(self) -> Iterable[Table]:
        """The tables that show the record."""
        return ()

    def __str__(self) -> str:
        return "\n".join(map(str, self._tables()))

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self._tables())


def table_of(title: str, records: Sequence[Any], below: Iterable[str] = ()) -> Table:
    """A row for each of several records of one kind, without what all leave at its default.

    Parameters
    ----------
    title : str
    records : sequence of dataclass instances
        At least one, all of one kind.
    below : iterable of str
        Remarks below the table.

    Returns
    -------
    Table
        A column for each field.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> queues = [Queue("voice", PacketLimit(20)), Queue("data", PacketLimit(100))]
    >>> print(table_of("Port", queues))
    Port
    queue                     limit
    voice   PacketLimit(packets=20)
    data   PacketLimit(packets=100)
    """
    columns: dict[str, list[str]] = {}
    for field in fields(records[0]):
        values = [getattr(record, field.name) for record in records]
        if field.default is MISSING or any(value != field.default for value in values):
            heading, texts = _column(field.name, values)
            columns[type(records[0]).__name__.lower() if heading == "name" else heading] = texts
    return Table(title, list(columns), list(zip(*columns.values(), strict=True)), below)


def _column(name: str, values: Sequence[Any]) -> tuple[str, list[str]]:
    if not all(isinstance(value, int | float | None) for value in values):
        return name, [
            value or "-" if isinstance(value, str | None) else repr(value) for value in values
        ]
    unit, shown = in_unit(name, np.array([math.nan if v is None else v for v in values], float))
    stem = name.rsplit("_", 1)[0] if unit else name
    return f"{stem.replace('_', ' ')} [{unit}]" if unit else name, [number(v) for v in shown]


def other_fields(record: Any, *shown: str) -> list[str]:
    """A line for each field that is not at its default and not shown elsewhere.

    Parameters
    ----------
    record : dataclass instance
    *shown : str
        Names of the fields that are shown elsewhere.

    Returns
    -------
    list of str
        ``name: value`` of each.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> other_fields(Queue("voice", PacketLimit(20), priority=1), "name", "limit")
    ['priority: 1']
    """
    there = ((f, getattr(record, f.name)) for f in fields(record) if f.name not in shown)
    return [f"{f.name}: {value}" for f, value in there if value != f.default]


def format_quantity(quantity: str, value: float) -> str:
    """A number with its unit, as people write it.

    Parameters
    ----------
    quantity : str
        A name that ends in its base unit, like ``rate_bps``.
    value : float
        In that unit.

    Returns
    -------
    str
        The number and the unit.

    Examples
    --------
    >>> format_quantity("rate_bps", 1e8)
    '100 Mbit/s'
    """
    unit, shown = in_unit(quantity, np.array([value]))
    return f"{number(shown[0])} {unit}".rstrip()


def _shortened(
    rows: Sequence[Sequence[str]],
) -> tuple[Sequence[Sequence[str]], Sequence[Sequence[str]], int]:
    """The first and the last of many rows, and how many lie between them."""
    if len(rows) <= MOST_ROWS:
        return rows, (), 0
    return rows[: MOST_ROWS - 2], rows[-1:], len(rows) - MOST_ROWS + 1


def _brief(text: object, most: int = MOST_CHARACTERS) -> str:
    """A text in one line, and its beginning where it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else f"{line[: most - 4]} ..."


def _row(tag: str, cells: Sequence[str]) -> str:
    inside = "".join(f"<{tag}>{html.escape(_brief(cell, LONGEST_CELL))}</{tag}>" for cell in cells)
    return f"<tr>{inside}</tr>"
