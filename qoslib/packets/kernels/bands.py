"""A tree of schedulers with bands: strict priority, guarantees, excess.

Each node knows which packet would go from below it: that of the child with the least band, and of
equals of the one with the least turn in that band, or with the oldest packet where its queues send
in order of arrival. Only the path of what changes is worked out again: a queue whose oldest packet
is another, or a node whose tokens have come.
"""

from qoslib.packets.kernels.clock import NEVER, add_from
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.metering import shaped_until, take_shaped
from qoslib.packets.kernels.ring_buffer import head_slot
from qoslib.packets.kernels.tournament import first_from, put

#: In place of a band: nothing may go.
NONE = 1 << 40


@kernel
def _covered_at(row, cost_ps):
    """When a guaranteed rate covers a packet of this cost [ps]."""
    return row.credit_tat + cost_ps - row.credit_burst_ps


@kernel
def _of_queue(state, tree, leaf, now_ps):
    """Band of a queue's oldest packet; when that changes by itself."""
    queue, node = state.queues[leaf], tree.nodes[leaf]
    tree.goes[leaf, 0].band = tree.goes[leaf, 1].band = NONE
    if queue.length == 0:
        return NEVER
    slot = state.slots[head_slot(queue)]
    packet_class = slot.packet_class
    kind = state.classes[packet_class]
    if queue.shaped and shaped_until(queue, kind.shape_ps) > now_ps:
        return shaped_until(queue, kind.shape_ps)
    wake_ps, within, beyond = NEVER, node.beyond, node.beyond
    if node.within < tree.root[0].first_within:
        within = beyond = node.within
    elif queue.guaranteed:
        covered_ps = _covered_at(queue, kind.credit_ps)
        if covered_ps <= now_ps:
            within = node.within
        else:
            wake_ps = covered_ps
    tree.goes[leaf, 0].band, tree.goes[leaf, 1].band = within, beyond
    tree.goes[leaf, 0].turn_ps = tree.turns[leaf, within]
    tree.goes[leaf, 1].turn_ps = tree.turns[leaf, beyond]
    if within < tree.root[0].first_in_turn:
        tree.goes[leaf, 0].turn_ps = tree.goes[leaf, 1].turn_ps = slot.arrival_ps
    tree.goes[leaf, 0].kind = tree.goes[leaf, 1].kind = packet_class
    return wake_ps


@kernel
def _take_from(tree, index, to, row, now_ps):
    """What the best child would send is what the node would, if its shaper's tokens cover it."""
    node = tree.nodes[index]
    child = tree.matches[row, node.first + 1]
    band = tree.goes[child, row].band
    if band < NONE and node.shaped:
        step = tree.steps[tree.paths[tree.goes[child, row].kind, node.depth]]
        ready_ps = shaped_until(node, step.shape_ps)
        if ready_ps > now_ps:
            tree.goes[index, to].band = NONE
            return ready_ps
    tree.goes[index, to].band = band
    if band < NONE:
        if band < tree.root[0].first_in_turn:
            tree.goes[index, to].turn_ps = tree.goes[child, row].turn_ps
        else:
            tree.goes[index, to].turn_ps = tree.turns[index, band]
        tree.goes[index, to].leaf = tree.goes[child, row].leaf
        tree.goes[index, to].kind = tree.goes[child, row].kind
    return NEVER


@kernel
def _row_of(tree, index, now_ps):
    """Which column of `goes` counts at a node; when that changes by itself.

    Where its guarantee does not cover the packet that would go within it, all below it is excess.
    """
    node, root = tree.nodes[index], tree.root[0]
    if node.guaranteed:
        child = tree.matches[0, node.first + 1]
        if root.first_within <= tree.goes[child, 0].band < root.first_beyond:
            step = tree.steps[tree.paths[tree.goes[child, 0].kind, node.depth]]
            covered_ps = _covered_at(node, step.credit_ps)
            if covered_ps > now_ps:
                return 1, covered_ps
    return 0, NEVER


@kernel
def turn_by_band(tree, index, now_ps):
    """The child of a node whose packet would go next, whatever the node's shaper has; -1: none."""
    row, _ = _row_of(tree, index, now_ps)
    child = tree.matches[row, tree.nodes[index].first + 1]
    return child if tree.goes[child, row].band < NONE else -1


@kernel
def _of_node(tree, index, now_ps):
    """Which packet would go from below a node; when that changes by itself."""
    node = tree.nodes[index]
    row, wake_ps = _row_of(tree, index, now_ps)
    wake_ps = min(wake_ps, _take_from(tree, index, 0, row, now_ps))
    if node.demotes:
        wake_ps = min(wake_ps, _take_from(tree, index, 1, 1, now_ps))
    return wake_ps


