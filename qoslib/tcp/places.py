"""The first places of what is under way, and longer tables where these do not last."""

from collections.abc import Iterator, Sequence

import numpy as np

from qoslib.flows import Host
from qoslib.memory import Need, within_budget
from qoslib.tcp.kernels.codes import BBR
from qoslib.tcp.kernels.places import ACKS, TABLES, TRIPS, reserve
from qoslib.tcp.kernels.tables import PLACE, Senders

__all__ = ["first_places", "lengthened"]

#: Places of a ring at its start, a power of two.
FIRST_PLACES = 32


def first_places(
    flows: np.ndarray, hosts: np.ndarray, wires: np.ndarray, trips: int = 0
) -> np.ndarray:
    """Give each flow, host and wire its first stretches; the rows of `TABLES`."""
    places = np.zeros(len(TABLES), PLACE)
    places["largest"], places["most"] = FIRST_PLACES, flows["limit"].max()
    places["most"][ACKS] = 1
    places["most"][TRIPS] = 1
    for rows, rings in (flows, ("", "log_", "ack_")), (wires, ("",)), (hosts, ("bursts_",)):
        for ring in rings:
            rows[f"{ring}first"] = FIRST_PLACES * np.arange(len(rows), dtype=np.int64)
            rows[f"{ring}mask"] = FIRST_PLACES - 1
    bbr = flows["law"] == BBR
    flows["departures"] = FIRST_PLACES * (np.cumsum(bbr) - bbr)
    counts = len(flows), bbr.sum(), len(flows), len(flows), len(wires), len(hosts), 0
    places["used"] = FIRST_PLACES * np.array(counts, dtype=np.int64)
    places["used"][TRIPS] = trips
    return places


def lengthened(senders: Senders, hosts: Sequence[Host], needs: list[Need]) -> Senders:
    """The same senders, with tables whose unused ends are long enough again."""
    places = senders.places
    reserves = np.where(places["used"], reserve.py_func(places["largest"], places["most"]), 0)
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


def _needs(senders: Senders, hosts: Sequence[Host], lengths: dict[str, int]) -> Iterator[Need]:
    """What the tables that grow take, by the widest window and the longest queue of a host."""
    flows = [flow for host in hosts for flow in host.flows]
    flow = flows[int(senders.flows["mask"].argmax())]
    host = hosts[int(senders.hosts["bursts_mask"].argmax())]
    for name in TABLES:
        table = getattr(senders, name)
        size_bytes = table.itemsize * lengths.get(name, len(table))
        if name in ("ways", "burst_ends_ps"):
            yield f"Host {host.name!r} queue", host.queue, size_bytes
        else:
            yield f"Flow {flow.name!r} window_bytes", flow.window_bytes, size_bytes
