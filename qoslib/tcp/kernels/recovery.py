"""When a recovery begins, what it does on each ACK, and when it ends, by the flow's choice.

Proportional rate reduction (RFC 9937, section 6; RFC 6937), rate halving, or NewReno's without
selective acknowledgements (RFC 6582, section 3.2). BBR keeps its window to itself and has no
threshold: of NewReno it takes what is sent again.
"""

import math

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import (
    BBR,
    CONSERVATIVE,
    HALVING,
    LAST_SACK,
    LOSS,
    NEW_RENO,
    OPEN,
    PATHOLOGICAL,
    RECOVERY,
    SAFE,
)
from qoslib.tcp.kernels.scoreboard import lose, lose_all, segment_of
from qoslib.tcp.kernels.timer import MOST_DOUBLINGS, arm, timeout_ps
from qoslib.tcp.kernels.window import resumes, shrinks, yields


@kernel
def _prr_begins(flow, delivered):
    """`delivered` are the packets that the ACK which found the loss reported."""
    flow.prr_delivered = flow.prr_out = 0
    # With what is neither in flight nor lost: selectively acknowledged before this ACK.
    flow.prr_flight = flow.flight + flow.lost + delivered


@kernel
def _refills(flow, delivered, safe):
    """How much may be sent where less is in flight than the threshold."""
    limit = flow.prr_delivered - flow.prr_out
    if flow.bound != CONSERVATIVE:
        limit = max(limit, delivered)
        if flow.bound != SAFE or safe:
            limit += 1
    return min(int(flow.ssthresh) - flow.flight, limit)


@kernel
def _prr_acts(flow, delivered, safe):
    """On every ACK of a recovery: set the window to what is in flight and may be sent."""
    flow.prr_delivered += delivered
    if flow.flight > flow.ssthresh:
        share = flow.prr_delivered * flow.ssthresh / max(flow.prr_flight, 1)
        count = math.ceil(share) - flow.prr_out
    else:
        count = _refills(flow, delivered, safe)
    if flow.prr_out == 0:
        # The first retransmission leaves at once.
        count = max(count, 1)
    flow.cwnd = float(flow.flight + max(count, 0))


@kernel
def _newreno_sends_first(flow, segments):
    first = segment_of(flow, segments, flow.una)
    lose(flow, first, flow.una)


@kernel
def _newreno_begins(flow, segments):
    """The first packet goes again; the window counts the packets that have left (step 2)."""
    if flow.law != BBR:
        flow.cwnd = flow.ssthresh + flow.duplicate
    _newreno_sends_first(flow, segments)


@kernel
def _newreno_acts(flow, segments, acked):
    """One more for a duplicate; after a partial ACK the next hole is filled (step 3)."""
    if flow.law != BBR:
        flow.cwnd = flow.cwnd + 1.0 if acked == 0 else max(flow.cwnd - acked + 1.0, 1.0)
    if acked > 0 and flow.lost == 0:
        _newreno_sends_first(flow, segments)


@kernel
def _newreno_ends(flow):
    """Deflate, without a burst (step 3, option 1)."""
    flow.cwnd = min(flow.ssthresh, max(float(flow.flight), 1.0) + 1.0)


@kernel
def _halving_acts(flow, delivered):
    """Rate halving on every ACK of a recovery: one packet less for every second one."""
    if flow.cwnd > flow.ssthresh:
        flow.cwnd = max(flow.cwnd - delivered / 2.0, flow.ssthresh)
    flow.cwnd = min(flow.cwnd, flow.flight + 1.0)


@kernel
def _begins(flow, segments, delivered, now_ps):
    shrinks(flow, False, now_ps)
    flow.state, flow.recover, flow.lost_here = RECOVERY, flow.next, 0
    flow.reduced_upto = flow.next
    flow.recoveries += 1
    if flow.recovery == NEW_RENO:
        _newreno_begins(flow, segments)
    else:
        _prr_begins(flow, delivered)


@kernel
def _ends(flow, now_ps):
    if flow.state == RECOVERY and flow.law != BBR:
        if flow.recovery == NEW_RENO:
            _newreno_ends(flow)
        elif flow.recovery == HALVING:
            flow.cwnd = min(flow.cwnd, flow.ssthresh)
        else:
            flow.cwnd = flow.ssthresh
    flow.state, flow.duplicates = OPEN, 0
    resumes(flow, now_ps)


@kernel
def _gives_up(flow, found, now_ps):
    """The fitted rule: so many losses at once, and the flow waits for its timer."""
    flow.lost_here += found
    if flow.recovery == PATHOLOGICAL and flow.lost_here >= flow.critical and not flow.given_up:
        flow.given_up = 1
        flow.rto_ps = now_ps + timeout_ps(flow)


@kernel
def _acts(flow, segments, delivered, acked, found):
    if flow.recovery == NEW_RENO:
        _newreno_acts(flow, segments, acked)
    elif flow.law == BBR:
        return
    elif flow.recovery == HALVING:
        _halving_acts(flow, delivered)
    else:
        _prr_acts(flow, delivered, acked > 0 and found == 0)


@kernel
def _counts_duplicates(flow, acked):
    """Without selective acknowledgements: whether enough ACKs have said the same."""
    flow.duplicates = 0 if acked > 0 or flow.next == flow.una else flow.duplicates + 1
    return flow.recovery == NEW_RENO and flow.duplicates == flow.duplicate


@kernel
def _lost_since(flow, segments):
    """Whether the first packet outstanding was lost in a recovery that has ended, and sent again.

    That is a second window with a loss, and lowers the window again (RFC 5681, section 4.3).
    """
    return flow.una < flow.next and segment_of(flow, segments, flow.una).tries > 1


@kernel
def recovers(flow, segments, delivered, acked, found, now_ps):
    """After every ACK, which reported so many delivered, acknowledged and found lost."""
    if flow.state != OPEN and flow.una >= flow.recover:
        _ends(flow, now_ps)
        found += flow.lost
    elif flow.state == OPEN and acked == 0 and delivered > 0:
        found += _lost_since(flow, segments)
    starts = found > 0 if flow.recovery <= LAST_SACK else _counts_duplicates(flow, acked)
    if flow.state == OPEN and starts:
        _begins(flow, segments, delivered, now_ps)
        if flow.recovery == NEW_RENO:
            return
    if flow.state == RECOVERY:
        _gives_up(flow, found, now_ps)
        _acts(flow, segments, delivered, acked, found)


@kernel
def shrinks_once(flow, now_ps):
    """A mark, or a packet lost in the host: at most once a round trip, nothing to send again."""
    if flow.state == OPEN and flow.una >= flow.reduced_upto:
        yields(flow, now_ps)
        flow.reduced_upto = flow.next
        if flow.law != BBR:
            flow.cwnd = min(flow.cwnd, flow.ssthresh)


@kernel
def times_out(flow, segments, now_ps):
    """The timer has run out: one packet, and slow start (RFC 5681, section 3.1)."""
    flow.timeouts += 1
    if flow.state != LOSS:
        shrinks(flow, True, now_ps)
    if flow.given_up:
        flow.ssthresh, flow.given_up = float(flow.threshold), 0
    flow.state, flow.recover, flow.duplicates = LOSS, flow.next, 0
    flow.reduced_upto = flow.next
    flow.cwnd = 1.0
    lose_all(flow, segments)
    flow.backoff = min(flow.backoff + 1, MOST_DOUBLINGS)
    arm(flow, now_ps)
