"""One row of the scoreboard: a published value beside what one model says under one assumption."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean

import numpy as np

from qoslib import units
from qoslib.compare.readings import Reading, UnspokenError, View, reading
from qoslib.compare.runs import kind_of, too_short
from qoslib.compare.tolerances import allowed_drops, tolerance
from qoslib.compare.values import Published

__all__ = ["Row", "row_of", "said", "silent_row"]

#: Relative room for the floating point of a model that says exactly what is printed.
DUST = 1e-9
#: Where a random model's interval begins and ends, as shares of its results.
MIDDLE = (0.05, 0.95)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the scoreboard.

    Attributes
    ----------
    platform, experiment, stream, quantity, unit : str
    published, half_width : float
        The value and the rounding of its print, in `unit`.
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
        """Whether the model says what is printed, as far as the print shows."""
        dust = DUST * abs(self.published)
        return (
            self.modelled is not None
            and abs(self.modelled - self.published) <= self.half_width + dust
        )

    @property
    def is_near(self) -> bool:
        """Whether the error, or a part of the interval, lies within the tolerance."""
        allowed = self.tolerance or 0.0
        return min(self.errors) <= allowed and max(self.errors) >= -allowed

    def as_dict(self) -> dict:
        """For JSON, in the order above."""
        return asdict(self)


def _error(modelled, published):
    difference = modelled - published
    return difference / abs(published) if published else difference


def _known(value: Published, model, assumptions, fitted):
    return dict(
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
    )


def silent_row(
    value: Published, model: str, assumptions: str, reason: str, fitted: Collection[str] = ()
) -> Row:
    """A row of a value that the model does not speak to, with the reason."""
    return Row(**_known(value, model, assumptions, fitted), reason=reason)


def row_of(
    value: Published,
    model: str,
    assumptions: str,
    views: Sequence[View],
    fitted: Collection[str] = (),
    spread: float = 0.0,
) -> Row:
    """A row of a value beside a model's results.

    Parameters
    ----------
    value : Published
    model, assumptions : str
    views : sequence of View
        One for each result of the model.
    fitted : collection of str
        Keys of the values that the platform's parameters were fitted on.
    spread : float
        How far apart the value and its pair are printed [ratio].
    """
    try:
        how = reading(value.quantity, value.unit)
        modelled, low, high = said(how, [view.of(value.stream) for view in views], value.unit)
    except UnspokenError as silent:
        return silent_row(value, model, assumptions, str(silent), fitted)
    kind = kind_of(value, how, views[0])
    row = Row(
        **_known(value, model, assumptions, fitted),
        modelled=modelled,
        low=low,
        high=high,
        error=_error(modelled, value.value),
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


def said(
    how: Reading, views: Sequence[View], unit: str
) -> tuple[float, float | None, float | None]:
    """What a model's results say: mean, and the ends of their middle 90 %; None without seeds.

    Fewer than 20 results lie within their least and largest.

    Raises
    ------
    UnspokenError
        If the model does not speak to it.
    """
    values = [units.convert(how.read(view), how.unit, unit) for view in views]
    low, high = (float(end) for end in np.quantile(values, MIDDLE, method="inverted_cdf"))
    if views[0].result.seed is None:
        return fmean(values), None, None
    # A mean of equal numbers may be rounded off them.
    return min(max(fmean(values), low), high), low, high
