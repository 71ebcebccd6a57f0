"""Cisco ISR4331: why a policed priority queue does not starve the others.

Source isr4331: QoS LLQ Queue Starvation; iperf3 through a router with a 100 Mb/s port.
"""

from collections.abc import Iterable
from typing import Literal

from qoslib.platforms.platform import Experiment, Platform
from qoslib.platforms.provenance import Facts, assumed, fitted, sourced
from qoslib.port import Classifier, PacketLimit, Policer, Port, Queue, StrictPriority
from qoslib.traffic import Stream, TickedBursts

__all__ = ["FACTS", "PLATFORM", "fifo", "llq", "stream"]

_CONFIGURED = "isr4331_configuration/configuration"
_FITTED_ON = "isr4331_iperf3/llq/EF/dropped_packets"
_LISTED = "isr4331_counters/llq_cumulative"

FACTS = Facts(
    line_bps=sourced(100e6, f"{_CONFIGURED}//line_rate"),
    priority_bps=sourced(20e6, f"{_CONFIGURED}/EF/priority_rate"),
    burst_bytes=sourced(500_000, "isr4331_configuration/llq_idle/EF/policer_burst"),
    limit_EF_packets=sourced(512, "isr4331_configuration/llq_idle/EF/queue_limit"),
    limit_default_packets=sourced(416, "isr4331_configuration/llq_idle/default/queue_limit"),
    EF_bps=sourced(30e6, "isr4331_iperf3/llq/EF/target_rate"),
    EF_300_bps=sourced(300e6, "isr4331_configuration/llq_300/EF/target_rate"),
    default_bps=sourced(80e6, "isr4331_iperf3/llq/default/target_rate"),
    unmarked_bps=sourced(150e6, "isr4331_iperf3/unmarked_alone/default/target_rate"),
    run_s=sourced(10, "isr4331_iperf3/llq/EF/target_duration"),
    sent_EF_packets=sourced(25_896, "isr4331_iperf3/llq/EF/offered_packets"),
    sent_default_packets=sourced(69_055, "isr4331_iperf3/llq/default/offered_packets"),
    listed_EF_packets=sourced(33_613, f"{_LISTED}/EF/class_packets"),
    listed_default_packets=sourced(102_994, f"{_LISTED}/default/class_packets"),
    frame_bytes=assumed(1490, "what the listings count for an EF packet: 38,585,040 B / 25,896"),
    header_bytes=assumed(42, "Ethernet, IP and UDP headers, which iperf3 leaves out: 14 + 20 + 8"),
    line_bytes=assumed(24, "frame check sequence, preamble and gap; the listings leave them out"),
    fifo_packets=assumed(416, "without a policy, as long as class-default with one: 50 ms"),
    hold_queue_packets=assumed(40, "the output hold-queue of IOS before XE"),
    congestion_packets=assumed(16, "more than a tick's packets of both: EF alone exceeds nothing"),
    tick_s=assumed(1e-3, "iperf3's pacing timer unless told otherwise"),
    late_s=assumed(50e-6, "Linux lets a timer be as late, by its default slack"),
    access_bps=assumed(1e9, "the hosts' and the router's other ports are Gigabit Ethernet"),
    within_s=assumed(1.0, "two clients started by hand 'at the same time'"),
    head_start_s=fitted(0.404, _FITTED_ON, "base"),
    head_start_drains_s=fitted(0.771, _FITTED_ON, "drains"),
)

#: What the tables of iperf3 count: the payload of a frame.
_COUNTED_EXTRA = -FACTS.header_bytes
#: After the last packet is sent: longer than any queue takes to drain.
_DRAIN_S = 1.0
#: When the published run starts in `llq_cumulative`, long after the stopped one.
_LATER_S = 20.0


def fifo(limit_packets: float = FACTS.fifo_packets) -> Port:
    """The port without a policy: one queue for all."""
    queue = Queue("all", PacketLimit(int(limit_packets)))
    line = FACTS.line_bps
    return Port("GigabitEthernet0/0/1", line, (queue,), overhead_bytes=FACTS.line_bytes)


def llq(uncongested: Literal["drains", "keeps"] = "keeps") -> Port:
    """The port with the policy of the source: a policed priority queue before all else."""
    police = Policer(
        FACTS.priority_bps,
        int(FACTS.burst_bytes),
        when="congested",
        congestion_packets=int(FACTS.congestion_packets),
        uncongested=uncongested,
    )
    queues = (
        Queue("EF", PacketLimit(int(FACTS.limit_EF_packets)), policer=police, priority=0),
        Queue("default", PacketLimit(int(FACTS.limit_default_packets)), priority=1),
    )
    classifier = Classifier((("EF", "EF"),), default="default")
    return fifo().replace(queues=queues, scheduler=StrictPriority(), classifier=classifier)


