"""A tree of schedulers as tables, beside those of its port."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qoslib.memory import Need
from qoslib.packets.kernels import tables
from qoslib.packets.kernels.bands import NONE
from qoslib.packets.kernels.clock import HORIZON_PS, NEVER, interval_ps, numbers_of, split
from qoslib.packets.kernels.codes import TREES
from qoslib.packets.kernels.tree_tables import GOES, LENDERS, NODE, ROOT, STEP, Tree
from qoslib.packets.plan_classes import lends
from qoslib.packets.plan_queues import fill_guarantee, fill_shaper
from qoslib.port import Forwarder, HierarchicalTokenBucket, Node, Port, Queue, SchedulerTree
from qoslib.port.nodes import Outline, guaranteed_below_bps, outline
from qoslib.record import fail

__all__ = ["no_tree", "tree_needs", "tree_of"]


def tree_of(where: Port | Forwarder, state: tables.State, end_ps: int) -> Tree | None:
    """The tables of a port's tree; None of a port without one."""
    if type(getattr(where, "scheduler", None)) not in TREES:
        return None
    assert isinstance(where, Port)
    with numbers_of(f"Port {where.name!r} scheduler"):
        return _planned(where, state, end_ps)


def no_tree() -> Tree:
    """The tables of a tree without nodes, for a loop that also runs trees."""
    return Tree(
        root=np.zeros(0, ROOT),
        nodes=np.zeros(0, NODE),
        steps=np.zeros(0, STEP),
        paths=np.zeros((0, 0), np.int64),
        goes=np.zeros((0, 2), GOES),
        turns=np.zeros((0, 0), np.int64),
        reached=np.zeros((0, 0), np.int64),
        matches=np.zeros((2, 0), np.int64),
        wakes=np.zeros(0, np.int64),
        members=np.zeros((2, 0), np.int64),
        lenders=np.zeros(0, LENDERS),
        at_turn=np.zeros((0, 0), np.int64),
        deficits=np.zeros((0, 0), np.int64),
    )


def tree_needs(port: Port, classes: NDArray[np.void]) -> Iterator[Need]:
    """What the tables of a port's tree take [B]; nothing of a port without one."""
    scheduler = port.scheduler
    if isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket):
        shape = outline(port.queues, scheduler.nodes)
        number = len(shape.parents)
        steps = sum(shape.depths[int(queue)] + 1 for queue in classes["queue"])
        bands = 0
        if isinstance(scheduler, SchedulerTree):
            bands = len(scheduler.bands(port.queues))
        levels = max(shape.depths) + 1 if lends(port) else 0
        bytes_each = NODE.itemsize + 16 * (bands + levels) + 200
        paths = np.dtype(np.int64).itemsize * len(classes) * (max(shape.depths) + 1)
        needed = bytes_each * number + STEP.itemsize * steps + paths
        yield f"Port {port.name!r} nodes", number, needed


def _planned(port: Port, state: tables.State, end_ps: int) -> Tree:
    scheduler = port.scheduler
    assert isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket)
    shape = outline(port.queues, scheduler.nodes)
    nodes = _placed(shape)
    borrows = lends(port)
    steps, paths = _steps(port, shape, state.classes, end_ps)
    _fill_nodes(nodes, shape, state, steps, paths, borrows)
    number, queues = len(nodes), len(port.queues)
    root = np.zeros(1, ROOT)
    root["root"] = number - 1
    bands = 0
    if isinstance(scheduler, SchedulerTree):
        bands = _fill_bands(nodes[:queues], root[0], port.queues, scheduler)
        _mark_demoting(nodes)
    lenders, order = _lenders(nodes, shape) if borrows else (np.zeros(0, LENDERS), [])
    members = _members(nodes, lenders, order)
    priorities = sorted({queue.priority for queue in port.queues})
    nodes["priority"][:queues] = [priorities.index(queue.priority) for queue in port.queues]
    goes = np.zeros((number + 1, 2), GOES)
    goes["band"] = NONE
    goes["leaf"][:queues] = np.arange(queues, dtype=np.int64)[:, np.newaxis]
    return Tree(
        root=root,
        nodes=nodes,
        steps=steps,
        paths=paths,
        goes=goes,
        turns=np.zeros((number, bands), np.int64),
        reached=np.zeros((number, bands), np.int64),
        matches=np.full(members.shape, NONE, np.int64) if borrows else members[[1, 1]],
        wakes=np.full(2 * _power(number), NEVER, np.int64),
        members=members,
        lenders=lenders,
        at_turn=np.zeros((number + len(lenders), len(priorities)), np.int64),
        deficits=np.zeros((queues, len(lenders)), np.int64),
    )


