"""A departure: the scheduler's choice, a last look by CoDel, and the line."""

from qoslib.packets.admit import BY_CODEL, BY_PIE, drop, emptied, leaves
from qoslib.packets.clock import NEVER, add
from qoslib.packets.codel import codel_drops
from qoslib.packets.drr import next_drr, next_mdrr, take_deficit
from qoslib.packets.kernel import kernel
from qoslib.packets.metering import shaped_until, take_shaped
from qoslib.packets.pause import may_resume
from qoslib.packets.priority import (
    next_by_level,
    next_strict,
    pass_turn,
    ready_at,
    take_turn,
)
from qoslib.packets.room import head_slot, refresh_limit
from qoslib.packets.tables import CODEL, DRR, FIFO, LEVELS, MDRR, STRICT
from qoslib.packets.tally import hand_over, log_fate

__all__ = ["serve"]


@kernel
def _next_queue(state, port, now_ps):
    """Index of the queue that sends next, -1 where none may yet."""
    queues, classes, slots = state.queues, state.classes, state.slots
    if port.scheduler == FIFO:
        return 0 if ready_at(queues[0], classes, slots) <= now_ps else -1
    if port.scheduler == STRICT:
        return next_strict(state.levels, state.order, queues, classes, slots, now_ps)
    if port.scheduler == LEVELS:
        return next_by_level(port, state.levels, state.order, queues, classes, slots, now_ps)
    if port.scheduler == DRR:
        return next_drr(port, queues, classes, slots, now_ps)
    return next_mdrr(port, queues, classes, slots, now_ps)


@kernel
def _charge(state, port, queue, index, kind, now_ps):
    """What the packet costs its queue: a turn, a deficit, tokens."""
    if port.scheduler == STRICT:
        pass_turn(state.levels, queue)
    elif port.scheduler == LEVELS:
        take_turn(port, state.levels, queue, kind, now_ps)
    elif port.scheduler == DRR or port.scheduler == MDRR:
        take_deficit(port, queue, index, kind.frame_bytes)
    if queue.shaped:
        take_shaped(queue, kind.shape_ps, kind.shape_fraction, now_ps)
    if port.shaped:
        take_shaped(port, kind.port_shape_ps, kind.port_shape_fraction, now_ps)


@kernel
def _remove(state, port, queue, index, kind, now_ps):
    """Take the queue's oldest packet out, and let a queue left empty forget."""
    leaves(state, port, queue, kind)
    if queue.length == 0:
        emptied(port, queue, index, now_ps)


@kernel
def _send(state, port, kind, arrival_ps, packet_class, tag, now_ps):
    """Put the packet on the line, behind what is on it or in the ring."""
    if port.line_ps < now_ps:
        port.line_ps, port.line_fraction = now_ps, 0
    port.line_ps, port.line_fraction = add(
        port.line_ps, port.line_fraction, kind.service_ps, kind.service_fraction
    )
    departure_ps = port.line_ps
    hand_over(state, port, kind, packet_class, arrival_ps, departure_ps)
    log_fate(port, state.log, arrival_ps, departure_ps, packet_class, tag, -1)


@kernel
def _codel_takes(state, port, queue, index, kind, now_ps):
    """Whether CoDel dropped the packet at the head; where it may it marks it, and lets it go."""
    slot = state.slots[head_slot(queue)]
    if not codel_drops(queue, kind, now_ps - slot.arrival_ps, now_ps):
        return False
    if queue.ecn and state.streams[kind.stream].ecn:
        state.counts[slot.packet_class, 2] += 1
        return False
    drop(state, port, slot.arrival_ps, now_ps, slot.packet_class, slot.tag, CODEL)
    _remove(state, port, queue, index, kind, now_ps)
    return True


@kernel
def _wakes(state):
    """When the first shaped queue may go."""
    earliest = NEVER
    for queue in state.queues:
        earliest = min(earliest, ready_at(queue, state.classes, state.slots))
    return earliest


@kernel
def serve(state, port, now_ps):
    """The line, or the ring, can take a packet: choose one and send it."""
    index = _next_queue(state, port, now_ps)
    if index < 0:
        port.wake_ps = _wakes(state)
        return
    queue = state.queues[index]
    slot = state.slots[head_slot(queue)]
    arrival_ps, packet_class, tag = slot.arrival_ps, slot.packet_class, slot.tag
    kind = state.classes[packet_class]
    if port.shaped and shaped_until(port, kind.port_shape_ps) > now_ps:
        port.wake_ps = shaped_until(port, kind.port_shape_ps)
        return
    if queue.dropper == BY_CODEL and _codel_takes(state, port, queue, index, kind, now_ps):
        return
    _charge(state, port, queue, index, kind, now_ps)
    _remove(state, port, queue, index, kind, now_ps)
    if queue.window_ps:
        refresh_limit(queue, now_ps)
        queue.served += kind.amount
    if queue.dropper == BY_PIE:
        queue.delay_ps = now_ps - arrival_ps if queue.length else 0
    _send(state, port, kind, arrival_ps, packet_class, tag, now_ps)
    if port.pauses:
        may_resume(state, port, now_ps)
