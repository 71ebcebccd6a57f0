"""Schedulers (RFC 3290, section 7.1.2): which queue may send next."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qoslib.port.nodes import Node, outline
from qoslib.record import Count, Record, fail, record

if TYPE_CHECKING:
    from qoslib.port.queues import Queue

__all__ = [
    "CakeTins",
    "DeficitRoundRobin",
    "Fifo",
    "HierarchicalTokenBucket",
    "ModifiedDrr",
    "PriorityLevels",
    "Scheduler",
    "SchedulerTree",
    "StartTimeFairQueueing",
    "StrictPriority",
    "WeightedRoundRobin",
]

#: What a queue may send in its turn of a round robin by packets.
_MOST_PACKETS = 1_000_000


class Scheduler(Record, family=True):
    """Base of all schedulers."""

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        """What a scheduler needs of the queues of its port; one with such a need overrides it."""


@record
class Fifo(Scheduler):
    """One queue, first in first out."""

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        if len(queues) > 1:
            names = tuple(queue.name for queue in queues)
            fail("Port.queues", names, "one queue with Fifo")


@record
class StrictPriority(Scheduler):
    """The queue with the lowest `priority` number that holds a packet; equals take turns."""


@record
class WeightedRoundRobin(Scheduler):
    """Weighted round robin by packets, whatever their size (Katevenis and others 1991).

    Queues of the first level of `priority` that has a packet are visited in a circle. In its turn
    a queue sends up to `weight` packets. One that is empty, or that its shaper holds back, loses
    its turn or what is left of it. A level goes on where it was when a higher one has been served.
    Of queues that always hold packets each gets bytes in proportion to `weight` times its mean
    packet. With weights of 1 it is `StrictPriority`.

    References
    ----------
    Katevenis, Sidiropoulos and Courcoubetis 1991, doi:10.1109/49.105173.
    """

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        for queue in queues:
            if not (1 <= queue.weight <= _MOST_PACKETS and float(queue.weight).is_integer()):
                allowed = (
                    f"a whole number of packets from 1 to {_MOST_PACKETS:,} for this scheduler"
                )
                fail(f"Queue {queue.name!r} weight", queue.weight, allowed)


@record
class PriorityLevels(Scheduler):
    """Junos: priority levels with guaranteed and excess rate.

    Queues within their guaranteed rate come first, in order of `priority`; then the others, in
    the same order. Queues of one level share by `weight`, what is guaranteed and what is beyond
    it each for itself; a queue of weight 0 comes behind the others of its level in both. Of its
    guaranteed rate a queue can save up ten of its largest packets.
    """


@record
class CakeTins(Scheduler):
    """CAKE's tins, under its shaper, whose rate is that of the port.

    A queue is a tin, its `guaranteed_bps` the tin's threshold, its `priority` the rank, 0 the
    highest. Each packet makes its tin due later by its time on the line at the threshold; of the
    tins that are due and hold packets the one with the highest rank sends, and where none is due
    that which is due first. So a tin over its threshold loses its rank, and no bandwidth.

    References
    ----------
    `cake_dequeue` and `cake_advance_shaper` in `sch_cake.c` of Linux.
    """

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        ranks = [queue.priority for queue in queues]
        if len(set(ranks)) != len(ranks):
            fail("the tins' priority", ranks, "another for each tin", "are")
        for queue in queues:
            if not queue.guaranteed_bps:
                fail(f"Queue {queue.name!r} guaranteed_bps", 0.0, "above 0, the tin's threshold")


@record
class StartTimeFairQueueing(Scheduler):
    """Weighted fair queueing by start tags (Goyal, Vin and Cheng 1996, doi:10.1145/248156.248171).

    Of the first level of `priority` that has a packet, the one with the least start tag is sent.
    With L the time of a queue's packet k on the line, w its weight and v the virtual time, which
    is the start tag of the packet that was sent last,

        ``S(k) = max(v, F(k - 1))``,  ``F(k) = S(k) + L / w``.

    When the port has been idle, v is the largest finish tag of all packets sent before. Between
    two queues of one level that always hold packets what they have sent, over their weights,
    differs by no more than one largest packet of each over its weight. A packet that is dropped
    costs its queue nothing; a queue that its shaper holds back keeps its tag, and v never falls.
    Queues of weight 0 are a level of their own, behind the others of theirs, and share equally.
    """


@record
class DeficitRoundRobin(Scheduler):
    """Deficit round robin (Shreedhar and Varghese 1996, doi:10.1109/90.502236).

    Queues are visited in a circle. A visited queue's deficit grows by its quantum; it sends
    while the deficit covers its next packet. An emptied queue forfeits its deficit; one that its
    shaper stops gives up the rest of its quantum.
    """

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        _check_quanta(queues)


@record
class ModifiedDrr(Scheduler):
    """MDRR of the Cisco 12000: a low-latency queue before a round robin that may overdraw.

    A visited queue's deficit grows by its quantum; it sends while the deficit is above 0, so the
    last packet may overdraw it.

    Parameters
    ----------
    low_latency : str
        Name of the queue that is always served first; empty for none.
    carry_deficit : bool
        Whether an overdraft is carried to the next round; if not it starts at 0.
    reset_on_empty : bool
        Whether an emptied queue starts anew, without what is left of its quantum or overdrawn.
    """

    low_latency: str = ""
    carry_deficit: bool = True
    reset_on_empty: bool = True

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        names = [queue.name for queue in queues]
        if self.low_latency and self.low_latency not in names:
            fail("ModifiedDrr.low_latency", self.low_latency, ", ".join(names))
        _check_quanta(queue for queue in queues if queue.name != self.low_latency)


@record
class SchedulerTree(Scheduler):
    """A tree of schedulers with guaranteed rates, shapers and priorities that reach through it.

    Packets wait in the queues, which are the leaves. A node may send while a packet waits below it
    and its shaper's tokens cover the packet that would go. Each packet is served in a band:

    1. queues whose `priority` is below `strict_levels`, level by level;
    2. queues within their guaranteed rate, in order of `priority`. Every node above that has a
       guaranteed rate must be within it too;
    3. all others, in order of `excess_priority`; queues of weight 0 behind the others of theirs.

    A node's band is the best that a packet below it has, so priority holds through the tree. Of its
    children the one with the best band is served; of equals the one that got least for its weight
    in that band. That is bytes for strict priority, the guaranteed rate within the guarantees (of
    a node without one the sum of those below it), and `weight` for the excess. A subtree that was
    empty starts where its siblings are. A packet takes tokens of every shaper above it, and of
    every guaranteed rate unless it is excess; strict priority takes as many as there are.

    The same rules serve Cisco's three parameters (`bandwidth`, `shape`, `bandwidth remaining`) and
    Junos (`transmit-rate`, `shaping-rate`, `excess-rate`): see `qoslib.platforms.trees`.

    Both models run it, at a port alone, in a `Chain` or in a `Switch`. With TCP hosts only the
    packet model runs it.

    Parameters
    ----------
    nodes : tuple of Node
        Above the queues of the port, in any order; one of them is the root.
    strict_levels : int
        So many levels of `priority`, from 0 on, are served before any guarantee.
    fifo_levels : int
        Of so many of these, from 0 on, the queues send in order of arrival, as if they were one
        queue.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Port, Queue, Shaper
    >>> voice = Queue("voice", PacketLimit(64))
    >>> data = Queue("data", PacketLimit(64), priority=1, guaranteed_bps=20e6)
    >>> site = Node("site", ("voice", "data"), shaper=Shaper(50e6, 25_000))
    >>> print(Port("access", 1e8, (voice, data), SchedulerTree((site,), strict_levels=1)))
    Port 'access', 100 Mbit/s
    queue                    limit  priority  guaranteed [Mbit/s]
    voice  PacketLimit(packets=64)         0                    0
    data   PacketLimit(packets=64)         1                   20
    scheduler: SchedulerTree, strict_levels: 1
    tree     guaranteed [Mbit/s]                                          shaper
    site                       0  Shaper(rate_bps=50000000.0, burst_bytes=25000)
    · voice                    0                                               -
    · data                    20                                               -
    """

    nodes: tuple[Node, ...]
    strict_levels: Count = 0
    fifo_levels: Count = 0

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        if self.fifo_levels > self.strict_levels:
            allowed = f"at most {self.strict_levels}, the strict levels"
            fail("SchedulerTree.fifo_levels", self.fifo_levels, allowed)
        outline(queues, self.nodes)

    def bands(self, queues: Sequence["Queue"]) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The bands in the order of service, and the queues whose packets may be in them.

        Parameters
        ----------
        queues : sequence of Queue
            Of the port.

        Returns
        -------
        tuple of (str, tuple of int)
            `strict`, `within` (the guarantees) or `beyond`, and indices of queues.
        """
        found: dict[tuple[int, int, bool], list[int]] = {}
        for index, queue in enumerate(queues):
            level = queue.priority
            if level < self.strict_levels:
                found.setdefault((0, level, False), []).append(index)
                continue
            if queue.guaranteed_bps:
                found.setdefault((1, level, False), []).append(index)
            beyond = level if queue.excess_priority is None else queue.excess_priority
            found.setdefault((2, beyond, not queue.weight), []).append(index)
        kinds = "strict", "within", "beyond"
        return tuple((kinds[key[0]], tuple(found[key])) for key in sorted(found))


