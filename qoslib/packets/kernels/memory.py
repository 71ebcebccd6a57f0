"""Room for a packet: limits of a queue beside its first, and its share of a memory pool."""

from qoslib.packets.kernels.compiling import kernel, rare_kernel


@rare_kernel
def refuses(queue, kind):
    """Whether a second limit, or a resume threshold, refuses a packet that the first lets in."""
    if queue.held_bytes + kind.frame_bytes > queue.limit_bytes:
        return True
    if queue.closed and queue.fill <= queue.resume and queue.held_bytes <= queue.resume_bytes:
        queue.closed = 0
    return queue.closed == 1


@kernel
def _shared(queue, memory_bytes):
    """What so much memory of a queue takes of the shared part."""
    return max(memory_bytes - queue.reserved_bytes, 0)


@rare_kernel
def takes_memory(pool, queue, kind):
    """Whether the packet finds memory, which it then takes.

    A dynamic threshold looks at what was there before it (Choudhury and Hahne 1998).
    """
    held = _shared(queue, queue.memory_bytes)
    more = _shared(queue, queue.memory_bytes + kind.memory_bytes) - held
    free = pool.limit_bytes - pool.held_bytes
    if pool.closed and pool.held_bytes <= pool.resume_bytes:
        pool.closed = 0
    if more > free:
        pool.closed = pool.resume_bytes >= 0
        return False
    if more > 0 and pool.closed:
        return False
    if more > 0 and queue.dynamic and held >= queue.threshold * free:
        return False
    pool.held_bytes += more
    queue.memory_bytes += kind.memory_bytes
    return True


@rare_kernel
def gives_back(pool, queue, kind):
    """A packet of the queue gives its memory back."""
    held = _shared(queue, queue.memory_bytes)
    queue.memory_bytes -= kind.memory_bytes
    pool.held_bytes -= held - _shared(queue, queue.memory_bytes)
