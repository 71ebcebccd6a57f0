"""Linux HTB: who may send by itself, who borrows from whom, and whose turn it is.

A bucket lets a packet go while its tokens are not negative. Of each level of lenders a tournament
holds the priorities that may go, each node another of those that would borrow through it; column 0
of `Tree.goes` has what a node puts into the first, column 1 what it puts into its parent's.
"""

from qoslib.packets.kernels.bands import NONE
from qoslib.packets.kernels.clock import NEVER, PS_PER_S, add_from
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.tournament import first_from, put

#: The most that a bucket may owe (mbuffer of sch_htb.c) [ps].
MOST_OWED_PS = 60 * PS_PER_S
CANNOT, BORROWS, CAN = range(3)


@kernel
def _mode(row, now_ps):
    """Whether it may send by itself, has to borrow, or neither; until when [ps]."""
    if row.shaped and row.shape_tat - row.shape_burst_ps > now_ps:
        return CANNOT, row.shape_tat - row.shape_burst_ps
    if not row.guaranteed:
        return BORROWS, NEVER
    if row.credit_tat - row.credit_burst_ps > now_ps:
        return BORROWS, row.credit_tat - row.credit_burst_ps
    return CAN, NEVER


@kernel
def refresh_lenders(state, tree, index, now_ps, whole):
    """Work out a node that changed, and its ancestors: all of them, or as far as they change."""
    queues = state.queues
    while True:
        node = tree.nodes[index]
        if index < len(queues):
            wanted = node.priority if queues[index].length > 0 else NONE
            mode, wake_ps = _mode(queues[index], now_ps)
        else:
            wanted = tree.matches[1, node.first + 1]
            mode, wake_ps = _mode(node, now_ps)
        put(tree.wakes, 0, len(tree.wakes) // 2, index, wake_ps if wanted < NONE else NEVER)
        lends, borrows = wanted if mode == CAN else NONE, wanted if mode == BORROWS else NONE
        if lends != tree.goes[index, 0].band:
            tree.goes[index, 0].band = lends
            level = tree.lenders[node.level]
            put(tree.matches[0], level.first, level.size, node.at_level, lends)
        same = borrows == tree.goes[index, 1].band
        if node.parent < 0 or (same and not whole):
            return
        tree.goes[index, 1].band = borrows
        parent = tree.nodes[node.parent]
        put(tree.matches[1], parent.first, parent.size, node.place, borrows)
        index = node.parent


@kernel
def _in_turn(entries, first, places, place, priority):
    """The first place from one on with this priority, the least there is; else the first of all."""
    found = first_from(entries, first, places, place, priority)
    return found if found >= 0 else first_from(entries, first, places, 0, priority)


@kernel
def turn_below(tree, index, priority):
    """The child of a node whose turn it is among those that would borrow at this priority."""
    node = tree.nodes[index]
    at = tree.at_turn[index, priority]
    place = _in_turn(tree.matches[1], node.first, node.size, at, priority)
    return tree.members[1, node.first + node.size + place]


@kernel
def turn_lent(tree, index):
    """The child of a node that would borrow next; -1 for none."""
    priority = tree.matches[1, tree.nodes[index].first + 1]
    return turn_below(tree, index, priority) if priority < NONE else -1


@kernel
def choose_lent(state, tree, now_ps):
    """Index of the queue that sends next; -1 where nothing may go."""
    while tree.wakes[1] <= now_ps:
        index = first_from(tree.wakes, 0, len(tree.wakes) // 2, 0, now_ps)
        refresh_lenders(state, tree, index, now_ps, False)
    for level in range(len(tree.lenders)):
        row = tree.lenders[level]
        priority = tree.matches[0, row.first + 1]
        if priority < NONE:
            at = tree.at_turn[len(tree.nodes) + level, priority]
            place = _in_turn(tree.matches[0], row.first, row.size, at, priority)
            index = tree.members[0, row.first + row.size + place]
            tree.root[0].lender = index
            while index >= len(state.queues):
                index = turn_below(tree, index, priority)
            return index
    return -1


@kernel
def _next_turn(tree, leaf, lender, priority):
    """A queue's turn is over: the next has it, and at the end of a circle its parent's next."""
    index = leaf
    while index != lender:
        node = tree.nodes[index]
        parent = tree.nodes[node.parent]
        after = first_from(tree.matches[1], parent.first, parent.size, node.place + 1, priority)
        tree.at_turn[node.parent, priority] = max(after, 0)
        if after >= 0:
            return
        index = node.parent
    level = tree.nodes[lender].level
    tree.at_turn[len(tree.nodes) + level, priority] = tree.nodes[lender].at_level + 1


@kernel
def _owe(whole_ps, fraction, now_ps, most_ps):
    """A debt in time, which has a most."""
    return (now_ps + most_ps, 0) if whole_ps - now_ps > most_ps else (whole_ps, fraction)


@kernel
def _charge(row, credit_ps, credit_fraction, now_ps):
    """Take a packet's tokens from a rate."""
    whole_ps, fraction = add_from(
        now_ps, row.credit_tat, row.credit_tat_fraction, credit_ps, credit_fraction
    )
    most_ps = row.credit_burst_ps + MOST_OWED_PS
    row.credit_tat, row.credit_tat_fraction = _owe(whole_ps, fraction, now_ps, most_ps)


@kernel
def charge_lent(state, tree, leaf, packet_class, now_ps):
    """What a packet costs: its turn, the ceils above its queue, the rates from the lender on."""
    kind, queue, lender = state.classes[packet_class], state.queues[leaf], tree.root[0].lender
    priority, level = tree.nodes[leaf].priority, tree.nodes[lender].level
    index = leaf
    while index != lender:
        node = tree.nodes[index]
        tree.at_turn[node.parent, priority] = node.place
        index = node.parent
    tree.at_turn[len(tree.nodes) + level, priority] = tree.nodes[lender].at_level
    tree.deficits[leaf, level] -= kind.frame_bytes
    if tree.deficits[leaf, level] < 0:
        tree.deficits[leaf, level] += queue.quantum
        _next_turn(tree, leaf, lender, priority)
    if lender == leaf:
        _charge(queue, kind.credit_ps, kind.credit_fraction, now_ps)
    index, lends = leaf, lender == leaf
    while tree.nodes[index].parent >= 0:
        index = tree.nodes[index].parent
        node = tree.nodes[index]
        step = tree.steps[tree.paths[packet_class, node.depth]]
        lends = lends or index == lender
        if node.shaped:
            whole_ps, fraction = add_from(
                now_ps, node.shape_tat, node.shape_tat_fraction, step.shape_ps, step.shape_fraction
            )
            most_ps = node.shape_burst_ps + MOST_OWED_PS
            node.shape_tat, node.shape_tat_fraction = _owe(whole_ps, fraction, now_ps, most_ps)
        if lends and node.guaranteed:
            _charge(node, step.credit_ps, step.credit_fraction, now_ps)
