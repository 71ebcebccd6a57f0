"""Throughput in the sense of RFC 2544: the largest rate at which no packet is lost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from qoslib import units
from qoslib.packets.plan import as_port
from qoslib.packets.progress import Progress
from qoslib.packets.simulate import simulate
from qoslib.port import Chain, Forwarder, Hop, Port, Queue, TimeLimit
from qoslib.record import Positive, Within, checked, fail
from qoslib.traffic import MOST_BPS, Stream

__all__ = ["Throughput", "Trial", "throughput"]

#: Halvings that no search needs: a double has no finer rates.
MOST_TRIALS = 60
#: Finest resolution: a finer one takes longer trials than anybody waits for.
FINEST = 1e-6
#: A trial is no shorter [s].
SHORTEST_S = 1.0
#: Shares of a trial that are run first: a large overload shows its losses soon.
SHORTER = (1 / 32, 1 / 4)


@dataclass(frozen=True)
class Trial:
    """One trial: the rate that was tried [bit/s], what was offered at it, and what was lost.

    `duration_s` is the simulated time [s]; a trial that lost packets may have ended early.
    """

    rate_bps: float
    offered_packets: int
    lost_packets: int
    duration_s: float

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
    duration_s : float
        Simulated time without a loss that a rate needs to pass [s].
    """

    rate_bps: float
    trials: tuple[Trial, ...]
    duration_s: float


