"""CoDel, RFC 8289, section 5: drop at the head while the sojourn time stays above a target."""

import math

from qoslib.packets.kernels.compiling import kernel


@kernel
def _stays_above(row, queue, kind, sojourn_ps, now_ps):
    """Whether the sojourn time has been above the target for an interval."""
    behind_bytes = queue.held_bytes - kind.frame_bytes
    if sojourn_ps < queue.target_ps or behind_bytes <= queue.largest_bytes:
        row.first_above_ps = 0
        return False
    if row.first_above_ps == 0:
        row.first_above_ps = now_ps + queue.interval_ps
        return False
    return now_ps >= row.first_above_ps


@kernel
def control_law(row, queue, since_ps):
    return since_ps + int(queue.interval_ps / math.sqrt(float(row.drops)))


@kernel
def _drops_again(row, queue, now_ps):
    """In the dropping state: the next drop's time follows from the last one's."""
    if row.just_dropped:
        row.drop_next_ps = control_law(row, queue, row.drop_next_ps)
        row.just_dropped = 0
    if now_ps < row.drop_next_ps:
        return False
    row.drops += 1
    row.just_dropped = 1
    return True


@kernel
def codel_drops(row, queue, kind, sojourn_ps, now_ps):
    """Whether the packet at the head, of this class, is dropped (or marked) now.

    `row` has the state, `queue` the settings and what waits: one and the same, but for a queue that
    keeps flows apart.
    """
    above = _stays_above(row, queue, kind, sojourn_ps, now_ps)
    if row.dropping and above:
        return _drops_again(row, queue, now_ps)
    row.dropping = row.just_dropped = 0
    if not above:
        return False
    recently = now_ps - row.drop_next_ps < 16 * queue.interval_ps
    more = row.drops - row.last_drops
    row.drops = more if more > 1 and recently else 1
    row.drop_next_ps = control_law(row, queue, now_ps)
    row.last_drops = row.drops
    row.dropping = 1
    return True
