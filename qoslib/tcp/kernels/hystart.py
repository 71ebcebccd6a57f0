"""HyStart: leave slow start when round trips rise or a round's ACKs go on (Ha and Rhee 2011)."""

from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.compiling import kernel


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
def hystart_ends(flow, rtt_ps, now_ps):
    """Whether slow start should end, looked at on every ACK during it."""
    if flow.una > flow.round_end:
        _new_round(flow, now_ps)
    if flow.cwnd < flow.low:
        return False
    by_train = flow.train_sign and _train(flow, now_ps)
    by_delay = flow.delay_sign and rtt_ps > 0 and _delay(flow, rtt_ps)
    return by_train or by_delay
