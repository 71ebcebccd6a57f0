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
    low, high = HTB_QUANTA_BYTES

    def quantum_bytes(queue: Queue) -> int:
        return int(min(max(QUANTUM_BYTES * queue.weight / least, low), high))

    def ceil(shaper: Shaper | None) -> tuple[float, int]:
        if shaper is None:
            return port.rate_bps, HTB_BURST_BYTES
        return shaper.rate_bps, shaper.burst_bytes

    def guaranteed(queue: Queue) -> float:
        """Its rate: of a strict queue what its policer lets pass, or all."""
        if queue.priority < getattr(port.scheduler, "strict_levels", 0):
            return queue.policer.rate_bps if queue.policer else port.rate_bps
        return queue.guaranteed_bps or port.rate_bps * LEAST_SHARE

    queues = []
    for queue in port.queues:
        rate, burst = ceil(queue.shaper)
        made = htb(
            queue.replace(weight=1.0, excess_priority=None),
            guaranteed(queue),
            rate,
            prio=queue.priority,
            quantum_bytes=quantum_bytes(queue),
            cburst_bytes=burst,
        )
        queues.append(made)
    nodes: list[Node] = []
    for node in getattr(port.scheduler, "nodes", ()):
        rate, burst = ceil(node.shaper)
        own = node.guaranteed_bps or min(rate, port.rate_bps)
        nodes.append(htb(node.replace(weight=1.0), own, rate, cburst_bytes=burst))
    if not nodes:
        name = next(n for n in ("1:1", "all", "all of it") if n not in port.queue_names)
        nodes = [htb(Node(name, port.queue_names), port.rate_bps)]
    return port.replace(queues=tuple(queues), scheduler=HierarchicalTokenBucket(tuple(nodes)))


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
