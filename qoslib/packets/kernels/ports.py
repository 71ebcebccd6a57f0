"""The loop of several ports that share memory: the port whose event comes first plays it.

The tables of all ports stand behind one another in those of one state, and `at` says where each
port's begin; likewise those of their trees and flow queues. A port's own steps then run on its
parts, so that its rules are those of a port alone. The pools are common.

Of events at several ports at the same time, those of the port listed first come first.
"""

from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.counters import count_sent
from qoslib.packets.kernels.flow_tables import FlowTables
from qoslib.packets.kernels.loop import AT_ONCE, begin, next_departure_ps, next_of, run_timer
from qoslib.packets.kernels.steps import arrive, send
from qoslib.packets.kernels.tables import State
from qoslib.packets.kernels.tree_tables import Tree


@kernel
def part(state, at, k):
    """The tables of one port."""
    a, b = at[k], at[k + 1]
    return State(
        state.port[a[0] : b[0]],
        state.streams[a[1] : b[1]],
        state.tree[a[2] : b[2]],
        state.classes[a[3] : b[3]],
        state.queues[a[4] : b[4]],
        state.slots[a[5] : b[5]],
        state.levels[a[6] : b[6]],
        state.order[a[7] : b[7]],
        state.pools,
        state.orders_ps[a[9] : b[9]],
        state.points[a[10] : b[10]],
        state.feed[a[11] : b[11]],
        state.handed[a[12] : b[12]],
        state.left[a[13] : b[13]],
        state.counts[a[14] : b[14]],
        state.drops[a[15] : b[15]],
        state.delays[a[16] : b[16]],
        state.histogram[a[17] : b[17]],
        state.edges_ps[a[18] : b[18]],
        state.past_counts[a[19] : b[19]],
        state.past_peaks[a[20] : b[20]],
        state.past_spent_ps[a[21] : b[21]],
        state.log[a[22] : b[22]],
        state.events[a[23] : b[23]],
        state.event_values[a[24] : b[24]],
    )


@kernel
def tree_part(tree, at, k):
    """The tree of one port, which is empty where it has none; None where no port has one."""
    if tree is None:
        return None
    a, b = at[k], at[k + 1]
    return Tree(
        tree.root[a[0] : b[0]],
        tree.nodes[a[1] : b[1]],
        tree.steps[a[2] : b[2]],
        tree.paths[a[3] : b[3]],
        tree.goes[a[4] : b[4]],
        tree.turns[a[5] : b[5]],
        tree.reached[a[6] : b[6]],
        tree.matches[a[7] : b[7]],
        tree.wakes[a[8] : b[8]],
        tree.members[a[9] : b[9]],
        tree.lenders[a[10] : b[10]],
        tree.at_turn[a[11] : b[11]],
        tree.deficits[a[12] : b[12]],
    )


@kernel
def flows_part(flows, at, k):
    """The flow queues of one port; None where no port has any."""
    if flows is None:
        return None
    a, b = at[k], at[k + 1]
    return FlowTables(
        flows.queues[a[0] : b[0]],
        flows.rows[a[1] : b[1]],
        flows.held_bytes[a[2] : b[2]],
        flows.links[a[3] : b[3]],
        flows.hosts[a[4] : b[4]],
    )


@kernel
def first_of(next_ps):
    """The port whose event comes first."""
    first = 0
    for k in range(1, len(next_ps)):
        if next_ps[k] < next_ps[first]:
            first = k
    return first


@kernel
def limit_of(next_ps, first, until_ps):
    """Before when a port's events come before those of all others, and before a time."""
    limit_ps = until_ps
    for k in range(len(next_ps)):
        # An event at the same time comes before those of the ports listed after it.
        if k != first and next_ps[k] < limit_ps:
            limit_ps = next_ps[k] + (k > first)
    return limit_ps


@kernel
def next_event_ps(state, port):
    """When a port's next event, or its next timer, is."""
    source_ps = state.streams[state.tree[1]].next_ps
    return min(source_ps, next_departure_ps(state, port), port.timer_ps)


@kernel
def begin_ports(state, at, next_ps):
    """Find the next arrivals and events of all ports."""
    for k in range(len(next_ps)):
        own = part(state, at, k)
        begin(own)
        next_ps[k] = next_event_ps(own, own.port[0])


@kernel
def end_ports(state, at, next_ps, done_ps):
    """All before this time has been played: run the timers of that time, and count what left."""
    for k in range(len(next_ps)):
        own = part(state, at, k)
        if own.port[0].timer_ps <= done_ps:
            run_timer(own, own.port[0])
        count_sent(own, own.port[0], done_ps)


@kernel
def _step(state, tree, flows, port, now_ps):
    """A port's event of this time: timers first, and a departure before an arrival."""
    if port.timer_ps <= now_ps:
        run_timer(state, port)
        return
    port.now_ps = now_ps
    if next_departure_ps(state, port) <= now_ps:
        send(state, tree, flows, port, now_ps)
    else:
        packet_class, tag = next_of(state, port, state.tree[1], now_ps)
        arrive(state, tree, flows, port, packet_class, tag, now_ps)


@kernel
def play_ports(state, tree, flows, at, tree_at, flows_at, next_ps, until_ps, events):
    """Run events before `until_ps` and timers up to it, about so many; how far all is done [ps].

    `next_ps` is where it notes when each port's next event is.
    """
    begin_ports(state, at, next_ps)
    first, now_ps = first_of(next_ps), -1
    while next_ps[first] < until_ps:
        if events <= 0 and (next_ps[first] > now_ps or events <= -AT_ONCE):
            break
        limit_ps = limit_of(next_ps, first, until_ps)
        own, own_tree = part(state, at, first), tree_part(tree, tree_at, first)
        own_flows, next_one_ps = flows_part(flows, flows_at, first), next_ps[first]
        while next_one_ps < limit_ps and events > -AT_ONCE:
            now_ps = next_one_ps
            _step(own, own_tree, own_flows, own.port[0], now_ps)
            events -= 1
            next_one_ps = next_event_ps(own, own.port[0])
            if events <= 0 and next_one_ps > now_ps:
                break
        next_ps[first] = next_one_ps
        first = first_of(next_ps)
    done_ps = min(next_ps[first], until_ps)
    end_ports(state, at, next_ps, done_ps)
    return done_ps


@kernel
def run_ports(state, at, next_ps, until_ps, events):
    """Play ports whose schedulers are flat; parameters as `play_ports`."""
    return play_ports(state, None, None, at, at, at, next_ps, until_ps, events)


@kernel
def run_any_ports(state, tree, flows, at, tree_at, flows_at, next_ps, until_ps, events):
    """Play ports of which some have trees or queues that keep flows apart; as `play_ports`."""
    return play_ports(state, tree, flows, at, tree_at, flows_at, next_ps, until_ps, events)
