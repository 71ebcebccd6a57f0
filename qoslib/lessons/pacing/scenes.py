"""A scene of lesson 07: the same TCP sender, not paced and paced, in small."""

from functools import partial

from qoslib import units
from qoslib.explore.tcp_view import TcpView, tcp_view
from qoslib.flows import Flow, FqPacing, Host, Reno
from qoslib.lessons import guess_words
from qoslib.port import PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["in_small", "scene"]

LINK_BPS, BACKGROUND_BPS, TRIP_S = units.mbps(10), units.mbps(2), units.ms(50)
PAYLOAD_BYTES, PACKET_BYTES = 1448, 1500
#: Packets that a sender has in flight: 6 Mb/s over the round trip.
WINDOW_PACKETS = 25
#: Packets that the queue holds.
ROOM = 8
#: How long the flow is watched [s].
SEEN_S = 0.9


def in_small(paced_bps: float | None) -> Scenario:
    """One TCP flow next to UDP, at a thousandth of the published rates.

    Parameters
    ----------
    paced_bps : float or None
        The rate of the host's pacing [bit/s]; None where it does not pace.
    """
    port = Port("link", LINK_BPS, (Queue("all", PacketLimit(ROOM)),))
    flow = Flow(
        "TCP",
        TRIP_S,
        Reno(),
        mss_bytes=PAYLOAD_BYTES,
        frame_bytes=PACKET_BYTES,
        window_bytes=WINDOW_PACKETS * PAYLOAD_BYTES,
    )
    pacing = None if paced_bps is None else FqPacing(paced_bps)
    host = Host("sender", units.mbps(100), (flow,), pacing=pacing)
    udp = Stream("UDP", BACKGROUND_BPS, PACKET_BYTES)
    return Scenario("one flow", port, (udp,), SEEN_S, seed=1, hosts=(host,))


def scene() -> TcpView:
    """The same sender as fast as its line, and paced at 6 Mb/s, from the start of the flow."""
    lanes = {"not paced": in_small(None), "paced at 6 Mb/s": in_small(units.mbps(6))}
    badge = "scale model: Mb/s in place of Gb/s"
    return tcp_view(lanes, badge=badge, guess=partial(guess_words, "07.a"))
