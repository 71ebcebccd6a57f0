"""The seven routers and switches of the sources in the vocabulary; none needs a special case."""

from qoslib import units
from qoslib.platforms import m120
from qoslib.port import (
    ByteLimit,
    Chain,
    Classifier,
    Ewma,
    Forwarder,
    Hop,
    MemoryPool,
    ModifiedDrr,
    PacketLimit,
    Pause,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    Sampled,
    Shaper,
    StrictPriority,
    TruncatingEwma,
)
from qoslib.traffic import Cbr, Stream, TickedBursts, imix

NETWORK, PREMIUM, PLUS, BEST, LESS = "prec6", "prec5", "prec3", "prec1", "prec0"


def m120_ports():
    """Junos levels, MAD buffers and head drop; a drop profile; a temporal buffer."""
    return [experiment.port for experiment in m120.PLATFORM.experiments().values()]


def wred(averaging):
    """Best Effort goes from the second packet, all others at 2001."""
    return Red(RedProfile(2000, 2001), ((BEST, RedProfile(1, 2)),), averaging)


def gsr12000(averaging, ring_packets, policer, classes):
    """An OC-48c port: a low-latency queue before three with quanta of 5 : 84 : 1."""
    quanta = {"network": 23_040, "premium": 0, "default": 387_072, "less": 4608}
    return Port(
        "POS",
        units.mbps(2396.16),
        tuple(
            Queue(
                name,
                PacketLimit(2001),
                wred(averaging),
                policer=policer if name == "premium" else None,
                quantum_bytes=quantum,
            )
            for name, quantum in quanta.items()
        ),
        ModifiedDrr(low_latency="premium"),
        overhead_bytes=9.09,
        classifier=Classifier(classes, default="default"),
        transmit_ring_packets=ring_packets,
        base_delay_s=units.us(21.7),
    )


def to_fabric(slot):
    """An input card: a queue for each output card, all in one memory."""
    queues = tuple(
        Queue(f"to slot {to}", PacketLimit(2001), wred(Ewma(9)), pool="memory")
        for to in (8, 14, 15)
    )
    return Port(
        f"slot {slot} to fabric",
        units.gbps(4),
        queues,
        StrictPriority(),
        classifier=Classifier(default="to slot 8"),
        pools=(MemoryPool("memory", 128_000_000),),
    )


GSR_RATES_MBPS = {NETWORK: 60, PREMIUM: 100, PLUS: 100, BEST: 1720, LESS: 20}

#: Five streams from each of two tester ports, with the printed rates.
GSR_STREAMS = [
    tuple(
        Stream(f"{tester} {mark}", units.mbps(rate), 1000, Cbr(), mark, jitter_s=units.us(0.4))
        for mark, rate in GSR_RATES_MBPS.items()
    )
    for tester in ("1A", "1B")
]


def gsr12000_ports():
    """Engine 2 as it ran (all but Premium in one queue), engine 3 as configured, To-Fabric."""
    one_queue = ((PREMIUM, "premium"),)
    four = ((NETWORK, "network"), (PREMIUM, "premium"), (LESS, "less"))
    police = Policer(units.mbps(200), 2000)
    relay = Sampled(380, units.us(300), jitter=0.2, release_packets=8)
    out = gsr12000(relay, 19, police, four)
    inputs = [to_fabric(slot) for slot in (14, 15)]
    hops = [
        Hop(card, tuple(stream.name for stream in streams))
        for card, streams in zip(inputs, GSR_STREAMS, strict=True)
    ]
    return [
        gsr12000(TruncatingEwma(9, counts_ring=True), 18, None, one_queue),
        Chain("two inputs, one output", (*hops, Hop(out))),
    ]


def esnet_path(router):
    """A host that paces at 6 Gb/s and adds 50 ms, then the router under test."""
    host = Port(
        "host",
        units.gbps(10),
        (Queue("htb", PacketLimit(1000)),),
        overhead_bytes=38,
        shaper=Shaper(units.gbps(6), 90_000),
        base_delay_s=units.ms(50),
    )
    return Chain(f"host to {router.name}", (Hop(host, ("tcp",)), Hop(router)))


def ten_gigabit(name, limit, overhead_bytes=38):
    """One queue before a 10 Gb/s line."""
    return Port(name, units.gbps(10), (Queue("all", limit),), overhead_bytes=overhead_bytes)


def mx80_ports():
    """A buffer of some megabytes."""
    return [esnet_path(ten_gigabit("MX80", ByteLimit(size * 10**6))) for size in (6, 36, 120)]


def catalyst6506_ports():
    """A hold-queue in packets."""
    return [esnet_path(ten_gigabit("6506", PacketLimit(size))) for size in (2000, 4096)]


def mlx_ports():
    """`qos queue-type 0 max-queue-size`, where the source leaves the value open."""
    queues = tuple(
        Queue(f"type {kind}", ByteLimit(size), priority=7 - kind)
        for kind, size in ((7, 1_000_000), (0, 32_000_000))
    )
    return [Port("MLX", units.gbps(10), queues, StrictPriority(), 20, Classifier(default="type 0"))]


def isr4331_ports():
    """A FIFO, and a low-latency queue whose policer works only while there is congestion."""
    police = Policer(units.kbps(20_000), 500_000, when="congested")
    queues = (
        Queue("EF", PacketLimit(512), policer=police, priority=0),
        Queue("default", PacketLimit(416), priority=1),
    )
    fifo = Port("G0/0/1", units.mbps(100), (Queue("all", PacketLimit(416)),), overhead_bytes=24)
    llq = Port(
        "G0/0/1",
        units.mbps(100),
        queues,
        StrictPriority(),
        overhead_bytes=24,
        classifier=Classifier((("EF", "EF"),), default="default"),
    )
    return [fifo, llq]


def mx150_ports():
    """One software forwarder for both directions, which may PAUSE the two senders."""
    forwarder = Forwarder(
        "vMX", Queue("in", PacketLimit(1000)), 1 / 7.54e6, pause=Pause(800, 200, obeyed=False)
    )
    ways = (("xe-0/0/12", "left"), ("xe-0/0/13", "right"))
    out = [Hop(ten_gigabit(name, PacketLimit(1000), 20), (way,)) for name, way in ways]
    return [Chain("MX150", (Hop(forwarder), *out))]


PORTS = {
    "m120": m120_ports(),
    "gsr12000": gsr12000_ports(),
    "mx80": mx80_ports(),
    "catalyst6506": catalyst6506_ports(),
    "mlx": mlx_ports(),
    "isr4331": isr4331_ports(),
    "mx150": mx150_ports(),
}

#: Streams by router: frames, spacing and marks as the sources tell them.
STREAMS = {
    "m120": m120.PLATFORM.experiments()["base"].streams,
    "gsr12000": (*GSR_STREAMS[0], *GSR_STREAMS[1]),
    "mx80": (Stream("udp", units.gbps(2), 9000), Stream("tcp", units.gbps(6), 9000)),
    "catalyst6506": (Stream("udp", units.gbps(2), 9000), Stream("tcp", units.gbps(6), 9000)),
    "mlx": (Stream("any", units.gbps(1), 9212),),
    "isr4331": (
        Stream("EF", units.mbps(30) * 1490 / 1448, 1490, TickedBursts(1e-3), access_bps=1e9),
        Stream("default", units.mbps(80) * 1490 / 1448, 1490, TickedBursts(1e-3), start_s=0.43),
    ),
    "mx150": (Stream("left", units.gbps(10) * 64 / 84, 64), Stream("right", units.gbps(7), imix())),
}
