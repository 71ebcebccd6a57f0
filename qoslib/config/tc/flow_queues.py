"""Qdiscs that keep the packets of flows apart: fq_codel, sfq and fq."""

from qoslib.config.sourced import Sourced, made, number
from qoslib.config.tc.options import Options
from qoslib.config.tc.provenance import Part
from qoslib.config.values import Value
from qoslib.port import FlowQueues, PacketLimit

__all__ = ["FLOW_KINDS", "flow_queues"]

#: The kernel takes no smaller quantum of fq_codel [B].
LEAST_QUANTUM_BYTES = 256
#: A flow of sfq holds no more packets (SFQ_MAX_DEPTH).
MOST_DEPTH_PACKETS = 127


def flow_queues(part: Part) -> Sourced[FlowQueues]:
    """The queues of the flows of a qdisc, as the kernel serves and drops them.

    References
    ----------
    Linux, net/sched/sch_fq_codel.c, sch_sfq.c and sch_fq.c.
    """
    part.lose(*part.options.lost())
    if part.command.kind == "fq":
        part.lose("No flow is paced here, and a new one has one quantum, not initial_quantum.")
    return FLOW_KINDS[part.command.kind](part.options)


def _fq_codel(options: Options) -> Sourced[FlowQueues]:
    quantum = _said(options, "quantum")
    return made(
        FlowQueues,
        queues=_said(options, "flows"),
        quantum_bytes=number(max(quantum.value, LEAST_QUANTUM_BYTES), quantum),
        batch_packets=_said(options, "drop_batch"),
    )


def _sfq(options: Options) -> Sourced[FlowQueues]:
    period, depth = options.said("perturb"), _said(options, "depth")
    return made(
        FlowQueues,
        queues=_said(options, "divisor"),
        quantum_bytes=_said(options, "quantum"),
        sparse_first=False,
        overflow="longest",
        drop_at="head" if "headdrop" in options else "tail",
        flow_limit=_limit(depth._replace(value=min(depth.value, MOST_DEPTH_PACKETS))),
        rehash_s=None if period is None else number(float(period.value), period),
    )


def _fq(options: Options) -> Sourced[FlowQueues]:
    return made(
        FlowQueues,
        queues=_said(options, "buckets"),
        quantum_bytes=_said(options, "quantum"),
        overflow="arriving",
        drop_at="tail",
        flow_limit=_limit(_said(options, "flow_limit")),
    )


def _said(options: Options, name: str) -> Value:
    """An option that is given and not 0, else its default."""
    return options.said(name) or options.default(name)


def _limit(length: Value) -> Sourced[PacketLimit]:
    return made(PacketLimit, packets=length)


#: Kind -> its queues of flows.
FLOW_KINDS = {"fq_codel": _fq_codel, "sfq": _sfq, "fq": _fq}
