"""What queues hold of a memory that they share under dynamic thresholds."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qoslib import units
from qoslib.fluid.colours import Parts
from qoslib.fluid.delay import buffer_bytes
from qoslib.fluid.paths import Paths, ratio
from qoslib.port import MemoryPool, Port, Switch
from qoslib.record import AtLeastOne, Positive, checked, fail
from qoslib.results import Result
from qoslib.tolerances import ROUNDING
from qoslib.traffic import FrameMix, Stream
from qoslib.units import Floats

__all__ = ["Line", "burst_bytes", "room_bytes", "side_by_side", "threshold_bytes"]

#: Halvings that find what is free of a memory, to the last bit of a float.
HALVINGS = 60


def threshold_bytes(
    memory_bytes: float, alphas: ArrayLike, most_bytes: ArrayLike = np.inf
) -> Floats:
    """What each of some overloaded queues holds of a memory under dynamic thresholds [B].

    A queue is cut off at ``T = alpha free``, and all that overflow stay there:
    ``q_i = alpha_i M / (1 + sum alpha)``, of which ``M / (1 + sum alpha)`` stays free. A queue
    with less room of its own stays at that, and leaves the rest to the others.

    Parameters
    ----------
    memory_bytes : float
        The shared part of the memory [B].
    alphas : ndarray, shape (queues,) or (..., queues)
        Of the queues that overflow; 0 for one that is empty.
    most_bytes : ndarray, shape (..., queues), optional
        What their own limits let them hold of it [B].

    Returns
    -------
    ndarray, shape (..., queues)
        Bytes of memory [B].

    Raises
    ------
    ValueError
        If the memory is not above 0, or an alpha is below 0 or no number.

    References
    ----------
    Choudhury and Hahne 1998, doi:10.1109/90.664262.

    Examples
    --------
    Two queues of one alpha share evenly; a queue of alpha 8 takes eight times as much as its
    neighbour of alpha 1.

    >>> print(threshold_bytes(3000, [1, 1]), threshold_bytes(3000, [8, 1]))
    [1000. 1000.] [2400.  300.]
    """
    memory = checked(Positive, memory_bytes, "memory_bytes")
    try:
        alpha, most = np.broadcast_arrays(np.asarray(alphas, float), np.asarray(most_bytes, float))
    except (TypeError, ValueError):
        fail("alphas", alphas, "numbers, one for each queue")
    if alpha.ndim == 0 or not ((alpha >= 0) & np.isfinite(alpha)).all():
        fail("alphas", alphas, "at least one, each 0 or more")
    low, high = np.zeros(alpha.shape[:-1]), np.full(alpha.shape[:-1], memory)
    for _ in range(HALVINGS):
        free = (low + high) / 2
        fits = free + np.minimum(alpha * free[..., None], most).sum(-1) <= memory
        low, high = np.where(fits, free, low), np.where(fits, high, free)
    held: Floats = np.minimum(alpha * high[..., None], most)
    return held


def burst_bytes(memory_bytes: float, alpha: float, speed: float, standing: int = 1) -> float:
    """The length of a queue, empty before a burst came, at which it loses its first packet [B].

    It is the length of the queue, not of the burst. The queue sends at C while the burst arrives at
    `speed` times C, so a burst of up to ``speed / (speed - 1)`` times this length loses nothing.

    Other queues stand at their threshold and send at their line's rate C; the burst arrives at
    `speed` times C. As the memory fills, all thresholds fall. Where the standing queues drain
    as fast as that, the new one reaches ``alpha M / (1 + (n + 1) alpha)``; where they do not, it
    meets the threshold sooner, at ``(R - 1) T / (R - 1 + alpha (R - 1 - n))`` with
    ``T = alpha M / (1 + n alpha)``: a large alpha starves fast bursts.

    Parameters
    ----------
    memory_bytes : float
        The shared part of the memory [B].
    alpha : float
        Of all these queues.
    speed : float
        Rate of the burst over the rate of a line, above 1 [ratio].
    standing : int
        How many queues stand at their threshold.

    Returns
    -------
    float
        What the queue holds of the memory [B].

    Raises
    ------
    ValueError
        If a number is not above 0, or the speed not above 1.

    Examples
    --------
    >>> [round(burst_bytes(3000, alpha, speed=11)) for alpha in (0.5, 1, 8)]
    [690, 789, 325]

    At alpha 1 the longest burst without loss is longer than that queue:

    >>> round(11 / 10 * burst_bytes(3000, 1, speed=11))
    868
    """
    memory: float = checked(Positive, memory_bytes, "memory_bytes")
    alpha = checked(Positive, alpha, "alpha")
    count: int = checked(AtLeastOne, standing, "standing")
    rises: float = checked(Positive, speed, "speed") - 1
    if rises <= 0:
        fail("speed", speed, "above 1")
    falls = alpha * (rises - count)
    if falls <= 1:
        return alpha * memory / (1 + (count + 1) * alpha)
    return rises * (alpha * memory / (1 + count * alpha)) / (rises + falls)


class Line(NamedTuple):
    """A port under load: what goes into its queues and out, in bits on the line [bit/s].

    Arrays of shape (..., queues), `packet_bytes` (..., queues, 2); `entered_bps` (..., parts).
    `weights` are the scheduler's; `notes` is what there is to say of the rates served.
    """

    port: Port
    parts: Parts
    paths: Paths
    entered_bps: Floats
    put_in_bps: Floats
    served_bps: Floats
    packet_bytes: Floats
    weights: Floats
    notes: tuple[str, ...]


def room_bytes(lines: Sequence[Line]) -> list[Floats]:
    """What pools leave each queue of ports that share them, in bytes on the line [B]."""
    rooms = [np.full(line.put_in_bps.shape, np.inf) for line in lines]
    pools = {pool.name: pool for line in lines for pool in line.port.pools}
    for pool in pools.values():
        members = list(_members(lines, pool))
        if not members:
            continue
        queues = [lines[at].port.queues[i] for at, i in members]
        shared = pool.limit_bytes - sum(queue.reserved_bytes for queue in queues)
        parts = [_of_pool(lines[at], i, pool) for at, i in members]
        alphas, most, per_byte = (np.stack(each, axis=-1) for each in zip(*parts, strict=True))
        held = threshold_bytes(shared, alphas, most) if shared > 0 else np.zeros_like(most)
        for number, (at, i) in enumerate(members):
            whole = held[..., number] + queues[number].reserved_bytes
            rooms[at][..., i] = whole / per_byte[..., number]
    return rooms


def _members(lines: Sequence[Line], pool: MemoryPool) -> Iterator[tuple[int, int]]:
    """Places of the port and of the queue, of each queue with memory of this pool."""
    for at, line in enumerate(lines):
        for i, queue in enumerate(line.port.queues):
            if queue.pool == pool.name:
                yield at, i


def _of_pool(line: Line, i: int, pool: MemoryPool) -> tuple[Floats, Floats, Floats]:
    """Its alpha, 0 while it does not overflow; what its limit lets it share; memory per byte."""
    queue, packet = line.port.queues[i], line.packet_bytes[..., i, :]
    served, put_in = line.served_bps[..., i], line.put_in_bps[..., i]
    overflows = 1 - ratio(served, put_in) > ROUNDING
    per_byte = _memory_bytes(line, i, pool) / packet[..., 1]
    own = buffer_bytes(queue, line.port.rate_bps, served, packet) * per_byte
    alpha = np.where(overflows, queue.alpha or 0.0, 0.0)
    return alpha, np.maximum(own - queue.reserved_bytes, 0.0), per_byte


def _memory_bytes(line: Line, i: int, pool: MemoryPool) -> Floats:
    """What a mean packet of a queue takes of the memory [B]."""
    each = np.array([_mean_taken(stream, pool) for stream in line.parts.streams], dtype=float)
    packets = units.rate_pps(line.entered_bps, line.paths.frames) * line.paths.member[:, i]
    taken: NDArray[np.float64] = ratio((packets * each).sum(-1), packets.sum(-1))
    return taken


def _mean_taken(stream: Stream, pool: MemoryPool) -> float:
    """What a packet of a stream takes of the memory on average [B]."""
    frames = stream.frame_bytes
    if isinstance(frames, FrameMix):
        sizes = zip(frames.sizes_bytes, frames.shares, strict=True)
        return sum(share * pool.taken_bytes(size) for size, share in sizes)
    return float(pool.taken_bytes(frames))


def side_by_side(switch: Switch, streams: Sequence[Stream], hops: Sequence[Result]) -> Result:
    """The result of a switch, made of those of its ports: each stream passes one of them."""
    places = np.argsort(np.concatenate(switch.members(streams)), kind="stable")

    def whole(name: str) -> Floats:
        values: Floats = np.concatenate([getattr(hop, name) for hop in hops], axis=-1)[..., places]
        return values

    def of_cause(cause: str) -> Floats:
        nothing = (np.zeros_like(hop.sent_pps) for hop in hops)
        parts = [hop.dropped_by_pps.get(cause, no) for hop, no in zip(hops, nothing, strict=True)]
        return np.concatenate(parts, axis=-1)[..., places]

    def of_mark(mark: str) -> Floats:
        """Of a port that gives no marks, its streams have their own."""
        parts = []
        for hop, mine in zip(hops, switch.members(streams), strict=True):
            own = hop.sent_pps * [streams[i].label == mark for i in mine]
            given = hop.sent_by_mark_pps.get(mark, np.zeros_like(own))
            parts.append(given if hop.sent_by_mark_pps else own)
        return np.concatenate(parts, axis=-1)[..., places]

    names = [hop.at.name for hop in switch.hops]
    return Result(
        model="fluid",
        streams=tuple(stream.name for stream in streams),
        queues=tuple(f"{n}/{q}" for n, hop in zip(names, hops, strict=True) for q in hop.queues),
        offered_pps=whole("offered_pps"),
        sent_pps=whole("sent_pps"),
        dropped_pps=whole("dropped_pps"),
        offered_bps=whole("offered_bps"),
        sent_bps=whole("sent_bps"),
        dropped_bps=whole("dropped_bps"),
        delay_mean_s=whole("delay_mean_s"),
        delay_min_s=whole("delay_min_s"),
        delay_max_s=whole("delay_max_s"),
        dropped_by_pps={
            cause: of_cause(cause)
            for cause in sorted({cause for hop in hops for cause in hop.dropped_by_pps})
        },
        sent_by_mark_pps={
            mark: of_mark(mark)
            for mark in dict.fromkeys(mark for hop in hops for mark in hop.sent_by_mark_pps)
        },
        without_delay={name: why for hop in hops for name, why in hop.without_delay.items()},
        hops=tuple(hops),
        notes=tuple(
            f"{name}: {note}" for name, hop in zip(names, hops, strict=True) for note in hop.notes
        ),
    )
