"""COBALT, the dropper of CAKE's flows: CoDel that falls back step by step, and BLUE.

`cobalt_should_drop`, `cobalt_queue_full` and `cobalt_queue_empty` of `sch_cake.c`.
"""

import math

from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.packets.kernels.draws import uniform

#: By how much BLUE's probability grows and falls.
_MORE, _LESS = 1.0 / 256.0, 1.0 / 4096.0


@kernel
def _next_after(row, queue, since_ps):
    """When the next drop is due: an interval over the root of the count, which 0 leaves whole."""
    return since_ps + int(queue.interval_ps / math.sqrt(float(max(row.drops, 1))))


@kernel
def _fall_back(row, queue, now_ps):
    """The count falls by one at each time at which a drop would have been due."""
    while row.drops > 0 and now_ps >= row.drop_next_ps:
        row.drops -= 1
        row.drop_next_ps = _next_after(row, queue, row.drop_next_ps)


@kernel
def _is_over(queue, sojourn_ps, bulk):
    """Whether a packet has waited too long, with so many flows that are no longer new."""
    over = sojourn_ps > queue.target_ps and sojourn_ps > 4 * queue.packet_ps
    return over and sojourn_ps > 2 * bulk * queue.packet_ps


@rare_kernel
def cobalt_acts(row, queue, sojourn_ps, bulk, now_ps):
    """Whether CoDel acts on the packet, and whether BLUE does: two answers, 0 or 1."""
    due = row.drops > 0 and now_ps >= row.drop_next_ps
    if not _is_over(queue, sojourn_ps, bulk):
        row.dropping = 0
    else:
        if not row.dropping:
            row.dropping = 1
            row.drop_next_ps = _next_after(row, queue, now_ps)
        row.drops = max(row.drops, 1)
    acts = 1 if due and row.dropping else 0
    if acts:
        row.drops += 1
        row.drop_next_ps = _next_after(row, queue, row.drop_next_ps)
    elif due:
        _fall_back(row, queue, now_ps)
    floods = 1 if row.blue > 0.0 and uniform(queue) < row.blue else 0
    if row.drops == 0:
        row.drop_next_ps = now_ps + queue.interval_ps
    elif now_ps > row.drop_next_ps and not acts and not floods:
        row.drop_next_ps = now_ps
    return acts, floods


@rare_kernel
def cobalt_full(row, queue, now_ps):
    """A flow loses a packet to a full buffer."""
    if now_ps - row.blue_ps > queue.target_ps:
        row.blue = min(row.blue + _MORE, 1.0)
        row.blue_ps = now_ps
    row.dropping, row.drop_next_ps = 1, now_ps
    row.drops = max(row.drops, 1)


@rare_kernel
def cobalt_returns(row, queue, now_ps):
    """A flow holds a packet again: what would have happened while it had none.

    Linux looks at one such flow at each packet that it sends; here all is done at once.
    """
    row.dropping = 0
    _fall_back(row, queue, now_ps)
    if row.blue > 0.0:
        steps = (now_ps - row.blue_ps) // max(queue.target_ps, 1)
        if steps > 0:
            row.blue = max(row.blue - steps * _LESS, 0.0)
            row.blue_ps = now_ps
