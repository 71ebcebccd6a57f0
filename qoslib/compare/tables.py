"""Rows as tables to read: published values and what a model gives, and the known misfits."""

from collections.abc import Iterable, Sequence

import pandas as pd

from qoslib import units
from qoslib.compare.misfits import known_misfits, named
from qoslib.compare.rows import Row, rows_of
from qoslib.compare.run import MODELS
from qoslib.platforms import platform as platform_named

__all__ = ["compare_experiment", "explained", "misfit_summary", "relative_error", "to_frame"]

_NAMES = ("platform", "experiment", "stream", "quantity", "model", "assumptions")


def to_frame(rows: Iterable[Row]) -> pd.DataFrame:
    """A table of rows: names, published, modelled, error in per cent, verdict, fitted, misfit.

    Of measurements of one's own, the value is called measured.

    Parameters
    ----------
    rows : iterable of Row

    Returns
    -------
    DataFrame
        One line per row, values as texts of four digits.

    Examples
    --------
    >>> from qoslib.compare.store import stored
    >>> mine = [row for row in stored() if row.platform == "m120" and row.stream == "CS1"]
    >>> to_frame(mine).columns.tolist()[:4]
    ['platform', 'experiment', 'stream', 'quantity']
    """
    lines = [
        {name: getattr(row, name) for name in _NAMES}
        | {"measured" if row.platform == "own" else "published": _digits(row.published, 4)}
        | {"modelled": _digits(row.modelled, 4), "unit": row.unit}
        | {"error": relative_error(row, ".2f"), "verdict": row.verdict}
        | {"fitted": "fitted" if row.fitted else "", "misfit": row.misfit or ""}
        for row in rows
    ]
    return pd.DataFrame(lines)


def compare_experiment(
    platform: str,
    experiment: str,
    *quantities: str,
    model: str = "fluid",
    assumptions: str = "base",
) -> pd.DataFrame:
    """Compare what was published about an experiment with what a model gives.

    Parameters
    ----------
    platform, experiment : str
        As on the scoreboard.
    *quantities : str
        Which quantities, like ``"latency"``, ``"sent"``; all if none is named.
    model, assumptions : str

    Returns
    -------
    DataFrame
        Texts to be read, one row a value: published, modelled to three digits, error. The
        scoreboard has the numbers in full.

    Examples
    --------
    >>> compare_experiment("m120", "base", "latency")
                           published modelled   error
    stream quantity
    CS1    latency_maximum     84 ms  88.1 ms  +4.8 %
    BE     latency_average      4 ms  4.07 ms  +1.8 %
    """
    lines = [
        {
            "stream": row.stream or "all",
            "quantity": row.quantity,
            "published": f"{row.published:,.10g} {row.unit}",
            "modelled": f"{_digits(row.modelled, 3)} {row.unit}" if row.error is not None else "–",
            "error": relative_error(row, ".1f") or "–",
        }
        for row in _modelled(platform, experiment, model, assumptions, quantities)
    ]
    return pd.DataFrame(lines).set_index(["stream", "quantity"])


def misfit_summary(platform: str, model: str = "fluid", assumptions: str = "base") -> pd.DataFrame:
    """Count the values that a model gives: those within tolerance, and each known misfit.

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
    >>> misfit_summary("m120", assumptions="generator").columns.tolist()
    ['values', 'error']
    """
    known = known_misfits()
    kinds: dict[str, list[Row]] = {"within": []}
    for name in platform_named(platform).experiments(assumptions):
        for row in _modelled(platform, name, model, assumptions):
            if row.verdict != "unscored":
                kind = named(row, known) or "not explained" if row.is_misfit else "within"
                kinds.setdefault(kind, []).append(row)
    lines = [
        {"values": len(rows), "error": errors.replace(" % to ", " to ") or "–"}
        for rows in kinds.values()
        for errors in [_range([row for row in rows if row.published], ".0f")]
    ]
    return pd.DataFrame(lines, index=pd.Index(kinds, name=f"{platform}, {model} model"))


def _modelled(platform, experiment, model, assumptions, quantities=()):
    router = platform_named(platform)
    described = router.experiments(assumptions)[experiment]
    return rows_of(router, described, model, MODELS[model](described), quantities=quantities)


def explained(rows: Iterable[Row]) -> pd.DataFrame:
    """The known misfits that rows belong to: how many, how far off, and why we think so.

    Parameters
    ----------
    rows : iterable of Row

    Returns
    -------
    DataFrame
        One line a misfit, the reason in full.

    Examples
    --------
    >>> from qoslib.compare.store import stored
    >>> explained(stored()).columns.tolist()
    ['rows', 'errors', 'why']
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.misfit:
            found.setdefault(row.misfit, []).append(row)
    known = {misfit.key: misfit for misfit in known_misfits()}
    lines = [
        {"rows": len(mine), "errors": _range(mine, ".2f"), "why": " ".join(known[key].why.split())}
        for key, mine in sorted(found.items())
    ]
    return pd.DataFrame(lines, index=pd.Index(sorted(found), name="misfit"))


def _digits(value, count):
    return "" if value is None else f"{float(f'{value:.{count}g}'):,.12g}"


def relative_error(row: Row, form: str) -> str:
    """The error of a row in per cent, or in its unit where 0 is published; empty without one."""
    if row.error is None:
        return ""
    if row.error_kind == "absolute":
        return f"{row.error:+.3g} {row.unit}"
    percent = f"{units.convert(row.error, '1', '%'):+{form}}"
    # A rounded -0.0 is written as 0.0 is, the same on every machine.
    return f"{percent if float(percent) else percent.replace('-', '+')} %"


def _range(rows: Sequence[Row], form: str) -> str:
    """From the least error to the largest, in words."""
    if not rows:
        return ""
    order = sorted(rows, key=lambda row: row.error or 0.0)
    low, high = (relative_error(row, form) for row in (order[0], order[-1]))
    return low if low == high else f"{low} to {high}"
