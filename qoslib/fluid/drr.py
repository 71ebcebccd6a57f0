"""Round robins by quanta: in the long run a weighted fair share."""

import numpy as np

from qoslib import units
from qoslib.fluid.sharing import fill, fill_bands
from qoslib.port import ModifiedDrr, Port

__all__ = ["deficit_round_robin", "modified_drr", "quanta", "round_s"]


def quanta(port: Port, packet_bytes: np.ndarray) -> np.ndarray:
    """What a backlogged queue sends a round, in bytes on the line, shape (..., queues).

    An overdraft that is not carried is a gift: the queue then sends whole packets,
    ``ceil(quantum / packet)`` of them (exact for packets of one size).

    Parameters
    ----------
    port : Port
    packet_bytes : ndarray, shape (..., queues, 2)
        Mean packet of each queue, as a frame and on the line [B].
    """
    frame, on_line = packet_bytes[..., 0], packet_bytes[..., 1]
    packets = np.array([max(queue.quantum_bytes, 1) for queue in port.queues]) / frame
    if isinstance(port.scheduler, ModifiedDrr) and not port.scheduler.carry_deficit:
        packets = np.ceil(packets)
    return packets * on_line


def deficit_round_robin(
    port: Port, demand_bps: np.ndarray, capacity_bps: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Backlogged queues share in proportion to their quanta [bit/s].

    Parameters and result as in `qoslib.fluid.priority.strict_priority`; `weights` are those
    of `quanta`.

    References
    ----------
    Shreedhar and Varghese 1996, doi:10.1109/90.502236.
    """
    return fill(demand_bps, capacity_bps, weights)


def modified_drr(
    port: Port, demand_bps: np.ndarray, capacity_bps: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The low-latency queue whole, then the others in proportion to their quanta [bit/s].

    Parameters and result as in `deficit_round_robin`.

    References
    ----------
    Source gsr12000, table of queues (weight and quantum).
    """
    low_latency = getattr(port.scheduler, "low_latency", "")
    fast = np.array([queue.name == low_latency for queue in port.queues])
    bands = [members for members in (np.flatnonzero(fast), np.flatnonzero(~fast)) if members.size]
    return fill_bands([demand_bps] * len(bands), capacity_bps, bands, weights)


def round_s(port: Port, robin_bps: float) -> float:
    """Longest round of a round robin [s]: ``8 sum Q / C``, every queue backlogged.

    A queue that is not backlogged waits for its turn: up to a round, half of one in the mean.

    Parameters
    ----------
    port : Port
    robin_bps : float
        What the round robin gets, in bits of frames [bit/s].
    """
    low_latency = getattr(port.scheduler, "low_latency", "")
    turns = sum(queue.quantum_bytes for queue in port.queues if queue.name != low_latency)
    return units.bits(turns) / robin_bps
