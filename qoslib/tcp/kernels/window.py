"""The window grows with what is acknowledged and shrinks at a loss, by the flow's law.

HyStart leaves slow start when round trips rise or a round's ACKs go on (Ha and Rhee 2011).
"""

from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.bbr import bbr_keeps_window
from qoslib.tcp.kernels.codes import BBR, CUBIC, DCTCP, HTCP, PRAGUE
from qoslib.tcp.kernels.cubic import cubic_grows, cubic_shrinks
from qoslib.tcp.kernels.dctcp import after_marks, prague_grows
from qoslib.tcp.kernels.htcp import htcp_grows, htcp_resumes, htcp_shrinks


@kernel
def _new_round(flow, now_ps):
    flow.round_end, flow.round_ps, flow.train_ps = flow.next, now_ps, now_ps
    flow.round_rtt_ps, flow.sampled = NEVER, 0


@kernel
def _train(flow, now_ps):
    """Whether ACKs without a gap have gone on for a share of the least round trip."""
    if now_ps - flow.train_ps > flow.gap_ps:
        return False
    flow.train_ps = now_ps
    return now_ps - flow.round_ps > int(flow.min_rtt_ps * flow.train_share)


@kernel
def _delay(flow, rtt_ps):
    """Whether the least of the round's first round trips is well above that of all time."""
    if flow.sampled >= flow.samples:
        return False
    flow.sampled += 1
    flow.round_rtt_ps = min(flow.round_rtt_ps, rtt_ps)
    if flow.sampled < flow.samples:
        return False
    rise_ps = min(max(int(flow.min_rtt_ps * flow.share), flow.low_ps), flow.high_ps)
    return flow.round_rtt_ps > flow.min_rtt_ps + rise_ps


@kernel
def _hystart_ends(flow, rtt_ps, now_ps):
    """Whether slow start should end, looked at on every ACK during it."""
    if flow.una > flow.round_end:
        _new_round(flow, now_ps)
    if flow.cwnd < flow.low:
        return False
    by_train = flow.train_sign and _train(flow, now_ps)
    by_delay = flow.delay_sign and rtt_ps > 0 and _delay(flow, rtt_ps)
    return by_train or by_delay


#: Least threshold (RFC 5681, equation 4).
LEAST = 2.0


@kernel
def _reno_grows(flow, acked):
    """Reno: one packet more each round trip (RFC 5681, section 3.1)."""
    flow.cwnd += acked / flow.cwnd


@kernel
def _reno_shrinks(flow):
    """Reno: the window after a loss."""
    return flow.cwnd * flow.beta


@kernel
def _slow_start(flow, acked, rtt_ps, now_ps):
    """Exponential growth; what of the acknowledged packets is left beyond the threshold."""
    if flow.hystart and _hystart_ends(flow, rtt_ps, now_ps):
        flow.ssthresh = flow.cwnd
        return float(acked)
    flow.cwnd += 1.0 if flow.counts_acks else float(acked)
    beyond = max(flow.cwnd - flow.ssthresh, 0.0)
    flow.cwnd -= beyond
    return beyond


@kernel
def may_grow(flow):
    """Whether so much of the window was used that it may grow (Linux's `tcp_is_cwnd_limited`)."""
    if flow.limited:
        return True
    return flow.cwnd < flow.ssthresh and flow.cwnd < 2 * flow.most_out


@kernel
def grows(flow, acked, rtt_ps, now_ps):
    """After so many newly acknowledged packets, where `may_grow` allows it."""
    left = float(acked)
    if flow.cwnd < flow.ssthresh:
        left = _slow_start(flow, acked, rtt_ps, now_ps)
    if left <= 0.0:
        return
    if flow.law == CUBIC:
        cubic_grows(flow, left, now_ps)
    elif flow.law == HTCP:
        htcp_grows(flow, left, now_ps)
    elif flow.law == PRAGUE:
        prague_grows(flow, left)
    else:
        _reno_grows(flow, left)


@kernel
def shrinks(flow, timeout, now_ps):
    """Set the threshold after a loss; how the window gets there is recovery's choice."""
    if flow.law == BBR:
        bbr_keeps_window(flow, timeout)
        return
    if flow.law == CUBIC:
        left = cubic_shrinks(flow, timeout)
    elif flow.law == HTCP:
        left = htcp_shrinks(flow, now_ps)
    else:
        left = _reno_shrinks(flow)
    flow.ssthresh = max(left, LEAST)


@kernel
def yields(flow, now_ps):
    """Set the threshold after marks, or after a packet that was lost in the host."""
    if flow.law >= DCTCP:
        flow.ssthresh = max(after_marks(flow, now_ps), LEAST)
    else:
        shrinks(flow, False, now_ps)


@kernel
def resumes(flow, now_ps):
    """A recovery is over."""
    if flow.law == HTCP:
        htcp_resumes(flow, now_ps)
