"""Hypothesis strategies: a small port around one mechanism, and streams that strain it.

Times are multiples of one large packet's time on the line, so that arrivals meet departures,
queues fill and control loops act within some hundred packets.

Independent choices are drawn as one, from all their combinations: drawing a scene choice by choice
took as long as playing it.
"""

import random
from dataclasses import dataclass
from functools import cache
from itertools import product

from hypothesis import strategies as st

from qoslib import port as p
from qoslib.traffic import (
    Cbr,
    FrameMix,
    OnOff,
    Poisson,
    Repeated,
    Stream,
    TickedBursts,
    Trace,
    imix,
)

NAMES = ("red", "green", "blue", "gold")
#: One byte a microsecond or a nanosecond; odd ones; and so slow or fast that it strains the clock.
LINES_BPS = (8e6, 8e9, 9.95e6, 1e9 / 3, 2396e6, 2999.0, 9.9e12)
LARGEST = (1, 3, 64, 594, 1000, 1517, 1518, 4470, 9000)


@dataclass
class Scene:
    """A run of a port, forwarder or chain."""

    where: object
    streams: tuple
    duration_s: float
    seed: int
    warmup_s: float = 0.0


SENDS_ECN = ("classic", "l4s", "no")
MARKING = st.sampled_from((True, True, False))


@dataclass(frozen=True)
class Scale:
    """The line, the largest frame, and what the line adds to each."""

    rate_bps: float
    largest: int
    overhead: float

    @property
    def packet_s(self):
        return 8 * (self.largest + self.overhead) / self.rate_bps

    @cache  # noqa: B019
    def bps(self, low=0.05, high=2.0):
        """A rate near the line's."""
        return st.sampled_from([0.125, 0.25, 0.5, 1.0]).map(self._share) | st.floats(low, high).map(
            self._share
        )

    def _share(self, share):
        return self.rate_bps * share

    @cache  # noqa: B019
    def time(self, low, high):
        """A time of so many packets."""
        counts = st.integers(max(int(low), 1), max(int(high), 1)) | st.floats(low, high)
        return counts.map(lambda count: max(count * self.packet_s, 2e-12))

    @cache  # noqa: B019
    def perhaps(self, otherwise, low, high):
        """Such a time or something else."""
        return st.just(otherwise) | self.time(low, high)

    def of_line(self, share):
        """So much of the line's rate, or None."""
        return None if share is None else self._share(share)

    @cache  # noqa: B019
    def sizes(self):
        return st.just(self.largest) | st.integers(1, self.largest)


@cache
def choices(*each):
    """One of each, drawn at once."""
    return st.sampled_from(list(product(*each)))


SCALES = st.sampled_from([Scale(*of) for of in product(LINES_BPS, LARGEST, (0.0, 0.0, 20.0, 9.1))])


@cache
def some(strategy, least, most):
    """Lists of so many."""
    return st.lists(strategy, min_size=least, max_size=most)


@cache
def by_mark(strategy):
    """A mark, and what goes by it."""
    return st.tuples(st.sampled_from(NAMES), strategy)


@cache
def arrivals(scale):
    processes = [
        st.just(Cbr()),
        st.builds(Cbr, scale.time(0.1, 5)),
        st.just(Poisson()),
        st.builds(TickedBursts, scale.time(2, 30), scale.time(0.1, 5)),
        st.builds(
            OnOff,
            scale.time(5, 50),
            scale.time(5, 50),
            st.sampled_from(["constant", "exponential"]),
        ),
    ]
    shares = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]), min_size=1, max_size=4)
    processes.append(shares.map(lambda some: Repeated(tuple(sorted(some)))))
    return st.one_of(processes)


@cache
@st.composite
def traces(draw, scale):
    """Bursts and gaps on the line's own beat, so that arrivals fall on departures."""
    # One number for all steps: drawing them one by one took longer than the runs.
    chance = random.Random(draw(st.integers(0, 2**20)))
    steps = chance.choices([0, 0, 0, 1, 1, 2, 7], k=draw(st.integers(1, 60)))
    sizes = draw(some(scale.sizes(), 1, 3))
    times, now = [], 0.0
    for step in steps:
        now += step * scale.packet_s
        times.append(now)
    return Trace(times, [sizes[i % len(sizes)] for i in range(len(times))])


@cache
@st.composite
def mixes(draw, scale):
    if scale.largest == 1518:
        return imix()
    sizes = tuple(draw(some(scale.sizes(), 1, 3)))
    return FrameMix((*sizes, scale.largest), (*[0.25] * len(sizes), 1 - 0.25 * len(sizes)))


@cache
def frames(scale):
    """One size or a mix."""
    return scale.sizes() | mixes(scale)


CLOCKS_PPM = (0.0, 50.0, -1e5)
ACCESS_SHARES = (None, None, None, 1, 2, 10)


