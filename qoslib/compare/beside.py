"""A few published values beside one model, as a small table to read."""

import pandas as pd

from qoslib import units
from qoslib.compare.models import MODELS
from qoslib.compare.readings import View
from qoslib.compare.rows import Row, row_of
from qoslib.compare.values import published
from qoslib.platforms import platform as platform_named

__all__ = ["beside"]


def beside(
    platform: str,
    experiment: str,
    *quantities: str,
    model: str = "fluid",
    assumptions: str = "base",
) -> pd.DataFrame:
    """Set what was published about an experiment beside what a model says.

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
    >>> beside("m120", "base", "latency")
                           published modelled   error
    stream quantity
    CS1    latency_maximum     84 ms  88.1 ms  +4.8 %
    BE     latency_average      4 ms  4.07 ms  +1.8 %
    """
    router = platform_named(platform)
    described, data = router.experiments(assumptions)[experiment], published()
    views = [View(router, described, r, data.given(platform)) for r in MODELS[model](described)]
    rows = [
        row_of(value, model, assumptions, views, spread=data.spread(value))
        for value in data.of(platform)
        if value.experiment in (experiment, *described.also) and _named(value, quantities)
    ]
    table = pd.DataFrame([_cells(row) for row in rows])
    return table.set_index(["stream", "quantity"])


def _named(value, quantities):
    return not quantities or {value.quantity, value.printed_quantity} & set(quantities)


def _cells(row: Row):
    return {
        "stream": row.stream or "all",
        "quantity": row.quantity,
        "published": f"{row.published:,.10g} {row.unit}",
        "modelled": "–" if row.modelled is None else f"{_three_digits(row.modelled)} {row.unit}",
        "error": "–" if row.error is None else _error(row),
    }


def _three_digits(value):
    return f"{float(f'{value:.3g}'):,.10g}"


def _error(row):
    if row.error_kind == "absolute":
        return f"{row.error:+.3g} {row.unit}"
    percent = units.convert(row.error, "1", "%")
    # Adding 0 turns a rounded -0.0 into 0.0, which prints the same on every machine.
    return f"{round(percent, 1) + 0:+.1f} %"
