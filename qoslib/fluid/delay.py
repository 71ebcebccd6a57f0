"""How long a packet waits in a queue that overflows."""

import numpy as np

from qoslib import units
from qoslib.port import ByteLimit, DropProfile, HeadDrop, PacketLimit, TailDrop, TimeLimit

__all__ = ["buffer_bytes", "drops_at_head", "usable_share", "waiting_s"]


def buffer_bytes(queue, line_bps, served_bps, packet_bytes):
    """What a queue holds when full, in bytes on the line.

    A time limit T holds ``r T`` with r the guaranteed rate, the line rate, or the larger of the
    guaranteed and the served rate (MAD).

    Parameters
    ----------
    queue : Queue
    line_bps : float
        Line rate [bit/s].
    served_bps : ndarray, shape (...)
        What the queue sends, in bits on the line [bit/s].
    packet_bytes : ndarray, shape (..., 2)
        Mean packet of the queue, as a frame and on the line [B].
    """
    frame, on_line = packet_bytes[..., 0], packet_bytes[..., 1]
    match queue.limit:
        case PacketLimit(packets):
            return packets * on_line
        case ByteLimit(limit_bytes):
            return limit_bytes * on_line / frame
        case TimeLimit(time_s, "line"):
            return units.octets(line_bps * time_s) * np.ones_like(on_line)
        case TimeLimit(time_s, "guaranteed"):
            return units.octets(queue.guaranteed_bps * time_s) * np.ones_like(on_line)
        case TimeLimit(time_s, "served"):
            return units.octets(np.maximum(queue.guaranteed_bps, served_bps) * time_s)


def usable_share(dropper):
    """The fill level at which a dropper lets nothing more in, as a share of the buffer.

    Raises
    ------
    ValueError
        If the dropper has no closed form here; the packet model runs it.
    """
    match dropper:
        case TailDrop() | HeadDrop():
            return 1.0
        case DropProfile(points):
            return next((fill for fill, probability in points if probability == 1), 1.0)
    name = type(dropper).__name__
    raise ValueError(f"dropper is {name}; the fluid model knows TailDrop, HeadDrop, DropProfile")


def drops_at_head(dropper):
    """Whether the oldest packet goes when the buffer is full."""
    return isinstance(dropper, HeadDrop) or (
        isinstance(dropper, DropProfile) and dropper.drop_at == "head"
    )


def waiting_s(queue, line_bps, enqueued_bps, served_bps, packet_bytes):
    """Waiting time in a queue [s]: 0 while it keeps up, NaN where nothing is sent.

    With B the usable buffer, E the rate into the queue and Tr the rate served,

    - tail drop: ``L = B / Tr``,
    - head drop: ``L = B / E``, since the queue moves by service and by drops, ``E = Tr + R``.

    Parameters
    ----------
    queue : Queue
    line_bps : float
        Line rate [bit/s].
    enqueued_bps, served_bps : ndarray, shape (...)
        Into and out of the queue, in bits on the line [bit/s].
    packet_bytes : ndarray, shape (..., 2)
        As in `buffer_bytes`.

    References
    ----------
    Source m120, scenario 2: L = B / (Tr + R) = B / E.
    """
    full = buffer_bytes(queue, line_bps, served_bps, packet_bytes) * usable_share(queue.dropper)
    moving = enqueued_bps if drops_at_head(queue.dropper) else served_bps
    wait = units.bits(full) / np.where(moving > 0, moving, np.nan)
    keeps_up = served_bps >= enqueued_bps * (1 - 1e-12)
    return np.where(served_bps > 0, np.where(keeps_up, 0.0, wait), np.nan)
