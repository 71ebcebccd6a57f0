"""WRED in the long run: of the streams of one queue those of the lowest profile lose first."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qoslib.fluid.paths import Paths
from qoslib.fluid.sharing import in_proportion
from qoslib.port import Port, Queue, Red, RedProfile
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["red_minimum_packets", "shared_by_profile"]


def shared_by_profile(
    port: Port,
    streams: Sequence[Stream],
    paths: Paths,
    entered_bps: Floats,
    served_bps: Floats,
    sent_bps: Floats,
) -> Floats:
    """What each stream sends, in bits of frames [bit/s], where WRED tells streams apart.

    With profiles that do not overlap a queue that loses stands between the thresholds of one of
    them: who has a higher profile loses nothing, who has a lower one everything, and those of
    that profile share what is left, ``s_i = d_i min(1, left / sum d)``.

    Parameters
    ----------
    port : Port
    streams : sequence of Stream
    paths : Paths
    entered_bps : ndarray, shape (..., streams)
        Behind the policers, in bits of frames [bit/s].
    served_bps : ndarray, shape (..., queues)
        In bits on the line [bit/s].
    sent_bps : ndarray, shape (..., streams)
        Shared in proportion: the answer for all other queues.

    Raises
    ------
    ValueError
        If two profiles in use overlap: then both lose, by an average this model has not.
    """
    sent = sent_bps.copy()
    demand = entered_bps * paths.on_line
    for index, queue in enumerate(port.queues):
        if not isinstance(queue.dropper, Red):
            continue
        left = served_bps[..., index]
        for members in _bands(queue, streams, paths.member[:, index] > 0):
            got = in_proportion(demand[..., members], left)
            sent[..., members] = got / paths.on_line[members]
            left = np.maximum(left - got.sum(-1), 0.0)
    return sent


def red_minimum_packets(port: Port, streams: Sequence[Stream], paths: Paths) -> list[float]:
    """From how many packets on the RED of each queue may drop; infinite without RED."""
    return [
        min((profile.minimum_packets for profile in used), default=np.inf)
        for _, used in (
            _profiles(queue, streams, paths.member[:, index] > 0)
            for index, queue in enumerate(port.queues)
        )
    ]


def _profiles(
    queue: Queue, streams: Sequence[Stream], mine: NDArray[np.bool_]
) -> tuple[list[RedProfile], set[RedProfile]]:
    """The RED profile of each stream, and those that the streams of this queue use."""
    if not isinstance(queue.dropper, Red):
        return [], set()
    profiles = dict(reversed(queue.dropper.profiles))
    of_stream = [profiles.get(stream.label, queue.dropper.profile) for stream in streams]
    return of_stream, {profile for profile, here in zip(of_stream, mine, strict=True) if here}


def _bands(
    queue: Queue, streams: Sequence[Stream], mine: NDArray[np.bool_]
) -> list[NDArray[np.intp]]:
    """Streams of a queue by profile, the highest first."""
    of_stream, used = _profiles(queue, streams, mine)
    order = sorted(used, key=lambda p: (p.minimum_packets, p.maximum_packets), reverse=True)
    for higher, lower in pairwise(order):
        if lower.maximum_packets > higher.minimum_packets:
            raise ValueError(
                f"Queue {queue.name!r} has the profiles {lower} and {higher};"
                " allowed: profiles that do not overlap in the fluid model;"
                ' model="packets" runs these'
            )
    return [
        np.flatnonzero([here and p == profile for p, here in zip(of_stream, mine, strict=True)])
        for profile in order
    ]
