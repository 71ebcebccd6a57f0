"""Cisco Catalyst 6506: a hold-queue of 18 MB costs TCP a third, and pacing moves the cliff.

Source esnet: buffer experiment 2, slides; TCP over 25 + 25 ms beside UDP.
"""

from collections.abc import Iterable

from qoslib import units
from qoslib.platforms.hosts import ASSUMPTIONS, HOSTS, SETS, SHARED, tcp_test
from qoslib.platforms.platform import Experiment, Platform
from qoslib.platforms.provenance import Facts, assumed, sourced
from qoslib.port import ByteLimit, PacketLimit, Port, Queue

__all__ = ["FACTS", "PACED", "PLATFORM", "SIZES", "experiments", "port"]

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
    name = SETS[assumptions].hold_queue_effective
    small = name and hold_queue_packets <= min(SIZES)
    limit = ByteLimit(int(FACTS[name])) if small else PacketLimit(int(hold_queue_packets))
    queue = Queue("all", limit)
    line_bps, around = float(FACTS.line_bps), float(FACTS.layer2_bytes)
    return Port("6506 10GE", line_bps, (queue,), overhead_bytes=around)


def _run(
    name: str, title: str, assumptions: str, packets: float, paced_bps: float | None = None
) -> Experiment:
    way_s = float(FACTS.round_trip_s), float(FACTS.delay_s)
    the_port = port(packets, assumptions)
    return tcp_test(name, title, the_port, assumptions, FACTS, *way_s, paced_bps=paced_bps)


def _described(assumptions: str) -> Iterable[Experiment]:
    """The two published tables under a set of assumptions."""
    for size in SIZES:
        yield _run(f"hold_queue_{size}", f"Hold-queue of {size} packets", assumptions, size)
    packets = FACTS.paced_queue_packets
    for rate in PACED:
        paced_bps = units.gbps(float(rate))
        yield _run(f"pace_{rate}G", f"Paced at {rate} Gb/s", assumptions, packets, paced_bps)


PLATFORM = Platform("catalyst6506", FACTS, ASSUMPTIONS, _described, {"10GE": port}, **SHARED)
experiments = PLATFORM.experiments
