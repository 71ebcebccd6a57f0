"""The loop of several ports that share memory: the port whose event comes first plays it.

The tables of all ports stand behind one another in those of one state, and `at` says where each
port's begin. A port's own loop then runs on its parts, up to the next event of any other port, so
that its rules, and what they compile to, are those of a port alone. The pools are common.

Of events at several ports at the same time, those of the port listed first come first.
"""

from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.loop import AT_ONCE, run
from qoslib.packets.kernels.tables import State

#: So many events of one port are played before it is looked which port comes next.
IN_A_ROW = 16


@kernel
def _part(state, at, k):
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
def _first(next_ps):
    """The port whose event comes first."""
    first = 0
    for k in range(1, len(next_ps)):
        if next_ps[k] < next_ps[first]:
            first = k
    return first


@kernel
def run_ports(state, at, next_ps, until_ps, turns):
    """Play events before `until_ps` and timers up to it, in so many turns of a port; how far.

    `next_ps` holds how far each port is done: it has neither an event nor a timer before that. So
    no port is ahead of the least of these where it comes back: not between two events of one time.
    """
    first, through_ps = _first(next_ps), -1
    while next_ps[first] < until_ps:
        if turns <= 0 and (next_ps[first] > through_ps or turns <= -AT_ONCE):
            break
        limit_ps = until_ps
        for k in range(len(next_ps)):
            # An event at the same time comes before those of the ports listed after it.
            if k != first and next_ps[k] < limit_ps:
                limit_ps = next_ps[k] + (k > first)
        part = _part(state, at, first)
        done_ps = run(part, limit_ps, IN_A_ROW)
        next_ps[first] = min(done_ps, part.port[0].timer_ps)
        through_ps = max(through_ps, min(done_ps, limit_ps) - 1)
        first = _first(next_ps)
        turns -= 1
    done_ps = min(next_ps[first], until_ps)
    for k in range(len(next_ps)):
        # At most its timers of that time are left.
        run(_part(state, at, k), done_ps, IN_A_ROW)
    return done_ps
