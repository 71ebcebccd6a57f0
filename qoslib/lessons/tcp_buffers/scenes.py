"""Scenes of lesson 06: a TCP sender and a queue, in small."""

from qoslib import units
from qoslib.explore.tcp_view import TcpView, tcp_view
from qoslib.flows import Flow, Host, Reno
from qoslib.port import PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["in_small", "path_scene", "scene"]

LINK_BPS, BACKGROUND_BPS, TRIP_S = units.mbps(4), units.mbps(0.8), units.ms(100)
#: The same alone on a path of 16 packets, so that windows and packets are large.
SHORT_BPS, SHORT_TRIP_S = units.mbps(8), units.ms(24)
PAYLOAD_BYTES, PACKET_BYTES = 1448, 1500
#: How long the flow is watched [s].
SEEN_S, SHORT_SEEN_S = 2.0, 1.5


def in_small(room: int) -> Scenario:
    """A Reno flow at a link of which UDP takes a fifth, as in the published tests.

    The path holds 33 packets; that of the tests holds 6,944.

    Parameters
    ----------
    room : int
        Packets that the queue holds.
    """
    udp = Stream("UDP", BACKGROUND_BPS, PACKET_BYTES)
    return _described("one flow", LINK_BPS, TRIP_S, room, (udp,), SEEN_S)


def _described(name, link_bps, trip_s, room, streams, seen_s):
    port = Port("link", link_bps, (Queue("all", PacketLimit(room)),))
    flow = Flow("TCP", trip_s, Reno(), mss_bytes=PAYLOAD_BYTES, frame_bytes=PACKET_BYTES)
    host = Host("sender", units.mbps(100), (flow,))
    return Scenario(name, port, streams, seen_s, seed=1, hosts=(host,))


def scene() -> TcpView:
    """The same sender at a small and at a large buffer, from the start of its flow."""
    lanes = {"small buffer": in_small(5), "large buffer": in_small(25)}
    badge = "scale model: the path holds 33 packets, not 6,944"
    return tcp_view(lanes, badge=badge)


def path_scene() -> TcpView:
    """A sender alone on a path of 16 packets, with a buffer of a quarter of that."""
    shown = _described("one sender", SHORT_BPS, SHORT_TRIP_S, 4, (), SHORT_SEEN_S)
    return tcp_view(shown)
