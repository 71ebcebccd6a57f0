"""Who gets how much of a line below a tree of schedulers: bands outside, the tree inside."""

from collections.abc import Sequence

import numpy as np

from qoslib.fluid.delay import limits_bytes
from qoslib.fluid.sharing import fill
from qoslib.port import HierarchicalTokenBucket, Port, SchedulerTree, Shaper
from qoslib.port.nodes import Outline, guaranteed_below_bps, outline
from qoslib.units import Floats

__all__ = ["lent", "mean_packets", "root_shaper", "sums", "through_tree"]

#: A line that adds to frames of several sizes: what a shaper of frames lets through is found so.
ROUNDS = 30
#: Less than this part of the line is no longer shared out [ratio].
LEAST = 1e-12


def mean_packets(port: Port, put_in_bps: Floats, packet_bytes: Floats) -> Floats:
    """What a tree has to know of its queues: their mean packets."""
    return packet_bytes


def root_shaper(port: Port) -> Shaper | None:
    """The shaper of a tree's root, where a port has one."""
    scheduler = port.scheduler
    if isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket):
        return outline(port.queues, scheduler.nodes).nodes[-1].shaper
    return None


def through_tree(
    port: Port, demand_bps: Floats, capacity_bps: Floats, packet_bytes: Floats
) -> Floats:
    """What each queue below a `SchedulerTree` sends, band after band.

    In each band a queue wants ``min(d, g)`` (within its guarantee) or d, less what it has; a node
    what its children want, at most what its shaper, and within the guarantees its own guaranteed
    rate, leave. From the root on each node gives its children weighted max-min fair shares: queues
    that send in order of arrival wait equally long, so that full ones share by what they hold.
    """
    assert isinstance(port.scheduler, SchedulerTree)
    tree = outline(port.queues, port.scheduler.nodes)
    on_line = packet_bytes[..., 1] / packet_bytes[..., 0]
    ratio = _by_node(tree, demand_bps, on_line)
    sent = _filled(port, tree, demand_bps, capacity_bps, ratio, packet_bytes)
    if any(node.shaper for node in tree.nodes) and np.ptp(on_line) > 0:
        for _ in range(ROUNDS):
            ratio = _by_node(tree, np.where(sent > 0, sent, LEAST * demand_bps), on_line)
            sent = _filled(port, tree, demand_bps, capacity_bps, ratio, packet_bytes)
    return sent


def _by_node(tree: Outline, rate_bps: Floats, on_line: Floats) -> Floats:
    """Bits on the line for each bit of a frame, of all that comes through a node [ratio]."""
    whole = sums(tree, rate_bps)
    frames = sums(tree, rate_bps / on_line)
    return np.divide(whole, frames, out=np.ones_like(whole), where=frames > 0)


def sums(tree: Outline, of_queues: Floats) -> Floats:
    """Of each queue and node, what all queues below it have."""
    queues = of_queues.shape[-1]
    each = np.zeros((*of_queues.shape[:-1], len(tree.parents)))
    each[..., :queues] = of_queues
    for number, children in enumerate(tree.children):
        if children:
            each[..., number] = each[..., list(children)].sum(-1)
    return each


def _filled(
    port: Port,
    tree: Outline,
    demand: Floats,
    capacity: Floats,
    on_line: Floats,
    packet_bytes: Floats,
) -> Floats:
    each = tree.each(port.queues)
    guaranteed = guaranteed_below_bps(port.queues, tree)
    used = np.zeros_like(on_line)
    weights = {
        "strict": np.ones(len(each)),
        "within": np.array([rate or 1.0 for rate in guaranteed], dtype=float),
        "beyond": np.array([one.weight or 1.0 for one in each], float),
    }
    assert isinstance(port.scheduler, SchedulerTree)
    for band, queues in port.scheduler.bands(port.queues):
        members = list(queues)
        shares = weights[band]
        if band == "strict" and port.queues[members[0]].priority < port.scheduler.fifo_levels:
            held = np.zeros_like(demand)
            held[..., members] = limits_bytes(port, packet_bytes)[..., members]
            shares = sums(tree, held)
            shares = np.where(shares > 0, shares, 1.0)
        want = np.zeros_like(used)
        want[..., members] = demand[..., members]
        if band == "within":
            rates = [port.queues[i].guaranteed_bps for i in members]
            want[..., members] = np.minimum(want[..., members], rates)
        want[..., members] = np.maximum(want[..., members] - used[..., members], 0)
        for number, children in enumerate(tree.children):
            if children:
                most = want[..., list(children)].sum(-1)
                shaper = each[number].shaper
                if shaper:
                    left = shaper.rate_bps * on_line[..., number] - used[..., number]
                    most = np.minimum(most, np.maximum(left, 0))
                if band == "within" and each[number].guaranteed_bps:
                    left = each[number].guaranteed_bps - used[..., number]
                    most = np.minimum(most, np.maximum(left, 0))
                want[..., number] = most
        given = np.zeros_like(used)
        given[..., -1] = np.minimum(want[..., -1], np.maximum(capacity - used[..., -1], 0))
        for number in reversed(range(len(each))):
            below = list(tree.children[number])
            if below:
                given[..., below] = fill(want[..., below], given[..., number], shares[..., below])
        used += given
    return used[..., : len(port.queues)]


