"""A queue and the memory that queues may share."""

from qoslib.port.droppers import Codel, Dropper, Red, TailDrop
from qoslib.port.limits import ByteLimit, PacketLimit, TimeLimit
from qoslib.port.metering import Policer, Shaper
from qoslib.port.thresholds import ShareRedProfile, Thresholds
from qoslib.record import AtLeastOne, Count, NotNegative, Record, fail, record

__all__ = ["MemoryPool", "Queue"]


@record
class MemoryPool(Record):
    """Memory that several queues share; a packet that finds it full is dropped."""

    name: str
    limit_bytes: AtLeastOne

    def check(self) -> None:
        if not self.name:
            fail("MemoryPool.name", self.name, "a text that is not empty")


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
        Share within its level, of schedulers that share by weight. A queue of weight 0 is served
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

    def check(self) -> None:
        if not self.name:
            fail("Queue.name", self.name, "a text that is not empty")
        at_guaranteed = isinstance(self.limit, TimeLimit) and self.limit.at == "guaranteed"
        if at_guaranteed and not self.guaranteed_bps:
            fail(f"Queue {self.name!r} guaranteed_bps", 0.0, "above 0 with a limit at that rate")
        self._check_thresholds()

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
