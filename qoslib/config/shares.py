"""How a port's rate is shared while every class sends as much as it can: the least each gets."""

from collections.abc import Mapping

import numpy as np

from qoslib import units
from qoslib.config.amounts import rate_text
from qoslib.config.text import check_time
from qoslib.fluid import SHARINGS
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
)
from qoslib.port.nodes import outline
from qoslib.tolerances import ROUNDING

__all__ = [
    "FRAME_BYTES",
    "capacity_bps",
    "is_strict",
    "least_bps",
    "limit_in",
    "limited_bps",
    "nodes_of",
    "policed_bps",
]

#: A full frame [B]: what a packet of a queue is taken to be where no load says otherwise.
FRAME_BYTES = 1518
#: Schedulers that know guaranteed rates.
GUARANTEES = SchedulerTree | PriorityLevels | HierarchicalTokenBucket


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
    """What each queue gets while all send as much as they can, and the arithmetic.

    The fluid model's rules of each scheduler share the port, without what frames add on the line.

    Parameters
    ----------
    port : Port

    Returns
    -------
    dict of str to (float, str)
        Queue, its rate [bit/s], and how that follows.

    Examples
    --------
    >>> from qoslib.port import PacketLimit
    >>> queues = [Queue(n, PacketLimit(64), guaranteed_bps=r) for n, r in (("a", 30e6), ("b", 0))]
    >>> least_bps(Port("out", 1e8, tuple(queues), SchedulerTree((Node("all", ("a", "b")),))))["a"]
    (65000000.0, '30 Mb/s guaranteed + 70 Mb/s left / 2')
    """
    sharing = SHARINGS[type(port.scheduler)]
    # Within its rate a class of HTB asks no parent, not even for its ceil.
    line_bps = min(port.rate_bps, port.shaper.rate_bps if port.shaper else port.rate_bps)
    most_bps = line_bps if _borrows(port) else capacity_bps(port)
    limits_bps = [limited_bps(queue) for queue in port.queues]
    demand = np.array([most_bps if limit is None else limit for limit in limits_bps])
    demand = np.minimum(demand, most_bps)
    packets = np.full((len(port.queues), 2), FRAME_BYTES)
    weights = sharing.weights(port, demand, packets)
    rates = sharing.rates(port, demand, np.array(most_bps), weights)
    got_bps = dict(zip(port.queue_names, map(float, rates), strict=True))
    found = {}
    for queue, most in zip(port.queues, demand, strict=True):
        check_time()
        found[queue.name] = _told(port, queue, got_bps, float(most))
    return found


def _told(
    port: Port, queue: Queue, got_bps: Mapping[str, float], demand_bps: float
) -> tuple[float, str]:
    """A rate without the rounding of its arithmetic, and the arithmetic."""
    got, least_bps = got_bps[queue.name], ROUNDING * capacity_bps(port)
    own = _own_bps(port, queue)
    limit = limit_in(port, queue)
    strict = is_strict(port, queue)
    first = [
        q.name
        for q in port.queues
        if is_strict(port, q)
        and limit_in(port, q) is None
        # Of strict classes only those that go before it.
        and (not strict or q.priority < queue.priority)
    ]
    if got <= least_bps:
        if first:
            has = "has" if len(first) == 1 else "have"
            return 0.0, f"nothing: {', '.join(first)} {has} strict priority without a limit"
        return 0.0, f"nothing is left: {_taken(got_bps)}"
    if limit is not None and abs(got - demand_bps) <= least_bps:
        return demand_bps, f"what its limit lets through, {rate_text(demand_bps)}"
    if strict and limit is None and abs(got - capacity_bps(port)) <= least_bps:
        return demand_bps, "strict priority without a limit: all of it"
    said = "its rate" if _borrows(port) else "its guarantee"
    if own and abs(got - own) <= least_bps:
        return own, said + _over(port, queue, got_bps)
    if got < own:
        return got, f"less than {said}, {rate_text(own)}: {_taken(got_bps)} is all there is"
    return got, (f"{rate_text(own)} guaranteed + " if own else "") + _part(port, queue, got_bps)


def _borrows(port: Port) -> bool:
    return isinstance(port.scheduler, HierarchicalTokenBucket)


def _over(port: Port, queue: Queue, got_bps: Mapping[str, float]) -> str:
    """Says so where the rates below a class of HTB are more than its ceil."""
    total = sum(got_bps[each.name] for _, below in _beside(port, queue) for each in below)
    above = next((node for node in nodes_of(port) if queue.name in node.children), None)
    if not (_borrows(port) and above and above.shaper and total > above.shaper.rate_bps):
        return ""
    ceil = f"the {rate_text(above.shaper.rate_bps)} of {above.name}"
    return f"; {rate_text(total)} in all, more than {ceil}: that ceil limits only what is lent"


def _taken(got_bps: Mapping[str, float]) -> str:
    return " + ".join(f"{name} {rate_text(rate)}" for name, rate in got_bps.items() if rate)


def _part(port: Port, queue: Queue, got_bps: Mapping[str, float]) -> str:
    """The part that a queue has of what its siblings' guarantees and limits leave."""
    beside = _beside(port, queue)
    firm = {name: sum(_firm(port, q, got_bps[q.name]) for q in below) for name, below in beside}
    got = {name: sum(got_bps[q.name] for q in below) for name, below in beside}
    more = {name: got[name] - firm[name] for name in got}
    none_bps = ROUNDING * capacity_bps(port)
    more = {name: rate for name, rate in more.items() if rate > none_bps}
    left, share = sum(more.values()), more[queue.name]
    taken = [rate_text(rate) for rate in firm.values() if rate]
    whole = rate_text(left) + (" left" if taken else "")
    sums = " - ".join([rate_text(sum(got.values())), *taken]) if taken else ""
    why = f"; {sums} = {rate_text(left)}" if sums and not firm[queue.name] else ""
    if len(more) == 1:
        return whole + why
    if abs(share - left / len(more)) <= ROUNDING * left:
        return f"{whole} / {len(more)}{why}"
    return f"{units.convert(share / left, '1', '%'):.3g} % of {whole}{why}"


def _beside(port: Port, queue: Queue) -> list[tuple[str, list[Queue]]]:
    """Queues and nodes of one parent, each with the queues below it."""
    if not nodes_of(port):
        return [(each.name, [each]) for each in port.queues]
    tree = outline(port.queues, nodes_of(port))
    each = tree.each(port.queues)

    def below(number: int) -> list[Queue]:
        children = tree.children[number]
        return [q for c in children for q in below(c)] if children else [port.queues[number]]

    parent = tree.parents[port.queue_names.index(queue.name)]
    return [(each[number].name, below(number)) for number in tree.children[parent]]


def _firm(port: Port, queue: Queue, got_bps: float) -> float:
    """What of a queue's rate is its guarantee, or all that its limit lets through [bit/s]."""
    limit = limit_in(port, queue)
    if limit is not None and got_bps >= limit * (1 - ROUNDING):
        return got_bps
    return min(_own_bps(port, queue), got_bps)


def _own_bps(port: Port, queue: Queue) -> float:
    """What its scheduler guarantees a queue; nothing where it is strict [bit/s]."""
    known = isinstance(port.scheduler, GUARANTEES) and not is_strict(port, queue)
    return queue.guaranteed_bps if known else 0.0
