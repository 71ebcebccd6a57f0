"""What a flow does when it learns of losses: one reduction a round trip, or a timeout.

While the first lost packet is missing, the receiver's window stands where it stood: what is lost
may be sent again, and of new packets only as many as the window still had room for. If none of
those were sent, what a recovery sent and lost were repairs, which lower the window no second time.
"""

import math

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.fluid.kernels.growth import begin_epoch, decreased
from qoslib.tcp.kernels.codes import (
    AVOID,
    HALVING,
    NEW_RENO,
    PATHOLOGICAL,
    RECOVER,
    SILENT,
    SLOW,
    TIMEOUT,
)

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
    threshold = decreased(flow)
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
        begin_epoch(flow, now_s)
