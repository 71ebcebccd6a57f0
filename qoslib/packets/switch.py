"""A switch: ports that share memory, event by event in the order of time."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.joined import Joined, joined
from qoslib.packets.kernels.loop import affordable
from qoslib.packets.kernels.ports import run_any_ports, run_ports
from qoslib.packets.plan import Run
from qoslib.packets.progress import Progress, play
from qoslib.packets.stations import Station, stations_of
from qoslib.packets.whole import Whole
from qoslib.port import Switch
from qoslib.port.port import Labelled
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["run_switch", "switch_routes"]


def run_switch(
    switch: Switch,
    streams: Sequence[Stream],
    options: Run,
    progress: Progress | None,
    chunk_packets: int,
) -> Result:
    """Run a switch; parameters as `qoslib.packets.simulate`, `options` a `Run`."""
    routes = switch_routes(switch, streams)
    stations = stations_of(switch.hops, streams, routes, options, Station)
    ports = joined(stations, shared=True)
    next_ps = np.zeros(len(stations), np.int64)
    events = min(affordable(each.state, chunk_packets) for each in stations)
    done_ps = play(lambda watch: _run(ports, next_ps, options.end_ps, events), options, progress)
    for k, station in enumerate(stations):
        station.state = ports.part(k, station.state)
    traced = options.log_packets > 0
    return Whole(stations, streams, routes, options).record(done_ps, traced=traced)


def switch_routes(switch: Switch, streams: Sequence[Labelled]) -> list[list[int]]:
    """By stream the place of the one port by which it leaves."""
    by = {i: k for k, mine in enumerate(switch.members(streams)) for i in mine}
    return [[by[i]] for i in range(len(streams))]


def _run(ports: Joined, next_ps: NDArray[np.int64], until_ps: int, events: int) -> int:
    """Play all ports, by the loop that they need, up to a time, about so many events."""
    state, at, tree, tree_at, flows, flows_at = ports
    if tree is None:
        return int(run_ports(state, at, next_ps, until_ps, events))
    done_ps = run_any_ports(state, tree, flows, at, tree_at, flows_at, next_ps, until_ps, events)
    return int(done_ps)
