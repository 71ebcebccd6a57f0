"""How much a queue may hold: in packets, in bytes, or in time at a rate."""

from typing import Literal

from qoslib.record import AtLeastOne, Positive, Record, record

__all__ = ["ByteLimit", "PacketLimit", "TimeLimit"]


@record
class PacketLimit(Record):
    """At most so many packets (IOS `queue-limit`, `hold-queue`)."""

    packets: AtLeastOne

    def held_bytes(self, frame_bytes: float) -> float:
        """What it holds of frames of a size [B].

        Parameters
        ----------
        frame_bytes : float
            Frame size [B].

        Returns
        -------
        float
            Bytes of frames [B].

        Examples
        --------
        >>> PacketLimit(100).held_bytes(1500)
        150000.0
        """
        return float(self.packets * frame_bytes)

    def resized(self, size_bytes: float, frame_bytes: float) -> "PacketLimit":
        """A limit in packets that holds about so many bytes of frames of a size.

        Parameters
        ----------
        size_bytes : float
            What it is to hold [B].
        frame_bytes : float
            Frame size [B].

        Returns
        -------
        PacketLimit

        Examples
        --------
        >>> PacketLimit(100).resized(60_000, 1500)
        PacketLimit(packets=40)
        """
        return PacketLimit(max(round(size_bytes / frame_bytes), 1))


@record
class ByteLimit(Record):
    """At most so many bytes of frames."""

    limit_bytes: AtLeastOne

    def held_bytes(self, frame_bytes: float) -> float:
        """What it holds of frames of a size [B]: that is the limit, whatever their size.

        Parameters
        ----------
        frame_bytes : float
            Frame size [B].

        Returns
        -------
        float
            Bytes of frames [B].

        Examples
        --------
        >>> ByteLimit(64_000).held_bytes(1500)
        64000.0
        """
        return float(self.limit_bytes)

    def resized(self, size_bytes: float, frame_bytes: float) -> "ByteLimit":
        """A limit of so many bytes, a frame at least.

        Parameters
        ----------
        size_bytes : float
            What it is to hold [B].
        frame_bytes : float
            Frame size [B].

        Returns
        -------
        ByteLimit

        Examples
        --------
        >>> ByteLimit(64_000).resized(200, 1500)
        ByteLimit(limit_bytes=1500)
        """
        return ByteLimit(max(round(size_bytes), round(frame_bytes)))


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
