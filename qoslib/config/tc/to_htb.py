"""What another scheduler is in htb, and in which order its classes are made."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from qoslib.platforms.trees import HTB_BURST_BYTES, HTB_QUANTA_BYTES, htb
from qoslib.port import HierarchicalTokenBucket, Node, Port, Queue, Shaper

__all__ = ["as_htb", "emission_order"]

#: Quantum of the class with the least weight [B].
QUANTUM_BYTES = 1514
#: A class without a guarantee gets this share of the line: htb has none without a rate.
LEAST_SHARE = 0.001


def as_htb(port: Port) -> Port:
    """A port with priorities and guarantees as one with htb, which has their like."""
    least = min([queue.weight for queue in port.queues if queue.weight], default=1.0)
    queues = tuple(_leaf(port, queue, least) for queue in port.queues)
    nodes = [_node(port, node) for node in getattr(port.scheduler, "nodes", ())]
    if not nodes:
        name = next(n for n in ("1:1", "all", "all of it") if n not in port.queue_names)
        nodes = [htb(Node(name, port.queue_names), port.rate_bps)]
    return port.replace(queues=queues, scheduler=HierarchicalTokenBucket(tuple(nodes)))


def _leaf(port: Port, queue: Queue, least_weight: float) -> Queue:
    """A queue as a class of htb: one with twice the share sends twice the quantum."""
    ceil = queue.shaper or Shaper(port.rate_bps, HTB_BURST_BYTES)
    least, most = HTB_QUANTA_BYTES
    return htb(
        queue.replace(weight=1.0, excess_priority=None),
        _guaranteed_bps(port, queue),
        ceil.rate_bps,
        prio=queue.priority,
        quantum_bytes=int(min(max(QUANTUM_BYTES * queue.weight / least_weight, least), most)),
        cburst_bytes=ceil.burst_bytes,
    )


def _guaranteed_bps(port: Port, queue: Queue) -> float:
    """Its rate: of a strict queue what its policer lets pass, or all."""
    if queue.priority < getattr(port.scheduler, "strict_levels", 0):
        return queue.policer.rate_bps if queue.policer else port.rate_bps
    return queue.guaranteed_bps or port.rate_bps * LEAST_SHARE


def _node(port: Port, node: Node) -> Node:
    ceil = node.shaper or Shaper(port.rate_bps, HTB_BURST_BYTES)
    own_bps = node.guaranteed_bps or min(ceil.rate_bps, port.rate_bps)
    return htb(node.replace(weight=1.0), own_bps, ceil.rate_bps, cburst_bytes=ceil.burst_bytes)


def emission_order(queues: Sequence[Queue], nodes: Sequence[Node]) -> list[str]:
    """Names of queues and nodes, parents first, as far as it goes in the order that they have.

    >>> from qoslib.port import PacketLimit
    >>> queues = [Queue(name, PacketLimit(9)) for name in ("a", "b")]
    >>> emission_order(queues, [Node("below", ("b",)), Node("top", ("a", "below"))])
    ['top', 'a', 'below', 'b']
    """
    names = [*(node.name for node in nodes), *(queue.name for queue in queues)]
    needed = [(node.name, child) for node in nodes for child in node.children]
    as_queues = list(pairwise(queue.name for queue in queues))
    as_nodes = list(pairwise(node.name for node in nodes))
    as_children = [pair for node in nodes for pair in pairwise(node.children)]
    for wishes in (
        [*as_queues, *as_children, *as_nodes],
        [*as_queues, *as_children],
        [*as_queues],
        [],
    ):
        graph: dict[str, list[str]] = {name: [] for name in names}
        for first, then in (*needed, *wishes):
            graph[then].append(first)
        try:
            return list(TopologicalSorter(graph).static_order())
        except CycleError:
            continue
    return names
