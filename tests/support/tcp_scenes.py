"""Random hosts, ports and streams for TCP."""

from functools import cache

from hypothesis import strategies as st

from qoslib import flows as f
from qoslib.port import (
    ByteLimit,
    Chain,
    Classifier,
    Codel,
    HeadDrop,
    HierarchicalTokenBucket,
    Hop,
    Instantaneous,
    MemoryPool,
    Node,
    PacketLimit,
    PeakRate,
    Pie,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    SchedulerTree,
    Shaper,
    Switch,
    TailDrop,
)
from qoslib.traffic import Cbr, Poisson, Stream

#: One packet's time on the port's line is 1.2 ms.
LINE_BPS, FRAME = 10e6, 1500
SCALABLE = st.one_of(
    st.builds(f.Dctcp, st.sampled_from([1 / 16, 0.5]), st.sampled_from([1.0, 0.0])),
    st.builds(
        f.Prague,
        st.sampled_from([1 / 16, 0.5]),
        st.sampled_from([0.025, 0.1, 0.0]),
        st.sampled_from([4, 0]),
    ),
)
LAWS = st.one_of(
    st.builds(f.Reno, st.sampled_from([0.5, 0.7])),
    st.builds(f.Cubic, st.sampled_from([0.4, 40.0]), st.just(0.7), st.booleans(), st.booleans()),
    st.builds(f.HTcp, st.sampled_from([0.0, 0.1, 1.0]), rtt_scaling=st.booleans()),
    st.builds(f.Bbr, rounds=st.sampled_from([2, 10]), probe_s=st.sampled_from([0.3, 10.0])),
    SCALABLE,
)
RECOVERIES = {
    "sack": st.builds(
        f.SackRecovery,
        st.sampled_from([1, 3]),
        st.sampled_from(["safe", "slow_start", "conservative"]),
        st.booleans(),
    ),
    "halving": st.builds(f.RateHalving, st.sampled_from([1, 3])),
    "newreno": st.builds(f.NewRenoRecovery, st.sampled_from([2, 3])),
    "timeout": st.just(f.TimeoutOnly()),
    "pathological": st.builds(f.PathologicalRecovery, st.integers(1, 6), st.integers(2, 30)),
}
STARTS = st.builds(
    f.SlowStart,
    st.sampled_from([1, 3, 10]),
    st.sampled_from(["bytes", "acks"]),
    st.sampled_from([None, None, 5, 20]),
    st.sampled_from(
        [
            None,
            f.HyStart(low_packets=4, samples=3),
            f.HyStart(train=False),
            f.HyStart(delay=False, low_packets=4, train_share=1.0),
        ]
    ),
    st.sampled_from(["round", "round", "ack"]),
)
AF12 = (("AF12", RedProfile(1, 4, 0.5)),)
DROPPERS = st.sampled_from(
    [
        TailDrop(),
        TailDrop(),
        HeadDrop(),
        Codel(5e-3, 30e-3, ecn=True),
        Codel(2e-3, 20e-3),
        Pie(5e-3, 5e-3, 0.5, 5.0, 10e-3, ecn=True),
        Red(RedProfile(2, 8, 0.2), AF12, Instantaneous(), ecn=True),
    ]
)
#: The step of DCTCP, and a slope.
MARKING = st.sampled_from([None, None, RedProfile(4, 4), RedProfile(1, 9, 0.3)])
#: What exceeds is another class, with a profile of its own.
REMARKING = st.sampled_from(
    [
        *[None] * 4,
        Policer(3e6, 10_000, exceed="AF12"),
        Policer(2e6, 9000, excess=PeakRate(6e6, 9000), conform="AF11", exceed="AF12"),
    ]
)


def able(*given, ecn, **fields):
    """A flow whose packets say what its congestion control needs."""
    _, _, law, *_ = given
    return f.Flow(*given, ecn=ecn if ecn in law.ecn else law.ecn[-1], **fields)


@cache
def flows_of(recovery, name, laws):
    return st.builds(
        able,
        st.just(name),
        st.sampled_from([0.02, 0.05, 0.083]),
        laws,
        RECOVERIES[recovery],
        STARTS,
        window_bytes=st.sampled_from([20_000, 60_000, 200_000]),
        mss_bytes=st.just(1448),
        frame_bytes=st.just(FRAME),
        start_s=st.sampled_from([0.0, 0.0123]),
        stop_s=st.sampled_from([None, None, 0.7]),
        transfer_bytes=st.sampled_from([None, None, None, 100_000]),
        ecn=st.sampled_from(["no", "classic", "l4s"]),
        segments_per_ack=st.sampled_from([1, 2, 3]),
        ack_delay_s=st.sampled_from([0.0, 0.005, 0.04]),
        minimum_timeout_s=st.sampled_from([0.05, 0.2]),
        lost_share=st.sampled_from([0.0, 0.0, 0.02]),
    )


