"""What lesson 03 shows packet by packet: queues that take turns, and how long a turn is."""

from functools import partial

from qoslib import units
from qoslib.explore import PacketView, packet_view
from qoslib.lessons import guess_words
from qoslib.port import DeficitRoundRobin, PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["described", "quanta_scene", "scene"]

#: Queue -> its quantum [B] and what it is offered [Mb/s], on a link of 10 Mb/s.
QUEUES = {"voice": (2000, 0.8), "video": (6000, 4.0), "data": (12_000, 8.0)}
FRAME_BYTES = 1000


def scene() -> PacketView:
    """Three short queues that take turns; voice is offered less than its share."""
    return packet_view({"turns": described(packets=12)}, packets=200, start_s=0.3)


def quanta_scene(times: int = 4) -> PacketView:
    """The same packets at two ports, whose quanta are in the same relation to one another.

    Parameters
    ----------
    times : int
        How many times as large the quanta of the second port are.
    """
    ports = (1, times)
    return packet_view(
        {_title(each): described(each) for each in ports},
        packets=240,
        start_s=0.4,
        same_limit=True,
        guess=partial(guess_words, "03.a"),
    )


def described(times: int = 1, packets: int = 30) -> Scenario:
    """The port of the scenes with quanta so many times as large, and its streams.

    Each of its queues has room for so many `packets`.
    """
    queues = tuple(
        Queue(name, PacketLimit(packets), quantum_bytes=quantum * times)
        for name, (quantum, _) in QUEUES.items()
    )
    port = Port("link", units.mbps(10), queues, DeficitRoundRobin())
    # They begin one after the other, so that no two packets arrive at the same time.
    streams = tuple(
        Stream(name, units.mbps(mbps), FRAME_BYTES, start_s=units.us(300 * place))
        for place, (name, (_, mbps)) in enumerate(QUEUES.items())
    )
    return Scenario("turns", port, streams)


def _title(times):
    quanta = [f"{units.convert(quantum * times, 'B', 'kB'):g}" for quantum, _ in QUEUES.values()]
    return f"quanta of {', '.join(quanta[:-1])} and {quanta[-1]} kB"
