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

__all__ = ["MOST_PACKETS", "Scene", "packed", "scene_of", "unpacked"]

#: Most packets of a lane, and ticks of the clock that they share; the last tick means never.
MOST_PACKETS = 20_000
TICKS = 2**32 - 2
NEVER = 2**32 - 1
#: The column `fate` has the number of a cause, from 1 on; with this added it had been enqueued.
FROM_QUEUE = 128


class Scene(NamedTuple):
    """What is drawn: `spec` goes through JSON; `data` has its columns, little-endian."""

    spec: dict[str, Any]
    data: bytes


def scene_of(
    lanes: Sequence[Lane], start_s: float, end_s: float, after_s: float = 0.0, **words: Any
) -> Scene:
    """The scene of one or more lanes between two times."""
    tables = [_packets(lane, start_s, end_s, after_s) for lane in lanes]
    for lane, table in zip(lanes, tables, strict=True):
        count = int((table["arrival"] <= end_s).sum())
        if not 0 < count <= MOST_PACKETS:
            fail(f"the packets of {lane.title!r} in the window", count, f"1 to {MOST_PACKETS}")
    first_s = min(float(table["arrival"].min()) for table in tables)
    last_s = max(float(np.nanmax(table[name])) for table in tables for name in _TIMES)
    for lane, table in zip(lanes, tables, strict=True):
        # A bucket may be full again long after the last packet has left.
        last_s = max(last_s, float(full_at(lane, _choices(table)).max(initial=0.0)))
    # One tick is just at the start of the window, where the counters begin.
    tick_s = max(last_s - min(first_s, start_s), 1e-9) / (TICKS - 1)
    before = max(math.ceil((start_s - first_s) / tick_s), 0)
    names = dict.fromkeys(stream.name for lane in lanes for stream in lane.streams)
    looks = style.looks(names)
    data, made = bytearray(), []
    for lane, table in zip(lanes, tables, strict=True):
        columns = _columns(lane, table, start_s, tick_s, before)
        memories = memories_of(lane) if lane.known else []
        for each in memories:
            at_s, held = held_over_time(lane, each["name"])
            upto = np.searchsorted(at_s, last_s, "right")
            ticks = np.maximum(_ticks(at_s[:upto] - start_s, tick_s, before), 0)
            # Of what changes at one tick the last counts, as of what was before the first one.
            last = np.flatnonzero(np.diff(ticks, append=-1))
            each["columns"] = packed(
                {"at": ticks[last].astype("<u4"), "held": held[last].astype("<u4")}, data
            )
        port = described(lane) | {"first": int(table["number"].min())}
        for number, queue in enumerate(queues_of(lane.at)):
            if lane.known and isinstance(queue.limit, TimeLimit) and queue.limit.at == "served":
                limits = _served(lane, number, start_s, end_s)
                port["queues"][number]["limit"]["over_time"] = limits
            if queue.pause is not None:
                port["queues"][number]["orders"] = _orders(lane, number, start_s)
            elif lane.known and lane.at.pause is not None:
                port["queues"][number]["orders"] = _told(lane, start_s)
        if nodes := nodes_of(lane) if lane.known else []:
            port |= {"nodes": nodes, "buckets": words_for(lane)}
        made.append(port | {"memories": memories, "columns": packed(columns, data)})
    spec = {
        "zero_s": -before * tick_s,
        "tick_s": tick_s,
        "start_s": start_s,
        "end_s": end_s - start_s,
        "classes": [
            {"name": name, "light": looks[name].colour, "dark": style.DARK[looks[name].colour]}
            for name in names
        ],
        "lanes": made,
        **words,
    }
    return Scene(spec, bytes(data))


_TIMES = ("arrival", "leave", "departure")
#: What meters and droppers hold.
_HELD = ("tokens", "excess", "shaper", "dropper")
#: The column `colour` has the place of a colour, and `mark` that of a new mark, from 1 on.
COLOURS = ("green", "yellow", "red")


