"""NewReno's recovery without selective acknowledgements (RFC 6582, section 3.2).

BBR keeps its window to itself and has no threshold: of this it takes what is sent again.
"""

from qoslib.tcp.kernel import kernel
from qoslib.tcp.scoreboard import lose, segment_of
from qoslib.tcp.tables import BBR

__all__ = ["newreno_acts", "newreno_begins", "newreno_ends"]


@kernel
def _sends_first_again(flow, segments):
    first = segment_of(flow, segments, flow.una)
    lose(flow, first, flow.una)


@kernel
def newreno_begins(flow, segments):
    """The first packet goes again; the window counts the packets that have left (step 2)."""
    if flow.law != BBR:
        flow.cwnd = flow.ssthresh + flow.duplicate
    _sends_first_again(flow, segments)


@kernel
def newreno_acts(flow, segments, acked):
    """One more for a duplicate; after a partial ACK the next hole is filled (step 3)."""
    if flow.law != BBR:
        flow.cwnd = flow.cwnd + 1.0 if acked == 0 else max(flow.cwnd - acked + 1.0, 1.0)
    if acked > 0 and flow.lost == 0:
        _sends_first_again(flow, segments)


@kernel
def newreno_ends(flow):
    """Deflate, without a burst (step 3, option 1)."""
    flow.cwnd = min(flow.ssthresh, max(float(flow.flight), 1.0) + 1.0)
