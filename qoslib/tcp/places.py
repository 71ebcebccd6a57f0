"""Where flows and hosts keep what is under way: rings that grow with it.

What a flow has sent, its acknowledgements and what its host holds are rings, each a stretch of a
table. A ring that is full moves to a stretch twice as long at the table's unused end. Kernels make
no tables: between two events they ask for longer ones, early enough that no event is ever short of
places.
"""

import numpy as np

from qoslib.memory import within_budget
from qoslib.tcp.kernel import kernel, rare_kernel
from qoslib.tcp.tables import BBR, PLACE

__all__ = ["TABLES", "ack_place", "burst_place", "first_places", "lengthened", "makes_room"]

#: The tables that grow; `Senders.places` has a row of each.
TABLES = ("segments", "departures", "log", "acks", "ways", "burst_ends_ps")
SEGMENTS, DEPARTURES, LOG, ACKS, WAYS, BURSTS = range(len(TABLES))
#: Places of a ring at its start, a power of two.
FIRST_PLACES = 32


@kernel
def _reserve(largest, most):
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
    if len(table) - place.used < _reserve(place.largest, place.most):
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
def makes_room(senders, flow, host, count):
    """So many segments more fit where flow and host keep theirs.

    A flow's ring keeps a place free: the receiver looks for the segment behind the last one.
    """
    out, logged, places = flow.next - flow.una, flow.order - flow.scan, senders.places
    if out + count > flow.mask:
        _widen_window(senders, flow, out, count + 1)
    if logged + count > flow.log_mask + 1:
        flow.log_first, flow.log_mask = _widened(
            senders.log, places, LOG, flow.log_first, flow.log_mask, flow.scan, logged, count
        )
    if host.waiting + count > host.mask + 1:
        host.first, host.mask = _widened(
            senders.ways, places, WAYS, host.first, host.mask, host.head, host.waiting, count
        )


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


def first_places(flows: np.ndarray, hosts: np.ndarray) -> np.ndarray:
    """Give each flow and host its first stretches; the rows of `TABLES`.

    Parameters
    ----------
    flows, hosts : ndarray
        Their rows, which know the limits of the windows.
    """
    places = np.zeros(len(TABLES), PLACE)
    places["largest"], places["most"] = FIRST_PLACES, flows["limit"].max()
    places["most"][ACKS] = 1
    for rows, rings in (flows, ("", "log_", "ack_")), (hosts, ("", "bursts_")):
        for ring in rings:
            rows[f"{ring}first"] = FIRST_PLACES * np.arange(len(rows))
            rows[f"{ring}mask"] = FIRST_PLACES - 1
    bbr = flows["law"] == BBR
    flows["departures"] = FIRST_PLACES * (np.cumsum(bbr) - bbr)
    counts = len(flows), bbr.sum(), len(flows), len(flows), len(hosts), len(hosts)
    places["used"] = FIRST_PLACES * np.array(counts)
    return places


def lengthened(senders, hosts, needs):
    """The same senders, with tables whose unused ends are long enough again.

    Parameters
    ----------
    senders : Senders
    hosts : sequence of Host
        Whom they are of.
    needs : list of (str, object, int)
        What the other tables of the run take.

    Raises
    ------
    ValueError
        If the tables leave the budget of `qoslib.memory`.
    """
    places = senders.places
    reserves = np.where(places["used"], _reserve.py_func(places["largest"], places["most"]), 0)
    used = dict(zip(TABLES, places["used"].tolist(), strict=True))
    lengths = {
        name: 2 * (used[name] + reserve)
        for name, reserve in zip(TABLES, reserves.tolist(), strict=True)
        if len(getattr(senders, name)) < used[name] + reserve
    }
    places["short"] = 0
    if not lengths:
        return senders
    within_budget([*needs, *_needs(senders, hosts, lengths)])
    longer = {}
    for name, length in lengths.items():
        kept = getattr(senders, name)[: used[name]]
        longer[name] = np.zeros(length, kept.dtype)
        longer[name][: len(kept)] = kept
    return senders._replace(**longer)


def _needs(senders, hosts, lengths):
    """What the tables that grow take, by the widest window and the longest queue."""
    flows = [flow for host in hosts for flow in host.flows]
    flow = flows[senders.flows["mask"].argmax()]
    host = hosts[senders.hosts["mask"].argmax()]
    for name in TABLES:
        table = getattr(senders, name)
        size_bytes = table.itemsize * lengths.get(name, len(table))
        if name in ("ways", "burst_ends_ps"):
            yield f"Host {host.name!r} queue", host.queue, size_bytes
        else:
            yield f"Flow {flow.name!r} window_bytes", flow.window_bytes, size_bytes
