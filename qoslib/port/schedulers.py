"""Schedulers (RFC 3290, section 7.1.2): which queue may send next."""

from qoslib.record import Record, record

__all__ = [
    "DeficitRoundRobin",
    "Fifo",
    "ModifiedDrr",
    "PriorityLevels",
    "Scheduler",
    "StrictPriority",
]


@record
class Fifo(Record):
    """One queue, first in first out."""


@record
class StrictPriority(Record):
    """The queue with the lowest `priority` number that holds a packet; equals take turns."""


@record
class PriorityLevels(Record):
    """Junos: priority levels with guaranteed and excess rate.

    Queues within their guaranteed rate come first, in order of `priority`; then the others, in
    the same order. Queues of one level share by `weight`, what is guaranteed and what is beyond
    it each for itself. Of its guaranteed rate a queue can save up ten of its largest packets.
    """


@record
class DeficitRoundRobin(Record):
    """Deficit round robin (Shreedhar and Varghese 1996, doi:10.1109/90.502236).

    Queues are visited in a circle. A visited queue's deficit grows by its quantum; it sends
    while the deficit covers its next packet. An emptied queue forfeits its deficit; one that its
    shaper stops gives up the rest of its quantum.
    """


@record
class ModifiedDrr(Record):
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


Scheduler = Fifo | StrictPriority | PriorityLevels | DeficitRoundRobin | ModifiedDrr
