"""A port: the line, its queues, their scheduler, and who goes where."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from qoslib.port.metering import Shaper
from qoslib.port.nodes import outline
from qoslib.port.pause import Pause
from qoslib.port.queues import MemoryPool, Queue, check_reserved
from qoslib.port.schedulers import (
    Fifo,
    HierarchicalTokenBucket,
    PriorityLevels,
    Scheduler,
    SchedulerTree,
    StartTimeFairQueueing,
)
from qoslib.record import Count, NotNegative, Positive, Record, checked, fail, record
from qoslib.tables import Table, Tabular, format_quantity, other_fields, table_of

__all__ = ["Classifier", "Port"]


class Labelled(Protocol):
    """What a classifier sorts: a stream or a flow."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...


@record
class Classifier(Record):
    """Marks to queues (RFC 2475, behaviour aggregate): the first rule that names a mark wins.

    A mark without a rule goes to `default`, or to the queue of its own name where that is empty.
    """

    rules: tuple[tuple[str, str], ...] = ()
    default: str = ""

    def queue(self, mark: str) -> str:
        """Name of the queue for a mark.

        Parameters
        ----------
        mark : str
            A stream's label.

        Returns
        -------
        str
            The queue's name, which the port may not have.

        Raises
        ------
        ValueError
            If the mark is no text.
        """
        mark = checked(str, mark, "mark")
        return self._first.get(mark, self.default or mark)

    @cached_property
    def _first(self) -> dict[str, str]:
        """Each mark, and the queue of the first rule that names it."""
        return dict(reversed(self.rules))


@dataclass(frozen=True)
class _Line:
    """A line of the tree that a port shows."""

    tree: str
    guaranteed_bps: float = 0.0
    shaper: Shaper | None = None
    weight: float = 1.0


@record
class Port(Tabular, Record):
    """One port of a router or switch; it prints as a table of its queues.

    Parameters
    ----------
    name : str
        What results call it.
    rate_bps : float
        Line rate [bit/s].
    queues : tuple of Queue
        At least one.
    scheduler : Scheduler
        Which queue may send next; or its name, like ``"strict_priority"``.
    overhead_bytes : float
        What the line adds to each frame [B]: preamble and gap, flags, a mean of stuffing.
    classifier : Classifier
        Which queue a stream goes to; with one queue, all go there.
    pools : tuple of MemoryPool
        Memory that queues name.
    transmit_ring_packets : int
        Packets that the scheduler hands over before the line is free; 0 for none.
    shaper : Shaper or None
        On the whole port.
    base_delay_s : float
        Transit time that every packet has, waiting or not [s].
    pause : Pause or None
        What a filling port sends back to its senders.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, StrictPriority
    >>> voice, data = (Queue(name, PacketLimit(64), priority=i) for i, name in enumerate("vd"))
    >>> print(Port("access", 1e8, (voice, data), StrictPriority(), overhead_bytes=20))
    Port 'access', 100 Mbit/s
    queue                    limit  priority
    v      PacketLimit(packets=64)         0
    d      PacketLimit(packets=64)         1
    scheduler: StrictPriority()
    overhead_bytes: 20.0
    """

    name: str
    rate_bps: Positive
    queues: tuple[Queue, ...]
    scheduler: Scheduler = Fifo()
    overhead_bytes: NotNegative = 0.0
    classifier: Classifier = Classifier()
    pools: tuple[MemoryPool, ...] = ()
    transmit_ring_packets: Count = 0
    shaper: Shaper | None = None
    base_delay_s: NotNegative = 0.0
    pause: Pause | None = None

    def check(self) -> None:
        names = self.queue_names
        if not names or len(set(names)) != len(names):
            fail(f"Port {self.name!r} queues", names, "at least one, each name once")
        self._check_pools()
        self.scheduler.check_queues(self.queues)
        if self.pause is not None and any(queue.pause for queue in self.queues):
            fail(f"Port {self.name!r} pause", self.pause, "None with queues that pause")
        for mark, queue in self.classifier.rules:
            if queue not in names:
                fail(f"the classifier's queue for {mark!r}", queue, ", ".join(names))
        if self.classifier.default and self.classifier.default not in names:
            fail("Classifier.default", self.classifier.default, ", ".join(names))

    def _check_pools(self) -> None:
        pools = [pool.name for pool in self.pools]
        if len(set(pools)) != len(pools):
            fail(f"Port {self.name!r} pools", pools, "each name once")
        for queue in self.queues:
            if queue.pool and queue.pool not in pools:
                fail(f"Queue {queue.name!r} pool", queue.pool, ", ".join(pools) or "no pool")
        check_reserved(self.pools, self.queues)

    def _tables(self) -> list[Table]:
        title = f"Port {self.name!r}, {format_quantity('rate_bps', self.rate_bps)}"
        shown = ["name", "rate_bps", "queues"]
        tree = self._tree()
        shown += ["scheduler"] if tree else []
        return [table_of(title, self.queues, other_fields(self, *shown)), *tree]

    def _tree(self) -> list[Table]:
        """The tree of schedulers, a queue or node a line, below its parent."""
        scheduler = self.scheduler
        if not isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket):
            return []
        tree = outline(self.queues, scheduler.nodes)
        each = tree.each(self.queues)
        lines = [
            _Line(
                "· " * tree.depths[i] + each[i].name,
                each[i].guaranteed_bps,
                each[i].shaper,
                each[i].weight,
            )
            for i in tree.walk()
        ]
        title = ", ".join([type(scheduler).__name__, *other_fields(scheduler, "nodes")])
        return [table_of(f"scheduler: {title}", lines)]

    @property
    def queue_names(self) -> tuple[str, ...]:
        """Names of the queues, in order."""
        return tuple(queue.name for queue in self.queues)

    @property
    def ranks(self) -> tuple[int, ...]:
        """In which order each queue comes, from 0: by its level, and by weight, 0 after the others.

        Equal priorities have one rank, except where the scheduler shares by weight: there a queue
        of weight 0 comes behind the others of its level.
        """
        weighted = isinstance(self.scheduler, PriorityLevels | StartTimeFairQueueing)
        levels = [(queue.priority, weighted and not queue.weight) for queue in self.queues]
        order = sorted(set(levels))
        return tuple(order.index(level) for level in levels)

    def queue_of(self, stream: Labelled) -> int:
        """Index of the queue that a stream goes to.

        Parameters
        ----------
        stream : Stream or Flow

        Returns
        -------
        int
            Its place among the queues.

        Raises
        ------
        ValueError
            If the stream's mark leads to no queue of this port.
        """
        if len(self.queues) == 1:
            return 0
        name = self.classifier.queue(stream.label)
        if name not in self.queue_names:
            fail(f"the queue of stream {stream.name!r}", name, ", ".join(self.queue_names))
        return self.queue_names.index(name)
