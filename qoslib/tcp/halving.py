"""Rate halving: one packet less for every second ACK."""

from qoslib.tcp.kernel import kernel

__all__ = ["halving_acts"]


@kernel
def halving_acts(flow, delivered):
    """On every ACK of a recovery."""
    if flow.cwnd > flow.ssthresh:
        flow.cwnd = max(flow.cwnd - delivered / 2.0, flow.ssthresh)
    flow.cwnd = min(flow.cwnd, flow.flight + 1.0)
