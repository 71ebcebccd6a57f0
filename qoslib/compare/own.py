"""Measurements of one's own beside what the models say of a scenario of one's own."""

import dataclasses
import math
import re
import reprlib
from collections.abc import Sequence

import pandas as pd

from qoslib import units
from qoslib.compare.readings import UnspokenError, reading
from qoslib.compare.rows import Row, row_of
from qoslib.compare.values import INPUTS, values_of
from qoslib.compare.view import NO_STREAM, View
from qoslib.flows import Flow
from qoslib.platforms import Experiment, Platform
from qoslib.platforms.provenance import Facts
from qoslib.record import fail
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["own", "unknown_class"]

#: Stands for a platform that declares nothing beyond the rules for all.
NOWHERE = Platform("own", Facts(), {}, lambda assumptions: (), {})
#: More than any frame has, and than any unit of another kind is smaller.
MOST_BITS = 1e20
#: As many characters of the names of one's classes are enough.
MOST_NAMES = 200


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
        _told(row_of(value, result.model, "own", [_view(value, scenario, result, given)]), scenario)
        for value in measured
        for result in results
    ]


def unknown_class(name: str, scenario: Scenario) -> str:
    """What to say of a class that is none of the scenario's; empty for one that is.

    Parameters
    ----------
    name : str
        A class of a table of measurements; empty for all of them.
    scenario : Scenario

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("line", 1e6, (Queue("all", PacketLimit(100)),))
    >>> unknown_class("date", Scenario("mine", port, (Stream("voice"), Stream("data"))))
    "No class is called 'date'; yours are voice, data"
    """
    flows = [flow for host in scenario.hosts for flow in host.flows]
    each: list[Stream | Flow] = [*scenario.streams, *flows]
    if name in ("", *(one.name for one in each), *(one.label for one in each)):
        return ""
    yours = ", ".join(dict.fromkeys(one.name for one in each))
    yours = yours if len(yours) <= MOST_NAMES else f"{yours[:MOST_NAMES]} ..."
    return f"No class is called {reprlib.repr(name)}; yours are {yours}"


def _told(row, scenario):
    if row.reason != NO_STREAM:
        return row
    return dataclasses.replace(row, reason=unknown_class(row.stream, scenario) or row.reason)


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
