"""How a port's rate is shared while every class sends as much as it can: the least each gets."""

from collections.abc import Iterator, Mapping, Sequence

from qoslib.config.amounts import rate_text
from qoslib.port import (
    DeficitRoundRobin,
    ExcessRate,
    Fifo,
    HierarchicalTokenBucket,
    ModifiedDrr,
    Node,
    PeakRate,
    Policer,
    Port,
    PriorityLevels,
    Queue,
    SchedulerTree,
    StartTimeFairQueueing,
)
from qoslib.port.nodes import outline

__all__ = [
    "capacity_bps",
    "is_strict",
    "least_bps",
    "limit_in",
    "limited_bps",
    "nodes_of",
    "policed_bps",
]


def capacity_bps(port: Port) -> float:
    """What a port sends at most: its line rate, or the shaper that all of it passes [bit/s].

    Parameters
    ----------
    port : Port

    Returns
    -------
    float
        [bit/s]

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Shaper
    >>> queues = (Queue("all", PacketLimit(64)),)
    >>> capacity_bps(Port("access", 1e9, queues, shaper=Shaper(50e6, 25_000)))
    50000000.0
    """
    rates = [port.rate_bps, *([port.shaper.rate_bps] if port.shaper else [])]
    by_name = {node.name: node for node in nodes_of(port)}
    node = outline(port.queues, nodes_of(port)).nodes[-1] if by_name else None
    while node is not None:
        rates += [node.shaper.rate_bps] if node.shaper else []
        node = by_name.get(node.children[0]) if len(node.children) == 1 else None
    return min(rates)


def nodes_of(port: Port) -> tuple[Node, ...]:
    scheduler = port.scheduler
    trees = SchedulerTree | HierarchicalTokenBucket
    return scheduler.nodes if isinstance(scheduler, trees) else ()


def is_strict(port: Port, queue: Queue) -> bool:
    """Whether a queue is served before all that have rates or weights.

    Parameters
    ----------
    port : Port
    queue : Queue
        One of it.

    Returns
    -------
    bool

    Examples
    --------
    >>> from qoslib.port import PacketLimit, StrictPriority
    >>> voice, data = (Queue(name, PacketLimit(64), priority=i) for i, name in enumerate("vd"))
    >>> port = Port("access", 1e8, (voice, data), StrictPriority())
    >>> is_strict(port, voice), is_strict(port, data)
    (True, False)
    """
    scheduler = port.scheduler
    if isinstance(scheduler, SchedulerTree):
        return queue.priority < scheduler.strict_levels
    if isinstance(scheduler, ModifiedDrr):
        return queue.name == scheduler.low_latency
    if isinstance(scheduler, PriorityLevels):
        # What is guaranteed the whole line is `strict-high` of Junos.
        first = queue.priority == min(each.priority for each in port.queues)
        return first and queue.guaranteed_bps >= port.rate_bps and len(port.queues) > 1
    if isinstance(scheduler, Fifo | DeficitRoundRobin | HierarchicalTokenBucket):
        return False
    return queue.priority < max(each.priority for each in port.queues)


def limited_bps(queue: Queue) -> float | None:
    """What policer and shaper let out of a queue, while the port is congested; None for all.

    Parameters
    ----------
    queue : Queue

    Returns
    -------
    float or None
        [bit/s]

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Policer
    >>> limited_bps(Queue("voice", PacketLimit(64), policer=Policer(1e6, 25_000)))
    1000000.0
    """
    rates = [queue.shaper.rate_bps] if queue.shaper else []
    policed = policed_bps(queue.policer) if queue.policer else None
    if policed is not None:
        rates.append(policed)
    return min(rates) if rates else None


def limit_in(port: Port, queue: Queue) -> float | None:
    """As `limited_bps`, but None where the limit is no lower than the line rate."""
    limit = limited_bps(queue)
    return None if limit is not None and limit >= port.rate_bps else limit


def policed_bps(policer: Policer) -> float | None:
    """What a policer lets through in the long run; None if it drops nothing."""
    if policer.exceed == "drop":
        return policer.rate_bps
    if policer.excess is None or policer.violate != "drop":
        return None
    if isinstance(policer.excess, PeakRate):
        return policer.excess.rate_bps
    more = policer.excess.rate_bps if isinstance(policer.excess, ExcessRate) else 0.0
    return policer.rate_bps + more


def least_bps(port: Port) -> dict[str, tuple[float, str]]:
    """Minimum and arithmetic of each queue."""
    scheduler = port.scheduler
    if isinstance(scheduler, SchedulerTree):
        tree = outline(port.queues, scheduler.nodes)
        found: dict[str, tuple[float, str]] = {}
        each = {one.name: one for one in tree.each(port.queues)}
        _below(port, each, tree.nodes[-1], capacity_bps(port), found)
        return found
    if isinstance(scheduler, HierarchicalTokenBucket):
        return {q.name: (q.guaranteed_bps, "its rate") for q in port.queues}
    if isinstance(scheduler, PriorityLevels):
        return dict(_shared(port, port.queues, capacity_bps(port)))
    return dict(_levels(port))


