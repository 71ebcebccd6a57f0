"""Unknown beginnings of streams: phases and starts that no source describes, drawn at random."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.traffic import Cbr, Stream, TickedBursts

__all__ = ["delayed", "random_phases", "random_starts"]

#: Apart from the draws of the phases, which have the seed alone.
_STARTS = 1


def random_phases(streams: Sequence[Stream], seed: int) -> list[Stream]:
    """Regular streams, each begun at a random point of its first interval or tick.

    No source describes how the streams of its load generators stood to each other, and streams
    that all begin at once are the least likely case.

    >>> [stream] = random_phases([Stream("a", 8e6, 1000)], seed=1)
    >>> 0 < stream.arrivals.phase_s < 1e-3
    True
    """
    rng = np.random.default_rng(seed)
    return [_begun(stream, rng.random()) for stream in streams]


def _begun(stream: Stream, share: float) -> Stream:
    if isinstance(stream.arrivals, TickedBursts):
        return stream.replace(
            arrivals=stream.arrivals.replace(phase_s=share * stream.arrivals.tick_s)
        )
    if not isinstance(stream.arrivals, Cbr) or not stream.rate_bps:
        return stream
    interval_s = 1 / units.rate_pps(stream.rate_bps, stream.mean_frame_bytes)
    return stream.replace(arrivals=Cbr(share * interval_s))


def random_starts(streams: Sequence[Stream], within_s: float, seed: int) -> list[Stream]:
    """Streams, of which all but the first start later by a uniform draw, as if by hand.

    >>> first, second = random_starts([Stream("a", 1e6), Stream("b", 1e6)], 1.0, seed=1)
    >>> first.start_s, 0 < second.start_s < 1
    (0.0, True)
    """
    rng = np.random.default_rng((seed, _STARTS))
    first, *others = streams
    return [first, *(delayed(stream, within_s * rng.random()) for stream in others)]


def delayed(stream: Stream, by_s: float) -> Stream:
    """The stream, starting and stopping later [s].

    >>> delayed(Stream("a", 1e6, stop_s=10.0), 0.5).stop_s
    10.5
    """
    stop_s = None if stream.stop_s is None else stream.stop_s + by_s
    return stream.replace(start_s=stream.start_s + by_s, stop_s=stop_s)
