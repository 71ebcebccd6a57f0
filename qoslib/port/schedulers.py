"""Schedulers (RFC 3290, section 7.1.2): which queue may send next."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qoslib.record import Record, fail, record

if TYPE_CHECKING:
    from qoslib.port.queues import Queue

__all__ = [
    "DeficitRoundRobin",
    "Fifo",
    "ModifiedDrr",
    "PriorityLevels",
    "Scheduler",
    "StartTimeFairQueueing",
    "StrictPriority",
]


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
class PriorityLevels(Scheduler):
    """Junos: priority levels with guaranteed and excess rate.

    Queues within their guaranteed rate come first, in order of `priority`; then the others, in
    the same order. Queues of one level share by `weight`, what is guaranteed and what is beyond
    it each for itself; a queue of weight 0 comes behind the others of its level in both. Of its
    guaranteed rate a queue can save up ten of its largest packets.
    """


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


def _check_quanta(queues: Iterable["Queue"]) -> None:
    for queue in queues:
        if not queue.quantum_bytes:
            fail(f"Queue {queue.name!r} quantum_bytes", 0, "above 0 for a round robin")
