"""Packets of lesson 06: two TCP flows at a queue, in small."""

from qoslib import units
from qoslib.explore.packet_view import PacketView, packet_view
from qoslib.flows import Flow, Host, Reno
from qoslib.port import PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["in_small", "scene"]

LINK_BPS, BACKGROUND_BPS, TRIP_S = units.mbps(8), units.mbps(1.6), units.ms(100)
PAYLOAD_BYTES, PACKET_BYTES = 1448, 1500
#: How long the flows are watched [s].
SEEN_S = 2.0


def in_small(room: int) -> Scenario:
    """Two Reno flows at a link of which UDP takes a fifth, as in the published tests.

    The path holds 53 of their packets; that of the tests holds 5,556.

    Parameters
    ----------
    room : int
        Packets that the queue holds.
    """
    port = Port("link", LINK_BPS, (Queue("all", PacketLimit(room)),))
    flow = Flow("TCP 1", TRIP_S, Reno(), mss_bytes=PAYLOAD_BYTES, frame_bytes=PACKET_BYTES)
    hosts = tuple(
        Host(name, units.mbps(100), (flow.replace(name=name),)) for name in ("TCP 1", "TCP 2")
    )
    udp = Stream("UDP", BACKGROUND_BPS, PACKET_BYTES)
    return Scenario("two flows", port, (udp,), SEEN_S, seed=1, hosts=hosts)


def scene() -> PacketView:
    """The same senders at a small and at a large buffer, from the start of the flows."""
    lanes = {f"buffer of {room} packets": in_small(room) for room in (8, 50)}
    return packet_view(lanes, start_s=0.0, duration_s=SEEN_S)
