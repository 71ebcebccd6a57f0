"""The event record: what happens to each packet at a port, while there is room for it.

A row is an arrival that joins its queue, a drop, or a packet that the scheduler chooses; the last
kind knows when the packet will be on the line. Each is a call, which a run without the record
never makes.
"""

from qoslib.packets.kernels.codes import DROP as DROPPED
from qoslib.packets.kernels.codes import DRR, ENQUEUE, KEEP, LEVELS, MDRR, SEND, START_TIME
from qoslib.packets.kernels.compiling import rare_kernel

__all__ = ["note_choice", "note_packet"]


@rare_kernel
def note_packet(state, port, packet_class, position, cause, now_ps):
    """A packet joins its queue behind so many others, or is dropped from that position."""
    event = state.events[port.noted]
    event.kind = ENQUEUE if cause == KEEP else DROPPED
    event.time_ps = now_ps
    event.packet_class = packet_class
    event.queue = state.classes[packet_class].queue
    event.position, event.cause = position, cause
    port.noted += 1


@rare_kernel
def note_choice(state, port, packet_class, now_ps):
    """The scheduler has chosen this packet: its state after that, before the packet is paid for."""
    event = state.events[port.noted]
    event.kind, event.cause = SEND, KEEP
    event.time_ps = now_ps
    event.start_ps = max(port.line_ps, now_ps)
    event.packet_class = packet_class
    event.queue = state.classes[packet_class].queue
    event.in_profile = port.in_profile
    for index in range(len(state.queues)):
        queue = state.queues[index]
        value = 0
        if port.scheduler == DRR or port.scheduler == MDRR:
            value = queue.deficit
        elif port.scheduler == START_TIME:
            value = queue.excess_turn_ps
        elif port.scheduler == LEVELS:
            value = queue.turn_ps if port.in_profile else queue.excess_turn_ps
        state.event_values[port.noted, index] = value
    port.noted += 1
