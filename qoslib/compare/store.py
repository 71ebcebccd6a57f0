"""What ``data/`` keeps of the scoreboard: its known misfits, and the rows of short runs.

Rows known to be off are named, sized and explained in ``data/known_misfits.toml``. To work a
scoreboard out takes minutes on a busy machine, so lessons and the command read the rows with a
verdict from ``data/scoreboard.csv``. A test compares them with a fresh scoreboard, row by row: what
is read there is what models give.
"""

import csv
import io
import math
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from qoslib import measurements
from qoslib.compare.rows import Row
from qoslib.record import checked, fail
from qoslib.tolerances import EQUAL

__all__ = [
    "Misfit",
    "differences",
    "failures",
    "known_misfits",
    "misfit_of",
    "stored",
    "stored_in",
    "written",
]

#: Kinds of run of the scoreboard.
RUNS = ("short", "full")


@dataclass(frozen=True)
class Misfit:
    """A known misfit; a row belongs to it if each of its names is among these.

    Attributes
    ----------
    key : str
        What the scoreboard and the lessons call it.
    platform : str
    quantity : str or tuple of str
    experiments, streams, models, assumptions : tuple of str
    band : (float, float)
        Where the error of each row lies, or its whole interval if the model is random.
    why : str
        Why we think so.
    tried : str
        What was tried, and how far it came.
    runs : tuple of str
        The kinds of run it holds in: ``short``, ``full``.
    """

    key: str
    platform: str
    experiments: tuple[str, ...]
    streams: tuple[str, ...]
    quantity: str | Sequence[str]
    models: tuple[str, ...]
    assumptions: tuple[str, ...]
    band: tuple[float, float]
    why: str
    tried: str
    runs: tuple[str, ...] = RUNS

    def names(self, row: Row) -> bool:
        """Whether a row belongs to this misfit."""
        quantities = [self.quantity] if isinstance(self.quantity, str) else self.quantity
        return (
            row.platform == self.platform
            and row.quantity in quantities
            and row.experiment in self.experiments
            and row.stream in self.streams
            and row.model in self.models
            and row.assumptions in self.assumptions
        )

    def holds(self, row: Row) -> bool:
        """Whether the error of a row lies in the band."""
        low, high = self.band
        return all(low - EQUAL <= error <= high + EQUAL for error in row.errors)


def known_misfits(run: str = "short") -> tuple[Misfit, ...]:
    """Read those of ``data/known_misfits.toml`` that hold in a kind of run."""
    with open(measurements.folder().parent / "known_misfits.toml", "rb") as file:
        entries = tomllib.load(file)
    misfits = (_misfit(key, entry) for key, entry in entries.items())
    return tuple(misfit for misfit in misfits if run in misfit.runs)


def _misfit(key: str, entry: dict[str, Any]) -> Misfit:
    known = {each.name: each.default is MISSING for each in fields(Misfit) if each.name != "key"}
    missing = [name for name, needed in known.items() if needed and name not in entry]
    if missing:
        raise ValueError(f"known_misfits.toml, [{key}]: missing: {', '.join(missing)}")
    for name in entry:
        if name not in known:
            fail(f"known_misfits.toml, [{key}]: a key", name, ", ".join(known))
    return Misfit(key=key, **entry)


def misfit_of(row: Row, misfits: Sequence[Misfit]) -> str | None:
    """The key of the misfit that a row belongs to."""
    return next((misfit.key for misfit in misfits if misfit.names(row)), None)


def failures(rows: Sequence[Row], misfits: Sequence[Misfit]) -> list[str]:
    """What is wrong between rows and known misfits, one line each; [] when nothing.

    A row may be off only inside its named band; a named row that is no longer off fails as well,
    so that a name never outlives what it explains.
    """
    unnamed = [
        f"{row.title}: off by {row.error:+.4g}, and no known misfit names it"
        for row in rows
        if row.is_misfit and row.misfit is None
    ]
    return unnamed + [line for misfit in misfits for line in _complaints(misfit, rows)]


def _complaints(misfit: Misfit, rows: Sequence[Row]) -> Iterator[str]:
    mine = [row for row in rows if misfit.names(row)]
    if not mine:
        yield f"{misfit.key}: names no row of the scoreboard"
    for row in mine:
        if not row.is_misfit:
            yield f"{misfit.key}: {row.title} is {row.verdict}, so it is no misfit any more"
        elif not misfit.holds(row):
            low, high = misfit.band
            yield f"{misfit.key}: {row.title} is off by {row.error:+.4g}, not {low:g} to {high:g}"


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
    with open(path or stored_in(), encoding="utf-8", newline="") as file:
        return tuple(map(_row, csv.DictReader(file)))


def _row(cells: Mapping[str, Any]) -> Row:
    numbers = {name: float(cells[name]) if cells[name] else None for name in NUMBERS}
    rest = {"misfit": cells["misfit"] or None, "fitted": cells["fitted"] == "True"}
    return Row(**(dict(cells) | numbers | rest), status="ok")


def written(rows: Iterable[Row]) -> str:
    """The scored rows as the text of the file."""
    made = io.StringIO()
    lines = csv.writer(made, lineterminator="\n")
    lines.writerow(COLUMNS)
    for row in rows:
        if row.verdict != "unscored":
            lines.writerow([_cell(getattr(row, name)) for name in COLUMNS])
    return made.getvalue()


def _cell(value: object) -> object:
    return f"{value:.10g}" if isinstance(value, float) else value


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
