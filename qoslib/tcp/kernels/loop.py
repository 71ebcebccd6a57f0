"""The event loop with senders that answer: the port's, and hosts and flows as its sources.

The rows of streams are first the flows, whose next time is that of an ACK or a timer, then the
streams that answer to nothing, then the hosts, whose next time is a packet's arrival at the port.
"""

from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.counters import count_sent
from qoslib.packets.kernels.draws import uniform
from qoslib.packets.kernels.loop import begin, next_departure_ps, next_of, over, run_timers
from qoslib.packets.kernels.ring_buffer import tail_slot
from qoslib.packets.kernels.steps import arrive, send
from qoslib.tcp.kernels.codes import CWR, MARKED, MOST_TRIES, TAG
from qoslib.tcp.kernels.flow import acts, schedule
from qoslib.tcp.kernels.receiver import receive, received_by
from qoslib.tcp.kernels.wires import take_off_wire


@kernel
def begin_counts(flows, segments, warm_ps):
    """At the end of the warm-up."""
    for flow in flows:
        flow.received_before = received_by(flow, segments, warm_ps - 1)
        flow.retransmitted = flow.timeouts = flow.recoveries = flow.marks = 0
        flow.dropped_in_host = flow.first_send_drops = flow.retransmit_drops = 0


@kernel
def note_flows(senders, edges_ps, first_bin, end_bin):
    """At the end of each of these bins: windows and round trips as they are."""
    for edge in range(first_bin, end_bin):
        for index in range(len(senders.flows)):
            flow, note = senders.flows[index], senders.notes[edge, index]
            note.cwnd, note.ssthresh, note.flight = flow.cwnd, flow.ssthresh, flow.flight
            note.last_rtt_ps = flow.last_rtt_ps
            note.received = received_by(flow, senders.segments, edges_ps[edge])


@kernel
def _run_timers(state, senders, port, now_ps, events):
    """As for any port; and what is noted of flows at the same times."""
    if port.forget_ps <= now_ps:
        begin_counts(senders.flows, senders.segments, port.warm_ps)
    edge = port.edge
    events = run_timers(state, port, now_ps, events)
    note_flows(senders, state.edges_ps, edge, port.edge)
    return events


@kernel
def _has_left(state, senders, index, tag, departure_ps):
    """A flow's packet is on the line; one more mark than before is this packet's."""
    flow = senders.flows[index]
    marked = flow.marks != state.counts[index, 2]
    flow.marks = state.counts[index, 2]
    if flow.lost_share > 0.0 and uniform(flow) < flow.lost_share:
        # Behind the port.
        return
    marked = 1 if marked or tag & MARKED else 0
    receive(flow, senders, tag & TAG, tag & CWR, marked, departure_ps)
    schedule(state, senders, index)


@kernel
def _follow(state, senders, port):
    """What became of the packets whose outcome was decided in this event."""
    for i in range(port.logged):
        outcome = state.log[i]
        index = state.classes[outcome.packet_class].base
        if index >= len(senders.flows):
            continue
        if outcome.cause < 0:
            _has_left(state, senders, index, outcome.tag, outcome.departure_ps)
        elif outcome.tag & MOST_TRIES > 1:
            senders.flows[index].retransmit_drops += 1
        else:
            senders.flows[index].first_send_drops += 1
    port.logged = 0


@kernel
def _note_mark(state, senders, index):
    """Whether the packet that has just been let in, the youngest of its queue, was marked."""
    flow = senders.flows[index]
    if flow.marks != state.counts[index, 2]:
        flow.marks = state.counts[index, 2]
        queue = state.queues[state.classes[index].queue]
        state.slots[tail_slot(queue)].tag |= MARKED


@kernel
def _reaches_port(state, tree, flows, senders, port, index, now_ps):
    """The oldest packet on a host's way out arrives."""
    packet_class, tag = take_off_wire(state, senders.wires[index], senders.ways)
    arrive(state, tree, flows, port, packet_class, tag, now_ps)
    _note_mark(state, senders, packet_class)


@kernel
def play(state, tree, flows, senders, until_ps, events):
    """Run events before `until_ps`, about so many; how far all is done [ps].

    As `qoslib.packets.kernels.loop.play`; and it comes back where a table is short of places:
    `qoslib.tcp.places.lengthened`.
    """
    port = state.port[0]
    first_other, first_host = len(senders.flows), senders.wires[0].row
    begin(state)
    while True:
        index = state.tree[1]
        source_ps = state.streams[index].next_ps
        free_ps = next_departure_ps(state, port)
        now_ps = min(source_ps, free_ps)
        if min(now_ps, until_ps) >= port.timer_ps:
            events = _run_timers(state, senders, port, min(now_ps, until_ps), events)
            if port.timer_ps <= min(now_ps, until_ps):
                count_sent(state, port, port.timer_ps - 1)
                return port.timer_ps - 1
        if over(port, now_ps, until_ps, events) or senders.places[0].short:
            count_sent(state, port, min(now_ps, until_ps))
            return now_ps
        port.now_ps = now_ps
        events -= 1
        if free_ps <= source_ps:
            send(state, tree, flows, port, now_ps)
            _follow(state, senders, port)
        elif index < first_other:
            acts(state, senders, index, now_ps)
        elif index >= first_host:
            _reaches_port(state, tree, flows, senders, port, index - first_host, now_ps)
            _follow(state, senders, port)
        else:
            packet_class, tag = next_of(state, port, index, now_ps)
            arrive(state, tree, flows, port, packet_class, tag, now_ps)
            _follow(state, senders, port)


@kernel
def run(state, senders, until_ps, events):
    """Play a port whose scheduler is flat, and its senders; parameters as `play`."""
    return play(state, None, None, senders, until_ps, events)


@kernel
def run_tree(state, tree, senders, until_ps, events):
    """Play a port with a tree of schedulers, and its senders; parameters as `play`."""
    return play(state, tree, None, senders, until_ps, events)


@kernel
def run_flows(state, tree, flows, senders, until_ps, events):
    """Play a port with queues that keep flows apart, a tree or an empty one, and its senders."""
    return play(state, tree, flows, senders, until_ps, events)
