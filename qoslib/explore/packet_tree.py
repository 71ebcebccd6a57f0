"""A tree of schedulers, for a picture of its packets: its nodes and what their buckets hold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qoslib.explore.lane_description import Lane, tree_of
from qoslib.packets.plan_queues import CREDIT_PACKETS
from qoslib.packets.plan_streams import sizes_of
from qoslib.port import HierarchicalTokenBucket, Port
from qoslib.port.nodes import Outline
from qoslib.traffic import Stream

__all__ = ["full_at", "nodes_of", "words_for"]

#: The buckets of a queue or node: of its guaranteed rate, and of its shaper.
BUCKETS = ("rate", "ceil")


def nodes_of(lane: Lane) -> list[dict[str, Any]]:
    """The queues and then the nodes of a lane's tree, as its outline numbers them."""
    tree = tree_of(lane.at)
    if tree is None or not isinstance(lane.at, Port):
        return []
    largest = _largest_bytes(lane, tree)
    found = []
    for number, each in enumerate(tree.each(lane.at.queues)):
        described: dict[str, Any] = {"name": each.name, "parent": tree.parents[number]}
        if each.guaranteed_bps:
            saved = CREDIT_PACKETS * (largest[number] + lane.at.overhead_bytes)
            burst = each.guaranteed_burst_bytes or saved
            described["rate"] = {"rate_bps": each.guaranteed_bps, "burst_bytes": burst}
        if each.shaper:
            burst = each.shaper.burst_bytes
            described["ceil"] = {"rate_bps": each.shaper.rate_bps, "burst_bytes": burst}
        found.append(described)
    return found


def words_for(lane: Lane) -> list[str]:
    """What the two buckets are called."""
    lends = isinstance(getattr(lane.at, "scheduler", None), HierarchicalTokenBucket)
    return ["rate", "ceil"] if lends else ["CIR", "PIR"]


def _largest_bytes(lane: Lane, tree: Outline) -> list[float]:
    """The largest frame that comes to each queue and node [B]."""
    assert isinstance(lane.at, Port)
    largest = [0.0] * len(tree.parents)
    for number, stream in enumerate(lane.streams):
        mine = lane.events.stream == number
        size = float(lane.events.frame_bytes[mine].max(initial=0))
        if isinstance(stream, Stream):
            size = max(size for size, _ in sizes_of(stream))
        at = lane.at.queue_of(stream)
        while at >= 0:
            largest[at] = max(largest[at], size)
            at = tree.parents[at]
    return largest


def full_at(lane: Lane, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """When each bucket would be full again, after each choice of these rows of the record [s]."""
    full_s = lane.events.full_s[rows]
    kinds = [
        (number, BUCKETS.index(name))
        for number, node in enumerate(nodes_of(lane))
        for name in BUCKETS
        if name in node
    ]
    return np.array([full_s[:, number, kind] for number, kind in kinds], dtype=float).reshape(
        len(kinds), len(rows)
    )
