"""The one event loop: the next arrival or the next departure, whichever is first.

It is compiled three times: for flat ports, for those with a tree, and for those with flow queues.

Of an arrival and a departure at the same time the departure comes first; of two arrivals at the
same time that of the stream listed first. A timer looks at what stands before the event at whose
time it runs.
"""

from qoslib.packets.kernels.arrivals import advance, plant, replay
from qoslib.packets.kernels.clock import HORIZON_PS, NEVER
from qoslib.packets.kernels.codes import BY_PIE, BY_QUEUE, BY_RED
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.counters import count_sent, forget, snapshot
from qoslib.packets.kernels.pause import held_back, tell_senders
from qoslib.packets.kernels.pie import pie_update
from qoslib.packets.kernels.red import sample
from qoslib.packets.kernels.steps import arrive, send

#: So many events more than wanted are played where they are of the same time.
AT_ONCE = 1000

#: So many rows looked at, or so many on-periods passed by, take about as long as an event.
_ROWS, _PERIODS = 64, 16


def affordable(state, events):
    """How many of so many events are played at once where each may look at every row.

    So that this takes well below a second whatever the description.
    """
    tables = state.streams, state.classes, state.queues, state.points
    drawn = state.streams[state.streams["random_periods"] == 1]
    periods = int((drawn["gap_ps"] / drawn["on_ps"]).max(initial=0))
    each = 1 + sum(len(table) for table in tables) // _ROWS + periods // _PERIODS
    return max(events // each, 1)


@kernel
def begin(state):
    """Find the next arrival of each stream that has none: at the start, or after new feed."""
    for stream in state.streams:
        if stream.next_ps == NEVER:
            advance(stream, state.classes, state.feed, -HORIZON_PS)
    plant(state.tree, state.streams)


@kernel
def run_timer(state, port):
    """Run the timers of one time, and set the port's next."""
    now_ps = port.timer_ps
    if port.forget_ps <= now_ps:
        forget(port, state.queues, state.counts, state.drops)
    next_ps = port.forget_ps
    if port.pauses == BY_QUEUE:
        for index in range(len(state.queues)):
            order_ps = tell_senders(state, state.queues[index], index, now_ps)
            next_ps = min(next_ps, order_ps)
    for queue in state.queues:
        if queue.timer_ps <= now_ps:
            if queue.dropper == BY_PIE:
                pie_update(queue)
            elif queue.dropper == BY_RED:
                sample(queue)
        next_ps = min(next_ps, queue.timer_ps)
    if port.edge_ps <= now_ps:
        snapshot(state, port)
    port.timer_ps = min(next_ps, port.edge_ps)


@kernel
def run_timers(state, port, now_ps, events):
    """Run the timers that are due, one time after the other; how many events are left then."""
    while port.timer_ps <= now_ps and events > 0:
        run_timer(state, port)
        events -= 1
    return events


@kernel
def next_departure_ps(state, port):
    """When the scheduler may choose again: there is a packet, a place in the ring, tokens."""
    if port.waiting == 0:
        return NEVER
    return max(state.handed[port.handed_at].departure_ps, port.now_ps, port.wake_ps)


@kernel
def next_of(state, port, index, now_ps):
    """The class and tag of a stream's packet that arrives now; the stream's next one is found."""
    stream = state.streams[index]
    packet_class = stream.packet_class
    tag = now_ps if stream.tag < 0 else stream.tag
    advance(stream, state.classes, state.feed, now_ps)
    if port.pauses:
        held_back(stream, state.classes[stream.packet_class].access_ps)
    replay(state.tree, state.streams, index)
    return packet_class, tag


@kernel
def over(port, next_ps, until_ps, events):
    """Whether a run that has so many events left comes back: not between two of the same time."""
    if next_ps >= until_ps:
        return True
    return events <= 0 and (next_ps > port.now_ps or events <= -AT_ONCE)


@kernel
def play(state, tree, flows, until_ps, events):
    """Run events before `until_ps` and timers up to it, about so many; how far all is done [ps].

    At that time all events before it have been played and all timers up to it have run. It is
    `until_ps` or later where nothing is left to do.
    """
    port = state.port[0]
    begin(state)
    while True:
        index = state.tree[1]
        arrival_ps = state.streams[index].next_ps
        free_ps = next_departure_ps(state, port)
        now_ps = min(arrival_ps, free_ps)
        if min(now_ps, until_ps) >= port.timer_ps:
            # A timer may hold back or release senders: then it is looked anew who comes next.
            due_ps = port.timer_ps if port.pauses else min(now_ps, until_ps)
            events = run_timers(state, port, due_ps, events)
            if port.timer_ps <= due_ps:
                count_sent(state, port, port.timer_ps - 1)
                return port.timer_ps - 1
            if port.pauses:
                continue
        full = port.log_stops and port.logged == len(state.log)
        if over(port, now_ps, until_ps, events) or full:
            count_sent(state, port, min(now_ps, until_ps))
            return now_ps
        port.now_ps = now_ps
        events -= 1
        if free_ps <= arrival_ps:
            send(state, tree, flows, port, now_ps)
        else:
            packet_class, tag = next_of(state, port, index, now_ps)
            arrive(state, tree, flows, port, packet_class, tag, now_ps)


@kernel
def run(state, until_ps, events):
    """Play a port whose scheduler is flat; parameters as `play`."""
    return play(state, None, None, until_ps, events)


@kernel
def run_tree(state, tree, until_ps, events):
    """Play a port with a tree of schedulers; parameters as `play`."""
    return play(state, tree, None, until_ps, events)


@kernel
def run_flows(state, tree, flows, until_ps, events):
    """Play a port with queues that keep flows apart, and a tree or an empty one; as `play`."""
    return play(state, tree, flows, until_ps, events)
