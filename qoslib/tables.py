"""Small tables of text and of HTML, for records that are shown in one screen."""

import html
import math
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from qoslib import units

__all__ = ["MOST_ROWS", "html_table", "in_unit", "shortened", "text_table"]

#: A longer table is shown without its middle.
MOST_ROWS = 32
#: The longest text of a cell or a title [characters].
MOST_CHARACTERS = 100
#: The units that a person reads a quantity in, by the end of its name.
UNITS_SHOWN = {
    "bps": ("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
    "pps": ("packets/s", "kpackets/s", "Mpackets/s"),
    "s": ("ns", "us", "ms", "s"),
    "bytes": ("B", "kB", "MB", "GB"),
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
    return chosen.replace("us", "µs"), dict(scaled)[chosen]


def number(value: float) -> str:
    """Four digits of a number, or a dash where there is none."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if 1_000 <= abs(value) < 1e7 else f"{value:.4g}"


def shortened(rows: Sequence, most: int = MOST_ROWS) -> tuple[Sequence, Sequence, int]:
    """The first and the last of many rows, and how many lie between them."""
    if len(rows) <= most:
        return rows, (), 0
    return rows[: most - 2], rows[-1:], len(rows) - most + 1


def _brief(text):
    return textwrap.shorten(str(text), MOST_CHARACTERS, placeholder=" ...")


def text_table(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], below: Iterable[str] = ()
) -> str:
    """A title, a line of headings and a line a row; the first column is to the left.

    Examples
    --------
    >>> print(text_table("Two queues", ["queue", "limit"], [["voice", "20"], ["data", "100"]]))
    Two queues
    queue  limit
    voice     20
    data     100
    """
    first, last, left_out = shortened(rows)
    shown = [[_brief(cell) for cell in row] for row in (headings, *first, *last)]
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
    return "\n".join([_brief(title), *lines, *(_brief(line) for line in below)])


def html_table(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], below: Iterable[str] = ()
) -> str:
    """The same as HTML; whatever stands in a cell is text.

    Examples
    --------
    >>> "<td>&lt;b&gt;</td>" in html_table("", ["name"], [["<b>"]])
    True
    """
    first, last, left_out = shortened(rows)
    body = [_row("td", row) for row in first]
    if left_out:
        body.append(f'<tr><td colspan="{len(headings)}">... {left_out} more</td></tr>')
    body += [_row("td", row) for row in last]
    caption = f"<caption>{html.escape(_brief(title))}</caption>" if title else ""
    notes = "".join(f"<p>{html.escape(_brief(line))}</p>" for line in below)
    return (
        f"<table>{caption}<thead>{_row('th', headings)}</thead>"
        f"<tbody>{''.join(body)}</tbody></table>{notes}"
    )


def _row(tag, cells):
    inside = "".join(f"<{tag}>{html.escape(_brief(cell))}</{tag}>" for cell in cells)
    return f"<tr>{inside}</tr>"
