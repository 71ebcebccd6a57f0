"""The hops of a network: what each carries, its tables, and what its packets become behind it."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.collect import collected, trace_of
from qoslib.packets.loops import beside
from qoslib.packets.plan import Run, as_port, planned
from qoslib.packets.plan_marks import kinds_of, leaving_marks, queue_of
from qoslib.packets.plan_streams import carried
from qoslib.port import Hop
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["Station", "stations_of"]

Kind = TypeVar("Kind", bound="Station")


class Station:
    """One hop: its state, and the streams it carries.

    Attributes
    ----------
    members : list of int
        The places of its streams in the whole list; `row` says which of its rows is whose.
    """

    def __init__(
        self,
        hop: Hop,
        index: int,
        streams: Sequence[Stream],
        routes: Sequence[Sequence[int]],
        run: Run,
        marks: dict[int, list[str]],
    ) -> None:
        self.where = hop.at
        self.members = [i for i, route in enumerate(routes) if index in route]
        self.streams = [
            streams[i] if routes[i][0] == index else carried(streams[i]) for i in self.members
        ]
        arriving = [marks[i] for i in self.members]
        self.kinds = kinds_of(self.where, self.streams, arriving)
        self.state = planned(self.where, self.streams, run, index, self.members, self.kinds)
        for row, i in enumerate(self.members):
            marks[i] = leaving_marks(self.kinds, row)
        self.beside = beside(self.where, self.state, run.end_ps)
        self.row = {stream: row for row, stream in enumerate(self.members)}
        self.prepare(run)

    def prepare(self, run: Run) -> None:
        """Make what a kind of station needs besides."""

    def classes_at(self, after: "Station") -> NDArray[np.int64]:
        """By its own packet classes those that they arrive as at another hop; -1 for none."""
        there = {
            (after.members[kind.stream], kind.place, kind.mark, kind.queue): number
            for number, kind in enumerate(after.kinds)
        }
        found = []
        for kind in self.kinds:
            i = self.members[kind.stream]
            row = after.row.get(i)
            if row is None:
                found.append(-1)
                continue
            queue = queue_of(after.where, after.streams[row], kind.mark)
            found.append(there.get((i, kind.place, kind.mark, queue), -1))
        return np.array(found, np.int64)

    def record(self, options: Run, done_ps: int, traced: bool = False) -> Result:
        """What happened at this hop."""
        names = tuple(stream.name for stream in self.streams)
        queues = tuple(queue.name for queue in as_port(self.where)[0])
        marks = [kind.mark for kind in self.kinds]
        more: dict[str, Any] = {"marks": marks}
        if traced:
            logged = self.state.log[: int(self.state.port[0]["logged"])]
            more["trace"] = trace_of(logged, self.state.classes)
        return collected(self.state, names, queues, options, done_ps, **more)


def stations_of(
    hops: Sequence[Hop],
    streams: Sequence[Stream],
    routes: Sequence[Sequence[int]],
    run: Run,
    kind: type[Kind],
) -> list[Kind]:
    """The hops of a network, each with the streams whose routes pass it."""
    marks = {i: [stream.label] for i, stream in enumerate(streams)}
    return [kind(hop, k, streams, routes, run, marks) for k, hop in enumerate(hops)]
