"""Proportional rate reduction (RFC 9937, section 6; RFC 6937)."""

import math

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import CONSERVATIVE, SAFE


@kernel
def prr_begins(flow, delivered):
    """`delivered` are the packets that the ACK which found the loss reported."""
    flow.prr_delivered = flow.prr_out = 0
    # With what is neither in flight nor lost: selectively acknowledged before this ACK.
    flow.prr_flight = flow.flight + flow.lost + delivered


@kernel
def _refills(flow, delivered, safe):
    """How much may be sent where less is in flight than the threshold."""
    limit = flow.prr_delivered - flow.prr_out
    if flow.bound != CONSERVATIVE:
        limit = max(limit, delivered)
        if flow.bound != SAFE or safe:
            limit += 1
    return min(int(flow.ssthresh) - flow.flight, limit)


@kernel
def prr_acts(flow, delivered, safe):
    """On every ACK of a recovery: set the window to what is in flight and may be sent."""
    flow.prr_delivered += delivered
    if flow.flight > flow.ssthresh:
        share = flow.prr_delivered * flow.ssthresh / max(flow.prr_flight, 1)
        count = math.ceil(share) - flow.prr_out
    else:
        count = _refills(flow, delivered, safe)
    if flow.prr_out == 0:
        # The first retransmission leaves at once.
        count = max(count, 1)
    flow.cwnd = float(flow.flight + max(count, 0))
