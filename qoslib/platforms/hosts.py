"""The hosts of ESnet's buffer tests, under each declared set of assumptions.

The slides show the routers' buffers, the pacing and the added delay; of the hosts they show no
more than the `tc` commands. What else a host did is assumed, as a set with a name.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from qoslib.flows import (
    Congestion,
    Cubic,
    Flow,
    Host,
    HtbPacing,
    HTcp,
    NetemQueue,
    PathologicalRecovery,
    RateHalving,
    Recovery,
    Reno,
    SackRecovery,
    SlowStart,
)
from qoslib.platforms.platform import Experiment
from qoslib.platforms.provenance import Facts, assumed, fitted
from qoslib.port import ByteLimit, PacketLimit, Port, Queue
from qoslib.traffic import Stream

__all__ = [
    "ASSUMPTIONS",
    "HOSTS",
    "PARAMETERS",
    "SETS",
    "SHARED",
    "host",
    "tcp_test",
    "ten_gigabit",
]

ASSUMPTIONS = {
    "base": "The recovery and slow start of Linux kernels of the time under Reno, from a host at"
    " line rate, with the rates that old tables of tc gave; and small effective buffers where small"
    " ones were configured: in every test of the MX80 with 36 MB or less, and of the 6506 with 2000"
    " packets.",
    "of_the_time": "What ESnet advised then, and its kernels did: H-TCP, rate halving, a packet for"
    " each ACK in slow start, netem's default limit of 1000 bursts, the rates of old tables of tc;"
    " the buffers as configured, nothing fitted.",
    "base_nominal": "As base, paced exactly as configured.",
    "base_mx80": "As base, with the 6506's hold-queue as configured.",
    "base_all": "As base, the MX80's effective buffer fitted on its paced tests too.",
    "base_rfc": "As base, with recovery and slow start as in the RFCs, the effective buffers fitted"
    " anew.",
    "as_configured": "As base, with the buffers as configured.",
    "as_configured_nominal": "As as_configured, paced exactly as configured.",
    "as_configured_rfc": "As base_rfc, with the buffers as configured.",
    "slower": "As as_configured_rfc, from a host that sends no faster than 8.3 Gb/s.",
    "textbook": "CUBIC with today's recovery, paced exactly, the buffers as configured.",
    "textbook_legacy": "As textbook, with the rates of old tables of tc.",
    "of_the_time_nominal": "As of_the_time, paced exactly as configured.",
    "collapse": "As slower, and a rule without a mechanism: many losses at once cost a timeout and"
    " most of the window.",
    "collapse_nominal": "As collapse, paced exactly as configured.",
}


def _keys(table: str, experiments: Sequence[str]) -> list[str]:
    """Keys of what was measured in some experiments of a table."""
    return [f"{table}/{name}/{rest}" for name in experiments for rest in _MEASURED]


_MEASURED = ("/dropped_packets", "tcp/throughput")
_SMALL = _keys("mx80_results", [f"buffer_{size}MB" for size in (36, 24, 12, 6)])
_PACED = _keys("mx80_results", ["pace_6G_bg_2G", "pace_5G_bg_3G", "pace_6G_bg_3G"])
_HELD = _keys("catalyst6506_results", ["hold_queue_2000"])
_COLLAPSED = ", ".join(key for key in _SMALL if key.endswith("throughput"))
_DROPS = ", ".join(key for key in _SMALL if key.endswith("dropped_packets"))

#: Numbers of the hosts that both routers' tests share.
HOSTS = Facts(
    line_bps=assumed(10e9, "8 Gb/s of TCP with 2 Gb/s of UDP are published"),
    layer2_bytes=assumed(38, "Ethernet header, FCS, preamble and gap around 9000 B"),
    header_bytes=assumed(52, "IPv4, and TCP with time stamps, in each packet of 9000 B"),
    window_bytes=assumed(
        48e6,
        "three quarters, what Linux offers, of the 64 MB of buffer that ESnet advised; any window"
        " from 38.5 to 48.6 MB has its first loss between 36 and 60 MB of buffer",
    ),
    burst_packets=assumed(7, "64 kB of segmentation offload in packets of 9000 B"),
    segments_per_ack=assumed(7, "a receiver acknowledges once what its offload (GRO) hands up"),
    segments_per_delayed_ack=assumed(2, "without such offload: RFC 5681, section 4.2"),
    access_bps=assumed(10e9, "10-Gigabit Ethernet"),
    apart_s=assumed(0.05, "two streams that one command starts"),
    jitter_s=assumed(7.2e-6, "one packet time: without any, equal senders keep step"),
    slower_access_bps=fitted(8.3e9, _DROPS, "slower, collapse, collapse_nominal"),
    critical_packets=fitted(20, _COLLAPSED, "collapse, collapse_nominal"),
    threshold_packets=fitted(320, _COLLAPSED, "collapse, collapse_nominal"),
    mx80_effective_bytes=fitted(1.9e6, ", ".join(_SMALL), "base, base_nominal, base_mx80"),
    mx80_effective_all_bytes=fitted(1.35e6, ", ".join((*_SMALL, *_PACED)), "base_all"),
    mx80_effective_rfc_bytes=fitted(1.2e6, ", ".join(_SMALL), "base_rfc"),
    mx80_effective_up_to_bytes=fitted(
        36e6, ", ".join(_SMALL), "base, base_nominal, base_mx80, base_all, base_rfc"
    ),
    hold_queue_effective_bytes=fitted(6.5e6, ", ".join(_HELD), "base, base_nominal, base_all"),
    hold_queue_effective_rfc_bytes=fitted(4.75e6, ", ".join(_HELD), "base_rfc"),
)


#: Fitted numbers of each set: those that say that it may use them.
PARAMETERS = {
    name: tuple(fact for fact in HOSTS.fitted_on if HOSTS[fact].is_used_in(name))
    for name in ASSUMPTIONS
}

#: What both routers with published results declare: rivals without a row for each value, and
#: each set's like with its last fitted numbers taken back.
SHARED: dict[str, Any] = {
    "models": ("fluid", "tcp"),
    "parameters": PARAMETERS,
    "counted": tuple(ASSUMPTIONS)[1:],
    "full_only": tuple(ASSUMPTIONS)[2:],
    "without_fits": {
        "base": "base_mx80",
        "base_mx80": "as_configured",
        "base_nominal": "as_configured_nominal",
        "base_all": "as_configured",
        "base_rfc": "as_configured_rfc",
        "slower": "as_configured_rfc",
        "collapse": "slower",
    },
}


class _Set(NamedTuple):
    """What a set says of a host: its TCP, its queue, its speed, and how its pacing rounds."""

    congestion: Congestion
    recovery: Recovery
    slow_start: SlowStart
    legacy: bool
    access_bps: float = HOSTS.access_bps
    segments_per_ack: int = int(HOSTS.segments_per_ack)
    netem: bool = False
    mx80_effective: str = ""
    hold_queue_effective: str = ""


_ESNET = _Set(
    HTcp(),
    RateHalving(),
    SlowStart(counts="acks", validation="ack"),
    legacy=True,
    segments_per_ack=int(HOSTS.segments_per_delayed_ack),
    netem=True,
)
_RENO = _ESNET._replace(congestion=Reno(), netem=False)
_MX80_RENO = _RENO._replace(mx80_effective="mx80_effective_bytes")
_SMALL_RENO = _MX80_RENO._replace(hold_queue_effective="hold_queue_effective_bytes")
_RFC = _Set(Reno(), SackRecovery(), SlowStart(validation="ack"), legacy=True)
_SMALL_RFC = _RFC._replace(
    mx80_effective="mx80_effective_rfc_bytes",
    hold_queue_effective="hold_queue_effective_rfc_bytes",
)
_TEXTBOOK = _RFC._replace(congestion=Cubic(), slow_start=SlowStart(), legacy=False)
_SLOWER = _RFC._replace(access_bps=HOSTS.slower_access_bps)
_PATHOLOGY = PathologicalRecovery(int(HOSTS.critical_packets), int(HOSTS.threshold_packets))
_COLLAPSE = _SLOWER._replace(recovery=_PATHOLOGY)

#: Each set's host, and the effective buffers that it takes the routers to have.
SETS = {
    "base": _SMALL_RENO,
    "of_the_time": _ESNET,
    "base_nominal": _SMALL_RENO._replace(legacy=False),
    "base_mx80": _MX80_RENO,
    "base_all": _SMALL_RENO._replace(mx80_effective="mx80_effective_all_bytes"),
    "base_rfc": _SMALL_RFC,
    "as_configured": _RENO,
    "as_configured_nominal": _RENO._replace(legacy=False),
    "as_configured_rfc": _RFC,
    "slower": _SLOWER,
    "textbook": _TEXTBOOK,
    "textbook_legacy": _TEXTBOOK._replace(legacy=True),
    "of_the_time_nominal": _ESNET._replace(legacy=False),
    "collapse": _COLLAPSE,
    "collapse_nominal": _COLLAPSE._replace(legacy=False),
}


def ten_gigabit(name: str, limit: ByteLimit | PacketLimit, queue: str = "all") -> Port:
    """A 10-Gigabit Ethernet port with one queue."""
    return Port(name, HOSTS.line_bps, (Queue(queue, limit),), overhead_bytes=HOSTS.layer2_bytes)


def host(assumptions: str, facts: Facts, paced_bps: float | None = None) -> Host:
    """The host that sends TCP."""
    chosen = SETS[assumptions]
    each = Flow(
        "tcp",
        facts.round_trip_s,
        chosen.congestion,
        chosen.recovery,
        chosen.slow_start,
        window_bytes=int(HOSTS.window_bytes),
        mss_bytes=int(facts.packet_bytes - HOSTS.header_bytes),
        frame_bytes=int(facts.packet_bytes),
        mark="tcp",
        segments_per_ack=chosen.segments_per_ack,
    )
    flows = tuple(
        each.replace(name=f"tcp {at + 1}", start_s=at * HOSTS.apart_s)
        for at in range(int(facts.streams))
    )
    table: Literal["nominal", "legacy"] = "legacy" if chosen.legacy else "nominal"
    delay_s = facts.get("delay_s", facts.round_trip_s)
    return Host(
        "sender",
        chosen.access_bps,
        flows,
        burst_packets=int(HOSTS.burst_packets),
        queue=NetemQueue(delay_s=delay_s) if chosen.netem else None,
        pacing=HtbPacing(paced_bps, table) if paced_bps else None,
        jitter_s=HOSTS.jitter_s,
    )


def tcp_test(
    name: str,
    title: str,
    port: Port,
    assumptions: str,
    facts: Facts,
    *,
    background_bps: float | None = None,
    paced_bps: float | None = None,
) -> Experiment:
    """One test: the sending host, and UDP from another host as the background."""
    background_bps = facts.background_bps if background_bps is None else background_bps
    udp = Stream("udp", background_bps, int(facts.packet_bytes), jitter_s=HOSTS.jitter_s)
    return Experiment(
        name,
        title,
        port,
        (udp,),
        assumptions,
        duration_s=facts.duration_s,
        warmup_s=0.0,
        hosts=(host(assumptions, facts, paced_bps),),
    )