@record
class HierarchicalTokenBucket(Scheduler):
    """Linux HTB: classes that borrow from their parents what these leave of their rates.

    `guaranteed_bps` is the class's `rate` and `shaper` its `ceil`, `priority` its `prio`. A bucket
    lets a packet go while its tokens are not negative, and is charged whole. A class within its
    rate sends by itself; above it and within its ceil it borrows from the nearest node above that
    is within its rate, past nodes within their ceil. The deepest lender comes first, then the
    lowest `priority`; equals take turns of `quantum_bytes`, with a deficit for each level of
    lenders. A packet is charged to every ceil above it, and to the rates of the lender and of what
    is above that. A debt is at most 60 s. Rates and ceils are in bits on the line, as tc's
    `overhead` is counted in both; a quantum is in bytes of frames.

    Both models run it, at a port alone, in a `Chain` or in a `Switch`. With TCP hosts only the
    packet model runs it.

    Parameters
    ----------
    nodes : tuple of Node
        Above the queues of the port, in any order; one of them is the root.

    References
    ----------
    Linux, net/sched/sch_htb.c (without hysteresis, as by default).
    """

    nodes: tuple[Node, ...]

    def check_queues(self, queues: Sequence["Queue"]) -> None:
        tree = outline(queues, self.nodes)
        _check_quanta(queues)
        rates = [each.guaranteed_bps for each in tree.each(queues)]
        lent = [False] * len(rates)
        for number in tree.walk():
            lent[number] = rates[number] > 0 or lent[tree.parents[number]]
        for queue, may_send in zip(queues, lent, strict=False):
            if not may_send:
                allowed = "above 0, or a node above it with a rate to lend"
                fail(f"Queue {queue.name!r} guaranteed_bps", queue.guaranteed_bps, allowed)


def _check_quanta(queues: Iterable["Queue"]) -> None:
    for queue in queues:
        if not queue.quantum_bytes:
            fail(f"Queue {queue.name!r} quantum_bytes", 0, "above 0 for a round robin")
