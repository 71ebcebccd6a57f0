"""Queues that keep flows apart as tables, beside those of their port."""

from collections.abc import Iterator

import numpy as np

from qoslib.memory import Need
from qoslib.packets.kernels import flow_tables
from qoslib.packets.kernels.clock import NEVER, numbers_of, picoseconds
from qoslib.packets.kernels.tables import State
from qoslib.port import ByteLimit, DualPi2, Forwarder, PacketLimit, Port, Queue
from qoslib.record import fail

__all__ = ["flow_needs", "flows_of", "keeps_flows", "no_flows"]

_ISOLATIONS = {
    "flows": flow_tables.BY_FLOW,
    "source": flow_tables.BY_SOURCE,
    "destination": flow_tables.BY_DESTINATION,
    "hosts": flow_tables.BY_HOSTS,
}


def keeps_flows(where: Port | Forwarder) -> bool:
    """Whether a queue of a port keeps flows apart."""
    return isinstance(where, Port) and any(map(_has_rows, where.queues))


def _has_rows(queue: Queue) -> bool:
    """Whether a queue has queues of its own: for flows, or those of DualPI2."""
    return queue.flows is not None or isinstance(queue.dropper, DualPi2)


def flow_needs(port: Port) -> Iterator[Need]:
    """What the tables of flow queues take [B], without what is taken for each packet."""
    for queue in port.queues:
        if queue.flows:
            needed = (flow_tables.FLOW_ROW.itemsize + 8) * queue.flows.queues
            yield f"Queue {queue.name!r} flows", queue.flows, needed


def flows_of(port: Port, state: State) -> flow_tables.FlowTables:
    """The tables of a port's flow queues."""
    settings = np.zeros(len(port.queues), flow_tables.FLOW_QUEUE)
    first = 0
    for number, (row, queue, own) in enumerate(
        zip(settings, port.queues, state.queues, strict=True)
    ):
        for name in ("new_first", "new_last", "old_first", "old_last", "free"):
            row[name] = flow_tables.NOWHERE
        row["first"], own["keeps_flows"] = first, _has_rows(queue)
        row["first_host"] = number * len(state.streams)
        with numbers_of(f"Queue {queue.name!r} flows"):
            if queue.flows is not None:
                _fill(row, queue, int(own["largest_bytes"]))
            elif isinstance(queue.dropper, DualPi2):
                _fill_dual(row, queue.dropper)
        first += int(row["size"])
    rows = np.zeros(first, flow_tables.FLOW_ROW)
    rows["next"] = rows["oldest"] = rows["youngest"] = flow_tables.NOWHERE
    return flow_tables.FlowTables(
        queues=settings,
        rows=rows,
        held_bytes=np.zeros(first, np.int64),
        links=np.zeros(len(state.slots), flow_tables.LINK),
        hosts=np.zeros((len(port.queues) * len(state.streams), 2), np.int64),
    )


def no_flows() -> flow_tables.FlowTables:
    """The tables of a port without flow queues, for a loop that also runs those."""
    return flow_tables.FlowTables(
        queues=np.zeros(0, flow_tables.FLOW_QUEUE),
        rows=np.zeros(0, flow_tables.FLOW_ROW),
        held_bytes=np.zeros(0, np.int64),
        links=np.zeros(0, flow_tables.LINK),
        hosts=np.zeros((0, 2), np.int64),
    )


def _fill_dual(row: np.void, dual: DualPi2) -> None:
    """Two rows, C and L."""
    row["dual"], row["size"] = 1, 2
    row["flow_packets"] = row["flow_bytes"] = NEVER
    row["coupling"], row["step_ps"] = dual.coupling, picoseconds(dual.step_s)
    row["classic_share"] = dual.classic_share
    row["update_at_ps"] = max(picoseconds(dual.update_s), 1)


def _fill(row: np.void, queue: Queue, largest_bytes: int) -> None:
    flows = queue.flows
    assert flows is not None
    row["size"] = flows.queues
    row["ways"], row["quantum"], row["sparse"] = flows.ways, flows.quantum_bytes, flows.sparse_first
    row["longest"], row["fattest"] = flows.overflow == "longest", flows.overflow == "fattest"
    row["head"], row["batch"] = flows.drop_at == "head", flows.batch_packets
    row["renews"] = flows.renews
    row["isolation"] = _ISOLATIONS[flows.isolation]
    row["rehash_ps"] = 0 if flows.rehash_s is None else max(picoseconds(flows.rehash_s), 1)
    row["flow_packets"] = row["flow_bytes"] = NEVER
    match flows.flow_limit:
        case PacketLimit(packets):
            row["flow_packets"] = packets
        case ByteLimit(limit_bytes):
            row["flow_bytes"] = limit_bytes
            if limit_bytes < largest_bytes:
                where, allowed = f"Queue {queue.name!r} flow_limit", "room for its largest frame"
                fail(where, flows.flow_limit, allowed)
