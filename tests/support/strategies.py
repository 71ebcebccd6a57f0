"""Hypothesis strategies: random small ports over every mechanism, and random streams."""

from functools import cache

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
)

#: Names of queues, and marks of streams; a mark without a queue goes to the port's default.
NAMES = ("red", "green", "blue", "gold")

RATES_BPS = st.floats(1e5, 1e9)
SECONDS = st.floats(1e-5, 0.1)
FRAMES = st.integers(64, 9000)
EXPONENTS = st.integers(0, 12)

LIMITS = st.one_of(
    st.builds(p.PacketLimit, st.integers(1, 50)),
    st.builds(p.ByteLimit, st.integers(9000, 200_000)),
    st.builds(p.TimeLimit, SECONDS, st.sampled_from(["guaranteed", "line", "served"])),
)
POLICERS = st.builds(
    p.Policer,
    RATES_BPS,
    st.integers(9000, 100_000),
    st.sampled_from(["always", "congested"]),
    st.none() | st.integers(1, 10),
    st.sampled_from(["drains", "keeps"]),
    st.integers(0, 40),
)
SHAPERS = st.builds(p.Shaper, RATES_BPS, st.integers(9000, 100_000))
PAUSES = st.integers(2, 40).flatmap(
    lambda high: st.builds(
        p.Pause, st.just(high), st.integers(0, high - 1), st.integers(1, 65_535), st.booleans()
    )
)
MAYBE_SHAPERS = st.none() | SHAPERS
MAYBE_PAUSES = st.none() | PAUSES

AVERAGINGS = st.one_of(
    st.just(p.Instantaneous()),
    st.builds(p.Ewma, EXPONENTS),
    st.builds(p.TruncatingEwma, EXPONENTS, st.booleans()),
    st.builds(
        p.AsymmetricEwma,
        EXPONENTS,
        st.sampled_from([0.0, 1e-4]),
        st.none() | st.integers(0, 3),
    ),
    st.builds(
        p.Sampled,
        st.integers(2, 40),
        SECONDS,
        st.just(1),
        st.floats(0, 1),
        st.none() | st.integers(0, 3),
    ),
)
RED_PROFILES = st.integers(1, 40).flatmap(
    lambda high: st.builds(p.RedProfile, st.integers(0, high - 1), st.just(high), st.floats(0, 1))
)
REDS = st.builds(
    p.Red,
    RED_PROFILES,
    st.dictionaries(st.sampled_from(NAMES), RED_PROFILES, max_size=2).map(
        lambda profiles: tuple(profiles.items())
    ),
    AVERAGINGS,
    st.booleans(),
)


@st.composite
def drop_profiles(draw):
    """A Junos drop profile: fill levels that rise, probabilities that do not fall."""
    fills = sorted(draw(st.sets(st.floats(0.01, 1), min_size=1, max_size=3)))
    chances = sorted(draw(st.lists(st.floats(0, 1), min_size=len(fills), max_size=len(fills))))
    shape = draw(st.sampled_from(["segmented", "interpolated"]))
    points = tuple(zip(fills, chances, strict=True))
    return p.DropProfile(points, shape, draw(st.sampled_from(["head", "tail"])))


SIMPLE_DROPPERS = st.one_of(st.just(p.TailDrop()), st.just(p.HeadDrop()), drop_profiles())
DROPPERS = st.one_of(
    SIMPLE_DROPPERS,
    REDS,
    st.builds(p.Codel, ecn=st.booleans()),
    st.builds(p.Pie, ecn=st.booleans()),
)


@cache
def schedulers(names):
    """Every scheduler that can serve these queues."""
    several = [
        st.just(p.StrictPriority()),
        st.just(p.PriorityLevels()),
        st.just(p.DeficitRoundRobin()),
        st.builds(p.ModifiedDrr, st.sampled_from(["", *names]), st.booleans(), st.booleans()),
    ]
    return st.one_of(st.just(p.Fifo()), *several) if len(names) == 1 else st.one_of(several)


