"""The scoreboard as tables to read: its rows, and the known misfits with their reasons."""

from collections.abc import Iterable

import pandas as pd

from qoslib import measurements, units
from qoslib.compare.misfits import known_misfits
from qoslib.compare.rows import Row

__all__ = ["explained", "told"]

COLUMNS = ("platform", "experiment", "stream", "quantity", "model", "assumptions")


def told(rows: Iterable[Row]) -> pd.DataFrame:
    """One line a row: names, published, modelled, error in per cent, verdict, fitted, misfit."""
    lines = [
        {name: getattr(row, name) for name in COLUMNS}
        | {"published": _digits(row.published), "modelled": _digits(row.modelled)}
        | {"unit": row.unit, "error": _error(row), "verdict": row.verdict}
        | {"fitted": "fitted" if row.fitted else "", "misfit": row.misfit or ""}
        for row in rows
    ]
    return pd.DataFrame(lines)


def explained(rows: Iterable[Row]) -> pd.DataFrame:
    """The known misfits that rows belong to: how many, how far off, and why we think so.

    Parameters
    ----------
    rows : iterable of Row

    Returns
    -------
    DataFrame
        One line a misfit, the reason in full.
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.misfit:
            found.setdefault(row.misfit, []).append(row)
    known = {misfit.key: misfit for misfit in known_misfits(measurements.folder().parent)}
    lines = [
        {"rows": len(mine), "errors": _errors(mine), "why": " ".join(known[key].why.split())}
        for key, mine in sorted(found.items())
    ]
    return pd.DataFrame(lines, index=pd.Index(sorted(found), name="misfit"))


def _digits(value):
    return "" if value is None else f"{float(f'{value:.4g}'):,.12g}"


def _error(row):
    if row.error is None:
        return ""
    if row.error_kind == "absolute":
        return f"{row.error:+.3g} {row.unit}"
    return f"{units.convert(row.error, '1', '%'):+.2f} %"


def _errors(rows):
    errors = sorted(rows, key=lambda row: row.error)
    ends = [_error(errors[0]), _error(errors[-1])]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)
