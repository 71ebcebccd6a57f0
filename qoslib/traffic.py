"""Streams of packets: how fast, how large, and how they are spaced in time."""

from typing import Literal

from qoslib import units
from qoslib.record import AtLeastOne, NotNegative, Positive, Record, Share, fail, record

__all__ = [
    "Cbr",
    "FrameMix",
    "OnOff",
    "Poisson",
    "Stream",
    "TickedBursts",
    "Trace",
    "imix",
]


@record
class Cbr(Record):
    """Constant spacing: packet k at ``phase + k / rate`` (RFC 2544 load generators)."""

    phase_s: NotNegative = 0.0


@record
class Poisson(Record):
    """Exponential spacing with the stream's mean rate."""


@record
class TickedBursts(Record):
    """What is due since the last tick of a timer leaves at the tick, back to back.

    iperf3 paces UDP this way, with a tick of 1 ms.
    """

    tick_s: Positive = 1e-3
    phase_s: NotNegative = 0.0


@record
class OnOff(Record):
    """Constant spacing during on-periods, silence between; the mean is the stream's rate.

    `periods` are all alike (`constant`) or drawn (`exponential`) with these means; the first
    on-period, which starts at the phase, has its mean length.
    """

    on_s: Positive
    off_s: Positive
    periods: Literal["constant", "exponential"] = "exponential"
    phase_s: NotNegative = 0.0


@record
class Trace(Record):
    """Recorded arrivals: ascending times [s] and as many frame sizes [B]."""

    times_s: tuple[NotNegative, ...]
    frames_bytes: tuple[AtLeastOne, ...]

    def check(self):
        if len(self.times_s) != len(self.frames_bytes):
            fail("Trace.frames_bytes", len(self.frames_bytes), f"{len(self.times_s)} sizes")
        if any(b < a for a, b in zip(self.times_s, self.times_s[1:], strict=False)):
            fail("Trace.times_s", "a time before its predecessor", "ascending times")


@record
class FrameMix(Record):
    """Frame sizes [B] drawn for each packet, with these shares of packets."""

    sizes_bytes: tuple[AtLeastOne, ...]
    shares: tuple[Share, ...]

    def check(self):
        if not self.sizes_bytes or len(self.sizes_bytes) != len(self.shares):
            fail("FrameMix.shares", self.shares, "one share for each size, at least one")
        if abs(sum(self.shares) - 1) > 1e-9:
            fail("FrameMix.shares", self.shares, "shares whose sum is 1")

    @property
    def mean_bytes(self) -> float:
        """Mean frame size [B]."""
        return sum(n * p for n, p in zip(self.sizes_bytes, self.shares, strict=True))


def imix() -> FrameMix:
    """The simple Internet mix of 7 : 4 : 1 packets of 64, 594 and 1518 B (see RFC 6985)."""
    return FrameMix((64, 594, 1518), (7 / 12, 4 / 12, 1 / 12))


@record
class Stream(Record):
    """One stream of packets towards a port.

    Parameters
    ----------
    name : str
        What results and figures call it.
    rate_bps : float
        Mean rate of the frames' own bits [bit/s], without what a line adds to each; 0 for a
        `Trace`, which brings its own times.
    frame_bytes : int or FrameMix
        Frame size [B], as queues and policers count it; a `Trace` brings its own.
    arrivals : Cbr, Poisson, TickedBursts, OnOff or Trace
        How packets are spaced.
    mark : str
        What a classifier reads (RFC 2475), say a DSCP; empty means the stream's name.
    clock_ppm : float
        The sender's clock offset: the rate is multiplied by ``1 + clock_ppm 1e-6``.
    jitter_s : float
        Each packet is late by a uniform draw from [0, jitter) [s]; order is kept.
    start_s, stop_s : float
        Packets are sent from `start_s` to before `stop_s` [s], those of a `Trace` that fall
        between them; None means to the end.
    access_bps : float
        Rate of the link the stream arrives by [bit/s], which spaces its packets; None: no limit.
    ecn : bool
        Whether its packets may be marked instead of dropped (RFC 3168).
    """

    name: str
    rate_bps: NotNegative = 0.0
    frame_bytes: AtLeastOne | FrameMix = 1000
    arrivals: Cbr | Poisson | TickedBursts | OnOff | Trace = Cbr()
    mark: str = ""
    clock_ppm: float = 0.0
    jitter_s: NotNegative = 0.0
    start_s: NotNegative = 0.0
    stop_s: Positive | None = None
    access_bps: Positive | None = None
    ecn: bool = False

    def check(self):
        if not self.name:
            fail("Stream.name", self.name, "a text that is not empty")
        if isinstance(self.arrivals, Trace) and self.rate_bps:
            fail("Stream.rate_bps", self.rate_bps, "0 with a Trace, which brings its own times")
        if self.stop_s is not None and self.stop_s <= self.start_s:
            fail("Stream.stop_s", self.stop_s, f"later than start_s, {self.start_s}")
        if self.clock_ppm <= -1e6:
            fail("Stream.clock_ppm", self.clock_ppm, "above -1e6")

    @property
    def mean_frame_bytes(self) -> float:
        """Mean frame size [B]."""
        sizes = self.frame_bytes
        if isinstance(self.arrivals, Trace) and self.arrivals.frames_bytes:
            return sum(self.arrivals.frames_bytes) / len(self.arrivals.frames_bytes)
        return sizes.mean_bytes if isinstance(sizes, FrameMix) else float(sizes)

    @property
    def label(self) -> str:
        """What a classifier reads: the mark, or the name where there is none."""
        return self.mark or self.name

    @property
    def mean_rate_bps(self) -> float:
        """Mean rate [bit/s], the clock offset included.

        That of a `Trace` is taken over its n - 1 gaps: all frames but the last, from the first
        time to the last.
        """
        if isinstance(self.arrivals, Trace):
            times_s = self.arrivals.times_s
            span_s = times_s[-1] - times_s[0] if times_s else 0.0
            return units.bits(sum(self.arrivals.frames_bytes[:-1])) / span_s if span_s else 0.0
        return self.rate_bps * (1 + units.convert(self.clock_ppm, "ppm", "1"))
