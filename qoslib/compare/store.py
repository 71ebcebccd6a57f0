"""The stored scoreboard, ``data/scoreboard.csv``: the rows with a verdict of short runs.

To work a scoreboard out takes minutes on a busy machine, so lessons and the command read this file.
A test compares it with a fresh scoreboard, row by row: what is read there is what models give.
"""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from qoslib import measurements
from qoslib.compare import misfits
from qoslib.compare.rows import Row
from qoslib.compare.scoreboard import Scoreboard, summary_of
from qoslib.platforms import PLATFORMS, platform
from qoslib.record import checked, fail
from qoslib.tolerances import EQUAL

__all__ = ["differences", "stored", "stored_in", "stored_scoreboard", "written"]

#: The columns of the stored scoreboard, and those of them that are numbers.
COLUMNS = [f.name for f in fields(Row) if f.name not in ("status", "reason")]
NUMBERS = ["published", "half_width", "modelled", "low", "high", "error", "tolerance"]
#: How far a number may be from the stored one, as a share of it: its digits, and other machines'.
CLOSE = 1e-4


def stored_in() -> Path:
    """The file that the scoreboard is stored in."""
    return measurements.folder().parent / "scoreboard.csv"


def stored(path: str | os.PathLike[str] | None = None) -> tuple[Row, ...]:
    """Read the scored rows of the stored scoreboard.

    Parameters
    ----------
    path : str or Path, optional
        Another file than the one that comes with the package.

    Returns
    -------
    tuple of Row
        In the order of the file.

    Raises
    ------
    ValueError
        If the path is none.

    Examples
    --------
    >>> row = stored()[0]
    >>> row.platform, row.verdict in ("within", "misfit")
    ('m120', True)
    """
    if not isinstance(path, str | os.PathLike | None):
        fail("path", path, "the path of a file, or None")
    frame = pd.read_csv(path or stored_in(), dtype=str, keep_default_na=False)
    return tuple(_row(cells) for cells in frame.to_dict("records"))


def stored_scoreboard() -> Scoreboard:
    """The stored scoreboard as `score` gives one, without running a model.

    It has the rows with a verdict alone: no predictions, and no reasons of the other rows.

    Returns
    -------
    Scoreboard

    Examples
    --------
    >>> stored_scoreboard().summary["kind"]
    'stored'
    """
    rows = stored()
    summary = summary_of("stored", [platform(name) for name in PLATFORMS], rows)
    return Scoreboard(rows, (), summary, tuple(misfits.failures(rows, misfits.known_misfits())))


def _row(cells: Mapping[Any, Any]) -> Row:
    numbers = {name: float(cells[name]) if cells[name] else None for name in NUMBERS}
    rest = {"misfit": cells["misfit"] or None, "fitted": cells["fitted"] == "True"}
    return Row(**(dict(cells) | numbers | rest), status="ok")


def written(rows: Iterable[Row]) -> str:
    """The scored rows as the text of the file."""
    scored = pd.DataFrame([row for row in rows if row.verdict != "unscored"])
    text: str = scored.reindex(columns=COLUMNS).to_csv(
        index=False, float_format="%.10g", lineterminator="\n"
    )
    return text


def differences(rows: Iterable[Row]) -> list[str]:
    """How a fresh scoreboard differs from the stored one, one line each.

    Parameters
    ----------
    rows : iterable of Row
        Of `score`.

    Returns
    -------
    list of str
        Empty where nothing differs by more than rounding.

    Raises
    ------
    ValueError
        If they are no rows.

    Examples
    --------
    >>> differences(stored())
    []
    """
    given: tuple[Row, ...] = checked(tuple[Row, ...], rows, "rows")
    fresh = {row.title: row for row in given if row.verdict != "unscored"}
    old, name = {row.title: row for row in stored()}, stored_in().name
    found = [f"{title}: not in {name}" for title in fresh if title not in old]
    found += [f"{title}: only in {name}" for title in old if title not in fresh]
    return found + [
        f"{title}: {column}"
        for title, row in fresh.items()
        if title in old
        for column in COLUMNS
        if not _alike(getattr(row, column), getattr(old[title], column))
    ]


def _alike(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=EQUAL)
    return one == other
