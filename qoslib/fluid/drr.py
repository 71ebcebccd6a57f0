"""Round robins by quanta or packets: in the long run a weighted fair share."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.fluid.delay import buffer_bytes
from qoslib.fluid.sharing import is_fast
from qoslib.port import DropProfile, ModifiedDrr, Port, Queue, WeightedRoundRobin
from qoslib.tolerances import ROUNDING
from qoslib.units import Floats

__all__ = ["per_visit", "quanta", "round_s", "shorter_s"]


def quanta(port: Port, packet_bytes: Floats) -> Floats:
    """What a queue that never empties sends a round, in bytes on the line, shape (..., queues).

    An overdraft that is not carried is a gift: the queue then sends whole packets,
    ``ceil(quantum / packet)`` of them (exact for packets of one size).
    """
    frame, on_line = packet_bytes[..., 0], packet_bytes[..., 1]
    if isinstance(port.scheduler, WeightedRoundRobin):
        return np.array([queue.weight for queue in port.queues], dtype=float) * on_line
    packets = np.array([max(queue.quantum_bytes, 1) for queue in port.queues], float) / frame
    if isinstance(port.scheduler, ModifiedDrr) and not port.scheduler.carry_deficit:
        packets = np.ceil(packets)
    return packets * on_line


def per_visit(
    port: Port,
    put_in_bps: Floats,
    packet_bytes: Floats,
    red_packets: Sequence[Floats | float] | None = None,
) -> Floats:
    """What an overloaded queue sends per visit, in bytes on the line, shape (..., queues).

    A visit ends with the quantum Q, or when the queue is empty. If the queue has room for N
    packets of L bytes, and its load is rho, of the rate at which the round robin sends, that is

        min(Q, L (N - rho) / (1 - rho))

    Notes
    -----
    A visit that empties the queue takes k packets: the N that wait when it begins, and the
    ``rho (k - 1)`` that arrive until it takes the last one. A visit that the queue's shaper ends
    takes as many, with its burst in place of the room and its rate in place of the arrivals.
    """
    sent = quanta(port, packet_bytes)
    robin_bps = _robin_bps(port, put_in_bps, packet_bytes)
    load = _load(put_in_bps, robin_bps)
    for i, queue in enumerate(port.queues):
        frame, on_line = np.moveaxis(packet_bytes[..., i, :], -1, 0)
        least = None if red_packets is None else red_packets[i]
        room = _room_packets(queue, port.rate_bps, packet_bytes[..., i, :], least)
        packets = (room - load[..., i]) / (1 - load[..., i])
        if queue.shaper is not None:
            filled = _load(queue.shaper.rate_bps * on_line / frame, robin_bps[..., i])
            burst = np.maximum(np.floor(queue.shaper.burst_bytes / frame), 1)
            packets = np.minimum(packets, (burst - filled) / (1 - filled))
        sent[..., i] = np.minimum(sent[..., i], packets * on_line)
    return sent


def _robin_bps(port: Port, put_in_bps: Floats, packet_bytes: Floats) -> Floats:
    """What those served before each queue and the port's shaper leave its round robin [bit/s]."""
    line_bps: Floats = np.full(put_in_bps.shape, port.rate_bps)
    if port.shaper is not None:
        on_line = packet_bytes[..., 1] / packet_bytes[..., 0]
        line_bps = np.minimum(line_bps, port.shaper.rate_bps * on_line)
    if isinstance(port.scheduler, WeightedRoundRobin):
        ranks = np.array(port.ranks, dtype=np.int64)
        above: Floats = (ranks[:, None] < ranks).astype(float)
        return line_bps - put_in_bps @ above
    fast_bps: Floats = (put_in_bps * is_fast(port)).sum(-1, keepdims=True)
    return line_bps - fast_bps


def _load(rate_bps: Floats, robin_bps: Floats) -> Floats:
    """A rate as a share of that at which a visit sends; below 1."""
    return np.minimum(rate_bps / np.maximum(robin_bps, ROUNDING), 1 - ROUNDING)


def _room_packets(
    queue: Queue, line_bps: float, packet_bytes: Floats, red_packets: Floats | float | None
) -> Floats:
    """How many packets wait in an overloaded queue before a visit: at least one."""
    shortest = red_packets is not None
    served_bps = np.full(packet_bytes.shape[:-1], 0.0 if shortest else np.inf)
    room = buffer_bytes(queue, line_bps, served_bps, packet_bytes) / packet_bytes[..., 1]
    if isinstance(queue.dropper, DropProfile):
        room = np.ceil(room * _dropping_from(queue.dropper, 0.0 if shortest else 1 - ROUNDING))
    if red_packets is not None:
        room = np.minimum(room, red_packets)
    return np.maximum(np.floor(room + ROUNDING), 1.0)


def _dropping_from(profile: DropProfile, probability: float) -> float:
    """The fill level from which a profile drops more than this; 1 where it never does."""
    if profile.shape == "interpolated" and probability == 0:
        return 0.0
    return min((fill for fill, drops in profile.points if drops > probability), default=1.0)


def shorter_s(port: Port, put_in_bps: Floats, packet_bytes: Floats, sent_bytes: Floats) -> Floats:
    """How much less a packet of an overloaded queue waits than if the queue were always full [s].

    A visit leaves the queue shorter by ``v (1 - rho)``, v being what it sends. The queue is full
    again after ``v (1 - rho) / E`` with E the rate into the queue; on average a packet waits for
    half of that less.

    Parameters and shapes as in `per_visit`, whose result `sent_bytes` is.
    """
    load = _load(put_in_bps, _robin_bps(port, put_in_bps, packet_bytes))
    return units.bits(sent_bytes) * (1 - load) / np.maximum(2 * put_in_bps, 1e-9)


def round_s(port: Port, robin_bps: float) -> float:
    """Longest round of a round robin [s]: ``8 sum Q / C``, every queue backlogged.

    A queue that is not backlogged waits for its turn: up to a round, half of one in the mean.
    """
    quanta_bytes = np.array([queue.quantum_bytes for queue in port.queues], dtype=np.int64)
    return units.bits(float(quanta_bytes[~is_fast(port)].sum())) / robin_bps
