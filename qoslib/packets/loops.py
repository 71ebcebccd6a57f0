"""Which loop runs a port, by what it has beside its queues."""

from typing import NamedTuple

from qoslib.packets.kernels.flow_tables import FlowTables
from qoslib.packets.kernels.loop import run as run_flat
from qoslib.packets.kernels.loop import run_flows, run_tree
from qoslib.packets.kernels.tables import State
from qoslib.packets.kernels.tree_tables import Tree
from qoslib.packets.plan_flows import flows_of, keeps_flows
from qoslib.packets.plan_tree import no_tree, tree_of
from qoslib.port import Forwarder, Port

__all__ = ["Beside", "beside", "run"]


class Beside(NamedTuple):
    """The tables of a port beside its `State`: of a tree of schedulers, and of flow queues."""

    tree: Tree | None
    flows: FlowTables | None


def beside(where: Port | Forwarder, state: State, end_ps: int) -> Beside:
    """What a port has beside its queues; with flow queues always a tree, if an empty one."""
    tree = tree_of(where, state, end_ps)
    if isinstance(where, Port) and keeps_flows(where):
        return Beside(tree or no_tree(), flows_of(where, state))
    return Beside(tree, None)


def run(state: State, parts: Beside, until_ps: int, events: int) -> int:
    """Play a port, by the loop that it needs, up to a time, about so many events."""
    done_ps: int
    if parts.flows is not None:
        done_ps = run_flows(state, parts.tree, parts.flows, until_ps, events)
    elif parts.tree is not None:
        done_ps = run_tree(state, parts.tree, until_ps, events)
    else:
        done_ps = run_flat(state, until_ps, events)
    return done_ps
