"""The same run under several seeds, spread over the cores, with a confidence interval."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from qoslib.packets.progress import Progress, ProgressBar, check_progress
from qoslib.packets.side_by_side import side_by_side
from qoslib.packets.simulate import simulate
from qoslib.port import Chain, Forwarder, Port
from qoslib.record import AtLeastOne, Count, checked, fail
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["Replications", "replicate"]


@dataclass(frozen=True, eq=False)
class Replications:
    """Records of the same run under several seeds.

    Attributes
    ----------
    results : tuple of Result
        In the order of the seeds.
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


def replicate(
    network: Port | Forwarder | Chain,
    streams: Sequence[Stream],
    duration_s: float,
    seeds: Iterable[int],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    **options,
) -> Replications:
    """Run `simulate` once a seed, on all cores.

    Parameters
    ----------
    network, streams, duration_s
        As for `simulate`.
    seeds : iterable of int
        At least two, all different.
    workers : int, optional
        Runs at the same time; by default one a core.
    progress : callable, optional
        Called with the number of runs done and in all; by default a bar after two seconds.
    **options
        As for `simulate`.

    Raises
    ------
    ValueError
        If there are fewer than two seeds or one stands twice, or as `simulate` does.
    KeyboardInterrupt
        If it is stopped: some of the seeds are no answer.
    """
    chosen: tuple[int, ...] = checked(tuple[Count, ...], seeds, "seeds")
    workers = checked(AtLeastOne | None, workers, "workers")
    check_progress(progress)
    if len(chosen) < 2 or len(set(chosen)) != len(chosen):
        fail("seeds", chosen, "at least two, all different")

    def one(seed, tell):
        return simulate(network, streams, duration_s, seed=seed, progress=tell, **options)

    with ExitStack() as stack:
        progress = progress or stack.enter_context(ProgressBar())
        return Replications(tuple(side_by_side(one, chosen, progress, workers)))
