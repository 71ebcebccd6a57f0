"""The scoreboard as it was last worked out, in ``data/scoreboard.csv``.

Working it out takes a processor half a minute. A test compares the file with a fresh scoreboard,
row by row, so that what is read here is what the models say.
"""

import csv
import dataclasses
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from qoslib import measurements
from qoslib.compare.rows import Row

__all__ = ["NAME", "differences", "stored", "written"]

NAME = "scoreboard.csv"
FIELDS = tuple(f.name for f in dataclasses.fields(Row) if f.name not in ("status", "reason"))
NUMBERS = {"published", "half_width", "modelled", "low", "high", "error", "tolerance"}
OPTIONAL = NUMBERS | {"misfit"}
#: How far a number may be from the stored one, as a share of it: its digits, and other machines'.
CLOSE = 1e-4
#: What a difference to 0 may be.
DUST = 1e-9


def stored(path: Path | None = None) -> tuple[Row, ...]:
    """Read the scored rows of the scoreboard.

    Parameters
    ----------
    path : Path, optional
        Another file than the one that comes with the package.
    """
    with open(path or _file(), encoding="utf-8", newline="") as text:
        return tuple(_row(cells) for cells in csv.DictReader(text))


def written(rows: Iterable[Row]) -> str:
    """The scored rows as the text of the file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in _scored(rows):
        writer.writerow([_cell(getattr(row, name)) for name in FIELDS])
    return out.getvalue()


def differences(rows: Iterable[Row], kept: Sequence[Row] | None = None) -> list[str]:
    """What a fresh scoreboard says otherwise than the stored one, one line each.

    Parameters
    ----------
    rows : iterable of Row
        Of `score`.
    kept : sequence of Row, optional
        The stored rows; read if not given.
    """
    fresh = {row.title: row for row in _scored(rows)}
    old = {row.title: row for row in (stored() if kept is None else kept)}
    said = [f"{title}: not in {NAME}" for title in fresh if title not in old]
    said += [f"{title}: only in {NAME}" for title in old if title not in fresh]
    both = ((fresh[title], old[title]) for title in fresh if title in old)
    return said + [f"{one.title}: {name}" for one, other in both for name in _unlike(one, other)]


def _file():
    return measurements.folder().parent / NAME


def _scored(rows):
    return [row for row in rows if row.verdict != "unscored"]


def _unlike(one, other):
    return [name for name in FIELDS if not _alike(getattr(one, name), getattr(other, name))]


def _alike(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=DUST)
    return one == other


def _cell(value):
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else value


def _row(cells):
    values: dict = dict(cells)
    for name in OPTIONAL:
        values[name] = values[name] or None
    for name in NUMBERS:
        values[name] = None if values[name] is None else float(values[name])
    return Row(**values | {"fitted": cells["fitted"] == "True", "status": "ok"})
