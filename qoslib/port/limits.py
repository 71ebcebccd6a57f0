"""How much a queue may hold: in packets, in bytes, or in time at a rate."""

from typing import Literal

from qoslib.record import AtLeastOne, Positive, Record, record

__all__ = ["ByteLimit", "PacketLimit", "TimeLimit"]


@record
class PacketLimit(Record):
    """At most so many packets (IOS `queue-limit`, `hold-queue`)."""

    packets: AtLeastOne


@record
class ByteLimit(Record):
    """At most so many bytes of frames."""

    limit_bytes: AtLeastOne


@record
class TimeLimit(Record):
    """At most what a rate carries in a time, counted as the line counts.

    Parameters
    ----------
    time_s : float
        The time [s].
    at : {'guaranteed', 'line', 'served'}
        The rate: the queue's guaranteed rate, the line's, or the rate the queue was actually
        served at, but no less than its guaranteed rate, nor than holds one packet. The last is
        Junos's memory allocation dynamic (MAD), which adds buffer only while a queue gets more
        than its transmit rate (source m120, footnote 1). Packet by packet, that is the last
        whole one of windows of `time_s` that follow one another from the start.
    """

    time_s: Positive
    at: Literal["guaranteed", "line", "served"] = "guaranteed"
