"""Packets as they arrive."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

from qoslib.traffic import Cbr, FrameMix, OnOff, Poisson, Repeated, TickedBursts, Trace
from twin.clock import FINE, NEVER, PS, fine, floor_ps, whole_ps
from twin.draws import Draws


@dataclass
class Packet:
    stream: int
    size: int
    label: str
    ecn: str
    sent_first: int = field(default=-1)
    arrival: int = field(default=-1)
    marked: bool = field(default=False)
    #: At a hop before.
    marked_before: bool = field(default=False)

    @property
    def capable(self):
        """Whether it may be marked."""
        return self.ecn in ("classic", "l4s")


def sizes_of(stream):
    """All frame sizes that a stream can have."""
    if isinstance(stream.arrivals, Trace):
        return sorted(set(stream.arrivals.frames_bytes)) or [1]
    mix = stream.frame_bytes
    return list(mix.sizes_bytes) if isinstance(mix, FrameMix) else [mix]


def regular(start_ps, gap_ps):
    """``floor(start + k gap)`` for k = 0, 1, 2, ..."""
    gap = fine(gap_ps)
    return (floor_ps(start_ps * FINE + k * gap) for k in count())


def gap_ps(stream):
    bits = 8 * Fraction(stream.mean_frame_bytes)
    return bits * PS / (Fraction(stream.rate_bps) * (1 + Fraction(stream.clock_ppm) / 10**6))


def poisson(start_ps, gap_ps, draws):
    now, mean_ps = start_ps, float(gap_ps)
    while True:
        now += int(mean_ps * draws.exponential() + 0.5)
        yield now


def ticked(start_ps, gap_ps, process):
    tick_ps, tick = max(whole_ps(process.tick_s), 1), start_ps + whole_ps(process.phase_s)
    for due in regular(start_ps, gap_ps):
        while tick < due:
            tick += tick_ps
        yield tick


def on_off(start_ps, gap_ps, process, draws):
    """On-time flows at a constant spacing; each end of an on-period adds an off-period."""
    on_ps, off_ps = max(whole_ps(process.on_s), 1), whole_ps(process.off_s)
    start = start_ps + whole_ps(process.phase_s)
    on_share = Fraction(process.on_s) / (Fraction(process.on_s) + Fraction(process.off_s))
    on_end, off_time = start + on_ps, 0
    for on_time in regular(start, gap_ps * on_share):
        while on_time >= on_end:
            if process.periods == "constant":
                off_time, on_end = off_time + off_ps, on_end + on_ps
            else:
                off_time += int(float(Fraction(process.off_s) * PS) * draws.exponential())
                on_end += int(float(Fraction(process.on_s) * PS) * draws.exponential()) + 1
        yield on_time + off_time


def repeated(start_ps, gap_ps, shares):
    """In each period the same times after its begin."""
    period_ps = gap_ps * len(shares)
    for begin in regular(start_ps, period_ps):
        yield from (begin + round(Fraction(share) * period_ps) for share in shares)


def nominal_times(stream, draws):
    start_ps = whole_ps(stream.start_s)
    match stream.arrivals:
        case Cbr(phase_s):
            return regular(start_ps + whole_ps(phase_s), gap_ps(stream))
        case Poisson():
            return poisson(start_ps, gap_ps(stream), draws)
        case TickedBursts() as process:
            return ticked(start_ps, gap_ps(stream), process)
        case OnOff() as process:
            return on_off(start_ps, gap_ps(stream), process, draws)
        case Repeated(shares):
            return repeated(start_ps, gap_ps(stream), shares)


def drawn_size(stream, draws):
    if not isinstance(stream.frame_bytes, FrameMix):
        return stream.frame_bytes
    sizes, shares = stream.frame_bytes.sizes_bytes, stream.frame_bytes.shares
    if len(sizes) == 1:
        return sizes[0]
    draw, below = draws.uniform(), 0.0
    for size, share in zip(sizes, shares, strict=True):
        below += share
        if draw < below:
            return size
    return sizes[-1]


def nominal(stream, draws):
    """Times and frame sizes, before jitter and the access link."""
    if isinstance(stream.arrivals, Trace):
        trace, start_ps = stream.arrivals, whole_ps(stream.start_s)
        rows = zip(map(whole_ps, trace.times_s), trace.frames_bytes, strict=True)
        yield from ((time_ps, size) for time_ps, size in rows if time_ps >= start_ps)
    elif stream.rate_bps > 0:
        for time_ps in nominal_times(stream, draws):
            yield time_ps, drawn_size(stream, draws)


class Sender:
    """A stream under way: its next packet, and until when it was told to pause."""

    def __init__(self, index, stream, seed, fed=None):
        self.index, self.stream = index, stream
        self.draws = Draws(seed, 0, index)
        self.rows = self.generated() if fed is None else iter(fed)
        self.told_ps, self.held_ps = 0, None
        self.take(None)

    def generated(self):
        stop_ps = NEVER if self.stream.stop_s is None else whole_ps(self.stream.stop_s)
        jitter_ps = float(whole_ps(self.stream.jitter_s))
        for time_ps, size in nominal(self.stream, self.draws):
            if time_ps >= stop_ps:
                return
            late_ps = int(self.draws.uniform() * jitter_ps) if jitter_ps else 0
            yield time_ps + late_ps, size, None, self.stream.label

    def access_ps(self):
        rate_bps = self.stream.access_bps
        return int(8 * PS * self.size / Fraction(rate_bps)) if rate_bps else 0

    def take(self, since_ps):
        """Look for the next packet; the one before arrived at `since_ps`."""
        self.due, self.size, self.sent_first, self.label = next(self.rows, (NEVER, 1, None, ""))
        if since_ps is not None:
            self.due = max(self.due, since_ps + self.access_ps())
        self.next = self.due

    def hold(self):
        """What the line would start before the pause is over starts then."""
        if self.held_ps is not None and self.due != NEVER:
            self.next = max(self.due, self.held_ps + self.access_ps())

    def arrive(self, now):
        first = now if self.sent_first is None else self.sent_first
        stream = self.stream
        packet = Packet(self.index, self.size, self.label, stream.ecn, first, now)
        self.take(now)
        self.hold()
        return packet

    def tell(self, now, until_ps, obeyed):
        """A PAUSE frame: until when not to start a packet."""
        self.told_ps = until_ps
        started = self.next - self.access_ps() <= now
        if obeyed:
            self.held_ps = until_ps
            if not started:
                self.hold()
