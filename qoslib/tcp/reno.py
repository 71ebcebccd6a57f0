"""Reno's congestion avoidance: one packet more each round trip (RFC 5681, section 3.1)."""

from qoslib.tcp.kernel import kernel

__all__ = ["reno_grows", "reno_shrinks"]


@kernel
def reno_grows(flow, acked):
    """After so many acknowledged packets."""
    flow.cwnd += acked / flow.cwnd


@kernel
def reno_shrinks(flow):
    """The window after a loss."""
    return flow.cwnd * flow.beta
