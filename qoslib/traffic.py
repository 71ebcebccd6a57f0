"""Streams of packets: how fast, how large, and how they are spaced in time."""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Annotated, Literal

from qoslib import units
from qoslib.record import (
    AtLeastOne,
    Ecn,
    NotNegative,
    Positive,
    Record,
    Share,
    Within,
    checked,
    ecn_word,
    fail,
    record,
)

__all__ = [
    "MOST_BPS",
    "Arrivals",
    "Cbr",
    "FrameMix",
    "OnOff",
    "Poisson",
    "Repeated",
    "Stream",
    "TickedBursts",
    "Trace",
    "imix",
    "on_one_line",
]

#: The highest rate of a stream [bit/s], a million times the fastest line: sums stay finite.
MOST_BPS = 1e18
#: Most packets in one period of streams that share a line.
MOST_REPEATED = 100_000


class Arrivals(Record, family=True):
    """Base of all ways in which packets are spaced."""


@record
class Cbr(Arrivals):
    """Constant spacing: packet k at ``phase + k / rate`` (RFC 2544 load generators)."""

    phase_s: NotNegative = 0.0


@record
class Poisson(Arrivals):
    """Exponential spacing with the stream's mean rate."""


@record
class TickedBursts(Arrivals):
    """What is due since the last tick of a timer leaves at the tick, back to back.

    iperf3 paces UDP this way, with a tick of 1 ms.
    """

    tick_s: Positive = 1e-3
    phase_s: NotNegative = 0.0


@record
class OnOff(Arrivals):
    """Constant spacing during on-periods, silence between; the mean is the stream's rate.

    `periods` are all alike (`constant`) or drawn (`exponential`) with these means; the first
    on-period, which starts at the phase, has its mean length.
    """

    on_s: Positive
    off_s: Positive
    periods: Literal["constant", "exponential"] = "exponential"
    phase_s: NotNegative = 0.0


@record
class Repeated(Arrivals):
    """The same times in every period: at these ascending shares of it.

    The period is what so many packets take at the stream's rate. Regular streams that share a
    sender's line become this: see `on_one_line`.
    """

    shares: tuple[Share, ...]

    def check(self) -> None:
        rising = all(a <= b for a, b in zip(self.shares, self.shares[1:], strict=False))
        if not self.shares or not rising or self.shares[-1] >= 1:
            fail("Repeated.shares", self.shares, "at least one, ascending, below 1")


@record
class Trace(Arrivals):
    """Recorded arrivals: ascending times [s] and as many frame sizes [B], as arrays or tuples.

    Examples
    --------
    >>> import numpy as np
    >>> Trace(np.arange(3) * 1e-3, np.full(3, 64)).frames_bytes
    (64, 64, 64)
    """

    times_s: tuple[NotNegative, ...]
    frames_bytes: tuple[AtLeastOne, ...]

    def check(self) -> None:
        if len(self.times_s) != len(self.frames_bytes):
            fail("Trace.frames_bytes", len(self.frames_bytes), f"{len(self.times_s)} sizes")
        if sorted(self.times_s) != list(self.times_s):
            fail("Trace.times_s", "a time before its predecessor", "ascending times")


@record
class FrameMix(Record):
    """Frame sizes [B] drawn for each packet, with these shares of packets."""

    sizes_bytes: tuple[AtLeastOne, ...]
    shares: tuple[Share, ...]

    def check(self) -> None:
        if not self.sizes_bytes or len(self.sizes_bytes) != len(self.shares):
            fail("FrameMix.shares", self.shares, "one share for each size, at least one")
        if abs(sum(self.shares) - 1) > 1e-9:
            fail("FrameMix.shares", self.shares, "shares whose sum is 1")

    @property
    def mean_bytes(self) -> float:
        """Mean frame size [B]."""
        return sum(n * p for n, p in zip(self.sizes_bytes, self.shares, strict=True))


