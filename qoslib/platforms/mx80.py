"""Juniper MX80: why TCP falls from 8 to 2 Gb/s when the buffer shrinks from 60 to 36 MB.

Source esnet: buffer experiment 1, slides; two TCP streams over 50 ms beside UDP.
"""

from collections.abc import Iterable

from qoslib import units
from qoslib.platforms.hosts import ASSUMPTIONS, HOSTS, SETS, SHARED, tcp_test, ten_gigabit
from qoslib.platforms.platform import Experiment, Platform
from qoslib.platforms.provenance import Facts, sourced
from qoslib.port import ByteLimit, Port

__all__ = ["FACTS", "PACED", "PLATFORM", "SIZES", "port"]

#: Configured buffers of the unpaced tests [MB].
SIZES = (120, 60, 36, 24, 12, 6)
#: Paced rates, and the backgrounds that they stand beside [Gb/s].
PACED, BACKGROUNDS = (3, 4, 5, 6), (2, 3)

FACTS = Facts(
    **HOSTS,
    round_trip_s=sourced(0.05, "mx80_configuration/configuration/tcp/delay_added"),
    packet_bytes=sourced(9000, "mx80_configuration/configuration//mtu"),
    duration_s=sourced(30, "mx80_configuration/configuration//duration"),
    streams=sourced(2, "mx80_configuration/configuration/tcp/streams"),
    background_bps=sourced(2e9, "mx80_configuration/configuration/udp/background_rate"),
    paced_buffer_bytes=sourced(12e6, "mx80_configuration/pacing//buffer"),
)


def port(configured_bytes: float, assumptions: str = "base") -> Port:
    """The 10-Gigabit Ethernet port with a buffer as configured, or as a set takes it to be.

    >>> [port(size, "textbook").queues[0].limit.limit_bytes for size in (60e6, 36e6)]
    [60000000, 36000000]
    """
    name = SETS[assumptions].mx80_effective
    small = name and configured_bytes <= FACTS.mx80_effective_up_to_bytes
    limit = ByteLimit(int(FACTS[name] if small else configured_bytes))
    return ten_gigabit("MX80 10GE", limit)


def _described(assumptions: str) -> Iterable[Experiment]:
    """The three published tables under a set of assumptions."""
    for mb in SIZES:
        at = port(units.megabytes(mb), assumptions)
        yield tcp_test(f"buffer_{mb}MB", f"{mb} MB", at, assumptions, FACTS)
    at = port(FACTS.paced_buffer_bytes, assumptions)
    for beside in BACKGROUNDS:
        for rate in PACED:
            yield tcp_test(
                f"pace_{rate}G_bg_{beside}G",
                f"Paced at {rate} Gb/s beside {beside} Gb/s",
                at,
                assumptions,
                FACTS,
                background_bps=units.gbps(beside),
                paced_bps=units.gbps(rate),
            )


PLATFORM = Platform("mx80", FACTS, ASSUMPTIONS, _described, {"10GE": port}, **SHARED)
