"""Which rows of the scoreboard count as evidence: no fits, no zeros, each counter once."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qoslib import units
from qoslib.compare import Row
from qoslib.record import fail

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COUNTS", "counted", "evidence"]

#: What may be counted; each leaves out what the one before does, and something more.
COUNTS = ("every row", "without fits", "without zeros", "each counter once")
#: What a counter is read in, at the end of the name of a quantity.
READ_IN = re.compile(r"(_(packets|bytes|octets|bits|rate|ratio|share))+$")
#: Two names of one counter.
SAME = {"drop": "dropped", "throughput": "received"}


def counted(rows: Sequence[Row], count: str) -> list[Row]:
    """The rows that count.

    Parameters
    ----------
    rows : sequence of Row
        Scored rows of a scoreboard.
    count : str
        One of `COUNTS`. `without fits` leaves out the values that a number was fitted on,
        `without zeros` also those published as 0, and `each counter once` also the repetitions of
        a counter in other units. A counter with a misfit is a misfit.

    Raises
    ------
    ValueError
        For any other text.

    Examples
    --------
    >>> from qoslib import compare
    >>> len(counted(compare.stored(), "without fits")) < len(compare.stored())
    True
    """
    if count not in COUNTS:
        fail("count", count, ", ".join(COUNTS))
    level = COUNTS.index(count)
    left = [
        row
        for row in rows
        if not (level >= 1 and row.fitted) and not (level >= 2 and row.published == 0)
    ]
    if level < 3:
        return left
    # The misfit of a counter is kept where it has one.
    by_verdict = sorted(left, key=lambda row: row.verdict != "misfit")
    kept = {id(row) for row in {_counter(row): row for row in reversed(by_verdict)}.values()}
    return [row for row in left if id(row) in kept]


def evidence(rows: Sequence[Row]) -> "pd.DataFrame":
    """How many rows are left by each of `COUNTS`, and how many of them are within tolerance.

    Parameters
    ----------
    rows : sequence of Row
        Scored rows of a scoreboard.

    Examples
    --------
    >>> from qoslib import compare
    >>> evidence(compare.stored()).columns.tolist()
    ['rows', 'within', 'share [%]']
    """
    left = [counted(rows, count) for count in COUNTS]
    within = [sum(row.verdict == "within" for row in each) for each in left]
    shares = [
        round(float(units.convert(good / len(each), "1", "%")), 1) if each else np.nan
        for good, each in zip(within, left, strict=True)
    ]
    import pandas as pd

    return pd.DataFrame(
        {"rows": list(map(len, left)), "within": within, "share [%]": shares},
        index=pd.Index(COUNTS, name="counted"),
    )


def _counter(row):
    """What a row's value was read from, in whatever unit."""
    stem = READ_IN.sub("", row.quantity)
    place = (row.platform, row.experiment, row.stream, row.model, row.assumptions)
    return (*place, SAME.get(stem, stem))
