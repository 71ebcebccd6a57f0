"""Runs worked out by hand, where random ones hardly ever come."""

from qoslib import port as p
from qoslib.traffic import Stream, Trace
from scenes import Scene


def recorded(name, *packets, **fields):
    """A stream of these (microsecond, frame size)."""
    times_s, sizes = zip(*((us / 1e6, size) for us, size in packets), strict=True)
    return Stream(name, arrivals=Trace(times_s, sizes), **fields)


def port(queues, scheduler, **fields):
    rules = tuple((queue.name, queue.name) for queue in queues)
    return p.Port("port", 100e6, queues, scheduler, classifier=p.Classifier(rules), **fields)


#: The fast sender's pause is over, the slow one's is not, when both are told to go on.
PAUSES_OF_TWO_LENGTHS = Scene(
    p.Port("port", 8e6, (p.Queue("q", p.PacketLimit(9)),), pause=p.Pause(5, 0, 100)),
    (
        recorded("fast", *[(0, 1000)] * 6, access_bps=80e6),
        recorded("slow", (0, 1000), (3000, 1000), (9000, 1000), access_bps=8e6),
    ),
    0.03,
    0,
)

SHAPED = p.Queue("a", p.PacketLimit(2), p.HeadDrop(), pool="m", shaper=p.Shaper(1e6, 1500))

#: The packet of 1500 B pushes out that of 1000 B and finds no memory; that of 64 B may go sooner.
PUSHED_OUT_FOR_NOTHING = Scene(
    port(
        (SHAPED, SHAPED.replace(name="b")),
        p.StrictPriority(),
        pools=(p.MemoryPool("m", 2100),),
    ),
    (
        recorded("a", (0, 1500), (130, 1000), (150, 64), (300, 1500)),
        recorded("b", (0, 1500), (140, 1000)),
    ),
    0.02,
    0,
)

ROBIN = p.Queue("a", p.PacketLimit(1), p.HeadDrop(), pool="m", quantum_bytes=600)

#: The same leaves a queue empty in a round robin: it forfeits its deficit.
EMPTIED_FOR_NOTHING = Scene(
    port(
        (ROBIN, ROBIN.replace(name="b", limit=p.PacketLimit(20))),
        p.DeficitRoundRobin(),
        pools=(p.MemoryPool("m", 5900),),
    ),
    (
        recorded("a", (1, 800), (50, 1500), (200, 1000)),
        recorded("b", *[(0, 500)] * 11),
    ),
    0.02,
    0,
)

CORNERS = {
    "pauses of two lengths": PAUSES_OF_TWO_LENGTHS,
    "pushed out for nothing": PUSHED_OUT_FOR_NOTHING,
    "emptied for nothing": EMPTIED_FOR_NOTHING,
}
