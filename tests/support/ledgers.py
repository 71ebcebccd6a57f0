"""Ledgers: what must balance in a published table, and which printed values break it.

An identity is a relation that the numbers of a source must satisfy. `complaints` demands that
exactly the rows flagged `inconsistent` break identities: no identity fails on unflagged rows
alone, every identity holds with the consistent values, and each flagged row, printed again
among consistent neighbours, breaks at least one.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from places import ROOT

MEASUREMENTS = ROOT / "data" / "measurements"
SLOP = 1e-9  # relative: room for the floating point of a sum, never for a digit of the print


def number(text):
    return float(text) if text else None


@dataclass(frozen=True, eq=False)
class Row:
    """One published value of one file; two rows are equal only if they are the same row."""

    file: str
    text: Mapping[str, str]

    def __repr__(self):
        names = ("experiment", "stream", "quantity", "statistic", "as_printed", "place")
        return f"{self.file}: {' | '.join(self.text[name] for name in names)}"

    @property
    def flagged(self):
        return self.text["status"] == "inconsistent"

    @property
    def printed(self):
        return number(self.text["value"])

    @property
    def consistent(self):
        return number(self.text["consistent_value" if self.flagged else "value"])

    @property
    def half_width(self):
        return number(self.text["half_width"]) or 0.0


def read(*files):
    """Read the rows of one or more files under data/measurements."""
    rows = []
    for file in files:
        with open(MEASUREMENTS / file, encoding="utf-8", newline="") as lines:
            rows += [Row(file, text) for text in csv.DictReader(lines)]
    return rows


def pick(rows, **columns):
    """Return the rows with these column values; `place` is matched as a part of the text."""
    place = columns.pop("place", "")
    for name, value in columns.items():
        rows = [row for row in rows if row.text[name] == value]
    return [row for row in rows if place in row.text["place"]]


def one(rows, **columns):
    """Return the only row with these column values (see `pick`)."""
    found = pick(rows, **columns)
    assert len(found) == 1, f"{len(found)} rows match {columns}: {found[:3]}"
    return found[0]


@dataclass(frozen=True)
class Identity:
    """A relation between rows: `holds` takes their numbers in the order of `rows`."""

    name: str
    rows: tuple[Row, ...]
    holds: Callable[..., bool]

    def holds_with(self, printed: Iterable[Row] = ()):
        """Evaluate with consistent values, but as printed where the row is in `printed`."""
        values = [row.printed if row in printed else row.consistent for row in self.rows]
        return None not in values and bool(self.holds(*values))


def close(left, right, tolerance=0.0):
    """Whether two numbers agree within a tolerance, floating point aside."""
    return abs(left - right) <= tolerance + SLOP * max(abs(left), abs(right))


def total(name, whole, parts, tolerance=0.0):
    """Identity: the parts add up to the whole within the rounding of all of them."""
    room = tolerance + sum(row.half_width for row in (whole, *parts))
    return Identity(name, (whole, *parts), lambda w, *p: close(w, sum(p), room))


def complaints(rows, identities):
    """Return one line for each way in which flags and identities disagree; [] when none."""
    flagged = {row for row in rows if row.flagged}
    lines = []
    for each in identities:
        if not flagged & set(each.rows) and not each.holds_with():
            lines.append(f"{each.name}: fails, and none of its rows is flagged")
        elif not each.holds_with():
            lines.append(f"{each.name}: fails even with the consistent values")
    for row in flagged:
        if all(each.holds_with(printed={row}) for each in identities if row in each.rows):
            lines.append(f"{row}: flagged, but its printed value breaks no identity")
    return lines
