"""How a port's rate is shared while every class sends as much as it can: the least each gets."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from qoslib import units
from qoslib.config.amounts import rate_text
from qoslib.config.source import check_time
from qoslib.fluid import SHARINGS
from qoslib.port import (
    CakeTins,
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
    WeightedRoundRobin,
)
from qoslib.port.nodes import outline
from qoslib.tolerances import ROUNDING
from qoslib.units import Floats

__all__ = [
    "FRAME_BYTES",
    "capacity_bps",
    "freed_bps",
    "is_strict",
    "least_bps",
    "limit_in",
    "limited_bps",
    "nodes_of",
    "policed_bps",
    "root_of",
]

#: A full frame [B]: what a packet of a queue is taken to be where no load says otherwise.
FRAME_BYTES = 1518
#: So many rows of demands are shared out at once.
_ROWS = 256
#: More terms of a sum are counted.
_MOST_TERMS = 20
#: Schedulers that know guaranteed rates.
GUARANTEES = SchedulerTree | PriorityLevels | HierarchicalTokenBucket


def capacity_bps(port: Port) -> float:
    """What a port sends at most: its line rate, or the shaper that all of it passes [bit/s].

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


def root_of(nodes: Sequence[Node]) -> Node:
    """The node that is below no other.

    >>> root_of([Node("inner", ("a", "b")), Node("all", ("inner", "c"))]).name
    'all'
    """
    below = {child for node in nodes for child in node.children}
    return next(node for node in nodes if node.name not in below)


