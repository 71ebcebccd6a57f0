"""Cisco Catalyst 6506: a hold-queue of 18 MB costs TCP a third, and pacing moves the cliff.

Source esnet: buffer experiment 2, slides; TCP over 25 + 25 ms beside UDP.
"""

from collections.abc import Iterable

from qoslib import units
from qoslib.platforms.hosts import ASSUMPTIONS, HOSTS, SETS, SHARED, tcp_test, ten_gigabit
from qoslib.platforms.platform import Experiment, Platform
from qoslib.platforms.provenance import Facts, assumed, sourced
from qoslib.port import ByteLimit, PacketLimit, Port

__all__ = ["FACTS", "PACED", "PLATFORM", "SIZES", "port"]

#: Hold-queues of the unpaced tests [packets], and paced rates at the larger one [Gb/s].
SIZES, PACED = (2000, 4096), (5, 6, 7, 8)

FACTS = Facts(
    **HOSTS,
    round_trip_s=sourced(0.05, "catalyst6506_configuration/configuration/tcp/delay_added"),
    delay_s=sourced(0.025, "catalyst6506_configuration/netem_command/tcp/delay_added"),
    packet_bytes=sourced(9000, "catalyst6506_configuration/configuration//mtu"),
    background_bps=sourced(2e9, "catalyst6506_configuration/configuration/udp/background_rate"),
    paced_queue_packets=sourced(4096, "catalyst6506_configuration/pacing//queue_limit"),
    duration_s=assumed(30, "as published for the MX80"),
    streams=assumed(2, "as published for the MX80"),
)


def port(hold_queue_packets: float, assumptions: str = "base") -> Port:
    """The 10-Gigabit Ethernet port with a hold-queue as configured, or as a set takes it to be.

    >>> [port(size).queues[0].limit for size in SIZES]
    [ByteLimit(limit_bytes=6500000), PacketLimit(packets=4096)]
    """
    name = SETS[assumptions].hold_queue_effective
    small = name and hold_queue_packets <= min(SIZES)
    limit = ByteLimit(int(FACTS[name])) if small else PacketLimit(int(hold_queue_packets))
    return ten_gigabit("6506 10GE", limit)


def _described(assumptions: str) -> Iterable[Experiment]:
    """The two published tables under a set of assumptions."""
    for size in SIZES:
        name, at = f"Hold-queue of {size} packets", port(size, assumptions)
        yield tcp_test(f"hold_queue_{size}", name, at, assumptions, FACTS)
    at = port(FACTS.paced_queue_packets, assumptions)
    for rate in PACED:
        name, paced_bps = f"Paced at {rate} Gb/s", units.gbps(rate)
        yield tcp_test(f"pace_{rate}G", name, at, assumptions, FACTS, paced_bps=paced_bps)


PLATFORM = Platform("catalyst6506", FACTS, ASSUMPTIONS, _described, {"10GE": port}, **SHARED)
