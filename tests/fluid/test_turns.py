"""HTB in the fluid model where packets decide who borrows: against packets, and a kernel."""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose

from qoslib.fluid import solve
from qoslib.packets import simulate
from qoslib.platforms.trees import htb
from qoslib.port import HierarchicalTokenBucket, Node, PacketLimit, Port, Queue, Shaper
from qoslib.traffic import Cbr, Poisson, Stream

pytestmark = pytest.mark.soak

M = 1e6
OVERHEAD_BYTES = 24
#: How far a class of the fluid model may be from that of the packets, as a part of the line.
CLOSE = 0.03
TREES = 200 if "QOSLIB_SOAK" in os.environ else 60
#: Trees that were far once: 134 since a class left its node's rate to another and nothing was
#: counted, 236 since a queue was not yet full when the count ended.
FIXED = (134, 236)


def office(af_ceil=30):
    """A line of 50 Mb/s: EF first, and two classes that want more than their rates."""
    rates = {"EF": (20, 50, 0), "AF41": (15, af_ceil, 1), "CS0": (5, 50, 1)}
    queues = tuple(
        htb(Queue(name, PacketLimit(300)), rate * M, ceil * M, prio=prio)
        for name, (rate, ceil, prio) in rates.items()
    )
    root = htb(Node("root", tuple(rates)), 50 * M, 50 * M)
    scheduler = HierarchicalTokenBucket((root,))
    return Port("eth0", 1000 * M, queues, scheduler, OVERHEAD_BYTES)


def offered():
    """Rates of frames."""
    return [Stream(name, rate * M, 1500) for name, rate in (("EF", 15), ("AF41", 40), ("CS0", 40))]


#: What a Linux kernel sent of each class [Mb/s of frames], for a ceil of AF41.
KERNEL = {30: (14.9, 16.0, 17.8)}


def test_a_class_that_its_ceil_stops_loses_its_turn_as_in_a_kernel():
    result = solve(office(), offered())
    assert_allclose(result.sent_bps / M, KERNEL[30], atol=0.03 * 50)
    assert any("a ceil stops a class" in note for note in result.notes)


@pytest.mark.parametrize("limit", [1000, 10_240, 100_000])
def test_a_queue_that_is_not_full_when_the_count_ends_sends_no_more(limit):
    port = office()
    long = tuple(queue.replace(limit=PacketLimit(limit)) for queue in port.queues)
    result = solve(port.replace(queues=long), offered())
    assert_allclose(result.sent_bps, solve(port, offered()).sent_bps, rtol=1e-6)


def test_a_ceil_that_stops_nobody_leaves_the_closed_form():
    """AF41 and CS0 share what is lent as their quanta, 187,500 and 62,500 B."""
    result = solve(office(50), offered())
    on_line = result.sent_bps / M * (1500 + OVERHEAD_BYTES) / 1500
    left = 50 - 15 * (1500 + OVERHEAD_BYTES) / 1500 - 20
    assert_allclose(on_line[1:], [15 + left * 0.75, 5 + left * 0.25], rtol=1e-6)
    assert result.notes == ()


def site(voice):
    """Voice and data below a node of 20 Mb/s; backup comes before data for what the root lends."""
    rates = {"voice": (5, 0), "data": (5, 2), "backup": (10, 1)}
    voice_and_data = htb(Node("site", ("voice", "data")), 20 * M, 50 * M)
    root = htb(Node("root", ("site", "backup")), 50 * M, 50 * M)
    queues = tuple(
        htb(Queue(name, PacketLimit(300)), rate * M, 50 * M, prio=prio)
        for name, (rate, prio) in rates.items()
    )
    port = Port("eth0", 50 * M, queues, HierarchicalTokenBucket((voice_and_data, root)))
    loads = {"voice": voice, "data": 40, "backup": 60}
    return port, [Stream(name, rate * M, 1500, Poisson()) for name, rate in loads.items()]


@pytest.mark.parametrize("voice", [12, 14, 18])
def test_a_class_that_does_not_always_wait_leaves_its_nodes_rate_to_another(voice):
    """Voice gets all it wants in any case: by turns from its node, and from the root before all."""
    port, streams = site(voice)
    fluid, packets = solve(port, streams), simulate(port, streams, 20.0, warmup_s=5.0)
    assert_allclose(fluid.sent_bps, packets.sent_bps, atol=CLOSE * 50 * M)
    assert fluid["data"].sent_bps > (max(20 - voice, 5) + 2) * M
    assert any("leaves its node's rate" in note for note in fluid.notes)


def test_a_class_that_always_waits_leaves_nothing_of_its_nodes_rate():
    port, streams = site(60)
    fluid, packets = solve(port, streams), simulate(port, streams, 20.0, warmup_s=5.0)
    assert_allclose(fluid.sent_bps, packets.sent_bps, atol=0.01 * 50 * M)
    assert fluid.notes == ()


@pytest.mark.parametrize("limit", [300, 3000])
def test_a_queue_that_holds_less_than_its_quantum_may_send_less_and_says_so(limit):
    """Quanta of 200,000 B: 300 packets of 300 B are less, 3,000 are more."""
    queues = tuple(htb(Queue(name, PacketLimit(limit)), 50 * M, 500 * M) for name in ("a", "b"))
    scheduler = HierarchicalTokenBucket((htb(Node("root", ("a", "b")), 500 * M, 500 * M),))
    port = Port("eth0", 1000 * M, queues, scheduler)
    streams = [Stream("a", 275 * M, 300, Poisson()), Stream("b", 600 * M, 1500, Poisson())]
    fluid, packets = solve(port, streams), simulate(port, streams, 4.0, warmup_s=1.0)
    far = np.abs(fluid.sent_bps - packets.sent_bps).max() > CLOSE * 500 * M
    noted = any("queue 'a' holds less than its quantum" in note for note in fluid.notes)
    assert far == noted == (limit == 300)


