"""A queue as a ring of slots, and how much of its limit is used."""

import numpy as np

from qoslib.packets.kernels.compiling import kernel


@kernel
def _slot(queue, place):
    """Index of a place in the ring, without a sign."""
    return np.uint64(queue.first + (place & queue.mask))


@kernel
def head_slot(queue):
    """Index of the oldest packet's slot."""
    return _slot(queue, queue.head)


@kernel
def tail_slot(queue):
    """Index of the youngest packet's slot."""
    return _slot(queue, queue.head + queue.length - 1)


@kernel
def append(queue, slots, kind, packet_class, arrival_ps, tag):
    """Put a packet at the end; in an empty queue where the last one was, which the cache holds."""
    if queue.length == 0:
        queue.head += queue.mask
    slot = slots[_slot(queue, queue.head + queue.length)]
    slot.arrival_ps = arrival_ps
    slot.packet_class = packet_class
    slot.tag = tag
    count_in(queue, kind)


@kernel
def count_in(queue, kind):
    """A packet of this class takes its room."""
    queue.length += 1
    queue.fill += kind.amount
    queue.held_bytes += kind.frame_bytes
    if queue.length > queue.peak:
        queue.peak = queue.length


@kernel
def count_out(queue, kind):
    """A packet of this class gives its room back."""
    queue.length -= 1
    queue.fill -= kind.amount
    queue.held_bytes -= kind.frame_bytes


@kernel
def refresh_limit(queue, now_ps):
    """A limit at the served rate: what was served in the last whole window, or the guarantee's."""
    if now_ps >= queue.window_end_ps:
        passed = (now_ps - queue.window_end_ps) // queue.window_ps + 1
        queue.limit = max(queue.floor, queue.served if passed == 1 else 0)
        queue.served = 0
        queue.window_end_ps += passed * queue.window_ps
