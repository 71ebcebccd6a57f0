"""One model's part of the scoreboard for one router, short enough to read in a lesson."""

from collections.abc import Iterator, Sequence

import pandas as pd

from qoslib import measurements, units
from qoslib.compare.misfits import known_misfits, named
from qoslib.compare.models import MODELS
from qoslib.compare.rows import Row, row_of
from qoslib.compare.values import published
from qoslib.compare.view import View
from qoslib.platforms import platform as platform_named

__all__ = ["part"]


def part(platform: str, model: str = "fluid", assumptions: str = "base") -> pd.DataFrame:
    """Count the values that a model speaks to: those that it meets, and each known misfit.

    Parameters
    ----------
    platform, model, assumptions : str
        As on the scoreboard.

    Returns
    -------
    DataFrame
        One row for the values within their tolerance, one for each misfit, with its errors.

    Examples
    --------
    >>> part("m120", assumptions="generator").columns.tolist()
    ['values', 'error']
    """
    known = known_misfits(measurements.folder().parent)
    kinds: dict[str, list[Row]] = {"within": []}
    for row in _rows(platform, model, assumptions):
        if row.verdict != "unscored":
            kind = "within" if row.verdict == "within" else named(row, known) or "not explained"
            kinds.setdefault(kind, []).append(row)
    cells = [{"values": len(rows), "error": _errors(rows)} for rows in kinds.values()]
    return pd.DataFrame(cells, index=pd.Index(kinds, name=f"{platform}, {model} model"))


def _rows(platform, model, assumptions) -> Iterator[Row]:
    described, data = platform_named(platform), published()
    for experiment in described.experiments(assumptions).values():
        results = MODELS[model](experiment)
        views = [View(described, experiment, r, data.given(platform)) for r in results]
        for value in data.of(platform):
            if value.experiment == experiment.name:
                yield row_of(value, model, assumptions, views, spread=data.spread(value))


def _errors(rows: Sequence[Row]) -> str:
    """From the least to the largest, as far as they are relative; whole per cents."""
    errors = [row.error for row in rows if row.error is not None and row.error_kind == "relative"]
    if not errors:
        return "–"
    low, high = (round(units.convert(each, "1", "%")) for each in (min(errors), max(errors)))
    return f"{low:+d} %" if low == high else f"{low:+d} to {high:+d} %"
