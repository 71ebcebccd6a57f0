"""Queues within a queue: a packet's flow, its row, and deficit round robin among the rows.

RFC 8290, section 4, and Linux's `sch_fq_codel.c` and `sch_sfq.c`. A queue's `head` is the place of
the packet that would go next, once `settle` has looked whose turn it is: so all that asks for a
queue's oldest packet asks for that one.
"""

import numpy as np

from qoslib.packets.kernels.cobalt import cobalt_acts, cobalt_full, cobalt_returns
from qoslib.packets.kernels.codel import control_law
from qoslib.packets.kernels.codes import (
    BY_COBALT,
    DROPPED,
    KEEP,
    L4S_ECT,
    MARKED,
    POOL,
    SENT,
    TAIL,
)
from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.packets.kernels.draws import scrambled
from qoslib.packets.kernels.dual import begin_turns, pay, turn_of, update, verdict
from qoslib.packets.kernels.events import note_packet
from qoslib.packets.kernels.flow_tables import (
    BY_DESTINATION,
    BY_FLOW,
    BY_SOURCE,
    NEW,
    NOWHERE,
    OLD,
    UNLISTED,
)
from qoslib.packets.kernels.leaving import drop, note_left
from qoslib.packets.kernels.memory import takes_memory
from qoslib.packets.kernels.ring_buffer import count_in, count_out
from qoslib.packets.kernels.schedulers import on_empty_enqueue


