"""IEEE 802.3 PAUSE: a filling port asks its senders to stop for a while."""

from typing import Annotated

from qoslib.record import AtLeastOne, Count, Record, Within, fail, record

__all__ = ["Pause"]


@record
class Pause(Record):
    """MAC control PAUSE (IEEE 802.3, annex 31B) from a port or forwarder to its senders.

    When the packets in its queues reach `high_packets`, each sender is told to stop for `quanta`,
    and again with the first arrival after that; when they have fallen to `low_packets` it is told
    to go on. A sender finishes the packet it is at, keeps what falls due, and sends it back to
    back at its access rate afterwards. All senders are told at once, which counts as one frame.

    Parameters
    ----------
    quanta : int
        Pause time in units of 512 bit times of the sender's link, 1 to 65,535.
    obeyed : bool
        Whether the senders obey.
    """

    high_packets: AtLeastOne
    low_packets: Count = 0
    quanta: Annotated[int, Within(1, 65_535)] = 65_535
    obeyed: bool = True

    def check(self) -> None:
        if self.low_packets >= self.high_packets:
            fail("Pause.low_packets", self.low_packets, f"below high, {self.high_packets}")
