"""What a flow sends: as much as its windows have room for, what was lost first."""

from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import NOT_ECT
from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import (
    BBR,
    CWR,
    IN_FLIGHT,
    MOST_TRIES,
    NOTED_SEND,
    OPEN,
    TRIES_BITS,
    UNTIL_CWR,
)
from qoslib.tcp.kernels.delivery import note_sent
from qoslib.tcp.kernels.events import note_flow
from qoslib.tcp.kernels.host import hand_down, put_on_line
from qoslib.tcp.kernels.places import makes_room
from qoslib.tcp.kernels.recovery import shrinks_once
from qoslib.tcp.kernels.scoreboard import next_lost, segment_of
from qoslib.tcp.kernels.timer import arm


@kernel
def _has(flow, now_ps):
    """Packets there are to send: lost ones, or new ones that fit the receiver's window."""
    if flow.lost > 0:
        return flow.lost
    if now_ps >= flow.stop_ps:
        return 0
    return min(flow.end, flow.una + flow.limit) - flow.next


@kernel
def _burst(flow, room, has):
    """Packets of the next burst; 0 if they had better wait for more room (TSO)."""
    if flow.lost > 0:
        return 1
    count = min(room, has, flow.burst)
    rest, window = flow.end - flow.next, min(flow.cwnd, flow.limit)
    whole = count == flow.burst or count == rest or 3 * count >= window
    return count if whole or flow.flight == 0 or flow.state != OPEN else 0


@kernel
def _ecn_bits(flow, number, tries):
    """What RFC 3168 has a packet say: no retransmission may be marked; or that it carries CWR."""
    if tries > 1:
        return NOT_ECT
    return CWR if number == flow.reduced_upto else 0


@kernel
def _transmit(state, senders, flow, index, now_ps):
    """One segment leaves the socket: a lost one, or the next new one."""
    segments = senders.segments
    if flow.lost > 0:
        number = next_lost(flow, segments)
        segment = segment_of(flow, segments, number)
        segment.tries = min(segment.tries + 1, MOST_TRIES)
        flow.lost -= 1
        flow.retransmitted += 1
    else:
        number = flow.next
        segment = segment_of(flow, segments, number)
        segment.tries = 1
        flow.next += 1
    segment.state, segment.order, segment.sent_ps = IN_FLIGHT, flow.order, now_ps
    tag = number << TRIES_BITS | segment.tries
    senders.log[flow.log_first + (flow.order & flow.log_mask)] = tag
    flow.order += 1
    flow.flight += 1
    flow.prr_out += 1
    if senders.room[0].left > 0:
        note_flow(flow, senders.events, senders.room, NOTED_SEND, index, tag, now_ps)
    if flow.law == BBR:
        note_sent(flow, senders.departures, number, segment.tries, now_ps)
    if flow.feedback == UNTIL_CWR:
        tag |= _ecn_bits(flow, number, segment.tries)
    put_on_line(state, senders, flow, tag)


@kernel
def _paces(flow, pace_ps, count, now_ps):
    """When the socket may send again."""
    if flow.paced:
        gap_ps = max(pace_ps, count * flow.pace_gap_ps)
        flow.pace_ps = max(flow.pace_ps, now_ps) + gap_ps


@kernel
def _refused(flow, count, now_ps):
    """The host's queue is full: the burst stays in the socket, and the window shrinks."""
    flow.dropped_in_host += count
    shrinks_once(flow, now_ps)
    if flow.rto_ps == NEVER:
        flow.rto_ps = now_ps + flow.least_rto_ps


@kernel
def _note_use(flow, limited, sent):
    """Whether this window was used up, or else the most packets that were outstanding in it.

    Noted is the strongest sign in a round trip, as in Linux's `tcp_cwnd_validate` since 6.1; or,
    as before 3.16, how the last packet was sent.
    """
    if not flow.by_round:
        flow.limited = limited
    elif limited or sent:
        out = flow.next - flow.una
        if limited or flow.una >= flow.used_upto or (not flow.limited and out > flow.most_out):
            flow.limited, flow.most_out, flow.used_upto = limited, out, flow.next


@kernel
def _sends(state, senders, flow, index, now_ps):
    """Send all that may be sent now; whether it was the window that ended it."""
    while not flow.given_up:
        has, room = _has(flow, now_ps), int(flow.cwnd) - flow.flight
        if has <= 0:
            return False
        count = _burst(flow, room, has) if room > 0 else 0
        if count == 0:
            return room < has
        if flow.pace_ps > now_ps:
            flow.wake_ps = flow.pace_ps
            return False
        pace_ps = senders.pace_ps[flow.pace_first + count - 1]
        host = senders.hosts[flow.host]
        if not hand_down(host, senders.burst_ends_ps, senders.places, pace_ps, now_ps):
            _refused(flow, count, now_ps)
            return False
        makes_room(senders, flow, count)
        for _ in range(count):
            _transmit(state, senders, flow, index, now_ps)
        _paces(flow, pace_ps, count, now_ps)
        if flow.rto_ps == NEVER:
            arm(flow, now_ps)
    return False


@kernel
def sends(state, senders, flow, index, now_ps):
    """Send all that may be sent now, and note how far the window was used."""
    flow.wake_ps, first = NEVER, flow.next
    limited = _sends(state, senders, flow, index, now_ps)
    _note_use(flow, limited, flow.next > first)
