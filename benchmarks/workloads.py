"""The workloads as a user of qoslib writes them, and their numbers for everyone else.

W1 one FIFO, Poisson arrivals at load 0.9.
W2 a Cisco 12000 port: a low-latency queue, three MDRR queues, tail drop; 4 Gb/s into 2.4.
W3 W2 with WRED: the class that overloads the port is dropped early.
W4 twelve classes under weighted deficit round robin, mixed frame sizes, Poisson, load 1.1.
W6 a tree of three levels and 100 queues: ten shaped sites, each with one strict priority, four
guaranteed and five other classes; mixed frame sizes, Poisson, load 1.1.
W7 100 flows into fq_codel at its defaults, mixed frame sizes, Poisson, load 1.1.
W8 CAKE with the four tins of diffserv4: in each 8 flows of 4 hosts, mixed frame sizes, Poisson,
load 1.1.

`strict` asks for the same port with strict priority instead of a round robin, which simulators
without a weighted round robin can express. Constant streams start at phases drawn from the seed,
the same for every simulator.
"""

import random
from dataclasses import replace

from qoslib import units
from qoslib.port import (
    ByteLimit,
    CakeTins,
    Cobalt,
    Codel,
    DeficitRoundRobin,
    Ewma,
    FlowQueues,
    ModifiedDrr,
    Node,
    PacketLimit,
    Port,
    Queue,
    Red,
    RedProfile,
    SchedulerTree,
    Shaper,
    StrictPriority,
)
from qoslib.traffic import Cbr, FrameMix, Poisson, Stream, imix

__all__ = ["FLOWS", "TREES", "WORKLOADS", "described", "duration_s", "one_fifo"]

#: Offered to the Cisco 12000's port [Mb/s], by queue, the most urgent first.
GSR_MBPS = {"premium": 200, "network": 120, "less": 40, "default": 3640}
GSR_QUANTA_BYTES = {"premium": 0, "network": 23_040, "less": 4608, "default": 387_072}
#: Best effort is dropped early; the others only when their queue is full.
WRED = Red(RedProfile(2000, 2001), (("default", RedProfile(200, 1800)),), Ewma(9))


def w1(seed):
    port = Port("line", units.gbps(1), (Queue("all", PacketLimit(10_000)),))
    return port, [Stream("all", units.mbps(900), 1000, Poisson())]


def w2(seed, **dropper):
    queues = [
        Queue(name, PacketLimit(2001), quantum_bytes=quantum, priority=i, **dropper)
        for i, (name, quantum) in enumerate(GSR_QUANTA_BYTES.items())
    ]
    port = Port("POS", units.mbps(2396), tuple(queues), ModifiedDrr(low_latency="premium"))
    draws = random.Random(seed)
    phases_s = {name: draws.random() * 8e-3 / rate for name, rate in GSR_MBPS.items()}
    return port, [
        Stream(name, units.mbps(rate), 1000, Cbr(phases_s[name])) for name, rate in GSR_MBPS.items()
    ]


def w3(seed):
    return w2(seed, dropper=WRED)


def w4(seed):
    weights = {f"class {i}": 1 << i % 3 for i in range(12)}
    queues = [
        Queue(name, PacketLimit(500), quantum_bytes=1518 * weight, priority=i)
        for i, (name, weight) in enumerate(weights.items())
    ]
    port = Port("trunk", units.gbps(10), tuple(queues), DeficitRoundRobin())
    return port, [Stream(name, units.gbps(11 / 12), imix(), Poisson()) for name in weights]


def w6(seed, sites=10, leaves=10):
    rate_bps, queues, nodes = units.gbps(10), [], []
    for site in range(sites):
        names = [f"site {site} class {leaf}" for leaf in range(leaves)]
        guaranteed_bps = 0.4 * rate_bps / sites / leaves
        queues += [
            Queue(
                name,
                PacketLimit(100),
                priority=int(leaf > 0),
                guaranteed_bps=guaranteed_bps if 0 < leaf < 5 else 0.0,
                weight=1 + leaf % 3,
            )
            for leaf, name in enumerate(names)
        ]
        shaper = Shaper(1.2 * rate_bps / sites, 20_000)
        nodes.append(Node(f"site {site}", tuple(names), shaper=shaper, weight=1 + site % 2))
    nodes.append(Node("port", tuple(node.name for node in nodes)))
    port = Port("trunk", rate_bps, tuple(queues), SchedulerTree(tuple(nodes), strict_levels=1))
    # Strict priority is offered a third of what it would have as its equal part.
    part_bps = 1.1 * rate_bps / sites / (leaves - 1 + 1 / 3)
    return port, [
        Stream(queue.name, part_bps if queue.priority else part_bps / 3, imix(), Poisson())
        for queue in queues
    ]


