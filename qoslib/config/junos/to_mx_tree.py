"""A tree of another platform as one that an MX has: maps on the port, on units, on their sets."""

import re
from collections.abc import Sequence

from qoslib.config.guarantees import root_of
from qoslib.config.junos.words import ALL_PRIORITIES, PRIORITIES
from qoslib.port import Classifier, Node, Port, Queue, SchedulerTree

__all__ = ["as_on_mx"]


def as_on_mx(port: Port, interface: str) -> Port:
    """A port whose tree is one of Junos: its root is the interface, its leaves have queues.

    A chain of nodes above all queues becomes the port itself with their shaper; several nodes with
    queues become units, and what is above them interface sets. One strict level is `strict-high`,
    and what has none is `low`. Weights are parts of the largest beside them.
    """
    scheduler = port.scheduler
    if not isinstance(scheduler, SchedulerTree):
        return port
    root = root_of(scheduler.nodes)
    if root.name in (port.name, interface):
        return port
    nodes = {node.name: node for node in scheduler.nodes}
    kept = _without_mixed(_below_chain(root, nodes), nodes)
    queues, strict = _levels(port.queues, scheduler.strict_levels)
    weights = {queue.name: queue.weight for queue in queues}
    weights = _shares(kept, weights | {node.name: node.weight for node in kept})
    names = _names(kept, interface)
    tree = tuple(
        node.replace(
            name=names.get(node.name, node.name),
            children=tuple(names.get(child, child) for child in node.children),
            weight=weights[node.name],
        )
        for node in kept
    )
    own = {name: names.get(name, name) for name in port.queue_names}
    rules = ((_prefix(own[name]) + mark, own[name]) for mark, name in port.classifier.rules)
    default = port.classifier.default
    return port.replace(
        queues=tuple(q.replace(name=own[q.name], weight=weights[q.name]) for q in queues),
        scheduler=scheduler.replace(nodes=tree, strict_levels=strict, fifo_levels=0),
        classifier=Classifier(tuple(rules), own.get(default, default)),
    )


def _below_chain(root: Node, nodes: dict[str, Node]) -> Node:
    """The last node of a chain above all queues, with the one shaper of the chain."""
    while len(root.children) == 1 and root.children[0] in nodes:
        child = nodes[root.children[0]]
        if root.shaper and child.shaper:
            break
        root = child.replace(shaper=child.shaper or root.shaper)
    return root


def _names(nodes: Sequence[Node], interface: str) -> dict[str, str]:
    """The root is the interface, the leaves are units, and so their queues are named."""
    root, by_name = nodes[0], {node.name: node for node in nodes}
    names = {root.name: interface}
    queue_names: dict[str, str] = {}
    for node in _leaves(root, by_name):
        if node is not root:
            unit = f"unit {len(names)}"
            names[node.name] = unit
            queue_names |= {child: f"{unit} {child.split('/')[-1]}" for child in node.children}
    return {**queue_names, **names}


def _shares(nodes: Sequence[Node], weights: dict[str, float]) -> dict[str, float]:
    """Weights above 1 as parts of the largest beside them: a rate in per cent is 100 at most."""
    for node in nodes:
        largest = max(weights[child] for child in node.children)
        if largest > 1:
            weights |= {child: weights[child] / largest for child in node.children}
    return weights


def _prefix(queue: str) -> str:
    """The unit of a queue, as it stands in front of its marks as well."""
    found = re.match(r"unit \d+ ", queue)
    return found[0] if found else ""


def _without_mixed(node: Node, nodes: dict[str, Node]) -> list[Node]:
    """A node and those below it; queues beside nodes get a node of their own."""
    queues = tuple(child for child in node.children if child not in nodes)
    inner = [nodes[child] for child in node.children if child in nodes]
    if not inner:
        return [node]
    own = [Node(f"{node.name} others", queues)] if queues else []
    children = (*(child.name for child in inner), *(each.name for each in own))
    below = [each for child in inner for each in _without_mixed(child, nodes)]
    return [node.replace(children=children), *below, *own]


def _levels(queues: Sequence[Queue], strict: int) -> tuple[list[Queue], int]:
    """Queues with the levels of `strict-high` and `low`; of an ACX7000 where several are strict."""
    first = sorted({queue.priority for queue in queues if queue.priority < strict})
    several = len(first) > 1
    words = ALL_PRIORITIES if len(first) >= len(PRIORITIES) else PRIORITIES
    last = len(words) - (1 if several else 2)
    levels = {level: at for at, level in enumerate(first)}
    leveled = [q.replace(priority=levels.get(q.priority, last)) for q in queues]
    return leveled, last if several else 1


def _leaves(node: Node, nodes: dict[str, Node]) -> list[Node]:
    """The nodes that have queues, in their order."""
    inner = [nodes[child] for child in node.children if child in nodes]
    return [leaf for child in inner for leaf in _leaves(child, nodes)] or [node]
