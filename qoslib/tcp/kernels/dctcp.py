"""DCTCP and Prague: the window shrinks by the share of packets that were marked.

DCTCP is that of RFC 8257, section 3.3. Prague is that of draft-briscoe-iccrg-prague-congestion-
control-04 and of Linux's tcp_prague.c, as `qoslib.flows.Prague` says.
"""

from qoslib.packets.kernels.clock import PS_PER_S
from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import PRAGUE

#: A burst of Prague takes no longer than this at its rate: 2**-12 s.
_BURST_PS = PS_PER_S >> 12


@kernel
def _as_if_longer(flow):
    """Whether a Prague flow behaves by now as if its round trip were no shorter than the target."""
    return flow.law == PRAGUE and flow.windows >= flow.transition


@kernel
def counts_marks(flow, delivered, echo, now_ps):
    """On every ACK: after each window of data, or each target time, average the share marked."""
    flow.reported += delivered
    flow.reported_marked += echo if flow.law == PRAGUE else delivered * (echo > 0)
    if flow.una <= flow.window_end:
        return
    if _as_if_longer(flow) and now_ps - flow.averaged_ps < flow.target_ps:
        return
    if flow.saw_mark:
        share = min(flow.reported_marked / max(flow.reported, 1), 1.0)
        flow.marked_share = (1.0 - flow.gain_share) * flow.marked_share + flow.gain_share * share
        flow.averaged_ps = now_ps
    flow.window_end, flow.reported, flow.reported_marked = flow.next, 0, 0
    if flow.cwnd >= flow.ssthresh:
        flow.windows += 1


@kernel
def after_marks(flow, now_ps):
    """The window after marks: half the marked share less; of Prague once each target time."""
    if not flow.saw_mark:
        flow.saw_mark, flow.yielded_ps = 1, now_ps
        return flow.cwnd / 2.0
    if _as_if_longer(flow) and now_ps - flow.yielded_ps < flow.target_ps:
        return flow.cwnd
    flow.yielded_ps = now_ps
    return flow.cwnd * (1.0 - flow.marked_share / 2.0)


@kernel
def prague_grows(flow, acked):
    """One packet more for each round trip; as if it were the target's, where it is shorter."""
    share = 1.0
    if _as_if_longer(flow) and flow.srtt_ps < flow.target_ps:
        share = flow.srtt_ps / flow.target_ps
    flow.cwnd += acked * (share * share) / flow.cwnd


@kernel
def prague_paces(flow):
    """A window each round trip, two of them at the beginning of slow start."""
    rate = max(flow.cwnd, float(flow.flight)) / max(flow.srtt_ps, 1)
    if flow.cwnd < flow.ssthresh / 2.0:
        rate *= 2.0
    flow.pace_gap_ps = int(1.0 / rate)
    flow.burst = min(max(int(rate * _BURST_PS), 1), flow.most_burst)
