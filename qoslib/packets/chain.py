"""A chain of ports: what leaves one arrives at the next, a stretch of time after the other."""

import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.collect import balanced, collected, record_of
from qoslib.packets.kernels import tables
from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import FED, REPEATED
from qoslib.packets.kernels.counters import BINS, count_through
from qoslib.packets.kernels.loop import AT_ONCE, affordable
from qoslib.packets.loops import beside, run
from qoslib.packets.plan import Run, as_port, planned
from qoslib.packets.plan_marks import kinds_of, leaving_marks, queue_of
from qoslib.packets.plan_streams import carried
from qoslib.packets.progress import Progress, Watch, play
from qoslib.port import Chain
from qoslib.results import Counts, History, Result
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["run_chain"]

#: A run that is stopped has so long to bring all hops to one time [s]; else it has no record.
PATIENCE_S = 0.5
#: The first stretch that all hops play is this part of the run.
_FIRST_SHARE = 1 << 16


class _Station:
    """One hop under way: its state, the streams it carries, and where each goes next."""

    def __init__(
        self,
        chain: Chain,
        index: int,
        streams: Sequence[Stream],
        routes: list[list[int]],
        run: Run,
        marks: dict[int, list[str]],
    ) -> None:
        self.where = chain.hops[index].at
        self.members = [i for i, route in enumerate(routes) if index in route]
        self.streams = [
            streams[i] if routes[i][0] == index else carried(streams[i]) for i in self.members
        ]
        arriving = [marks[i] for i in self.members]
        self.kinds = kinds_of(self.where, self.streams, arriving)
        state = planned(self.where, self.streams, run, index, self.members, self.kinds)
        for row, i in enumerate(self.members):
            marks[i] = leaving_marks(self.kinds, row)
        log = np.zeros(run.log_packets + AT_ONCE, tables.OUTCOME)
        self.state = state._replace(log=log)
        self.beside = beside(self.where, state, run.end_ps)
        self.row = {stream: row for row, stream in enumerate(self.members)}
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

    def classes_at(self, after: "_Station") -> NDArray[np.int64]:
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

    def record(self, options: Run, done_ps: int) -> Result:
        """What happened at this hop."""
        names = tuple(stream.name for stream in self.streams)
        queues = tuple(queue.name for queue in as_port(self.where)[0])
        marks = [kind.mark for kind in self.kinds]
        return collected(self.state, names, queues, options, done_ps, marks=marks)


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
        marks = {i: [stream.label] for i, stream in enumerate(streams)}
        self.stations = [
            _Station(chain, index, streams, self.routes, hop_run, marks)
            for index in range(len(chain.hops))
        ]
        shortest_ps = [each.events * each.shortest_ps() for each in self.stations[1:]]
        self.most_ps = min(shortest_ps, default=options.end_ps)
        self.span_ps = max(options.end_ps // _FIRST_SHARE, 1)
        #: By a hop and one behind it: which packet classes become which.
        self.classes: dict[tuple[int, int], NDArray[np.int64]] = {}
        self.arriving: list[dict[int, list[NDArray[np.void]]]] = [{} for _ in self.stations]
        #: By stream: what the last hop has handed over and is not known to have left.
        self.leaving = [np.zeros(0, tables.FEED) for _ in streams]
        self.delays = np.zeros(len(streams), tables.DELAY)
        self.delays["delay_min"] = NEVER
        self.histogram = np.zeros((len(streams), BINS), np.int64)
        self.sent = np.zeros(len(streams), np.int64)

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

    def _leave(self, stream: int, feed: NDArray[np.void], last: _Station) -> None:
        """The last hop has handed these over; count those that have left."""
        base_ps = int(last.state.port["base_ps"][0])
        leaving = self.leaving[stream]
        if len(feed):
            leaving = np.concatenate([leaving, feed])
        if not len(leaving):
            return
        left = int(np.searchsorted(leaving["arrival_ps"], last.done_ps + base_ps, "right"))
        self.leaving[stream] = leaving[left:]
        warm_ps = self.options.warm_ps + base_ps
        count_through(self.delays, self.histogram, self.sent, stream, leaving[:left], warm_ps)

    def record(self, done_ps: int) -> Result:
        """The record of the whole: offered at the first hop, sent by the last, dropped anywhere."""
        hops = [station.record(self.options, done_ps) for station in self.stations]
        result = record_of(
            tuple(stream.name for stream in self.streams),
            tuple(
                f"{hop.at.name}/{queue}"
                for hop, result in zip(self.chain.hops, hops, strict=True)
                for queue in result.queues
            ),
            self.options,
            done_ps,
            packets=self._counts([hop.packets for hop in hops if hop.packets]),
            octets=self._counts([hop.octets for hop in hops if hop.octets]),
            delays=self.delays,
            delayed=self.sent,
            histogram=self.histogram,
            loss_runs=self._total([hop.heard.loss_runs for hop in hops if hop.heard]),
            history=self._history([hop.history for hop in hops if hop.history]),
            pause_frames=sum(hop.pause_frames for hop in hops),
            hops=tuple(hops),
            sent_by_mark_pps=self._sent_by_mark(hops),
        )
        dropped_pps = self._total([hop.dropped_pps for hop in hops])
        dropped_bps = self._total([hop.dropped_bps for hop in hops])
        return replace(result, dropped_pps=dropped_pps, dropped_bps=dropped_bps)

    def _counts(self, counts: Sequence[Counts]) -> Counts:
        causes = sorted({cause for each in counts for cause in each.dropped})
        dropped = {
            cause: [each.dropped.get(cause, np.zeros_like(each.offered)) for each in counts]
            for cause in causes
        }
        return balanced(
            self._at(0, [each.offered for each in counts]),
            self._at(-1, [each.sent for each in counts]),
            {cause: self._total(parts) for cause, parts in dropped.items()},
            self._total([each.marked for each in counts]),
        )

    def _sent_by_mark(self, hops: Sequence[Result]) -> dict[str, Floats]:
        """What the last hop of each stream sends with which mark, where marks change."""
        found: dict[str, Floats] = {}
        if not any(hop.sent_by_mark_pps for hop in hops):
            return found
        for i, (stream, route) in enumerate(zip(self.streams, self.routes, strict=True)):
            row, last = self.stations[route[-1]].row[i], hops[route[-1]]
            for mark, sent_pps in (last.sent_by_mark_pps or {stream.label: last.sent_pps}).items():
                found.setdefault(mark, np.zeros(len(self.streams)))[i] = sent_pps[row]
        return found

    def _history(self, past: Sequence[History]) -> History:
        bins = min(len(each.time_s) for each in past) - 1

        def parts(name: str) -> list[NDArray[Any]]:
            return [getattr(each, name)[:, :bins] for each in past]

        return History(
            past[0].time_s[: bins + 1],
            np.concatenate(parts("queue_packets")),
            np.concatenate(parts("tokens_share")),
            self._at(0, parts("offered_packets")),
            self._at(-1, parts("sent_packets")),
            self._total(parts("dropped_packets")),
            self._at(-1, parts("sent_bytes")),
        )

    def _at(self, place: int, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Values of each hop's own streams, taken at a place of each stream's route."""
        hops = [route[place] for route in self.routes]
        rows = [parts[hop][self.stations[hop].row[s]] for s, hop in enumerate(hops)]
        return np.array(rows, dtype=parts[0].dtype)

    def _total(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Values of each hop's own streams, over all hops."""
        total = np.zeros((len(self.routes), *parts[0].shape[1:]), parts[0].dtype)
        for station, part in zip(self.stations, parts, strict=True):
            total[station.members] += part
        return total