@cache
@st.composite
def streams(draw, scale, name, marks, load):
    """A stream that offers a share of the line."""
    start_s = draw(scale.perhaps(0.0, 1, 10))
    mark, ecn, traced = draw(choices(marks, SENDS_ECN, (False, False, False, False, True)))
    common = {
        "mark": mark,
        "ecn": ecn,
        "jitter_s": draw(scale.perhaps(0.0, 0.5, 3)),
        "start_s": start_s,
    }
    if traced:
        return Stream(name, arrivals=draw(traces(scale)), **common)
    clock_ppm, access_share = draw(choices(CLOCKS_PPM, ACCESS_SHARES))
    return Stream(
        name,
        0.0 if draw(st.integers(0, 30)) == 0 else scale.rate_bps * load,
        draw(frames(scale)),
        draw(arrivals(scale)),
        clock_ppm=clock_ppm,
        access_bps=scale.of_line(access_share),
        stop_s=later(start_s, draw(scale.perhaps(None, 20, 300))),
        **common,
    )


def later(start_s, time_s):
    """So long after the start, or never."""
    return None if time_s is None else start_s + time_s


#: Shares of the line that a stream offers, and packets of all streams.
OFFERED = (0.1, 0.5, 1.0, 1.3, 2.5)
PACKETS = (60, 200, 400)


@cache
@st.composite
def loads(draw, scale, marks=NAMES[:1], most=4):
    """Streams of some hundred packets in all, and how long they take."""
    count, packets = draw(choices(range(1, most + 1), PACKETS))
    shares = draw(choices(*[OFFERED] * count))
    made = tuple(
        draw(streams(scale, f"stream {i}", marks, share)) for i, share in enumerate(shares)
    )
    pps = sum(s.rate_bps / 8 / s.mean_frame_bytes for s in made)
    duration_s = min(packets / pps, 400 * scale.packet_s) if pps else 50 * scale.packet_s
    return made, max(duration_s, 1e-11)


@cache
def packet_limits(scale, most=20):
    return st.builds(p.PacketLimit, st.integers(1, most))


@cache
def byte_limits(scale):
    return st.integers(scale.largest, 20 * scale.largest).map(p.ByteLimit)


@cache
def joint_limits(scale):
    """Packets and bytes, each of which may be the one that is hit first; perhaps both resume."""
    sizes = st.integers(scale.largest, 12 * scale.largest)
    joint = st.builds(p.PacketLimit, st.integers(1, 20), sizes)
    return joint | resuming_limits(scale)


@cache
def resuming_limits(scale):
    """Limits in packets, in bytes or in both that resume further down."""
    share = st.sampled_from([0.0, 0.5, 0.9])
    packets = st.builds(
        lambda most, part, size, of_size: p.PacketLimit(
            most,
            size,
            None if size and of_size == 0.9 else int(most * part),
            int(size * of_size) if size and of_size else None,
        ),
        st.integers(1, 20),
        share,
        st.none() | st.integers(max(scale.largest, 2), 20 * scale.largest + 1),
        share,
    )
    size = st.integers(max(scale.largest, 2), 20 * scale.largest + 1)
    return packets | st.builds(lambda most, part: p.ByteLimit(most, int(most * part)), size, share)


@cache
def time_limits(scale, at):
    # Rounded down, the time may not hold the packet that it was made from.
    return scale.time(1.01, 20).map(lambda time_s: p.TimeLimit(time_s + 2e-12, at))


def line_limits(scale):
    return time_limits(scale, "line")


@cache
def limits(scale):
    return packet_limits(scale) | byte_limits(scale) | line_limits(scale)


@cache
def policers(scale, when=("always", "congested")):
    congestion = (*[None] * 6, *range(1, 7))
    return st.builds(
        lambda rate_bps, burst, rest: p.Policer(rate_bps, burst, *rest),
        scale.bps(),
        st.integers(scale.largest, 10 * scale.largest),
        choices(when, congestion, ("drains", "keeps"), (0, 0, 4)),
    )


ACTIONS = ("pass", "pass", "drop", *NAMES)
COLOURS = (None, None, "green", "yellow", "red")
PEAKS = st.sampled_from([1.0, 1.5, 3.0])


@cache
@st.composite
def colour_policers(draw, scale):
    """Policers that give colours and marks: one bucket, or two by each RFC, blind or aware."""
    burst = st.integers(scale.largest + 4, 10 * scale.largest + 4)
    committed_bps = draw(scale.bps())
    kind, overhead_bytes = draw(choices(range(4), (0, 0, 4)))
    excess = None
    if kind == 1:
        excess = p.ExcessBurst(draw(burst))
    elif kind == 2:
        excess = p.PeakRate(committed_bps * draw(PEAKS), draw(burst))
    elif kind == 3:
        excess = p.ExcessRate(draw(scale.bps()), draw(burst))
    conform, exceed, violate = draw(choices(ACTIONS, ACTIONS, ACTIONS))
    colours = zip(NAMES, draw(choices(*[COLOURS] * len(NAMES))), strict=True)
    return p.Policer(
        committed_bps,
        draw(burst),
        overhead_bytes=overhead_bytes,
        excess=excess,
        conform=conform,
        exceed=exceed,
        violate=violate,
        colours=tuple((name, colour) for name, colour in colours if colour),
    )