def imix() -> FrameMix:
    """The simple Internet mix of 7 : 4 : 1 packets of 64, 594 and 1518 B (see RFC 6985).

    Returns
    -------
    FrameMix
        Mean frame 362 bytes [B].

    Examples
    --------
    >>> round(imix().mean_bytes, 2)
    361.83
    """
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
    arrivals : Arrivals or str
        How packets are spaced; ``"poisson"`` stands for ``Poisson()``, and so on.
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
    ecn : {"no", "classic", "l4s"} or bool
        Whether its packets may be marked instead of dropped, and by which rules: their ECN field
        is ECT(0) with ``"classic"`` (RFC 3168), and ECT(1) with ``"l4s"`` (RFC 9331). True stands
        for ``"classic"`` and false for ``"no"``.
    flows : int
        How many flows it is made of at any time, in the eyes of a queue with `FlowQueues`. Each
        packet belongs to one of them, with equal chances; packets sent at the same instant belong
        to one.
    flow_s : float or None
        Each flow lasts so long [s], and then another takes its place; None: to the end.
    source, destination : str
        The hosts it comes from and goes to, where `FlowQueues` shares by hosts; empty for hosts of
        its own.

    Examples
    --------
    >>> Stream("data", 1e6, arrivals="poisson")
    Stream(name='data', rate_bps=1000000.0, arrivals=Poisson())
    """

    name: str
    rate_bps: Annotated[float, Within(0, MOST_BPS)] = 0.0
    frame_bytes: AtLeastOne | FrameMix = 1000
    arrivals: Arrivals = Cbr()
    mark: str = ""
    clock_ppm: float = 0.0
    jitter_s: NotNegative = 0.0
    start_s: NotNegative = 0.0
    stop_s: Positive | None = None
    access_bps: Positive | None = None
    ecn: Ecn = "no"
    flows: AtLeastOne = 1
    flow_s: Positive | None = None
    source: str = ""
    destination: str = ""

    def check(self) -> None:
        vars(self)["ecn"] = ecn_word(self.ecn)
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


def on_one_line(
    streams: Sequence[Stream], line_bps: float, overhead_bytes: float = 0.0
) -> tuple[Stream, ...]:
    """Regular streams that leave by one line: first due, first sent, packet after packet.

    Their common pattern is worked out once, exactly, and repeats; a chain with the sender's line
    as a hop of its own says the same at several times the cost.

    Parameters
    ----------
    streams : sequence of Stream
        `Cbr` streams; of packets due at the same time the stream listed first goes first.
    line_bps : float
        Rate of the sender's line [bit/s].
    overhead_bytes : float
        What the line adds to each frame [B].

    Returns
    -------
    tuple of Stream
        The same with `Repeated` arrivals, when each packet's first bit is on the line; a stream
        without a rate as it is.

    Raises
    ------
    ValueError
        If a stream is not `Cbr` with one frame size, two have one name, or the line does not keep
        up.

    Examples
    --------
    Two streams of 40 Mb/s from one sender: the second one's packets wait for the first one's.

    >>> for stream in on_one_line([Stream("a", 40e6), Stream("b", 40e6)], 100e6):
    ...     print(stream.name, stream.arrivals)
    a Repeated(shares=(0.0,))
    b Repeated(shares=(0.4,))
    """
    streams = tuple(checked(tuple[Stream, ...], streams, "streams"))
    line_bps = checked(Positive, line_bps, "line_bps")
    overhead_bytes = checked(NotNegative, overhead_bytes, "overhead_bytes")
    names = [stream.name for stream in streams]
    if len(set(names)) != len(names):
        fail("the streams' names", names, "each name once", "are")
    active = [s for s in streams if s.rate_bps]
    for stream in active:
        if not isinstance(stream.arrivals, Cbr) or isinstance(stream.frame_bytes, FrameMix):
            fail(f"Stream {stream.name!r}", stream.arrivals, "Cbr with one frame size")
    if not active:
        return streams
    period_s = _common([_interval_s(stream) for stream in active])
    shares = _first_due_first_sent(active, period_s, Fraction(line_bps), Fraction(overhead_bytes))
    return tuple(
        s.replace(arrivals=Repeated(shares[s.name])) if s.name in shares else s for s in streams
    )


def _interval_s(stream: Stream) -> Fraction:
    return units.bits(Fraction(stream.mean_frame_bytes)) / Fraction(stream.rate_bps)


def _common(intervals_s: Sequence[Fraction]) -> Fraction:
    """The shortest time that is a whole number of each interval."""
    tops, bottoms = zip(*(each.as_integer_ratio() for each in intervals_s), strict=True)
    period_s = Fraction(lcm(*tops), gcd(*bottoms))
    packets = sum(period_s / each for each in intervals_s)
    if packets > MOST_REPEATED:
        fail("the packets of a common period", int(packets), f"at most {MOST_REPEATED}")
    return period_s


def _first_due_first_sent(
    streams: Sequence[Stream], period_s: Fraction, line_bps: Fraction, overhead_bytes: Fraction
) -> dict[str, tuple[float, ...]]:
    """When each stream's packets are sent, as shares of the period."""
    phases = (stream.arrivals for stream in streams)
    begin_s = [Fraction(each.phase_s) for each in phases if isinstance(each, Cbr)]
    every_s = [_interval_s(stream) for stream in streams]
    takes_s = [
        units.bits(Fraction(stream.mean_frame_bytes) + overhead_bytes) / line_bps
        for stream in streams
    ]
    (period,), begin, every, takes = _in_ticks([period_s], begin_s, every_s, takes_s)
    due = sorted(
        (begin[order] + k * every[order], order)
        for order in range(len(streams))
        for k in range(period // every[order])
    )
    sent: dict[str, list[float]] = {stream.name: [] for stream in streams}
    free = 0
    for at, order in due:
        begins = max(at, free)
        sent[streams[order].name].append(begins / period)
        free = begins + takes[order]
    if free > period + due[0][0]:
        fail("line_bps", float(line_bps), "a line that has sent all by the end of the period")
    return {name: tuple(shares) for name, shares in sent.items()}


def _in_ticks(*lists_s: Sequence[Fraction]) -> list[list[int]]:
    """Lists of fractions as whole numbers of one tick: as exact, and soon compared and added."""
    ticks_per_s = lcm(*(time_s.denominator for times_s in lists_s for time_s in times_s))
    return [[int(time_s * ticks_per_s) for time_s in times_s] for times_s in lists_s]
