"""Token buckets that count time: the bucket is full when its `tat` is not after now.

The tokens at time t are ``burst - max(tat - t, 0)`` in the time they take to arrive (GCRA,
ITU-T I.371 annex A); a packet fits if that covers its own time at the bucket's rate, all in whole
picoseconds and rounded down, so that a stream at just the bucket's rate fits. What it takes has
its fraction.
"""

from qoslib.packets.kernels.clock import NEVER, add_from
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.ring_buffer import head_slot


@kernel
def _conforms(tat_ps, cost_ps, burst_ps, now_ps):
    return max(tat_ps, now_ps) + cost_ps <= now_ps + burst_ps


@kernel
def _congested(queue, port):
    """Whether a conditional policer drops: enough packets wait, or some do and one was dropped."""
    if port.waiting >= queue.congestion:
        return True
    return queue.sees_drops == 1 and port.dropped == 1 and port.waiting > 0


@kernel
def policed(queue, kind, now_ps, port):
    """Whether the policer drops a packet of this class.

    A packet that exceeds passes while the port is not congested, and takes what tokens there are.
    """
    congested = _congested(queue, port)
    if not congested and not queue.drains:
        return False
    if _conforms(queue.police_tat, kind.police_ps, queue.police_burst_ps, now_ps):
        tat, fraction = queue.police_tat, queue.police_tat_fraction
        queue.police_tat, queue.police_tat_fraction = add_from(
            now_ps, tat, fraction, kind.police_ps, kind.police_fraction
        )
        return False
    if not congested:
        queue.police_tat, queue.police_tat_fraction = now_ps + queue.police_burst_ps, 0
    return congested


@kernel
def shaped_until(row, cost_ps):
    """When the shaper of a queue or port lets a packet of this cost go [ps]."""
    return row.shape_tat + cost_ps - row.shape_burst_ps


@kernel
def ready_at(queue, classes, slots):
    """When the queue's oldest packet may go: 0 for at once, `NEVER` where it is empty."""
    if queue.length == 0:
        return NEVER
    if not queue.shaped:
        return 0
    return shaped_until(queue, classes[slots[head_slot(queue)].packet_class].shape_ps)


@kernel
def take_shaped(row, cost_ps, cost_fraction, now_ps):
    """Take a packet's tokens from the shaper of a queue or port."""
    row.shape_tat, row.shape_tat_fraction = add_from(
        now_ps, row.shape_tat, row.shape_tat_fraction, cost_ps, cost_fraction
    )