@cache
@st.composite
def marked_limits(draw, scale, limit):
    """Limits by mark, of the same kind as a queue's, mostly below it."""
    if getattr(limit, "at", "line") != "line":
        return ()
    same = {p.PacketLimit: packet_limits, p.ByteLimit: byte_limits}
    kind = same.get(type(limit), line_limits)
    marked = draw(some(by_mark(kind(scale)), 0, 3))
    return tuple(dict(marked).items())


@cache
def shapers(scale):
    return st.builds(p.Shaper, scale.bps(), st.integers(scale.largest, 10 * scale.largest))


AVERAGINGS = {
    "instantaneous": lambda scale: st.just(p.Instantaneous()),
    "ewma": lambda scale: st.builds(p.Ewma, st.integers(0, 6)),
    "truncating": lambda scale: st.builds(p.TruncatingEwma, st.integers(0, 4), st.booleans()),
    "asymmetric": lambda scale: st.builds(
        p.AsymmetricEwma,
        st.integers(0, 5),
        st.just(0.0) | scale.time(0.5, 10),
        st.none() | st.integers(0, 5),
    ),
    "sampled": lambda scale: st.builds(
        p.Sampled,
        st.integers(2, 12),
        scale.time(0.5, 10),
        st.integers(0, 1),
        st.just(0.0) | st.floats(0.01, 1),
        st.none() | st.integers(0, 5),
    ),
}


@cache
def averagings(scale, name):
    return AVERAGINGS[name](scale)


#: What makes thresholds in packets into others, of a scale.
IN_OTHER_UNITS = {
    "packets": lambda scale, low, high, chance: p.RedProfile(low, high, chance),
    "bytes": lambda scale, low, high, chance: p.ByteRedProfile(
        low * scale.largest, high * scale.largest, chance
    ),
    "time": lambda scale, low, high, chance: p.TimeRedProfile(
        low * scale.packet_s, high * scale.packet_s, scale.rate_bps / 2, chance
    ),
    "share": lambda scale, low, high, chance: p.ShareRedProfile(low / 20, high / 20, chance),
}


@cache
def thresholds(scale, unit="packets"):
    """Thresholds of RED or of marking; those of a step are equal."""
    return st.builds(
        lambda low, more, chance: IN_OTHER_UNITS[unit](scale, low, max(low + more, 1), chance),
        st.integers(0, 8) | st.floats(0, 8),
        st.integers(0, 10),
        st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    )


#: Units of thresholds, anywhere and where only packets count.
UNITS = (
    st.sampled_from(["packets", "packets", "bytes", "time", "share"]),
    st.just("packets"),
)


@cache
@st.composite
def reds(draw, scale, averaging):
    how = draw(averagings(scale, averaging))
    in_packets = averaging == "sampled" or getattr(how, "counts_ring", False)
    profiles = thresholds(scale, draw(UNITS[in_packets]))
    marked = draw(some(by_mark(profiles), 0, 2))
    return p.Red(draw(profiles), tuple(dict(marked).items()), how, draw(MARKING))


@cache
def markings(scale):
    """Thresholds of marking, in any unit."""
    return st.sampled_from(sorted(IN_OTHER_UNITS)).flatmap(lambda unit: thresholds(scale, unit))


@cache
@st.composite
def points(draw):
    """Of a drop profile."""
    fills = sorted(draw(st.sets(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=1)))
    chances = st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0])
    chances = sorted(draw(st.lists(chances, min_size=len(fills), max_size=len(fills))))
    return tuple(zip(fills, chances, strict=True))


@cache
@st.composite
def drop_profiles(draw):
    shape = draw(st.sampled_from(["segmented", "interpolated"]))
    if draw(st.booleans()):
        return p.DropProfile(draw(points()), shape)
    by_mark = tuple(draw(st.dictionaries(st.sampled_from(NAMES), points(), max_size=2)).items())
    return p.DropProfile(draw(points()), shape, "tail", draw(MARKING), by_mark)


@cache
def codels(scale):
    above = st.none() | st.just(0.0) | scale.time(0.5, 3)
    return st.builds(p.Codel, scale.time(0.5, 3), scale.time(1, 6), MARKING, above)


@cache
def pies(scale):
    hertz = st.sampled_from([0.005, 0.02, 0.2, 1.0]).map(lambda per: per / scale.packet_s)
    return st.builds(
        p.Pie,
        scale.time(0.5, 3),
        scale.time(0.5, 3),
        hertz,
        hertz,
        st.just(0.0) | scale.time(1, 8),
        MARKING,
    )


DROPPERS = {
    "tail": lambda scale: st.just(p.TailDrop()),
    "head": lambda scale: st.just(p.HeadDrop()),
    "profile": lambda scale: drop_profiles(),
    "codel": codels,
    "pie": pies,
    **{f"red, {name}": lambda scale, name=name: reds(scale, name) for name in AVERAGINGS},
}


@cache
def droppers(scale):
    return st.sampled_from(sorted(DROPPERS)).flatmap(lambda name: DROPPERS[name](scale))
