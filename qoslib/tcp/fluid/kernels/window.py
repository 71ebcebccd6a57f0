"""How a window grows on ACKs and falls at losses: by congestion control, and by recovery.

A flow that learns of losses reduces its window once a round trip, or waits for its timer. While
the first lost packet is missing, the receiver's window stands where it stood: what is lost
may be sent again, and of new packets only as many as the window still had room for. If none of
those were sent, what a recovery sent and lost were repairs, which lower the window no second time.
"""

import math

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import (
    AVOID,
    CUBIC,
    DCTCP,
    HALVING,
    HTCP,
    NEW_RENO,
    PATHOLOGICAL,
    RECOVER,
    SILENT,
    SLOW,
    TIMEOUT,
)

#: A window grows by at most half of itself in a round trip (RFC 9438, section 4.2).
STEEPEST = 1.5
#: Linux's H-TCP: growth in real time is alike for round trips near this one.
SCALE_S, LEAST_SCALE, MOST_SCALE = 0.1, 0.1, 2.0
#: Linux's H-TCP lets its largest round trip sink a little at each loss.
KEPT_RISE = 0.95
THIRD = 1.0 / 3.0


@kernel
def _begin_epoch(flow, now_s):
    """After a recovery, or when slow start has ended: where growth starts from."""
    flow.epoch_s = now_s
    flow.friendly_window = flow.window
    below = max(flow.peak - flow.window, 0.0)
    flow.reach_s = (below / flow.c) ** THIRD


@kernel
def _htcp_beta(flow):
    """``RTT min / RTT max`` within its limits, or the lower one after a large change of rate."""
    changed = abs(flow.rate - flow.old_rate) > flow.switch * flow.old_rate
    ratio = flow.beta_low if changed else flow.least_s / max(flow.most_s, flow.least_s)
    flow.old_rate, flow.rate = flow.rate, 0.0
    flow.most_s = flow.least_s + KEPT_RISE * max(flow.most_s - flow.least_s, 0.0)
    return min(max(ratio, flow.beta_low), flow.beta_high)


@kernel
def _decreased(flow):
    """The threshold after a loss; CUBIC and H-TCP take note of what was reached."""
    beta = flow.beta
    if flow.law == HTCP:
        beta = _htcp_beta(flow)
    if flow.law == CUBIC and flow.fast and flow.window < flow.peak:
        flow.peak = flow.window * (1.0 + beta) / 2.0
    else:
        flow.peak = flow.window
    flow.last_beta = beta
    return max(beta * flow.window, 2.0)


@kernel
def _cubic(flow, acked, rtt_s, now_s):
    """``W(t) = c (t - K)**3 + Wmax`` a round trip from now, no less than Reno would have."""
    after_s = now_s - flow.epoch_s + rtt_s - flow.reach_s
    target = flow.c * after_s * after_s * after_s + flow.peak
    target = min(max(target, flow.window), STEEPEST * flow.window)
    grown = flow.window + acked * (target - flow.window) / flow.window
    if flow.friendly:
        below = flow.friendly_window < flow.peak
        step = 3.0 * (1.0 - flow.beta) / (1.0 + flow.beta) if below else 1.0
        flow.friendly_window += step * acked / flow.window
        grown = max(grown, flow.friendly_window)
    return grown


@kernel
def _htcp(flow, acked, now_s):
    """``alpha = 2 (1 - beta) f`` a round trip, f by the time since the last loss."""
    since_s = now_s - flow.reduced_s - flow.low_s
    factor = 1.0
    if since_s > 0.0:
        factor = 1.0 + 10.0 * since_s + since_s * since_s / 4.0
    if flow.scaling:
        factor *= min(max(flow.least_s / SCALE_S, LEAST_SCALE), MOST_SCALE)
    alpha = 2.0 * (1.0 - flow.last_beta) * max(factor, 1.0)
    return flow.window + alpha * acked / flow.window


@kernel
def _slow_start(flow, acked, rtt_s, now_s):
    """Up to the threshold, or until HyStart sees a rise of the round trip or a long train."""
    flow.window += flow.slow_gain * acked
    rise_s = min(max(flow.rise_share * flow.least_s, flow.rise_low_s), flow.rise_high_s)
    seen = flow.delay_sign and rtt_s > flow.least_s + rise_s
    seen = seen or (flow.train_sign and flow.window > flow.rise_packets)
    if seen or flow.window >= flow.threshold:
        flow.threshold = min(flow.threshold, flow.window)
        flow.phase = AVOID
        flow.peak = max(flow.peak, flow.window)
        _begin_epoch(flow, now_s)


@kernel
def _may_grow(flow, acked, now_s):
    """Whether it was the window that held the flow back; in slow start, half of it is enough."""
    if now_s < flow.limited_s:
        return True
    return flow.by_round and flow.phase == SLOW and flow.window < 2.0 * (flow.outstanding + acked)


