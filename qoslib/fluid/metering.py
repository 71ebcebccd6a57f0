"""Token buckets in the long run: a clipped rate."""

import numpy as np

from qoslib.fluid.paths import Paths, ratio
from qoslib.fluid.trees import root_shaper
from qoslib.port import Policer, Port, Shaper
from qoslib.units import Floats

__all__ = ["policed", "policed_bps", "shaped_bps"]


def policed_bps(policer: Policer, offered_bps: Floats, packet_bytes: Floats) -> Floats:
    """What a policer that is at work lets through [bit/s]: ``min(offered, rate)``."""
    counted = (packet_bytes + policer.overhead_bytes) / packet_bytes
    return np.minimum(offered_bps, policer.rate_bps / counted)


def shaped_bps(shaper: Shaper | None, demand_bps: Floats, on_line: Floats) -> Floats:
    """What a shaper lets a queue ask of the line, in bits on the line [bit/s]."""
    return demand_bps if shaper is None else np.minimum(demand_bps, shaper.rate_bps * on_line)


def policed(port: Port, offered_bps: Floats, paths: Paths) -> Floats:
    """What each stream puts into its queue, in bits of frames [bit/s].

    Unconditional policers come first. Where the port is then congested, the conditional ones
    drop what exceeds them, but no more than ends the congestion: with x the excess over the line
    (or the port's shaper) and c what all of them could drop, each drops a share ``min(1, x / c)``.

    Notes
    -----
    A backlog that only the shaper of a queue, or of a node below the root of a tree, makes does not
    count as congestion here.
    """
    entered = _clipped(port, "always", offered_bps, paths)
    cut = entered - _clipped(port, "congested", entered, paths)
    share = _needed(entered * paths.on_line, cut * paths.on_line, port.rate_bps)
    for shaper in (port.shaper, root_shaper(port)):
        if shaper is not None:
            share = np.maximum(share, _needed(entered, cut, shaper.rate_bps))
    return entered - share[..., None] * cut


def _needed(entered_bps: Floats, cut_bps: Floats, rate_bps: float) -> Floats:
    """The share of the cut that brings what enters down to a rate; at most 1."""
    excess, cut = np.maximum(entered_bps.sum(-1) - rate_bps, 0), cut_bps.sum(-1)
    share: Floats = np.divide(excess, cut, out=np.zeros_like(cut), where=cut > 0)
    return np.minimum(share, 1)


def _clipped(port: Port, when: str, rate_bps: Floats, paths: Paths) -> Floats:
    """Rates of the streams behind the policers of one kind."""
    into = paths.into_queues(rate_bps)
    frame_bytes = paths.packet_bytes(rate_bps)[..., 0]
    through = into.copy()
    for i, queue in enumerate(port.queues):
        policer = queue.policer
        if policer is not None and policer.when == when and not policer.marks_colours:
            through[..., i] = policed_bps(policer, into[..., i], frame_bytes[..., i])
    return rate_bps * paths.of_queue(ratio(through, into))
