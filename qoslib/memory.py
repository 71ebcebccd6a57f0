"""One memory budget for all tables of a run, checked before any table is made."""

import math
import os
from collections.abc import Iterable
from typing import TypeAlias

from qoslib import units
from qoslib.record import fail

__all__ = ["budget_bytes", "within_budget"]

#: What the tables of one run may take [GB], where the environment does not say otherwise.
DEFAULT_GB = 4.0
#: A field that makes a table large, the value of the field, and the size of the table [B].
Need: TypeAlias = tuple[str, object, int]
VARIABLE = "QOSLIB_MEMORY_GB"


def budget_bytes() -> float:
    """Memory that the tables of one run may take [B]: 4 GB, or `QOSLIB_MEMORY_GB` if it is set.

    Returns
    -------
    float
        The budget [B].

    Raises
    ------
    ValueError
        If the variable is not a number above 0.

    Examples
    --------
    >>> budget_bytes()  # where QOSLIB_MEMORY_GB is not set
    4000000000.0
    """
    text = os.environ.get(VARIABLE, "")
    try:
        budget_gb = float(text or DEFAULT_GB)
    except ValueError:
        budget_gb = math.nan
    if not budget_gb > 0:
        fail(VARIABLE, text, "a number of GB above 0")
    return units.convert(budget_gb, "GB", "B")


def within_budget(needs: Iterable[Need]) -> None:
    """Refuse a description whose tables would take more memory than a run may have.

    Parameters
    ----------
    needs : iterable of (str, object, int)
        For each table, the field that makes it large, the value of this field, and the size [B].

    Raises
    ------
    ValueError
        If the sum is above the budget; the message names the field that takes most.

    Examples
    --------
    >>> within_budget([("bins", 200, 64_000), ("Queue 'q' limit", 10**9, 24 * 10**9)])
    Traceback (most recent call last):
    ValueError: Queue 'q' limit is 1000000000; allowed: tables of 4 GB per run, where this \
field takes 24 GB and all take 24 GB (QOSLIB_MEMORY_GB sets the limit)
    """
    needs, allowed_bytes = list(needs), budget_bytes()
    total_bytes = sum(size_bytes for _, _, size_bytes in needs)
    if total_bytes > allowed_bytes:
        where, value, most_bytes = max(needs, key=lambda need: need[2])
        budget, own, total = (_in_gb(n) for n in (allowed_bytes, most_bytes, total_bytes))
        allowed = f"tables of {budget} per run, where this field takes {own} and all take {total}"
        fail(where, value, f"{allowed} ({VARIABLE} sets the limit)")


def _in_gb(size_bytes: float) -> str:
    # A whole number of any size: beyond floats too.
    size_bytes = min(size_bytes, 10**300)
    return f"{units.convert(float(size_bytes), 'B', 'GB'):.4g} GB"
