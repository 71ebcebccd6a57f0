"""The event loop of several ports with senders that answer: ports in a row, or side by side.

When a port hands a packet to its line, it is certain when its last bit leaves. So the packet goes
at once on the wire to its next port, or its receiver hears of it. A segment that is under way has
a trip: the packet's tag is its place, and it keeps the segment's own tag and when that came.

Of events at one time those of the port listed first come first; at a port its departure, the flows
that begin there, its streams, what comes from hosts, and what comes from other ports.
"""

from qoslib.packets.kernels.codes import NOT_ECT
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.counters import count_delay, count_sent
from qoslib.packets.kernels.draws import uniform
from qoslib.packets.kernels.loop import AT_ONCE, next_departure_ps, next_of, run_timer
from qoslib.packets.kernels.ports import (
    begin_ports,
    first_of,
    flows_part,
    next_event_ps,
    part,
    tree_part,
)
from qoslib.packets.kernels.steps import arrive, send
from qoslib.tcp.kernels.codes import CWR, MARKED, MOST_TRIES, OF_FLOW, OF_WIRE, TAG
from qoslib.tcp.kernels.flow import acts, schedule
from qoslib.tcp.kernels.loop import begin_counts, note_flows
from qoslib.tcp.kernels.places import trip_place, wire_place
from qoslib.tcp.kernels.receiver import receive
from qoslib.tcp.kernels.wires import put_behind, put_on_wire, take_off_wire


@kernel
def _run_timers(own, routes, senders, k, now_ps):
    """Run a port's timers of one time; what is noted of flows is noted once, by the first port."""
    port = own.port[0]
    edge = port.edge
    if port.forget_ps <= now_ps:
        for route in routes:
            route.marks = 0
        if k == 0:
            begin_counts(senders.flows, senders.segments, port.warm_ps)
    run_timer(own, port)
    if k == 0:
        note_flows(senders, own.edges_ps, edge, port.edge)


@kernel
def _free_trip(senders, place):
    """A segment is no longer under way; its own tag."""
    trips = senders.trips
    tag = trips[place].tag
    trips[place].tag, trips[0].tag = trips[0].tag, place
    return tag


@kernel
def _marked(own, routes, packet_class):
    """Whether the packet that is now handled was marked: its flow has a mark more than before."""
    base = own.classes[packet_class].base
    marked = routes[base].marks != own.counts[base, 2]
    routes[base].marks = own.counts[base, 2]
    return marked


@kernel
def _comes(own, senders, port, source, now_ps):
    """The class and tag of the packet of a stream or wire that arrives now."""
    if source.kind != OF_WIRE:
        return next_of(own, port, own.tree[1], now_ps)
    wire = senders.wires[source.number]
    packet_class, tag = take_off_wire(own, wire, senders.ways)
    if wire.from_host:
        place = trip_place(senders.trips, senders.places)
        senders.trips[place].since_ps, senders.trips[place].tag = now_ps, tag
        tag = place | (tag & NOT_ECT)
    return packet_class, tag


@kernel
def _is_received(state, at, senders, next_ps, index, tag, departure_ps):
    """A flow's packet is on its last line: its receiver hears of it."""
    flow = senders.flows[index]
    if flow.lost_share > 0.0 and uniform(flow) < flow.lost_share:
        return
    receive(flow, senders, tag & TAG, tag & CWR, 1 if tag & MARKED else 0, departure_ps)
    own = part(state, at, flow.port)
    schedule(own, senders, index)
    next_ps[flow.port] = next_event_ps(own, own.port[0])


@kernel
def _count_out(network, senders, wire, warm_ps, until_ps):
    """Count the delays of packets whose last bit has left the last port by a time."""
    while wire.waiting > 0:
        way = senders.ways[wire.first + (wire.head & wire.mask)]
        if way.arrival_ps > until_ps + wire.base_ps:
            return
        wire.head += 1
        wire.waiting -= 1
        if way.arrival_ps >= warm_ps + wire.base_ps:
            stream = way.packet_class
            network.sent[stream] += 1
            delay_ps = way.arrival_ps - way.tag
            count_delay(network.delays[stream], network.histogram, stream, delay_ps)


