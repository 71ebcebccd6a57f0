"""One row of the scoreboard: a published value and what one model gives under one assumption."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from qoslib import units
from qoslib.compare.observe import NotModelledError, Reading, View, reading
from qoslib.compare.tolerances import allowed_drops, kind_of, tolerance, too_short
from qoslib.compare.values import Published, published
from qoslib.platforms import Experiment, Platform
from qoslib.results import Result
from qoslib.tolerances import EQUAL

__all__ = ["Row", "modelled", "row_of", "rows_of", "unscored_row"]

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
    def errors(self) -> list[float]:
        """The error, or those of both ends of the interval."""
        ends = (self.low, self.high) if self.low is not None else (self.modelled,)
        return [_error(end, self.published) for end in ends if end is not None]

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


def _error(modelled, published):
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


def _few_drops(row, value):
    """Whether drops of a TCP run, or a part of their interval, are within a factor of two."""
    least, most = allowed_drops(value)
    low, high = (row.modelled if end is None else end for end in (row.low, row.high))
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
