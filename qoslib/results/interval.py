"""A mean over independent runs with its confidence interval."""

from typing import NamedTuple

__all__ = ["Interval"]


class Interval(NamedTuple):
    """A mean over runs, and the half-width of its confidence interval of 95 %."""

    mean: float
    half_width: float

    @property
    def low(self) -> float:
        """The least that the true mean may well be."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The most that the true mean may well be."""
        return self.mean + self.half_width