@kernel
def flow_of(stream, tag):
    """The number of a packet's flow: of those of its stream that there are at its time, one."""
    if stream.flows == 1:
        return stream.key
    number = scrambled(stream.key, tag) % np.uint64(stream.flows)
    life = np.uint64(0)
    if stream.flow_ps > 0:
        begun_ps = int(number) * (stream.flow_ps // stream.flows)
        life = np.uint64((tag + begun_ps) // stream.flow_ps)
    return scrambled(stream.key + number + np.uint64(1), int(life))


@kernel
def _row_of(flows, own, queue, flow, now_ps):
    """The row that a flow hashes to; of several ways the one it has, else a free one, else one."""
    salt = now_ps // own.rehash_ps if own.rehash_ps > 0 else 0
    drawn = scrambled(queue.key ^ flow, salt)
    place = int(drawn % np.uint64(own.size))
    if own.ways == 1:
        return own.first + place
    first = own.first + place - place % own.ways
    free = -1
    for at in range(first, first + own.ways):
        row = flows.rows[at]
        if row.owner == np.int64(flow) and row.listed != UNLISTED:
            return at
        if row.listed == UNLISTED and free < 0:
            free = at
    at = free if free >= 0 else own.first + place
    flows.rows[at].owner = np.int64(flow)
    return at


@kernel
def _put_last(flows, own, at, listed):
    """Put a row at the end of the list of new or of old ones."""
    row = flows.rows[at]
    row.next, row.listed = NOWHERE, listed
    last = own.new_last if listed == NEW else own.old_last
    if last == NOWHERE:
        if listed == NEW:
            own.new_first = at
        else:
            own.old_first = at
    else:
        flows.rows[last].next = at
    if listed == NEW:
        own.new_last = at
    else:
        own.old_last = at


@kernel
def _take_first(flows, own, listed):
    """Take the first row of a list out of it."""
    if listed == NEW:
        own.new_first = flows.rows[own.new_first].next
        if own.new_first == NOWHERE:
            own.new_last = NOWHERE
    else:
        own.old_first = flows.rows[own.old_first].next
        if own.old_first == NOWHERE:
            own.old_last = NOWHERE


@kernel
def _count(flows, own, row, bulk):
    """A row is old and holds packets, and so counts for its hosts, or no longer."""
    if row.bulk != bulk:
        more = bulk - row.bulk
        row.bulk = bulk
        own.bulk += more
        flows.hosts[row.source, 0] += more
        flows.hosts[row.destination, 1] += more


@kernel
def _quantum(flows, own, row):
    """What a row may send in a round: its part of its host's."""
    if own.isolation == BY_FLOW:
        return own.quantum
    sends, receives = flows.hosts[row.source, 0], flows.hosts[row.destination, 1]
    share = max(sends, receives)
    if own.isolation == BY_SOURCE:
        share = sends
    elif own.isolation == BY_DESTINATION:
        share = receives
    return max(own.quantum // max(share, 1), 1)


@kernel
def _lists(flows, own, at, kind, streams):
    """A row that was in no list holds a packet."""
    row, stream = flows.rows[at], streams[kind.stream]
    row.source = own.first_host + stream.source
    row.destination = own.first_host + stream.destination
    if not own.sparse:
        _count(flows, own, row, 1)
    row.deficit = _quantum(flows, own, row)
    _put_last(flows, own, at, NEW if own.sparse else OLD)


@kernel
def cobalt_decides(flows, queue, index, sojourn_ps, markable, now_ps):
    """What COBALT decides of the chosen packet: BLUE marks none, and a row's last one stays."""
    own = flows.queues[index]
    row = flows.rows[own.chosen]
    acts, floods = cobalt_acts(row, queue, sojourn_ps, own.bulk, now_ps)
    if row.length > 1 and (floods or (acts and not markable)):
        return DROPPED
    return MARKED if acts and markable else SENT


@kernel
def dual_decides(state, flows, queue, index, sojourn_ps, markable, now_ps):
    """What DualPI2 decides of the chosen packet."""
    own = flows.queues[index]
    update(state, flows, queue, own, now_ps)
    return verdict(queue, own, own.chosen, sojourn_ps, markable)


@kernel
def _rest(row, queue):
    """An empty row is asked for a packet: CoDel leaves its dropping state (`codel_impl.h`)."""
    if row.just_dropped:
        # Its last packet was marked, and not dropped.
        row.drop_next_ps = control_law(row, queue, row.drop_next_ps)
    row.dropping = row.just_dropped = 0


@kernel
def settle(flows, queue, own):
    """Look whose turn it is, and make its oldest packet the one that goes next.

    An empty row is left in the list of new ones until its turn comes, so that its flow cannot be
    new again before all others had a turn (RFC 8290, section 4.2).
    """
    if own.dual:
        own.chosen = turn_of(flows, own)
        queue.head = flows.rows[own.chosen].oldest - queue.first
        return
    while True:
        listed = NEW if own.new_first != NOWHERE else OLD
        at = own.new_first if listed == NEW else own.old_first
        row = flows.rows[at]
        if row.deficit <= 0:
            if row.length > 0:
                _count(flows, own, row, 1)
            row.deficit += _quantum(flows, own, row)
            _take_first(flows, own, listed)
            _put_last(flows, own, at, OLD)
        elif row.length > 0:
            own.chosen = at
            queue.head = row.oldest - queue.first
            return
        else:
            _rest(row, queue)
            _take_first(flows, own, listed)
            if listed == NEW and own.old_first != NOWHERE and not own.renews:
                _put_last(flows, own, at, OLD)
            else:
                row.listed = UNLISTED
                _count(flows, own, row, 0)


@kernel
def settle_all(state, flows):
    """Look whose turn it is in each queue that keeps flows apart and holds packets."""
    for index in range(len(state.queues)):
        queue = state.queues[index]
        if queue.keeps_flows and queue.length > 0:
            settle(flows, queue, flows.queues[index])


@kernel
def _free_place(flows, queue, own):
    """A slot that holds no packet."""
    if own.free != NOWHERE:
        slot = own.free
        own.free = flows.links[slot].behind
        return slot
    own.used += 1
    return queue.first + own.used - 1


@kernel
def _append(state, flows, queue, own, at, kind, packet_class, tag, now_ps):
    """Put a packet at the end of a row."""
    slot, row = _free_place(flows, queue, own), flows.rows[at]
    state.slots[slot].arrival_ps, state.slots[slot].tag = now_ps, tag
    state.slots[slot].packet_class = packet_class
    flows.links[slot].behind = NOWHERE
    flows.links[slot].before = row.youngest
    if row.length == 0:
        row.oldest = slot
    else:
        flows.links[row.youngest].behind = slot
    row.youngest = slot
    row.length += 1
    flows.held_bytes[at] += kind.frame_bytes
    count_in(queue, kind)


@kernel
def _remove(state, flows, port, queue, own, at, slot, kind):
    """Take the oldest or the youngest packet out of a row."""
    row, link = flows.rows[at], flows.links[slot]
    if slot == row.oldest:
        row.oldest = link.behind
    else:
        row.youngest = link.before
        flows.links[row.youngest].behind = NOWHERE
    row.length -= 1
    flows.held_bytes[at] -= kind.frame_bytes
    link.behind = own.free
    own.free = slot
    count_out(queue, kind)
    note_left(state, port, queue, kind)


@kernel
def take_chosen(state, flows, port, queue, own, kind):
    """The packet that was chosen leaves, and its row pays for it.

    Where no row is served before others an empty one leaves its list at once.
    """
    at, row = own.chosen, flows.rows[own.chosen]
    _remove(state, flows, port, queue, own, at, row.oldest, kind)
    if own.dual:
        pay(own, at, kind.frame_bytes)
        return
    row.deficit -= kind.frame_bytes
    if row.length == 0 and not own.sparse:
        _rest(row, queue)
        _take_first(flows, own, OLD)
        row.listed = UNLISTED
        _count(flows, own, row, 0)


@rare_kernel
def note_flow(state, port, own, at):
    """Note the flow's queue of the last event, and whether it is one of the new ones."""
    event = state.events[len(state.events) - port.events_left - 1]
    event.flow, event.new = at - own.first, own.new_first == at


@rare_kernel
def _drop_from(state, flows, port, queue, own, at, head, cause, now_ps):
    """Drop a row's oldest or youngest packet; its frame [B]."""
    row = flows.rows[at]
    place = row.oldest if head else row.youngest
    slot = state.slots[place]
    kind = state.classes[slot.packet_class]
    if port.events_left > 0:
        position = 0 if head else row.length - 1
        events, packet_class = state.events, slot.packet_class
        note_packet(port, queue, events, state.classes, packet_class, position, cause, now_ps)
        note_flow(state, port, own, at)
    drop(state, port, slot.arrival_ps, now_ps, slot.packet_class, slot.tag, cause)
    _remove(state, flows, port, queue, own, at, place, kind)
    return kind.frame_bytes


@kernel
def drop_chosen(state, flows, port, queue, own, cause, now_ps):
    """Drop the packet that was chosen: it costs its row nothing."""
    row = flows.rows[own.chosen]
    _drop_from(state, flows, port, queue, own, own.chosen, True, cause, now_ps)
    if row.length == 0:
        row.first_above_ps = row.just_dropped = 0
        _rest(row, queue)


@rare_kernel
def _most(flows, own):
    """The row with the most bytes, or the most packets; of equals the first."""
    best = own.first
    for at in range(own.first, own.first + own.size):
        if own.fattest:
            if flows.held_bytes[at] > flows.held_bytes[best]:
                best = at
        elif flows.rows[at].length > flows.rows[best].length:
            best = at
    return best


@rare_kernel
def _shed(state, flows, port, queue, own, now_ps):
    """The queue as a whole holds more than it may: the fattest or longest row loses packets."""
    at = _most(flows, own)
    half_bytes, most = flows.held_bytes[at] / 2, own.batch if own.fattest else 1
    lost, lost_bytes = 0, 0
    while lost < most and (lost == 0 or lost_bytes < half_bytes):
        lost_bytes += _drop_from(state, flows, port, queue, own, at, own.head, TAIL, now_ps)
        lost += 1
    if queue.dropper == BY_COBALT:
        cobalt_full(flows.rows[at], queue, now_ps)
    elif own.fattest:
        flows.rows[at].drops += lost


@kernel
def _refuses(state, flows, queue, own, at, kind):
    """The cause an arriving packet is dropped for; -1 if it is let in."""
    row = flows.rows[at]
    if row.length >= own.flow_packets or flows.held_bytes[at] + kind.frame_bytes > own.flow_bytes:
        return TAIL
    if not (own.fattest or own.longest) and _over(queue, kind.amount, kind.frame_bytes):
        return TAIL
    if queue.pool >= 0 and not takes_memory(state.pools[queue.pool], queue, kind):
        return POOL
    return KEEP


@kernel
def _over(queue, amount, frame_bytes):
    """Whether the queue as a whole holds more than it may, with so much more."""
    return queue.fill + amount > queue.limit or queue.held_bytes + frame_bytes > queue.limit_bytes


@rare_kernel
def join_flow(state, flows, port, packet_class, tag, now_ps):
    """A packet that was not policed joins its flow's queue, or is dropped."""
    kind = state.classes[packet_class]
    queue, own = state.queues[kind.queue], flows.queues[kind.queue]
    if own.dual:
        at = own.first + (1 if state.streams[kind.stream].ecn == L4S_ECT else 0)
        update(state, flows, queue, own, now_ps)
        if queue.length == 0:
            begin_turns(queue, own)
    else:
        at = _row_of(flows, own, queue, flow_of(state.streams[kind.stream], tag), now_ps)
    row = flows.rows[at]
    cause = _refuses(state, flows, queue, own, at, kind)
    if port.events_left > 0:
        events, length = state.events, queue.length
        note_packet(port, queue, events, state.classes, packet_class, length, cause, now_ps)
        note_flow(state, port, own, at)
    if cause >= 0:
        drop(state, port, now_ps, now_ps, packet_class, tag, cause)
        return
    if queue.length == 0:
        on_empty_enqueue(state, port, queue, now_ps)
    _append(state, flows, queue, own, at, kind, packet_class, tag, now_ps)
    port.waiting += 1
    port.wake_ps = 0
    if own.dual:
        return
    if row.listed == UNLISTED:
        _lists(flows, own, at, kind, state.streams)
        if queue.dropper == BY_COBALT:
            cobalt_returns(row, queue, now_ps)
    elif row.listed == OLD:
        _count(flows, own, row, 1)
    if _over(queue, 0, 0):
        _shed(state, flows, port, queue, own, now_ps)