def _packets(lane: Lane, start_s: float, end_s: float, after_s: float) -> dict[str, NDArray[Any]]:
    """A row for each packet of the window, in order of arrival; times [s], NaN for never."""
    events = lane.events
    count = int(events.packet.max(initial=-1)) + 1
    table: dict[str, NDArray[Any]] = {name: np.full(count, np.nan) for name in _TIMES}
    table |= {name: np.zeros(count, np.int64) for name in ("bytes", "stream", "queue", "fate")}
    table |= {name: np.full(count, np.nan) for name in _HELD}
    chosen = np.full(count, -1, np.int64)
    first = np.unique(events.packet, return_index=True)[1]
    table["arrival"][:] = events.time_s[first]
    table["bytes"][:], table["stream"][:] = events.frame_bytes[first], events.stream[first]
    table["queue"][:] = events.queue[first]
    table["tokens"][:], table["dropper"][:] = events.tokens_share[first], events.dropper[first]
    table["excess"][:] = events.excess_share[first]
    table["colour"] = _places(events.colour[first], COLOURS)
    table["closed"] = events.closed[first].astype(np.int64)
    table["marked"] = np.bincount(events.packet, events.marked, count) > 0
    table["mark"] = _places(events.mark[first], marks_of(lane))
    for kind, column in (("choice", "leave"), ("drop", "leave"), ("departure", "departure")):
        at = events.kind == kind
        table[column][events.packet[at]] = events.time_s[at]
    at = np.flatnonzero(events.kind == "choice")
    chosen[events.packet[at]] = at
    table["shaper"][events.packet[at]] = events.tokens_share[at]
    causes = causes_of(events)
    at = np.flatnonzero(events.kind == "drop")
    enqueued = events.kind[first][events.packet[at]] == "enqueue"
    fates = np.array([causes.index(str(cause)) + 1 for cause in events.cause[at]], np.int64)
    table["fate"][events.packet[at]] = fates + np.where(enqueued, FROM_QUEUE, 0)
    table |= {"number": np.arange(count), "chosen": chosen}
    # The link is not empty at the start: about as long as the longest queue, it is drawn with it.
    sent = ~np.isnan(table["departure"])
    apart_s = np.diff(np.sort(table["departure"][sent])).min(initial=np.inf)
    back_s = 1.2 * float(events.queue_packets.max(initial=0)) * max(float(apart_s), 0.0)
    back_s = min(max(back_s, 0.1 * (end_s - start_s)), end_s - start_s)
    gone_s = np.fmax(table["departure"], table["leave"])
    gone_s = np.where(np.isnan(gone_s), np.inf, gone_s)
    kept = (gone_s >= start_s - back_s) & (table["arrival"] <= end_s + after_s)
    return {name: column[kept] for name, column in table.items()}


def _places(names: NDArray[np.str_], known: Sequence[str]) -> NDArray[Any]:
    """The place of each name among those that are known, from 1 on; 0 of others."""
    found = np.zeros(len(names), np.int64)
    for place, name in enumerate(known, 1):
        found[names == name] = place
    return found


def _ticks(times_s: NDArray[np.float64], tick_s: float, before: int) -> NDArray[np.float64]:
    """Times from the start of the window, in ticks."""
    return np.rint(times_s / tick_s) + before


def _columns(
    lane: Lane, table: dict[str, NDArray[Any]], start_s: float, tick_s: float, before: int
) -> dict[str, NDArray[Any]]:
    """The columns as they are sent; those of meters, droppers and schedulers where there are."""

    columns: dict[str, NDArray[Any]] = {}
    for name in _TIMES:
        found = _ticks(table[name] - start_s, tick_s, before)
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
    at = _choices(table)
    values = lane.events.scheduler[at]
    if lane.known and words_of(lane.at).value:
        columns["values"] = values.astype("<f4").ravel()
    scheduler = getattr(lane.at, "scheduler", None)
    if lane.known and isinstance(scheduler, PriorityLevels | SchedulerTree):
        columns["guaranteed"] = lane.events.guaranteed[at].astype("u1")
    if lane.known and isinstance(scheduler, SchedulerTree):
        columns["strict"] = lane.events.strict[at].astype("u1")
    if lane.known and isinstance(scheduler, HierarchicalTokenBucket):
        columns["lender"] = lane.events.lender[at].astype("<u2")
    if lane.known and tree_of(lane.at):
        full = np.maximum(_ticks(full_at(lane, at) - start_s, tick_s, before), 0)
        columns["full"] = full.astype("<u4").ravel()
        # From 1 on; 0 is nobody.
        columns["turn"] = (lane.events.turn[at].T + 1).astype("<u2").ravel()
    return columns


def _choices(table: dict[str, NDArray[Any]]) -> NDArray[np.int64]:
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
    after = np.floor(events.time_s[sent] / period_s).astype(int) + 1
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
