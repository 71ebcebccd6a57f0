"""Published, measured here, fluid and packets, side by side with the models' errors."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from livelab.experiment import Published
from livelab.record import Tried, written
from livelab.values import UNITS, Key, modelled

__all__ = ["Line", "compared", "text"]


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


def compared(tried: Sequence[Tried]) -> list[Line]:
    """Put measured and modelled values side by side.

    Parameters
    ----------
    tried : sequence of Tried

    Returns
    -------
    list of Line
    """
    found = []
    for each in tried:
        said = {model: modelled(each.point, model) for model in ("fluid", "packets")}
        spread: Mapping[Key, tuple[float, float, float]] = each.spread()
        for key in said["fluid"]:
            known = each.point.published.get(key)
            both = (said[model][key] for model in ("fluid", "packets"))
            found.append(Line(each.point.name, *key, known, spread.get(key), *both))
    return found


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
    for line in lines:
        known = line.published.text if line.published else "-"
        if line.published and line.published.scaled:
            known = f"{line.published.value:,.4g} ({known} {line.published.scaled})"
        seen = written(line.spread, line.quantity) if line.spread else "inconclusive"
        both = (_modelled(line, model) for model in ("fluid", "packets"))
        cells.append((line.point, line.stream, line.quantity, known, seen, *both))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def _modelled(line: Line, model: str) -> str:
    value, error = float(getattr(line, model)), line.error(model)
    # Of a delay far below a millisecond, or of no loss, a relative error says nothing.
    small = line.spread is None or line.spread[0] < SMALL[UNITS[line.quantity][0]]
    if math.isnan(value):
        return "-"
    return f"{value:,.4g}" + (f" ({error:+.1%})" if error is not None and not small else "")


#: Below this a value is shown without a relative error, by unit.
SMALL = {"ms": 1.0, "Mbit/s": 0.01, "%": 0.5, "packets": 10}
