"""Measurements of one's own, compared with what the models give for a scenario of one's own."""

import dataclasses
import math
import reprlib
from collections.abc import Sequence

import pandas as pd

from qoslib import units
from qoslib.compare.observe import NO_STREAM, NotModelledError, View, reading
from qoslib.compare.rows import Row, row_of
from qoslib.compare.values import Data, values_of
from qoslib.flows import Flow
from qoslib.platforms import Experiment, Platform
from qoslib.platforms.provenance import Facts
from qoslib.record import fail
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["score_measurements", "unknown_class"]

#: Stands for a platform that declares nothing beyond the rules for all.
_OWN = Platform("own", Facts(), {}, lambda assumptions: (), {})
#: More than any frame has, and than any unit of another kind is smaller.
_MOST_BITS = 1e20
#: As many characters of the names of one's classes are enough.
_MOST_NAMES = 200


def score_measurements(
    table: pd.DataFrame, scenario: Scenario, results: Sequence[Result]
) -> list[Row]:
    """Score measurements of one's own against results, by the rules of the scoreboard.

    Every row of the table is taken to be about the scenario, and names one of its streams or,
    left empty, all of them. What was configured or sent is an input and gets no row.

    Parameters
    ----------
    table : DataFrame
        As `measurements.load` gives it.
    scenario : Scenario
    results : sequence of Result
        What models give for it.

    Returns
    -------
    list of Row
        One for each measured value and model; one that a model does not give has a reason.

    Raises
    ------
    ValueError
        If a value is in a unit that its quantity is not measured in, or is too large for one.

    Examples
    --------
    >>> import io
    >>> from qoslib import measurements
    >>> from qoslib.fluid import solve
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> table = measurements.load(io.StringIO("stream,quantity,value,unit\\ndata,sent,97.3,Mbit/s"))
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> office = Scenario("office", port, (Stream("data", 120e6),))
    >>> (row,) = score_measurements(table, office, [solve(port, office.streams)])
    >>> row.published, row.modelled, row.verdict
    (97.3, 100.0, 'misfit')
    """
    values = list(values_of(_OWN.name, table))
    given = Data((), tuple(value for value in values if value.is_input), 0).given
    measured = [value for value in values if not value.is_input]
    for value in measured:
        _check(value)

    def view(value, result):
        name, streams = value.experiment, scenario.streams
        described = Experiment(name, scenario.name, scenario.network, streams, _OWN.name)
        return View(_OWN, described, result, given, whole=True)

    return [
        _with_names(row_of(value, result.model, _OWN.name, [view(value, result)]), scenario)
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

    Returns
    -------
    str
        One sentence without its full stop, or nothing.

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
    yours = yours if len(yours) <= _MOST_NAMES else f"{yours[:_MOST_NAMES]} ..."
    return f"No class is called {reprlib.repr(name)}; yours are {yours}"


def _with_names(row, scenario):
    if row.reason != NO_STREAM:
        return row
    return dataclasses.replace(row, reason=unknown_class(row.stream, scenario) or row.reason)


def _check(value):
    """Refuse a value that no model's could be compared with, whichever streams there are."""
    try:
        kind = units.UNITS[reading(value.quantity, value.unit).unit][0]
    except NotModelledError:
        return
    where = f"{value.quantity} of {value.stream or 'all'}"
    if units.UNITS[value.unit][0] != kind:
        allowed = [unit for unit, (measured, _) in units.UNITS.items() if measured == kind]
        fail(f"the unit of {where}", value.unit, ", ".join(allowed))
    if not math.isfinite(value.base_value * _MOST_BITS):
        fail(where, value.value, "a value that can be converted")