@kernel
def grow(flow, acked, rtt_s, now_s):
    """One step of ACKs in slow start or congestion avoidance."""
    flow.least_s = min(flow.least_s, rtt_s)
    flow.most_s = max(flow.most_s, rtt_s)
    flow.rate = max(flow.rate, flow.window / rtt_s)
    if not _may_grow(flow, acked, now_s):
        return
    if flow.phase == SLOW:
        _slow_start(flow, acked, rtt_s, now_s)
    elif flow.law == CUBIC:
        flow.window = _cubic(flow, acked, rtt_s, now_s)
    elif flow.law == HTCP:
        flow.window = _htcp(flow, acked, now_s)
    else:
        flow.window += acked / flow.window
    if not flow.by_round:
        flow.window = min(flow.window, flow.most)


#: A host's queue refuses packets in parts, and ACKs leave parts: from so much on it is a packet.
ONE_PACKET = 0.5


@kernel
def _give_up(flow, threshold, rtt_s, now_s):
    """Silent until the timer ends, then slow start from one packet (RFC 6298, section 5)."""
    flow.phase = SILENT
    flow.timeouts += 1
    flow.until_s = now_s + rtt_s + flow.timeout_s
    flow.threshold = max(threshold, 2.0)
    flow.window = 1.0


@kernel
def _lost_repairs(flow, rtt_s, now_s):
    """Whether what is found lost now was sent in a recovery, and nothing new was."""
    return now_s < flow.until_s + rtt_s and flow.renewed < ONE_PACKET


@kernel
def _reduce(flow, holes, granted, rtt_s, now_s):
    """Lower the threshold, and recover or wait for the timer."""
    threshold = _decreased(flow)
    flow.reduced_s = now_s
    flow.reductions += 1
    flow.holes, flow.granted, flow.renewed = holes, granted, 0.0
    if flow.recovery == TIMEOUT:
        _give_up(flow, threshold, rtt_s, now_s)
        return
    flow.phase = RECOVER
    flow.threshold = threshold
    flow.until_s = now_s + rtt_s * (flow.lost if flow.recovery == NEW_RENO else 1.0)
    if flow.recovery != HALVING:
        flow.window = threshold


@kernel
def learn(flow, lost, rtt_s, now_s):
    """Losses become known; the first ones start a recovery."""
    flow.lost += lost
    if flow.phase == RECOVER:
        flow.holes += lost
        if flow.recovery == NEW_RENO:
            flow.until_s += lost * rtt_s
        if flow.recovery == PATHOLOGICAL and flow.lost >= flow.critical:
            _give_up(flow, flow.new_threshold, rtt_s, now_s)
    elif flow.phase != SILENT and flow.lost >= ONE_PACKET:
        if _lost_repairs(flow, rtt_s, now_s):
            flow.lost = 0.0
        else:
            room = max(flow.most - flow.outstanding, 0.0)
            _reduce(flow, flow.lost, room, rtt_s, now_s)


@kernel
def refuse(flow, lost, rtt_s, now_s):
    """The host's own queue has no room, which its flow knows at once: nothing was sent, no hole."""
    flow.lost += lost
    if flow.lost >= ONE_PACKET:
        _reduce(flow, 0.0, math.inf, rtt_s, now_s)


@kernel
def _after_marks(flow):
    """The window after marks; of DCTCP half the marked share less."""
    if flow.law == DCTCP:
        return max(flow.window * (1.0 - flow.marked_share / 2.0), 2.0)
    return _decreased(flow)


@kernel
def hear(flow, acked, marked, rtt_s, now_s):
    """Marks come back, and shrink the window once in a round trip; what adds to it of the ACKs.

    DCTCP averages the share that is marked, a round trip at a time, and grows by what is not
    marked. To others a receiver reports marks for a round trip, which adds nothing.
    """
    flow.reported += acked
    flow.marked += marked
    if now_s >= flow.window_end_s and flow.reported > 0.0:
        share = min(flow.marked / flow.reported, 1.0)
        flow.marked_share = (1.0 - flow.gain_share) * flow.marked_share + flow.gain_share * share
        flow.reported, flow.marked, flow.window_end_s = 0.0, 0.0, now_s + rtt_s
    if now_s < flow.until_marks_s or flow.phase == RECOVER or flow.phase == SILENT:
        return acked - marked if flow.law == DCTCP else 0.0
    flow.marks += marked
    if flow.marks < ONE_PACKET:
        return acked - marked
    flow.window = flow.threshold = _after_marks(flow)
    flow.marks, flow.phase, flow.until_marks_s = 0.0, AVOID, now_s + rtt_s
    flow.reduced_s = now_s
    _begin_epoch(flow, now_s)
    return 0.0


@kernel
def recover(flow, acked, now_s):
    """A step of a recovery or of silence; when its time is over, growth begins anew.

    Rate halving shrinks the window by half of what is acknowledged, and never lets it be more
    than what is in flight: room that losses left is not used.
    """
    if flow.recovery == HALVING and flow.phase == RECOVER:
        flow.window = max(flow.window - acked / 2.0, flow.threshold)
        flow.window = max(min(flow.window, flow.outstanding + acked), 1.0)
    if now_s < flow.until_s:
        return
    flow.lost = 0.0
    if flow.phase == SILENT or flow.window < flow.threshold:
        flow.phase = SLOW
    else:
        flow.phase = AVOID
        _begin_epoch(flow, now_s)
