"""IEEE 802.3 PAUSE: senders stop, keep what falls due, and catch up at their access rate.

A queue may pause its own senders, with a delay (IEEE 802.1Qbb). What it asks for waits in a ring
of times at which it takes effect; stop and go take turns.
"""

from qoslib.packets.kernels.arrivals import plant
from qoslib.packets.kernels.clock import HORIZON_PS, NEVER
from qoslib.packets.kernels.codes import BY_QUEUE
from qoslib.packets.kernels.compiling import kernel, rare_kernel


@kernel
def held_back(stream, access_ps):
    """The stream's next arrival, which a pause in force may delay."""
    if stream.due_ps != NEVER:
        stream.next_ps = max(stream.due_ps, stream.held_until_ps + access_ps)


@kernel
def _send_pause(state, port, now_ps, stop):
    """A PAUSE frame to every sender: stop for its quanta, or go on."""
    port.pause_frames += 1
    port.pause_first_ps = NEVER if stop else now_ps
    port.pause_last_ps = now_ps
    for stream in state.streams:
        if stream.pause_ps == 0:
            continue
        until_ps = now_ps + stream.pause_ps if stop else now_ps
        port.pause_first_ps = min(port.pause_first_ps, until_ps)
        port.pause_last_ps = max(port.pause_last_ps, until_ps)
        access_ps = state.classes[stream.packet_class].access_ps
        started = stream.next_ps - access_ps <= now_ps
        stream.held_until_ps = until_ps if port.obeyed else 0
        if not started:
            held_back(stream, access_ps)
    plant(state.tree, state.streams)


@kernel
def _ask(state, port, queue, due_ps):
    """Ask the queue's senders to stop or go on, whichever they do not do; in order of time."""
    due_ps = max(due_ps, queue.last_order_ps)
    at = (queue.orders_head + queue.orders_waiting) & queue.orders_mask
    state.orders_ps[queue.orders_first + at] = due_ps
    queue.orders_waiting += 1
    queue.last_order_ps = due_ps
    queue.asked = 1 - queue.asked
    port.pause_frames += 1
    port.timer_ps = min(port.timer_ps, due_ps)


@rare_kernel
def tell_senders(state, queue, index, now_ps):
    """What has been asked for takes effect; when the next of it does."""
    while queue.orders_waiting > 0:
        order_ps = state.orders_ps[queue.orders_first + (queue.orders_head & queue.orders_mask)]
        if order_ps > now_ps:
            return order_ps
        queue.orders_head += 1
        queue.orders_waiting -= 1
        queue.told = 1 - queue.told
        for stream in state.streams:
            if stream.queue == index:
                access_ps = state.classes[stream.packet_class].access_ps
                started = stream.next_ps - access_ps <= order_ps
                stream.held_until_ps = HORIZON_PS if queue.told else order_ps
                if not started:
                    held_back(stream, access_ps)
        plant(state.tree, state.streams)
    return NEVER


@kernel
def must_pause(state, port, queue, kind, now_ps):
    """After an arrival: tell the senders to stop, unless a pause holds all of them.

    A queue asks as of the bit that crosses its threshold, while the frame arrives.
    """
    if port.pauses == BY_QUEUE:
        over_bytes = queue.held_bytes - queue.pause_above_bytes
        if queue.pauses and not queue.asked and over_bytes > 0:
            ago_ps = int(kind.access_ps * (over_bytes / kind.frame_bytes))
            _ask(state, port, queue, max(now_ps - ago_ps + queue.response_ps, now_ps))
    elif port.waiting >= port.pause_high and now_ps >= port.pause_first_ps:
        _send_pause(state, port, now_ps, True)


@kernel
def may_resume(state, port, queue, now_ps):
    """After a departure: tell the senders to go on, if a pause holds any of them."""
    if port.pauses == BY_QUEUE:
        if queue.pauses and queue.asked and queue.held_bytes <= queue.go_bytes:
            _ask(state, port, queue, now_ps + queue.response_ps)
    elif port.waiting <= port.pause_low and now_ps < port.pause_last_ps:
        _send_pause(state, port, now_ps, False)