def _members(
    nodes: NDArray[np.void], lenders: NDArray[np.void], order: Sequence[Sequence[int]]
) -> NDArray[np.int64]:
    """Who has each place of a tournament: among HTB's lenders, and among a node's children."""
    width = max(2 * int(nodes["size"].sum()), 2 * int(lenders["size"].sum()))
    members = np.full((2, width), len(nodes), np.int64)
    for index, node in enumerate(nodes[:-1]):
        parent = nodes[node["parent"]]
        members[1, parent["first"] + parent["size"] + node["place"]] = index
    for level, mine in zip(lenders, order, strict=True):
        first = level["first"] + level["size"]
        members[0, first : first + len(mine)] = mine
    return members


def _power(count: int) -> int:
    """The least power of two that is no smaller."""
    return 1 << (count - 1).bit_length()


def _placed(shape: Outline) -> NDArray[np.void]:
    """Rows of all nodes, with who is whose child, and where its tournament is."""
    nodes = np.zeros(len(shape.parents), NODE)
    nodes["parent"], nodes["depth"] = shape.parents, shape.depths
    first = 0
    for index, children in enumerate(shape.children):
        if children:
            size = _power(len(children))
            nodes[index]["first"], nodes[index]["size"] = first, size
            nodes["place"][list(children)] = range(len(children))
            first += 2 * size
    return nodes


