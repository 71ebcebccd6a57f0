"""One row of the scoreboard: a published value and what one model gives under one assumption."""

import math
import reprlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.compare.observe import NO_STREAM, NotModelledError, Reading, View, reading
from qoslib.compare.tolerances import allowed_drops, kind_of, tolerance, too_short
from qoslib.compare.values import Data, Published, published, values_of
from qoslib.flows import Flow
from qoslib.platforms import Experiment, Platform
from qoslib.platforms.provenance import Facts
from qoslib.record import fail
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.tolerances import EQUAL
from qoslib.traffic import Stream

__all__ = [
    "Row",
    "modelled",
    "row_of",
    "rows_of",
    "score_measurements",
    "unknown_class",
    "unscored_row",
]

#: Stands for a platform that declares nothing beyond the rules for all.
_OWN = Platform("own", Facts(), {}, lambda assumptions: (), {})
#: More than any frame has, and than any unit of another kind is smaller.
_MOST_BITS = 1e20
#: As many characters of the names of one's classes are enough.
_MOST_NAMES = 200
#: Where a random model's interval begins and ends, as shares of its results.
MIDDLE = (0.05, 0.95)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the scoreboard.

    Attributes
    ----------
    platform, experiment, stream, quantity, unit : str
    published, half_width : float
        The value and the rounding that its digits imply, in `unit`; of measurements of one's own
        what was measured.
    status : str
        ``ok`` or ``inconsistent``.
    model, assumptions : str
    modelled : float or None
        In `unit`; None with a `reason`.
    low, high : float or None
        Interval of a random model: the middle 90 % of its results.
    error, tolerance : float or None
        Of what `error_kind` says.
    error_kind : str
        ``relative``; ``absolute`` where 0 is published.
    verdict : str
        ``within``, ``misfit`` or ``unscored``.
    fitted : bool
        Whether this value was used in a fit.
    misfit : str or None
        Its key among the known misfits.
    reason : str or None
        Why it is unscored.
    """

    platform: str
    experiment: str
    stream: str
    quantity: str
    unit: str
    published: float
    half_width: float
    status: str
    model: str
    assumptions: str
    modelled: float | None = None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    error_kind: str
    tolerance: float | None = None
    verdict: str = "unscored"
    fitted: bool = False
    misfit: str | None = None
    reason: str | None = None

    @property
    def name(self) -> tuple[str, str, str, str]:
        """The `Published.name` of its value."""
        return self.platform, self.experiment, self.stream, self.quantity

    @property
    def title(self) -> str:
        """Its name, for people."""
        names = (self.platform, self.experiment, self.stream or "all", self.quantity)
        return f"{' '.join(names)} ({self.model}, {self.assumptions})"

    @property
    def ends(self) -> tuple[float, ...]:
        """Both ends of the interval, without one the modelled value twice; () if there is none."""
        found = (self.modelled, self.modelled) if self.low is None else (self.low, self.high)
        return tuple(end for end in found if end is not None)

    @property
    def errors(self) -> list[float]:
        """The errors of both ends of the interval."""
        return [_error(end, self.published) for end in self.ends]

    @property
    def within_rounding(self) -> bool:
        """Whether the model agrees with the published value to its last digit."""
        rounding = self.half_width + EQUAL * abs(self.published)
        return self.modelled is not None and abs(self.modelled - self.published) <= rounding

    @property
    def is_misfit(self) -> bool:
        """Whether it is outside its tolerance."""
        return self.verdict == "misfit"

    @property
    def is_near(self) -> bool:
        """Whether the error, or a part of the interval, lies within the tolerance."""
        allowed = self.tolerance or 0.0
        return min(self.errors) <= allowed and max(self.errors) >= -allowed


def _error(modelled: float, published: float) -> float:
    difference = modelled - published
    return difference / abs(published) if published else difference


def unscored_row(
    value: Published, model: str, assumptions: str, reason: str = "", fitted: Collection[str] = ()
) -> Row:
    """A row of a value that the model gives nothing for, with the reason."""
    return Row(
        platform=value.platform,
        experiment=value.experiment,
        stream=value.stream,
        quantity=value.quantity,
        unit=value.unit,
        published=value.value,
        half_width=value.half_width,
        status=value.status,
        model=model,
        assumptions=assumptions,
        error_kind="relative" if value.value else "absolute",
        fitted=not {value.key, value.scored_key}.isdisjoint(fitted),
        reason=reason or None,
    )


def row_of(
    value: Published,
    model: str,
    assumptions: str,
    views: Sequence[View],
    fitted: Collection[str] = (),
    spread: float = 0.0,
) -> Row:
    """A row of a value and a model's results.

    Parameters
    ----------
    value : Published
    model, assumptions : str
    views : sequence of View
        One for each result of the model.
    fitted : collection of str
        Keys of the values that the platform's parameters were fitted on.
    spread : float
        How far apart the published counters of the value's pair are [ratio].
    """
    try:
        how = reading(value.quantity, value.unit)
        mean, low, high = modelled(how, [view.of(value.stream) for view in views], value.unit)
    except NotModelledError as error:
        return unscored_row(value, model, assumptions, str(error), fitted)
    kind = kind_of(value, how, views[0])
    row = replace(
        unscored_row(value, model, assumptions, fitted=fitted),
        modelled=mean,
        low=low,
        high=high,
        error=_error(mean, value.value),
        tolerance=tolerance(value, kind, spread),
    )
    if value.status != "ok":
        return replace(row, reason=f"inconsistent in the source: {value.reason}")
    reason = too_short(value, views[0])
    if reason:
        return replace(row, reason=reason)
    near = _few_drops(row, value) if kind == "dropped_by_tcp" else row.is_near
    return replace(row, verdict="within" if near else "misfit")


def _few_drops(row: Row, value: Published) -> bool:
    """Whether drops of a TCP run, or a part of their interval, are within a factor of two."""
    least, most = allowed_drops(value)
    low, high = row.ends
    return low <= most and high >= least


def modelled(
    how: Reading, views: Sequence[View], unit: str
) -> tuple[float, float | None, float | None]:
    """What a model's results give: mean, and the ends of their middle 90 %; None without seeds.

    Fewer than 20 results lie within their least and largest.

    Raises
    ------
    NotModelledError
        If the model does not give it.
    """
    values = [units.convert(how.read(view), how.unit, unit) for view in views]
    low, high = (float(end) for end in np.quantile(values, MIDDLE, method="inverted_cdf"))
    if views[0].result.seed is None:
        return fmean(values), None, None
    # A mean of equal numbers may be rounded off them.
    return min(max(fmean(values), low), high), low, high


def rows_of(
    platform: Platform,
    experiment: Experiment,
    model: str,
    results: Sequence[Result],
    whole: bool = False,
    quantities: Collection[str] = (),
) -> list[Row]:
    """A row for each published value of an experiment, in the order of the tables.

    Parameters
    ----------
    platform : Platform
    experiment : Experiment
    model : str
    results : sequence of Result
        What the model gives.
    whole : bool
        Whether they replay the whole published run.
    quantities : collection of str
        Only values of these, as on the scoreboard or in their table; empty for all.
    """
    data = published(platform.name)
    views = [View(platform, experiment, each, data.given, whole=whole) for each in results]
    fitted = platform.facts.fitted_in(experiment.assumptions)
    return [
        row_of(value, model, experiment.assumptions, views, fitted, data.spread(value))
        for value in data.results
        if value.experiment in (experiment.name, *experiment.also)
        and (not quantities or {value.quantity, value.printed_quantity} & set(quantities))
    ]


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

    def view(value: Published, result: Result) -> View:
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


def _with_names(row: Row, scenario: Scenario) -> Row:
    if row.reason != NO_STREAM:
        return row
    return replace(row, reason=unknown_class(row.stream, scenario) or row.reason)


def _check(value: Published) -> None:
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
