"""The event record of the flows, while there is room for it.

Each row is a call, which a run without the record never makes.
"""

from qoslib.packets.kernels.compiling import rare_kernel
from qoslib.tcp.kernels.codes import MOST_TRIES, TRIES_BITS


@rare_kernel
def note_flow(flow, events, room, kind, index, tag, now_ps):
    """What has happened to a flow, by the tag of the segment that it is about."""
    event = events[len(events) - room[0].left]
    event.kind, event.time_ps, event.flow = kind, now_ps, index
    event.segment, event.tries = tag >> TRIES_BITS, tag & MOST_TRIES
    event.una, event.flight, event.state = flow.una, flow.flight, flow.state
    event.cwnd, event.ssthresh = flow.cwnd, flow.ssthresh
    room[0].left -= 1
