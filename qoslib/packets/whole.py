"""The record of a network, made of those of its hops."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.collect import balanced, record_of
from qoslib.packets.kernels import tables
from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import CAUSES
from qoslib.packets.kernels.counters import BINS
from qoslib.packets.plan import Run
from qoslib.packets.stations import Station
from qoslib.results import Counts, History, Result
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["Through", "Whole"]


class Through:
    """The delays of each stream over all hops that it passes.

    Parameters
    ----------
    streams : int
        How many there are.
    """

    def __init__(self, streams: int) -> None:
        self.delays = np.zeros(streams, tables.DELAY)
        self.delays["delay_min"] = NEVER
        self.histogram = np.zeros((streams, BINS), np.int64)
        self.sent = np.zeros(streams, np.int64)


class Whole:
    """Values of all streams, taken from hops: each stream passes those of its route."""

    def __init__(
        self,
        stations: Sequence[Station],
        streams: Sequence[Stream],
        routes: Sequence[Sequence[int]],
        options: Run,
    ) -> None:
        self.stations, self.streams, self.routes = stations, streams, routes
        self.options = options

    def record(self, done_ps: int, through: Through | None = None, traced: bool = False) -> Result:
        """The record of the whole: offered at the first hop, sent by the last, dropped anywhere.

        Where no stream passes two hops `through` is None.
        """
        hops = [station.record(self.options, done_ps, traced) for station in self.stations]
        packets = self._counts([hop.packets for hop in hops if hop.packets])
        result = record_of(
            tuple(stream.name for stream in self.streams),
            tuple(
                f"{station.where.name}/{queue}"
                for station, result in zip(self.stations, hops, strict=True)
                for queue in result.queues
            ),
            self.options,
            done_ps,
            packets=packets,
            octets=self._counts([hop.octets for hop in hops if hop.octets]),
            delays=through.delays if through else self._of_state("delays"),
            delayed=through.sent if through else packets.sent,
            histogram=through.histogram if through else self._of_state("histogram"),
            loss_runs=self._total([hop.heard.loss_runs for hop in hops if hop.heard]),
            history=self._history([hop.history for hop in hops if hop.history]),
            pause_frames=sum(hop.pause_frames for hop in hops),
            hops=tuple(hops),
            sent_by_mark_pps=self._sent_by_mark(hops),
        )
        dropped_pps = self._total([hop.dropped_pps for hop in hops])
        dropped_bps = self._total([hop.dropped_bps for hop in hops])
        return replace(result, dropped_pps=dropped_pps, dropped_bps=dropped_bps)

    def _of_state(self, name: str) -> NDArray[Any]:
        return self._at(-1, [getattr(station.state, name) for station in self.stations])

    def _counts(self, counts: Sequence[Counts]) -> Counts:
        causes = [cause for cause in CAUSES if any(cause in each.dropped for each in counts)]
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
