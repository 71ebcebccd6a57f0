"""A packet is sent: the scheduler's choice, a last look by the queue's dropper, and the line."""

from qoslib.packets.kernels.clock import add_from
from qoslib.packets.kernels.codel import codel_drops
from qoslib.packets.kernels.codes import (
    BY_COBALT,
    BY_CODEL,
    BY_DUAL,
    BY_PIE,
    CODEL,
    DROPPED,
    KEEP,
    MARKED,
    PIE,
    SENT,
)
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.counters import hand_over, log_outcome
from qoslib.packets.kernels.enqueue import capable
from qoslib.packets.kernels.events import note_choice
from qoslib.packets.kernels.flow_queues import (
    cobalt_decides,
    drop_chosen,
    dual_decides,
    note_flow,
    settle_all,
    take_chosen,
)
from qoslib.packets.kernels.leaving import drop_oldest, left_empty, take_oldest
from qoslib.packets.kernels.metering import shaped_until, take_shaped
from qoslib.packets.kernels.pause import may_resume
from qoslib.packets.kernels.ring_buffer import head_slot, refresh_limit
from qoslib.packets.kernels.schedulers import choose, on_dequeue


@kernel
def _take_tokens(port, queue, kind, now_ps):
    """What the packet costs the shapers of its queue and of the port."""
    if queue.shaped:
        take_shaped(queue, kind.shape_ps, kind.shape_fraction, now_ps)
    if port.shaped:
        take_shaped(port, kind.port_shape_ps, kind.port_shape_fraction, now_ps)


@kernel
def _send(state, port, kind, arrival_ps, packet_class, tag, now_ps):
    """Put the packet on the line, behind what is on it or in the ring."""
    departure_ps, fraction = add_from(
        now_ps, port.line_ps, port.line_fraction, kind.service_ps, kind.service_fraction
    )
    port.line_ps, port.line_fraction = departure_ps, fraction
    hand_over(state, port, kind, packet_class, arrival_ps, departure_ps)
    log_outcome(port, state.log, arrival_ps, departure_ps, packet_class, tag, KEEP)


@kernel
def _codel(flows, queue, index, kind, sojourn_ps, markable, now_ps):
    """What CoDel decides, by what it knows of the packet's queue or of its flow's."""
    if flows is not None and queue.keeps_flows:
        row = flows.rows[flows.queues[index].chosen]
        drops = codel_drops(row, queue, kind, sojourn_ps, now_ps)
    else:
        drops = codel_drops(queue, queue, kind, sojourn_ps, now_ps)
    if markable and (queue.ecn if drops else sojourn_ps > queue.ce_ps):
        return MARKED
    return DROPPED if drops else SENT


@kernel
def _decided(state, flows, queue, index, kind, now_ps):
    """What the dropper decides of the packet at the head."""
    slot = state.slots[head_slot(queue)]
    sojourn_ps, markable = now_ps - slot.arrival_ps, capable(state, kind, slot.tag)
    if flows is not None and queue.dropper == BY_COBALT:
        return cobalt_decides(flows, queue, index, sojourn_ps, markable, now_ps)
    if flows is not None and queue.dropper == BY_DUAL:
        return dual_decides(state, flows, queue, index, sojourn_ps, markable, now_ps)
    return _codel(flows, queue, index, kind, sojourn_ps, markable, now_ps)


@kernel
def _drop_first(state, flows, port, queue, index, now_ps, cause):
    """Drop the packet at the head."""
    if flows is not None and queue.keeps_flows:
        drop_chosen(state, flows, port, queue, flows.queues[index], cause, now_ps)
    else:
        drop_oldest(state, port, queue, now_ps, cause)


@kernel
def _take_first(state, flows, port, queue, index, kind):
    """The packet at the head leaves to be sent."""
    if flows is not None and queue.keeps_flows:
        take_chosen(state, flows, port, queue, flows.queues[index], kind)
    else:
        take_oldest(state, port, queue, kind)


@kernel
def _loses_head(state, flows, port, queue, index, kind, now_ps):
    """Whether the dropper dropped the packet at the head; one that it marks goes on."""
    decided = _decided(state, flows, queue, index, kind, now_ps)
    if decided == MARKED:
        state.counts[kind.base, 2] += 1
        queue.just_marked = 1
    if decided != DROPPED:
        return False
    cause = PIE if queue.dropper == BY_DUAL else CODEL
    _drop_first(state, flows, port, queue, index, now_ps, cause)
    if queue.length == 0:
        left_empty(port, queue, index, now_ps)
    return True


@kernel
def serve(state, flows, port, index, now_ps):
    """Send the oldest packet of the queue that was chosen; whether nothing was against it."""
    queue = state.queues[index]
    slot = state.slots[head_slot(queue)]
    arrival_ps, packet_class, tag = slot.arrival_ps, slot.packet_class, slot.tag
    kind = state.classes[packet_class]
    if port.shaped and shaped_until(port, kind.port_shape_ps) > now_ps:
        port.wake_ps = shaped_until(port, kind.port_shape_ps)
        return False
    if queue.dropper >= BY_CODEL and _loses_head(state, flows, port, queue, index, kind, now_ps):
        return False
    if port.events_left > 0:
        values = state.event_values
        note_choice(port, state.queues, state.events, values, packet_class, index, now_ps)
        if flows is not None and queue.keeps_flows:
            own = flows.queues[index]
            note_flow(state, port, own, own.chosen)
    on_dequeue(state, port, queue, index, kind, now_ps)
    _take_tokens(port, queue, kind, now_ps)
    _take_first(state, flows, port, queue, index, kind)
    if queue.length == 0:
        left_empty(port, queue, index, now_ps)
    if queue.window_ps:
        refresh_limit(queue, now_ps)
        queue.served += kind.amount
    if queue.dropper == BY_PIE:
        queue.delay_ps = now_ps - arrival_ps if queue.length else 0
    _send(state, port, kind, arrival_ps, packet_class, tag, now_ps)
    if port.pauses:
        may_resume(state, port, queue, now_ps)
    return True


@kernel
def dequeue(state, flows, port, now_ps):
    """The line, or the ring, can take a packet: choose one and send it."""
    if flows is not None:
        settle_all(state, flows)
    index = choose(state, port, now_ps)
    if index >= 0:
        serve(state, flows, port, index, now_ps)
