"""Token buckets in the long run: a clipped rate."""

import numpy as np

__all__ = ["policed_bps", "shaped_bps"]


def policed_bps(policer, offered_bps, packet_bytes, congested):
    """What a policer lets through [bit/s]: ``min(offered, rate)``, or all while not congested.

    Parameters
    ----------
    policer : Policer or None
    offered_bps : ndarray, shape (...)
        In bits of frames [bit/s].
    packet_bytes : ndarray, shape (...)
        Mean frame [B], to count the policer's overhead.
    congested : ndarray of bool, shape (...)
        Whether the port is, for a conditional policer.
    """
    if policer is None:
        return offered_bps
    counted = (packet_bytes + policer.overhead_bytes) / packet_bytes
    clipped = np.minimum(offered_bps, policer.rate_bps / counted)
    return clipped if policer.when == "always" else np.where(congested, clipped, offered_bps)


def shaped_bps(shaper, demand_bps):
    """What a shaper lets a queue ask of the line [bit/s]."""
    return demand_bps if shaper is None else np.minimum(demand_bps, shaper.rate_bps)
