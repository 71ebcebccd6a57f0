"""CUBIC (RFC 9438, section 4)."""

from qoslib.packets.kernels.clock import NEVER, PS_PER_S
from qoslib.packets.kernels.compiling import kernel


@kernel
def _begin_epoch(flow, now_ps):
    """Congestion avoidance begins: the plateau is the last peak, or here where that is passed."""
    flow.epoch_ps = now_ps
    flow.w_max = max(flow.w_max, flow.cwnd)
    flow.k_s = ((flow.w_max - flow.cwnd) / flow.c) ** (1.0 / 3.0)
    flow.w_est = flow.cwnd


@kernel
def _as_reno(flow, acked):
    """The window Reno would have with this beta (section 4.3)."""
    alpha = 1.0
    if flow.w_est < flow.prior:
        alpha = 3.0 * (1.0 - flow.beta) / (1.0 + flow.beta)
    flow.w_est += alpha * acked / flow.cwnd


@kernel
def _cubic(flow, age_s):
    late_s = age_s - flow.k_s
    return flow.c * (late_s * late_s * late_s) + flow.w_max


@kernel
def cubic_grows(flow, acked, now_ps):
    """After so many acknowledged packets: towards the cubic's value a round trip ahead."""
    if flow.epoch_ps == NEVER:
        _begin_epoch(flow, now_ps)
    age_s = (now_ps - flow.epoch_ps) / PS_PER_S
    if flow.friendly:
        _as_reno(flow, acked)
        if _cubic(flow, age_s) < flow.w_est:
            flow.cwnd = max(flow.cwnd, flow.w_est)
            return
    target = _cubic(flow, age_s + flow.srtt_ps / PS_PER_S)
    target = min(max(target, flow.cwnd), 1.5 * flow.cwnd)
    flow.cwnd += (target - flow.cwnd) / flow.cwnd * acked


@kernel
def cubic_shrinks(flow, timeout):
    """The window after a loss; after a timeout the next peak is unknown (section 4.8)."""
    below = flow.fast and flow.cwnd < flow.w_max
    flow.w_max = flow.cwnd * (1.0 + flow.beta) / 2.0 if below else flow.cwnd
    if timeout:
        flow.w_max = 0.0
    flow.prior = flow.cwnd
    flow.epoch_ps = NEVER
    return flow.cwnd * flow.beta
