"""All six classes of the M120 at 50 Mb/s, with head drop and with tail drop."""

from livelab.commands import kernel_port
from livelab.experiment import Experiment, Point, published
from qoslib import PacketLimit, Port, Queue, Scenario, Stream, run, units
from qoslib.platforms import m120
from qoslib.port import Classifier, Dropper, HeadDrop, PriorityLevels, TailDrop

__all__ = ["SIX_CLASSES", "scenario"]

LINE_BPS = units.mbps(50)
#: As on the router: 1482 B frames and 20 B of preamble and gap.
FRAME_BYTES, OVERHEAD_BYTES = 1482, 20
#: The queue of a class that loses nothing has room for every burst.
ROOM_PACKETS = 400
#: Strict-high has the whole line; here it is promised no more than it sends, and one per cent.
STRICT_HIGH = 0.28
#: The class that the router calls network control has the DSCP CS6.
MARKS = {"NC": "CS6"}


def scenario(dropper: Dropper, duration_s: float = 5.0) -> Scenario:
    """The base test at 1/200 of its rates.

    Parameters
    ----------
    dropper : Dropper
        Of every queue.
    duration_s : float
        Of a run [s].

    Returns
    -------
    Scenario
        A limit is what leaves in 100 ms at the rate served, counted beforehand by the fluid model.

    Examples
    --------
    >>> [queue.limit.packets for queue in scenario(HeadDrop()).only_port.queues][3:]
    [92, 400, 4]
    """
    sent_bps = {
        name: share * LINE_BPS * FRAME_BYTES / (FRAME_BYTES + OVERHEAD_BYTES)
        for name, share in m120.SHARES["base"].items()
    }
    streams = tuple(
        Stream(name, sent_bps[name], FRAME_BYTES, mark=MARKS.get(name, name))
        for name in m120.CLASSES
    )
    room = dict.fromkeys(m120.CLASSES, ROOM_PACKETS)
    first = run(Scenario("room", _port(dropper, room), streams), "fluid")
    for name in m120.CLASSES:
        if first[name].drop_ratio > LOSSY_SHARE:
            pps = units.rate_pps(first[name].sent_bps, FRAME_BYTES)
            room[name] = round(pps * m120.FACTS.delay_buffer_s)
    return Scenario("six classes", _port(dropper, room), streams, duration_s, 1.0)


#: A class that loses less than this in the fluid model is not overloaded [ratio].
LOSSY_SHARE = 1e-3


def _port(dropper: Dropper, room: dict[str, int]) -> Port:
    queues = []
    for original in m120.port().queues:
        name = original.name
        share = STRICT_HIGH if name == "CS4" else m120.FACTS[f"transmit_{name}"]
        queues.append(
            Queue(
                name,
                PacketLimit(room[name]),
                dropper,
                priority=original.priority,
                guaranteed_bps=round(share * LINE_BPS),
            )
        )
    rules = tuple((MARKS.get(name, name), name) for name in m120.CLASSES if name != "BE")
    return Port(
        "six classes",
        LINE_BPS,
        tuple(queues),
        PriorityLevels(),
        overhead_bytes=OVERHEAD_BYTES,
        classifier=Classifier(rules, "BE"),
    )


def _point(name: str, dropper: Dropper) -> Point:
    made = scenario(dropper)
    port = kernel_port(made.only_port, made.streams)
    found = {}
    if isinstance(dropper, HeadDrop):
        for stream in ("CS1", "BE"):
            found[stream, "latency"] = published("m120_latency", "base", stream, "latency")
    return Point(name, made.replace(network=port), found)


SIX_CLASSES = Experiment(
    "six_classes",
    "Why was higher priority 20 times slower?",
    (_point("head", HeadDrop()), _point("tail", TailDrop())),
    ("htb", "pfifo", "pfifo_head_drop", "u32"),
    "m120: base test at 1/200 of its rates",
    "CS1 has the higher priority and more delay than best effort; with tail drop both wait alike.",
)
