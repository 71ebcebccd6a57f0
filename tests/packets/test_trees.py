"""Trees of schedulers: published tables, what vendors say of the excess, and laws of any tree."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from qoslib.fluid import solve
from qoslib.packets import simulate
from qoslib.platforms.trees import htb, ios, ios_xe, ios_xe_tree, junos
from qoslib.port import (
    Fifo,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Port,
    Queue,
    SchedulerTree,
    Shaper,
)
from qoslib.record import from_json
from qoslib.traffic import Cbr, Poisson, Stream
from soak import many

M = 1e6
LIMIT = PacketLimit(100)
SATURATED = 200
FRAME = 1500


def queue(name, **fields):
    return Queue(name, LIMIT, **fields)


def offered(**mbps):
    return [
        Stream(name, rate * M, FRAME, Cbr(i * 1e-6))
        for i, (name, rate) in enumerate(mbps.items())
        if rate
    ]


def port_of(made, nodes, line_mbps, strict_levels=1):
    return Port("port", line_mbps * M, tuple(made), SchedulerTree(tuple(nodes), strict_levels))


def three_parameters(video=30, bulk=10, **ratios):
    """IOS XE: priority V, A and B with `bandwidth`, D the default class; line 100."""
    made = [
        ios_xe(queue("V"), priority_level=1),
        ios_xe(queue("A"), bandwidth_bps=video * M, remaining_ratio=ratios.get("A", 1)),
        ios_xe(queue("B"), bandwidth_bps=bulk * M),
        ios_xe(queue("D")),
    ]
    scheduler = ios_xe_tree(made, [ios_xe(Node("port", ("V", "A", "B", "D")))])
    return Port("port", 100 * M, tuple(made), scheduler)


def two_parameters():
    """Classic IOS: the same, and what is unreserved is the default's."""
    made = [ios(queue("V"), priority=True)]
    rates = {"A": 30, "B": 10, "D": 50}
    made += [ios(queue(name), bandwidth_bps=rate * M) for name, rate in rates.items()]
    return port_of(made, [ios(Node("port", ("V", "A", "B", "D")))], 100)


def two_sites(first_mbps, second_mbps, ratio, *more):
    """Two shaped sites, each with voice and data, on a line of 100."""
    made = [ios_xe(queue(name), priority_level=1) for name in ("v1", "v2")]
    made += more or [ios_xe(queue("d2"))]
    below = ("v2", *(each.name for each in made[2:]))
    nodes = [
        ios_xe(Node("site 1", ("v1", "d1")), shape_bps=first_mbps * M, remaining_ratio=ratio),
        ios_xe(Node("site 2", below), shape_bps=second_mbps * M),
        ios_xe(Node("port", ("site 1", "site 2"))),
    ]
    made = [*made, ios_xe(queue("d1"))]
    return Port("port", 100 * M, tuple(made), ios_xe_tree(made, nodes))


def committed_node():
    made = [
        junos(queue("a1"), guaranteed_bps=15 * M, excess_weight=1),
        junos(queue("a2"), guaranteed_bps=15 * M, excess_weight=3),
        junos(queue("b"), guaranteed_bps=50 * M),
    ]
    nodes = [
        junos(Node("A", ("a1", "a2")), guaranteed_bps=20 * M, shaping_bps=60 * M, excess_weight=1),
        junos(Node("B", ("b",)), guaranteed_bps=50 * M, excess_weight=1),
        junos(Node("port", ("A", "B"))),
    ]
    return port_of(made, nodes, 100)


def table(*rows):
    """Junos: per cent of a port of 1000, priority and excess priority of each queue."""
    made = [
        junos(queue(f"Q{i}"), guaranteed_bps=10 * M * share, priority=priority)
        for i, (share, priority) in enumerate(rows)
    ]
    return port_of(made, [Node("port", tuple(each.name for each in made))], 1000)


def pir_mode():
    """IQE without excess: each queue has an equal part of the node's shaping rate guaranteed."""
    rates, weights = (8, 5, 4, 3), (50, 31, 25, 19)
    made = [
        junos(queue(f"Q{i}"), guaranteed_bps=2.5 * M, shaping_bps=rate * M, excess_weight=weight)
        for i, (rate, weight) in enumerate(zip(rates, weights, strict=True))
    ]
    node = junos(Node("node", tuple(each.name for each in made)), shaping_bps=10 * M)
    return port_of(made, [node], 1000)


