"""What another scheduler is in htb, and in which order its classes are made."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from qoslib.platforms.trees import HTB_BURST_BYTES, HTB_QUANTA_BYTES, htb
from qoslib.port import HierarchicalTokenBucket, Node, Port, Queue, Shaper

__all__ = ["as_htb", "emission_order"]

#: Quantum of the class with the least weight [B].
QUANTUM_BYTES = 1514


def as_htb(port: Port) -> Port:
    """A port with priorities and guarantees as one with htb, which has their like.

    Parameters
    ----------
    port : Port

    Returns
    -------
    Port
    """
    least = min([queue.weight for queue in port.queues if queue.weight], default=1.0)
    low, high = HTB_QUANTA_BYTES

    def quantum_bytes(queue: Queue) -> int:
        return int(min(max(QUANTUM_BYTES * queue.weight / least, low), high))

    def ceil(shaper: Shaper | None) -> tuple[float, int]:
        if shaper is None:
            return port.rate_bps, HTB_BURST_BYTES
        return shaper.rate_bps, shaper.burst_bytes

    queues = []
    for queue in port.queues:
        rate, burst = ceil(queue.shaper)
        least_bps = port.rate_bps / 1000
        made = htb(
            queue.replace(weight=1.0, excess_priority=None),
            queue.guaranteed_bps or least_bps,
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

    Parameters
    ----------
    queues : sequence of Queue
    nodes : sequence of Node

    Returns
    -------
    list of str

    Examples
    --------
    >>> from qoslib.port import PacketLimit
    >>> queues = [Queue(name, PacketLimit(9)) for name in ("a", "b")]
    >>> emission_order(queues, [Node("below", ("b",)), Node("top", ("a", "below"))])
    ['top', 'a', 'below', 'b']
    """
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
        graph: dict[str, list[str]] = {each.name: [] for each in (*nodes, *queues)}
        for first, then in (*needed, *wishes):
            graph[then].append(first)
        try:
            return list(TopologicalSorter(graph).static_order())
        except CycleError:
            continue
    return [each.name for each in (*nodes, *queues)]
