"""The one event loop: the next arrival or the next departure, whichever is first.

Of an arrival and a departure at the same time the departure comes first; of two arrivals at the
same time that of the stream listed first. A timer looks at what stands before the event at whose
time it runs.
"""

from qoslib.packets.admit import BY_PIE, BY_RED, admit
from qoslib.packets.arrivals import advance, plant, replay
from qoslib.packets.clock import HORIZON_PS, NEVER
from qoslib.packets.kernel import kernel
from qoslib.packets.pause import held_back
from qoslib.packets.pie import pie_update
from qoslib.packets.red import sample
from qoslib.packets.serve import serve
from qoslib.packets.tally import forget, snapshot

__all__ = ["next_departure_ps", "run", "run_timers"]


@kernel
def _begin(state):
    """Find the next arrival of each stream that has none: at the start, or after new feed."""
    for stream in state.streams:
        if stream.next_ps == NEVER:
            advance(stream, state.classes, state.feed, -HORIZON_PS)
    plant(state.tree, state.streams)


@kernel
def run_timers(state, port, now_ps):
    """Run all timers that are due, and set the port's next."""
    if port.forget_ps <= now_ps:
        forget(port, state.queues, state.counts, state.drops)
    port.timer_ps = port.forget_ps
    for queue in state.queues:
        while queue.timer_ps <= now_ps:
            if queue.dropper == BY_PIE:
                pie_update(queue)
            elif queue.dropper == BY_RED:
                sample(queue)
        port.timer_ps = min(port.timer_ps, queue.timer_ps)
    while port.edge_ps <= now_ps:
        snapshot(
            port,
            state.queues,
            state.counts,
            state.drops,
            state.edges_ps,
            state.past_counts,
            state.past_peaks,
            state.past_spent_ps,
        )
    port.timer_ps = min(port.timer_ps, port.edge_ps)


@kernel
def next_departure_ps(state, port):
    """When the scheduler may choose again: there is a packet, a place in the ring, tokens."""
    if port.waiting == 0:
        return NEVER
    return max(state.handed[port.handed_at], port.now_ps, port.wake_ps)


@kernel
def _arrive(state, port, index, now_ps):
    stream = state.streams[index]
    packet_class = stream.packet_class
    tag = now_ps if stream.tag < 0 else stream.tag
    advance(stream, state.classes, state.feed, now_ps)
    if port.pauses:
        held_back(stream, state.classes[stream.packet_class].access_ps)
    replay(state.tree, state.streams, index)
    admit(state, port, packet_class, tag, now_ps)


@kernel
def run(state, until_ps, arrivals):
    """Run events before `until_ps`, at most so many arrivals; the time of the next event [ps]."""
    port = state.port[0]
    _begin(state)
    while True:
        index = state.tree[1]
        arrival_ps = state.streams[index].next_ps
        free_ps = next_departure_ps(state, port)
        now_ps = min(arrival_ps, free_ps)
        if min(now_ps, until_ps) >= port.timer_ps:
            run_timers(state, port, min(now_ps, until_ps))
        full = port.log_stops and port.logged == len(state.log)
        if now_ps >= until_ps or arrivals == 0 or full:
            return now_ps
        port.now_ps = now_ps
        if free_ps <= arrival_ps:
            serve(state, port, now_ps)
        else:
            arrivals -= 1
            _arrive(state, port, index, now_ps)
