"""A packet arrives: policer, early drop, room in the queue and its pool."""

from qoslib.packets.kernels.codes import (
    ASYMMETRIC,
    BY_PIE,
    BY_PROFILE,
    BY_RED,
    COLOURS,
    HEAD,
    KEEP,
    NOT_ECT,
    PIE,
    POLICER,
    POOL,
    PROFILE,
    RED,
    SAMPLED,
    TAIL,
)
from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.packets.kernels.counters import empty_ring
from qoslib.packets.kernels.events import note_packet
from qoslib.packets.kernels.flow_queues import join_flow
from qoslib.packets.kernels.leaving import drop, drop_oldest, left_empty
from qoslib.packets.kernels.memory import refuses, takes_memory
from qoslib.packets.kernels.metering import goes_on_as, policed
from qoslib.packets.kernels.pause import must_pause
from qoslib.packets.kernels.pie import pie_drops
from qoslib.packets.kernels.red import marks, observe, profile_drops, red_drops, release
from qoslib.packets.kernels.ring_buffer import append, refresh_limit
from qoslib.packets.kernels.schedulers import on_empty_enqueue


@kernel
def _in_ring(state, port, now_ps):
    """Packets handed over to the ring and not yet gone."""
    empty_ring(state, port, now_ps)
    return port.in_ring


@kernel
def _release_relays(state, port, now_ps):
    """Relays go off when the port is nearly empty; it never gets emptier between arrivals."""
    for queue in state.queues:
        risen = queue.averaging == ASYMMETRIC and queue.looked > 0.0
        holds = risen or (queue.averaging == SAMPLED and queue.relay)
        if not holds or port.waiting > queue.release:
            continue
        if port.waiting + _in_ring(state, port, now_ps) <= queue.release:
            release(queue)


@kernel
def _early(state, port, queue, kind, now_ps):
    """The cause for which a packet of this class goes before the queue is full."""
    if queue.dropper == BY_RED:
        in_ring = _in_ring(state, port, now_ps) if queue.counts_ring else 0
        observe(queue, kind, in_ring, now_ps)
        return RED if red_drops(queue, kind) else KEEP
    if queue.dropper == BY_PROFILE:
        return PROFILE if profile_drops(queue, kind, state.points) else KEEP
    return PIE if queue.dropper == BY_PIE and pie_drops(queue) else KEEP


@rare_kernel
def _by_marking(state, port, queue, kind, now_ps):
    """Whether thresholds of its own mark an ECN-capable packet; RED looks at the queue as well."""
    if queue.dropper == BY_RED:
        in_ring = _in_ring(state, port, now_ps) if queue.counts_ring else 0
        observe(queue, kind, in_ring, now_ps)
    return 1 if marks(queue) else 0


@kernel
def capable(state, kind, tag):
    """Whether a packet may be marked instead of dropped: its ECN field says so (RFC 3168)."""
    return state.streams[kind.stream].ecn > 0 and (tag < 0 or tag & NOT_ECT == 0)


@kernel
def _marked(state, queue, kind, tag, cause):
    """Whether the packet is marked instead of dropped (RFC 3168)."""
    if not queue.ecn or not capable(state, kind, tag):
        return False
    if cause == RED:
        return queue.looked < kind.red_maximum
    return queue.probability < (1.0 if cause == PROFILE else 0.1)


@kernel
def _push_out(state, port, queue, now_ps, cause):
    """Drop the queue's oldest packet; the one behind it may not have to wait for tokens."""
    drop_oldest(state, port, queue, now_ps, cause)
    port.wake_ps = 0


@kernel
def _finds_room(state, port, queue, kind, now_ps):
    """-1 if the packet fits, after old ones made way for it; else the cause it is dropped for."""
    if queue.bounded and queue.fill + kind.amount > kind.limit:
        return TAIL
    while queue.fill + kind.amount > queue.limit or (queue.bounded and refuses(queue, kind)):
        if not queue.drops_head or queue.length == 0:
            queue.closed = queue.resume >= 0
            return TAIL
        _push_out(state, port, queue, now_ps, HEAD)
    if queue.pool >= 0 and not takes_memory(state.pools[queue.pool], queue, kind):
        return POOL
    return KEEP


@kernel
def _verdict(state, port, queue, kind, tag, now_ps):
    """The cause an arriving packet is dropped for, -1 if it is let in, -2 if it is marked too."""
    if port.relays:
        _release_relays(state, port, now_ps)
    if queue.window_ps:
        refresh_limit(queue, now_ps)
    marked = 0
    if queue.acts_early:
        cause = KEEP
        if queue.marks and capable(state, kind, tag):
            marked = _by_marking(state, port, queue, kind, now_ps)
        else:
            cause = _early(state, port, queue, kind, now_ps)
        if cause == PROFILE and queue.drops_head and queue.length > 0:
            _push_out(state, port, queue, now_ps, PROFILE)
        elif cause >= 0 and _marked(state, queue, kind, tag, cause):
            marked = 1
        elif cause >= 0:
            return cause
    cause = _finds_room(state, port, queue, kind, now_ps)
    return cause if cause >= 0 else KEEP - marked


@kernel
def enqueue(state, flows, port, packet_class, tag, now_ps):
    """A packet arrives: it joins its queue, or something is dropped."""
    kind = state.classes[packet_class]
    queue = state.queues[kind.queue]
    state.counts[kind.base, 0] += 1
    was_empty = queue.length == 0
    cause = KEEP
    if queue.policed:
        goes_on = packet_class
        if queue.policed == COLOURS:
            goes_on = goes_on_as(queue, kind, now_ps)
        elif policed(queue, kind, now_ps, port):
            goes_on = -1
        if goes_on < 0:
            cause = POLICER
        else:
            packet_class = goes_on
            kind = state.classes[packet_class]
    if flows is not None and queue.keeps_flows and cause == KEEP:
        join_flow(state, flows, port, packet_class, tag, now_ps)
        return
    if cause == KEEP:
        cause = _verdict(state, port, queue, kind, tag, now_ps)
    if port.events_left > 0:
        events, length = state.events, queue.length
        note_packet(port, queue, events, state.classes, packet_class, length, cause, now_ps)
    if cause >= 0:
        drop(state, port, now_ps, now_ps, packet_class, tag, cause)
        if queue.length == 0 and not was_empty:
            left_empty(port, queue, kind.queue, now_ps)
        return
    if cause < KEEP:
        state.counts[kind.base, 2] += 1
    if was_empty:
        on_empty_enqueue(state, port, queue, now_ps)
    append(queue, state.slots, kind, packet_class, now_ps, tag)
    port.waiting += 1
    port.wake_ps = 0
    if port.pauses:
        must_pause(state, port, queue, kind, now_ps)
