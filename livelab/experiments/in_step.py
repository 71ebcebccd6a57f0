"""Two senders in step: what each loses at one queue depends on when it began."""

from livelab.experiment import Experiment, Point
from qoslib import PacketLimit, Port, Queue, Scenario, Stream
from qoslib.platforms import isr4331
from qoslib.traffic import TickedBursts

__all__ = ["IN_STEP", "OFFSETS", "scenario"]

#: The published test at a fifth of its rates, so that its ticks are five times as long.
SCALE = 0.2
FACTS = isr4331.FACTS
TICK_S = FACTS.tick_s / SCALE
RUN_S, LATER_S, AFTER_S = 4.0, 0.4, 0.3
#: By how much of a tick the second stream begins later.
OFFSETS = (0.1, 0.3, 0.5, 0.65, 0.7, 0.75, 0.8, 0.9)


def scenario(offset: float) -> Scenario:
    """Both streams at one queue, without a policy.

    Parameters
    ----------
    offset : float
        Share of a tick between the two streams' ticks [ratio].

    Returns
    -------
    Scenario

    Examples
    --------
    >>> [stream.arrivals.tick_s for stream in scenario(0.5).streams]
    [0.005, 0.005]
    """
    frame_bytes = int(FACTS.frame_bytes)
    frames = frame_bytes / (frame_bytes - FACTS.header_bytes)
    later_s = LATER_S + offset * TICK_S
    streams = tuple(
        Stream(
            name,
            FACTS[f"{name}_bps"] * SCALE * frames,
            frame_bytes,
            TickedBursts(TICK_S),
            start_s=start_s,
            stop_s=RUN_S,
        )
        for name, start_s in (("EF", 0.0), ("default", later_s))
    )
    queue = Queue("all", PacketLimit(round(FACTS.fifo_packets * SCALE)))
    port = Port("one queue", FACTS.line_bps * SCALE, (queue,), overhead_bytes=FACTS.line_bytes)
    return Scenario("in step", port, streams, RUN_S + AFTER_S)


IN_STEP = Experiment(
    "in_step",
    "Two senders, one queue: who loses?",
    tuple(
        Point(f"offset_{each * 100:.0f}", scenario(each), {}, True, "", each, ("drop_ratio",))
        for each in OFFSETS
    ),
    ("htb", "pfifo"),
    "isr4331: both streams without LLQ, at a fifth of the rates",
    "The sender whose ticks come first finds room, and the other pays. Here one program sends both"
    " streams, so that their ticks do not drift as those of two programs do.",
    axis="start offset [ticks]",
)
