"""From descriptions to tables: flows and hosts become sources of several ports."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qoslib.flows import Host
from qoslib.packets.joined import Joined, joined
from qoslib.packets.kernels.clock import picoseconds
from qoslib.packets.plan import Run
from qoslib.packets.stations import Station, stations_of
from qoslib.packets.switch import switch_routes
from qoslib.packets.whole import Through
from qoslib.port import Chain, Forwarder, Hop, Switch
from qoslib.tcp.kernels import codes, tables
from qoslib.tcp.places import lengthened
from qoslib.tcp.plan import Passed, planned_senders, refuse_pause, sources_of, with_sources
from qoslib.traffic import Stream

__all__ = ["Planned", "plan_network"]

#: Whose packets a wire takes from where to which hop: a host's or a hop's, and -1 behind the last.
_End = tuple[str, int, int]


class Planned(NamedTuple):
    """All that a network and its senders run on.

    `through` is None where no stream passes two hops.
    """

    stations: list[Station]
    routes: list[list[int]]
    ports: Joined
    network: tables.Network
    senders: tables.Senders
    through: Through | None


def plan_network(
    where: Forwarder | Chain | Switch, hosts: Sequence[Host], streams: Sequence[Stream], run: Run
) -> Planned:
    """Tables of hops and all their senders, ready to run."""
    hops = (Hop(where),) if isinstance(where, Forwarder) else where.hops
    every = [*sources_of(hosts), *streams]
    routes = [[0] for _ in every]
    if isinstance(where, Chain):
        routes = where.routes(every)
    elif isinstance(where, Switch):
        routes = switch_routes(where, every)
    for hop in hops:
        refuse_pause(hop.at)
    stations = stations_of(hops, every, routes, run, Station)
    through = Through(len(every)) if any(len(route) > 1 for route in routes) else None
    ends = _ends(hosts, routes, through is not None)
    wires = _wires(ends, stations)
    passed = [
        [Passed(stations[k].where, stations[k].state, stations[k].row[i]) for k in route]
        for i, route in enumerate(routes[: sum(len(host.flows) for host in hosts)])
    ]
    # The first of the trips tells which is free.
    senders = planned_senders(hosts, passed, wires, run, trips=1)
    for i, flow in enumerate(senders.flows):
        flow["port"] = routes[i][0]
        flow["wire"] = ends["host", int(flow["host"]), routes[i][0]]
    sources = [_with_sources(k, station, senders, ends) for k, station in enumerate(stations)]
    network = tables.Network(
        routes=np.concatenate(
            [_routes(k, stations, routes, passed, ends) for k in range(len(hops))]
        ),
        sources=np.concatenate(sources),
        **vars(through or Through(0)),
    )
    ports = joined(stations, shared=isinstance(where, Switch))
    senders = lengthened(senders, hosts, run.needs)
    return Planned(stations, routes, ports, network, senders, through)


def _ends(hosts: Sequence[Host], routes: Sequence[Sequence[int]], through: bool) -> dict[_End, int]:
    """The wires that there are: of hosts, between hops, and behind last hops if that is asked."""
    owners = [i for i, host in enumerate(hosts) for _ in host.flows]
    found = [("host", i, route[0]) for i, route in zip(owners, routes, strict=False)]
    for route in routes:
        found += [("hop", k, after) for k, after in pairwise(route)]
        if through:
            found.append(("hop", route[-1], -1))
    return {end: number for number, end in enumerate(dict.fromkeys(found))}


def _wires(ends: dict[_End, int], stations: Sequence[Station]) -> NDArray[np.void]:
    """Rows of the wires; at its hop each is a source behind the streams: hosts' come first."""
    rows = np.zeros(len(ends), tables.WIRE)
    taken = [len(station.members) for station in stations]
    for host_or_hop in ("host", "hop"):
        for row, (kind, begins, to) in zip(rows, ends, strict=True):
            if kind == host_or_hop:
                row["port"], row["from_host"] = to, kind == "host"
                if kind == "hop":
                    row["base_ps"] = picoseconds(stations[begins].where.base_delay_s)
                if to >= 0:
                    row["row"] = taken[to]
                    taken[to] += 1
    return rows


def _with_sources(
    k: int, station: Station, senders: tables.Senders, ends: dict[_End, int]
) -> NDArray[np.void]:
    """Give a hop rows for its wires; what each row of its sources is."""
    members, flows = len(station.members), len(senders.flows)
    arriving = [i for (_, _, to), i in ends.items() if to == k]
    begun = {
        row: int(senders.flows[i]["start_ps"])
        for row, i in enumerate(station.members)
        if i < flows and senders.flows[i]["port"] == k
    }
    station.state = with_sources(station.where, station.state, members, len(arriving), begun)
    sources = np.zeros(len(station.state.streams), tables.SOURCE)
    for row in begun:
        sources[row] = codes.OF_FLOW, station.members[row]
    for i in arriving:
        sources[senders.wires[i]["row"]] = codes.OF_WIRE, i
    return sources


def _routes(
    k: int,
    stations: Sequence[Station],
    routes: Sequence[Sequence[int]],
    passed: Sequence[object],
    ends: dict[_End, int],
) -> NDArray[np.void]:
    """What each packet class of a hop is, and where it goes next."""
    station = stations[k]
    rows = np.zeros(len(station.kinds), tables.ROUTE)
    after_of = {i: [*route, -1][route.index(k) + 1] for i, route in enumerate(routes) if k in route}
    classes = {
        after: station.classes_at(stations[after]) for after in {*after_of.values()} if after >= 0
    }
    for number, (row, kind) in enumerate(zip(rows, station.kinds, strict=True)):
        i = station.members[kind.stream]
        after = after_of[i]
        row["stream"], row["flow"] = i, i if i < len(passed) else -1
        row["wire"] = ends.get(("hop", k, after), -1)
        row["packet_class"] = classes[after][number] if after >= 0 else -1
    return rows
