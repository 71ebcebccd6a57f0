"""One interface of every scheduler; `port.scheduler` is the code of its rules.

An empty queue gets a packet; the scheduler chooses a queue, or says when to look again; a packet
leaves; a queue becomes empty. A packet that is dropped from a queue leaves it at no cost.
"""

from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import DRR, FIFO, LEVELS, MDRR, START_TIME, STRICT, TINS, WRR
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.drr import end_visit, next_drr, next_mdrr, take_deficit
from qoslib.packets.kernels.metering import ready_at
from qoslib.packets.kernels.priority import (
    delay_tin,
    join_level,
    lose_turn,
    next_by_level,
    next_by_start,
    next_in_turn,
    next_strict,
    next_tin,
    pass_turn,
    tag_first,
    take_packet,
    take_tag,
    take_turn,
)

#: The codes that `_chosen` has a rule for, MDRR as its last line; a port with another is refused.
DISPATCHED = (FIFO, STRICT, LEVELS, START_TIME, DRR, WRR, TINS, MDRR)


@kernel
def on_empty_enqueue(state, port, queue, now_ps):
    """A queue that was empty gets a packet."""
    if port.scheduler == LEVELS:
        join_level(state.levels, queue)
    elif port.scheduler == START_TIME:
        tag_first(port, state.levels, state.queues, queue, now_ps)
    elif port.scheduler == WRR:
        lose_turn(state.levels, queue)
    elif port.scheduler == TINS:
        queue.turn_ps = max(queue.turn_ps, now_ps)


@kernel
def _chosen(state, port, now_ps):
    queues, classes, slots = state.queues, state.classes, state.slots
    if port.scheduler == FIFO:
        return 0 if ready_at(queues[0], classes, slots) <= now_ps else -1
    if port.scheduler == STRICT:
        return next_strict(state.levels, state.order, queues, classes, slots, now_ps)
    if port.scheduler == LEVELS:
        return next_by_level(port, state.levels, state.order, queues, classes, slots, now_ps)
    if port.scheduler == START_TIME:
        return next_by_start(state.levels, state.order, queues, classes, slots, now_ps)
    if port.scheduler == DRR:
        return next_drr(port, queues, classes, slots, now_ps)
    if port.scheduler == WRR:
        return next_in_turn(state.levels, state.order, queues, classes, slots, now_ps)
    if port.scheduler == TINS:
        return next_tin(state.order, queues, classes, slots, now_ps)
    return next_mdrr(port, queues, classes, slots, now_ps)


@kernel
def choose(state, port, now_ps):
    """Index of the queue that sends next; -1 where all are held back, till `port.wake_ps`."""
    index = _chosen(state, port, now_ps)
    if index < 0:
        wake_ps = NEVER
        for queue in state.queues:
            wake_ps = min(wake_ps, ready_at(queue, state.classes, state.slots))
        port.wake_ps = wake_ps
    return index


@kernel
def on_dequeue(state, port, queue, index, kind, now_ps):
    """A packet of this class is sent: what it costs its queue, a turn or a deficit."""
    if port.scheduler == STRICT:
        pass_turn(state.levels, queue)
    elif port.scheduler == LEVELS:
        take_turn(port, state.levels, queue, kind, now_ps)
    elif port.scheduler == START_TIME:
        take_tag(state.levels, queue, kind)
    elif port.scheduler == DRR or port.scheduler == MDRR:
        take_deficit(port, queue, index, kind.frame_bytes)
    elif port.scheduler == WRR:
        take_packet(state.levels, queue)
    elif port.scheduler == TINS:
        delay_tin(queue, kind, now_ps)


@kernel
def on_empty(port, queue, index):
    """A queue is left without a packet."""
    if port.scheduler == DRR or port.scheduler == MDRR:
        end_visit(port, queue, index)
