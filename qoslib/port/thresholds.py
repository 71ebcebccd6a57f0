"""Between which lengths of a queue RED drops and marking marks: packets, bytes, time, shares."""

from qoslib.record import NotNegative, Positive, Record, Share, fail, record

__all__ = ["ByteRedProfile", "RedProfile", "ShareRedProfile", "Thresholds", "TimeRedProfile"]


@record
class RedProfile(Record):
    """RED thresholds: nothing is dropped below the minimum, all from the maximum [packets].

    Between them the probability rises in a straight line to `maximum_probability`. Where both are
    equal they are a step.
    """

    minimum_packets: NotNegative
    maximum_packets: Positive
    maximum_probability: Share = 1.0

    def check(self) -> None:
        _rise("RedProfile.minimum_packets", self.minimum_packets, self.maximum_packets)


@record
class ByteRedProfile(Record):
    """RED thresholds in bytes of frames [B]; else as `RedProfile`."""

    minimum_bytes: NotNegative
    maximum_bytes: Positive
    maximum_probability: Share = 1.0

    def check(self) -> None:
        _rise("ByteRedProfile.minimum_bytes", self.minimum_bytes, self.maximum_bytes)


@record
class TimeRedProfile(Record):
    """RED thresholds as what a rate carries in a time, in bytes of frames; else as `RedProfile`.

    Parameters
    ----------
    minimum_s, maximum_s : float
        The times [s].
    rate_bps : float
        The rate at which routers convert them once, when configured: that of the queue's
        guarantee, or of its parent's shaper [bit/s].
    maximum_probability : float
        What the probability rises to.
    """

    minimum_s: NotNegative
    maximum_s: Positive
    rate_bps: Positive
    maximum_probability: Share = 1.0

    def check(self) -> None:
        _rise("TimeRedProfile.minimum_s", self.minimum_s, self.maximum_s)


@record
class ShareRedProfile(Record):
    """RED thresholds as shares of the queue's limit, 0 to 1; else as `RedProfile`."""

    minimum_share: Share
    maximum_share: Share
    maximum_probability: Share = 1.0

    def check(self) -> None:
        _rise("ShareRedProfile.minimum_share", self.minimum_share, self.maximum_share)
        if self.maximum_share == 0:
            fail("ShareRedProfile.maximum_share", 0.0, "above 0")


Thresholds = RedProfile | ByteRedProfile | TimeRedProfile | ShareRedProfile


def _rise(where: str, low: float, high: float) -> None:
    if low > high:
        fail(where, low, f"up to the maximum, {high:g}")
