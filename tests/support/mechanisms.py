"""Scenes for each mechanism: hypothesis strategies by name."""

from dataclasses import replace
from functools import cache
from itertools import product

from hypothesis import strategies as st

from qoslib import port as p
from scenes import (
    DROPPERS,
    NAMES,
    SCALES,
    Scale,
    Scene,
    byte_limits,
    choices,
    colour_policers,
    droppers,
    joint_limits,
    limits,
    loads,
    marked_limits,
    markings,
    packet_limits,
    policers,
    shapers,
    time_limits,
)
from twin.traffic import sizes_of

TAIL = p.TailDrop()
#: Of which one has no queue of its own.
ALL_MARKS = (*NAMES, "silver")
ALPHAS = st.sampled_from([None, 0.125, 0.5, 1.0, 2.0, 8.0]) | st.floats(0.01, 20)
WARM_SHARES = st.sampled_from([0.0, 0.0, 0.3])
WEIGHTS = (1.0, 1.0, 2.0, 0.1, 3.7, 0.0)
#: Packets in a turn.
TURNS = st.sampled_from([1, 1, 2, 3, 25])
NODE_WEIGHTS = st.sampled_from([1.0, 1.0, 2.0, 0.1, 3.7])


@st.composite
def ending(draw, where, streams, duration_s):
    """The rest of a scene: its seed, and perhaps a warm-up."""
    warm_share = draw(WARM_SHARES)
    warmup_s = warm_share * duration_s if duration_s > 1e-9 else 0.0
    return Scene(where, streams, duration_s, draw(st.integers(0, 2**32)), warmup_s)


@st.composite
def one_queue(draw, limit=limits, dropper=DROPPERS["tail"], queue=None, port=None):
    """One queue, with what is said of it; a value is a strategy made from the scale."""
    scale = draw(SCALES)
    fields = {name: draw(make(scale)) for name, make in (queue or {}).items()}
    made = p.Queue("red", draw(limit(scale)), draw(dropper(scale)), **fields)
    more = {name: draw(make(scale)) for name, make in (port or {}).items()}
    if not isinstance(made.dropper, p.Codel) and draw(st.integers(0, 3)) == 0:
        made = made.replace(marking=draw(markings(scale)))
    where = p.Port("port", scale.rate_bps, (made,), p.Fifo(), scale.overhead, **more)
    by_mark = isinstance(made.dropper, p.Red | p.DropProfile)
    marks = NAMES if by_mark else NAMES[:1]
    return draw(ending(where, *draw(loads(scale, marks))))


@st.composite
def guaranteed(draw, at):
    """A limit by time at the guaranteed or served rate."""
    scale = draw(SCALES)
    share = draw(st.sampled_from([0.1, 0.5, 1.0]))
    limit = draw(time_limits(scale, at))
    limit = limit.replace(time_s=limit.time_s / share + 1e-11)
    queue = p.Queue(
        "red",
        limit,
        draw(st.sampled_from([TAIL, p.HeadDrop(), p.DropProfile(((0.5, 0.2),), "interpolated")])),
        guaranteed_bps=scale.rate_bps * share,
        shaper=draw(perhaps(shapers, scale)),
    )
    ring = draw(st.sampled_from([0, 0, 40]))
    where = p.Port(
        "port", scale.rate_bps, (queue,), p.Fifo(), scale.overhead, transmit_ring_packets=ring
    )
    return draw(ending(where, *draw(loads(scale))))


@cache
def roomy(scale):
    """Room enough for early droppers to act, mostly."""
    return packet_limits(scale, 60) | limits(scale)


@cache
def perhaps(make, scale):
    """None, or what is made of the scale."""
    return st.none() | make(scale)


@cache
def seldom(make, scale):
    """Mostly None; a value is what is made of the scale."""
    return st.none() | st.none() | make(scale)


@cache
def any_policers(scale):
    return policers(scale) | colour_policers(scale)


@cache
def guarantees(scale):
    return st.just(0.0) | scale.bps()