def test_many_loads_at_once_are_each_counted():
    port, streams = office(), offered()
    loads = np.array([[stream.rate_bps for stream in streams]] * 3) * [[0.2], [1], [1.1]]
    together = solve(port, streams, loads)
    for i, load in enumerate(loads):
        assert_allclose(together.sent_bps[i], solve(port, streams, load).sent_bps)
    assert_allclose(together.sent_bps[0], loads[0])


def random_tree(seed):
    """Three to six classes below one or two levels, as tc is asked for them, and their load."""
    draw = np.random.default_rng(seed)
    root_bps = float(draw.choice([10, 50, 100, 500])) * M
    count = int(draw.integers(3, 7))
    names = [f"q{i}" for i in range(count)]
    bursts = {
        name: int(draw.choice([1600, 15_000], p=[0.7, 0.3]))
        for name in ("burst_bytes", "cburst_bytes")
    }
    turns = [{}, {"quantum_bytes": 1514}, {"quantum_bytes": 10_000}]
    turn = turns[draw.choice(3, p=[0.6, 0.2, 0.2])]
    priorities = draw.integers(0, 3, count) if draw.random() < 0.5 else [0] * count

    def parted(total_bps, parts):
        shares = draw.uniform(0.2, 1, parts)
        return (total_bps * shares / shares.sum() * draw.uniform(0.6, 1)).tolist()

    cut = int(draw.integers(2, count)) if draw.random() < 0.5 else 0
    groups = [g for g in (range(cut), range(cut, count)) if len(g)]
    tops = parted(root_bps, len(groups)) if cut else [root_bps]
    queues, nodes = {}, []
    for number, (group, rate_bps) in enumerate(zip(groups, tops, strict=True)):
        most_bps = root_bps
        if cut:
            most_bps = root_bps if draw.random() < 0.5 else float(draw.uniform(rate_bps, root_bps))
            below = Node(f"n{number}", tuple(names[i] for i in group))
            nodes.append(htb(below, rate_bps, most_bps, **bursts))
        for i, own_bps in zip(group, parted(rate_bps, len(group)), strict=True):
            ceil_bps = most_bps if draw.random() < 0.3 else float(draw.uniform(own_bps, most_bps))
            leaf, prio = Queue(names[i], PacketLimit(300)), int(priorities[i])
            queues[i] = htb(leaf, own_bps, ceil_bps, prio=prio, **bursts, **turn)
    tops = tuple(node.name for node in nodes) or tuple(names)
    nodes.append(htb(Node("root", tops), root_bps, root_bps, **bursts))
    line_bps = root_bps if draw.random() < 0.3 else 1000 * M
    made, overhead = tuple(queues[i] for i in range(count)), float(draw.choice([0, 24]))
    port = Port("eth0", line_bps, made, HierarchicalTokenBucket(tuple(nodes)), overhead)
    loads = draw.choice([0, 0.1, 0.3, 0.6, 1.2], count, p=[0.1, 0.15, 0.2, 0.25, 0.3])
    streams = [
        Stream(
            name,
            float(load * draw.uniform(0.8, 1.2) * root_bps),
            int(draw.choice([1500, 1500, 1000, 300])),
            Poisson() if draw.random() < 0.5 else Cbr(),
        )
        for name, load in zip(names, loads, strict=True)
    ]
    return port, streams, root_bps


def apart(seed):
    """How far the fluid model is from the packets, as a part of the root's rate; and its notes."""
    port, streams, root_bps = random_tree(seed)
    if not sum(stream.rate_bps for stream in streams):
        return 0.0, ()
    duration_s = min(max(60_000 * 12_000 / root_bps, 4.0), 60.0)
    packets = simulate(port, streams, duration_s, warmup_s=duration_s / 4, bins=1)
    fluid = solve(port, streams, packets.offered_bps)
    return np.abs(fluid.sent_bps - packets.sent_bps).max() / root_bps, fluid.notes


def test_classes_of_random_trees_send_what_they_send_in_packets():
    """Of 20 trees 19 are within 3 % of the root's rate in each class; the others say that they may
    not be."""
    notes = {}
    for seed in range(TREES):
        share, said = apart(seed)
        if share > CLOSE:
            notes[seed] = said
    assert len(notes) <= TREES / 20, notes
    assert [seed for seed, said in notes.items() if not said] == []


@pytest.mark.parametrize("seed", FIXED)
def test_trees_that_were_far_are_close(seed):
    assert apart(seed)[0] <= CLOSE


def test_a_count_that_cannot_run_says_that_it_is_left_out():
    queues = [
        htb(Queue(name, PacketLimit(9)), 1e-9 if name == "c" else 1 * M, 5 * M) for name in "abc"
    ]
    scheduler = HierarchicalTokenBucket((htb(Node("root", ("a", "b", "c")), 10 * M),))
    port = Port("eth0", 10 * M, tuple(queues), scheduler)
    result = solve(port, [Stream(name, 20 * M, 1500) for name in "abc"])
    assert any("leave that out" in note for note in result.notes)
    assert result.sent_bps.sum() == pytest.approx(10 * M)


def test_the_shaper_of_a_port_is_counted_too():
    port = office().replace(shaper=Shaper(30 * M, 10_000))
    streams = [stream.replace(arrivals=Poisson()) for stream in offered()]
    fluid, packets = solve(port, streams), simulate(port, streams, 4.0, warmup_s=1.0)
    assert_allclose(fluid.sent_bps, packets.sent_bps, atol=CLOSE * 50 * M)
