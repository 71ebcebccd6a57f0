"""Round robins by bytes: deficit round robin, and the Cisco 12000's modified one.

A queue that its shaper stops in the middle of a visit gives up the rest of its quantum.
"""

from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import DRR
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.metering import ready_at
from qoslib.packets.kernels.ring_buffer import head_slot


@kernel
def _move_on(port, queue):
    queue.visited = 0
    port.at_queue = port.at_queue + 1 if port.at_queue + 1 < port.queues else 0


@kernel
def _any_ready(queues, classes, slots, now_ps, fast):
    for index in range(len(queues)):
        if index != fast and ready_at(queues[index], classes, slots) <= now_ps:
            return True
    return False


@kernel
def _skip_rounds(port, queues, classes, slots, now_ps):
    """After a whole round without a packet: add the quanta of all rounds but the last like it.

    A queue is short of ``frame - deficit`` bytes, of one byte above 0 where it may overdraw; it
    makes them up in ``ceil(short / quantum)`` rounds, and all get as many as the first of them.
    """
    rounds = NEVER
    for index in range(len(queues)):
        queue = queues[index]
        if index != port.fast and ready_at(queue, classes, slots) <= now_ps:
            wanted = 1
            if port.scheduler == DRR:
                wanted = classes[slots[head_slot(queue)].packet_class].frame_bytes
            rounds = min(rounds, (wanted - queue.deficit - 1) // queue.quantum)
    for index in range(len(queues)):
        queue = queues[index]
        if index != port.fast and ready_at(queue, classes, slots) <= now_ps:
            queue.deficit += rounds * queue.quantum


@kernel
def next_drr(port, queues, classes, slots, now_ps):
    """Index of the queue whose deficit covers its oldest packet; -1 where none is ready."""
    if not _any_ready(queues, classes, slots, now_ps, -1):
        return -1
    while True:
        for _ in range(port.queues):
            queue = queues[port.at_queue]
            if ready_at(queue, classes, slots) <= now_ps:
                if not queue.visited:
                    queue.deficit += queue.quantum
                    queue.visited = 1
                if classes[slots[head_slot(queue)].packet_class].frame_bytes <= queue.deficit:
                    return port.at_queue
            elif queue.visited:
                queue.deficit = min(queue.deficit, 0)
            _move_on(port, queue)
        _skip_rounds(port, queues, classes, slots, now_ps)


@kernel
def next_mdrr(port, queues, classes, slots, now_ps):
    """Index of the low-latency queue, or of the one whose deficit is above 0; -1 for none."""
    if port.fast >= 0 and ready_at(queues[port.fast], classes, slots) <= now_ps:
        return port.fast
    queue = queues[port.at_queue]
    if queue.visited and queue.deficit > 0 and ready_at(queue, classes, slots) <= now_ps:
        return port.at_queue
    if not _any_ready(queues, classes, slots, now_ps, port.fast):
        return -1
    while True:
        for _ in range(port.queues):
            queue = queues[port.at_queue]
            if port.at_queue != port.fast and ready_at(queue, classes, slots) <= now_ps:
                if not queue.visited:
                    owed = queue.deficit if port.carries else max(queue.deficit, 0)
                    queue.deficit = owed + queue.quantum
                    queue.visited = 1
                if queue.deficit > 0:
                    return port.at_queue
            elif queue.visited:
                queue.deficit = min(queue.deficit, 0)
            _move_on(port, queue)
        _skip_rounds(port, queues, classes, slots, now_ps)


@kernel
def take_deficit(port, queue, index, frame_bytes):
    """Charge a served packet to its queue's deficit."""
    if index != port.fast:
        queue.deficit -= frame_bytes


@kernel
def end_visit(port, queue, index):
    """A queue left empty ends its visit, and gives up the rest of its quantum."""
    if index != port.fast:
        if port.resets:
            queue.deficit = 0
        if port.at_queue == index:
            _move_on(port, queue)
