"""Juniper M120: why a higher-priority queue can have 20 times the delay of best effort.

Source m120: Juniper Networks, M120 Class-of-Service Behavior Analysis, 2008.
"""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from qoslib import units
from qoslib.platforms.platform import Experiment, Platform
from qoslib.platforms.provenance import Facts, assumed, fitted, sourced
from qoslib.port import DropProfile, HeadDrop, Port, PriorityLevels, Queue, TimeLimit
from qoslib.record import fail
from qoslib.traffic import Stream

__all__ = ["CLASSES", "FACTS", "PLATFORM", "port", "streams"]

#: Classes in the order of service: strict-high, high, medium-high, medium-low, low, low.
CLASSES = ("CS4", "NC", "CS3", "CS1", "CS2", "BE")

_CONFIGURED = "m120_configuration/configuration"
_FASTEST = "m120_latency/profile1/CS4/latency, m120_latency/profile2/CS4/latency"

FACTS = Facts(
    line_bps=sourced(10e9, "m120_offered/base//line_rate"),
    frame_bytes=sourced(1482, "m120_offered/base//frame_size"),
    frame_scenario2_bytes=sourced(1400, "m120_offered/profile1//frame_size"),
    layer2_bytes=assumed(18, "Ethernet header and FCS: the counters show 1464 B a packet of 1482"),
    gap_bytes=assumed(20, "preamble and gap: 10 Gb/s then carries the 9747 layer-3 Mb/s published"),
    delay_buffer_s=sourced(0.1, f"{_CONFIGURED}//delay_buffer"),
    temporal_s=sourced(5e-3, "m120_configuration/base_temporal/CS1/temporal_buffer"),
    profile_fill=sourced(0.1, "m120_configuration/base_drop_profile/CS1/fill_level"),
    transmit_NC=sourced(0.01, f"{_CONFIGURED}/NC/transmit_rate"),
    transmit_CS3=sourced(0.34, f"{_CONFIGURED}/CS3/transmit_rate"),
    transmit_CS2=sourced(0.63, f"{_CONFIGURED}/CS2/transmit_rate"),
    transmit_CS1=sourced(0.01, f"{_CONFIGURED}/CS1/transmit_rate"),
    transmit_BE=sourced(0.01, f"{_CONFIGURED}/BE/transmit_rate"),
    transmit_CS4=assumed(1.0, "strict-high has the whole line: 'Link' in the tables of scenario 2"),
    generator=sourced(207_964, "m120_counters/base/BE/offered"),
    transit_s=fitted(70.994e-6, _FASTEST),
)

#: Offered shares of the line, of 1482 B packets [ratio].
SHARES = {
    "base": dict(CS4=0.27, NC=0.02, CS3=0.25, CS1=0.25, CS2=0.23, BE=0.25),
    "scenario1": dict(CS4=0.73, NC=0.02, CS3=0.25, CS1=0.25, CS2=0.23, BE=0.25),
}

#: Offered rates of scenario 2, taken as rates on the line [Mb/s]: so they sum to 10.0 Gb/s served.
RATES_MBPS = {
    "profile1": dict(CS4=2500, NC=100, CS3=2500, CS1=200, CS2=4700, BE=2500),
    "profile2": dict(CS4=2500, NC=100, CS3=2500, CS1=2500, CS2=4700, BE=200),
}

#: What the rates of scenario 2 count of each packet on top of it [B], by reading; the other
#: experiments' counters show bits of packets.
_COUNTED_EXTRA = {
    "base": FACTS.layer2_bytes + FACTS.gap_bytes,
    "frames": FACTS.layer2_bytes,
}

_PRIORITY = dict(CS4=0, NC=1, CS3=2, CS1=3, CS2=4, BE=4)


def _rate(name: str) -> float:
    return FACTS[f"transmit_{name}"]


def _queue(name: str, **changes: Any) -> Queue:
    """A class as configured: head drop, and a buffer of 100 ms at the rate it is served (MAD)."""
    queue = Queue(
        name,
        TimeLimit(FACTS.delay_buffer_s, at="served"),
        HeadDrop(),
        priority=_PRIORITY[name],
        guaranteed_bps=_rate(name) * FACTS.line_bps,
        weight=_rate(name),
    )
    return queue.replace(**changes)


def port(**changed: dict[str, Any]) -> Port:
    """The 10-Gigabit Ethernet port, with fields of some queues changed.

    >>> port(CS1={"weight": 2.0}).queues[3].weight
    2.0
    """
    return Port(
        "M120 10GE",
        FACTS.line_bps,
        tuple(_queue(name, **changed.get(name, {})) for name in CLASSES),
        PriorityLevels(),
        overhead_bytes=FACTS.layer2_bytes + FACTS.gap_bytes,
        base_delay_s=FACTS.transit_s,
    )


