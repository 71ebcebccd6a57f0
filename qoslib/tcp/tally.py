"""What is counted and noted of flows."""

from qoslib.tcp.kernel import kernel

__all__ = ["begin_counts", "note_flows"]


@kernel
def begin_counts(flows):
    """At the end of the warm-up."""
    for flow in flows:
        flow.received_before = flow.expected
        flow.retransmitted = flow.timeouts = flow.recoveries = flow.marks = 0
        flow.dropped_in_host = flow.first_send_drops = flow.retransmit_drops = 0


@kernel
def note_flows(flows, notes, first_bin, end_bin):
    """At the end of each of these bins: windows and round trips as they are."""
    for edge in range(first_bin, end_bin):
        for index in range(len(flows)):
            flow, note = flows[index], notes[edge, index]
            note.cwnd, note.ssthresh, note.flight = flow.cwnd, flow.ssthresh, flow.flight
            note.last_rtt_ps, note.expected = flow.last_rtt_ps, flow.expected
