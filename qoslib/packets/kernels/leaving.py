"""A packet leaves its queue: it is sent, or dropped from any place."""

from qoslib.packets.kernels.codes import LAST_LOSS, LOSS_RUNS, POLICER
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.counters import log_outcome
from qoslib.packets.kernels.events import note_packet
from qoslib.packets.kernels.memory import gives_back
from qoslib.packets.kernels.ring_buffer import count_out, head_slot
from qoslib.packets.kernels.schedulers import on_empty


@kernel
def drop(state, port, arrival_ps, now_ps, packet_class, tag, cause):
    """Count and note a dropped packet; a run of losses goes on from one arrival to the next."""
    state.drops[packet_class, cause] += 1
    base = state.classes[packet_class].base
    number = state.counts[base, 0]
    if number > state.drops[base, LAST_LOSS] + 1:
        state.drops[base, LOSS_RUNS] += 1
    state.drops[base, LAST_LOSS] = number
    if cause != POLICER:
        port.dropped = 1
    if not port.log_stops:
        log_outcome(port, state.log, arrival_ps, now_ps, packet_class, tag, cause)


@kernel
def take_oldest(state, port, queue, kind):
    """The queue's oldest packet, of this class, gives its room back."""
    queue.head += 1
    count_out(queue, kind)
    note_left(state, port, queue, kind)


@kernel
def note_left(state, port, queue, kind):
    """A packet of this class waits no longer."""
    port.waiting -= 1
    if port.waiting == 0:
        port.dropped = 0
    if queue.pool >= 0:
        gives_back(state.pools[queue.pool], queue, kind)


@kernel
def left_empty(port, queue, index, now_ps):
    """A queue that was left empty is idle from now on."""
    queue.idle_since_ps = now_ps
    on_empty(port, queue, index)


@kernel
def drop_oldest(state, port, queue, now_ps, cause):
    """Drop the queue's oldest packet."""
    slot = state.slots[head_slot(queue)]
    if port.events_left > 0:
        packet_class, events = slot.packet_class, state.events
        note_packet(port, queue, events, state.classes, packet_class, 0, cause, now_ps)
    drop(state, port, slot.arrival_ps, now_ps, slot.packet_class, slot.tag, cause)
    take_oldest(state, port, queue, state.classes[slot.packet_class])
