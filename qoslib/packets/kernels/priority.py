"""Which queue is next, level by level: in turn, by weight in packets, by rates, by start tags."""

from qoslib.packets.kernels.clock import NEVER, add_from
from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.packets.kernels.metering import ready_at
from qoslib.packets.kernels.ring_buffer import head_slot


@kernel
def next_strict(levels, order, queues, classes, slots, now_ps):
    """Index of the first level's next ready queue, in turn; -1 where none is ready."""
    for level in levels:
        for step in range(level.size):
            place = level.turn + step
            if place >= level.size:
                place -= level.size
            index = order[level.first + place]
            if ready_at(queues[index], classes, slots) <= now_ps:
                return index
    return -1


@kernel
def _has_credit(queue, classes, slots, now_ps):
    """Whether the head packet fits in what the guaranteed rate has filled."""
    if not queue.guaranteed:
        return False
    cost_ps = classes[slots[head_slot(queue)].packet_class].credit_ps
    return max(queue.credit_tat, now_ps) + cost_ps <= now_ps + queue.credit_burst_ps


@kernel
def _least_served(level, order, queues, classes, slots, now_ps, within):
    """The level's ready queue that got least for its weight, within its guarantee or beyond it."""
    best, best_turn = -1, NEVER
    for place in range(level.first, level.first + level.size):
        index = order[place]
        queue = queues[index]
        turn_ps = queue.turn_ps if within else queue.excess_turn_ps
        ready = turn_ps < best_turn and ready_at(queue, classes, slots) <= now_ps
        if ready and (not within or _has_credit(queue, classes, slots, now_ps)):
            best, best_turn = index, turn_ps
    return best


@kernel
def next_by_level(port, levels, order, queues, classes, slots, now_ps):
    """Level by level within the guarantees, then level by level; -1 where none is ready."""
    for within in (1, 0):
        for level in levels:
            index = _least_served(level, order, queues, classes, slots, now_ps, within)
            if index >= 0:
                port.in_profile = within
                return index
    return -1


@kernel
def pass_turn(levels, queue):
    """Strict priority: the next queue of the level comes first next time."""
    level = levels[queue.level]
    level.turn = queue.place + 1 if queue.place + 1 < level.size else 0


@rare_kernel
def next_in_turn(levels, order, queues, classes, slots, now_ps):
    """Index of the first level's ready queue whose turn it is or comes next; -1 for none.

    A queue's `quantum` is in packets here, and its `deficit` what is left of its turn; 0 outside.
    """
    for level in levels:
        for step in range(level.size):
            place = level.turn + step
            if place >= level.size:
                place -= level.size
            index = order[level.first + place]
            if ready_at(queues[index], classes, slots) <= now_ps:
                if step:
                    queues[order[level.first + level.turn]].deficit = 0
                    level.turn = place
                if queues[index].deficit == 0:
                    queues[index].deficit = queues[index].quantum
                return index
    return -1


@rare_kernel
def take_packet(levels, queue):
    """Count a packet of a queue's turn; with the last one the turn passes on."""
    queue.deficit -= 1
    if queue.deficit == 0:
        pass_turn(levels, queue)


@rare_kernel
def lose_turn(levels, queue):
    """A queue that ran empty in its turn gets a packet: what was left of the turn is lost."""
    if queue.deficit:
        queue.deficit = 0
        pass_turn(levels, queue)


@kernel
def take_turn(port, levels, queue, kind, now_ps):
    """Charge a served packet to its queue's turn and credit, or to its turn for the excess."""
    level = levels[queue.level]
    if not port.in_profile:
        level.excess_turn_ps = queue.excess_turn_ps
        queue.excess_turn_ps += kind.turn_ps
    else:
        level.turn_ps = queue.turn_ps
        queue.turn_ps += kind.turn_ps
        tat, fraction = queue.credit_tat, queue.credit_tat_fraction
        queue.credit_tat, queue.credit_tat_fraction = add_from(
            now_ps, tat, fraction, kind.credit_ps, kind.credit_fraction
        )


@kernel
def join_level(levels, queue):
    """A queue that was empty starts where its level stands: no turns saved up."""
    level = levels[queue.level]
    queue.turn_ps = max(queue.turn_ps, level.turn_ps)
    queue.excess_turn_ps = max(queue.excess_turn_ps, level.excess_turn_ps)


@kernel
def next_by_start(levels, order, queues, classes, slots, now_ps):
    """Index of the first level's ready queue with the least start tag; -1 where none is ready.

    Nothing is guaranteed, so all is excess: a queue's `excess_turn_ps` is the start tag of its
    oldest packet, or the finish tag of its last one; a level's is its virtual time.
    """
    for level in levels:
        index = _least_served(level, order, queues, classes, slots, now_ps, 0)
        if index >= 0:
            return index
    return -1


@kernel
def take_tag(levels, queue, kind):
    """Charge a packet to its queue: from its start tag, virtual time, to its finish tag."""
    level = levels[queue.level]
    level.excess_turn_ps = max(level.excess_turn_ps, queue.excess_turn_ps)
    queue.excess_turn_ps += kind.turn_ps


@kernel
def tag_first(port, levels, queues, queue, now_ps):
    """The start tag of a packet that finds its queue empty; virtual time moves where all were."""
    if port.waiting == 0 and port.line_ps <= now_ps:
        for each in queues:
            level = levels[each.level]
            level.excess_turn_ps = max(level.excess_turn_ps, each.excess_turn_ps)
    queue.excess_turn_ps = max(queue.excess_turn_ps, levels[queue.level].excess_turn_ps)


@rare_kernel
def next_tin(order, queues, classes, slots, now_ps):
    """CAKE's tins: the highest that is due, or that which is due first; of equals the higher."""
    best = -1
    for place in range(len(order) - 1, -1, -1):
        index = order[place]
        if ready_at(queues[index], classes, slots) > now_ps:
            continue
        due_ps = queues[index].turn_ps
        if best < 0 or due_ps <= now_ps or due_ps <= queues[best].turn_ps:
            best = index
    return best


@kernel
def delay_tin(queue, kind, now_ps):
    """A tin is due later by a packet's time at its threshold."""
    if queue.turn_ps < now_ps:
        queue.turn_ps += kind.credit_ps
    else:
        queue.turn_ps = max(queue.turn_ps, now_ps + kind.credit_ps)
