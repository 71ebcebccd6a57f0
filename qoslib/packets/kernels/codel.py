"""CoDel, RFC 8289, section 5: drop at the head while the sojourn time stays above a target."""

import math

from qoslib.packets.kernels.compiling import kernel


@kernel
def _stays_above(queue, kind, sojourn_ps, now_ps):
    """Whether the sojourn time has been above the target for an interval."""
    behind_bytes = queue.held_bytes - kind.frame_bytes
    if sojourn_ps < queue.target_ps or behind_bytes <= queue.largest_bytes:
        queue.first_above_ps = 0
        return False
    if queue.first_above_ps == 0:
        queue.first_above_ps = now_ps + queue.interval_ps
        return False
    return now_ps >= queue.first_above_ps


@kernel
def _control_law(queue, since_ps):
    return since_ps + int(queue.interval_ps / math.sqrt(float(queue.drops)))


@kernel
def _drops_again(queue, now_ps):
    """In the dropping state: the next drop's time follows from the last one's."""
    if queue.just_dropped:
        queue.drop_next_ps = _control_law(queue, queue.drop_next_ps)
        queue.just_dropped = 0
    if now_ps < queue.drop_next_ps:
        return False
    queue.drops += 1
    queue.just_dropped = 1
    return True


@kernel
def codel_drops(queue, kind, sojourn_ps, now_ps):
    """Whether the packet at the head, of this class, is dropped (or marked) now."""
    above = _stays_above(queue, kind, sojourn_ps, now_ps)
    if queue.dropping and above:
        return _drops_again(queue, now_ps)
    queue.dropping = queue.just_dropped = 0
    if not above:
        return False
    recently = now_ps - queue.drop_next_ps < 16 * queue.interval_ps
    more = queue.drops - queue.last_drops
    queue.drops = more if more > 1 and recently else 1
    queue.drop_next_ps = _control_law(queue, now_ps)
    queue.last_drops = queue.drops
    queue.dropping = 1
    return True
