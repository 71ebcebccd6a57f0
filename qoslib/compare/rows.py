"""One row of the scoreboard: a published value, what a model gives, and how far off it may be."""

import math
import reprlib
import tomllib
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from qoslib import measurements, units
from qoslib.compare.observe import NO_STREAM, OWN, NotModelledError, Reading, View, reading
from qoslib.compare.values import Published, given_of, published, values_of
from qoslib.flows import Flow
from qoslib.measurements import Measurements
from qoslib.platforms import Experiment, Platform
from qoslib.platforms.provenance import Facts
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.tolerances import EQUAL
from qoslib.traffic import Stream

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TIMED",
    "TOLERANCES",
    "ZERO",
    "Row",
    "Tolerance",
    "allowed_drops",
    "grouped",
    "kind_of",
    "modelled",
    "row_of",
    "rows_of",
    "score_measurements",
    "tolerance",
    "too_short",
    "unknown_class",
    "unscored_row",
    "views_of",
]


Of = TypeVar("Of")
Key = TypeVar("Key", bound=Hashable)


class Tolerance(NamedTuple):
    """A relative tolerance and the reason for it."""

    relative: float
    because: str


#: One for each kind of quantity, never for one row: ``data/tolerances.toml``.
TOLERANCES = {
    kind: Tolerance(**entry)
    for kind, entry in tomllib.loads(
        (measurements.folder().parent / "tolerances.toml").read_text("utf-8")
    ).items()
}

#: Counts of a whole run that is replayed whole.
_COUNTS = ("sent_packets", "dropped_packets")
#: A loss rarer than this share of the packets takes a replay of the whole run.
RARE = 1e-4
#: What a tester that timed each packet is compared by.
TIMED = {
    "latency_average": "average",
    "latency_maximum": "maximum",
    "latency_minimum": "first_packets",
}

#: Where 0 is published the tolerance is absolute: the rounding of that value, or else
#: room for floating point in its unit. Nothing lost means nothing lost.
ZERO = 1e-6

#: A shorter latency is a transit time [s].
SHORT_S = units.ms(1)
#: Where 0 drops are published, a loop may lose so many; and how far its count may be off.
FEW_PACKETS, FACTOR = 2, 2.0


def tolerance(value: Published, kind: str, spread: float = 0.0) -> float:
    """Tolerance of a published value, in the unit of its error.

    It is never less than the rounding of the published value, which hides what lies below,
    nor than the spread between a pair of counters of equal loads: both rows of the pair are
    within only if the model lies between the two.
    """
    if kind == "dropped_by_tcp" and value.value == 0:
        return FEW_PACKETS
    if kind.endswith("_by_tcp"):
        return TOLERANCES[kind].relative
    if value.value == 0:
        return max(value.half_width, ZERO)
    if kind == "latency" and units.convert(value.value, value.unit, "s") < SHORT_S:
        kind = "transit"
    return max(TOLERANCES[kind].relative, value.half_width / abs(value.value), spread)


def allowed_drops(value: Published) -> tuple[float, float]:
    """Least and most drops of a TCP run within a factor of two of a published count."""
    if value.value == 0:
        return 0.0, FEW_PACKETS
    low, high = (value.value if end is None else end for end in (value.low, value.high))
    return low / FACTOR, high * FACTOR


def kind_of(value: Published, how: Reading, view: View) -> str:
    """The kind of tolerance for a value: a run with its start and end has some of its own."""
    experiment = view.experiment
    if _rare(value, view):
        return "rare"
    if view.whole and view.result.seed is not None and value.quantity in _COUNTS:
        return "replayed"
    if experiment.timed and value.quantity in TIMED:
        return TIMED[value.quantity]
    if how.kind in ("carried", "dropped") and (view.flows or experiment.is_run):
        return f"{how.kind}_by_tcp" if view.flows else f"{how.kind}_in_run"
    return how.kind


def too_short(value: Published, view: View) -> str | None:
    """Why a result is not compared with a value: it is no replay of the whole run."""
    if view.whole or view.result.seed is None:
        return None
    replayed = view.experiment.whole_s is not None
    more = "needs --full" if replayed else "needs a whole replay, which this set does not get"
    if view.experiment.timed and value.quantity == "latency_maximum":
        return f"{more}: the largest latency of the whole run"
    return f"{more}: a loss rarer than {RARE:g}" if _rare(value, view) else None


def _rare(value: Published, view: View) -> bool:
    """Whether a published loss, which is not 0, is rarer than a short run shows."""
    if value.quantity == "drop_ratio":
        return 0 < units.convert(value.value, value.unit, "1") < RARE
    if value.quantity != "dropped_packets":
        return False
    return 0 < value.value < RARE * (view.of(value.stream).counted("offered_packets") or 0)


#: Stands for a platform that declares nothing beyond the rules for all.
_OWN = Platform(OWN, Facts(), {}, lambda assumptions: (), {})
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
        The published value, or that of one's own measurements, and the rounding that its digits
        imply, in `unit`.
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


def _error(modelled: float, published: float) -> float:
    difference = modelled - published
    return difference / abs(published) if published else difference


def unscored_row(
    value: Published, model: str, assumptions: str, reason: str | None, fitted: bool = False
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
        fitted=fitted,
        reason=reason,
    )


