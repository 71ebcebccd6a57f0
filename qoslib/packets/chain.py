"""A chain of ports: what leaves one arrives at the next, a stretch of time after the other."""

import time
from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.kernels import tables
from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import FED, REPEATED
from qoslib.packets.kernels.counters import count_through
from qoslib.packets.kernels.loop import AT_ONCE, affordable
from qoslib.packets.loops import run
from qoslib.packets.plan import Run
from qoslib.packets.progress import Progress, Watch, play
from qoslib.packets.stations import Station, stations_of
from qoslib.packets.whole import Through, Whole
from qoslib.port import Chain
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["run_chain"]

#: A run that is stopped has so long to bring all hops to one time [s]; else it has no record.
PATIENCE_S = 0.5
#: The first stretch that all hops play is this part of the run.
_FIRST_SHARE = 1 << 16


class _Stop(Station):
    """A hop that takes turns: how far it is, and what waits to arrive."""

    def prepare(self, run: Run) -> None:
        """Keep what becomes of each packet, for the next hop."""
        log = np.zeros(run.log_packets + AT_ONCE, tables.OUTCOME)
        self.state = self.state._replace(log=log)
        self.state.port["log_stops"] = 1
        self.events = affordable(self.state, run.log_packets)
        self.done_ps = 0

    def shortest_ps(self) -> int:
        """Shortest time between packets of a stream that starts here, or runs of a timer."""
        streams, queues = self.state.streams, self.state.queues
        starts = streams[streams["kind"] != FED]
        each = np.where(starts["kind"] == REPEATED, starts["feed_end"] - starts["feed_first"], 1)
        periods_ps = queues["update_ps"] + queues["period_ps"]
        times_ps = [*(starts["gap_ps"] // each), *periods_ps[periods_ps > 0]]
        return max(int(min(times_ps, default=NEVER)), 1)

    def feed(self, outcomes: Mapping[int, list[NDArray[np.void]]]) -> None:
        """Take in what other hops sent here, behind what is still waiting to arrive."""
        state = self.state
        parts = []
        for stream, row in self.row.items():
            at = state.streams[row]
            # What a pattern has played comes again; what was fed and played does not.
            first = int(at["feed_first" if at["kind"] == REPEATED else "feed_at"])
            left = state.feed[first : int(at["feed_end"])]
            parts.append(np.concatenate([left, *outcomes.get(stream, [])]))
            state.streams["feed_at"][row] -= first
        ends = np.cumsum([len(part) for part in parts])
        begins = ends - [len(part) for part in parts]
        rows = slice(len(parts))
        state.streams["feed_at"][rows] += begins
        state.streams["feed_first"][rows], state.streams["feed_end"][rows] = begins, ends
        self.state = state._replace(feed=np.concatenate(parts))

    def play(self, until_ps: int) -> None:
        """Run up to a time or for so many events; everything before `done_ps` has then happened."""
        next_ps = run(self.state, self.beside, until_ps, self.events)
        self.done_ps = max(self.done_ps, min(next_ps, until_ps))

    def sent(self) -> dict[int, NDArray[np.void]]:
        """What went out since the last call, as arrivals for others, by stream."""
        port = self.state.port
        if not port["logged"][0]:
            return dict.fromkeys(self.row, np.zeros(0, tables.FEED))
        outcomes = self.state.log[: int(port["logged"][0])].copy()
        port["logged"] = 0
        kinds = self.state.classes[outcomes["packet_class"]]
        by_stream = {}
        for stream, row in self.row.items():
            mine = kinds["stream"] == row
            feed = np.zeros(int(mine.sum()), tables.FEED)
            feed["arrival_ps"] = outcomes["departure_ps"][mine] + port["base_ps"][0]
            feed["packet_class"] = outcomes["packet_class"][mine]
            feed["tag"] = outcomes["tag"][mine]
            by_stream[stream] = feed
        return by_stream


def run_chain(
    chain: Chain,
    streams: Sequence[Stream],
    options: Run,
    progress: Progress | None,
    chunk_packets: int,
) -> Result:
    """Run a chain; parameters as `qoslib.packets.simulate`, `options` a `Run`.

    Hops take turns: the first plays a stretch of time, then the next up to the time before which
    that one is done, so no packet can still come from there, until all have come to one time. A
    stream passes the hops that name it, in order.
    """
    turns = _Turns(chain, streams, options, chunk_packets)
    return turns.record(play(turns.next, options, progress))


class _Turns:
    """Stretches of time that all hops play, one after the other, and the delays over all hops."""

    def __init__(
        self, chain: Chain, streams: Sequence[Stream], options: Run, chunk_packets: int
    ) -> None:
        self.chain, self.streams, self.options = chain, streams, options
        self.routes = chain.routes(streams)
        hop_run = copy(options)
        hop_run.log_name, hop_run.log_packets = "chunk_packets", chunk_packets
        self.stations = stations_of(chain.hops, streams, self.routes, hop_run, _Stop)
        shortest_ps = [each.events * each.shortest_ps() for each in self.stations[1:]]
        self.most_ps = min(shortest_ps, default=options.end_ps)
        self.span_ps = max(options.end_ps // _FIRST_SHARE, 1)
        #: By a hop and one behind it: which packet classes become which.
        self.classes: dict[tuple[int, int], NDArray[np.int64]] = {}
        self.arriving: list[dict[int, list[NDArray[np.void]]]] = [{} for _ in self.stations]
        #: By stream: what the last hop has handed over and is not known to have left.
        self.leaving = [np.zeros(0, tables.FEED) for _ in streams]
        self.through = Through(len(streams))

    def next(self, watch: Watch) -> int:
        """Bring all hops to a later time [ps], by about as many events as one may play at once."""
        first, *others = self.stations
        began_ps, pieces = first.done_ps, 1
        self._play(0, min(began_ps + min(self.span_ps, self.most_ps), self.options.end_ps))
        until_ps = first.done_ps
        for index, station in enumerate(others, 1):
            if self.arriving[index]:
                station.feed(self.arriving[index])
                self.arriving[index] = {}
            while station.done_ps < until_ps:
                stopped_s = watch.stopped_s
                if stopped_s is not None and time.monotonic() - stopped_s > PATIENCE_S:
                    raise KeyboardInterrupt
                self._play(index, until_ps)
                pieces += 1
        # As long again and half as long: events come in bursts.
        span_ps = until_ps - began_ps
        self.span_ps = max(2 * span_ps if pieces <= len(self.stations) else span_ps // 2, 1)
        return until_ps

    def _play(self, index: int, until_ps: int) -> None:
        """Let a hop play, and hand what it sends to where that goes next."""
        station = self.stations[index]
        station.play(until_ps)
        for stream, feed in station.sent().items():
            route = self.routes[stream]
            if index == route[-1]:
                self._leave(stream, feed, station)
                continue
            if not len(feed):
                continue
            after = route[route.index(index) + 1]
            target = self.stations[after]
            if (index, after) not in self.classes:
                self.classes[index, after] = station.classes_at(target)
            feed["packet_class"] = self.classes[index, after][feed["packet_class"]]
            self.arriving[after].setdefault(stream, []).append(feed)

    def _leave(self, stream: int, feed: NDArray[np.void], last: _Stop) -> None:
        """The last hop has handed these over; count those that have left."""
        base_ps = int(last.state.port["base_ps"][0])
        leaving = self.leaving[stream]
        if len(feed):
            leaving = np.concatenate([leaving, feed])
        if not len(leaving):
            return
        left = int(np.searchsorted(leaving["arrival_ps"], last.done_ps + base_ps, "right"))
        self.leaving[stream] = leaving[left:]
        warm_ps, to = self.options.warm_ps + base_ps, self.through
        count_through(to.delays, to.histogram, to.sent, stream, leaving[:left], warm_ps)

    def record(self, done_ps: int) -> Result:
        """The record of the whole."""
        whole = Whole(self.stations, self.streams, self.routes, self.options)
        return whole.record(done_ps, self.through)
