"""WRED in the long run: of the streams of one queue those of the lowest profile lose first."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.fluid.delay import buffer_bytes
from qoslib.fluid.paths import Paths
from qoslib.fluid.sharing import in_proportion
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    PacketLimit,
    Port,
    Queue,
    Red,
    RedProfile,
    ShareRedProfile,
    TimeLimit,
    TimeRedProfile,
)
from qoslib.port.thresholds import Thresholds
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["by_limit", "red_minimum_packets", "shared_by_profile"]


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
    that profile share what is left, ``s_i = d_i min(1, left / sum d)``. Limits by mark do the same,
    as steps.
    """
    sent = sent_bps.copy()
    demand = entered_bps * paths.on_line
    for index, queue in enumerate(port.queues):
        mine = paths.member[:, index] > 0
        if isinstance(queue.dropper, Red):
            bands = _bands(queue, streams, mine)
        elif queue.limits:
            bands = [members for _, members in by_limit(queue, streams, mine)]
        else:
            continue
        left = served_bps[..., index]
        for members in bands:
            got = in_proportion(demand[..., members], left)
            sent[..., members] = got / paths.on_line[members]
            left = np.maximum(left - got.sum(-1), 0.0)
    return sent


def by_limit(
    queue: Queue, streams: Sequence[Stream], mine: NDArray[np.bool_]
) -> list[tuple[PacketLimit | ByteLimit | TimeLimit, NDArray[np.intp]]]:
    """The limits that the streams of a queue find, the highest first, and the streams of each."""
    own = dict(queue.limits)
    limits = [min(own.get(s.label, queue.limit), queue.limit, key=_size) for s in streams]
    used = {limit for limit, here in zip(limits, mine, strict=True) if here}
    return [
        (limit, np.flatnonzero(mine & [each == limit for each in limits]))
        for limit in sorted(used, key=_size, reverse=True)
    ]


def _size(limit: PacketLimit | ByteLimit | TimeLimit) -> float:
    match limit:
        case PacketLimit(size) | ByteLimit(size) | TimeLimit(size):
            return size


def red_minimum_packets(
    port: Port, streams: Sequence[Stream], paths: Paths, packet_bytes: Floats
) -> list[Floats | float]:
    """From how many packets on the RED of each queue may drop; infinite without RED.

    `packet_bytes` are each queue's mean packets, as of `qoslib.fluid.paths.Paths.packet_bytes`.
    """
    each: list[Floats | float] = []
    for index, queue in enumerate(port.queues):
        _, used = _profiles(queue, streams, paths.member[:, index] > 0)
        packet = packet_bytes[..., index, :]
        least = [_minimum_packets(profile, port, queue, packet) for profile in used]
        each.append(min(least, key=np.min) if least else np.inf)
    return each


def _minimum_packets(
    profile: Thresholds, port: Port, queue: Queue, packet_bytes: Floats
) -> Floats | float:
    frame, on_line = packet_bytes[..., 0], packet_bytes[..., 1]
    match profile:
        case RedProfile(minimum_packets):
            return minimum_packets
        case ByteRedProfile(minimum_bytes):
            return minimum_bytes / frame
        case TimeRedProfile(minimum_s, _, rate_bps):
            return units.octets(minimum_s * rate_bps) / frame
        case ShareRedProfile(minimum_share):
            served_bps = np.zeros(on_line.shape)
            room = buffer_bytes(queue, port.rate_bps, served_bps, packet_bytes)
            return minimum_share * room / on_line


def _knees(profile: Thresholds) -> tuple[float, float]:
    """Minimum and maximum of a profile, in what profiles of its kind count."""
    match profile:
        case RedProfile(low, high) | ByteRedProfile(low, high) | ShareRedProfile(low, high):
            return low, high
        case TimeRedProfile(low, high, rate_bps):
            return low * rate_bps, high * rate_bps


def _profiles(
    queue: Queue, streams: Sequence[Stream], mine: NDArray[np.bool_]
) -> tuple[list[Thresholds], set[Thresholds]]:
    """The RED profile of each stream, and those that the streams of this queue use."""
    if not isinstance(queue.dropper, Red):
        return [], set()
    profiles = dict(reversed(queue.dropper.profiles))
    of_stream = [profiles.get(stream.label, queue.dropper.profile) for stream in streams]
    return of_stream, {profile for profile, here in zip(of_stream, mine, strict=True) if here}


def _bands(
    queue: Queue, streams: Sequence[Stream], mine: NDArray[np.bool_]
) -> list[NDArray[np.intp]]:
    """Streams of a queue by profile, the highest first; before them those that are only marked."""
    marked = mine & [queue.marking is not None and stream.ecn != "no" for stream in streams]
    mine = mine & ~marked
    of_stream, used = _profiles(queue, streams, mine)
    order = sorted(used, key=_knees, reverse=True)
    for higher, lower in pairwise(order):
        if _knees(lower)[1] > _knees(higher)[0]:
            raise ValueError(
                f"Queue {queue.name!r} has the profiles {lower} and {higher};"
                " allowed: profiles that do not overlap in the fluid model;"
                ' model="packets" runs these'
            )
    bands = [
        np.flatnonzero([here and p == profile for p, here in zip(of_stream, mine, strict=True)])
        for profile in order
    ]
    return [np.flatnonzero(marked), *bands]