def w7(seed, flows=100):
    queue = Queue("all", PacketLimit(10_240), Codel(), flows=FlowQueues())
    each_bps = 1.1 * units.gbps(1) / flows
    port = Port("line", units.gbps(1), (queue,))
    return port, [Stream(f"flow {i}", each_bps, imix(), Poisson()) for i in range(flows)]


#: Rank and share of the rate of each tin of CAKE's diffserv4.
TINS = {"voice": (0, 1 / 4), "video": (1, 1 / 2), "bulk": (2, 1 / 16), "best effort": (3, 1)}


def w8(seed, hosts=4, flows=2):
    rate_bps = units.mbps(100)
    apart = FlowQueues(ways=8, isolation="hosts", batch_packets=1, renews=True)
    queues = tuple(
        Queue(
            tin,
            ByteLimit(4_000_000),
            Cobalt(packet_s=units.bits(1514) / rate_bps / share),
            priority=rank,
            guaranteed_bps=rate_bps * share,
            flows=apart,
        )
        for tin, (rank, share) in TINS.items()
    )
    each_bps = 1.1 * rate_bps / (len(TINS) * hosts * flows)
    names = [
        (tin, f"h{host}", f"{n}") for tin in TINS for host in range(hosts) for n in range(flows)
    ]
    return Port("cake", rate_bps, queues, CakeTins()), [
        Stream(" ".join(name), each_bps, imix(), Poisson(), name[0], source=name[1])
        for name in names
    ]


WORKLOADS = {"W1": w1, "W2": w2, "W3": w3, "W4": w4}
#: What no other simulator of the comparison has.
TREES = {"W6": w6}
FLOWS = {"W7": w7, "W8": w8}


def one_fifo(streams):
    """So many equal Poisson streams into one FIFO at load 0.9: the curve of the kernels."""
    rate_bps = units.mbps(900) / streams
    port, _ = w1(0)
    return port, [Stream(f"{i}", rate_bps, 1000, Poisson()) for i in range(streams)]


def packets_per_s(streams):
    """All streams together [packets/s]."""
    return sum(units.rate_pps(s.mean_rate_bps, s.mean_frame_bytes) for s in streams)


def duration_s(streams, packets):
    """How long so many packets take to arrive [s]."""
    return packets / packets_per_s(streams)


def with_strict_priority(port, ring_packets):
    """The port with strict priority between its queues, and packets handed to a ring."""
    if len(port.queues) > 1:
        port = replace(port, scheduler=StrictPriority())
    return replace(port, transmit_ring_packets=ring_packets)


def made(name, seed, variant="same"):
    """Port and streams; `strict` is strict priority, `strict ring` with a ring of one packet."""
    port, streams = (WORKLOADS | TREES | FLOWS)[name](seed)
    if variant != "same":
        port = with_strict_priority(port, int("ring" in variant))
    return port, streams


def described(name, seed, packets, variant="same"):
    """The same in plain numbers, which can be written as JSON."""
    port, streams = made(name, seed, variant)
    return {
        "workload": name,
        "variant": variant,
        "seed": seed,
        "packets": packets,
        "duration_s": duration_s(streams, packets),
        "rate_bps": port.rate_bps,
        "scheduler": type(port.scheduler).__name__,
        "queues": [_queue(queue) for queue in port.queues],
        "streams": [_stream(stream) for stream in streams],
    }


def _queue(queue):
    red = queue.dropper if isinstance(queue.dropper, Red) else None
    profile = dict(red.profiles).get(queue.name, red.profile) if red else None
    return {
        "name": queue.name,
        "limit_packets": queue.limit.packets,
        "quantum_bytes": queue.quantum_bytes,
        "priority": queue.priority,
        "red": [profile.minimum_packets, profile.maximum_packets] if red else None,
        "red_exponent": red.averaging.exponent if red else 0,
    }


def _stream(stream):
    sizes = stream.frame_bytes
    mix = sizes if isinstance(sizes, FrameMix) else FrameMix((sizes,), (1.0,))
    return {
        "name": stream.name,
        "gap_s": units.bits(stream.mean_frame_bytes) / stream.rate_bps,
        "poisson": isinstance(stream.arrivals, Poisson),
        "phase_s": getattr(stream.arrivals, "phase_s", 0.0),
        "sizes_bytes": mix.sizes_bytes,
        "shares": mix.shares,
    }
