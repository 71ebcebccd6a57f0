"""Where flows and hosts keep what is under way: rings that grow with it.

What a flow has sent, its acknowledgements and what its host holds are rings, each a stretch of a
table. A ring that is full moves to a stretch twice as long at the table's unused end. Kernels make
no tables: between two events they ask for longer ones (`qoslib.tcp.places`), early enough that no
event is ever short of places.
"""

from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.tcp.kernels.codes import BBR

#: The tables that grow; `Senders.places` has a row of each.
TABLES = ("segments", "departures", "log", "acks", "ways", "burst_ends_ps", "trips")
SEGMENTS, DEPARTURES, LOG, ACKS, WAYS, BURSTS, TRIPS = range(len(TABLES))


@kernel
def reserve(largest, most):
    """How long the unused end of a table has to be before an event.

    An event adds at most `most` entries to one ring. This then has fewer than
    ``2 (largest + most)`` places, and the stretches it moves through on the way are together no
    longer than that.
    """
    return 4 * (largest + most)


@rare_kernel
def _widened(table, places, which, first, mask, begin, count, more):
    """Place and mask of a ring of `count` entries from number `begin` on, with room for more."""
    size = mask + 1
    while size < count + more:
        size *= 2
    place = places[which]
    to = place.used
    for number in range(begin, begin + count):
        table[to + (number & (size - 1))] = table[first + (number & mask)]
    place.used += size
    place.largest = max(place.largest, size)
    if len(table) - place.used < reserve(place.largest, place.most):
        places[0].short = 1
    return to, size - 1


@kernel
def _widen_window(senders, flow, count, more):
    """For segments; and, in step with them, what a BBR flow notes of each."""
    places, mask = senders.places, flow.mask
    flow.first, flow.mask = _widened(
        senders.segments, places, SEGMENTS, flow.first, mask, flow.una, count, more
    )
    if flow.law == BBR:
        flow.departures, flow.mask = _widened(
            senders.departures, places, DEPARTURES, flow.departures, mask, flow.una, count, more
        )


@kernel
def wire_place(wire, ways, places, count):
    """The wire's ring has room for so many packets more."""
    if wire.waiting + count > wire.mask + 1:
        wire.first, wire.mask = _widened(
            ways, places, WAYS, wire.first, wire.mask, wire.head, wire.waiting, count
        )


@kernel
def makes_room(senders, flow, count):
    """So many segments more fit where the flow and its wire keep theirs.

    A flow's ring keeps a place free: the receiver looks for the segment behind the last one.
    """
    out, logged, places = flow.next - flow.una, flow.order - flow.scan, senders.places
    if out + count > flow.mask:
        _widen_window(senders, flow, out, count + 1)
    if logged + count > flow.log_mask + 1:
        flow.log_first, flow.log_mask = _widened(
            senders.log, places, LOG, flow.log_first, flow.log_mask, flow.scan, logged, count
        )
    wire_place(senders.wires[flow.wire], senders.ways, places, count)


@kernel
def ack_place(flow, acks, places):
    """The flow's ring has room for one acknowledgement more."""
    if flow.acks > flow.ack_mask:
        flow.ack_first, flow.ack_mask = _widened(
            acks, places, ACKS, flow.ack_first, flow.ack_mask, flow.ack_head, flow.acks, 1
        )


@kernel
def burst_place(host, burst_ends_ps, places):
    """The host's ring has room for the end of one burst more."""
    if host.bursts > host.bursts_mask:
        host.bursts_first, host.bursts_mask = _widened(
            burst_ends_ps,
            places,
            BURSTS,
            host.bursts_first,
            host.bursts_mask,
            host.bursts_head,
            host.bursts,
            1,
        )


@kernel
def trip_place(trips, places):
    """A free place for a segment's way through several ports."""
    place = trips[0].tag
    if place > 0:
        trips[0].tag = trips[place].tag
        return place
    row = places[TRIPS]
    row.used += 1
    if len(trips) - row.used < reserve(row.largest, row.most):
        places[0].short = 1
    return row.used - 1
