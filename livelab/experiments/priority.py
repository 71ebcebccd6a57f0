"""A priority class that is policed, shaped, strict, or borrows: which counters tell?"""

from livelab.commands import kernel_port
from livelab.experiment import Experiment, Point, published
from qoslib import PacketLimit, Policer, Port, Queue, Scenario, Shaper, Stream, StrictPriority
from qoslib.platforms import isr4331
from qoslib.port import Classifier, PriorityLevels

__all__ = ["POLICED", "PRIORITY", "scenario"]

#: The published test at a fifth of its rates: 20 Mb/s, EF with 6 and the rest with 16.
SCALE = 0.2
FACTS = isr4331.FACTS
LINE_BPS = FACTS.line_bps * SCALE
PRIORITY_BPS = FACTS.priority_bps * SCALE
FRAME_BYTES = int(FACTS.frame_bytes)
LIMITS_PACKETS = {name: round(FACTS[f"limit_{name}_packets"] * SCALE) for name in ("EF", "default")}
#: How long both send, and how much later the second begins [s].
RUN_S, HEAD_START_S = 10.0, FACTS.head_start_s
_SCALED = "at a fifth of the rates"


def scenario(kind: str, ef_bps: float = FACTS.EF_bps * SCALE) -> Scenario:
    """Both streams at one port.

    Parameters
    ----------
    kind : {'conditional', 'unconditional', 'strict', 'shaped', 'borrows'}
        EF comes first, and is policed under congestion alone, or always, or not; or is held to its
        rate by a shaper; or has its rate first, and more while the other class does not need it.
    ef_bps : float
        What EF is asked to send, counted without headers [bit/s].

    Returns
    -------
    Scenario

    Examples
    --------
    >>> scenario("borrows").only_port.queues[1].guaranteed_bps
    16000000.0
    """
    shaper = Shaper(PRIORITY_BPS, LEAST_BURST_BYTES) if kind == "shaped" else None
    policer = POLICERS.get(kind)
    queues = tuple(
        Queue(
            name,
            PacketLimit(LIMITS_PACKETS[name]),
            priority=level,
            guaranteed_bps=PRIORITY_BPS if name == "EF" else LINE_BPS - PRIORITY_BPS,
            shaper=shaper if name == "EF" else None,
            policer=policer if name == "EF" else None,
        )
        for level, name in enumerate(LIMITS_PACKETS)
    )
    port = Port(
        f"EF {kind}",
        LINE_BPS,
        queues,
        StrictPriority() if policer or kind == "strict" else PriorityLevels(),
        overhead_bytes=FACTS.line_bytes,
        classifier=Classifier((("EF", "EF"),), "default"),
    )
    frames = FRAME_BYTES / (FRAME_BYTES - FACTS.header_bytes)
    streams = (
        Stream("EF", ef_bps * frames, FRAME_BYTES, stop_s=RUN_S),
        Stream(
            "default",
            FACTS.default_bps * SCALE * frames,
            FRAME_BYTES,
            start_s=HEAD_START_S,
            stop_s=HEAD_START_S + RUN_S,
        ),
    )
    made = Scenario(f"EF {kind}", port, streams, HEAD_START_S + RUN_S + AFTER_S)
    return made if policer else made.replace(network=kernel_port(port, streams))


#: Every queue is empty so long after the last packet [s]; a burst is a frame, and a little.
AFTER_S, LEAST_BURST_BYTES = 0.5, 3000


BURST_BYTES = round(FACTS.burst_bytes * SCALE)
POLICERS = {
    "conditional": Policer(
        PRIORITY_BPS,
        BURST_BYTES,
        when="congested",
        congestion_packets=int(FACTS.congestion_packets),
        uncongested="keeps",
    ),
    "unconditional": Policer(PRIORITY_BPS, BURST_BYTES),
}


def _point(kind: str) -> Point:
    found = {}
    if kind in ("conditional", "borrows"):
        for stream in ("EF", "default"):
            found[stream, "dropped_packets"] = published(
                "isr4331_iperf3",
                "llq",
                stream,
                "dropped_packets",
                scale=SCALE,
                scaled=_SCALED,
            )
    return Point(kind, scenario(kind), found, counts=True)


PRIORITY = Experiment(
    "priority",
    "Which mechanism holds a priority class back, and which counter tells?",
    tuple(_point(kind) for kind in ("borrows", "shaped", "strict")),
    ("htb", "pfifo", "u32"),
    "isr4331: both streams with LLQ; HTB's borrowing is another mechanism than its policer",
    "Borrowing loses nearly what the policer did, a shaper loses more of EF, and strict priority"
    " loses nothing of EF and takes it from the other class.",
)

_LOUD = scenario("conditional", FACTS.EF_300_bps * SCALE)

POLICED = Experiment(
    "policed",
    "What stops priority from starving the rest?",
    (
        _point("conditional"),
        _point("unconditional"),
        Point("conditional_60_Mbps", _LOUD, {}, counts=True),
    ),
    ("htb", "pfifo", "u32", "BPF"),
    "isr4331: both streams with LLQ, at a fifth of the rates; of the test with 300 Mb/s that the"
    " source announces no value was published",
    "The policer takes what EF sends beyond its rate, and the other class loses little.",
)
