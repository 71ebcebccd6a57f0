"""`fair-queue` of a class: a queue for each flow, or for each hash of one, served in turn."""

from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.sourced import Sourced, in_bytes, in_packets, made
from qoslib.config.values import Value
from qoslib.port import ByteLimit, FlowQueues, PacketLimit

__all__ = ["flows_of"]

#: A flow holds so many packets of a class with room for this many times as much.
PART = 4
#: What a flow's queue holds at least: a full frame [B].
_FRAME_BYTES = 1518


def flows_of(
    fair: Value,
    limit: Sourced[PacketLimit | ByteLimit],
    platform: PlatformDefaults,
    rate_bps: float,
) -> Sourced[FlowQueues]:
    """The queues of the flows of a class, each at most a quarter of the class's limit.

    >>> from qoslib.config.mqc.platform_defaults import IOS
    >>> limit = in_packets(64, Value(64, "packets", line=3))
    >>> flows = flows_of(Value(None, line=4), limit, IOS, 1e6).part
    >>> flows.queues, flows.flow_limit
    (256, PacketLimit(packets=16))
    """
    (source,) = limit.sources.values()
    return made(
        FlowQueues,
        queues=fair if fair.value else platform.fair_queues(rate_bps),
        sparse_first=False,
        overflow="arriving",
        drop_at="tail",
        flow_limit=_quarter(limit.part, source),
    )


def _quarter(limit: PacketLimit | ByteLimit, source: Value) -> Sourced[PacketLimit | ByteLimit]:
    if isinstance(limit, PacketLimit):
        return in_packets(limit.packets // PART, source)
    return in_bytes(max(limit.limit_bytes // PART, _FRAME_BYTES), source)
