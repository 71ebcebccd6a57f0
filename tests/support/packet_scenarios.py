"""Scenarios with meters, trees, pauses and memory in common, for the packet view."""

from qoslib.port import (
    ByteLimit,
    DeficitRoundRobin,
    ExcessBurst,
    ExcessRate,
    HierarchicalTokenBucket,
    Hop,
    Instantaneous,
    MemoryPool,
    Node,
    PacketLimit,
    PeakRate,
    Policer,
    Port,
    PriorityPause,
    Queue,
    Red,
    RedProfile,
    SchedulerTree,
    Shaper,
    Switch,
)
from qoslib.scenario import Scenario
from qoslib.traffic import OnOff, Poisson, Stream, imix


def ports(scenario):
    return [hop.at.name for hop in getattr(scenario.network, "hops", ())] or [""]


def coloured(second, **actions):
    policer = Policer(40e6, 6000, excess=second, exceed="high", **actions)
    red = Red(RedProfile(8, 14, 0.2), (("high", RedProfile(3, 8, 0.5)),), Instantaneous())
    queue = Queue("all", PacketLimit(16), red, policer, limits=(("high", PacketLimit(10)),))
    port = Port("access", 100e6, (queue,))
    return Scenario("colours", port, (Stream("data", 120e6, 1000, Poisson()),), seed=3)


METERS = {
    "one bucket": coloured(None),
    "RFC 2697": coloured(ExcessBurst(8000), violate="high"),
    "RFC 2698": coloured(PeakRate(80e6, 8000)),
    "RFC 4115": coloured(ExcessRate(30e6, 8000)),
}


def pauses():
    pause = PriorityPause(8000, 6000, 2e-4)
    queues = (
        Queue("lossless", ByteLimit(24_000), quantum_bytes=1500, pause=pause),
        Queue("lossy", ByteLimit(16_000), quantum_bytes=1500),
    )
    streams = (
        Stream("lossless", 70e6, 1000, Poisson(), access_bps=100e6),
        Stream("lossy", 60e6, 1000, Poisson()),
    )
    return Scenario("pfc", Port("core", 100e6, queues, DeficitRoundRobin()), streams, seed=4)


MEMORY = MemoryPool("memory", 60_000, cell_bytes=208, header_bytes=8)


def sharing(name, **fields):
    return Queue(name, PacketLimit(1000), pool="memory", quantum_bytes=1500, **fields)


def switch():
    queues = (sharing("in", alpha=1.0, reserved_bytes=4000), sharing("in", alpha=0.5))
    ports = [Port(n, 100e6, (q,), pools=(MEMORY,)) for n, q in zip(("a", "b"), queues, strict=True)]
    hops = Hop(ports[0], ("a",)), Hop(ports[1], ("b",))
    bursts = OnOff(0.002, 0.003)
    streams = Stream("a", 150e6, 1000, Poisson()), Stream("b", 160e6, imix(), bursts)
    return Scenario("switch", Switch("leaf", hops), streams, seed=4)


def port():
    queues = sharing("a", alpha=0.5, reserved_bytes=9000), sharing("b", reserved_bytes=3000)
    at = Port("core", 100e6, queues, DeficitRoundRobin(), pools=(MEMORY,))
    streams = Stream("a", 110e6, 1000, Poisson()), Stream("b", 90e6, imix(), Poisson())
    return Scenario("port", at, streams, seed=4)


def tree(kind, **more):
    def shares(name, priority, rate_bps, **fields):
        limit, quantum = ByteLimit(16_000), 1500
        return Queue(
            name, limit, priority=priority, guaranteed_bps=rate_bps, quantum_bytes=quantum, **fields
        )

    queues = (
        shares("voice", 0, 10e6),
        shares("video", 1, 30e6, shaper=Shaper(50e6, 9000)),
        shares("bulk", 1, 20e6, guaranteed_burst_bytes=4000),
    )
    site = Node("site", ("voice", "video"), 50e6, Shaper(55e6, 6000))
    port = Port("core", 100e6, queues, kind((site, Node("core", ("bulk", "site"), **more))), 20)
    rates = {"voice": (8e6, 200), "video": (60e6, 1000), "bulk": (60e6, imix())}
    streams = tuple(Stream(name, *each, Poisson()) for name, each in rates.items())
    return Scenario("tree", port, streams, seed=4)


def strict(nodes):
    return SchedulerTree(nodes, strict_levels=1)


TREES = {
    "strict levels": tree(strict),
    "HTB": tree(HierarchicalTokenBucket, guaranteed_bps=90e6, shaper=Shaper(90e6, 6000)),
}
