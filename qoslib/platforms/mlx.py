"""Brocade MLX: configured for the same test, without a published result: a prediction.

Source esnet: slide "Brocade MLX results", which shows its configuration and leaves the size of
the queue open.
"""

from qoslib import units
from qoslib.platforms import esnet
from qoslib.platforms.esnet import HOSTS, MODELS
from qoslib.platforms.provenance import Experiment, Facts, assumed, sourced
from qoslib.port import ByteLimit, Port, Queue

__all__ = [
    "ASSUMPTIONS",
    "FACTS",
    "MODELS",
    "NOT_DESCRIBED",
    "RATIOS",
    "SIZES",
    "experiments",
    "port",
]

ASSUMPTIONS = {
    "base": "The host of the MX80's base, and a queue as large as it is set.",
    "of_the_time": "The host that the MX80's set of this name has, and a queue as large as it is"
    " set.",
}

#: Published experiments that cannot be described, and why.
NOT_DESCRIBED: dict[str, str] = {}

RATIOS: dict[str, tuple[str, str, str]] = {}

#: What the queue's open size may have been [MB]: a band.
SIZES = (1, 2, 4, 8, 16, 32, 64)

FACTS = Facts(
    **{name: fact for name, fact in HOSTS.items() if fact.kind != "fitted"},
    largest_frame_bytes=sourced(9212, "mlx_configuration/configuration//maximum_frame_size"),
    queue_number=sourced(0, "mlx_configuration/configuration//queue_number"),
    packet_bytes=assumed(9000, "as in the tests of the other two"),
    round_trip_s=assumed(0.05, "as in the tests of the other two"),
    background_bps=assumed(2e9, "as in the tests of the other two"),
    duration_s=assumed(30, "as printed for the MX80"),
    streams=assumed(2, "as printed for the MX80"),
)


def port(queue_bytes: float) -> Port:
    """The 10-Gigabit Ethernet port: all traffic is in queue type 0, of a size that we choose [B].

    Examples
    --------
    >>> port(32e6).queues[0]
    Queue(name='type 0', limit=ByteLimit(limit_bytes=32000000))
    """
    queue = Queue(f"type {int(FACTS.queue_number)}", ByteLimit(int(queue_bytes)))
    line_bps, around = float(FACTS.line_bps), float(FACTS.layer2_bytes)
    return Port("MLX 10GE", line_bps, (queue,), overhead_bytes=around)


def experiments(assumptions: str = "base") -> dict[str, Experiment]:
    """The test that was configured, for each size that the queue may have had.

    Raises
    ------
    ValueError
        If there is no such set.
    """
    if assumptions not in ASSUMPTIONS:
        raise ValueError(f"assumptions is {assumptions!r}; allowed: {', '.join(ASSUMPTIONS)}")
    way_s, size = float(FACTS.round_trip_s), float(FACTS.packet_bytes)
    sender = esnet.host(assumptions, int(FACTS.streams), way_s, way_s, size)
    found = [
        Experiment(
            f"queue_{mb}MB",
            f"Queue of {mb} MB",
            port(units.megabytes(mb)),
            (esnet.udp(FACTS.background_bps, size),),
            assumptions,
            duration_s=float(FACTS.duration_s),
            warmup_s=0.0,
            hosts=(sender,),
        )
        for mb in SIZES
    ]
    return {each.name: each for each in found}