def throughput(
    network: Port | Forwarder | Chain,
    streams_at: Callable[[float], Sequence[Stream]],
    high_bps: float,
    *,
    resolution: float = 0.001,
    duration_s: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Throughput:
    """Search for the largest rate without loss by halving.

    The first trial is at `high_bps`. If it loses packets, the search goes on between the largest
    rate that passed and the smallest that lost, until these are `resolution` apart.

    Parameters
    ----------
    network : Port, Forwarder or Chain
    streams_at : callable
        Takes a rate [bit/s] and returns the streams to offer. It decides what the rate counts
        (frames, lines, one direction or both).
    high_bps : float
        The largest rate to try [bit/s], for example that of the medium.
    resolution : float
        Where the search ends, as a share of `high_bps`.
    duration_s : float, optional
        Simulated time of a trial [s]; RFC 2544, section 24, asks for 60 s. By default long enough
        for an overload of one `resolution` to lose a packet, and at least 1 s.
    seed : int
        Seed of every trial.
    progress : callable, optional
        As for `simulate`; it starts again in each run of a trial.

    Returns
    -------
    Throughput
        The largest rate without loss, and every trial.

    Raises
    ------
    ValueError
        If a number is out of range, if no packet is offered at the largest rate, or where
        `simulate` raises it.
    KeyboardInterrupt
        If a trial was stopped, since half a trial is no answer.

    Notes
    -----
    What still waits at the end of a trial is not lost, so a buffer of B bits hides an overload of
    up to ``B / duration``. By default a trial lasts ``B / (resolution * offered)``, where offered
    is the rate at `high_bps`. B is all that the queues of a port hold, with its transmit ring and
    the burst of its shaper. A queue with its own policer or shaper gives another such time,
    from what it holds and what its streams offer. The longest of these times over all hops counts.

    A rate passes only if a whole trial loses nothing. Before that, a thirty-second and a quarter
    of the trial are run. If they lose packets, the trial ends.

    References
    ----------
    RFC 2544, sections 24 and 26.1.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(10)),), overhead_bytes=20)
    >>> found = throughput(port, lambda rate: [Stream("a", rate, 64)], 100e6)
    >>> round(found.rate_bps / 100e6, 3), round(64 / 84, 3)
    (0.762, 0.762)
    """
    network = checked(Port | Forwarder | Chain, network, "network")
    checked(Callable, streams_at, "streams_at")
    _check(high_bps, resolution)
    whole_s = checked(Positive | None, duration_s, "duration_s")
    if whole_s is None:
        at_high = checked(tuple[Stream, ...], streams_at(high_bps), "streams_at(high_bps)")
        whole_s = max(_trial_s(network, at_high, resolution), SHORTEST_S)

    def trial(rate_bps: float) -> bool:
        for share in (*SHORTER, 1):
            tried = _tried(network, streams_at, rate_bps, share * whole_s, seed, progress)
            if not tried.passed:
                break
        trials.append(tried)
        return tried.passed

    trials: list[Trial] = []
    if trial(high_bps):
        if not trials[0].offered_packets:
            fail("high_bps", high_bps, f"a rate that offers a packet within {whole_s} s")
        return Throughput(high_bps, tuple(trials), whole_s)
    low_bps, lost_bps = 0.0, high_bps
    while lost_bps - low_bps > resolution * high_bps and len(trials) < MOST_TRIALS:
        rate_bps = (low_bps + lost_bps) / 2
        if trial(rate_bps):
            low_bps = rate_bps
        else:
            lost_bps = rate_bps
    offered = any(each.passed and each.offered_packets for each in trials)
    return Throughput(low_bps if offered else 0.0, tuple(trials), whole_s)


def _trial_s(
    network: Port | Forwarder | Chain, streams: Sequence[Stream], resolution: float
) -> float:
    """How long a trial must last for an overload of one step to lose a packet [s]."""
    hops = network.hops if isinstance(network, Chain) else (Hop(network),)
    times_s = [0.0]
    for hop in hops:
        passing = [each for each in streams if not hop.streams or each.name in hop.streams]
        times_s += [bits / (resolution * bps) for bits, bps in _held(hop.at, passing) if bps > 0]
    return max(times_s)


def _held(at: Port | Forwarder, streams: Sequence[Stream]) -> Iterator[tuple[float, float]]:
    """What a port or forwarder may hold [bit], and what is offered to it [bit/s]; pairs."""
    queues, ring_packets = as_port(at)
    largest_bytes = max((each.mean_frame_bytes for each in streams), default=1.0)
    burst_bytes = at.shaper.burst_bytes if isinstance(at, Port) and at.shaper else 0
    total_bits = units.bits(ring_packets * largest_bytes + burst_bytes)
    for index, queue in enumerate(queues):
        mine = [s for s in streams if isinstance(at, Forwarder) or at.queue_of(s) == index]
        offered_bps = sum(each.mean_rate_bps for each in mine)
        frame_bytes = max((each.mean_frame_bytes for each in mine), default=1.0)
        bits = _queue_bits(at, queue, frame_bytes)
        total_bits += bits
        if queue.shaper:
            yield bits + units.bits(queue.shaper.burst_bytes), offered_bps
        if queue.policer:
            yield units.bits(queue.policer.burst_bytes), offered_bps
    yield total_bits, sum(each.mean_rate_bps for each in streams)


def _queue_bits(at: Port | Forwarder, queue: Queue, frame_bytes: float) -> float:
    """What a queue may hold, in bits of frames."""
    if isinstance(at, Forwarder):
        line_bps = units.bits(frame_bytes) / (at.packet_s + at.byte_s * frame_bytes)
    else:
        line_bps = at.rate_bps
    if not isinstance(queue.limit, TimeLimit):
        return units.bits(queue.limit.held_bytes(frame_bytes))
    rate_bps = queue.guaranteed_bps if queue.limit.at == "guaranteed" else line_bps
    return rate_bps * queue.limit.time_s


def _check(high_bps: float, resolution: float) -> None:
    checked(Annotated[float, Within(0, MOST_BPS, open_low=True)], high_bps, "high_bps")
    checked(float, resolution, "resolution")
    if not FINEST <= resolution < 1:
        fail("resolution", resolution, f"at least {FINEST:g} and below 1")


def _tried(
    network: Port | Forwarder | Chain,
    streams_at: Callable[[float], Sequence[Stream]],
    rate_bps: float,
    duration_s: float,
    seed: int,
    progress: Progress | None,
) -> Trial:
    result = simulate(
        network, tuple(streams_at(rate_bps)), duration_s, seed=seed, bins=1, progress=progress
    )
    if result.interrupted:
        raise KeyboardInterrupt
    assert result.packets is not None
    offered, lost = result.packets.offered.sum(), result.packets.lost.sum()
    return Trial(rate_bps, int(offered), int(lost), duration_s)
