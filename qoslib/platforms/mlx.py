"""Brocade MLX: configured for the same test, without a published result: a prediction.

Source esnet: slide "Brocade MLX results", which shows its configuration and leaves the size of
the queue open.
"""

from collections.abc import Iterable

from qoslib import units
from qoslib.platforms.hosts import HOSTS, tcp_test, ten_gigabit
from qoslib.platforms.platform import Experiment, Platform
from qoslib.platforms.provenance import Facts, assumed, sourced
from qoslib.port import ByteLimit, Port

__all__ = ["FACTS", "PLATFORM", "SIZES", "port"]

#: What the queue's open size may have been [MB]: a band.
SIZES = (1, 2, 4, 8, 16, 32, 64)

FACTS = Facts(
    **{name: fact for name, fact in HOSTS.items() if fact.kind != "fitted"},
    largest_frame_bytes=sourced(9212, "mlx_configuration/configuration//maximum_frame_size"),
    queue_number=sourced(0, "mlx_configuration/configuration//queue_number"),
    packet_bytes=assumed(9000, "as in the tests of the other two"),
    round_trip_s=assumed(0.05, "as in the tests of the other two"),
    background_bps=assumed(2e9, "as in the tests of the other two"),
    duration_s=assumed(30, "as published for the MX80"),
    streams=assumed(2, "as published for the MX80"),
)


def port(queue_bytes: float) -> Port:
    """The 10-Gigabit Ethernet port: all traffic is in queue type 0, of a size that we choose [B].

    >>> port(32e6).queues[0]
    Queue(name='type 0', limit=ByteLimit(limit_bytes=32000000))
    """
    limit = ByteLimit(int(queue_bytes))
    return ten_gigabit("MLX 10GE", limit, queue=f"type {int(FACTS.queue_number)}")


def _described(assumptions: str) -> Iterable[Experiment]:
    """The test that was configured, for each size that the queue may have had."""
    for mb in SIZES:
        name, at = f"Queue of {mb} MB", port(units.megabytes(mb))
        yield tcp_test(f"queue_{mb}MB", name, at, assumptions, FACTS)


PLATFORM = Platform(
    "mlx",
    FACTS,
    {
        "base": "The host of the MX80's base, and a queue as large as it is set.",
        "of_the_time": "The host that the MX80's set of this name has, and a queue as large as it"
        " is set.",
    },
    _described,
    {"10GE": port},
    models=("fluid", "tcp"),
)
