"""The receiver: what has arrived, and when it says so (RFC 5681, section 4.2).

It learns of a packet when the port's scheduler hands that over: its arrival and the ACK's are
already certain then, so that neither needs an event of its own. The packet may still be on the
line, or behind others in the transmit ring, so `received_by` asks for a time.
"""

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import COUNTED, EXACTLY, TRIES_BITS, UNTIL_CWR
from qoslib.tcp.kernels.places import ack_place
from qoslib.tcp.kernels.scoreboard import segment_of


@kernel
def last_ack(flow, acks):
    """The youngest acknowledgement on its way."""
    return acks[flow.ack_first + ((flow.ack_head + flow.acks - 1) & flow.ack_mask)]


@kernel
def received_by(flow, segments, time_ps):
    """How many segments had arrived in order, each with its last bit, by a time that has come."""
    number = flow.una
    while number < flow.expected and segment_of(flow, segments, number).got_ps <= time_ps:
        number += 1
    return number


@kernel
def count_received(flows, segments, time_ps):
    """At the end of a run."""
    for flow in flows:
        flow.received = received_by(flow, segments, time_ps)


@kernel
def _takes_in(flow, segments, number, at_ps):
    """Note the segment; whether the receiver holds back its acknowledgement."""
    if number < flow.expected:
        return False
    segment = segment_of(flow, segments, number)
    if segment.got != number:
        segment.got, segment.got_ps = number, at_ps
    flow.highest = max(flow.highest, number + 1)
    if number > flow.expected:
        return False
    flow.expected += 1
    filled = flow.highest > flow.expected
    while segment_of(flow, segments, flow.expected).got == flow.expected:
        flow.expected += 1
    flow.unacked += 1
    return not filled and flow.unacked < flow.per_ack


@kernel
def _says(flow, acks, places, arrival_ps, tag, echo, merges):
    """Put an acknowledgement on its way, or make the one held back that."""
    if not merges:
        ack_place(flow, acks, places)
        flow.acks += 1
    ack = last_ack(flow, acks)
    ack.echo = echo
    ack.arrival_ps, ack.upto, ack.tag = arrival_ps, flow.expected, tag


@kernel
def _turns(flow, marked):
    """Whether a receiver for DCTCP sees the first packet with a mark, or the first without."""
    return flow.feedback == EXACTLY and marked != flow.reports


@kernel
def _echo(flow, cwr, marked, merges):
    """What the acknowledgement says of marks.

    Whether there was one since the last CWR (RFC 3168); whether its packets had one, which all or
    none did (RFC 8257); or how many of its packets did (accurate ECN).
    """
    if flow.feedback == UNTIL_CWR:
        flow.reports = 1 if marked else flow.reports * (cwr == 0)
    elif flow.feedback == COUNTED and merges:
        flow.reports += marked
    else:
        flow.reports = marked
    return flow.reports


@kernel
def receive(flow, senders, tag, cwr, marked, at_ps):
    """A packet's last bit leaves the port at `at_ps`."""
    acks = senders.acks
    first_held = last_ack(flow, acks).tag
    merges = flow.held and last_ack(flow, acks).arrival_ps > at_ps + flow.return_ps
    turns = _turns(flow, marked)
    if turns and merges:
        # What is held back leaves before that, and says what was so until now.
        last_ack(flow, acks).arrival_ps = at_ps + flow.return_ps
        merges = False
    if not merges:
        flow.unacked = 0
    in_order = tag >> TRIES_BITS == flow.expected
    holds = _takes_in(flow, senders.segments, tag >> TRIES_BITS, at_ps) and not turns
    arrival_ps = at_ps + flow.return_ps
    if holds:
        # It waits since the first packet that it is for.
        arrival_ps = last_ack(flow, acks).arrival_ps if merges else arrival_ps + flow.ack_delay_ps
    if merges and in_order:
        tag = first_held
    echo = _echo(flow, cwr, marked, merges) if flow.feedback else 0
    _says(flow, acks, senders.places, arrival_ps, tag, echo, merges)
    flow.held = holds
