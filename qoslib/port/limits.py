"""How much a queue may hold: in packets, in bytes, or in time at a rate."""

from typing import Literal

from qoslib.record import AtLeastOne, Count, Positive, Record, fail, record

__all__ = ["ByteLimit", "PacketLimit", "TimeLimit"]


@record
class PacketLimit(Record):
    """At most so many packets (IOS `queue-limit`, `hold-queue`), and perhaps so many bytes too.

    Parameters
    ----------
    packets : int
        A packet that finds so many is refused.
    limit_bytes : int or None
        So is one whose frame does not fit into these bytes of frames [B] any more.
    resume_packets, resume_bytes : int or None
        Once a packet has been refused, all are until no more than so many packets, and no more
        than so many bytes of frames [B], wait; None for no such threshold. They change neither
        loss nor throughput in the long run, but drops come in runs.

    Examples
    --------
    >>> PacketLimit(100, limit_bytes=64_000).held_bytes(1500)
    64000.0
    """

    packets: AtLeastOne
    limit_bytes: AtLeastOne | None = None
    resume_packets: Count | None = None
    resume_bytes: Count | None = None

    def check(self) -> None:
        resume = self.resume_packets
        if resume is not None and resume >= self.packets:
            fail("PacketLimit.resume_packets", resume, f"below the limit, {self.packets}")
        most, resume = self.limit_bytes, self.resume_bytes
        if resume is not None and (most is None or resume >= most):
            allowed = f"None without limit_bytes; below the limit, {most}"
            fail("PacketLimit.resume_bytes", resume, allowed)

    @property
    def resume(self) -> int | None:
        """The resume threshold in packets, if it has one; with one in bytes alone, the limit."""
        if self.resume_packets is None and self.resume_bytes is not None:
            return self.packets
        return self.resume_packets

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
        most_bytes = float(self.packets * frame_bytes)
        return most_bytes if self.limit_bytes is None else min(most_bytes, float(self.limit_bytes))

    def resized(self, size_bytes: float, frame_bytes: float) -> "PacketLimit":
        """A limit in packets alone that holds about so many bytes of frames of a size.

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
    """At most so many bytes of frames.

    Parameters
    ----------
    limit_bytes : int
        A packet whose frame does not fit is refused [B].
    resume_bytes : int or None
        Once a packet has been refused, all are until no more than this waits [B].
    """

    limit_bytes: AtLeastOne
    resume_bytes: Count | None = None

    def check(self) -> None:
        resume = self.resume_bytes
        if resume is not None and resume >= self.limit_bytes:
            fail("ByteLimit.resume_bytes", resume, f"below the limit, {self.limit_bytes}")

    @property
    def resume(self) -> int | None:
        """The resume threshold in the limit's own unit, if it has one."""
        return self.resume_bytes

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

    @property
    def resume(self) -> None:
        """It has no resume threshold."""
        return