def linux(scale=1.0, rates=(30, 10, 60), ceil_of_a=100, prios=(0, 0, 0), **quantum):
    """HTB: root 100, below it A 40 (A1 30, A2 10) and B 60, on a line of 1000."""

    def made(of, rate, ceil=100, **more):
        return htb(of, rate * scale * M, ceil * scale * M, **more)

    classes = [
        made(queue(name), rate, prio=prio, **quantum)
        for name, rate, prio in zip(("A1", "A2", "B"), rates, prios, strict=True)
    ]
    nodes = made(Node("A", ("A1", "A2")), 40, ceil_of_a), made(Node("root", ("A", "B")), 100)
    return Port("eth0", 1000 * M, tuple(classes), HierarchicalTokenBucket(nodes))


ALL = {"A1": SATURATED, "A2": SATURATED, "B": SATURATED}
FULL = {"V": 10, "A": SATURATED, "B": SATURATED, "D": SATURATED}
SITES = {"v1": 10, "d1": SATURATED, "v2": 10, "d2": SATURATED}
JUNOS = dict(zip(("Q0", "Q1", "Q2", "Q3"), (600, 500, 500, 500), strict=True))
HIGHS = [(20, "high"), (10, "high"), (10, "high"), (5, "high")]
MIXED = [(20, "high"), (10, "high"), (10, "low"), (5, "low")]
BORROWED = 60 / 325

