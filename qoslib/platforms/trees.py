"""Trees of schedulers in the words of IOS XE, IOS, Junos and Linux.

Each function takes a queue or a node and gives it what a configuration says about the class: the
same record comes back with its rates, its weight and its priority. A tree of them is a
`SchedulerTree`, with one strict level for IOS and Junos and two for IOS XE, or for Linux a
`HierarchicalTokenBucket`.
"""

from collections.abc import Sequence
from typing import TypeVar

from qoslib import units
from qoslib.port import Node, Queue, SchedulerTree, Shaper
from qoslib.port.nodes import guaranteed_below_bps, outline
from qoslib.record import Count, NotNegative, Positive, checked, fail

__all__ = ["htb", "ios", "ios_xe", "ios_xe_tree", "junos"]

Class = TypeVar("Class", Queue, Node)

#: Levels of `priority` in IOS XE; all other classes are of the level after them.
IOS_XE_LEVELS = 2
JUNOS_PRIORITIES = ("strict-high", "high", "medium-high", "medium-low", "low")
#: Of `shape average`: Bc is so much of the rate [s]; a longest Ethernet frame always fits [B].
IOS_BC_S, FRAME_BYTES = units.ms(4), 1518
#: Of `shaping-rate`: the burst is so much of the rate [s], and no less than this [B].
JUNOS_BURST_S, JUNOS_LEAST_BYTES = units.ms(10), 2048
#: The burst that tc gives a class by default, and between what r2q holds a quantum [B].
HTB_BURST_BYTES, HTB_QUANTA_BYTES = 1600, (1000, 200_000)


def _shaper(rate_bps: float | None, time_s: float, least_bytes: int) -> Shaper | None:
    if rate_bps is None:
        return None
    rate_bps = checked(Positive, rate_bps, "the shaping rate")
    return Shaper(rate_bps, max(int(units.octets(rate_bps * time_s)), least_bytes))


def ios_xe(
    of: Class,
    *,
    bandwidth_bps: float = 0.0,
    shape_bps: float | None = None,
    remaining_ratio: float = 1.0,
    priority_level: int | None = None,
) -> Class:
    """A class of IOS XE: `bandwidth`, `shape average`, `bandwidth remaining ratio`, `priority`.

    The three rates are independent. After priority and all `bandwidth` the excess is shared by
    `bandwidth remaining ratio`, equally where none is given.

    References
    ----------
    Cisco, "3-Level User-Defined Queuing Policy Support", IOS XE 16. The 4 ms are what a device
    showed.

    >>> from qoslib.port import PacketLimit
    >>> ios_xe(Queue("video", PacketLimit(64)), bandwidth_bps=15e6)
    Queue(name='video', limit=PacketLimit(packets=64), priority=2, guaranteed_bps=15000000.0)
    """
    level = checked(Count | None, priority_level, "priority_level")
    if level not in (None, 1, IOS_XE_LEVELS):
        fail("priority_level", level, "1, 2 or None")
    weight, shaper = remaining_ratio, _shaper(shape_bps, IOS_BC_S, FRAME_BYTES)
    if isinstance(of, Queue):
        priority = IOS_XE_LEVELS if level is None else level - 1
        return of.replace(
            priority=priority, guaranteed_bps=bandwidth_bps, weight=weight, shaper=shaper
        )
    if bandwidth_bps or level is not None:
        given = bandwidth_bps or level
        fail(f"bandwidth or priority of node {of.name!r}", given, "none; only queues have them")
    return of.replace(weight=weight, shaper=shaper)


def ios_xe_tree(queues: Sequence[Queue], nodes: Sequence[Node]) -> SchedulerTree:
    """The tree of IOS XE, which refuses more `bandwidth` and `priority` than a parent's `shape`.

    >>> from qoslib.port import PacketLimit
    >>> queues = [ios_xe(Queue(n, PacketLimit(64)), bandwidth_bps=30e6) for n in ("a", "b")]
    >>> ios_xe_tree(queues, [ios_xe(Node("site", ("a", "b")), shape_bps=50e6)])
    Traceback (most recent call last):
    ValueError: the bandwidth below node 'site' is 60000000.0; allowed: up to its shape, 50000000.0
    """
    reserved = [
        queue.replace(guaranteed_bps=queue.policer.rate_bps)
        if queue.policer and queue.priority < IOS_XE_LEVELS
        else queue
        for queue in queues
    ]
    tree = outline(queues, nodes)
    for node, rate_bps in zip(
        tree.nodes, guaranteed_below_bps(reserved, tree)[len(queues) :], strict=True
    ):
        if node.shaper and rate_bps > node.shaper.rate_bps:
            allowed = f"up to its shape, {node.shaper.rate_bps}"
            fail(f"the bandwidth below node {node.name!r}", rate_bps, allowed)
    return SchedulerTree(tuple(nodes), IOS_XE_LEVELS)


