"""The event record: what happens to each packet at a port, while there is room for it.

A row is an arrival that joins its queue, a drop, or a packet that the scheduler chooses. Each is a
call, which a run without the record never makes.
"""

from qoslib.packets.kernels.codes import (
    BY_CODEL,
    BY_PIE,
    BY_PORT,
    DRR,
    ENQUEUE,
    KEEP,
    LEVELS,
    MDRR,
    SEND,
    START_TIME,
    TINS,
    WRR,
)
from qoslib.packets.kernels.codes import DROP as DROPPED
from qoslib.packets.kernels.compiling import kernel, rare_kernel


@kernel
def _early(queue):
    """What an early dropper goes by; CoDel's count is that of its dropping state."""
    if queue.dropper == BY_PIE:
        return queue.probability
    if queue.dropper == BY_CODEL:
        return float(queue.drops if queue.dropping else 0)
    return queue.looked


@kernel
def _note_pause(port, queue, event, now_ps):
    """What the queue, or the port for all of its senders, had asked for before the event."""
    event.asked, event.order_ps = queue.asked, queue.last_order_ps
    if port.pauses == BY_PORT:
        event.asked, event.order_ps = port.pause_last_ps > now_ps, port.pause_last_ps


@rare_kernel
def note_packet(port, queue, events, classes, packet_class, position, cause, now_ps):
    """A packet joins its queue behind so many others, or is dropped from that position."""
    event = events[len(events) - port.events_left]
    event.kind = DROPPED if cause >= 0 else ENQUEUE
    event.time_ps = now_ps
    event.packet_class, event.queue = packet_class, classes[packet_class].queue
    event.position, event.cause = position, cause
    event.tat_ps, event.excess_tat_ps = queue.police_tat, queue.excess_tat
    event.colour = queue.colour if position == queue.length else -1
    event.marked, event.closed = cause < KEEP, queue.closed
    _note_pause(port, queue, event, now_ps)
    event.early = _early(queue)
    port.events_left -= 1


@rare_kernel
def note_choice(port, queues, events, values, packet_class, index, now_ps):
    """The scheduler has chosen this packet: its state after that, before the packet is paid for."""
    row = len(events) - port.events_left
    event = events[row]
    event.kind, event.cause = SEND, KEEP
    event.time_ps = now_ps
    event.packet_class, event.queue = packet_class, index
    event.in_profile = port.in_profile
    event.tat_ps = queues[index].shape_tat if queues[index].shaped else port.shape_tat
    event.marked, queues[index].just_marked = queues[index].just_marked, 0
    event.closed = queues[index].closed
    _note_pause(port, queues[index], event, now_ps)
    for each in range(len(queues)):
        queue = queues[each]
        value = 0
        if port.scheduler == DRR or port.scheduler == MDRR:
            value = queue.deficit
        elif port.scheduler == WRR:
            value = queue.deficit if queue.length else 0
        elif port.scheduler == TINS:
            value = queue.turn_ps
        elif port.scheduler == START_TIME:
            value = queue.excess_turn_ps
        elif port.scheduler == LEVELS:
            value = queue.turn_ps if port.in_profile else queue.excess_turn_ps
        values[row, each] = value
    port.events_left -= 1
