"""Round robins by quanta: in the long run a weighted fair share."""

import numpy as np

from qoslib.fluid.sharing import fill, fill_bands

__all__ = ["deficit_round_robin", "modified_drr"]


def deficit_round_robin(port, demand_bps, capacity_bps, weights):
    """Backlogged queues share in proportion to their quanta [bit/s].

    Parameters and result as in `qoslib.fluid.priority.strict_priority`; `weights` are the quanta
    in bits on the line.

    References
    ----------
    Shreedhar and Varghese 1996, doi:10.1109/90.502236.
    """
    return fill(demand_bps, capacity_bps, weights)


def modified_drr(port, demand_bps, capacity_bps, weights):
    """The low-latency queue whole, then the others in proportion to their quanta [bit/s].

    Parameters and result as in `qoslib.fluid.priority.strict_priority`.

    References
    ----------
    Source gsr12000, table of queues (weight and quantum).
    """
    fast = np.array([queue.name == port.scheduler.low_latency for queue in port.queues])
    bands = [members for members in (np.flatnonzero(fast), np.flatnonzero(~fast)) if members.size]
    return fill_bands([demand_bps] * len(bands), capacity_bps, bands, weights)
