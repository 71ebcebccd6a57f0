"""Measurements of one's own beside what the models say of a scenario of one's own."""

import math
import re
from collections.abc import Sequence

import pandas as pd

from qoslib import units
from qoslib.compare.readings import UnspokenError, reading
from qoslib.compare.rows import Row, row_of
from qoslib.compare.values import INPUTS, values_of
from qoslib.compare.view import View
from qoslib.platforms import Experiment, Platform
from qoslib.platforms.provenance import Facts
from qoslib.record import fail
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["own"]

#: Stands for a platform that declares nothing beyond the rules for all.
NOWHERE = Platform("own", Facts(), {}, lambda assumptions: (), {})
#: More than any frame has, and than any unit of another kind is smaller.
MOST_BITS = 1e20


def own(table: pd.DataFrame, scenario: Scenario, results: Sequence[Result]) -> list[Row]:
    """Score a table of measurements against results, by the rules of the scoreboard.

    Every row of the table is taken to be about the scenario, and names one of its streams or,
    left empty, all of them. What was configured or sent is an input and gets no row.

    Parameters
    ----------
    table : DataFrame
        As `measurements.load` gives it.
    scenario : Scenario
    results : sequence of Result
        What models say of it.

    Returns
    -------
    list of Row
        One for each measured value and model; one that a model does not speak to has a reason.

    Raises
    ------
    ValueError
        If a value is in a unit that its quantity is not measured in, or is too large for one.
    """
    found = list(values_of("own", table))
    inputs = {id(value): configured or _is_input(value) for value, configured in found}
    given = {
        (value.experiment, value.stream, value.printed_quantity): _base(value)
        for value, _ in found
        if inputs[id(value)] and value.status == "ok"
    }
    measured = [value for value, _ in found if not inputs[id(value)]]
    for value in measured:
        _check(value)
    return [
        row_of(value, result.model, "own", [_view(value, scenario, result, given)])
        for value in measured
        for result in results
    ]


def _is_input(value):
    return any(re.fullmatch(pattern, value.printed_quantity) for pattern in INPUTS)


def _check(value):
    """Refuse a value that no model's could be set beside, whichever streams there are."""
    try:
        kind = units.UNITS[reading(value.quantity, value.unit).unit][0]
    except UnspokenError:
        return
    where = f"{value.quantity} of {value.stream or 'all'}"
    if units.UNITS[value.unit][0] != kind:
        allowed = [unit for unit, (measured, _) in units.UNITS.items() if measured == kind]
        fail(f"the unit of {where}", value.unit, ", ".join(allowed))
    if not math.isfinite(_base(value) * MOST_BITS):
        fail(where, value.value, "a value that can be converted")


def _base(value):
    return value.value * units.UNITS[value.unit][1]


def _view(value, scenario, result, given):
    described = Experiment(value.experiment, scenario.name, scenario.network, scenario.streams)
    return View(NOWHERE, described, result, given, whole=True)
