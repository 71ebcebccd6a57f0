"""Packets of lesson 05 at the engine of the MX150, one by one."""

from functools import partial

from qoslib import units
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.platforms import mx150
from qoslib.port import Forwarder, PacketLimit, Pause, Queue
from qoslib.scenario import Scenario

__all__ = ["at_the_engine", "pause_scene", "scene"]

#: All rates and counts of packets are divided by this, so that single packets can be seen.
BY = 1000
#: What a packet takes the engine [s].
_PACKET_S = 1 / float(mx150.FACTS.cap_pps)


def at_the_engine(
    frame_bytes: int,
    loads: tuple[float, float] = (1.0, 1.0),
    room: int = 12_000,
    pause: Pause | None = None,
) -> Scenario:
    """The engine of the MX150 without the ports behind it, and what its two links bring.

    The links take turns: in small, a frame of one begins in the middle of a frame of the other.
    """
    engine = Forwarder("engine", Queue("in", PacketLimit(room)), _PACKET_S, pause=pause)
    between_s = units.serialisation_s(frame_bytes, mx150.FACTS.line_bps, mx150.FACTS.gap_bytes) * BY
    streams = tuple(
        link.replace(name=name, rate_bps=load * link.rate_bps, start_s=share * between_s)
        for name, load, share, link in zip(
            ("link 1", "link 2"), loads, (0.0, 0.5), mx150.streams(frame_bytes), strict=True
        )
    )
    return Scenario("engine", engine, streams)


def scene() -> PacketView:
    """The engine twice, both links full: with frames of 64 B and of 512 B."""
    lanes = {f"frames of {size} B": at_the_engine(size) for size in (64, 512)}
    start_s, duration_s = units.ms(5), units.ms(8)
    return packet_view(
        lanes,
        start_s=start_s,
        duration_s=duration_s,
        rates_divided_by=BY,
        same_limit=True,
        guess=partial(guess_words, "05.b"),
    )


def pause_scene() -> PacketView:
    """A busy and a quiet link at an engine that sends no PAUSE, or sends it from 30 packets."""
    senders = {"no PAUSE": None, "PAUSE": Pause(30 * BY, 10 * BY)}
    lanes = {
        title: at_the_engine(64, (0.9, 0.1), 60 * BY, pause) for title, pause in senders.items()
    }
    start_s = duration_s = units.ms(20)
    return packet_view(
        lanes,
        start_s=start_s,
        duration_s=duration_s,
        rates_divided_by=BY,
        same_limit=True,
        guess=partial(guess_words, "05.c"),
    )