@cache
def quanta(scale):
    return st.integers(max(scale.largest // 4, 1), 3 * scale.largest)


@st.composite
def ports(draw, scale, schedulers, plain=True, port=None):
    """Several queues under one of some schedulers, perhaps with everything else as well."""
    names = NAMES[: draw(st.integers(1, 4))]
    pools = () if plain else draw(st.sampled_from([(), ("memory",)]))
    queues = tuple(draw(any_queue(scale, name, pools, plain)) for name in names)
    scheduler = draw(schedulers(names))
    if isinstance(scheduler, p.WeightedRoundRobin):
        queues = tuple(queue.replace(weight=draw(TURNS)) for queue in queues)
    if isinstance(scheduler, p.CakeTins):
        ranks = draw(st.permutations(range(len(queues))))
        queues = tuple(
            queue.replace(priority=rank, guaranteed_bps=draw(scale.bps()))
            for queue, rank in zip(queues, ranks, strict=True)
        )
    more = {name: draw(make(scale)) for name, make in (port or {}).items()}
    if pools:
        more["pools"] = (draw(memories(scale, queues)),)
    return p.Port(
        "port",
        scale.rate_bps,
        queues,
        scheduler,
        scale.overhead,
        classifier=p.Classifier(tuple((n, n) for n in names), names[-1]),
        **more,
    )


@st.composite
def memories(draw, scale, queues):
    """A pool with room for what these queues have reserved, and for a frame or more besides."""
    cell, header = draw(st.sampled_from([(1, 0), (1, 0), (64, 0), (208, 16)]))
    frame = p.MemoryPool("memory", 2**40, cell, header).taken_bytes(scale.largest)
    room = draw(st.integers(frame, 15 * frame))
    reserved = sum(queue.reserved_bytes for queue in queues)
    resume = draw(st.none() | st.integers(0, max(room - 1, 0)))
    return p.MemoryPool("memory", room + reserved, cell, header, resume)


@st.composite
def many_queues(draw, schedulers, plain=True, port=None):
    scale = draw(SCALES)
    where = draw(ports(scale, schedulers, plain, port))
    return draw(ending(where, *draw(loads(scale, ALL_MARKS))))


@st.composite
def pooled(draw):
    """Queues that share a memory and little else."""
    scale = draw(SCALES)
    names = NAMES[: draw(st.integers(1, 4))]
    queues = tuple(
        draw(shared(scale, p.Queue(name, p.PacketLimit(200), pool="memory"))) for name in names
    )
    where = p.Port(
        "port",
        scale.rate_bps,
        queues,
        p.StartTimeFairQueueing(),
        scale.overhead,
        classifier=p.Classifier(tuple((n, n) for n in names), names[-1]),
        pools=(draw(memories(scale, queues)),),
    )
    return draw(ending(where, *draw(loads(scale, ALL_MARKS))))


@cache
@st.composite
def any_queue(draw, scale, name, pools, plain):
    priority, weight, marked, joint = draw(choices(range(3), WEIGHTS, range(3), range(4)))
    queue = p.Queue(
        name,
        draw(packet_limits(scale) if plain else limits(scale)),
        TAIL if plain else draw(droppers(scale)),
        priority=priority,
        guaranteed_bps=draw(guarantees(scale)),
        weight=weight,
        quantum_bytes=draw(quanta(scale)),
        shaper=draw(seldom(shapers, scale)),
    )
    if plain:
        return queue
    if marked == 0:
        queue = queue.replace(limits=draw(marked_limits(scale, queue.limit)))
    policer = draw(seldom(any_policers, scale))
    queue = queue.replace(policer=policer)
    if not queue.dropper.drops_head and not queue.limits and joint == 0:
        queue = queue.replace(limit=draw(joint_limits(scale)))
    pool = draw(st.sampled_from(["", *pools]))
    return draw(shared(scale, queue.replace(pool=pool))) if pool else queue


@st.composite
def shared(draw, scale, queue):
    """The queue with a dynamic threshold, a part of its own, both or neither."""
    reserved = st.sampled_from([0, 0, scale.largest, 3 * scale.largest + 1])
    return queue.replace(alpha=draw(ALPHAS), reserved_bytes=draw(reserved))


@st.composite
def coloured(draw):
    """Colours, marks and what goes by them: RED profiles and limits of one queue."""
    scale = draw(SCALES)
    dropper = draw(st.sampled_from(["tail", "head", "profile", "red, ewma"]))
    limit = draw(limits(scale))
    queue = p.Queue(
        "red",
        limit,
        draw(DROPPERS[dropper](scale)),
        draw(colour_policers(scale)),
        limits=draw(marked_limits(scale, limit)),
    )
    where = p.Port("port", scale.rate_bps, (queue,), p.Fifo(), scale.overhead)
    return draw(ending(where, *draw(loads(scale, ALL_MARKS))))


@cache
def mdrr(names):
    either = (False, True)
    return st.sampled_from([p.ModifiedDrr(*of) for of in product(("", *names), either, either)])


def always(scheduler):
    return lambda names: st.just(scheduler)


@cache
def any_scheduler(names):
    plain = [
        p.StrictPriority(),
        p.WeightedRoundRobin(),
        p.PriorityLevels(),
        p.StartTimeFairQueueing(),
        p.DeficitRoundRobin(),
        p.CakeTins(),
    ]
    return st.sampled_from(plain) | mdrr(names)


@cache
def pauses(scale):
    return st.builds(
        lambda low, more, quanta, obeyed: p.Pause(low + more, low, quanta, obeyed),
        st.integers(0, 5),
        st.integers(1, 8),
        st.sampled_from([1, 10, 100, 65_535]),
        st.booleans(),
    )


@cache
def rings(scale):
    return st.integers(0, 6)


@st.composite
def nodes(draw, scale, names, lends):
    """Nodes of any depth above queues of these names, up to one root."""
    made, tops = [], list(names)
    while not made or len(tops) > 1 or draw(st.integers(0, 3)) == 0:
        children = draw(st.permutations(tops))[: draw(st.integers(1, len(tops)))]
        node = p.Node(
            f"node {len(made)}",
            tuple(children),
            draw(guarantees(scale)),
            draw(perhaps(shapers, scale)),
            draw(NODE_WEIGHTS),
            draw(saved_bytes(scale, lends)),
        )
        made.append(node)
        tops = [name for name in tops if name not in children] + [node.name]
        if len(made) > 5 and len(children) < 2:
            break
    if lends or len(tops) > 1:
        # Somebody has to have a rate to lend.
        made.append(p.Node("root", tuple(tops), draw(scale.bps())))
    return tuple(draw(st.permutations(made)))


@cache
def saved_bytes(scale, lends):
    """A burst of the guaranteed rate; HTB's may be shorter than a packet."""
    least = 1 if lends else int(scale.largest + scale.overhead) + 1
    return st.just(0) | st.integers(least, 12 * least + 10 * scale.largest)


@cache
@st.composite
def with_tree(draw, scale, where, lends):
    """The port with a tree of schedulers above its queues."""
    queues = tuple(
        queue.replace(
            guaranteed_burst_bytes=draw(saved_bytes(scale, lends)),
            excess_priority=draw(st.none() | st.integers(0, 2)),
        )
        for queue in where.queues
    )
    made = draw(nodes(scale, where.queue_names, lends))
    levels = draw(st.integers(0, 2))
    scheduler = p.HierarchicalTokenBucket(made)
    if not lends:
        scheduler = p.SchedulerTree(made, levels, draw(st.integers(0, levels)))
    return where.replace(queues=queues, scheduler=scheduler)


@st.composite
def treed(draw, lends):
    """A port with a tree of schedulers, perhaps with everything else as well."""
    scale = draw(SCALES)
    plain = draw(st.booleans())
    flat = always(p.StrictPriority())
    where = draw(ports(scale, flat, plain, EXTRAS | {"pause": maybe_pause}))
    where = draw(with_tree(scale, where, lends))
    return draw(ending(where, *draw(loads(scale, ALL_MARKS, most=5))))


EXTRAS = {
    "transmit_ring_packets": rings,
    "shaper": lambda scale: seldom(shapers, scale),
    "base_delay_s": lambda scale: st.sampled_from([0.0, scale.packet_s]),
}


@cache
@st.composite
def forwarders(draw, scale, name="engine", limit=limits):
    each_s, byte_s = draw(
        st.sampled_from([(1, 0), (0, 1 / scale.largest), (0.3, 1 / scale.largest)])
    )
    no_time = st.one_of(packet_limits(scale), byte_limits(scale))
    queue = p.Queue("in", draw(no_time), draw(droppers(scale)))
    return p.Forwarder(name, queue, each_s * scale.packet_s, byte_s * scale.packet_s)


@st.composite
def forwarded(draw):
    scale = draw(SCALES)
    return draw(ending(draw(forwarders(scale)), *draw(loads(scale, NAMES))))


@st.composite
def paused(draw):
    """A pausing port or forwarder, whose senders have links of their own."""
    scene = draw(many_queues(any_scheduler, port={"pause": pauses} | EXTRAS))
    if draw(st.booleans()):
        return scene
    where = p.Forwarder("engine", scene.where.queues[0].replace(name="in"), 1e-3, 0.0, 0.0)
    rate_bps = scene.where.rate_bps
    where = where.replace(packet_s=8 * 500 / rate_bps, pause=scene.where.pause)
    streams = tuple(s.replace(access_bps=s.access_bps or rate_bps) for s in scene.streams)
    return Scene(where, streams, scene.duration_s, scene.seed, scene.warmup_s)


@cache
@st.composite
def pausing(draw, scale, queue):
    """The queue, which mostly pauses its own senders, with or without enough headroom."""
    if draw(st.integers(0, 3)) == 0:
        return queue
    most = draw(st.integers(max(scale.largest, 2), 12 * scale.largest + 1))
    headroom = draw(st.integers(1, most - 1))
    resume = draw(st.integers(0, most - headroom))
    response_s = draw(st.just(0.0) | scale.time(0.1, 8))
    pause = p.PriorityPause(headroom, resume, response_s)
    return queue.replace(limit=p.ByteLimit(most), pause=pause)


@st.composite
def paused_by_priority(draw):
    """Queues that pause their own senders after a while, beside others that do not."""
    scale = draw(SCALES)
    where = draw(ports(scale, any_scheduler, port=EXTRAS))
    queues = tuple(draw(pausing(scale, queue)) for queue in where.queues)
    streams, duration_s = draw(loads(scale, ALL_MARKS))
    links = st.sampled_from([None, scale.rate_bps, 2 * scale.rate_bps, scale.rate_bps / 3])
    streams = tuple(stream.replace(access_bps=draw(links)) for stream in streams)
    return draw(ending(where.replace(queues=queues), streams, duration_s))


@st.composite
def chains(draw):
    """Two or three hops; streams join and leave, and perhaps the first hop pauses."""
    scale = draw(SCALES)
    port, other = (
        draw(ports(scale, any_scheduler, plain=False, port=EXTRAS)).replace(name=name)
        for name in ("first", "second")
    )
    engine = draw(forwarders(scale))
    streams, duration_s = draw(loads(scale, ALL_MARKS))
    names = [stream.name for stream in streams]
    some = tuple(draw(st.sets(st.sampled_from(names), min_size=1)))
    hops = draw(
        st.sampled_from(
            [
                (p.Hop(port), p.Hop(engine, some)),
                (p.Hop(engine, some), p.Hop(port)),
                (p.Hop(port, some), p.Hop(engine), p.Hop(other, some)),
            ]
        )
    )
    return draw(ending(p.Chain("chain", hops), streams, duration_s))


@st.composite
def switches(draw):
    """One to four ports with streams of their own and, mostly, a memory for all of them."""
    scale = draw(SCALES)
    streams, duration_s = draw(loads(scale, ALL_MARKS, most=6))
    count = draw(st.integers(1, min(len(streams), 4)))
    extras = EXTRAS | {"pause": maybe_pause}
    made = [draw(ports(scale, any_scheduler, plain=False, port=extras)) for _ in range(count)]
    if draw(st.booleans()):
        kinds = st.sampled_from([None, False, True])
        made = [
            port if lends is None else draw(with_tree(scale, port, lends))
            for port, lends in ((port, draw(kinds)) for port in made)
        ]
    queues = [queue for port in made for queue in port.queues]
    pools = (draw(memories(scale, queues)),)
    # Each port has at least one, and the rest go anywhere.
    chosen = [*range(count), *(draw(st.integers(0, count - 1)) for _ in streams[count:])]
    hops = []
    for number, port in enumerate(made):
        at = port.replace(name=f"port {number}", pools=pools)
        mine = tuple(s.name for s, n in zip(streams, chosen, strict=True) if n == number)
        hops.append(p.Hop(at, mine))
    return draw(ending(p.Switch("switch", tuple(hops)), streams, duration_s))


@cache
def maybe_pause(scale):
    return seldom(pauses, scale)


@cache
@st.composite
def flow_queues(draw, scale):
    """Flow queues: few, so that flows meet, and with quanta around a packet."""
    queues, ways = draw(st.sampled_from([(1, 1), (2, 1), (3, 1), (8, 1), (8, 2), (8, 8), (64, 4)]))
    overflow, sparse, isolation, drop_at, renews = draw(
        choices(
            ("arriving", "longest", "fattest"),
            (True, False),
            ("flows", "flows", "source", "destination", "hosts"),
            ("head", "tail"),
            (False, False, True),
        )
    )
    flow_limit = packet_limits(scale, 9) | byte_limits(scale)
    return p.FlowQueues(
        queues,
        draw(st.integers(64, 64 + 2 * scale.largest)),
        sparse,
        overflow,
        drop_at,
        draw(st.integers(1, 5)),
        draw(st.none() | st.none() | flow_limit),
        ways,
        isolation,
        renews,
        draw(st.none() | st.none() | scale.time(3, 30)),
    )


@st.composite
def keeping_flows(draw, scenes):
    """Some queues keep flows apart, and streams are made of several flows."""
    scene = draw(scenes)
    scale = Scale(scene.where.rate_bps, 1000, scene.where.overhead_bytes)
    scale = replace(scale, largest=max(size for s in scene.streams for size in sizes_of(s)))
    queues = []
    for queue in scene.where.queues:
        fitting = isinstance(queue.limit, p.PacketLimit | p.ByteLimit) and not queue.resumes
        if fitting and draw(st.integers(0, 3)):
            dropper = draw(st.just(TAIL) | DROPPERS["codel"](scale))
            queue = queue.replace(
                dropper=dropper, flows=draw(flow_queues(scale)), marking=None, alpha=None, limits=()
            )
        queues.append(queue)
    streams = []
    for stream in scene.streams:
        flows, source, destination = draw(choices((1, 1, 2, 5), ("", "a", "b"), ("", "x", "y")))
        flow_s = draw(st.none() | scale.time(5, 50))
        more = {"flows": flows, "flow_s": flow_s, "source": source, "destination": destination}
        streams.append(stream.replace(**more))
    where = scene.where.replace(queues=tuple(queues), pause=None)
    return replace(scene, where=where, streams=tuple(streams))


FLOW_SCENES = {
    "one queue": one_queue(lambda scale: packet_limits(scale, 40) | byte_limits(scale)),
    "several queues": many_queues(any_scheduler, port=EXTRAS),
    "mixture": many_queues(any_scheduler, plain=False, port=EXTRAS),
    "SchedulerTree": treed(lends=False),
    "HierarchicalTokenBucket": treed(lends=True),
}


MECHANISMS = {
    "limit in packets": one_queue(packet_limits),
    "limit in bytes": one_queue(byte_limits),
    "limits in packets and bytes, resume thresholds": one_queue(joint_limits),
    "limit in time, line": one_queue(lambda scale: time_limits(scale, "line")),
    "limit in time, guaranteed": guaranteed("guaranteed"),
    "limit in time, served": guaranteed("served"),
    **{f"dropper: {name}": one_queue(roomy, make) for name, make in DROPPERS.items()},
    "policer": one_queue(queue={"policer": lambda scale: policers(scale, ("always",))}),
    "policer, conditional": one_queue(
        queue={"policer": lambda scale: policers(scale, ("congested",))},
        port={"transmit_ring_packets": rings},
    ),
    "policer with colours": coloured(),
    "shaper of a queue": one_queue(queue={"shaper": shapers}),
    "shaper of a port": one_queue(port={"shaper": shapers}),
    "transmit ring": one_queue(
        dropper=lambda scale: droppers(scale), port={"transmit_ring_packets": rings}
    ),
    "strict priority": many_queues(always(p.StrictPriority())),
    "weighted round robin": many_queues(always(p.WeightedRoundRobin())),
    "priority levels": many_queues(always(p.PriorityLevels())),
    "start-time fair queueing": many_queues(always(p.StartTimeFairQueueing())),
    "tins of CAKE": many_queues(always(p.CakeTins())),
    "deficit round robin": many_queues(always(p.DeficitRoundRobin())),
    "modified deficit round robin": many_queues(mdrr),
    "tree of schedulers: SchedulerTree": treed(lends=False),
    "tree of schedulers: HierarchicalTokenBucket": treed(lends=True),
    "forwarder": forwarded(),
    "pause": paused(),
    "priority pause": paused_by_priority(),
    "shared memory": pooled(),
    "memory pool and mixture": many_queues(any_scheduler, plain=False, port=EXTRAS),
    "chain": chains(),
    "switch": switches(),
    **{f"flow queues: {name}": keeping_flows(of) for name, of in FLOW_SCENES.items()},
}
