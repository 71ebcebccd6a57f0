"""Throughput in the sense of RFC 2544: the largest rate at which no packet is lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qoslib.packets.progress import Progress
from qoslib.packets.simulate import simulate
from qoslib.port import Chain, Forwarder, Port
from qoslib.record import Positive, checked, fail
from qoslib.traffic import Stream

__all__ = ["Throughput", "Trial", "throughput"]

#: Halvings that no search needs: a double has no finer rates.
MOST_TRIALS = 60


@dataclass(frozen=True)
class Trial:
    """One trial: the rate that was tried [bit/s], what was offered at it, and what was lost."""

    rate_bps: float
    offered_packets: int
    lost_packets: int

    @property
    def passed(self) -> bool:
        """Whether nothing was lost."""
        return self.lost_packets == 0


@dataclass(frozen=True)
class Throughput:
    """What a search found.

    Attributes
    ----------
    rate_bps : float
        The largest rate tried at which nothing was lost [bit/s]; 0 where every trial lost.
    trials : tuple of Trial
        In the order they were run.
    """

    rate_bps: float
    trials: tuple[Trial, ...]


def throughput(
    where: Port | Forwarder | Chain,
    streams_at: Callable[[float], Sequence[Stream]],
    high_bps: float,
    *,
    resolution: float = 0.001,
    duration_s: float = 1.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Throughput:
    """Search the largest rate without loss by halving.

    The first trial is at `high_bps`; if it loses, the search goes on between the largest rate that
    passed and the smallest that lost, until these are `resolution` apart.

    Parameters
    ----------
    where : Port, Forwarder or Chain
    streams_at : callable
        Of a rate [bit/s]: the streams to offer. What the rate counts (frames, lines, one
        direction or both) is up to it.
    high_bps : float
        The largest rate to try, say that of the medium [bit/s].
    resolution : float
        Where the search ends, as a share of `high_bps`.
    duration_s : float
        Simulated time of a trial [s]; RFC 2544, section 24, asks for 60 s.
    seed : int
        Of every trial.
    progress : callable, optional
        As for `simulate`, told anew in each trial.

    Raises
    ------
    ValueError
        If a number is out of its range, no packet is offered at the largest rate, or as
        `simulate` does.
    KeyboardInterrupt
        If a trial was stopped: half a trial is no answer.

    Notes
    -----
    What still waits at the end of a trial is not lost. A buffer of B bits therefore hides an
    overload of up to ``B / duration``: make the trial long enough.

    References
    ----------
    RFC 2544, section 26.1.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(10)),), overhead_bytes=20)
    >>> found = throughput(port, lambda rate: [Stream("a", rate, 64)], 100e6)
    >>> round(found.rate_bps / 100e6, 3), round(64 / 84, 3)
    (0.762, 0.762)
    """
    checked(Callable, streams_at, "streams_at")
    _check(high_bps, resolution)

    def trial(rate_bps):
        tried = _tried(where, streams_at, rate_bps, duration_s, seed, progress)
        trials.append(tried)
        return tried.passed

    trials: list[Trial] = []
    if trial(high_bps):
        if not trials[0].offered_packets:
            fail("high_bps", high_bps, f"a rate that offers a packet within {duration_s} s")
        return Throughput(high_bps, tuple(trials))
    low_bps, lost_bps = 0.0, high_bps
    while lost_bps - low_bps > resolution * high_bps and len(trials) < MOST_TRIALS:
        rate_bps = (low_bps + lost_bps) / 2
        if trial(rate_bps):
            low_bps = rate_bps
        else:
            lost_bps = rate_bps
    offered = any(each.passed and each.offered_packets for each in trials)
    return Throughput(low_bps if offered else 0.0, tuple(trials))


def _check(high_bps, resolution):
    checked(Positive, high_bps, "high_bps")
    checked(float, resolution, "resolution")
    if not 0 < resolution < 1:
        fail("resolution", resolution, "above 0 and below 1")


def _tried(where, streams_at, rate_bps, duration_s, seed, progress):
    result = simulate(
        where, tuple(streams_at(rate_bps)), duration_s, seed=seed, bins=1, progress=progress
    )
    if result.interrupted:
        raise KeyboardInterrupt
    assert result.packets is not None
    offered, lost = result.packets.offered.sum(), result.packets.lost.sum()
    return Trial(rate_bps, int(offered), int(lost))
