"""A forwarding engine as a line whose capacity is time."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.fluid.paths import Paths
from qoslib.port import Forwarder, Port, TimeLimit
from qoslib.record import NotNegative, Positive, checked
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["as_line", "held_back", "knee_bytes"]

#: A forwarder has one second of work to give a second.
WHOLE = 1.0


def as_line(forwarder: Forwarder, streams: Sequence[Stream]) -> tuple[Port, Paths]:
    """A line on which a packet occupies the time that it costs the forwarder.

    The line carries one second of work a second, so that the sum over streams of
    ``pps (packet_s + byte_s frame)`` is at most 1; one "bit" of it is a second.
    """
    limit = forwarder.queue.limit
    if isinstance(limit, TimeLimit) and limit.at != "line":
        name = forwarder.queue.name
        raise ValueError(f"Queue {name!r} limit is {limit}; allowed: a time at the line rate")
    frames = np.array([stream.mean_frame_bytes for stream in streams], dtype=float)
    cost_s = forwarder.packet_s + forwarder.byte_s * frames
    line = Port(forwarder.name, WHOLE, (forwarder.queue,), base_delay_s=forwarder.base_delay_s)
    return line, Paths(frames, cost_s / units.bits(frames), np.ones((len(frames), 1)))


def held_back(forwarder: Forwarder, offered_bps: Floats, paths: Paths) -> tuple[Floats, Floats]:
    """What senders that obey PAUSE still offer, and how long their packets wait.

    All are held back in proportion, until their work fits: ``offered / max(load, 1)``. The queue
    then swings between the fill levels of PAUSE, whose mean is what a packet waits for.
    """
    pause = forwarder.pause
    load = (offered_bps * paths.on_line).sum(-1, keepdims=True)
    if pause is None or not pause.obeyed:
        return offered_bps, np.zeros_like(load)
    held = offered_bps / np.maximum(load, WHOLE)
    mean_s = units.bits(paths.packet_bytes(held)[..., 1])
    held_packets = (pause.low_packets + pause.high_packets) / 2
    return held, np.where(load > WHOLE, held_packets * mean_s, 0.0)


def knee_bytes(forwarder: Forwarder, lines_bps: float, overhead_bytes: float) -> float:
    """The frame size above which full lines no longer overload a forwarder [B].

    ``packet_s + byte_s L = 8 (L + overhead) / lines`` solved for L; infinite where a byte costs
    the forwarder more time than the lines.

    Parameters
    ----------
    forwarder : Forwarder
    lines_bps : float
        Rate of all lines together that send to it [bit/s].
    overhead_bytes : float
        What a line adds to each frame [B].

    Returns
    -------
    float
        Frame size [B].

    Raises
    ------
    ValueError
        If one of them is of another kind, a rate not above 0, or a size below 0.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> engine = Forwarder("engine", Queue("in", PacketLimit(100)), packet_s=1 / 7.5e6)
    >>> round(knee_bytes(engine, 20e9, 20), 1)
    313.3
    """
    checked(Forwarder, forwarder, "forwarder")
    checked(Positive, lines_bps, "lines_bps")
    checked(NotNegative, overhead_bytes, "overhead_bytes")
    of_lines_s = units.serialisation_s(1.0, lines_bps)
    if forwarder.byte_s >= of_lines_s:
        return float("inf") if forwarder.packet_s > overhead_bytes * of_lines_s else 0.0
    fixed_s = forwarder.packet_s - overhead_bytes * of_lines_s
    return max(fixed_s / (of_lines_s - forwarder.byte_s), 0.0)
