"""The scoreboard as it was last worked out, in ``data/scoreboard.csv``.

Working it out takes a processor half a minute. A test compares the file with a fresh scoreboard,
row by row, so that what is read here is what the models give.
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from qoslib import measurements
from qoslib.compare.rows import Row
from qoslib.tolerances import EQUAL

__all__ = ["NAME", "differences", "stored", "written"]

NAME = "scoreboard.csv"
FIELDS = [f.name for f in dataclasses.fields(Row) if f.name not in ("status", "reason")]
NUMBERS = ["published", "half_width", "modelled", "low", "high", "error", "tolerance"]
#: How far a number may be from the stored one, as a share of it: its digits, and other machines'.
CLOSE = 1e-4


def stored(path: Path | None = None) -> tuple[Row, ...]:
    """Read the scored rows of the scoreboard.

    Parameters
    ----------
    path : Path, optional
        Another file than the one that comes with the package.

    Returns
    -------
    tuple of Row
        In the order of the file.

    Examples
    --------
    >>> row = stored()[0]
    >>> row.platform, row.verdict in ("within", "misfit")
    ('m120', True)
    """
    frame = pd.read_csv(
        path or measurements.folder().parent / NAME, dtype=str, keep_default_na=False
    )
    return tuple(_row(cells) for cells in frame.to_dict("records"))


def _row(cells: Mapping[Any, Any]) -> Row:
    numbers = {name: float(cells[name]) if cells[name] else None for name in NUMBERS}
    rest = {"misfit": cells["misfit"] or None, "fitted": cells["fitted"] == "True"}
    return Row(**(dict(cells) | numbers | rest), status="ok")


def written(rows: Iterable[Row]) -> str:
    """The scored rows as the text of the file."""
    frame = pd.DataFrame(_scored(rows)).reindex(columns=FIELDS)
    return frame.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def differences(rows: Iterable[Row], kept: Sequence[Row] | None = None) -> list[str]:
    """How a fresh scoreboard differs from the stored one, one line each.

    Parameters
    ----------
    rows : iterable of Row
        Of `score`.
    kept : sequence of Row, optional
        The stored rows; read if not given.

    Returns
    -------
    list of str
        Empty where nothing differs by more than rounding.

    Examples
    --------
    >>> differences(stored())
    []
    """
    fresh = {row.title: row for row in _scored(rows)}
    old = {row.title: row for row in (stored() if kept is None else kept)}
    found = [f"{title}: not in {NAME}" for title in fresh if title not in old]
    found += [f"{title}: only in {NAME}" for title in old if title not in fresh]
    both = ((fresh[title], old[title]) for title in fresh if title in old)
    return found + [f"{one.title}: {name}" for one, other in both for name in _unlike(one, other)]


def _scored(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.verdict != "unscored"]


def _unlike(one: Row, other: Row) -> list[str]:
    return [name for name in FIELDS if not _alike(getattr(one, name), getattr(other, name))]


def _alike(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=EQUAL)
    return one == other
