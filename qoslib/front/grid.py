"""The records of a grid of runs as one."""

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qoslib.front.student_t import standard_errors
from qoslib.record import fail
from qoslib.results import Result

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = ["Sweep"]


@dataclass(frozen=True, eq=False)
class Sweep:
    """The records of a grid of runs as one.

    Every quantity of a `Result` is an attribute here too: `sent_bps`, `delay_mean_s`,
    `delay_p99_s`, ... are arrays of shape (axes, streams), in the order of the axes.

    Attributes
    ----------
    axes : mapping of str to tuple
        Each path and its values; of a list of scenarios, ``scenario`` and their names.
    results : tuple of Result
        One for each point, the last axis fastest.
    """

    axes: Mapping[str, tuple[Any, ...]]
    results: tuple[Result, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(map(len, self.axes.values()))

    @property
    def model(self) -> str:
        """Which model made the first point, as in its record."""
        return self.results[0].model

    @property
    def streams(self) -> tuple[str, ...]:
        """Names of the streams, of all points alike.

        Raises
        ------
        ValueError
            If the points have different streams: each result and `to_frame` still tell them.
        """
        kinds = {result.streams for result in self.results}
        if len(kinds) > 1:
            fail("the streams of a sweep's points", sorted(kinds), "the same at each point")
        return self.results[0].streams

    def values(self, quantity: str) -> np.ndarray:
        """A quantity of `Result`, shape (axes, streams).

        Parameters
        ----------
        quantity : str
            One of `Result.quantities`, or what else is an array by stream there.

        Returns
        -------
        ndarray, shape (axes, streams)

        Raises
        ------
        AttributeError
            If it is none.
        """
        stacked = [getattr(result, quantity) for result in self.results]
        if not all(isinstance(each, np.ndarray) for each in stacked):
            allowed = ", ".join(self.results[0].quantities)
            raise AttributeError(f"a Sweep has no {quantity!r}; allowed: {allowed}")
        return np.reshape(stacked, (*self.shape, len(self.streams)))

    def interval(self, quantity: str, share: float = 0.95) -> tuple[np.ndarray, ...]:
        """Mean of a quantity over the seeds, and its confidence interval.

        ``mean +- t s / sqrt(n)`` with Student's t for n - 1 degrees of freedom; NaN for a stream
        that any seed has no value of.

        Parameters
        ----------
        quantity : str
            Of `Result`.
        share : float
            How often such an interval contains the true mean.

        Returns
        -------
        mean, low, high : ndarray, shape (other axes, streams)

        Raises
        ------
        ValueError
            If no axis is the seed, it has one value only, or `share` is not between 0 and 1.

        Examples
        --------
        >>> from qoslib import PacketLimit, Poisson, Port, Queue, Scenario, Stream, run
        >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
        >>> busy = Scenario("busy", port, (Stream("data", 80e6, arrivals=Poisson()),))
        >>> mean_s, low_s, high_s = run(busy, seeds=range(5)).interval("delay_mean_s")
        >>> bool(low_s[0] < 240e-6 < high_s[0])  # M/D/1 at 80 %: 3 packet times of 80 us
        True
        """
        count = len(self.axes.get("seed", ()))
        if count < 2:
            fail("the number of seeds", count, "2 or more on an axis 'seed'")
        if not isinstance(share, numbers.Real) or not 0 < share < 1:
            fail("share", share, "between 0 and 1: 0.95, not 95")
        values, axis = self.values(quantity), list(self.axes).index("seed")
        mean, spread = values.mean(axis=axis), values.std(axis=axis, ddof=1)
        half = standard_errors(count, float(share)) * spread / np.sqrt(count)
        return mean, mean - half, mean + half

    def __getattr__(self, quantity: str) -> np.ndarray:
        # What copies and pickles ask for before there are any fields is not here.
        if quantity.startswith("_") or quantity in ("axes", "results"):
            raise AttributeError(quantity)
        return self.values(quantity)

    def __getitem__(self, index: int | tuple[int, ...]) -> Result:
        """The record of one point by its number along each axis."""
        return self.results[
            int(np.arange(len(self.results), dtype=np.int64).reshape(self.shape)[index])
        ]

    def __repr__(self) -> str:
        axes = ", ".join(f"{path}: {_brief(values)}" for path, values in self.axes.items())
        return f"Sweep of {len(self.results)} runs ({axes})"

    def to_frame(self) -> "pd.DataFrame":
        """A tidy table: a row for each point and stream.

        Returns
        -------
        DataFrame
            A column for each axis, the stream, and the quantities of `Result.to_frame`.
        """
        import pandas as pd

        points = np.ndindex(*self.shape)
        columns = [list(axis) for axis in self.axes.values()]
        frames = []
        for point, result in zip(points, self.results, strict=True):
            frame = result.to_frame().reset_index()
            for at, (path, values) in enumerate(zip(self.axes, columns, strict=True)):
                frame.insert(at, path, [values[point[at]]] * len(frame))
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def to_xarray(self) -> "xr.Dataset":
        """The same as an xarray `Dataset`: a dimension for each axis, and the stream.

        Returns
        -------
        Dataset
            The quantities as variables.

        Raises
        ------
        ImportError
            If the package xarray is not installed.
        ValueError
            If the points have different streams.
        """
        try:
            import xarray as xr
        except ImportError:
            raise ImportError("to_xarray needs the package xarray: pip install xarray") from None

        dimensions = [*self.axes, "stream"]
        variables = {name: (dimensions, self.values(name)) for name in self.results[0].quantities}
        axes = {path: (path, _coordinates(values)) for path, values in self.axes.items()}
        return xr.Dataset(variables, {**axes, "stream": list(self.streams)})


def _coordinates(values: tuple[Any, ...]) -> Any:
    """An axis of numbers or texts as it is, of records as objects."""
    if all(isinstance(value, str | int | float) for value in values):
        return list(values)
    axis = np.empty(len(values), object)
    axis[:] = values
    return axis


def _brief(values: tuple[Any, ...]) -> str:
    shown = [str(value) if isinstance(value, str) else f"{value!r:.60}" for value in values]
    return ", ".join(shown if len(shown) < 6 else [*shown[:2], "...", shown[-1]])
