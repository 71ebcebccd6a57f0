"""A queue and the memory that queues may share."""

from qoslib.port.droppers import Dropper, TailDrop
from qoslib.port.limits import ByteLimit, PacketLimit, TimeLimit
from qoslib.port.metering import Policer, Shaper
from qoslib.record import AtLeastOne, Count, NotNegative, Positive, Record, fail, record

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
        Guaranteed rate in bits on the line [bit/s] (`PriorityLevels`; a `TimeLimit`'s rate).
    weight : float
        Share within its level, of schedulers that share by weight.
    quantum_bytes : int
        Bytes a round, of round robins.
    """

    name: str
    limit: PacketLimit | ByteLimit | TimeLimit
    dropper: Dropper = TailDrop()
    policer: Policer | None = None
    shaper: Shaper | None = None
    pool: str = ""
    priority: Count = 0
    guaranteed_bps: NotNegative = 0.0
    weight: Positive = 1.0
    quantum_bytes: Count = 0

    def check(self) -> None:
        if not self.name:
            fail("Queue.name", self.name, "a text that is not empty")
        at_guaranteed = isinstance(self.limit, TimeLimit) and self.limit.at == "guaranteed"
        if at_guaranteed and not self.guaranteed_bps:
            fail(f"Queue {self.name!r} guaranteed_bps", 0.0, "above 0 with a limit at that rate")
