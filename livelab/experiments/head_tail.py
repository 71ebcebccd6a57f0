"""Head drop and tail drop at one queue, over the load: the M120's surprise, on one queue."""

from livelab.experiment import Experiment, Point
from qoslib import PacketLimit, Port, Queue, Scenario, Stream, units
from qoslib.port import Dropper, HeadDrop, TailDrop

__all__ = ["HEAD_TAIL", "LOADS", "scenario"]

#: Frames as the kernel counts them, and what the line adds to each: 1042 B on the line.
FRAME_BYTES, OVERHEAD_BYTES = 1018, 24
LINE_BPS = units.mbps(10)
LIMIT_PACKETS = 100
LOADS = (1.2, 1.5, 2.0, 3.0)


def scenario(
    dropper: Dropper, load: float, duration_s: float = 4.0, warmup_s: float = 1.0
) -> Scenario:
    """One queue of 100 packets on 10 Mb/s.

    Parameters
    ----------
    dropper : Dropper
    load : float
        Offered load over the line rate [ratio].
    duration_s, warmup_s : float
        Of a run [s].

    Returns
    -------
    Scenario

    Examples
    --------
    >>> scenario(HeadDrop(), 2.0).streams[0].frame_bytes
    1018
    """
    port = Port(
        "one queue",
        LINE_BPS,
        (Queue("all", PacketLimit(LIMIT_PACKETS), dropper),),
        overhead_bytes=OVERHEAD_BYTES,
    )
    rate = load * LINE_BPS * FRAME_BYTES / (FRAME_BYTES + OVERHEAD_BYTES)
    stream = Stream("all", rate, FRAME_BYTES)
    return Scenario("head and tail drop", port, (stream,), duration_s, warmup_s)


def _points() -> list[Point]:
    return [
        Point(
            f"{name}_{load * 100:.0f}", scenario(dropper, load), {}, series=f"{name} drop", at=load
        )
        for name, dropper in (("tail", TailDrop()), ("head", HeadDrop()))
        for load in LOADS
    ]


HEAD_TAIL = Experiment(
    "head_tail",
    "Which packet should a full queue drop, the oldest or the newest?",
    tuple(_points()),
    ("htb", "pfifo", "pfifo_head_drop"),
    "m120: the same mechanism at one queue; the source has no test of one queue",
    "Loss is the same, but under head drop the delay falls with the load: B / E, not B / T.",
    axis="offered load [times the line rate]",
)
