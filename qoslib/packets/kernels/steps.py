"""The two steps of a port, whatever it has: a packet arrives, and the line can take one.

`tree` and `flows` are tables, or None where the port has no tree of schedulers, or no queue that
keeps flows apart: then what only these need is not compiled into the loop. Packets are dropped and
sent by the rules of all ports; after each event the tree hears which queue's oldest packet is
another.
"""

from qoslib.packets.kernels.bands import (
    charge_by_band,
    choose_by_band,
    join,
    leave,
    refresh,
    turn_by_band,
)
from qoslib.packets.kernels.codes import BY_PRIORITY, HTB, TREE
from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.packets.kernels.dequeue import dequeue, serve
from qoslib.packets.kernels.enqueue import enqueue
from qoslib.packets.kernels.flow_queues import settle
from qoslib.packets.kernels.htb import charge_lent, choose_lent, refresh_lenders, turn_lent
from qoslib.packets.kernels.ring_buffer import head_slot


@kernel
def _follow(state, tree, flows, port, leaf, head, length, now_ps, sent):
    """After an event at a queue that began with this head and length.

    Bands ask at once what a queue would send next; HTB does not before it is the queue's turn.
    """
    queue = state.queues[leaf]
    if flows is not None and queue.keeps_flows and queue.length > 0 and port.scheduler != HTB:
        settle(flows, queue, flows.queues[leaf])
    if port.scheduler != HTB:
        if length == 0 and queue.length > 0:
            join(tree, leaf)
        elif length > 0 and queue.length == 0:
            leave(tree, leaf)
    if not sent and queue.head == head and (length == 0) == (queue.length == 0):
        return
    if port.scheduler == HTB:
        refresh_lenders(state, tree, leaf, now_ps, sent)
    else:
        refresh(state, tree, leaf, now_ps, sent)


@kernel
def _note_turns(state, tree, port):
    """Of each queue at a choice: its turn in the band that is served, or HTB's deficit."""
    row = len(state.events) - port.events_left - 1
    for leaf in range(len(state.queues)):
        if port.scheduler == HTB:
            level = tree.nodes[tree.root[0].lender].level
            state.event_values[row, leaf] = tree.deficits[leaf, level]
        else:
            state.event_values[row, leaf] = tree.turns[leaf, tree.root[0].band]


@rare_kernel
def _note_buckets(state, tree, port):
    """Until when each bucket of each queue and node is not full, once the packet is paid for."""
    row, queues = len(state.events) - port.events_left - 1, state.queues
    state.events[row].lender = tree.root[0].lender
    for index in range(len(tree.nodes)):
        node = tree.nodes[index]
        guaranteed, credit_ps, shaped = node.guaranteed, node.credit_tat, node.shaped
        shape_ps = node.shape_tat
        if index < len(queues):
            guaranteed, credit_ps = queues[index].guaranteed, queues[index].credit_tat
            shaped, shape_ps = queues[index].shaped, queues[index].shape_tat
        at = len(queues) + 2 * index
        state.event_values[row, at] = credit_ps if guaranteed else -1
        state.event_values[row, at + 1] = shape_ps if shaped else -1


@rare_kernel
def _note_children(state, tree, port, now_ps):
    """Of each node the child whose turn it is, once the tree has heard of the choice."""
    row, queues, nodes = (
        len(state.events) - port.events_left - 1,
        len(state.queues),
        len(tree.nodes),
    )
    for index in range(queues, nodes):
        if port.scheduler == HTB:
            child = turn_lent(tree, index)
        else:
            child = turn_by_band(tree, index, now_ps)
        state.event_values[row, 2 * nodes + index] = child


@kernel
def _send_by_tree(state, tree, flows, port, now_ps):
    """The line, or the ring, can take a packet: choose one by the tree and send it."""
    if port.scheduler == HTB:
        leaf = choose_lent(state, tree, now_ps)
    else:
        leaf = choose_by_band(state, tree, now_ps)
    if leaf < 0:
        port.wake_ps = tree.wakes[1]
        return
    queue, root = state.queues[leaf], tree.root[0]
    if flows is not None and queue.keeps_flows:
        settle(flows, queue, flows.queues[leaf])
    head, length = queue.head, queue.length
    packet_class = state.slots[head_slot(queue)].packet_class
    if port.scheduler == HTB:
        port.in_profile = root.lender == leaf
    else:
        port.in_profile = root.first_within <= root.band < root.first_beyond
        if root.band < root.first_within:
            port.in_profile = BY_PRIORITY
    noted = port.events_left
    sent = serve(state, flows, port, leaf, now_ps)
    if sent:
        if noted > 0:
            _note_turns(state, tree, port)
        if port.scheduler == HTB:
            charge_lent(state, tree, leaf, packet_class, now_ps)
        else:
            charge_by_band(state, tree, leaf, packet_class, now_ps)
        if noted > 0:
            _note_buckets(state, tree, port)
    _follow(state, tree, flows, port, leaf, head, length, now_ps, sent)
    if sent and noted > 0:
        _note_children(state, tree, port, now_ps)


@kernel
def _arrive_at_tree(state, tree, flows, port, packet_class, tag, now_ps):
    """A packet joins its queue, or is dropped; the tree hears of it."""
    leaf = state.classes[packet_class].queue
    queue = state.queues[leaf]
    head, length = queue.head, queue.length
    enqueue(state, flows, port, packet_class, tag, now_ps)
    _follow(state, tree, flows, port, leaf, head, length, now_ps, False)


@kernel
def send(state, tree, flows, port, now_ps):
    """The line, or the ring, can take a packet: choose one and send it."""
    if tree is None:
        dequeue(state, flows, port, now_ps)
    elif flows is None or port.scheduler >= TREE:
        _send_by_tree(state, tree, flows, port, now_ps)
    else:
        dequeue(state, flows, port, now_ps)


@kernel
def arrive(state, tree, flows, port, packet_class, tag, now_ps):
    """A packet arrives: it joins its queue, or something is dropped."""
    if tree is None:
        enqueue(state, flows, port, packet_class, tag, now_ps)
    elif flows is None or port.scheduler >= TREE:
        _arrive_at_tree(state, tree, flows, port, packet_class, tag, now_ps)
    else:
        enqueue(state, flows, port, packet_class, tag, now_ps)
