"""How long a packet waits in a queue that overflows."""

import numpy as np

from qoslib import units
from qoslib.fluid.paths import ratio
from qoslib.port import (
    ByteLimit,
    Dropper,
    DropProfile,
    HeadDrop,
    PacketLimit,
    Port,
    Queue,
    Red,
    SchedulerTree,
    TailDrop,
    TimeLimit,
)
from qoslib.port.nodes import outline
from qoslib.tolerances import ROUNDING
from qoslib.units import Floats

__all__ = ["buffer_bytes", "limits_bytes", "together", "usable_share", "waiting_s"]


def buffer_bytes(queue: Queue, line_bps: float, served_bps: Floats, packet_bytes: Floats) -> Floats:
    """What a queue holds while it overflows, in bytes on the line.

    A time limit T holds ``r T`` with r the guaranteed rate, the line rate, or the larger of the
    guaranteed and the served rate (MAD). A queue with a resume threshold moves up and down between
    that and the limit, at constant rates, so that it holds half of their sum on average.
    """
    frame, on_line = packet_bytes[..., 0], packet_bytes[..., 1]
    match queue.limit:
        case PacketLimit(packets, limit_bytes, _, resume_bytes):
            held = np.minimum(packets, np.inf if limit_bytes is None else limit_bytes / frame)
            opens = np.minimum(held if queue.limit.resume is None else queue.limit.resume, held)
            if resume_bytes is not None:
                opens = np.minimum(opens, resume_bytes / frame)
            return (held + opens) / 2 * on_line
        case ByteLimit(limit_bytes, resume):
            held_bytes = limit_bytes if resume is None else (limit_bytes + resume) / 2
            return held_bytes * on_line / frame
        case TimeLimit(time_s, "line"):
            return units.octets(line_bps * time_s) * np.ones_like(on_line)
        case TimeLimit(time_s, "guaranteed"):
            return units.octets(queue.guaranteed_bps * time_s) * np.ones_like(on_line)
        case TimeLimit(time_s):
            return units.octets(np.maximum(queue.guaranteed_bps, served_bps) * time_s)


def limits_bytes(port: Port, packet_bytes: Floats) -> Floats:
    """What each queue holds while it overflows, in bytes on the line."""
    line_bps = port.rate_bps
    held = [
        buffer_bytes(queue, line_bps, np.array(line_bps, dtype=float), packet_bytes[..., i, :])
        for i, queue in enumerate(port.queues)
    ]
    return np.stack(np.broadcast_arrays(*held), axis=-1)


def together(port: Port, wait_s: Floats) -> Floats:
    """The waiting times, where those of one level that send in order of arrival are the longest."""
    scheduler = port.scheduler
    if not isinstance(scheduler, SchedulerTree):
        return wait_s
    parents = outline(port.queues, scheduler.nodes).parents
    levels: dict[tuple[int, int], list[int]] = {}
    for i, queue in enumerate(port.queues):
        if queue.priority < scheduler.fifo_levels and queue.shaper is None:
            levels.setdefault((queue.priority, parents[i]), []).append(i)
    for members in levels.values():
        longest_s = np.fmax.reduce(wait_s[..., members], axis=-1, keepdims=True)
        wait_s[..., members] = np.where(wait_s[..., members] >= 0, longest_s, np.nan)
    return wait_s


def usable_share(dropper: Dropper, loss: Floats) -> Floats:
    """The fill level at which a dropper loses this share of the packets, as a share of the buffer.

    A drop profile holds the queue where its probability reaches the loss: on the first step that
    is high enough, or on the line between two points; a buffer that fills all the same is full.
    """
    match dropper:
        case TailDrop() | HeadDrop():
            return np.ones_like(loss)
        case DropProfile(points):
            fills, probabilities = np.transpose(points)
            level: Floats
            if dropper.shape == "interpolated":
                level = np.interp(loss, [0, *probabilities], [0, *fills], right=1.0)
            else:
                level = np.append(fills, 1.0)[np.searchsorted(probabilities, loss - ROUNDING)]
            return level
    name = type(dropper).__name__
    known = "TailDrop, HeadDrop, Red, DropProfile"
    raise ValueError(f"dropper is {name}; the fluid model knows {known}")


def waiting_s(
    queue: Queue,
    line_bps: float,
    enqueued_bps: Floats,
    served_bps: Floats,
    packet_bytes: Floats,
    room_bytes: Floats | float = np.inf,
) -> Floats:
    """Waiting time in a queue [s]: 0 while it keeps up, NaN where nothing is sent.

    NaN as well where a RED dropper holds the queue down: its length moves with the average that
    it looks at, which is no steady state.

    With B the usable buffer, E the rate into the queue and Tr the rate served,

    - tail drop: ``L = B / Tr``,
    - head drop: ``L = B / E``, since the queue moves by service and by drops, ``E = Tr + R``.

    References
    ----------
    Source m120, scenario 2: L = B / (Tr + R) = B / E.
    """
    loss = 1 - ratio(served_bps, enqueued_bps)
    if isinstance(queue.dropper, Red):
        return np.where((served_bps > 0) & (loss <= ROUNDING), 0.0, np.nan)
    buffer = buffer_bytes(queue, line_bps, served_bps, packet_bytes)
    held = np.minimum(buffer, room_bytes) * usable_share(queue.dropper, loss)
    moving = enqueued_bps if queue.dropper.drops_head else served_bps
    full = (served_bps > 0) & (loss > ROUNDING)
    wait = units.bits(held) / np.where(full, moving, np.inf)
    return np.where(served_bps > 0, wait, np.nan)
