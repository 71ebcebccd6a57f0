"""Packets of lesson 09, one by one: the same mix at two of the ports."""

from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.lessons.same_traffic import same_line
from qoslib.port import Port
from qoslib.record import fail
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["SHOWN", "scaled", "scene"]

#: The ports that a scale model shows as they are. The bucket of the Cisco 12000 holds 20 packets
#: of voice; divided, it would hold less than a packet.
SHOWN = ("one queue", "M120", "ISR4331")
#: Rates and queues of a scale model are divided by this, so a full queue keeps its delay.
DIVIDED_BY = 320.0
#: Where the window begins, when all queues are full, and its end [s].
START_S, END_S = 0.8, 0.9


def scaled(name: str) -> Scenario:
    """The mix at a port, of which only the queues that the mix uses are left.

    Parameters
    ----------
    name : str
        One of `SHOWN`.

    Raises
    ------
    ValueError
        If the port is another one.
    """
    if name not in SHOWN:
        fail("port", name, ", ".join(SHOWN))
    streams, port = same_line.streams(), same_line.ports()[name]
    return Scenario(name, _used(port, streams), streams, END_S, seed=1)


def scene(above: str = "one queue", below: str = "M120") -> PacketView:
    """The same packets at two ports, one above the other.

    Parameters
    ----------
    above, below : str
        Two of `SHOWN`.

    Raises
    ------
    ValueError
        If a port is another one.
    """
    lanes = {name: scaled(name) for name in (above, below)}
    return packet_view(lanes, packets=240, start_s=START_S, rates_divided_by=DIVIDED_BY)


def _used(port: Port, streams: tuple[Stream, ...]) -> Port:
    """The port with only the queues that some stream joins."""
    used = {port.queue_of(stream) for stream in streams}
    return port.replace(queues=tuple(q for n, q in enumerate(port.queues) if n in used))