#: A port, what it is offered and what its queues send [Mb/s].
SHARES = {
    "IOS XE": (three_parameters(), FULL, [10, 46.67, 26.67, 16.67]),
    "IOS XE, D sends 20": (three_parameters(), FULL | {"D": 20}, [10, 46.67, 26.67, 16.67]),
    "IOS": (two_parameters(), FULL, [10, 30, 10, 50]),
    "IOS, D sends 20": (two_parameters(), FULL | {"D": 20}, [10, 52.5, 17.5, 20]),
    "bandwidth remaining ratio 4:1:1": (three_parameters(0, 0, A=4), FULL, [10, 60, 15, 15]),
    "two sites, ratio 3:1": (two_sites(80, 80, 3), SITES, [10, 60, 10, 20]),
    "two sites below the line": (
        two_sites(
            30, 50, 1, ios_xe(queue("a"), bandwidth_bps=20 * M),
            ios_xe(queue("b"), remaining_ratio=2),
        ),
        {"v1": 10, "d1": SATURATED, "v2": 10, "a": SATURATED, "b": SATURATED},
        [10, 20, 10, 26.67, 13.33],
    ),
    "node that has used up its guarantee": (
        committed_node(), {"a1": SATURATED, "a2": SATURATED, "b": SATURATED}, [13.75, 21.25, 65],
    ),
    "Junos, table 1": (table(*MIXED), JUNOS, [566.67, 283.33, 100, 50]),
    "Junos, table 2": (table(*HIGHS), dict.fromkeys(JUNOS, 500), [444.44, 222.22, 222.22, 111.11]),
    "Junos, table 3": (
        table((20, "strict-high"), *MIXED[1:]), dict.fromkeys(JUNOS, 500), [500, 350, 100, 50],
    ),
    "Junos, PIR mode without excess": (
        pir_mode(), dict(zip(JUNOS, (10, 1, 0, 5), strict=True)), [6, 1, 3],
    ),
    "HTB, all saturated": (linux(), ALL, [30, 10, 60]),
    "HTB, A1 idle": (linux(), ALL | {"A1": 0}, [40, 60]),
    "HTB, B idle, equal quanta": (linux(quantum_bytes=3000), ALL | {"B": 0}, [60, 40]),
    "HTB, B idle, quanta capped": (
        linux(), ALL | {"B": 0}, [30 + 200 * BORROWED, 10 + 125 * BORROWED],
    ),
    "HTB at a tenth": (linux(0.1), ALL | {"B": 0}, [7.5, 2.5]),
    "HTB, prio of the excess": (
        linux(prios=(1, 0, 0), quantum_bytes=3000), ALL | {"B": 0}, [30, 70],
    ),
    "HTB, trap: own rates above the parent's": (
        linux(rates=(30, 30, 60), ceil_of_a=40), ALL, [30, 30, 60],
    ),
    "HTB, trap: own rate of any prio before a loan": (
        linux(prios=(0, 7, 7)), ALL, [30, 10, 60],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHARES)
def test_each_queue_gets_what_is_published_or_follows_from_the_rules(name):
    port, rates, sent_mbps = SHARES[name]
    streams = offered(**rates)
    duration_s = 8.0
    got = simulate(port, streams, duration_s, warmup_s=duration_s / 4)
    # The published values are rounded; a run holds a whole number of HTB's quanta of 133 frames.
    assert_allclose(solve(port, streams).sent_bps / M, sent_mbps, atol=0.005)
    assert_allclose(got.sent_bps / M, sent_mbps, rtol=0.006)


def test_voice_of_two_shaped_sites_loses_nothing_on_a_port_that_is_too_small_for_both():
    port, streams = two_sites(80, 80, 1), offered(**SITES)
    packets = simulate(port, streams, 5.0)
    assert packets["v1"].dropped_packets == packets["v2"].dropped_packets == 0
    assert packets["d1"].dropped_packets > 0
    # One packet each at its site's rate and on the line, its own and one of the other voice.
    longest_s = 8 * FRAME * (1 / 80e6 + 3 / 100e6)
    assert max(packets["v1"].delay_max_s, packets["v2"].delay_max_s) < longest_s
    fluid = solve(port, streams)
    assert_allclose([fluid["v1"].sent_bps, fluid["v2"].sent_bps], 10e6)


def test_priority_below_a_node_waits_at_its_shaper():
    """It is first at every node, and needs the tokens of every node."""
    voice, data = queue("voice"), queue("data", priority=1)
    site = Node("site", ("voice", "data"), shaper=Shaper(10 * M, FRAME))
    port = port_of([voice, data], [site], 1000)
    result = simulate(port, offered(voice=2, data=50), 2.0)
    longest_s = 8 * FRAME * (1 / 10e6 + 1 / 1e9)
    assert 0.5 * longest_s < result["voice"].delay_max_s <= longest_s * (1 + 1e-9)
    assert_allclose(result.sent_bps.sum(), 10 * M, rtol=0.002)


NAMES = ("red", "green", "blue", "gold", "grey")
RATES = st.sampled_from([5.0, 10.0, 20.0, 35.0]).map(lambda mbps: mbps * M)
SHAPERS = st.sampled_from([10.0, 20.0, 40.0, 60.0]).map(lambda mbps: Shaper(mbps * M, 6000))


@st.composite
def trees(draw, shapers=None, lends=None):
    """A line of 100 Mb/s with a tree of two or three levels above five queues.

    Where a node guarantees less than its children, who gets it depends on who happens to wait:
    then all queues are either empty or full.
    """
    lends = draw(st.booleans()) if lends is None else lends
    shapers = st.none() | SHAPERS if shapers is None else shapers
    crowded = draw(st.booleans())
    made = [
        Queue(
            name,
            LIMIT,
            priority=draw(st.integers(0, 2)),
            guaranteed_bps=draw(RATES) if lends else draw(st.just(0.0) | RATES),
            shaper=draw(shapers),
            weight=draw(st.sampled_from([1.0, 2.0, 5.0])),
            quantum_bytes=draw(st.sampled_from([1500, 3000, 9000])),
            excess_priority=draw(st.none() | st.integers(0, 2)),
        )
        for name in NAMES
    ]
    nodes, tops = [], list(NAMES)
    for name in draw(st.sampled_from([("root",), ("site", "root"), ("a", "b", "root")])):
        size = len(tops) if name == "root" else draw(st.integers(1, len(tops)))
        below = tuple(draw(st.permutations(tops))[:size])
        rate_bps = draw(st.just(0.0) | RATES)
        if not crowded and not lends:
            rate_bps = 0.0
        weight = draw(st.sampled_from([1.0, 3.0]))
        nodes.append(Node(name, below, rate_bps, draw(shapers), weight))
        tops = [top for top in tops if top not in below] + [name]
    levels = draw(st.integers(0, 1))
    scheduler = HierarchicalTokenBucket if lends else SchedulerTree
    scheduler = scheduler(tuple(nodes)) if lends else scheduler(tuple(nodes), levels)
    loads = st.sampled_from([0.0, 150.0] if crowded else [0.0, 5.0, 20.0, 45.0, 150.0])
    sizes = draw(st.sampled_from([(1000,) * 5, (1000, 200, 1000, 500, 1400)]))
    streams = [
        Stream(name, draw(loads) * M, size, draw(st.sampled_from([Poisson(), Cbr(i * 1e-6)])))
        for i, (name, size) in enumerate(zip(NAMES, sizes, strict=True))
    ]
    overhead = draw(st.sampled_from([0.0, 20.0]))
    return Port("port", 100 * M, tuple(made), scheduler, overhead), streams


@many(40)
@given(trees())
def test_a_tree_sends_in_the_long_run_what_the_fluid_says(scene):
    """Within 1 % of the line: the packet model has bursts, the fluid has none."""
    port, streams = scene
    got = simulate(port, streams, 2.0, warmup_s=1.0, bins=1)
    fluid = solve(port, streams, got.offered_bps)
    assert_allclose(got.sent_bps, fluid.sent_bps, atol=0.01 * port.rate_bps)


@many(40)
@given(trees(shapers=st.none(), lends=False))
def test_a_tree_without_shapers_never_idles_while_a_packet_waits(scene):
    port, streams = scene
    roomy = tuple(each.replace(limit=PacketLimit(10_000)) for each in port.queues)
    tree = simulate(port.replace(queues=roomy), streams, 0.1, bins=1)
    one = port.replace(queues=(Queue("all", PacketLimit(100_000)),), scheduler=Fifo())
    runs = tree, simulate(one, streams, 0.1, bins=1)
    sent = [r.octets.sent.sum() + port.overhead_bytes * r.packets.sent.sum() for r in runs]
    # But for the packet that is on the line at the end, which may be another.
    assert abs(sent[0] - sent[1]) <= 1420


@many(40)
@given(trees(lends=False))
def test_no_node_sends_more_than_its_peak_rate_and_burst(scene):
    port, streams = scene
    events = simulate(port, streams, 0.05, events=20_000, bins=1).events
    chosen = events.kind == "choice"
    parents = {child: node for node in port.scheduler.nodes for child in node.children}
    full_s = defaultdict(float)
    sent = zip(events.time_s[chosen], events.queue[chosen], events.frame_bytes[chosen], strict=True)
    for time_s, index, frame_bytes in sent:
        place = port.queues[index]
        while place:
            if place.shaper:
                took_s = 8 * frame_bytes / place.shaper.rate_bps
                full_s[place.name] = max(full_s[place.name], time_s) + took_s
                most_s = 8 * place.shaper.burst_bytes / place.shaper.rate_bps
                assert full_s[place.name] - time_s <= most_s + 1e-9
            place = parents.get(place.name)


def test_a_node_that_slept_has_no_turns_saved_up():
    made = [queue(name) for name in ("a", "b", "c")]
    nodes = [Node("left", ("a",)), Node("right", ("b", "c")), Node("root", ("left", "right"))]
    port = port_of(made, nodes, 100, strict_levels=0)
    streams = offered(a=SATURATED, b=SATURATED, c=SATURATED)
    late = [streams[0], *(each.replace(start_s=1.0) for each in streams[1:])]
    sent = simulate(port, late, 2.0, bins=20).history.sent_packets
    per_bin = 100e6 * 0.1 / 8 / FRAME
    assert_allclose(sent[:, 9], [per_bin, 0, 0], atol=2)
    assert_allclose(sent[:, 11], per_bin * np.array([1 / 2, 1 / 4, 1 / 4]), atol=3)


def scheduler_of(*nodes):
    return Port("p", 1e8, (queue("a"), queue("b")), SchedulerTree(nodes))


BOTH = Node("both", ("a", "b"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: scheduler_of(Node("n", ())), r"Node 'n' children is \(\); allowed: at least one"),
        (lambda: scheduler_of(Node("n", ("a", "a"))), "allowed: at least one, each name once"),
        (lambda: scheduler_of(Node("n", ("a", "c"))), "Node 'n' children is 'c'; allowed: a, b, n"),
        (
            lambda: scheduler_of(Node("n", ("a",))),
            "the parent of queue 'b' is None; allowed: a node",
        ),
        (
            lambda: scheduler_of(BOTH, Node("n", ("a", "both"))),
            r"the parents of 'a' are \('both', 'n'\); allowed: one",
        ),
        (
            lambda: scheduler_of(BOTH, Node("x", ("y",)), Node("y", ("x",))),
            r"the nodes are \['x', 'y'\]; allowed: a tree, in which none is below itself",
        ),
        (
            lambda: scheduler_of(Node("x", ("a",)), Node("y", ("b",))),
            r"the nodes without a parent are \['x', 'y'\]; allowed: one, the root",
        ),
        (lambda: scheduler_of(), "the parent of queue 'a' is None"),
        (
            lambda: scheduler_of(Node("a", ("b",))),
            "the name of a queue or node is 'a'; allowed: each",
        ),
        (lambda: Node("", ("a",)), "Node.name is ''; allowed: a text that is not empty"),
        (
            lambda: Port("p", 1e8, (queue("a"),), HierarchicalTokenBucket((Node("n", ("a",)),))),
            "Queue 'a' quantum_bytes is 0; allowed: above 0",
        ),
        (
            lambda: Port(
                "p",
                1e8,
                (queue("a", quantum_bytes=1),),
                HierarchicalTokenBucket((Node("n", ("a",)),)),
            ),
            "Queue 'a' guaranteed_bps is 0.0; allowed: above 0, or a node above it with a rate",
        ),
        (
            lambda: ios_xe(BOTH, bandwidth_bps=1e6),
            "bandwidth or priority of node 'both' is 1000000",
        ),
        (
            lambda: ios_xe(queue("a"), priority_level=3),
            "priority_level is 3; allowed: 1, 2 or None",
        ),
        (lambda: ios(BOTH, priority=True), "priority of node 'both' is True"),
        (
            lambda: junos(queue("a"), priority="best"),
            "priority is 'best'; allowed: strict-high, high",
        ),
        (lambda: junos(queue("a"), excess_priority="strict-high"), "allowed: high, medium-high"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_name(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (
            BOTH.replace(shaper=Shaper(1e6, 100)),
            "Node 'both' shaper burst_bytes is 100; allowed: at",
        ),
        (
            BOTH.replace(guaranteed_bps=1e6, guaranteed_burst_bytes=100),
            "Node 'both' guaranteed_burst_bytes is 100; allowed: room for at least its largest",
        ),
        (BOTH.replace(guaranteed_bps=1e-9), "Port 'p' scheduler: an interval is"),
    ],
)
def test_a_node_that_cannot_run_is_refused_with_its_name(node, said):
    with pytest.raises(ValueError, match=said):
        simulate(scheduler_of(node), offered(a=10, b=10), 0.1)


def test_weights_too_far_apart_are_refused():
    nodes = Node("x", ("a",), weight=1e-9), Node("y", ("b",)), Node("root", ("x", "y"))
    with pytest.raises(ValueError, match="the weights or guaranteed rates below a node is"):
        simulate(scheduler_of(*nodes), offered(a=10, b=10), 10.0)


def test_a_tree_may_be_as_deep_as_anybody_wants():
    nodes = [Node(f"n{i}", (f"n{i + 1}" if i < 1999 else "a",)) for i in range(2000)]
    port = Port("p", 1e8, (queue("a"),), SchedulerTree(tuple(nodes)))
    assert simulate(port, offered(a=10), 0.01)["a"].dropped_packets == 0
    assert solve(port, offered(a=10))["a"].sent_bps == 10 * M
    assert from_json(port.to_json()) == port
    assert "... 1970 more" in str(port)


def test_the_order_of_the_nodes_means_nothing():
    port = two_sites(80, 80, 3)
    turned = SchedulerTree(port.scheduler.nodes[::-1], port.scheduler.strict_levels)
    streams = offered(**SITES)
    one, other = (simulate(at, streams, 0.2) for at in (port, port.replace(scheduler=turned)))
    assert (one.packets.sent == other.packets.sent).all()
    assert (one.delay_max_s == other.delay_max_s).all()


def test_a_ceil_of_htb_counts_the_bytes_that_tc_is_told_to_add():
    """`ceil 10mbit overhead 24` with frames of 1000 B: 10 Mb/s with them, 9.766 of frames."""
    made = [htb(queue("a"), 1 * M, 10 * M), htb(queue("b"), 1 * M, 100 * M)]
    nodes = [htb(Node("site", ("a",)), 2 * M, 100 * M), htb(Node("root", ("site", "b")), 100 * M)]
    below = htb(nodes[0], 2 * M, 5 * M)
    for tree, ceil_mbps in ((nodes, 10), ([below, nodes[1]], 5)):
        scheduler = HierarchicalTokenBucket(tuple(tree))
        port = Port("eth0", 100 * M, tuple(made), scheduler, overhead_bytes=24)
        streams = [Stream("a", 50 * M, 1000), Stream("b", 20 * M, 1000)]
        of_frames = ceil_mbps * 1000 / 1024
        for got in (simulate(port, streams, 4.0, warmup_s=1.0), solve(port, streams)):
            assert_allclose(got["a"].sent_bps / M, of_frames, rtol=0.002)