@cache
def queues(name, droppers=DROPPERS, pools=("",)):
    """A queue of this name with any limit, dropper, policer and shaper."""
    return st.builds(
        p.Queue,
        st.just(name),
        LIMITS,
        droppers,
        st.none() | POLICERS,
        MAYBE_SHAPERS,
        st.sampled_from(pools),
        st.integers(0, 2),
        RATES_BPS,
        st.floats(0.1, 10),
        st.integers(500, 20_000),
    )


@cache
@st.composite
def ports(draw, droppers=DROPPERS, shared=True):
    """A small port; with `shared`, pools, a transmit ring and PAUSE as well."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    pools = draw(st.sampled_from([(), (p.MemoryPool("memory", 60_000),)])) if shared else ()
    choices = ("", *(pool.name for pool in pools))
    return p.Port(
        "port",
        draw(RATES_BPS),
        tuple(draw(queues(name, droppers, choices)) for name in names),
        draw(schedulers(names)),
        overhead_bytes=draw(st.sampled_from([0.0, 9.1, 38.0])),
        classifier=p.Classifier(tuple((n, n) for n in names), draw(st.sampled_from(names))),
        pools=pools,
        transmit_ring_packets=draw(st.integers(0, 5)) if shared else 0,
        shaper=draw(MAYBE_SHAPERS),
        base_delay_s=draw(st.sampled_from([0.0, 1e-5])),
        pause=draw(MAYBE_PAUSES) if shared else None,
    )


ARRIVALS = st.one_of(
    st.builds(Cbr, SECONDS),
    st.just(Poisson()),
    st.builds(TickedBursts, SECONDS, SECONDS),
    st.builds(OnOff, SECONDS, SECONDS, st.sampled_from(["constant", "exponential"]), SECONDS),
    st.lists(st.floats(0, 0.999), min_size=1, max_size=4).map(
        lambda shares: Repeated(tuple(sorted(shares)))
    ),
)
MIXES = st.builds(
    lambda sizes, share: FrameMix(sizes, (share, 1 - share)),
    st.tuples(FRAMES, FRAMES),
    st.floats(0, 1),
)
TRACES = st.lists(st.tuples(SECONDS, FRAMES), max_size=5).map(
    lambda rows: Trace(sorted(time for time, _ in rows), [size for _, size in rows])
)
MAYBE_TRACES = st.none() | TRACES
ANY_FRAMES = FRAMES | MIXES
STOPS_S = st.none() | st.floats(0.02, 1)
ACCESS_BPS = st.none() | st.floats(1e9, 1e10)


@cache
@st.composite
def streams(draw, name, recorded=True):
    """A stream of this name; with `recorded`, perhaps a trace."""
    trace = draw(MAYBE_TRACES) if recorded else None
    return Stream(
        name,
        0.0 if trace else draw(RATES_BPS),
        draw(ANY_FRAMES),
        trace or draw(ARRIVALS),
        draw(st.sampled_from(["", "silver", *NAMES])),
        draw(st.floats(-100, 100)),
        draw(st.sampled_from([0.0, 1e-6])),
        draw(st.sampled_from([0.0, 0.01])),
        draw(STOPS_S),
        draw(ACCESS_BPS),
        draw(st.booleans()),
    )


@cache
def stream_sets(recorded=True):
    """One to four streams, each with a name of its own."""
    return st.integers(1, 4).flatmap(
        lambda n: st.tuples(*(streams(f"stream {i}", recorded) for i in range(n)))
    )


FORWARDERS = st.builds(
    p.Forwarder,
    st.just("forwarder"),
    queues("in"),
    SECONDS,
    st.just(1e-9),
    SECONDS,
    MAYBE_PAUSES,
)
CHAINS = st.builds(
    lambda first, second: p.Chain("chain", (p.Hop(first), p.Hop(second, ("stream 0",)))),
    FORWARDERS,
    ports(),
)


@st.composite
def switches(draw, names):
    """Ports side by side, some of them behind one memory, and which streams leave by each."""
    count = draw(st.integers(1, 3))
    leaves = [draw(st.integers(0, count - 1)) for _ in names]
    hops = []
    for number in range(count):
        mine = tuple(name for name, by in zip(names, leaves, strict=True) if by == number)
        if mine:
            hops.append(p.Hop(draw(ports()).replace(name=f"port {number}"), mine))
    return p.Switch("switch", tuple(hops))
