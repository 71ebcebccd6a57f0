"""IEEE 802.3 PAUSE: senders stop, keep what falls due, and catch up at their access rate."""

from qoslib.packets.kernels.arrivals import plant
from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.compiling import kernel


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
def must_pause(state, port, now_ps):
    """After an arrival: tell the senders to stop, unless a pause holds all of them."""
    if port.waiting >= port.pause_high and now_ps >= port.pause_first_ps:
        _send_pause(state, port, now_ps, True)


@kernel
def may_resume(state, port, now_ps):
    """After a departure: tell the senders to go on, if a pause holds any of them."""
    if port.waiting <= port.pause_low and now_ps < port.pause_last_ps:
        _send_pause(state, port, now_ps, False)
