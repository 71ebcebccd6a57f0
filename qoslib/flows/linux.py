"""A Linux host's bursts: how many segments it hands down at once, and how many an ACK is for."""

from qoslib import units
from qoslib.flows.congestion import Bbr
from qoslib.flows.flow import Flow
from qoslib.flows.host import Host
from qoslib.flows.pacing import FqPacing
from qoslib.record import AtLeastOne, Positive, checked

__all__ = ["burst_segments", "linux_host"]

#: Sourced: `sk_pacing_shift` in net/core/sock.c is 10, so a burst lasts 1/1024 s at its pace.
_BURST_S = 2.0**-10
#: Sourced: `tcp_min_tso_segs`. Bursts have two segments at least, however slow the flow is.
_LEAST_SEGMENTS = 2
#: Sourced: `tcp_pacing_ca_ratio`, 120 %. The pace in congestion avoidance, of window / round trip.
_PACE = 1.2
#: Sourced: BBR sets its pace itself, 1 % below its rate. Measured: bursts as of the rate itself.
_PACE_BBR = 1.0
#: Sourced: a GSO packet has 2**16 B at most; its room for headers is assumed to be 321 B.
_MOST_BYTES = 65_215
#: Sourced: `tcp_tso_rtt_log` is 9. Near receivers get longer bursts: the most, halved per 512 us.
_HALVED_S = units.us(512)
#: Sourced: RFC 5681, section 4.2. Measured where the receiver joins no segments.
_SEGMENTS_PER_ACK = 2


def burst_segments(pace_bps: float, segment_bytes: int, round_trip_s: float) -> int:
    """Segments that Linux hands down at once, whether or not the network card cuts them (TSO, GSO).

    Parameters
    ----------
    pace_bps : float
        The socket's pacing rate, of payload [bit/s]: 1.2 times the window per round trip, or what
        BBR or the application sets.
    segment_bytes : int
        Payload of a segment [B].
    round_trip_s : float
        The least that was measured [s].

    Returns
    -------
    int
        At least 2, at most 64 kB.

    Raises
    ------
    ValueError
        If one of them is not positive.

    Notes
    -----
    `tcp_tso_autosize` in net/ipv4/tcp_output.c, as it is since Linux 5.18: what the pace sends in
    about a millisecond, and more where the receiver is near.

    Examples
    --------
    >>> [burst_segments(1.2 * rate, 1448, 0.02) for rate in (10e6, 50e6, 200e6)]
    [2, 5, 20]
    """
    pace_bps = checked(Positive, pace_bps, "pace_bps")
    segment_bytes = checked(AtLeastOne, segment_bytes, "segment_bytes")
    round_trip_s = checked(Positive, round_trip_s, "round_trip_s")
    near_bytes = _MOST_BYTES * 2.0 ** -(round_trip_s // _HALVED_S)
    most_bytes = min(units.octets(pace_bps) * _BURST_S + near_bytes, _MOST_BYTES)
    return max(int(most_bytes // segment_bytes), _LEAST_SEGMENTS)


def linux_host(host: Host, flow_bps: float, joins: bool = True) -> Host:
    """The host with a Linux sender's bursts, and with the ACKs of a Linux receiver.

    Parameters
    ----------
    host : Host
    flow_bps : float
        Payload that a flow is expected to send [bit/s]: a share of the bottleneck.
    joins : bool
        Whether the receiver joins the segments of a burst (GRO, LRO) and acknowledges them at once.
        Otherwise it acknowledges every second segment.

    Returns
    -------
    Host

    Raises
    ------
    ValueError
        If the rate is not positive.

    Notes
    -----
    Bursts are the longest of the flows', and keep their length during a run. Linux sends longer
    ones in slow start, where its pace is twice the window per round trip.

    Examples
    --------
    >>> sender = Host("sender", 1e9, (Flow("a", 0.02, mss_bytes=1448, frame_bytes=1514),))
    >>> made = linux_host(sender, 100e6)
    >>> made.burst_packets, made.flows[0].segments_per_ack
    (10, 10)
    """
    flow_bps = checked(Positive, flow_bps, "flow_bps")
    bursts = {flow: _burst(host, flow, flow_bps) for flow in host.flows}
    flows = tuple(
        flow.replace(segments_per_ack=burst if joins else _SEGMENTS_PER_ACK)
        for flow, burst in bursts.items()
    )
    return host.replace(flows=flows, burst_packets=max(bursts.values()))


def _burst(host: Host, flow: Flow, flow_bps: float) -> int:
    pace_bps = flow_bps * (_PACE_BBR if isinstance(flow.congestion, Bbr) else _PACE)
    if isinstance(host.pacing, FqPacing):
        pace_bps = min(pace_bps, host.pacing.rate_bps)
    return burst_segments(pace_bps, flow.mss_bytes, flow.round_trip_s)