@kernel
def _replay(tree, row, index):
    """Play a node's matches against its siblings again; of equals the one named first wins."""
    node = tree.nodes[index]
    parent = tree.nodes[node.parent]
    at, winner = parent.size + node.place, index
    band, turn_ps = tree.goes[index, row].band, tree.goes[index, row].turn_ps
    while at > 1:
        other = tree.matches[row, parent.first + (at ^ 1)]
        other_band, other_ps = tree.goes[other, row].band, tree.goes[other, row].turn_ps
        # An odd place is the right one of its two, and loses to an equal.
        beaten = other_band < band or (other_band == band and other_ps - (at & 1) < turn_ps)
        winner = other if beaten else winner
        band = other_band if beaten else band
        turn_ps = other_ps if beaten else turn_ps
        at >>= 1
        tree.matches[row, parent.first + at] = winner


@kernel
def refresh(state, tree, index, now_ps, whole):
    """Work out a node that changed, and its ancestors: all of them, or as far as they change."""
    queues = len(state.queues)
    while True:
        node = tree.nodes[index]
        goes, beyond = tree.goes[index, 0], tree.goes[index, 1]
        band, turn_ps, leaf, kind = goes.band, goes.turn_ps, goes.leaf, goes.kind
        excess, excess_ps = beyond.band, beyond.turn_ps
        excess_leaf, excess_kind = beyond.leaf, beyond.kind
        if index < queues:
            wake_ps = _of_queue(state, tree, index, now_ps)
        else:
            wake_ps = _of_node(tree, index, now_ps)
        put(tree.wakes, 0, len(tree.wakes) // 2, index, wake_ps)
        if node.parent < 0:
            return
        if not whole:
            same = band == goes.band and turn_ps == goes.turn_ps
            same = same and leaf == goes.leaf and kind == goes.kind
            same = same and excess == beyond.band and excess_ps == beyond.turn_ps
            if same and excess_leaf == beyond.leaf and excess_kind == beyond.kind:
                return
        _replay(tree, 0, index)
        if tree.nodes[node.parent].demotes:
            _replay(tree, 1, index)
        index = node.parent


@kernel
def choose_by_band(state, tree, now_ps):
    """Index of the queue that sends next; -1 where nothing may go."""
    root = tree.root[0]
    while tree.wakes[1] <= now_ps:
        index = first_from(tree.wakes, 0, len(tree.wakes) // 2, 0, now_ps)
        refresh(state, tree, index, now_ps, False)
    root.band = tree.goes[root.root, 0].band
    return tree.goes[root.root, 0].leaf if root.band < NONE else -1


@kernel
def _take_credit(row, cost_ps, cost_fraction, now_ps, most_ps):
    """Take a packet's tokens from a guaranteed rate, so that at most so much of them is owed."""
    row.credit_tat, row.credit_tat_fraction = add_from(
        now_ps, row.credit_tat, row.credit_tat_fraction, cost_ps, cost_fraction
    )
    if row.credit_tat - now_ps > most_ps:
        row.credit_tat, row.credit_tat_fraction = now_ps + most_ps, 0


@kernel
def charge_by_band(state, tree, leaf, packet_class, now_ps):
    """What a packet costs its queue and all nodes above, but for the shaper of the queue."""
    root, kind, queue = tree.root[0], state.classes[packet_class], state.queues[leaf]
    band = root.band
    if root.first_within <= band < root.first_beyond:
        most_ps = queue.credit_burst_ps + 1
        _take_credit(queue, kind.credit_ps, kind.credit_fraction, now_ps, most_ps)
    index = leaf
    while True:
        node = tree.nodes[index]
        step = tree.steps[tree.paths[packet_class, node.depth]]
        if index != leaf:
            if node.shaped:
                take_shaped(node, step.shape_ps, step.shape_fraction, now_ps)
            if node.guaranteed and band < root.first_beyond:
                most_ps = node.credit_burst_ps + 1
                _take_credit(node, step.credit_ps, step.credit_fraction, now_ps, most_ps)
        if node.parent < 0:
            return
        turn_ps = tree.turns[index, band]
        tree.reached[node.parent, band] = max(tree.reached[node.parent, band], turn_ps)
        if band >= root.first_beyond:
            tree.turns[index, band] = turn_ps + step.excess_turn_ps
        elif band >= root.first_within:
            tree.turns[index, band] = turn_ps + step.turn_ps
        else:
            tree.turns[index, band] = turn_ps + max(kind.service_ps, 1)
        index = node.parent


@kernel
def join(tree, leaf):
    """A queue that was empty holds a packet: it starts where its siblings are, and so does what is
    above it as far as that was empty."""
    index = leaf
    while tree.nodes[index].parent >= 0:
        parent = tree.nodes[index].parent
        for band in range(tree.turns.shape[1]):
            tree.turns[index, band] = max(tree.turns[index, band], tree.reached[parent, band])
        tree.nodes[parent].nonempty += 1
        if tree.nodes[parent].nonempty > 1:
            return
        index = parent


@kernel
def leave(tree, leaf):
    """A queue is left empty."""
    index = leaf
    while tree.nodes[index].parent >= 0:
        index = tree.nodes[index].parent
        tree.nodes[index].nonempty -= 1
        if tree.nodes[index].nonempty > 0:
            return