def streams(
    shares: Mapping[str, float], frame_bytes: float = FACTS.frame_bytes
) -> tuple[Stream, ...]:
    """One stream per class, offered as a share of the line, in the order given.

    >>> [stream.name for stream in streams({"BE": 1.0, "CS1": 0.3})]
    ['BE', 'CS1']
    """
    if not isinstance(shares, Mapping):
        fail("shares", shares, "a share for each class, like {'CS4': 0.1, 'BE': 1.2}")
    for name, share in shares.items():
        if name not in CLASSES:
            fail("class", name, ", ".join(CLASSES))
        if isinstance(share, bool) or not isinstance(share, Real):
            fail(f"the share of {name}", share, "a number like 0.1, for 10 % of the line")
    packet_bytes = int(frame_bytes - FACTS.layer2_bytes)
    on_line = packet_bytes + FACTS.layer2_bytes + FACTS.gap_bytes
    return tuple(
        Stream(name, share * FACTS.line_bps * packet_bytes / on_line, packet_bytes)
        for name, share in shares.items()
    )


def _generator() -> float:
    """What the generator sent of what the traffic profile says [ratio]."""
    frame_on_line = FACTS.frame_bytes + FACTS.gap_bytes
    return FACTS.generator / (SHARES["base"]["BE"] * units.rate_pps(FACTS.line_bps, frame_on_line))


def _offered(name: str, assumptions: str) -> tuple[Stream, ...]:
    sent_share = _generator() if assumptions == "generator" else 1.0
    if name in SHARES:
        return streams({c: share * sent_share for c, share in SHARES[name].items()})
    frame_on_line = FACTS.frame_scenario2_bytes + FACTS.gap_bytes
    counted = FACTS.frame_scenario2_bytes - FACTS.layer2_bytes + _COUNTED_EXTRA[assumptions]
    bps = {c: units.mbps(rate) * frame_on_line / counted for c, rate in RATES_MBPS[name].items()}
    shares = {c: rate_bps / FACTS.line_bps for c, rate_bps in bps.items()}
    return streams(shares, FACTS.frame_scenario2_bytes)


def _described(assumptions: str) -> Iterable[Experiment]:
    """The six published experiments, or those that a set of assumptions speaks of."""
    differs = RATES_MBPS if assumptions == "frames" else SHARES
    profile = DropProfile(((FACTS.profile_fill, 1.0),), drop_at="head")
    # The manuals multiply by the speed of the interface, which would make it 20 ms, not 3.2 ms.
    temporal = TimeLimit(FACTS.temporal_s, at="served")
    table = [
        ("base", "Base test: CS4 at 27 %", port(), "base"),
        ("base_drop_profile", "CS1 with a drop profile", port(CS1={"dropper": profile}), "base"),
        ("base_temporal", "CS1 with a buffer of 5 ms", port(CS1={"limit": temporal}), "base"),
        ("scenario1", "Scenario 1: CS4 at 73 %", port(), "scenario1"),
        ("profile1", "Scenario 2, profile 1: BE at 2.5 Gb/s", port(), "profile1"),
        ("profile2", "Scenario 2, profile 2: CS1 at 2.5 Gb/s", port(), "profile2"),
    ]
    for name, title, the_port, load in table:
        if assumptions == "base" or load in differs:
            yield Experiment(
                name,
                title,
                the_port,
                _offered(load, assumptions),
                assumptions,
                _COUNTED_EXTRA[assumptions] if load in RATES_MBPS else 0.0,
                models=("fluid",) if assumptions == "frames" else (),
            )


PLATFORM = Platform(
    "m120",
    FACTS,
    {
        "base": "Offered rates exactly as the shares published in the traffic profiles.",
        "generator": "Base test and scenario 1 with every offered rate as much below its published"
        " share as the counters of the base test show for BE: 207,964 instead of 208,056"
        " packets/s, 0.04 %.",
        "frames": "Scenario 2 with its Mb/s as rates of frames, without preamble and gap. Excluded"
        " by the latencies: CS2 and NC would overflow.",
    },
    _described,
    {"10GE": port},
    not_described={
        "customer": "the customer's case (strict-high, 2:1) is the source's opening question:"
        " neither its traffic nor its configuration is published, and no test of the source"
        " reproduces it",
    },
    ratios={"drop_rate_ratio": ("dropped_pps", "BE", "CS1")},
)
