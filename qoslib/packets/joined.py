"""The tables of several ports behind one another, as the loop of several ports reads them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.kernels.flow_tables import FlowTables
from qoslib.packets.kernels.tables import POOL_ROW, State
from qoslib.packets.kernels.tree_tables import Tree
from qoslib.packets.plan_flows import no_flows
from qoslib.packets.plan_queues import fill_pools
from qoslib.packets.plan_tree import no_tree
from qoslib.packets.stations import Station
from qoslib.port import Port

__all__ = ["Joined", "joined"]


class Joined(NamedTuple):
    """Tables of all ports, and where each port's begin in them: shape (ports + 1, tables).

    Where no port has a tree or flow queues `tree` and `flows` are None.
    """

    state: State
    at: NDArray[np.int64]
    tree: Tree | None
    tree_at: NDArray[np.int64]
    flows: FlowTables | None
    flows_at: NDArray[np.int64]

    def part(self, k: int, own: State) -> State:
        """The tables of one port, as wide as its own were."""
        tables = [
            table[(slice(begin, end), *map(slice, alone.shape[1:]))]
            for table, begin, end, alone in zip(
                self.state, self.at[k], self.at[k + 1], own, strict=True
            )
        ]
        return State(*tables)._replace(pools=self.state.pools)


def joined(stations: Sequence[Station], shared: bool) -> Joined:
    """The tables of hops, whose pools of one name are one memory if they are shared."""
    pools = _pools(stations, shared)
    tables, at = _behind_one_another([station.state for station in stations])
    state = State(*tables)._replace(pools=pools)
    parts = [station.beside for station in stations]
    if not any(each.tree for each in parts):
        return Joined(state, at, None, at, None, at)
    trees, tree_at = _behind_one_another([each.tree or no_tree() for each in parts])
    flows, flows_at = _behind_one_another([each.flows or no_flows() for each in parts])
    return Joined(state, at, Tree(*trees), tree_at, FlowTables(*flows), flows_at)


def _pools(stations: Sequence[Station], shared: bool) -> NDArray[np.void]:
    """The memory of all ports, and in each queue's row the number of its pool there."""
    ports = [
        (None if shared else k, station.where, station.state.queues)
        for k, station in enumerate(stations)
        if isinstance(station.where, Port)
    ]
    pools = {(k, pool.name): pool for k, port, _ in ports for pool in port.pools}
    table = np.zeros(len(pools), POOL_ROW)
    fill_pools(table, tuple(pools.values()))
    names = list(pools)
    for k, port, queues in ports:
        for row, queue in zip(queues, port.queues, strict=True):
            if queue.pool:
                row["pool"] = names.index((k, queue.pool))
                table["limit_bytes"][row["pool"]] -= queue.reserved_bytes
    return table


def _behind_one_another(
    parts: Sequence[Sequence[NDArray[Any]]],
) -> tuple[list[NDArray[Any]], NDArray[np.int64]]:
    """Each table of all parts, as wide as the widest, and where each part's begin."""
    found, ends = [], []
    for tables in zip(*parts, strict=True):
        shape = np.max([each.shape[1:] for each in tables], axis=0, initial=0).astype(np.int64)
        found.append(np.concatenate([_widened(each, tuple(shape)) for each in tables]))
        ends.append(np.cumsum([0, *map(len, tables)]))
    return found, np.array(ends, dtype=np.int64).T.copy()


def _widened(table: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    more = [(0, most - own) for own, most in zip(table.shape[1:], shape, strict=True)]
    return np.pad(table, [(0, 0), *more]) if more else table
