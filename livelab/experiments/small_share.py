"""A class of about one per cent that gets more when the large one's queue runs empty."""

from livelab.experiment import Experiment, Point
from qoslib import PacketLimit, Poisson, Port, Queue, Scenario, Stream, units
from qoslib.platforms.trees import htb
from qoslib.port import Classifier, HierarchicalTokenBucket, Node

__all__ = ["LIMITS", "SMALL_SHARE", "scenario"]

LINE_BPS = units.mbps(20)
FRAME_BYTES, OVERHEAD_BYTES = 1018, 24
QUANTUM_BYTES, RATIO = 1042, 84
LEAST_BPS = units.kbps(8)
OFFERED_BPS = {"AF11": units.mbps(6), "large": units.mbps(32)}
BURST_BYTES = 4000
LIMITS = (400, 32, 8, 2)


def scenario(limit_packets: int) -> Scenario:
    """Two classes that share by quantum, 1 to 84.

    Parameters
    ----------
    limit_packets : int
        Of the large class's queue [packets].

    Returns
    -------
    Scenario

    Examples
    --------
    >>> [queue.quantum_bytes for queue in scenario(8).only_port.queues]
    [1042, 87528]
    """
    quanta = {"AF11": QUANTUM_BYTES, "large": RATIO * QUANTUM_BYTES}
    limits = {"AF11": 100, "large": limit_packets}
    queues = tuple(
        htb(
            Queue(name, PacketLimit(limits[name])),
            LEAST_BPS,
            LINE_BPS,
            quantum_bytes=quantum,
            burst_bytes=BURST_BYTES,
            cburst_bytes=BURST_BYTES,
        )
        for name, quantum in quanta.items()
    )
    root = htb(
        Node("1:1", ("AF11", "large")), LINE_BPS, burst_bytes=BURST_BYTES, cburst_bytes=BURST_BYTES
    )
    port = Port(
        "one per cent",
        LINE_BPS,
        queues,
        HierarchicalTokenBucket((root,)),
        overhead_bytes=OVERHEAD_BYTES,
        classifier=Classifier((("AF11", "AF11"),), "large"),
    )
    streams = tuple(
        Stream(name, rate, FRAME_BYTES, Poisson(), mark=name if name == "AF11" else "CS0")
        for name, rate in OFFERED_BPS.items()
    )
    return Scenario("one per cent", port, streams, 5.0, 1.0)


SMALL_SHARE = Experiment(
    "small_share",
    "When does a class of 1 % get more than 1 %?",
    tuple(
        Point(f"limit_{limit}", scenario(limit), {}, shown=("sent", "drop_ratio"))
        for limit in LIMITS
    ),
    ("htb", "pfifo", "u32"),
    "gsr12000: the mechanism, not the published 3.6 %",
    "A queue that runs empty loses its turn, so that a share by quantum holds only while all"
    " queues hold packets.",
)
