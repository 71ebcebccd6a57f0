"""From the event record of a run to what a picture of its packets needs: columns and a few words.

A packet is a row: when it arrives, leaves its queue and departs, in ticks of a clock that all lanes
share, with its bytes, stream and fate. What changes at a choice, and what meters and droppers
hold, are further columns. `qoslib/explore/page` draws from these and from nothing else.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.explore.lane_description import (
    Lane,
    causes_of,
    described,
    marks_of,
    queues_of,
    tree_of,
    words_of,
)
from qoslib.explore.packet_memory import held_over_time, memories_of
from qoslib.explore.packet_tree import full_at, nodes_of, words_for
from qoslib.plots import style
from qoslib.port import (
    HierarchicalTokenBucket,
    Port,
    PriorityLevels,
    SchedulerTree,
    TimeLimit,
)
from qoslib.record import fail
from qoslib.results import Events

__all__ = ["MOST_PACKETS", "Scene", "packed", "scene_of", "unpacked"]

#: Most packets of a lane, and ticks of the clock that they share; the last tick means never.
MOST_PACKETS = 20_000
TICKS = 2**32 - 2
NEVER = 2**32 - 1
#: The column `fate` has the number of a cause, from 1 on; with this added it had been enqueued.
FROM_QUEUE = 128
_TIMES = ("arrival", "leave", "departure")
#: What meters and droppers hold.
_HELD = ("tokens", "excess", "shaper", "dropper")
#: The column `colour` has the place of a colour, and `mark` that of a new mark, from 1 on.
COLOURS = ("green", "yellow", "red")


#: A column for each thing that is known of a packet.
_Table = dict[str, NDArray[Any]]


class Scene(NamedTuple):
    """What is drawn: `spec` goes through JSON; `data` has its columns, little-endian."""

    spec: dict[str, Any]
    data: bytes


class _Clock(NamedTuple):
    """Ticks that times are told in: one of them is just at the start of the window [s].

    There the counters begin. `before` are the ticks before it, and nothing is later than `last_s`.
    """

    start_s: float
    tick_s: float
    before: int
    last_s: float

    def ticks(self, times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.rint((times_s - self.start_s) / self.tick_s) + self.before


def _clock(lanes: Sequence[Lane], tables: Sequence[_Table], start_s: float) -> _Clock:
    """The clock on which all packets of some lanes have their times."""
    first_s = min(float(table["arrival"].min()) for table in tables)
    last_s = max(float(np.nanmax(table[name])) for table in tables for name in _TIMES)
    for lane, table in zip(lanes, tables, strict=True):
        # A bucket may be full again long after the last packet has left.
        last_s = max(last_s, float(full_at(lane, _choices(table)).max(initial=0.0)))
    tick_s = max(last_s - min(first_s, start_s), 1e-9) / (TICKS - 1)
    return _Clock(start_s, tick_s, max(math.ceil((start_s - first_s) / tick_s), 0), last_s)


def scene_of(
    lanes: Sequence[Lane], start_s: float, end_s: float, after_s: float = 0.0, **words: Any
) -> Scene:
    """The scene of one or more lanes between two times."""
    tables = [_packets(lane, start_s, end_s, after_s) for lane in lanes]
    for lane, table in zip(lanes, tables, strict=True):
        count = int((table["arrival"] <= end_s).sum())
        if not 0 < count <= MOST_PACKETS:
            fail(f"the packets of {lane.title!r} in the window", count, f"1 to {MOST_PACKETS}")
    clock, data = _clock(lanes, tables, start_s), bytearray()
    looks = style.looks(dict.fromkeys(stream.name for lane in lanes for stream in lane.streams))
    spec = {
        "zero_s": -clock.before * clock.tick_s,
        "tick_s": clock.tick_s,
        "start_s": start_s,
        "end_s": end_s - start_s,
        "classes": [
            {"name": name, "light": look.colour, "dark": style.DARK[look.colour]}
            for name, look in looks.items()
        ],
        "lanes": [
            _lane(lane, table, clock, end_s, data)
            for lane, table in zip(lanes, tables, strict=True)
        ],
        **words,
    }
    return Scene(spec, bytes(data))


def _lane(
    lane: Lane, table: _Table, clock: _Clock, end_s: float, data: bytearray
) -> dict[str, Any]:
    """A lane as the page gets it; its columns are appended to the data."""
    port = described(lane) | {"first": int(table["number"].min())}
    for number, queue in enumerate(port["queues"]):
        _change(lane, number, queue, clock.start_s, end_s)
    if nodes := nodes_of(lane) if lane.known else []:
        port |= {"nodes": nodes, "buckets": words_for(lane)}
    memories = memories_of(lane) if lane.known else []
    for each in memories:
        each["columns"] = packed(_held(lane, each["name"], clock), data)
    return port | {"memories": memories, "columns": packed(_columns(lane, table, clock), data)}


def _change(lane: Lane, number: int, queue: dict[str, Any], start_s: float, end_s: float) -> None:
    """Note how the limit of a queue changes, and what its senders are asked for."""
    own = queues_of(lane.at)[number]
    if lane.known and isinstance(own.limit, TimeLimit) and own.limit.at == "served":
        queue["limit"]["over_time"] = _served(lane, number, start_s, end_s)
    if own.pause is not None:
        queue["orders"] = _orders(lane, number, start_s)
    elif lane.known and lane.at.pause is not None:
        queue["orders"] = _told(lane, start_s)


def _held(lane: Lane, name: str, clock: _Clock) -> _Table:
    """What is held of a memory, from when on."""
    at_s, held = held_over_time(lane, name)
    upto = np.searchsorted(at_s, clock.last_s, "right")
    ticks = np.maximum(clock.ticks(at_s[:upto]), 0)
    # Of what changes at one tick the last counts, as of what was before the first one.
    last = np.flatnonzero(np.diff(ticks, append=-1))
    return {"at": ticks[last].astype("<u4"), "held": held[last].astype("<u4")}


def _packets(lane: Lane, start_s: float, end_s: float, after_s: float) -> _Table:
    """A row for each packet of the window, in order of arrival; times [s], NaN for never."""
    events = lane.events
    count = int(events.packet.max(initial=-1)) + 1
    first = np.unique(events.packet, return_index=True)[1]
    table: _Table = {
        "arrival": events.time_s[first],
        "leave": np.full(count, np.nan),
        "departure": np.full(count, np.nan),
        "bytes": events.frame_bytes[first],
        "stream": events.stream[first],
        "queue": events.queue[first],
        "fate": _fates(events, first),
        "tokens": events.tokens_share[first],
        "excess": events.excess_share[first],
        "shaper": np.full(count, np.nan),
        "dropper": events.dropper[first],
        "colour": _places(events.colour[first], COLOURS),
        "closed": events.closed[first],
        "marked": np.bincount(events.packet.astype(np.intp), events.marked, count) > 0,
        "mark": _places(events.mark[first], marks_of(lane)),
        "number": np.arange(count, dtype=np.int64),
        "chosen": np.full(count, -1, np.int64),
    }
    for kind, column in (("choice", "leave"), ("drop", "leave"), ("departure", "departure")):
        at = events.kind == kind
        table[column][events.packet[at]] = events.time_s[at]
    at = np.flatnonzero(events.kind == "choice")
    table["chosen"][events.packet[at]] = at
    table["shaper"][events.packet[at]] = events.tokens_share[at]
    kept = _gone_s(table) >= start_s - _back_s(lane, table, end_s - start_s)
    kept &= table["arrival"] <= end_s + after_s
    return {name: column[kept] for name, column in table.items()}


def _fates(events: Events, first: NDArray[np.int64]) -> NDArray[np.int64]:
    """Why each packet was dropped, from 1 on, and whether from a queue; 0 if it was not."""
    causes, fates = causes_of(events), np.zeros(len(first), np.int64)
    at = np.flatnonzero(events.kind == "drop")
    enqueued = events.kind[first][events.packet[at]] == "enqueue"
    places = np.array([causes.index(str(cause)) + 1 for cause in events.cause[at]], np.int64)
    fates[events.packet[at]] = places + np.where(enqueued, FROM_QUEUE, 0)
    return fates


def _gone_s(table: _Table) -> NDArray[np.float64]:
    """When each packet has left for good; infinity of one that stays."""
    gone_s = np.fmax(table["departure"], table["leave"])
    return np.where(np.isnan(gone_s), np.inf, gone_s)


def _back_s(lane: Lane, table: _Table, window_s: float) -> float:
    """How long before the window packets are shown that are on the link at its start.

    It is not empty then: about as long as the longest queue, it is drawn with it.
    """
    sent = ~np.isnan(table["departure"])
    apart_s = np.diff(np.sort(table["departure"][sent])).min(initial=np.inf)
    back_s = 1.2 * float(lane.events.queue_packets.max(initial=0)) * max(float(apart_s), 0.0)
    return min(max(back_s, 0.1 * window_s), window_s)


def _places(names: NDArray[np.str_], known: Sequence[str]) -> NDArray[Any]:
    """The place of each name among those that are known, from 1 on; 0 of others."""
    found = np.zeros(len(names), np.int64)
    for place, name in enumerate(known, 1):
        found[names == name] = place
    return found


def _columns(lane: Lane, table: _Table, clock: _Clock) -> _Table:
    """The columns as they are sent; those of meters, droppers and schedulers where there are."""
    columns: _Table = {}
    for name in _TIMES:
        found = clock.ticks(table[name])
        columns[name] = np.where(np.isnan(found), NEVER, found).astype("<u4")
    number = table["number"] - table["number"].min()
    columns["number"] = number.astype("<u2" if number.max() < 2**16 else "<u4")
    columns["bytes"] = table["bytes"].astype("<u2")
    columns["stream"] = table["stream"].astype("u1")
    columns["fate"] = table["fate"].astype("u1")
    for name in ("colour", "mark", "marked", "closed"):
        if table[name].any():
            columns[name] = table[name].astype("u1")
    for name in _HELD:
        if not np.isnan(table[name]).all():
            columns[name] = table[name].astype("<f4")
    return columns | (_of_choices(lane, _choices(table), clock) if lane.known else {})


def _of_choices(lane: Lane, at: NDArray[np.int64], clock: _Clock) -> _Table:
    """What the scheduler knew at choices, which are these rows of the record."""
    events, scheduler = lane.events, getattr(lane.at, "scheduler", None)
    columns: _Table = {}
    if words_of(lane.at).value:
        columns["values"] = events.scheduler[at].astype("<f4").ravel()
    if isinstance(scheduler, PriorityLevels | SchedulerTree):
        columns["guaranteed"] = events.guaranteed[at].astype("u1")
    if isinstance(scheduler, SchedulerTree):
        columns["strict"] = events.strict[at].astype("u1")
    if isinstance(scheduler, HierarchicalTokenBucket):
        columns["lender"] = events.lender[at].astype("<u2")
    if tree_of(lane.at):
        full = np.maximum(clock.ticks(full_at(lane, at)), 0)
        columns["full"] = full.astype("<u4").ravel()
        # From 1 on; 0 is nobody.
        columns["turn"] = (events.turn[at].T + 1).astype("<u2").ravel()
    return columns


def _choices(table: _Table) -> NDArray[np.int64]:
    """The rows of the record in which packets of the window are chosen, in order."""
    return np.sort(table["chosen"][table["chosen"] >= 0])


def _orders(lane: Lane, number: int, start_s: float) -> list[list[float]]:
    """When what a queue asks its senders takes effect, and whether that is to stop."""
    events = lane.events
    mine = (events.queue == number) & (events.order_s > 0)
    pairs = zip(events.order_s[mine].tolist(), events.asked[mine].tolist(), strict=True)
    return [[at_s - start_s, int(asked)] for at_s, asked in dict.fromkeys(pairs)]


def _told(lane: Lane, start_s: float) -> list[list[float]]:
    """The same of what a port tells all its senders: to stop until a time, or to go on."""
    events = lane.events
    mine = np.isfinite(events.order_s)
    at_s, until_s = events.time_s[mine], events.order_s[mine]
    found = []
    # What one event changes is known at the next.
    for row in np.flatnonzero(np.diff(until_s)):
        stops = until_s[row + 1] > at_s[row]
        found += [[at_s[row] - start_s, 1]] if stops else []
        found.append([until_s[row + 1] - start_s, 0])
    return [[float(at), stop] for at, stop in found]


def _served(lane: Lane, number: int, start_s: float, end_s: float) -> list[list[float]]:
    """When a limit at the served rate changes within the window, and to what [s on the line].

    What the queue sent in the last whole window of the limit, but no less than its guaranteed rate
    gives, nor than its largest packet.
    """
    queue, port, events = queues_of(lane.at)[number], lane.at, lane.events
    assert isinstance(queue.limit, TimeLimit)
    assert isinstance(port, Port)
    takes_s = units.serialisation_s(events.frame_bytes, port.rate_bps, port.overhead_bytes)
    mine, period_s = events.queue == number, queue.limit.time_s
    sent = mine & (events.kind == "choice")
    sent_s = np.zeros(int(end_s / period_s) + 2)
    after = np.floor(events.time_s[sent] / period_s).astype(np.int64) + 1
    within = after < len(sent_s)
    np.add.at(sent_s, after[within], takes_s[sent][within])
    least_s = period_s * queue.guaranteed_bps / port.rate_bps
    limits_s = np.maximum(sent_s, max(least_s, float(takes_s[mine].max(initial=0.0))))
    first = int(start_s / period_s)
    return [[at * period_s - start_s, float(limits_s[at])] for at in range(first, len(limits_s))]


def packed(columns: Mapping[str, NDArray[Any]], data: bytearray) -> dict[str, Any]:
    """Append columns; where each is, and of which type. Of whole numbers go their differences.

    Most of those are alike, so that what is compressed gets small; they wrap around at the end of
    their type.
    """
    found = {}
    for name, column in columns.items():
        found[name] = [column.dtype.str[1:], len(data), len(column)]
        if column.dtype.kind == "u":
            column = np.diff(column, prepend=np.zeros(1, column.dtype))
        data += column.tobytes()
    return found


def unpacked(data: bytes, place: Sequence[Any]) -> NDArray[Any]:
    """A column from where `packed` says that it is."""
    kind, at, count = place
    column = np.frombuffer(data, np.dtype(f"<{kind}"), count, at)
    return np.cumsum(column, dtype=column.dtype) if kind[0] == "u" else column
