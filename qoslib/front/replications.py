"""The same run under several seeds, with a confidence interval."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from qoslib.results import Result

__all__ = ["Replications"]


@dataclass(frozen=True, eq=False)
class Replications:
    """Records of the same run under several seeds.

    Attributes
    ----------
    results : tuple of Result
        In the order of the seeds.

    Examples
    --------
    >>> from qoslib import PacketLimit, Poisson, Port, Queue, Scenario, Stream, run
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> busy = Scenario("busy", port, (Stream("data", 80e6, arrivals=Poisson()),))
    >>> mean_s, low_s, high_s = run(busy, seeds=range(5)).interval("delay_mean_s")
    >>> bool(low_s[0] < 0.00024 < high_s[0])  # M/D/1 at 80 %: 3 packet times of 80 us
    True
    """

    results: tuple[Result, ...]

    def values(self, quantity: str) -> np.ndarray:
        """A quantity of `Result`, shape (seeds, streams)."""
        return np.array([getattr(result, quantity) for result in self.results])

    def interval(self, quantity: str, share: float = 0.95) -> tuple[np.ndarray, ...]:
        """Mean of a quantity and its confidence interval, each of shape (streams,).

        ``mean +- t s / sqrt(n)`` with Student's t for n - 1 degrees of freedom; NaN for a stream
        that any seed has no value of.

        Returns
        -------
        mean, low, high : ndarray
        """
        values = self.values(quantity)
        count = len(values)
        mean = values.mean(axis=0)
        half = stdtrit(count - 1, (1 + share) / 2) * values.std(axis=0, ddof=1) / np.sqrt(count)
        return mean, mean - half, mean + half
