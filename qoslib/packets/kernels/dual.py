"""DualPI2: two queues, one controller (RFC 9332; `sch_dualpi2.c`).

Row 0 of the two is C, for all but ECT(1), row 1 is L.
"""

from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import DROPPED, MARKED, SENT
from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.packets.kernels.draws import uniform


@kernel
def pi_step(probability, delay_ps, before_ps, queue):
    """The controller's new probability: p' + alpha (q - target) + beta (q - q before)."""
    change = (delay_ps - queue.target_ps) * queue.alpha + (delay_ps - before_ps) * queue.beta
    return min(max(probability + change, 0.0), 1.0)


@kernel
def _waits_since(state, row):
    return state.slots[row.oldest].arrival_ps if row.length > 0 else NEVER


@rare_kernel
def update(state, flows, queue, own, now_ps):
    """Run the controller's updates up to now: between two of them both oldest packets stay."""
    since_ps = min(
        _waits_since(state, flows.rows[own.first]), _waits_since(state, flows.rows[own.first + 1])
    )
    while own.update_at_ps <= now_ps:
        delay_ps = max(own.update_at_ps - since_ps, 0)
        queue.probability = pi_step(queue.probability, delay_ps, queue.old_delay_ps, queue)
        queue.old_delay_ps = delay_ps
        own.update_at_ps += queue.update_ps
        rests = since_ps == NEVER and queue.old_delay_ps == 0 and queue.probability == 0.0
        if rests and own.update_at_ps <= now_ps:
            own.update_at_ps += (now_ps - own.update_at_ps) // queue.update_ps * queue.update_ps
            own.update_at_ps += queue.update_ps


@kernel
def begin_turns(queue, own):
    """Both queues were empty: C is behind by a packet, so that L begins."""
    own.credit_bytes = (2.0 * own.classic_share - 1.0) * queue.largest_bytes


@kernel
def turn_of(flows, own):
    """The row that sends next: L, unless C is owed bytes."""
    classic, low = flows.rows[own.first], flows.rows[own.first + 1]
    if low.length > 0 and (classic.length == 0 or own.credit_bytes < 0):
        return own.first + 1
    return own.first


@kernel
def pay(own, at, frame_bytes):
    """What a packet of a row costs: C is owed its share of what L sends."""
    if at == own.first:
        own.credit_bytes -= (1.0 - own.classic_share) * frame_bytes
    else:
        own.credit_bytes += own.classic_share * frame_bytes


@rare_kernel
def verdict(queue, own, at, sojourn_ps, markable):
    """What becomes of the packet whose turn it is."""
    if queue.held_bytes < 2 * queue.largest_bytes:
        return SENT
    squared = uniform(queue) < queue.probability and uniform(queue) < queue.probability
    scaled = own.coupling * queue.probability
    if at == own.first:
        if not squared:
            return SENT
        return MARKED if markable and scaled < 1.0 else DROPPED
    if scaled >= 1.0 and squared:
        return DROPPED
    if sojourn_ps > own.step_ps or uniform(queue) < scaled:
        return MARKED
    return SENT
