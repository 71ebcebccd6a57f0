"""H-TCP (Leith and Shorten, PFLDnet 2004) with the constants of Linux."""

from qoslib.packets.kernels.clock import PS_PER_S
from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import OPEN

#: Rises of the round trip beyond these are taken for a change of path, not a longer queue.
_JUMP_PS = PS_PER_S // 50
#: Below this round trip the window is halved.
_SHORT_PS = PS_PER_S // 100
#: The round trip for which alpha is not scaled.
_USUAL_PS = PS_PER_S // 10


@kernel
def _look_at_rate(flow, acked, now_ps):
    """The rate of this epoch, a round trip at a time, and its largest value."""
    flow.bandwidth_count += acked
    passed_ps = now_ps - flow.bandwidth_ps
    if flow.bandwidth_count < flow.cwnd - max(flow.alpha, 1.0) or passed_ps < flow.min_srtt_ps:
        return
    rate = flow.bandwidth_count / passed_ps
    if now_ps - flow.epoch_ps <= 3 * flow.min_srtt_ps:
        flow.mean_rate = flow.max_rate = rate
    else:
        flow.mean_rate = (3.0 * flow.mean_rate + rate) / 4.0
        flow.max_rate = max(flow.max_rate, flow.mean_rate)
    flow.bandwidth_count, flow.bandwidth_ps = 0, now_ps


@kernel
def htcp_looks(flow, acked, now_ps):
    """On every ACK: round trips and rates, while nothing is lost."""
    flow.min_srtt_ps = min(flow.min_srtt_ps, flow.srtt_ps)
    if flow.state != OPEN:
        flow.bandwidth_count, flow.bandwidth_ps = 0, now_ps
        return
    flow.max_srtt_ps = max(flow.max_srtt_ps, flow.min_srtt_ps)
    if flow.max_srtt_ps < flow.srtt_ps <= flow.max_srtt_ps + _JUMP_PS:
        flow.max_srtt_ps = flow.srtt_ps
    _look_at_rate(flow, acked, now_ps)


@kernel
def _set_alpha(flow, now_ps):
    late_s = (now_ps - flow.epoch_ps) / PS_PER_S - flow.low_s
    factor = 1.0
    if late_s > 0.0:
        factor += 10.0 * late_s + late_s * late_s / 4.0
    if flow.scaling:
        factor /= min(max(_USUAL_PS / flow.min_srtt_ps, 0.5), 10.0)
    flow.alpha = 2.0 * max(factor, 1.0) * (1.0 - flow.beta)


@kernel
def _set_beta(flow):
    """From the round trips; the least after a change of rate, and once more after that."""
    before = flow.old_max_rate
    flow.old_max_rate = flow.max_rate
    changed = abs(flow.max_rate - before) > flow.switch * before
    flow.beta = flow.beta_low
    if changed:
        flow.modes = 0
        return
    if flow.modes and flow.min_srtt_ps > _SHORT_PS and flow.max_srtt_ps > 0:
        share = flow.min_srtt_ps / flow.max_srtt_ps
        flow.beta = min(max(share, flow.beta_low), flow.beta_high)
    flow.modes = 1


@kernel
def htcp_grows(flow, acked, now_ps):
    """Alpha packets a round trip."""
    flow.cwnd += acked * flow.alpha / flow.cwnd
    _set_alpha(flow, now_ps)


@kernel
def htcp_shrinks(flow, now_ps):
    """The window after a loss."""
    _set_beta(flow)
    _set_alpha(flow, now_ps)
    if flow.max_srtt_ps > flow.min_srtt_ps:
        longer_ps = flow.max_srtt_ps - flow.min_srtt_ps
        flow.max_srtt_ps = flow.min_srtt_ps + longer_ps * 95 // 100
    flow.epoch_ps = now_ps
    return flow.cwnd * flow.beta


@kernel
def htcp_resumes(flow, now_ps):
    """Time since a loss counts from the end of its repair."""
    flow.epoch_ps = now_ps
