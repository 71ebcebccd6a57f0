"""A queue as a ring of slots, and how much of its limit is used."""

from qoslib.packets.kernels.compiling import kernel


@kernel
def head_slot(queue):
    """Index of the oldest packet's slot."""
    return queue.first + (queue.head & queue.mask)


@kernel
def tail_slot(queue):
    """Index of the youngest packet's slot."""
    return queue.first + ((queue.head + queue.length - 1) & queue.mask)


@kernel
def append(queue, slots, kind, packet_class, arrival_ps, tag):
    """Put a packet at the end; in an empty queue where the last one was, which the cache holds."""
    if queue.length == 0:
        queue.head += queue.mask
    slot = slots[queue.first + ((queue.head + queue.length) & queue.mask)]
    slot.arrival_ps = arrival_ps
    slot.packet_class = packet_class
    slot.tag = tag
    queue.length += 1
    queue.fill += kind.amount
    queue.held_bytes += kind.frame_bytes
    queue.peak = max(queue.peak, queue.length)


@kernel
def take_head(queue, kind):
    """Remove the oldest packet, which is of this class."""
    queue.head += 1
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
