"""Token buckets: a policer drops what exceeds them, a shaper makes it wait."""

from typing import Literal

from qoslib import units
from qoslib.record import AtLeastOne, Count, Positive, Record, checked, record

__all__ = ["Policer", "Shaper", "ios_ring_packets"]

#: Line rate [Mb/s] below which the transmit ring of IOS holds so many packets.
_IOS_RINGS = ((2, 2), (10, 4), (20, 8), (30, 16), (40, 32))
#: The transmit ring of IOS at faster lines.
_LONGEST_RING_PACKETS = 64


@record
class Policer(Record):
    """Token bucket in front of a queue (RFC 2697 with two colours): exceeding packets are dropped.

    Parameters
    ----------
    rate_bps : float
        Committed information rate [bit/s].
    burst_bytes : int
        Committed burst size [B].
    when : {'always', 'congested'}
        `congested` is the conditional policer of a low-latency queue: a packet that exceeds is
        dropped only if the port is congested as it arrives.
    congestion_packets : int or None
        The port is congested while at least so many packets wait in its queues. Those already
        handed to the transmit ring do not count. None: while the transmit ring is full.
    uncongested : {'drains', 'keeps'}
        Whether a packet that passes without congestion takes tokens, as far as there are any.
    overhead_bytes : int
        What the policer counts on top of each frame [B].

    Notes
    -----
    IOS counts an interface as congested while its transmit ring is full. Only then do packets wait
    in the queues of a policy, and only then does the policer of `priority` drop. So a port that
    states its ring is congested while a packet waits. A port that states none is assumed to be
    congested while as many packets wait as `ios_ring_packets` says. A short queue never holds so
    many. So the port is also congested while packets wait, once a queue, not a policer, has dropped
    one since the queues were last empty.

    References
    ----------
    Cisco, Document IDs 10107 (what congestion is) and 110850 (which packets the policer sees).
    """

    rate_bps: Positive
    burst_bytes: AtLeastOne
    when: Literal["always", "congested"] = "always"
    congestion_packets: AtLeastOne | None = None
    uncongested: Literal["drains", "keeps"] = "drains"
    overhead_bytes: Count = 0


@record
class Shaper(Record):
    """Token bucket behind a queue or a port: a packet waits until its tokens are there."""

    rate_bps: Positive
    burst_bytes: AtLeastOne


def ios_ring_packets(line_bps: float | None) -> int:
    """How many packets IOS's transmit ring holds by default: a power of 2 set by the line rate.

    Parameters
    ----------
    line_bps : float or None
        Line rate [bit/s]; None for a fast one.

    References
    ----------
    Cisco, Document ID 6142, table of line rates and `txcount`.

    Examples
    --------
    >>> ios_ring_packets(1.5e6), ios_ring_packets(100e6)
    (2, 64)
    """
    line_bps = checked(Positive | None, line_bps, "line_bps")
    for below_mbps, packets in _IOS_RINGS:
        if line_bps is not None and line_bps < units.mbps(below_mbps):
            return packets
    return _LONGEST_RING_PACKETS