def _below(
    port: Port,
    each: Mapping[str, Queue | Node],
    node: Node,
    most_bps: float,
    found: dict[str, tuple[float, str]],
) -> None:
    """Share what a node has among its children; those that are nodes share theirs."""
    children = [each[name] for name in node.children]
    for name, (rate, why) in _shared(port, children, most_bps, each):
        child = each[name]
        if isinstance(child, Node):
            most = min(rate, child.shaper.rate_bps) if child.shaper else rate
            _below(port, each, child, most, found)
        else:
            found[name] = rate, why


def _reserved(port: Port, child: Queue | Node, each: Mapping[str, Queue | Node]) -> float | None:
    """What a child has before the excess is shared; None for a strict queue without a limit."""
    if isinstance(child, Queue):
        limit = limit_in(port, child)
        if is_strict(port, child):
            return limit
        return child.guaranteed_bps if limit is None else min(child.guaranteed_bps, limit)
    below = [_reserved(port, each[name], each) for name in child.children]
    if None in below:
        return child.shaper.rate_bps if child.shaper else None
    total = max(child.guaranteed_bps, sum(rate or 0.0 for rate in below))
    return min(total, child.shaper.rate_bps) if child.shaper else total


def _shared(
    port: Port,
    children: Sequence[Queue | Node],
    most_bps: float,
    each: Mapping[str, Queue | Node] | None = None,
) -> Iterator[tuple[str, tuple[float, str]]]:
    """Guarantees first, then the excess by weight among the best level."""
    reserved = {child.name: _reserved(port, child, each or {}) for child in children}
    open_ended = [name for name, rate in reserved.items() if rate is None]
    sums = " - ".join([rate_text(most_bps), *(rate_text(r) for r in reserved.values() if r)])
    left = 0.0 if open_ended else max(most_bps - sum(r or 0.0 for r in reserved.values()), 0.0)
    takers = [c for c in children if not (isinstance(c, Queue) and is_strict(port, c))]
    levels = {child.name: _excess_level(child) for child in takers}
    best = min(levels.values(), default=(0, False))
    weights = {c.name: c.weight or 1.0 for c in takers if levels[c.name] == best}
    for child in children:
        own = reserved[child.name]
        if own is None:
            yield child.name, (most_bps, "strict priority without a limit: all of it")
            continue
        share = left * weights.get(child.name, 0.0) / (sum(weights.values()) or 1.0)
        if isinstance(child, Node):
            yield child.name, (own + share, "")
        elif own and child.name not in levels:
            yield child.name, (own, f"what its limit lets through, {rate_text(own)}")
        elif own:
            why = "its guarantee"
            if open_ended:
                why += f", if {', '.join(open_ended)} leaves it: strict priority without a limit"
            yield child.name, (own, why)
        elif open_ended:
            why = f"nothing: {', '.join(open_ended)} has strict priority without a limit"
            yield child.name, (0.0, why)
        elif isinstance(child, Queue) and (limit := limit_in(port, child)) and limit < share:
            yield child.name, (limit, f"its limit, {rate_text(limit)}")
        elif not left:
            yield child.name, (0.0, f"nothing is left: {sums}")
        elif not share:
            yield child.name, (0.0, "nothing: the excess goes to a higher level first")
        else:
            many = len(weights) > 1
            part = f", shared by weight among {', '.join(weights)}" if many else ""
            yield child.name, (share, f"what is left, {sums} = {rate_text(left)}{part}")


def _excess_level(child: Queue | Node) -> tuple[int, bool]:
    if isinstance(child, Node):
        return (0, False)
    beyond = child.priority if child.excess_priority is None else child.excess_priority
    return beyond, not child.weight


def _levels(port: Port) -> Iterator[tuple[str, tuple[float, str]]]:
    """Flat schedulers: level by level, within one by weight."""
    left, above = capacity_bps(port), ""
    ranks = port.ranks
    if isinstance(port.scheduler, ModifiedDrr):
        ranks = tuple(int(queue.name != port.scheduler.low_latency) for queue in port.queues)
    if isinstance(port.scheduler, DeficitRoundRobin | Fifo):
        ranks = (0,) * len(port.queues)
    in_rounds = isinstance(port.scheduler, DeficitRoundRobin | ModifiedDrr)
    for rank in sorted(set(ranks)):
        level = [queue for queue, own in zip(port.queues, ranks, strict=True) if own == rank]
        weights = [float(q.quantum_bytes) if in_rounds else q.weight for q in level]
        if not isinstance(port.scheduler, StartTimeFairQueueing) and not in_rounds:
            weights = [1.0] * len(level)
        weights = [weight or 1.0 for weight in weights]
        taken = 0.0
        for queue, weight in zip(level, weights, strict=True):
            share = left * weight / sum(weights)
            limit = limit_in(port, queue)
            rate = share if limit is None else min(share, limit)
            part = f"{weight:g} / {sum(weights):g} of " if len(level) > 1 else "all of "
            why = f"{part}{rate_text(left)}{above}" if left else f"nothing{above}"
            yield queue.name, (rate, why if rate == share else f"its limit, {rate_text(rate)}")
            taken += share if limit is None else limit
        names = ", ".join(queue.name for queue in level)
        left = max(left - taken, 0.0)
        above = (
            f", which {names} leaves" if left else f": {names} has strict priority without a limit"
        )
