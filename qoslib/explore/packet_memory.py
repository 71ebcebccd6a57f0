"""The memory that queues share, over the time of a picture: how much of it is held, and by whom."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qoslib.explore.lane_description import Lane
from qoslib.port import MemoryPool, Port
from qoslib.results import Events

__all__ = ["held_over_time", "memories_of"]


def memories_of(lane: Lane) -> list[dict[str, Any]]:
    """The memories of a lane's port, in the order of its pools."""
    if not isinstance(lane.at, Port):
        return []
    return [
        {
            "name": pool.name,
            "limit": pool.limit_bytes,
            "shared": pool.limit_bytes - sum(_reserved(lane, pool)),
            "cell": pool.cell_bytes,
            "header": pool.header_bytes,
        }
        for pool in lane.at.pools
    ]


def _ports(lane: Lane) -> Sequence[tuple[Port, Events]]:
    """All ports that take memory from the pools of a lane's port, with their events."""
    assert isinstance(lane.at, Port)
    return lane.sharing or ((lane.at, lane.events),)


def _reserved(lane: Lane, pool: MemoryPool) -> Iterator[int]:
    for port, _ in _ports(lane):
        for queue in port.queues:
            if queue.pool == pool.name:
                yield queue.reserved_bytes


def held_over_time(lane: Lane, name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """When what is held of a pool's shared part changes [s], and to what [B]."""
    times_s, changes = [np.zeros(1)], [np.zeros(1, np.int64)]
    for port, events in _ports(lane):
        (pool,) = (pool for pool in port.pools if pool.name == name)
        arrives = np.zeros(len(events), bool)
        arrives[np.unique(events.packet, return_index=True)[1]] = True
        leaves = (events.kind == "choice") | ((events.kind == "drop") & ~arrives)
        sizes = np.array([pool.taken_bytes(int(size)) for size in events.frame_bytes], np.int64)
        for number, queue in enumerate(port.queues):
            if queue.pool != name:
                continue
            mine = (events.queue == number) & ((events.kind == "enqueue") | leaves)
            taken = np.cumsum(np.where(leaves[mine], -sizes[mine], sizes[mine]))
            shared = np.maximum(taken - queue.reserved_bytes, 0)
            times_s.append(events.time_s[mine])
            changes.append(np.diff(shared, prepend=0))
    at_s = np.concatenate(times_s)
    order = np.argsort(at_s, kind="stable")
    return at_s[order], np.cumsum(np.concatenate(changes)[order])