def lent(port: Port, demand_bps: Floats, capacity_bps: Floats, packet_bytes: Floats) -> Floats:
    """What each queue below a `HierarchicalTokenBucket` sends, level of lenders after level.

    Queues first send within their own rates; then the deepest nodes lend what is left of theirs
    to the queues below them that want more, under every ceil on the way, in proportion to their
    quanta; and so on up to the root. Within a level the lowest `priority` comes first. Parameters
    and result as in `through_tree`.
    """
    tree = outline(port.queues, port.scheduler.nodes)  # type: ignore[attr-defined]
    sent = np.zeros_like(demand_bps)
    for at in np.ndindex(demand_bps.shape[:-1]):
        packets = np.broadcast_to(packet_bytes, (*demand_bps.shape, 2))[at]
        capacity = float(np.broadcast_to(capacity_bps, demand_bps.shape[:-1])[at])
        sent[at] = _Lending(port, tree, demand_bps[at], capacity, packets).sent()
    return sent


class _Lending:
    """One set of demands: what is left of each rate, each ceil, each demand and the line."""

    def __init__(
        self, port: Port, tree: Outline, demand: Floats, capacity: float, packets: Floats
    ) -> None:
        each = tree.each(port.queues)
        self.tree, self.queues, self.demand = tree, port.queues, demand
        quanta = np.array([queue.quantum_bytes for queue in port.queues], float)
        self.growth = np.maximum(quanta, packets[:, 0]) * packets[:, 1] / packets[:, 0]
        self.rate_left = np.array([one.guaranteed_bps for one in each], float)
        self.ceil_left = np.array(
            [one.shaper.rate_bps if one.shaper else np.inf for one in each], dtype=float
        )
        self.line_left, self.least_bps = capacity, LEAST * capacity
        self.got = np.zeros(len(port.queues))

    def sent(self) -> Floats:
        """The rates of the queues, in bits on the line [bit/s]."""
        inner = [number for number, children in enumerate(self.tree.children) if children]
        depths = sorted({self.tree.depths[number] for number in inner}, reverse=True)
        levels = [list(range(len(self.queues)))]
        levels += [[n for n in inner if self.tree.depths[n] == depth] for depth in depths]
        priorities = sorted({queue.priority for queue in self.queues})
        for lenders in levels:
            for priority in priorities:
                self._lend(set(lenders), priority)
        return self.got

    def _lend(self, lenders: set[int], priority: int) -> None:
        """Fill up the queues of a priority together, till each is held back by something."""
        way = {}
        for queue in range(len(self.queues)):
            path = self._path_to(queue, lenders)
            if path and self.queues[queue].priority == priority:
                way[queue] = path
        while way:
            step = self._step(way)
            for queue, path in way.items():
                self._give(queue, path[-1], step * self.growth[queue])
            free = {queue: path for queue, path in way.items() if not self._held(queue, path)}
            # A step so small that rounding loses it holds nobody back: nothing is left to give.
            way = free if len(free) < len(way) else {}

    def _path_to(self, queue: int, lenders: set[int]) -> Sequence[int]:
        """From a queue up to its lender; empty where it has none of these."""
        path = [queue]
        while path[-1] not in lenders:
            if self.tree.parents[path[-1]] < 0:
                return ()
            path.append(self.tree.parents[path[-1]])
        return path

    def _step(self, way: dict[int, Sequence[int]]) -> float:
        """How far all may grow till the first of them is held back."""
        rising = [self.growth[queue] for queue in way]
        steps = [self.line_left / sum(rising)]
        taken, passed = np.zeros(len(self.rate_left)), np.zeros(len(self.ceil_left))
        for queue, path in way.items():
            steps.append((self.demand[queue] - self.got[queue]) / self.growth[queue])
            taken[path[-1]] += self.growth[queue]
            passed[list(path)] += self.growth[queue]
        steps += list(self.rate_left[taken > 0] / taken[taken > 0])
        steps += list(self.ceil_left[passed > 0] / passed[passed > 0])
        return float(max(min(steps), 0.0))

    def _give(self, queue: int, lender: int, rate_bps: float) -> None:
        self.got[queue] += rate_bps
        self.line_left -= rate_bps
        number, lends = queue, False
        while number >= 0:
            lends = lends or number == lender
            self.ceil_left[number] -= rate_bps
            self.rate_left[number] -= rate_bps if lends else 0.0
            number = self.tree.parents[number]

    def _held(self, queue: int, path: Sequence[int]) -> bool:
        left = min(self.line_left, self.demand[queue] - self.got[queue], self.rate_left[path[-1]])
        return bool(min(left, self.ceil_left[list(path)].min()) <= self.least_bps)