@kernel
def _goes_on(state, at, network, senders, next_ps, own, routes, outcome, now_ps):
    """A packet is on the line: it will be at its next port, or it leaves the last."""
    route, tag, departure_ps = routes[outcome.packet_class], outcome.tag, outcome.departure_ps
    port, since_ps, last = own.port[0], tag, True
    arrival_ps = departure_ps + port.base_ps
    if route.flow >= 0:
        trip = senders.trips[tag & TAG]
        since_ps = trip.since_ps
        if _marked(own, routes, outcome.packet_class):
            trip.tag |= MARKED
    if route.wire >= 0:
        wire = senders.wires[route.wire]
        last = wire.port < 0
        if last:
            _count_out(network, senders, wire, port.warm_ps, now_ps)
        wire_place(wire, senders.ways, senders.places, 1)
        if last:
            put_behind(wire, senders.ways, arrival_ps, route.stream, since_ps)
        else:
            there = part(state, at, wire.port)
            put_on_wire(there, wire, senders.ways, arrival_ps, route.packet_class, tag)
            next_ps[wire.port] = next_event_ps(there, there.port[0])
    if last and route.flow >= 0:
        tag = _free_trip(senders, tag & TAG)
        _is_received(state, at, senders, next_ps, route.flow, tag, departure_ps)


@kernel
def _follow(state, at, network, senders, next_ps, own, routes, now_ps):
    """What became of the packets whose outcome was decided in this event."""
    port = own.port[0]
    for i in range(port.logged):
        outcome = own.log[i]
        index = routes[outcome.packet_class].flow
        if outcome.cause < 0:
            _goes_on(state, at, network, senders, next_ps, own, routes, outcome, now_ps)
        elif index >= 0:
            if _free_trip(senders, outcome.tag & TAG) & MOST_TRIES > 1:
                senders.flows[index].retransmit_drops += 1
            else:
                senders.flows[index].first_send_drops += 1
    port.logged = 0


@kernel
def _step(state, at, network, senders, next_ps, k, own, own_tree, own_flows, routes, now_ps):
    """A port's event of this time: timers, a departure, or what its first source does."""
    port = own.port[0]
    if port.timer_ps <= now_ps:
        _run_timers(own, routes, senders, k, now_ps)
        next_ps[k] = next_event_ps(own, port)
        return
    port.now_ps = now_ps
    source = network.sources[at[k, 1] + own.tree[1]]
    if next_departure_ps(own, port) <= now_ps:
        send(own, own_tree, own_flows, port, now_ps)
    elif source.kind == OF_FLOW:
        acts(own, senders, source.number, now_ps)
    else:
        packet_class, tag = _comes(own, senders, port, source, now_ps)
        arrive(own, own_tree, own_flows, port, packet_class, tag, now_ps)
        if routes[packet_class].flow >= 0 and _marked(own, routes, packet_class):
            senders.trips[tag & TAG].tag |= MARKED
    _follow(state, at, network, senders, next_ps, own, routes, now_ps)
    next_ps[k] = next_event_ps(own, port)


@kernel
def _end(state, at, network, senders, next_ps, done_ps):
    """All before this time has been played: run the timers of that time, and count what left."""
    for k in range(len(next_ps)):
        own = part(state, at, k)
        if own.port[0].timer_ps <= done_ps:
            _run_timers(own, network.routes[at[k, 3] : at[k + 1, 3]], senders, k, done_ps)
        count_sent(own, own.port[0], done_ps)
    for wire in senders.wires:
        if wire.port < 0:
            _count_out(network, senders, wire, state.port[0].warm_ps, done_ps)


@kernel
def play(state, tree, flows, at, tree_at, flows_at, network, senders, next_ps, until_ps, events):
    """Run events before `until_ps`, about so many; how far all is done [ps].

    As `qoslib.packets.kernels.ports.play_ports`; and it comes back where a table is short of
    places: `qoslib.tcp.places.lengthened`.
    """
    begin_ports(state, at, next_ps)
    first, now_ps, over = first_of(next_ps), -1, False
    while next_ps[first] < until_ps and not over:
        k, own, own_tree = first, part(state, at, first), tree_part(tree, tree_at, first)
        own_flows, routes = flows_part(flows, flows_at, k), network.routes[at[k, 3] : at[k + 1, 3]]
        while first == k and next_ps[k] < until_ps:
            over = events <= 0 and (next_ps[k] > now_ps or events <= -AT_ONCE)
            over = over or senders.places[0].short > 0
            if over:
                break
            now_ps = next_ps[k]
            _step(state, at, network, senders, next_ps, k, own, own_tree, own_flows, routes, now_ps)
            events -= 1
            first = first_of(next_ps)
    done_ps = min(next_ps[first], until_ps)
    _end(state, at, network, senders, next_ps, done_ps)
    return done_ps


@kernel
def run_network(state, at, network, senders, next_ps, until_ps, events):
    """Play ports whose schedulers are flat, and their senders; parameters as `play`."""
    return play(state, None, None, at, at, at, network, senders, next_ps, until_ps, events)


@kernel
def run_any_network(
    state, tree, flows, at, tree_at, flows_at, network, senders, next_ps, until_ps, events
):
    """Play ports of which some have trees or queues that keep flows apart, and their senders."""
    return play(
        state, tree, flows, at, tree_at, flows_at, network, senders, next_ps, until_ps, events
    )
