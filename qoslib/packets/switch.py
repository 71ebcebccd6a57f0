"""A switch: ports that share memory, event by event in the order of time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.collect import balanced, collected, record_of, trace_of
from qoslib.packets.kernels.codes import TREES
from qoslib.packets.kernels.loop import affordable
from qoslib.packets.kernels.ports import run_ports
from qoslib.packets.kernels.tables import POOL_ROW, State
from qoslib.packets.plan import Run, planned
from qoslib.packets.plan_marks import kinds_of
from qoslib.packets.plan_queues import fill_pools
from qoslib.packets.progress import Progress, play
from qoslib.port import Switch
from qoslib.record import fail
from qoslib.results import Counts, History, Result
from qoslib.traffic import Stream

__all__ = ["run_switch"]


def run_switch(
    switch: Switch,
    streams: Sequence[Stream],
    options: Run,
    progress: Progress | None,
    chunk_packets: int,
) -> Result:
    """Run a switch; parameters as `qoslib.packets.simulate`, `options` a `Run`."""
    members = switch.members(streams)
    _check(switch)
    states = [
        planned(port, [streams[i] for i in mine], options, hop, mine)
        for hop, (port, mine) in enumerate(zip(switch.ports, members, strict=True))
    ]
    state, at = _joined(states, _pools(switch, states))
    next_ps = np.zeros(len(states), np.int64)
    turns = min(affordable(each, chunk_packets) for each in states)

    def advance(watch: object) -> int:
        return int(run_ports(state, at, next_ps, options.end_ps, turns))

    done_ps = play(advance, options, progress)
    parts = [_part(state, at, k, own) for k, own in enumerate(states)]
    return _Whole(switch, streams, options, members, parts).record(done_ps)


def _check(switch: Switch) -> None:
    """The loop of several ports runs what the loop of a port alone does, which knows no trees."""
    for port in switch.ports:
        if type(port.scheduler) in TREES:
            allowed = "in a switch one without a tree; a port alone or in a chain runs trees"
            fail(f"Port {port.name!r} scheduler", port.scheduler, allowed)
        for queue in port.queues:
            if queue.flows is not None:
                allowed = "None in a switch; a port alone or in a chain keeps flows apart"
                fail(f"Queue {queue.name!r} flows", queue.flows, allowed)


def _pools(switch: Switch, states: Sequence[State]) -> NDArray[np.void]:
    """The memory that ports share, and in each queue's row the number of its pool there."""
    pools = {pool.name: pool for port in switch.ports for pool in port.pools}
    table = np.zeros(len(pools), POOL_ROW)
    fill_pools(table, tuple(pools.values()))
    names = list(pools)
    for port, state in zip(switch.ports, states, strict=True):
        for row, queue in zip(state.queues, port.queues, strict=True):
            if queue.pool:
                row["pool"] = names.index(queue.pool)
                table["limit_bytes"][row["pool"]] -= queue.reserved_bytes
    return table


def _joined(states: Sequence[State], pools: NDArray[np.void]) -> tuple[State, NDArray[np.int64]]:
    """All ports' tables behind one another, and where each port's begin, shape (ports + 1, tables).

    Tables of several columns become as wide as the widest.
    """
    joined, ends = [], []
    for tables in zip(*states, strict=True):
        shape = np.max([each.shape[1:] for each in tables], axis=0, initial=0).astype(np.int64)
        joined.append(np.concatenate([_widened(each, tuple(shape)) for each in tables]))
        ends.append(np.cumsum([0, *map(len, tables)]))
    return State(*joined)._replace(pools=pools), np.array(ends, dtype=np.int64).T.copy()


