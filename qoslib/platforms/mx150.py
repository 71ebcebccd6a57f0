"""Juniper MX150: why a 20 Gb/s router forwards 5 Gb/s.

Source mx150: article on throughput before and after PR1531983, with a table and two listings.
"""

from collections.abc import Iterable

from qoslib import units
from qoslib.platforms.platform import Experiment, Platform
from qoslib.platforms.provenance import Facts, assumed, fitted, sourced
from qoslib.port import Chain, Forwarder, Hop, PacketLimit, Pause, Port, Queue
from qoslib.traffic import FrameMix, Stream, imix

__all__ = [
    "FACTS",
    "FRAMES",
    "PLATFORM",
    "before_fix_pps",
    "router",
    "streams",
]

#: What leaves by a port came in at the other.
_LEAVES_BY = {"xe-0/0/12": "xe-0/0/13", "xe-0/0/13": "xe-0/0/12"}

#: The frame lengths of the table [B].
FRAMES = (64, 100, 128, 200, 256, 300, 512, 1024, 1280, 1518)

_BOTH = "mx150_throughput/frame_256//throughput, mx150_throughput/frame_300//throughput"
_BEFORE = "mx150_counters/before_fix/xe-0/0/12"

FACTS = Facts(
    line_bps=sourced(10e9, "mx150_configuration/configuration//line_rate"),
    received_packets=sourced(999_999_999, f"{_BEFORE}/mac_received_packets"),
    longest_s=sourced(166, f"{_BEFORE}/since_cleared"),
    frame_bytes=assumed(64, "the MAC's octets / packets: 63,999,999,936 / 999,999,999"),
    check_bytes=assumed(4, "the traffic statistics count 60 B a packet: no frame check sequence"),
    gap_bytes=assumed(
        20, "preamble and gap, counted in the table: so its rows are one packet rate"
    ),
    clock_ppm=assumed(50, "each port of a generator keeps its own time, IEEE 802.3 allows 100 ppm"),
    queue_packets=assumed(1000, "no buffer is published; what is forwarded does not depend on it"),
    pause_packets=assumed(800, "a fill level for PAUSE below the queue's limit, as it should be"),
    resume_packets=assumed(
        200, "a fill level to go on at; what is forwarded does not depend on it"
    ),
    cap_pps=fitted(7.545e6, _BOTH),
    cap_before_pps=fitted(4.935e6, f"{_BEFORE}/input_packets", "slower"),
)


def router(
    packet_s: float = 1 / FACTS.cap_pps, byte_s: float = 0.0, pause: Pause | None = None
) -> Chain:
    """The software forwarder and the two ports behind it.

    >>> [hop.at.name for hop in router().hops]
    ['vMX', 'xe-0/0/13', 'xe-0/0/12']
    """
    waiting = PacketLimit(int(FACTS.queue_packets))
    ports = [
        Hop(
            Port(out, FACTS.line_bps, (Queue("out", waiting),), overhead_bytes=_GAP),
            (entered,),
        )
        for entered, out in _LEAVES_BY.items()
    ]
    forwarder = Forwarder("vMX", Queue("in", waiting), packet_s, byte_s, pause=pause)
    return Chain("MX150", (Hop(forwarder), *ports))


_GAP = FACTS.gap_bytes


def streams(frame_bytes: int | FrameMix, load: float = 1.0) -> tuple[Stream, ...]:
    """Both directions at a share of the line rate, each named after the port it enters by."""
    mean = frame_bytes.mean_bytes if isinstance(frame_bytes, FrameMix) else frame_bytes
    line_bps = FACTS.line_bps
    rate = load * line_bps * mean / (mean + _GAP)
    clocks_ppm = (0.0, -FACTS.clock_ppm)
    return tuple(
        Stream(name, rate, frame_bytes, access_bps=line_bps, clock_ppm=clock_ppm)
        for name, clock_ppm in zip(_LEAVES_BY, clocks_ppm, strict=True)
    )


def before_fix_pps(lasting_s: float) -> float:
    """What the router forwarded each way before the fix, if the test lasted so long [packets/s]."""
    shortest_s = FACTS.received_packets * units.serialisation_s(
        FACTS.frame_bytes, FACTS.line_bps, _GAP
    )
    if not shortest_s <= lasting_s <= FACTS.longest_s:
        allowed = f"{shortest_s:.4g} to {FACTS.longest_s:g} s"
        raise ValueError(f"lasting_s is {lasting_s!r}; allowed: {allowed}")
    return FACTS.cap_before_pps / len(_LEAVES_BY) * shortest_s / lasting_s


def _run(
    name: str,
    title: str,
    chain: Chain,
    frames: int | FrameMix,
    assumptions: str,
    extra_bytes: float,
) -> Experiment:
    return Experiment(
        name,
        title,
        chain,
        streams(frames),
        assumptions,
        extra_bytes,
        duration_s=units.ms(6),
        warmup_s=units.ms(2),
    )


def _before(assumptions: str) -> Experiment:
    """The router as each rival has it: who obeys PAUSE, and how fast the forwarder is."""
    pause = Pause(int(FACTS.pause_packets), int(FACTS.resume_packets), obeyed=assumptions == "base")
    cap_pps = FACTS.cap_before_pps if assumptions == "slower" else FACTS.cap_pps
    chain = router(1 / cap_pps, pause=pause)
    title = "64 B frames, before the fix"
    return _run("before_fix", title, chain, int(FACTS.frame_bytes), assumptions, -FACTS.check_bytes)


def _described(assumptions: str) -> Iterable[Experiment]:
    """The rows of the table, the two listings and IMIX, or those that a set speaks of."""
    before = _before(assumptions)
    if assumptions != "base":
        return [before]
    table = [
        _run(f"frame_{size}", f"Frames of {size} B", router(), size, "base", _GAP)
        for size in FRAMES
    ]
    frame, extra = int(FACTS.frame_bytes), -FACTS.check_bytes
    after = _run("after_fix", "64 B frames, after the fix", router(), frame, "base", extra)
    mixed = _run("imix", "IMIX", router(), imix(), "base", _GAP)
    return [*table, before, after, mixed]


_IN_AND_OUT = ("input_packets", "output_packets")
_OUT_AND_IN = ("output_packets", "input_packets")

PLATFORM = Platform(
    "mx150",
    FACTS,
    {
        "base": "One forwarder for both directions takes the same time for every packet; before the"
        " fix, its PAUSE frames hold the sender back.",
        "ignored": "Before the fix: the sender takes no notice of PAUSE.",
        "slower": "Before the fix: the sender takes no notice of PAUSE, and the forwarder is"
        " slower, as if the test had lasted no longer than its frames take.",
    },
    _described,
    {"router": router},
    leaves_by=_LEAVES_BY,
    pairs={
        "input_packets": _IN_AND_OUT,
        "input_bytes": _IN_AND_OUT,
        "output_packets": _OUT_AND_IN,
        "output_bytes": _OUT_AND_IN,
        "mac_transmitted_packets": _OUT_AND_IN,
        "mac_transmitted_octets": _OUT_AND_IN,
        "mac_transmitted_unicast_packets": _OUT_AND_IN,
    },
)
