"""Who gets how much of a line: filled up within a band, bands in order, by each scheduler."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qoslib.port import Port
from qoslib.tolerances import ROUNDING
from qoslib.units import Floats

__all__ = [
    "cake_tins",
    "deficit_round_robin",
    "fill",
    "fill_bands",
    "in_proportion",
    "is_fast",
    "modified_drr",
    "priority_levels",
    "strict_priority",
]


def fill(demand_bps: ArrayLike, capacity_bps: ArrayLike, weights: ArrayLike) -> Floats:
    """Weighted max-min fair shares: ``s_i = min(d_i, w_i mu)`` with ``sum s = min(sum d, C)``.

    Parameters
    ----------
    demand_bps : ndarray, shape (..., n)
        What each wants [bit/s].
    capacity_bps : ndarray, shape (...)
        What there is [bit/s].
    weights : ndarray, shape (n,) or (..., n)
        Positive.

    Returns
    -------
    ndarray, shape (..., n)
        What each gets [bit/s].

    References
    ----------
    Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2.

    Examples
    --------
    The smallest demand is met; the other two share what is left by weight, 1 : 2.

    >>> print(fill([10e6, 80e6, 80e6], 100e6, [1, 1, 2]))
    [10000000. 30000000. 60000000.]
    """
    demand, weight = np.broadcast_arrays(np.asarray(demand_bps, float), weights)
    capacity = np.asarray(capacity_bps, float)[..., None]
    level = demand / weight
    order = np.argsort(level, axis=-1)
    sorted_level = np.take_along_axis(level, order, -1)
    sorted_demand = np.take_along_axis(demand, order, -1)
    sorted_weight = np.take_along_axis(weight, order, -1)
    satisfied = np.zeros_like(demand)
    satisfied[..., 1:] = np.cumsum(sorted_demand, -1)[..., :-1]
    weight_left = np.cumsum(sorted_weight[..., ::-1], -1)[..., ::-1]
    mu = (capacity - satisfied) / weight_left
    # Who comes before the first that is not satisfied gets all, whatever rounding makes of mu.
    unsatisfied = np.logical_or.accumulate(mu < sorted_level, axis=-1)
    first = np.argmax(unsatisfied, axis=-1)[..., None]
    limited = np.maximum(np.take_along_axis(mu, first, -1), 0) * sorted_weight
    got = np.where(unsatisfied, np.minimum(sorted_demand, limited), sorted_demand)
    shares = np.empty_like(got)
    np.put_along_axis(shares, order, got, -1)
    return shares


def in_proportion(demand_bps: ArrayLike, capacity_bps: ArrayLike) -> Floats:
    """A common first-in first-out queue: ``s_i = d_i min(1, C / sum d)``.

    Parameters
    ----------
    demand_bps : ndarray, shape (..., n)
        What each wants [bit/s].
    capacity_bps : ndarray, shape (...)
        What there is [bit/s].

    Returns
    -------
    ndarray, shape (..., n)
        What each gets [bit/s].

    Examples
    --------
    >>> print(in_proportion([90e6, 30e6], 100e6))
    [75000000. 25000000.]
    """
    demand = np.asarray(demand_bps, float)
    total = demand.sum(-1, keepdims=True)
    capacity = np.asarray(capacity_bps, float)[..., None]
    short = total > capacity
    share: Floats = np.divide(capacity, total, out=np.ones(short.shape), where=short)
    return demand * share


def fill_bands(
    demand_bps: Sequence[Floats],
    capacity_bps: Floats,
    bands: Sequence[NDArray[np.intp]],
    weights: Floats,
) -> Floats:
    """Fill one band of queues after the other, each from what the bands before it leave."""
    left = capacity_bps.astype(float)
    rounding_bps = capacity_bps * ROUNDING
    sent = np.zeros_like(demand_bps[0])
    for band_demand, members in zip(demand_bps, bands, strict=True):
        got = fill(band_demand[..., members], left, weights[..., members])
        sent[..., members] += got
        left = left - got.sum(-1)
        left = np.where(left > rounding_bps, left, 0.0)
    return sent


def _levels(port: Port) -> list[NDArray[np.intp]]:
    ranks = np.array(port.ranks, dtype=np.int64)
    return [np.flatnonzero(ranks == rank) for rank in np.unique(ranks)]


def strict_priority(
    port: Port, demand_bps: Floats, capacity_bps: Floats, weights: Floats
) -> Floats:
    """Each level whole before the next; queues of one level take turns."""
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
    guaranteed = np.array([queue.guaranteed_bps for queue in port.queues], dtype=float)
    within = np.minimum(demand_bps, guaranteed)
    bands = _levels(port)
    demands = [within] * len(bands) + [demand_bps - within] * len(bands)
    return fill_bands(demands, capacity_bps, bands * 2, weights)


def cake_tins(port: Port, demand_bps: Floats, capacity_bps: Floats, weights: Floats) -> Floats:
    """CAKE's tins: up to the thresholds in the order of their ranks, then the largest one first.

    Beyond their thresholds tins are served as they are due, which leaves the smaller ones a little
    (1.2 % of the line for thresholds of 1/4 and 1/16); that is not in here. Parameters and result
    as in `strict_priority`.
    """
    thresholds = np.array([queue.guaranteed_bps for queue in port.queues], dtype=float)
    within = np.minimum(demand_bps, thresholds)
    ranks, largest = _levels(port), list(np.argsort(-thresholds, kind="stable")[:, None])
    demands = [within] * len(ranks) + [demand_bps - within] * len(largest)
    return fill_bands(demands, capacity_bps, [*ranks, *largest], weights)


def is_fast(port: Port) -> NDArray[np.bool_]:
    """Which queue is served before the round robin: modified DRR's low-latency queue."""
    low_latency = getattr(port.scheduler, "low_latency", "")
    return np.array([queue.name == low_latency for queue in port.queues], dtype=bool)


def deficit_round_robin(
    port: Port, demand_bps: Floats, capacity_bps: Floats, weights: Floats
) -> Floats:
    """Backlogged queues share in proportion to what they send per visit [bit/s].

    Parameters and result as in `qoslib.fluid.sharing.strict_priority`; `weights` are those
    of `qoslib.fluid.drr.per_visit`.

    References
    ----------
    Shreedhar and Varghese 1996, doi:10.1109/90.502236.
    """
    return fill(demand_bps, capacity_bps, weights)


def modified_drr(port: Port, demand_bps: Floats, capacity_bps: Floats, weights: Floats) -> Floats:
    """The low-latency queue whole, then the others in proportion to what they send per visit.

    Parameters and result as in `deficit_round_robin`.

    References
    ----------
    Source gsr12000, table of queues (weight and quantum).
    """
    fast = is_fast(port)
    bands = [members for members in (np.flatnonzero(fast), np.flatnonzero(~fast)) if members.size]
    return fill_bands([demand_bps] * len(bands), capacity_bps, bands, weights)