def row_of(value: Published, views: Sequence[View], spread: float = 0.0) -> Row:
    """A row of a value and a model's results."""
    view, reason = views[0], None
    platform, assumptions = view.platform, view.experiment.assumptions
    fitted = not platform.facts.fitted_in(assumptions).isdisjoint(value.keys)
    try:
        how = reading(value.quantity, value.unit)
        mean, low, high = modelled(how, [each.of(value.stream) for each in views], value.unit)
    except NotModelledError as error:
        return unscored_row(value, view.result.model, assumptions, str(error), fitted)
    kind = kind_of(value, how, view)
    if value.status != "ok":
        reason = f"inconsistent in the source: {value.reason}"
    row = replace(
        unscored_row(
            value, view.result.model, assumptions, reason or too_short(value, view), fitted
        ),
        modelled=mean,
        low=low,
        high=high,
        error=_error(mean, value.value),
        tolerance=tolerance(value, kind, spread),
    )
    if row.reason:
        return row
    near = _few_drops(row, value) if kind == "dropped_by_tcp" else _is_near(row)
    return replace(row, verdict="within" if near else "misfit")


def _is_near(row: Row) -> bool:
    """Whether the error, or a part of the interval, lies within the tolerance."""
    allowed = row.tolerance or 0.0
    return min(row.errors) <= allowed and max(row.errors) >= -allowed


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
    """
    values = [units.convert(how.read(view), how.unit, unit) for view in views]
    if views[0].result.seed is None:
        return fmean(values), None, None
    low, high = (float(end) for end in np.quantile(values, MIDDLE, method="inverted_cdf"))
    # A mean of equal numbers may be rounded off them.
    return min(max(fmean(values), low), high), low, high


def views_of(
    platform: Platform, experiment: Experiment, results: Iterable[Result], whole: bool = False
) -> list[View]:
    """Results of a model for an experiment, as its published values see them."""
    given = published(platform.name).given
    return [View(platform, experiment, each, given, whole=whole) for each in results]


def rows_of(views: Sequence[View], quantities: Collection[str] = ()) -> list[Row]:
    """A row for each published value of an experiment, in the order of the tables."""
    data, experiment = published(views[0].platform.name), views[0].experiment
    return [
        row_of(value, views, data.spread(value))
        for value in data.results
        if value.experiment in (experiment.name, *experiment.also)
        and (not quantities or not {value.quantity, value.table_quantity}.isdisjoint(quantities))
    ]


def grouped(rows: Iterable[Of], key: Callable[[Of], Key]) -> dict[Key, list[Of]]:
    """Rows by a key, both in the order in which they come."""
    found: dict[Key, list[Of]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def score_measurements(
    table: "pd.DataFrame | Measurements", scenario: Scenario, results: Sequence[Result]
) -> list[Row]:
    """Score measurements of one's own against results, by the rules of the scoreboard.

    Every row of the table is taken to be about the scenario, and names one of its streams or,
    left empty, all of them. What was configured or sent is an input and gets no row.

    Parameters
    ----------
    table : DataFrame or Measurements
        As `measurements.load` or `measurements.rows` gives it.
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
        If an argument is of another kind, or a value is in a unit that its quantity is not
        measured in, or too large for one.

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
    rows = Measurements.of(table, "table")
    checked(Scenario, scenario, "scenario")
    results = checked(tuple[Result, ...], results, "results")
    values = list(values_of(_OWN.name, rows))
    given = given_of(value for value in values if value.is_input)

    def row(value: Published, result: Result) -> Row:
        name, streams = value.experiment, scenario.streams
        described = Experiment(
            name, scenario.name, scenario.network, streams, _OWN.name, hosts=scenario.hosts
        )
        made = row_of(value, [View(_OWN, described, result, given, whole=True)])
        unknown = made.reason == NO_STREAM and unknown_class(value.stream, scenario)
        return replace(made, reason=unknown) if unknown else made

    measured = [_checked(value) for value in values if not value.is_input]
    return [row(value, result) for value in measured for result in results]


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

    Raises
    ------
    ValueError
        If the name is no text, or the scenario is none.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("line", 1e6, (Queue("all", PacketLimit(100)),))
    >>> unknown_class("date", Scenario("mine", port, (Stream("voice"), Stream("data"))))
    "No class is called 'date'; yours are voice, data"
    """
    checked(str, name, "name")
    checked(Scenario, scenario, "scenario")
    flows = [flow for host in scenario.hosts for flow in host.flows]
    each: list[Stream | Flow] = [*scenario.streams, *flows]
    if name in ("", *(one.name for one in each), *(one.label for one in each)):
        return ""
    yours = ", ".join(dict.fromkeys(one.name for one in each))
    yours = yours if len(yours) <= _MOST_NAMES else f"{yours[:_MOST_NAMES]} ..."
    return f"No class is called {reprlib.repr(name)}; yours are {yours}"


def _checked(value: Published) -> Published:
    """Refuse a value that no model's could be compared with, whichever streams there are."""
    try:
        kind = units.UNITS[reading(value.quantity, value.unit).unit][0]
    except NotModelledError:
        return value
    where = f"{value.quantity} of {value.stream or 'all'}"
    if units.UNITS[value.unit][0] != kind:
        allowed = [unit for unit, (measured, _) in units.UNITS.items() if measured == kind]
        fail(f"the unit of {where}", value.unit, ", ".join(allowed))
    if not math.isfinite(value.base_value * _MOST_BITS):
        fail(where, value.value, "a value that can be converted")
    return value