def ios(
    of: Class,
    *,
    bandwidth_bps: float | None = None,
    shape_bps: float | None = None,
    priority: bool = False,
) -> Class:
    """A class of classic IOS (HQF): `bandwidth` is a weight, of the minimum and of the excess.

    References
    ----------
    Cisco, "3-Level User-Defined Queuing Policy Support", IOS XE 16: the excess is shared in
    proportion to the configured bandwidths.

    >>> from qoslib.port import PacketLimit
    >>> ios(Queue("video", PacketLimit(64)), bandwidth_bps=15e6)
    Queue(name='video', limit=PacketLimit(packets=64), priority=1, weight=15000000.0)
    """
    shaper = _shaper(shape_bps, IOS_BC_S, FRAME_BYTES)
    weight = 1.0 if bandwidth_bps is None else bandwidth_bps
    if isinstance(of, Queue):
        return of.replace(priority=0 if priority else 1, weight=weight, shaper=shaper)
    if priority:
        fail(f"priority of node {of.name!r}", priority, "False; only queues have it")
    return of.replace(weight=weight, shaper=shaper)


def junos(
    of: Class,
    *,
    guaranteed_bps: float = 0.0,
    shaping_bps: float | None = None,
    priority: str = "low",
    excess_priority: str | None = None,
    excess_weight: float | None = None,
) -> Class:
    """A scheduler of Junos, or a traffic-control-profile.

    A queue within its `transmit-rate` is served by its priority, beyond it by its excess priority.
    A node that has used up its `guaranteed-rate` passes all its queues into the excess.

    References
    ----------
    Juniper, "Priority Scheduling Overview", "Excess Rate and Excess Priority Configuration
    Examples", "Burst Size Configuration".

    >>> from qoslib.port import PacketLimit
    >>> made = junos(Queue("q1", PacketLimit(64)), guaranteed_bps=1e8, priority="high")
    >>> made.priority, made.weight
    (1, 100000000.0)
    """
    guaranteed = checked(NotNegative, guaranteed_bps, "guaranteed_bps")
    if priority not in JUNOS_PRIORITIES:
        fail("priority", priority, ", ".join(JUNOS_PRIORITIES))
    if excess_priority is not None and excess_priority not in JUNOS_PRIORITIES[1:]:
        fail("excess_priority", excess_priority, ", ".join(JUNOS_PRIORITIES[1:]))
    weight = excess_weight if excess_weight is not None else guaranteed or 1.0
    shaper = _shaper(shaping_bps, JUNOS_BURST_S, JUNOS_LEAST_BYTES)
    made: Class = of.replace(guaranteed_bps=guaranteed, weight=weight, shaper=shaper)
    if isinstance(made, Node):
        return made
    beyond = None if excess_priority is None else JUNOS_PRIORITIES.index(excess_priority)
    return made.replace(priority=JUNOS_PRIORITIES.index(priority), excess_priority=beyond)


def htb(
    of: Class,
    rate_bps: float,
    ceil_bps: float | None = None,
    *,
    prio: int = 0,
    quantum_bytes: int | None = None,
    burst_bytes: int = HTB_BURST_BYTES,
    cburst_bytes: int = HTB_BURST_BYTES,
    r2q: float = 10.0,
) -> Class:
    """A class of Linux HTB, as ``tc class add ... htb rate R ceil C`` makes it.

    References
    ----------
    Linux, net/sched/sch_htb.c; iproute2, tc/q_htb.c.

    >>> from qoslib.port import PacketLimit
    >>> htb(Queue("1:10", PacketLimit(1000)), 3e6, 10e6).quantum_bytes
    37500
    """
    rate_bps = checked(Positive, rate_bps, "rate_bps")
    ceil_bps = rate_bps if ceil_bps is None else checked(Positive, ceil_bps, "ceil_bps")
    made: Class = of.replace(
        guaranteed_bps=rate_bps,
        guaranteed_burst_bytes=burst_bytes,
        shaper=Shaper(ceil_bps, cburst_bytes),
    )
    if isinstance(made, Node):
        return made
    if quantum_bytes is None:
        least, most = HTB_QUANTA_BYTES
        wanted_bytes = units.octets(rate_bps) / checked(Positive, r2q, "r2q")
        quantum_bytes = int(min(max(wanted_bytes, least), most))
    return made.replace(priority=prio, quantum_bytes=quantum_bytes)