def stream(
    name: str,
    payload_bps: float,
    start_s: float = 0.0,
    lasting_s: float = FACTS.run_s,
    mark: str = "",
) -> Stream:
    """One iperf3 client: at each tick it sends what is due, in frames of one size."""
    frame = FACTS.frame_bytes
    return Stream(
        name,
        payload_bps * frame / (frame - FACTS.header_bytes),
        int(frame),
        TickedBursts(FACTS.tick_s),
        mark=mark,
        jitter_s=FACTS.late_s,
        start_s=start_s,
        stop_s=start_s + lasting_s,
        access_bps=FACTS.access_bps,
    )


def _both(
    head_start_s: float = 0.0, later_s: float = 0.0, ef_bps: float = FACTS.EF_bps
) -> tuple[Stream, ...]:
    return (
        stream("EF", ef_bps, later_s),
        stream("default", FACTS.default_bps, later_s + head_start_s),
    )


def _stopped(head_start_s: float) -> tuple[Stream, ...]:
    """An earlier run that the last listing counts too, each client as long as its packets tell."""
    lasting = {
        name: (FACTS[f"listed_{name}_packets"] - sent) / sent * FACTS.run_s
        for name, sent in (("EF", FACTS.sent_EF_packets), ("default", FACTS.sent_default_packets))
    }
    return (
        stream("EF stopped", FACTS.EF_bps, 0.0, lasting["EF"], "EF"),
        stream("default stopped", FACTS.default_bps, head_start_s, lasting["default"], "default"),
    )


def _run(
    name: str,
    title: str,
    port: Port,
    streams: tuple[Stream, ...],
    assumptions: str,
    replications: int = 3,
    within_s: float = 0.0,
) -> Experiment:
    stops = [each.stop_s or 0.0 for each in streams]
    return Experiment(
        name,
        title,
        port,
        streams,
        assumptions,
        _COUNTED_EXTRA,
        duration_s=max(stops) + within_s + _DRAIN_S,
        warmup_s=0.0,
        replications=replications,
        started_within_s=within_s,
    )


def _without_llq(name: str) -> Iterable[Experiment]:
    port = fifo(FACTS.fifo_packets if name == "base" else FACTS.hold_queue_packets)
    unmarked, default = (
        stream("default", rate) for rate in (FACTS.unmarked_bps, FACTS.default_bps)
    )
    yield _run("unmarked_alone", "150 Mb/s unmarked, alone", port, (unmarked,), name)
    yield _run("ef_alone", "30 Mb/s of EF, alone", port, _both()[:1], name)
    yield _run("default_alone", "80 Mb/s unmarked, alone", port, (default,), name)
    yield _run("no_llq", "Both without LLQ", port, _both(), name, 100, FACTS.within_s)


def _with_llq(name: str) -> Iterable[Experiment]:
    base = name == "base"
    port = llq("keeps" if base else "drains")
    head_s = FACTS.head_start_s if base else FACTS.head_start_drains_s
    twice = (*_stopped(head_s), *_both(head_s, _LATER_S))
    loud, later = (_both(by_s, ef_bps=FACTS.EF_300_bps) for by_s in (0.0, head_s))
    yield _run("llq_ef_alone", "LLQ: 30 Mb/s of EF, alone", port, _both()[:1], name)
    yield _run("llq", "LLQ: EF at 30 Mb/s", port, _both(head_s), name, 20)
    yield _run("llq_cumulative", "LLQ: the last listing, two runs", port, twice, name, 20)
    yield _run("llq_300", "LLQ: EF at 300 Mb/s", port, loud, name, 20)
    yield _run("llq_300_later", "LLQ: EF at 300 Mb/s, with a head start", port, later, name, 20)


def _described(assumptions: str) -> Iterable[Experiment]:
    """The published experiments and the announced one, or those that a set speaks of."""
    if assumptions != "drains":
        yield from _without_llq(assumptions)
    if assumptions != "hold_queue":
        yield from _with_llq(assumptions)


PLATFORM = Platform(
    "isr4331",
    FACTS,
    {
        "base": "Under LLQ a packet that the policer passes without congestion takes no tokens, and"
        " the EF client starts first; without it, one queue of 416 packets.",
        "drains": "Under LLQ such a packet takes its tokens, as far as there are any; the EF client"
        " starts first, and its head start is fitted anew.",
        "hold_queue": "Without LLQ, one queue of 40 packets: the output hold-queue that older IOS"
        " has.",
    },
    _described,
    {"fifo": fifo, "llq": llq},
    not_described={
        "llq_idle": "the listing is of the time before any traffic: every counter is still 0",
    },
)
