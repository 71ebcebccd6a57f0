"""Cisco Catalyst 6506: a hold-queue of 18 MB costs TCP a third, and pacing moves the cliff.

Source esnet: buffer experiment 2, slides; TCP over 25 + 25 ms beside UDP.
"""

from qoslib import units
from qoslib.platforms import esnet
from qoslib.platforms.esnet import (
    ASSUMPTIONS,
    COUNTED,
    FULL_ONLY,
    HOSTS,
    MODELS,
    PARAMETERS,
    WITHOUT_FITS,
)
from qoslib.platforms.provenance import Experiment, Facts, assumed, sourced
from qoslib.port import ByteLimit, PacketLimit, Port, Queue

__all__ = [
    "ASSUMPTIONS",
    "COUNTED",
    "FACTS",
    "FULL_ONLY",
    "MODELS",
    "NOT_DESCRIBED",
    "PACED",
    "PARAMETERS",
    "RATIOS",
    "SIZES",
    "WITHOUT_FITS",
    "experiments",
    "port",
]

#: Published experiments that cannot be described, and why.
NOT_DESCRIBED: dict[str, str] = {}

RATIOS: dict[str, tuple[str, str, str]] = {}

#: Hold-queues of the unpaced tests [packets], and paced rates at the larger one [Gb/s].
SIZES, PACED = (2000, 4096), (5, 6, 7, 8)

FACTS = Facts(
    **HOSTS,
    round_trip_s=sourced(0.05, "catalyst6506_configuration/configuration/tcp/delay_added"),
    delay_s=sourced(0.025, "catalyst6506_configuration/netem_command/tcp/delay_added"),
    packet_bytes=sourced(9000, "catalyst6506_configuration/configuration//mtu"),
    background_bps=sourced(2e9, "catalyst6506_configuration/configuration/udp/background_rate"),
    paced_queue_packets=sourced(4096, "catalyst6506_configuration/pacing//queue_limit"),
    duration_s=assumed(30, "as printed for the MX80"),
    streams=assumed(2, "as printed for the MX80"),
)


def port(hold_queue_packets: float, assumptions: str = "base") -> Port:
    """The 10-Gigabit Ethernet port with a hold-queue as configured, or as a set takes it to be.

    Parameters
    ----------
    hold_queue_packets : float
        As configured [packets].
    assumptions : str
        Name of the set.

    Examples
    --------
    >>> [port(size).queues[0].limit for size in SIZES]
    [ByteLimit(limit_bytes=6500000), PacketLimit(packets=4096)]
    """
    name = esnet.SETS[assumptions].hold_queue_effective
    small = name and hold_queue_packets <= min(SIZES)
    limit = ByteLimit(int(FACTS[name])) if small else PacketLimit(int(hold_queue_packets))
    queue = Queue("all", limit)
    line_bps, around = float(FACTS.line_bps), float(FACTS.layer2_bytes)
    return Port("6506 10GE", line_bps, (queue,), overhead_bytes=around)


def _run(name, title, assumptions, packets, paced_bps=None):
    size = float(FACTS.packet_bytes)
    sender = esnet.host(
        assumptions,
        int(FACTS.streams),
        float(FACTS.round_trip_s),
        float(FACTS.delay_s),
        size,
        paced_bps,
    )
    return Experiment(
        name,
        title,
        port(packets, assumptions),
        (esnet.udp(FACTS.background_bps, size),),
        assumptions,
        duration_s=float(FACTS.duration_s),
        warmup_s=0.0,
        hosts=(sender,),
    )


def experiments(assumptions: str = "base") -> dict[str, Experiment]:
    """The two published tables under a set of assumptions.

    Raises
    ------
    ValueError
        If there is no such set.
    """
    if assumptions not in ASSUMPTIONS:
        raise ValueError(f"assumptions is {assumptions!r}; allowed: {', '.join(ASSUMPTIONS)}")
    sized = [
        _run(f"hold_queue_{size}", f"Hold-queue of {size} packets", assumptions, size)
        for size in SIZES
    ]
    paced = [
        _run(
            f"pace_{rate}G",
            f"Paced at {rate} Gb/s",
            assumptions,
            FACTS.paced_queue_packets,
            units.gbps(float(rate)),
        )
        for rate in PACED
    ]
    return {each.name: each for each in (*sized, *paced)}
