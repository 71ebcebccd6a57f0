"""Packets on their way to a port, first in, first out: their times are known when they leave."""

from qoslib.packets.kernels.arrivals import replay
from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.compiling import kernel


@kernel
def put_behind(wire, ways, arrival_ps, packet_class, tag):
    """A packet is the last on a wire that has room for it."""
    way = ways[wire.first + ((wire.head + wire.waiting) & wire.mask)]
    way.arrival_ps, way.packet_class, way.tag = arrival_ps, packet_class, tag
    wire.waiting += 1


@kernel
def put_on_wire(state, wire, ways, arrival_ps, packet_class, tag):
    """A packet will reach the port that these tables are of."""
    put_behind(wire, ways, arrival_ps, packet_class, tag)
    if wire.waiting == 1:
        state.streams[wire.row].next_ps = arrival_ps
        replay(state.tree, state.streams, wire.row)


@kernel
def take_off_wire(state, wire, ways):
    """The oldest packet has reached the port: its class and tag; when does the next one?"""
    way = ways[wire.first + (wire.head & wire.mask)]
    packet_class, tag = way.packet_class, way.tag
    wire.head += 1
    wire.waiting -= 1
    next_ps = NEVER
    if wire.waiting > 0:
        next_ps = ways[wire.first + (wire.head & wire.mask)].arrival_ps
    state.streams[wire.row].next_ps = next_ps
    replay(state.tree, state.streams, wire.row)
    return packet_class, tag