def _widened(table: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    more = [(0, most - own) for own, most in zip(table.shape[1:], shape, strict=True)]
    return np.pad(table, [(0, 0), *more]) if more else table


def _part(state: State, at: NDArray[np.int64], k: int, own: State) -> State:
    """The tables of one port, as wide as its own were."""
    tables = [
        table[(slice(begin, end), *map(slice, alone.shape[1:]))]
        for table, begin, end, alone in zip(state, at[k], at[k + 1], own, strict=True)
    ]
    return State(*tables)._replace(pools=state.pools)


class _Whole:
    """The record of a switch, made of those of its ports: each stream passes one of them."""

    def __init__(
        self,
        switch: Switch,
        streams: Sequence[Stream],
        options: Run,
        members: list[list[int]],
        parts: Sequence[State],
    ) -> None:
        self.switch, self.streams, self.options = switch, streams, options
        self.members, self.parts = members, parts

    def record(self, done_ps: int) -> Result:
        """The whole, up to a time before which every event has been played [ps]."""
        hops = [self._of_port(k, done_ps) for k in range(len(self.parts))]
        names = [hop.at.name for hop in self.switch.hops]
        counts = self._counts([hop.packets for hop in hops if hop.packets])
        return record_of(
            tuple(stream.name for stream in self.streams),
            tuple(f"{n}/{q}" for n, hop in zip(names, hops, strict=True) for q in hop.queues),
            self.options,
            done_ps,
            packets=counts,
            octets=self._counts([hop.octets for hop in hops if hop.octets]),
            delays=self._by_stream([part.delays for part in self.parts]),
            delayed=counts.sent,
            histogram=self._by_stream([part.histogram for part in self.parts]),
            loss_runs=self._by_stream([hop.heard.loss_runs for hop in hops if hop.heard]),
            history=self._history([hop.history for hop in hops if hop.history]),
            pause_frames=sum(hop.pause_frames for hop in hops),
            hops=tuple(hops),
            sent_by_mark_pps=self._sent_by_mark(hops),
        )

    def _of_port(self, k: int, done_ps: int) -> Result:
        state, port = self.parts[k], self.switch.ports[k]
        names = tuple(self.streams[i].name for i in self.members[k])
        trace = None
        if self.options.log_packets:
            trace = trace_of(state.log[: int(state.port[0]["logged"])], state.classes)
        kinds = kinds_of(port, [self.streams[i] for i in self.members[k]])
        marks = [kind.mark for kind in kinds]
        return collected(state, names, port.queue_names, self.options, done_ps, trace, marks)

    def _sent_by_mark(self, hops: Sequence[Result]) -> dict[str, NDArray[Any]]:
        """What is sent with which mark, where marks change at a port."""
        marks = dict.fromkeys(mark for hop in hops for mark in hop.sent_by_mark_pps)
        found = {}
        for mark in marks:
            own = [[self.streams[i].label == mark for i in mine] for mine in self.members]
            each = [
                hop.sent_by_mark_pps.get(mark, 0 * hop.sent_pps)
                if hop.sent_by_mark_pps
                else hop.sent_pps * here
                for hop, here in zip(hops, own, strict=True)
            ]
            found[mark] = self._by_stream(each)
        return found

    def _by_stream(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Values of each port's own streams, in the order of all."""
        whole = np.concatenate(parts)
        return whole[np.argsort(np.concatenate(self.members), kind="stable")]

    def _counts(self, counts: Sequence[Counts]) -> Counts:
        causes = sorted({cause for each in counts for cause in each.dropped})
        return balanced(
            self._by_stream([each.offered for each in counts]),
            self._by_stream([each.sent for each in counts]),
            {
                cause: self._by_stream(
                    [each.dropped.get(cause, np.zeros_like(each.offered)) for each in counts]
                )
                for cause in causes
            },
            self._by_stream([each.marked for each in counts]),
        )

    def _history(self, past: Sequence[History]) -> History:
        bins = min(len(each.time_s) for each in past) - 1

        def parts(name: str) -> list[NDArray[Any]]:
            return [getattr(each, name)[:, :bins] for each in past]

        names = ("offered_packets", "sent_packets", "dropped_packets", "sent_bytes")
        return History(
            past[0].time_s[: bins + 1],
            np.concatenate(parts("queue_packets")),
            np.concatenate(parts("tokens_share")),
            *(self._by_stream(parts(name)) for name in names),
        )