PACINGS = st.sampled_from(
    [None, None, f.FqPacing(8e6), f.HtbPacing(12e6), f.HtbPacing(50e6, "legacy")]
)
QUEUES = st.sampled_from([None, None, f.NetemQueue(6, 0.01), f.NetemQueue(40)])


@st.composite
def hosts(draw, recovery, laws=LAWS):
    names = ("a", "b")[: draw(st.integers(1, 2))]
    flows = tuple(draw(flows_of(recovery, name, laws)) for name in names)
    access_bps = draw(st.sampled_from([10e6, 100e6, 1e9 / 3]))
    return f.Host(
        "host",
        access_bps,
        flows,
        draw(st.sampled_from([1, 1, 4])),
        draw(QUEUES),
        draw(PACINGS),
        draw(st.sampled_from([0.0, 0.0013])),
    )


@st.composite
def marking_ports(draw):
    """Ports that lose little and mark much."""
    marking = draw(st.sampled_from([RedProfile(4, 4), RedProfile(1, 9, 0.3), RedProfile(0, 30)]))
    queue = Queue("all", PacketLimit(60), marking=marking)
    return Port("line", LINE_BPS, (queue,), transmit_ring_packets=draw(st.sampled_from([0, 4])))


@st.composite
def ports(draw):
    limit = draw(st.sampled_from([PacketLimit(3), PacketLimit(20), ByteLimit(40_000)]))
    when = draw(st.sampled_from([None, None, None, "always", "congested"]))
    policer = Policer(5e6, 10_000, when) if when else draw(REMARKING)
    shaper = draw(st.sampled_from([None, None, Shaper(6e6, 3000)]))
    dropper = draw(DROPPERS)
    marking = None if isinstance(dropper, Codel) else draw(MARKING)
    queue = Queue("all", limit, dropper, policer=policer, shaper=shaper, marking=marking)
    ring = draw(st.sampled_from([0, 0, 0, 4, 300]))
    overhead = draw(st.sampled_from([0, 38]))
    return Port("line", LINE_BPS, (queue,), overhead_bytes=overhead, transmit_ring_packets=ring)


STREAMS = st.sampled_from(
    [
        (),
        (Stream("udp", 2e6, FRAME, Poisson()),),
        (Stream("udp", 3e6, FRAME, Cbr(), jitter_s=1e-3),),
    ]
)


@st.composite
def trees(draw):
    """A port whose flow `a` has a queue of its own, below a node that lends."""
    port, other = draw(ports()), draw(ports())
    rates = st.sampled_from([1e6, 4e6, 8e6])
    queues = [
        at.queues[0].replace(
            name=name,
            guaranteed_bps=draw(rates),
            guaranteed_burst_bytes=6000,
            quantum_bytes=draw(st.sampled_from([1500, 4000])),
            priority=draw(st.integers(0, 1)),
        )
        for name, at in (("a", port), ("rest", other))
    ]
    shaper = draw(st.sampled_from([None, Shaper(7e6, 4000)]))
    nodes = (Node("root", ("a", "rest"), draw(rates), shaper, guaranteed_burst_bytes=6000),)
    kind = draw(st.sampled_from([SchedulerTree, HierarchicalTokenBucket]))
    return port.replace(
        queues=tuple(queues),
        scheduler=kind(nodes),
        classifier=Classifier((("a", "a"),), "rest"),
    )


@st.composite
def networks(draw, senders):
    """A chain or a switch of two or three hops, a host and streams beside it."""
    host, streams = draw(senders), draw(STREAMS)
    names = [each.name for each in (*host.flows, *streams)]
    count = draw(st.integers(2, 3))
    rates = st.sampled_from([LINE_BPS, LINE_BPS, 6e6])
    made = [draw(st.one_of(ports(), ports(), trees())) for _ in range(count)]
    hops = [
        at.replace(
            name=f"hop {i}",
            rate_bps=draw(rates),
            base_delay_s=draw(st.sampled_from([0.0, 0.003])) if i + 1 < count else 0.0,
        )
        for i, at in enumerate(made)
    ]
    if len(names) >= count and draw(st.booleans()):
        of = [*range(count), *(draw(st.integers(0, count - 1)) for _ in names[count:])]
        by = [tuple(n for n, k in zip(names, of, strict=True) if k == i) for i in range(count)]
        network = Switch("switch", tuple(map(Hop, pooled(hops), by)))
    else:
        some = st.sets(st.sampled_from(names), min_size=1)
        by = [(), *(tuple(sorted(draw(some))) for _ in hops[1:])]
        network = Chain(
            "chain", tuple(map(Hop, draw(st.permutations(hops)), draw(st.permutations(by))))
        )
    return network, host, streams


def pooled(ports):
    """The ports, whose queues share a memory."""
    memory = MemoryPool("memory", 60_000)
    for port in ports:
        queues = tuple(queue.replace(pool="memory", alpha=1.0) for queue in port.queues)
        yield port.replace(queues=queues, pools=(memory,))
