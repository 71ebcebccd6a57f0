"""The receiver: what has arrived, and when it says so (RFC 5681, section 4.2).

It learns of a packet when the port's scheduler hands that over: its arrival and the ACK's are
already certain then, so that neither needs an event of its own. The packet may still be on the
line, or behind others in the transmit ring, so `received_by` asks for a time.
"""

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import TRIES_BITS
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
    ack.echo = echo | (ack.echo if merges else 0)
    ack.arrival_ps, ack.upto, ack.tag = arrival_ps, flow.expected, tag


@kernel
def receive(flow, senders, tag, marked, at_ps):
    """A packet's last bit leaves the port at `at_ps`."""
    acks = senders.acks
    first_held = last_ack(flow, acks).tag
    merges = flow.held and last_ack(flow, acks).arrival_ps > at_ps + flow.return_ps
    if not merges:
        flow.unacked = 0
    in_order = tag >> TRIES_BITS == flow.expected
    holds = _takes_in(flow, senders.segments, tag >> TRIES_BITS, at_ps)
    arrival_ps = at_ps + flow.return_ps
    if holds:
        arrival_ps += flow.ack_delay_ps
    if merges and in_order:
        tag = first_held
    _says(flow, acks, senders.places, arrival_ps, tag, marked, merges)
    flow.held = holds