def is_strict(port: Port, queue: Queue) -> bool:
    """Whether a queue is served before all that have rates or weights.

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
    if isinstance(scheduler, PriorityLevels | HierarchicalTokenBucket):
        # What is guaranteed the whole line: `strict-high` of Junos, the direct queue of HTB.
        level = [each for each in port.queues if each.priority == queue.priority]
        first = queue.priority == min(each.priority for each in port.queues)
        alone = sum(each.guaranteed_bps > 0 for each in level) == 1
        return first and alone and queue.guaranteed_bps >= port.rate_bps and len(port.queues) > 1
    if isinstance(scheduler, Fifo | DeficitRoundRobin | CakeTins):
        return False
    return queue.priority < max(each.priority for each in port.queues)


def limited_bps(queue: Queue) -> float | None:
    """What policer and shaper let out of a queue, while the port is congested; None for all.

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
    first = {policer.conform, policer.exceed}
    if first == {"drop"} and (policer.excess is None or policer.violate == "drop"):
        return 0.0
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

    >>> from qoslib.port import PacketLimit
    >>> queues = [Queue(n, PacketLimit(64), guaranteed_bps=r) for n, r in (("a", 30e6), ("b", 0))]
    >>> least_bps(Port("out", 1e8, tuple(queues), SchedulerTree((Node("all", ("a", "b")),))))["a"]
    (65000000.0, '30 Mb/s guaranteed + 70 Mb/s left / 2')
    """
    demand, most_bps = _demand(port)
    got_bps = dict(zip(port.queue_names, map(float, _sent(port, demand, most_bps)), strict=True))
    shared, found = _Shared(port, got_bps), {}
    for queue, wanted in zip(port.queues, demand, strict=True):
        check_time()
        found[queue.name] = shared.told(queue, float(wanted))
    return found


def freed_bps(port: Port) -> dict[str, float]:
    """What each queue with a policer would get of `least_bps` if its own let all through.

    >>> from qoslib.port import PacketLimit
    >>> queues = [Queue(n, PacketLimit(64), policer=Policer(1e6, 2e4)) for n in ("a", "b")]
    >>> port = Port("out", 1e8, tuple(queues), SchedulerTree((Node("all", ("a", "b")),)))
    >>> freed_bps(port)
    {'a': 99000000.0, 'b': 99000000.0}
    """
    demand, most_bps = _demand(port)
    policed = [i for i, queue in enumerate(port.queues) if queue.policer]
    least_bps, found = ROUNDING * capacity_bps(port), {}
    for start in range(0, len(policed), _ROWS):
        check_time()
        rows = policed[start : start + _ROWS]
        freed = [port.queues[i].replace(policer=None) for i in rows]
        wanted = np.tile(demand, (len(rows), 1))
        for row, (i, queue) in enumerate(zip(rows, freed, strict=True)):
            wanted[row, i] = min(limited_bps(queue) or most_bps, most_bps)
        sent = _sent(port, wanted, most_bps)
        for row, (i, queue) in enumerate(zip(rows, freed, strict=True)):
            got, asked = float(sent[row, i]), float(wanted[row, i])
            found[queue.name] = _exact(port, queue, got, asked, least_bps)
    return found


def _demand(port: Port) -> tuple[Floats, float]:
    """What queues send at most, and what there is for all of them [bit/s]."""
    # Within its rate a class of HTB asks no parent, not even for its ceil.
    line_bps = min(port.rate_bps, port.shaper.rate_bps if port.shaper else port.rate_bps)
    most_bps = line_bps if _borrows(port) else capacity_bps(port)
    limits_bps = [limited_bps(queue) for queue in port.queues]
    demand = np.array([most_bps if limit is None else limit for limit in limits_bps])
    return np.minimum(demand, most_bps), most_bps


def _sent(port: Port, demand: Floats, most_bps: float) -> Floats:
    """What queues send of what they want, in each row [bit/s]."""
    sharing = SHARINGS[type(port.scheduler)]
    packets = np.full((*demand.shape, 2), FRAME_BYTES)
    weights = sharing.weights(port, demand, packets)
    return sharing.rates(port, demand, np.full(demand.shape[:-1], most_bps), weights)


def _exact(port: Port, queue: Queue, got: float, demand_bps: float, least_bps: float) -> float:
    """A rate without the rounding of its arithmetic; the least one is none [bit/s]."""
    limited = limit_in(port, queue) is not None or is_strict(port, queue)
    own = _own_bps(port, queue)
    if got <= least_bps:
        return 0.0
    if limited and abs(got - demand_bps) <= least_bps:
        return demand_bps
    return own if own and abs(got - own) <= least_bps else got


class _Shared:
    """Why queues get their rates: what those of a port have in common is worked out once."""

    def __init__(self, port: Port, got_bps: Mapping[str, float]) -> None:
        self.port, self.got_bps, self.most_bps = port, got_bps, capacity_bps(port)
        self.least_bps = ROUNDING * self.most_bps
        self.unlimited = [
            q for q in port.queues if is_strict(port, q) and limit_in(port, q) is None
        ]
        self.siblings: dict[str, _Siblings] = {}
        for above, beside in _levels(port):
            siblings = _Siblings(port, got_bps, above, beside, self.least_bps)
            self.siblings |= dict.fromkeys(beside, siblings)

    def told(self, queue: Queue, demand_bps: float) -> tuple[float, str]:
        """A rate, and its arithmetic."""
        rate_bps = _exact(self.port, queue, self.got_bps[queue.name], demand_bps, self.least_bps)
        return rate_bps, self._why(queue, rate_bps, demand_bps)

    def _why(self, queue: Queue, rate_bps: float, demand_bps: float) -> str:
        port, own = self.port, _own_bps(self.port, queue)
        limit, strict = limit_in(port, queue), is_strict(port, queue)
        if limit == 0:
            return "all its packets are dropped"
        if not rate_bps:
            # Of strict classes only those that go before it.
            first = [q for q in self.unlimited if not strict or q.priority < queue.priority]
            if first:
                has = "has" if len(first) == 1 else "have"
                names = _listed([each.name for each in first], ", ")
                return f"nothing: {names} {has} strict priority without a limit"
            return f"nothing is left: {self.taken}"
        if limit is not None and rate_bps == demand_bps:
            return f"what its limit lets through, {rate_text(demand_bps)}"
        if strict and rate_bps == demand_bps:
            return "strict priority without a limit: all of it"
        said, over = "its guarantee", ""
        beside = self.siblings[queue.name]
        if _borrows(port):
            said, over = "its rate", beside.over
        if rate_bps == own:
            return said + over
        if rate_bps < own:
            return f"less than {said}, {rate_text(own)}: {self.taken} is all there is"
        part = beside.part(queue.name)
        if isinstance(port.scheduler, WeightedRoundRobin) and len(beside.more) > 1:
            part += "; this counts packets, all assumed to be of one size"
        return f"{rate_text(own)} guaranteed + {part}" if own else part

    @cached_property
    def taken(self) -> str:
        """What all queues get, as a sum."""
        rates = [f"{name} {rate_text(rate)}" for name, rate in self.got_bps.items() if rate]
        return _listed(rates, " + ")


class _Siblings:
    """Queues and nodes of one parent, each with the queues below it."""

    def __init__(
        self,
        port: Port,
        got_bps: Mapping[str, float],
        above: Node | None,
        beside: Mapping[str, Sequence[Queue]],
        none_bps: float,
    ) -> None:
        self.above = above
        self.firm = {
            name: sum(_firm(port, q, got_bps[q.name]) for q in below)
            for name, below in beside.items()
        }
        got = {name: sum(got_bps[q.name] for q in below) for name, below in beside.items()}
        more = {name: got[name] - self.firm[name] for name in got}
        self.more = {name: rate for name, rate in more.items() if rate > none_bps}
        self.total, self.left = sum(got.values()), sum(self.more.values())

    @property
    def over(self) -> str:
        """Says so where the rates below a class of HTB are more than its ceil."""
        above, total = self.above, rate_text(self.total)
        if not (above and above.shaper and self.total > above.shaper.rate_bps):
            return ""
        ceil = f"the {rate_text(above.shaper.rate_bps)} of {above.name}"
        return f"; {total} in total, more than {ceil}: that ceil limits only what is lent"

    def part(self, name: str) -> str:
        """The part that one has of what guarantees and limits leave."""
        left, share, sums = self.left, self.more[name], self._sums
        whole = rate_text(left) + (" left" if sums else "")
        why = f"; {sums} = {rate_text(left)}" if sums and not self.firm[name] else ""
        if len(self.more) == 1:
            return whole + why
        if abs(share - left / len(self.more)) <= ROUNDING * left:
            return f"{whole} / {len(self.more)}{why}"
        return f"{units.convert(share / left, '1', '%'):.3g} % of {whole}{why}"

    @cached_property
    def _sums(self) -> str:
        """The whole, less what is guaranteed or limited; empty where nothing is."""
        taken = [rate_text(rate) for rate in self.firm.values() if rate]
        return _listed([rate_text(self.total), *taken], " - ") if taken else ""


def _levels(port: Port) -> Iterator[tuple[Node | None, dict[str, list[Queue]]]]:
    """Each node of a port, and what is directly below it with the queues below that."""
    if not nodes_of(port):
        yield None, {each.name: [each] for each in port.queues}
        return
    tree = outline(port.queues, nodes_of(port))
    each = tree.each(port.queues)
    below = [[queue] for queue in port.queues]
    for number in range(len(below), len(each)):
        children = tree.children[number]
        below.append([queue for child in children for queue in below[child]])
        yield tree.nodes[number - len(port.queues)], {each[c].name: below[c] for c in children}


def _listed(terms: Sequence[str], between: str) -> str:
    """Terms in a row, of which many are counted."""
    more = len(terms) - _MOST_TERMS
    return between.join([*terms[:_MOST_TERMS], f"{more} more"] if more > 1 else terms)


def _borrows(port: Port) -> bool:
    return isinstance(port.scheduler, HierarchicalTokenBucket)


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
