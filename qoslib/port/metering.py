"""Token buckets: a policer drops what exceeds them, a shaper makes it wait."""

from typing import Literal

from qoslib.record import AtLeastOne, Count, Positive, Record, record

__all__ = ["Policer", "Shaper"]


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
        dropped only if, as it arrives, at least `congestion_packets` packets wait in the port's
        queues (those already handed to the transmit ring do not count).
    uncongested : {'drains', 'keeps'}
        Whether a packet that passes without congestion takes its tokens, as far as there are any.
    overhead_bytes : int
        What the policer counts on top of each frame [B].
    """

    rate_bps: Positive
    burst_bytes: AtLeastOne
    when: Literal["always", "congested"] = "always"
    congestion_packets: AtLeastOne = 1
    uncongested: Literal["drains", "keeps"] = "drains"
    overhead_bytes: Count = 0


@record
class Shaper(Record):
    """Token bucket behind a queue or a port: a packet waits until its tokens are there."""

    rate_bps: Positive
    burst_bytes: AtLeastOne
