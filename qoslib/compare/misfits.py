"""Rows known to be off: each named, sized and explained in ``data/known_misfits.toml``."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from qoslib import measurements
from qoslib.compare.rows import Row
from qoslib.record import fail
from qoslib.tolerances import EQUAL

__all__ = ["Misfit", "failures", "known_misfits", "named"]

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


def named(row: Row, misfits: Sequence[Misfit]) -> str | None:
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
