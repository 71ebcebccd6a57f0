"""Packets of lesson 13, one by one: the carrier's queue before and after a change."""

from qoslib import units
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.lessons.your_network.branch import SHAPED_BPS, configuration, way

__all__ = ["MENDED_BPS", "scene"]

#: The shaper after the change.
MENDED_BPS = units.mbps(19.4)
#: Where the picture begins [s]: the carrier's queue has been full for long, however long it is.
START_S = 4.0


def scene(before_bps: float = SHAPED_BPS, after_bps: float = MENDED_BPS) -> PacketView:
    """The queue of the carrier with two shapers of the router in front of it."""
    lanes = {
        name: way(configuration(rate)).replace(warmup_s=0.0)
        for name, rate in (("before", before_bps), ("after", after_bps))
    }
    return packet_view(lanes, packets=150, start_s=START_S, hop="carrier")
