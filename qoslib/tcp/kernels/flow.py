"""What happens to a flow: an ACK comes in, its timer ends, or it may send again."""

from qoslib.packets.kernels.arrivals import replay
from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.bbr import bbr_acts
from qoslib.tcp.kernels.codes import (
    BBR,
    DCTCP,
    HTCP,
    LAST_SACK,
    MOST_TRIES,
    NOTED_ACK,
    NOTED_TIMEOUT,
    PRAGUE,
    RECOVERY,
    TRIES_BITS,
)
from qoslib.tcp.kernels.dctcp import counts_marks, prague_paces
from qoslib.tcp.kernels.delivery import rate_sample, sent_last
from qoslib.tcp.kernels.events import note_flow
from qoslib.tcp.kernels.htcp import htcp_looks
from qoslib.tcp.kernels.recovery import recovers, shrinks_once, times_out
from qoslib.tcp.kernels.scoreboard import acknowledge, find_lost, sacked, segment_of
from qoslib.tcp.kernels.sender import sends
from qoslib.tcp.kernels.timer import arm, measure
from qoslib.tcp.kernels.window import grows, may_grow


@kernel
def schedule(state, senders, index):
    """Note when something next happens to a flow by itself."""
    flow = senders.flows[index]
    next_ps = min(flow.rto_ps, flow.wake_ps)
    if flow.acks > 0:
        ack = senders.acks[flow.ack_first + (flow.ack_head & flow.ack_mask)]
        next_ps = min(next_ps, ack.arrival_ps)
    if state.streams[flow.row].next_ps != next_ps:
        state.streams[flow.row].next_ps = next_ps
        replay(state.tree, state.streams, flow.row)


@kernel
def _round_trip_ps(flow, segments, tag, now_ps):
    """How long ago the packet left that made the receiver answer; 0 where that is not known."""
    number = tag >> TRIES_BITS
    if number < flow.una:
        return 0
    segment = segment_of(flow, segments, number)
    return now_ps - segment.sent_ps if segment.tries == tag & MOST_TRIES else 0


@kernel
def _delivered(flow, segments, upto, tag):
    """How many packets an ACK newly reports."""
    news = acknowledge(flow, segments, upto)
    number = tag >> TRIES_BITS
    if flow.recovery <= LAST_SACK and number >= flow.una:
        news += sacked(flow, segments, number)
    return news


@kernel
def _answers(flow, senders, acked, delivered, echo, last, was_in_flight, rtt_ps, now_ps):
    """Losses, then the window, which does not grow by what reports marks (RFC 3168, 6.1.2)."""
    found = 0
    if flow.recovery <= LAST_SACK:
        found = find_lost(flow, senders.segments, senders.log)
    else:
        flow.scan = flow.order
    if flow.law == HTCP:
        htcp_looks(flow, acked, now_ps)
    elif flow.law >= DCTCP:
        counts_marks(flow, delivered, echo, now_ps)
    before = flow.state
    recovers(flow, senders.segments, delivered, acked, found, now_ps)
    if flow.law == BBR:
        sample = rate_sample(flow, senders, last, delivered, now_ps)
        rates = senders.rates
        bbr_acts(flow, rates, sample, rtt_ps, was_in_flight, delivered, found, now_ps)
        return
    if flow.law == PRAGUE:
        acked -= echo
    elif echo:
        acked = 0
    if acked > 0 and before == flow.state != RECOVERY and may_grow(flow):
        grows(flow, acked, rtt_ps, now_ps)


@kernel
def _takes_ack(flow, senders, index, now_ps):
    ack = senders.acks[flow.ack_first + (flow.ack_head & flow.ack_mask)]
    upto, tag, echo = ack.upto, ack.tag, ack.echo
    flow.ack_head += 1
    flow.acks -= 1
    if flow.acks == 0:
        flow.held = 0
    rtt_ps = _round_trip_ps(flow, senders.segments, tag, now_ps)
    if rtt_ps > 0:
        measure(flow, rtt_ps)
    acked = max(upto - flow.una, 0)
    last = sent_last(flow, senders.segments, upto, tag) if flow.law == BBR else -1
    was_in_flight = flow.flight
    delivered = _delivered(flow, senders.segments, upto, tag)
    _answers(flow, senders, acked, delivered, echo, last, was_in_flight, rtt_ps, now_ps)
    if echo and flow.una > flow.reduced_upto:
        # The receiver has seen CWR.
        shrinks_once(flow, now_ps)
    if flow.law == PRAGUE:
        prague_paces(flow)
    if acked > 0 and not flow.given_up:
        flow.backoff = 0
        arm(flow, now_ps)
        if flow.una == flow.end:
            flow.finished_ps = now_ps
    if senders.room[0].left > 0:
        note_flow(flow, senders.events, senders.room, NOTED_ACK, index, tag, now_ps)


@kernel
def acts(state, senders, index, now_ps):
    """A flow's event of this time."""
    flow = senders.flows[index]
    if flow.rto_ps <= now_ps:
        flow.rto_ps = NEVER
        if flow.next > flow.una:
            times_out(flow, senders.segments, now_ps)
            if senders.room[0].left > 0:
                tag = flow.una << TRIES_BITS
                note_flow(flow, senders.events, senders.room, NOTED_TIMEOUT, index, tag, now_ps)
    elif flow.acks > 0:
        ack = senders.acks[flow.ack_first + (flow.ack_head & flow.ack_mask)]
        if ack.arrival_ps <= now_ps:
            _takes_ack(flow, senders, index, now_ps)
    sends(state, senders, flow, index, now_ps)
    schedule(state, senders, index)
