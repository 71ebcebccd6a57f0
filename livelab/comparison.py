"""Published, measured here, fluid and packets, side by side with the models' errors."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from livelab.experiment import Point, Published
from livelab.record import Spread, written
from livelab.values import UNITS, modelled

__all__ = ["Line", "as_published", "compared", "markdown", "text"]


class Line(NamedTuple):
    """One value.

    Attributes
    ----------
    point, stream, quantity : str
    published : Published or None
    spread : tuple of float, or None
        Median, least and most of the conclusive runs; None where there was none.
    fluid, packets : float
    """

    point: str
    stream: str
    quantity: str
    published: Published | None
    spread: tuple[float, float, float] | None
    fluid: float
    packets: float

    def error(self, model: str) -> float | None:
        """How far a model is from the median [ratio]; None where there is nothing to divide by.

        Parameters
        ----------
        model : {'fluid', 'packets'}

        Returns
        -------
        float or None
        """
        if self.spread is None or not self.spread[0]:
            return None
        return float(getattr(self, model)) / self.spread[0] - 1


def compared(measured: Iterable[tuple[Point, Spread]]) -> list[Line]:
    """Put measured and modelled values side by side.

    Parameters
    ----------
    measured : iterable of (Point, mapping)
        Median, least and most by stream and quantity: from `Tried.spread` or `stored`.

    Returns
    -------
    list of Line
    """
    found = []
    for point, spread in measured:
        said = {model: modelled(point, model) for model in ("fluid", "packets")}
        for key in said["fluid"]:
            known = point.published.get(key)
            both = (said[model][key] for model in ("fluid", "packets"))
            found.append(Line(point.name, *key, known, spread.get(key), *both))
    return found


def markdown(lines: Sequence[Line]) -> str:
    """The main values of an experiment as a table of Markdown.

    Parameters
    ----------
    lines : sequence of Line

    Returns
    -------
    str
        The first of `HEADLINES` that there is; delays below a millisecond are left out.

    Examples
    --------
    >>> line = Line("head_200", "all", "latency", None, (41.5, 41.3, 41.6), 41.7, 41.4)
    >>> print(markdown([line]).splitlines()[-1])
    | head 200 | all | - | 41.50 ms (41.30 - 41.60) | 41.7 (+0.5%) | 41.4 (-0.2%) |
    """
    there = {line.quantity for line in lines}
    shown = next(each for each in HEADLINES if there.issuperset(each))
    made = [
        "| point | stream | published | measured, least to most | fluid | packets |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for line in lines:
        trifling = line.quantity == "latency" and line.spread is not None and line.spread[0] < 1
        if line.quantity in shown and not trifling:
            point, stream, _, *others = _cells(line)
            made.append("| " + " | ".join([point.replace("_", " "), stream, *others]) + " |")
    return "\n".join(made)


#: What a table of Markdown shows.
HEADLINES: tuple[tuple[str, ...], ...] = (
    ("latency",),
    ("throughput", "dropped_packets"),
    ("dropped_packets",),
    ("sent",),
    ("drop_ratio",),
)


def text(lines: Sequence[Line]) -> str:
    """The lines as a table.

    Parameters
    ----------
    lines : sequence of Line

    Returns
    -------
    str

    Examples
    --------
    >>> print(text([Line("head_200", "all", "latency", None, (41.5, 41.3, 41.6), 41.7, 41.4)]))
    point     stream  quantity  published  measured here (least - most)  fluid         packets
    head_200  all     latency   -          41.50 ms (41.30 - 41.60)      41.7 (+0.5%)  41.4 (-0.2%)
    """
    head = ("point", "stream", "quantity", "published", "measured here (least - most)", "fluid")
    cells: list[tuple[str, ...]] = [(*head, "packets")]
    cells += map(_cells, lines)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def _cells(line: Line) -> tuple[str, ...]:
    seen = written(line.spread, line.quantity) if line.spread else "inconclusive"
    both = (_modelled(line, model) for model in ("fluid", "packets"))
    return (line.point, line.stream, line.quantity, as_published(line) or "-", seen, *both)


def as_published(line: Line) -> str:
    """The published value as it stands there, and scaled where it has to be.

    Parameters
    ----------
    line : Line

    Returns
    -------
    str
        Empty where nothing was published.
    """
    known = line.published
    if known is None:
        return ""
    if not known.scaled:
        return known.text
    return f"{_four_digits(known.value)} ({known.text} {known.scaled})"


def _modelled(line: Line, model: str) -> str:
    value, error = float(getattr(line, model)), line.error(model)
    # Of a delay far below a millisecond, or of no loss, a relative error says nothing.
    small = line.spread is None or line.spread[0] < SMALL[UNITS[line.quantity][0]]
    if math.isnan(value):
        return "-"
    return _four_digits(value) + (f" ({error:+.1%})" if error is not None and not small else "")


def _four_digits(value: float) -> str:
    """Without an exponent.

    >>> _four_digits(47912.3)
    '47,910'
    """
    return f"{float(f'{value:.4g}'):,.12g}"


#: Below this a value is shown without a relative error, by unit.
SMALL = {"ms": 1.0, "Mbit/s": 0.01, "%": 0.5, "packets": 10}
