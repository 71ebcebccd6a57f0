"""Nodes of a tree of schedulers: they hold no packets, which wait in the queues below them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from qoslib.port.metering import Shaper
from qoslib.record import Count, NotNegative, Positive, Record, fail, record

if TYPE_CHECKING:
    from qoslib.port.queues import Queue

__all__ = ["Node", "Outline", "guaranteed_below_bps", "outline"]


@record
class Node(Record):
    """A node of a tree of schedulers, above queues or other nodes.

    It is what Cisco calls a class with a child policy, Junos an interface set or a logical
    interface with a traffic-control-profile, and Linux an inner class of HTB. What it shares with a
    `Queue` has the same name there.

    Parameters
    ----------
    name : str
        What its parent calls it; no queue has the same.
    children : tuple of str
        Names of queues and nodes, each the child of one node.
    guaranteed_bps : float
        Guaranteed rate in bits on the line [bit/s]; 0 for none of its own.
    shaper : Shaper or None
        Most that all below it may send together.
    weight : float
        Share of the excess, beside its siblings.
    guaranteed_burst_bytes : int
        What it can save up of its guaranteed rate [B]; 0 for ten of the largest packets below it.
    """

    name: str
    children: tuple[str, ...]
    guaranteed_bps: NotNegative = 0.0
    shaper: Shaper | None = None
    weight: Positive = 1.0
    guaranteed_burst_bytes: Count = 0

    def check(self) -> None:
        if not self.name:
            fail("Node.name", self.name, "a text that is not empty")
        if not self.children or len(set(self.children)) != len(self.children):
            fail(f"Node {self.name!r} children", self.children, "at least one, each name once")


class Outline(NamedTuple):
    """A tree in numbers: queues first, in their order, then nodes, each after its children.

    Attributes
    ----------
    parents : tuple of int
        Of each queue and node; -1 of the root, which is the last.
    children : tuple of tuple of int
        Of each queue and node, in the order in which they are named; none of a queue.
    depths : tuple of int
        How many nodes are above each.
    nodes : tuple of Node
        In this order.
    """

    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    depths: tuple[int, ...]
    nodes: tuple[Node, ...]

    def each(self, queues: Sequence["Queue"]) -> "tuple[Queue | Node, ...]":
        """All queues and nodes, by their numbers."""
        return (*queues, *self.nodes)

    def walk(self) -> Iterator[int]:
        """The numbers of queues and nodes as a tree is written: parents before children."""
        ahead = [len(self.parents) - 1]
        while ahead:
            number = ahead.pop()
            yield number
            ahead.extend(reversed(self.children[number]))


def outline(queues: Sequence["Queue"], nodes: Sequence[Node]) -> Outline:
    """The tree that nodes make above queues.

    >>> from qoslib.port import PacketLimit, Queue
    >>> queues = [Queue(name, PacketLimit(9)) for name in ("voice", "data", "rest")]
    >>> tree = outline(queues, [Node("line", ("site", "rest")), Node("site", ("voice", "data"))])
    >>> tree.parents
    (3, 3, 4, 4, -1)
    """
    names = [queue.name for queue in queues] + [node.name for node in nodes]
    _check_names(names)
    parent = _parents(names, nodes)
    for queue in queues:
        if queue.name not in parent:
            fail("the parent of queue " + repr(queue.name), None, "a node that names it as a child")
    roots = [node.name for node in nodes if node.name not in parent]
    by_name = {node.name: node for node in nodes}
    depth = _depths(by_name, roots)
    if len(depth) < len(names):
        around = sorted(name for name in by_name if name not in depth)
        fail("the nodes", around, "a tree, in which none is below itself", "are")
    if len(roots) != 1:
        fail("the nodes without a parent", roots, "one, the root", "are")
    ordered = tuple(sorted(nodes, key=lambda node: -depth[node.name]))
    numbered = [queue.name for queue in queues] + [node.name for node in ordered]
    number = {name: i for i, name in enumerate(numbered)}
    leaves: tuple[tuple[int, ...], ...] = ((),) * len(queues)
    return Outline(
        tuple(number[parent[name]] if name in parent else -1 for name in number),
        leaves + tuple(tuple(number[child] for child in node.children) for node in ordered),
        tuple(depth[name] for name in number),
        ordered,
    )


def _check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            fail("the name of a queue or node", name, "each name once")
        seen.add(name)


def _parents(names: Sequence[str], nodes: Sequence[Node]) -> dict[str, str]:
    known, parent = set(names), dict[str, str]()
    for node in nodes:
        for child in node.children:
            if child not in known:
                fail(f"Node {node.name!r} children", child, ", ".join(names))
            if child in parent:
                both = parent[child], node.name
                fail(f"the parents of {child!r}", both, "one", "are")
            parent[child] = node.name
    return parent


def _depths(by_name: dict[str, Node], roots: Sequence[str]) -> dict[str, int]:
    """How deep each name is below a root; those that none leads to are left out."""
    depth = dict.fromkeys(roots, 0)
    ahead = list(roots)
    while ahead:
        name = ahead.pop()
        if name in by_name:
            for child in by_name[name].children:
                depth[child] = depth[name] + 1
                ahead.append(child)
    return depth


def guaranteed_below_bps(queues: Sequence["Queue"], tree: Outline) -> list[float]:
    """Guaranteed rates of queues and nodes; of a node without one the sum of those below it.

    >>> from qoslib.port import PacketLimit, Queue
    >>> queues = [Queue(name, PacketLimit(9), guaranteed_bps=1e6) for name in ("a", "b")]
    >>> guaranteed_below_bps(queues, outline(queues, [Node("both", ("a", "b"))]))
    [1000000.0, 1000000.0, 2000000.0]
    """
    rates = [each.guaranteed_bps for each in tree.each(queues)]
    for number, children in enumerate(tree.children):
        rates[number] = rates[number] or sum(rates[child] for child in children)
    return rates