def _steps(
    port: Port, shape: Outline, classes: NDArray[np.void], end_ps: int
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """What each frame size costs each node that it passes, and which of that a class pays."""
    rates = guaranteed_below_bps(port.queues, shape)
    weights = _excess_weights(port, shape)
    if lends(port):
        rates = weights = [0.0] * len(weights)
    shares = [_shares(shape, values, end_ps) for values in (rates, weights)]
    depths = [shape.depths[int(each["queue"])] + 1 for each in classes]
    steps, paths = np.zeros(sum(depths), STEP), np.zeros((len(classes), max(depths)), np.int64)
    numbers: dict[tuple[int, int], int] = {}
    for kind, path in zip(classes, paths, strict=True):
        index = int(kind["queue"])
        while index >= 0:
            which = index, int(kind["frame_bytes"])
            path[shape.depths[index]] = number = numbers.setdefault(which, len(numbers))
            if number == len(numbers) - 1:
                if index >= len(port.queues):
                    _fill_step(steps[number], port, shape.nodes[index - len(port.queues)], kind)
                for name, share in zip(("turn_ps", "excess_turn_ps"), shares, strict=True):
                    turn_ps = int(kind["service_ps"]) * share[index]
                    if turn_ps >= HORIZON_PS:
                        pair = f"Port {port.name!r} weights", share[index]
                        fail(*pair, "closer", "are in a ratio of")
                    steps[number][name] = max(int(turn_ps), 1)
            index = shape.parents[index]
    return steps[: len(numbers)], paths


def _excess_weights(port: Port, shape: Outline) -> list[float]:
    """Weights of the excess; 0 of strict priority, and of nodes that have no other below them."""
    levels = getattr(port.scheduler, "strict_levels", 0)
    takes = [queue.priority >= levels for queue in port.queues]
    for children in shape.children[len(takes) :]:
        takes.append(any(takes[child] for child in children))
    each = shape.each(port.queues)
    return [one.weight if may else 0.0 for one, may in zip(each, takes, strict=True)]


def _shares(shape: Outline, values: Sequence[float], end_ps: int) -> list[float]:
    """The largest value among the siblings of each over its own; 1 where it has none."""
    shares = [1.0] * len(values)
    for children in shape.children:
        there = [values[child] for child in children if values[child]]
        if there and end_ps * (max(there) / min(there)) >= HORIZON_PS:
            pair = min(there), max(there)
            fail("the weights or guaranteed rates below a node", pair, "closer, or a shorter run")
        for child in children:
            shares[child] = max(there) / values[child] if values[child] else 1.0
    return shares


def _fill_step(step: np.void, port: Port, node: Node, kind: np.void) -> None:
    frame_bytes = int(kind["frame_bytes"])
    on_line_bytes = Fraction(frame_bytes) + Fraction(port.overhead_bytes)
    if node.shaper:
        counted_bytes = on_line_bytes if lends(port) else frame_bytes
        took = split(interval_ps(counted_bytes, node.shaper.rate_bps))
        step["shape_ps"], step["shape_fraction"] = took
    if node.guaranteed_bps:
        took = split(interval_ps(on_line_bytes, node.guaranteed_bps))
        step["credit_ps"], step["credit_fraction"] = took


def _fill_nodes(
    nodes: NDArray[np.void],
    shape: Outline,
    state: tables.State,
    steps: NDArray[np.void],
    paths: NDArray[np.int64],
    borrows: bool,
) -> None:
    """The buckets of the nodes above queues."""
    queues = len(nodes) - len(shape.nodes)
    largest = np.zeros(len(nodes), np.int64)
    dearest = np.zeros(len(nodes), np.int64)
    for kind, path in zip(state.classes, paths, strict=True):
        index = int(kind["queue"])
        while index >= 0:
            step = steps[path[shape.depths[index]]]
            largest[index] = max(largest[index], kind["frame_bytes"])
            dearest[index] = max(dearest[index], step["credit_ps"])
            index = shape.parents[index]
    for index, node in enumerate(shape.nodes, queues):
        row = nodes[index]
        fill_shaper(row, node.shaper, f"Node {node.name!r}", 0 if borrows else int(largest[index]))
        if node.guaranteed_bps:
            fill_guarantee(row, node, f"Node {node.name!r}", int(dearest[index]), borrows)


def _fill_bands(
    leaves: NDArray[np.void], root: np.void, queues: Sequence[Queue], scheduler: SchedulerTree
) -> int:
    """The bands of each queue's packets, the first of each kind, and how many there are."""
    bands = scheduler.bands(queues)
    kinds = [kind for kind, _ in bands]
    root["first_within"] = kinds.count("strict")
    levels = [queues[members[0]].priority for _, members in bands[: kinds.count("strict")]]
    root["first_in_turn"] = sum(level < scheduler.fifo_levels for level in levels)
    root["first_beyond"] = len(kinds) - kinds.count("beyond")
    for number in reversed(range(len(bands))):
        kind, members = bands[number]
        for index in members:
            leaves[index]["within"] = number
            if kind != "within":
                leaves[index]["beyond"] = number
    return len(bands)


def _mark_demoting(nodes: NDArray[np.void]) -> None:
    """Mark the nodes that need to know what would go without guarantees, by a node above or own."""
    for node in nodes[::-1]:
        above = node["parent"] >= 0 and nodes[node["parent"]]["demotes"]
        node["demotes"] = above or (node["size"] > 0 and node["guaranteed"])


def _lenders(nodes: NDArray[np.void], shape: Outline) -> tuple[NDArray[np.void], list[list[int]]]:
    """HTB's levels: queues first, then the deepest nodes; each in the order of the tree."""
    deepest = max(depth for depth, below in zip(shape.depths, shape.children, strict=True) if below)
    levels: list[list[int]] = [[] for _ in range(deepest + 2)]
    for index in shape.walk():
        level = deepest - shape.depths[index] + 1 if shape.children[index] else 0
        nodes[index]["level"], nodes[index]["at_level"] = level, len(levels[level])
        levels[level].append(index)
    rows = np.zeros(len(levels), LENDERS)
    rows["size"] = [_power(len(mine)) for mine in levels]
    rows["first"] = 2 * (np.cumsum(rows["size"]) - rows["size"])
    return rows, levels
