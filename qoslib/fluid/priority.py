"""Strict priority and Junos's priority levels as bands of water."""

import numpy as np
from numpy.typing import NDArray

from qoslib.fluid.sharing import fill_bands
from qoslib.port import Port
from qoslib.units import Floats

__all__ = ["priority_levels", "strict_priority"]


def _levels(port: Port) -> list[NDArray[np.intp]]:
    priority = np.array([queue.priority for queue in port.queues], float)
    return [np.flatnonzero(priority == level) for level in np.unique(priority)]


def strict_priority(
    port: Port, demand_bps: Floats, capacity_bps: Floats, weights: Floats
) -> Floats:
    """Each level whole before the next; queues of one level take turns.

    Parameters
    ----------
    port : Port
    demand_bps : ndarray, shape (..., queues)
        Offered to each queue, in bits on the line [bit/s].
    capacity_bps : ndarray, shape (...)
        Line rate [bit/s].
    weights : ndarray, shape (..., queues)
        Shares within a level: the mean packet on the line, as turns go packet by packet.

    Returns
    -------
    ndarray, shape (..., queues)
        Sent from each queue, in bits on the line [bit/s].
    """
    bands = _levels(port)
    return fill_bands([demand_bps] * len(bands), capacity_bps, bands, weights)


def priority_levels(
    port: Port, demand_bps: Floats, capacity_bps: Floats, weights: Floats
) -> Floats:
    """Level by level up to the guaranteed rates, then level by level the excess.

    First ``min(d_i, g_i)`` in order of priority, then ``d_i - min(d_i, g_i)`` in the same order;
    within a level by weight. A queue can therefore starve inside its guarantee when the levels
    above it take the whole line. Parameters and result as in `strict_priority`.

    References
    ----------
    Source m120, "Observations and Analysis": the order is inferred from its drop counters.
    """
    guaranteed = np.array([queue.guaranteed_bps for queue in port.queues])
    within = np.minimum(demand_bps, guaranteed)
    bands = _levels(port)
    demands = [within] * len(bands) + [demand_bps - within] * len(bands)
    return fill_bands(demands, capacity_bps, bands * 2, weights)
