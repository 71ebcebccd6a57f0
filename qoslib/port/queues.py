"""A queue and the memory that queues may share."""

from collections.abc import Iterable

from qoslib.port.droppers import Cobalt, Codel, Dropper, DualPi2, Red, TailDrop
from qoslib.port.flow_queues import FlowQueues, check_flows
from qoslib.port.limits import ByteLimit, PacketLimit, TimeLimit
from qoslib.port.metering import Policer, Shaper
from qoslib.port.pause import PriorityPause
from qoslib.port.thresholds import ShareRedProfile, Thresholds
from qoslib.record import AtLeastOne, Count, NotNegative, Positive, Record, fail, record

__all__ = ["MemoryPool", "Queue", "check_reserved"]


@record
class MemoryPool(Record):
    """Memory that several queues share; a packet that finds it full is dropped.

    Memory is taken in cells, ``ceil((frame + header) / cell)`` of them for a packet, so that a
    frame a byte longer than a cell takes two.

    Parameters
    ----------
    name : str
        What queues call it. Ports of one `Switch` whose pools have one name share that memory.
    limit_bytes : int
        All of it, the queues' reserved parts included [B].
    cell_bytes : int
        Size of a cell [B].
    header_bytes : int
        What is kept of a packet besides its frame [B].
    resume_bytes : int or None
        Once a packet has found the shared part full, all that need some of it are refused until no
        more than this of it is taken [B]; None for no such threshold. The shared part is what is
        left of the memory by the queues' reserved parts.
    """

    name: str
    limit_bytes: AtLeastOne
    cell_bytes: AtLeastOne = 1
    header_bytes: Count = 0
    resume_bytes: Count | None = None

    def check(self) -> None:
        if not self.name:
            fail("MemoryPool.name", self.name, "a text that is not empty")
        if self.cell_bytes > self.limit_bytes:
            allowed = f"at most {self.limit_bytes}, the memory"
            fail("MemoryPool.cell_bytes", self.cell_bytes, allowed)
        if self.resume_bytes is not None and self.resume_bytes >= self.limit_bytes:
            allowed = f"below the memory, {self.limit_bytes}"
            fail("MemoryPool.resume_bytes", self.resume_bytes, allowed)

    def taken_bytes(self, frame_bytes: int) -> int:
        """The memory that a frame takes, in whole cells [B].

        Parameters
        ----------
        frame_bytes : int
            Frame size [B].

        Returns
        -------
        int
            Bytes of memory [B].

        Examples
        --------
        >>> memory = MemoryPool("memory", 12_000_000, cell_bytes=208)
        >>> [memory.taken_bytes(frame) for frame in (64, 208, 209, 1500, 9000)]
        [208, 208, 416, 1664, 9152]
        """
        return -(-(frame_bytes + self.header_bytes) // self.cell_bytes) * self.cell_bytes


@record
class Queue(Record):
    """A queue (RFC 3290, section 7.1.1) with what stands in front of it and behind it.

    Parameters
    ----------
    name : str
        What classifiers and results call it.
    limit : PacketLimit, ByteLimit or TimeLimit
        How much it may hold.
    dropper : Dropper
        Who goes when it is full, or before; or its name, like ``"codel"``.
    policer : Policer or None
        In front of the queue.
    shaper : Shaper or None
        Behind it: the scheduler passes it by while its tokens are missing.
    pool : str
        Name of the memory pool it takes its packets' bytes from; empty for memory of its own.
    priority : int
        Level, 0 is served first, of schedulers that have levels.
    guaranteed_bps : float
        Guaranteed rate in bits on the line [bit/s] (`PriorityLevels`, trees; a `TimeLimit`'s rate).
    weight : float
        Share within its level, of schedulers that share by weight, and packets in a turn of
        `WeightedRoundRobin`. A queue of weight 0 is served
        only while no queue of its level with a weight may send, within the guarantees and beyond;
        several of weight 0 share equally.
    quantum_bytes : int
        Bytes a round, of round robins.
    marking : RedProfile, ByteRedProfile, TimeRedProfile, ShareRedProfile or None
        Thresholds of its own for packets of ECN-capable streams: they are marked by the length
        that they find, and the dropper does nothing early to them. Equal thresholds are the
        marking threshold K of DCTCP (RFC 8257). None: as the dropper's `ecn` says.
    guaranteed_burst_bytes : int
        What it can save up of its guaranteed rate [B]; 0 for ten of its largest packets.
    excess_priority : int or None
        Level beyond the guaranteed rate, of a `SchedulerTree`; None: as `priority`.
    alpha : float or None
        Dynamic threshold: a packet is refused if what the queue holds of the pool's shared part is
        not below `alpha` times what is free of that; None for no threshold.
    reserved_bytes : int
        What no other queue can take of the pool [B].
    pause : PriorityPause or None
        What it sends back to its own senders as it fills.
    limits : tuple of (str, PacketLimit, ByteLimit or TimeLimit)
        Mark, and a limit of the same kind as `limit`: a packet with this mark that does not fit
        it, behind all packets of the queue, is dropped (drop precedence, RFC 2597).
        Together with `Red` or a `DropProfile` in the packet model only.
    flows : FlowQueues or None
        A queue of its own for each flow; None: all wait in one queue, first in, first out.

    References
    ----------
    Dynamic thresholds: Choudhury and Hahne 1998, doi:10.1109/90.664262.
    """

    name: str
    limit: PacketLimit | ByteLimit | TimeLimit
    dropper: Dropper = TailDrop()
    policer: Policer | None = None
    shaper: Shaper | None = None
    pool: str = ""
    priority: Count = 0
    guaranteed_bps: NotNegative = 0.0
    weight: NotNegative = 1.0
    quantum_bytes: Count = 0
    marking: Thresholds | None = None
    guaranteed_burst_bytes: Count = 0
    excess_priority: Count | None = None
    alpha: Positive | None = None
    reserved_bytes: Count = 0
    pause: PriorityPause | None = None
    limits: tuple[tuple[str, PacketLimit | ByteLimit | TimeLimit], ...] = ()
    flows: FlowQueues | None = None

    def check(self) -> None:
        if not self.name:
            fail("Queue.name", self.name, "a text that is not empty")
        at_guaranteed = isinstance(self.limit, TimeLimit) and self.limit.at == "guaranteed"
        if at_guaranteed and not self.guaranteed_bps:
            fail(f"Queue {self.name!r} guaranteed_bps", 0.0, "above 0 with a limit at that rate")
        self._check_thresholds()
        self._check_memory()
        if self.pause is not None:
            self._check_pause(self.pause)
        if self.limits:
            self._check_limits()
        if self.flows is not None:
            check_flows(self.name, self.flows, self.limit, self.dropper)
            self._check_parts()
        if isinstance(self.dropper, DualPi2):
            self._check_dual()
        if isinstance(self.dropper, Cobalt) and self.flows is None:
            fail(f"Queue {self.name!r} flows", None, "a FlowQueues with Cobalt")

    def _check_dual(self) -> None:
        if not isinstance(self.limit, PacketLimit | ByteLimit) or self.resumes:
            allowed = "a PacketLimit or ByteLimit without a resume threshold, with DualPi2"
            fail(f"Queue {self.name!r} limit", self.limit, allowed)
        self._check_parts()

    def _check_parts(self) -> None:
        """What a queue that has queues of its own cannot have."""
        for field in ("marking", "pause", "alpha"):
            if getattr(self, field) is not None:
                allowed = "None with flow queues or DualPi2"
                fail(f"Queue {self.name!r} {field}", getattr(self, field), allowed)
        if self.limits:
            fail(f"Queue {self.name!r} limits", self.limits, "() with flow queues or DualPi2")

    def _check_limits(self) -> None:
        marks = [mark for mark, _ in self.limits]
        if len(set(marks)) != len(marks):
            fail(f"Queue {self.name!r} limits", marks, "each mark once")
        rate = getattr(self.limit, "at", None)
        for _, limit in self.limits:
            alike = type(limit) is type(self.limit) and getattr(limit, "at", None) == rate
            joint = isinstance(limit, PacketLimit) and limit.limit_bytes is not None
            if not alike or rate == "served" or joint or limit.resume is not None:
                allowed = f"limits of one size, of the same kind as its limit, {self.limit}"
                fail(f"Queue {self.name!r} limits", limit, allowed)

    def _check_thresholds(self) -> None:
        if self.marking is not None and isinstance(self.dropper, Codel):
            allowed = "None with CoDel, which has ce_threshold_s"
            fail(f"Queue {self.name!r} marking", self.marking, allowed)
        moves = isinstance(self.limit, TimeLimit) and self.limit.at == "served"
        red = self.dropper.profile if isinstance(self.dropper, Red) else None
        for thresholds in (self.marking, red):
            if moves and isinstance(thresholds, ShareRedProfile):
                allowed = "one that stays, where thresholds are shares of it"
                fail(f"Queue {self.name!r} limit", self.limit, allowed)

    def _check_memory(self) -> None:
        if self.dropper.drops_head and self.resumes:
            allowed = "one without a resume threshold: this dropper refuses no packet"
            fail(f"Queue {self.name!r} limit", self.limit, allowed)
        if not self.pool and self.alpha is not None:
            fail(f"Queue {self.name!r} alpha", self.alpha, "None without a pool")
        if not self.pool and self.reserved_bytes:
            fail(f"Queue {self.name!r} reserved_bytes", self.reserved_bytes, "0 without a pool")

    def _check_pause(self, pause: PriorityPause) -> None:
        limit = self.limit
        if not isinstance(limit, ByteLimit) or self.resumes:
            allowed = "a ByteLimit without a resume threshold, where the queue pauses its senders"
            fail(f"Queue {self.name!r} limit", limit, allowed)
        if self.dropper.drops_head or isinstance(self.dropper, Codel):
            allowed = "one that drops on arrival, where the queue pauses its senders"
            fail(f"Queue {self.name!r} dropper", self.dropper, allowed)
        most = limit.limit_bytes
        if pause.headroom_bytes >= most:
            where = f"Queue {self.name!r} pause.headroom_bytes"
            fail(where, pause.headroom_bytes, f"below the queue's limit, {most}")
        if pause.resume_bytes > most - pause.headroom_bytes:
            where = f"Queue {self.name!r} pause.resume_bytes"
            fail(where, pause.resume_bytes, f"at most {most - pause.headroom_bytes}, the threshold")

    @property
    def resumes(self) -> bool:
        """Whether its limit has a resume threshold."""
        return self.limit.resume is not None


def check_reserved(pools: Iterable[MemoryPool], queues: Iterable[Queue]) -> None:
    """Refuse reserved parts, or headroom of a pause, larger than the memory they are parts of."""
    queues = tuple(queues)
    for pool in pools:
        reserved = sum(queue.reserved_bytes for queue in queues if queue.pool == pool.name)
        if reserved > pool.limit_bytes:
            where = f"the reserved_bytes of the queues of pool {pool.name!r}"
            fail(where, reserved, f"at most {pool.limit_bytes}, the memory", "are")
        for queue in queues:
            headroom = queue.pause.headroom_bytes if queue.pause is not None else 0
            if queue.pool == pool.name and headroom > pool.limit_bytes:
                where = f"Queue {queue.name!r} pause.headroom_bytes"
                fail(
                    where, headroom, f"at most {pool.limit_bytes}, the memory of pool {pool.name!r}"
                )
