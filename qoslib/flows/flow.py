"""One TCP connection that sends."""

from typing import Annotated

from qoslib.flows.congestion import Congestion, Cubic
from qoslib.flows.recovery import Recovery, SackRecovery
from qoslib.flows.slow_start import SlowStart
from qoslib.record import (
    AtLeastOne,
    Ecn,
    NotNegative,
    Positive,
    Record,
    Within,
    ecn_word,
    fail,
    record,
)

__all__ = ["Flow"]


@record
class Flow(Record):
    """One TCP connection that sends from a host through a port to a receiver that keeps up.

    Parameters
    ----------
    name : str
        What results and figures call it.
    round_trip_s : float
        Base round trip [s]: what is left of it when nothing waits and no packet takes time on a
        line; the base delays of all ports that it passes and a netem delay of the host are part of
        it.
    congestion : Reno, Cubic, HTcp, Bbr, Dctcp or Prague
        Or its name, like ``"reno"``.
    recovery : SackRecovery, RateHalving, NewRenoRecovery, TimeoutOnly or PathologicalRecovery
    slow_start : SlowStart
    window_bytes : int or None
        Most payload from the first byte not acknowledged on, the smaller of the two sockets'
        buffers [B]; None: twice what the path holds, which is the host's line for a round trip and
        the port's queue, and at most 2**20 segments.
    mss_bytes : int
        Payload of a segment [B].
    frame_bytes : int
        A segment's frame [B], as queues and policers count it.
    start_s, stop_s : float
        New data is sent from `start_s` to before `stop_s` [s]; None means to the end.
    transfer_bytes : int or None
        Payload to send in all, rounded up to whole segments [B]; None: without end.
    mark : str
        What a classifier reads (RFC 2475); empty means the flow's name.
    ecn : {"no", "classic", "l4s"} or bool
        Whether its packets may be marked instead of dropped, and by which rules: their ECN field
        is ECT(0) with ``"classic"`` (RFC 3168), and ECT(1) with ``"l4s"`` (RFC 9331). True stands
        for ``"classic"`` and false for ``"no"``. `Dctcp` needs ECN, and `Prague` ``"l4s"``.
    segments_per_ack : int
        The receiver acknowledges every so many in order (RFC 5681, section 4.2: 2), out of order
        at once, and the last ones after `ack_delay_s`.
    ack_delay_s : float
        Longest time that an ACK is held back [s], since the first packet that it is for; 40 ms is
        Linux's least.
    lost_share : float
        Share of its packets that are lost on the way from the port to the receiver, each on its
        own. The record's drops do not count them, and its retransmissions repair them.
    minimum_timeout_s : float
        Least that the retransmission timeout is above the smoothed round trip [s]: 0.2 in Linux.
        (RFC 6298, section 2.4, has 1 s for the whole of it.)

    Examples
    --------
    >>> Flow("a", 0.05, window_bytes=48_000_000).label
    'a'
    """

    name: str
    round_trip_s: Positive
    congestion: Congestion = Cubic()
    recovery: Recovery = SackRecovery()
    slow_start: SlowStart = SlowStart()
    window_bytes: AtLeastOne | None = None
    mss_bytes: AtLeastOne = 8948
    frame_bytes: AtLeastOne = 9000
    start_s: NotNegative = 0.0
    stop_s: Positive | None = None
    transfer_bytes: AtLeastOne | None = None
    mark: str = ""
    ecn: Ecn = "no"
    segments_per_ack: AtLeastOne = 1
    ack_delay_s: NotNegative = 0.04
    lost_share: Annotated[float, Within(0, 1, open_high=True)] = 0.0
    minimum_timeout_s: Positive = 0.2

    def check(self) -> None:
        vars(self)["ecn"] = ecn_word(self.ecn)
        if not self.name:
            fail("Flow.name", self.name, "a text that is not empty")
        if self.frame_bytes < self.mss_bytes:
            fail("Flow.frame_bytes", self.frame_bytes, f"at least mss_bytes, {self.mss_bytes}")
        if self.window_bytes is not None and self.window_bytes < self.mss_bytes:
            fail("Flow.window_bytes", self.window_bytes, f"at least mss_bytes, {self.mss_bytes}")
        if self.ecn not in self.congestion.ecn:
            words = " or ".join(map(repr, self.congestion.ecn))
            fail("Flow.ecn", self.ecn, f"{words} with {type(self.congestion).__name__}")
        if self.stop_s is not None and self.stop_s <= self.start_s:
            fail("Flow.stop_s", self.stop_s, f"later than start_s, {self.start_s}")

    @property
    def label(self) -> str:
        """What a classifier reads: the mark, or the name where there is none."""
        return self.mark or self.name
