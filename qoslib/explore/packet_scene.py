"""From the event record of a run to what a picture of its packets needs: columns and a few words.

A packet is a row: when it arrives, leaves its queue and departs, in ticks of a clock that all lanes
share, with its bytes, stream and fate. What changes at a choice, and what meters and droppers
hold, are further columns. `qoslib/explore/page` draws from these and from nothing else.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.flows import Flow
from qoslib.plots import style
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Codel,
    DeficitRoundRobin,
    DropProfile,
    Forwarder,
    HeadDrop,
    HierarchicalTokenBucket,
    ModifiedDrr,
    PacketLimit,
    Pie,
    Port,
    PriorityLevels,
    Queue,
    Red,
    RedProfile,
    SchedulerTree,
    ShareRedProfile,
    StartTimeFairQueueing,
    StrictPriority,
    TimeLimit,
    TimeRedProfile,
)
from qoslib.port.nodes import Outline, outline
from qoslib.port.thresholds import Thresholds
from qoslib.record import fail
from qoslib.results import Events
from qoslib.tables import amount
from qoslib.traffic import Stream

__all__ = ["MOST_PACKETS", "Lane", "Scene", "scene_of"]

#: Most packets of a lane, and ticks of the clock that they share; the last tick means never.
MOST_PACKETS = 20_000
TICKS = 2**32 - 2
NEVER = 2**32 - 1
#: So many shaped nodes of a tree are named.
MOST_NODES = 3
#: The column `fate` has the number of a cause, from 1 on; with this added it had been enqueued.
FROM_QUEUE = 128


class Lane(NamedTuple):
    """A port, or a forwarder, and what happened there.

    `queues` are the indices of those that are drawn; all of them if it is empty. Of a port that is
    not `known`, neither limits nor scheduler are drawn.
    """

    title: str
    at: Port | Forwarder
    streams: tuple[Stream | Flow, ...]
    events: Events
    queues: tuple[int, ...] = ()
    known: bool = True


class Scene(NamedTuple):
    """What is drawn: `spec` goes through JSON; `data` has its columns, little-endian."""

    spec: dict[str, Any]
    data: bytes


def scene_of(
    lanes: Sequence[Lane], start_s: float, end_s: float, after_s: float = 0.0, **words: Any
) -> Scene:
    """The scene of one or more lanes between two times.

    Parameters
    ----------
    lanes : sequence of Lane
        Their records begin with the run.
    start_s, end_s : float
        The window [s], from the start of the run; counters start at 0 with it.
    after_s : float
        Packets that arrive up to so long after the window are seen to come at its end [s].
    **words
        Further entries of the spec, such as its `badge`.

    Raises
    ------
    ValueError
        If no packet, or more than `MOST_PACKETS`, are in the window.
    """
    tables = [_packets(lane, start_s, end_s, after_s) for lane in lanes]
    for lane, table in zip(lanes, tables, strict=True):
        count = int((table["arrival"] <= end_s).sum())
        if not 0 < count <= MOST_PACKETS:
            fail(f"the packets of {lane.title!r} in the window", count, f"1 to {MOST_PACKETS}")
    first_s = min(float(table["arrival"].min()) for table in tables)
    last_s = max(float(np.nanmax(table[name])) for table in tables for name in _TIMES)
    # One tick is just at the start of the window, where the counters begin.
    tick_s = max(last_s - min(first_s, start_s), 1e-9) / (TICKS - 1)
    before = max(math.ceil((start_s - first_s) / tick_s), 0)
    names = dict.fromkeys(stream.name for lane in lanes for stream in lane.streams)
    looks = style.looks(names)
    data, made = bytearray(), []
    for lane, table in zip(lanes, tables, strict=True):
        columns = _columns(lane, table, start_s, tick_s, before)
        described = _described(lane) | {"first": int(table["number"].min())}
        for number, queue in enumerate(_queues(lane.at)):
            if lane.known and isinstance(queue.limit, TimeLimit) and queue.limit.at == "served":
                limits = _served(lane, number, start_s, end_s)
                described["queues"][number]["limit"]["over_time"] = limits
        made.append(described | {"columns": _packed(columns, data)})
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


class _Words(NamedTuple):
    """What a lane shows of its scheduler.

    `value` is what each queue has a number of at a choice: a deficit or a start tag. `level` is
    what the priority of a queue is called.
    """

    note: str = ""
    value: str = ""
    level: str = ""


_SCHEDULERS: dict[type, _Words] = {
    StrictPriority: _Words(
        "the queue with the lowest priority number sends first", level="priority"
    ),
    PriorityLevels: _Words("levels in order, guaranteed rates before the excess", level="level"),
    DeficitRoundRobin: _Words("each turn adds a quantum to a queue's deficit", "deficit"),
    ModifiedDrr: _Words("a queue sends while its deficit is above 0", "deficit"),
    StartTimeFairQueueing: _Words(
        "the packet with the smallest start tag is sent next", "start tag"
    ),
    SchedulerTree: _Words(
        "strict priority, then guaranteed rates, then the excess", level="priority"
    ),
    HierarchicalTokenBucket: _Words(
        "own rates first, then the deepest node with rate to lend", level="prio"
    ),
}


def _words(at: Port | Forwarder) -> _Words:
    return _SCHEDULERS.get(type(getattr(at, "scheduler", None)), _Words())


_TIMES = ("arrival", "leave", "departure")


def _packets(lane: Lane, start_s: float, end_s: float, after_s: float) -> dict[str, NDArray[Any]]:
    """A row for each packet of the window, in order of arrival; times [s], NaN for never."""
    events = lane.events
    count = int(events.packet.max(initial=-1)) + 1
    table: dict[str, NDArray[Any]] = {name: np.full(count, np.nan) for name in _TIMES}
    table |= {name: np.zeros(count, np.int64) for name in ("bytes", "stream", "queue", "fate")}
    table |= {name: np.full(count, np.nan) for name in ("tokens", "shaper", "dropper")}
    chosen = np.full(count, -1, np.int64)
    first = np.unique(events.packet, return_index=True)[1]
    table["arrival"][:] = events.time_s[first]
    table["bytes"][:], table["stream"][:] = events.frame_bytes[first], events.stream[first]
    table["queue"][:] = events.queue[first]
    table["tokens"][:], table["dropper"][:] = events.tokens_share[first], events.dropper[first]
    for kind, column in (("choice", "leave"), ("drop", "leave"), ("departure", "departure")):
        at = events.kind == kind
        table[column][events.packet[at]] = events.time_s[at]
    at = np.flatnonzero(events.kind == "choice")
    chosen[events.packet[at]] = at
    table["shaper"][events.packet[at]] = events.tokens_share[at]
    causes = _causes(events)
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


def _causes(events: Events) -> list[str]:
    return sorted({str(cause) for cause in np.unique(events.cause)} - {""})


def _columns(
    lane: Lane, table: dict[str, NDArray[Any]], start_s: float, tick_s: float, before: int
) -> dict[str, NDArray[Any]]:
    """The columns as they are sent; those of meters, droppers and schedulers where there are."""

    def ticks(times_s: NDArray[np.float64]) -> NDArray[np.uint32]:
        found = np.rint((times_s - start_s) / tick_s) + before
        return np.where(np.isnan(found), NEVER, found).astype("<u4")

    columns: dict[str, NDArray[Any]] = {name: ticks(table[name]) for name in _TIMES}
    number = table["number"] - table["number"].min()
    columns["number"] = number.astype("<u2" if number.max() < 2**16 else "<u4")
    columns["bytes"] = table["bytes"].astype("<u2")
    columns["stream"] = table["stream"].astype("u1")
    columns["fate"] = table["fate"].astype("u1")
    for name in ("tokens", "shaper", "dropper"):
        if not np.isnan(table[name]).all():
            columns[name] = table[name].astype("<f4")
    at = table["chosen"][table["chosen"] >= 0]
    values = lane.events.scheduler[np.sort(at)]
    if lane.known and _words(lane.at).value:
        columns["values"] = values.astype("<f4").ravel()
    if lane.known and isinstance(getattr(lane.at, "scheduler", None), PriorityLevels):
        columns["guaranteed"] = lane.events.guaranteed[np.sort(at)].astype("u1")
    return columns


def _served(lane: Lane, number: int, start_s: float, end_s: float) -> list[list[float]]:
    """When a limit at the served rate changes within the window, and to what [s on the line].

    What the queue sent in the last whole window of the limit, but no less than its guaranteed rate
    gives, nor than its largest packet.
    """
    queue, port, events = _queues(lane.at)[number], lane.at, lane.events
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


def _packed(columns: dict[str, NDArray[Any]], data: bytearray) -> dict[str, Any]:
    """Append the columns; where each is, and of which type."""
    found = {}
    for name, column in columns.items():
        found[name] = [column.dtype.str[1:], len(data), len(column)]
        data += column.tobytes()
    return found


def _queues(at: Port | Forwarder) -> tuple[Queue, ...]:
    return (at.queue,) if isinstance(at, Forwarder) else at.queues


def _tree(at: Port | Forwarder) -> Outline | None:
    scheduler = getattr(at, "scheduler", None)
    if isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket):
        return outline(_queues(at), scheduler.nodes)
    return None


def _in_order(at: Port | Forwarder) -> list[int]:
    """The queues as they are drawn: as their tree is written, or as the port lists them."""
    tree, queues = _tree(at), range(len(_queues(at)))
    return [i for i in tree.walk() if i in queues] if tree else list(queues)


def _described(lane: Lane) -> dict[str, Any]:
    """The lane without its columns: a packet is ``extra + per_byte * bytes`` units long."""
    at, queues = lane.at, _queues(lane.at)
    if isinstance(at, Port):
        extra, per_byte = at.overhead_bytes, 1.0
        speed = units.octets(at.rate_bps)
        ring = at.transmit_ring_packets
    else:
        mean = float(lane.events.frame_bytes.mean())
        speed = mean / (at.packet_s + at.byte_s * mean)
        extra, per_byte = at.packet_s * speed, at.byte_s * speed
        ring = 0
    place = {s.name: 0 if isinstance(at, Forwarder) else at.queue_of(s) for s in lane.streams}
    port_shaper = _meter(getattr(at, "shaper", None))
    robin = getattr(at, "scheduler", None)
    fast = robin.low_latency if isinstance(robin, ModifiedDrr) else ""
    return {
        "title": lane.title,
        "note": _note(at) if lane.known else "",
        "speed": speed,
        "extra": extra,
        "per_byte": per_byte,
        "ring": ring,
        "value": _words(at).value if lane.known else "",
        "level": _words(at).level if lane.known else "",
        "low_latency": fast,
        "resets": not isinstance(robin, ModifiedDrr) or robin.reset_on_empty,
        "streams": [[stream.name, place[stream.name]] for stream in lane.streams],
        "causes": _causes(lane.events),
        "shown": list(lane.queues or _in_order(at)),
        "queues": [
            _of_queue(queue, at)
            | {"port_shaper": port_shaper}
            | ({} if lane.known else {"limit": None, "dropper": ""})
            for queue in queues
        ],
    }


def _of_queue(queue: Queue, at: Port | Forwarder) -> dict[str, Any]:
    limit = queue.limit
    match limit:
        case PacketLimit():
            room = {"unit": "packets", "most": limit.packets}
        case ByteLimit():
            room = {"unit": "bytes", "most": limit.limit_bytes}
        case TimeLimit():
            share = 1.0
            if limit.at != "line" and isinstance(at, Port):
                share = queue.guaranteed_bps / at.rate_bps
            most_s = limit.time_s * share
            room = {"unit": "s", "most": most_s, "at": limit.at, "time_s": limit.time_s}
    dropper = queue.dropper
    at_head = isinstance(dropper, HeadDrop | Codel)
    at_head |= isinstance(dropper, DropProfile) and dropper.drop_at == "head"
    described: dict[str, Any] = {
        "name": queue.name,
        "limit": room,
        "drops": "head" if at_head else "tail",
        "dropper": type(dropper).__name__,
        "priority": queue.priority,
        "quantum": queue.quantum_bytes,
        "weight": queue.weight,
        "policer": _meter(queue.policer),
        "shaper": _meter(queue.shaper),
    }
    if isinstance(dropper, Red):
        described |= _thresholds(dropper.profile, room)
    if isinstance(dropper, Codel | Pie):
        described["target_s"] = dropper.target_s
    if isinstance(dropper, Codel):
        described["interval_s"] = dropper.interval_s
    return described


def _thresholds(profile: Thresholds, room: dict[str, Any]) -> dict[str, Any]:
    """Where RED begins to drop and where it drops all, and in which unit."""
    match profile:
        case RedProfile(low, high):
            return {"thresholds": [low, high], "counts": "packets"}
        case ByteRedProfile(low, high):
            return {"thresholds": [low, high], "counts": "bytes"}
        case TimeRedProfile(low, high, rate_bps):
            low, high = units.octets(low * rate_bps), units.octets(high * rate_bps)
            return {"thresholds": [low, high], "counts": "bytes"}
        case ShareRedProfile(low, high):
            shares = [low * room["most"], high * room["most"]]
            return {"thresholds": shares, "counts": room["unit"]}


def _meter(meter: Any) -> dict[str, float] | None:
    if meter is None:
        return None
    return {"rate_bps": meter.rate_bps, "burst_bytes": meter.burst_bytes}


#: What is special about a lane of one queue, in one line.
_DROPPERS = {
    "TailDrop": "a full queue drops the newest packet",
    "HeadDrop": "a full queue drops the oldest packet",
    "Red": "drops at random as the average queue length grows",
    "DropProfile": "drops at random as the queue fills",
    "Codel": "drops at the head while packets wait too long",
    "Pie": "drops at random so that the delay stays near a target",
}


def _note(at: Port | Forwarder) -> str:
    if isinstance(at, Forwarder):
        return "the engine takes one packet after the other"
    tree = _tree(at)
    if tree is not None:
        shaped = [node for node in tree.nodes[::-1] if node.shaper]
        limits = [
            f"{node.name} at most {amount('rate_bps', node.shaper.rate_bps)}"
            for node in shaped[:MOST_NODES]
            if node.shaper
        ]
        more = [f"{len(shaped) - MOST_NODES} more nodes shaped"] * (len(shaped) > MOST_NODES)
        return "; ".join([_words(at).note, *limits, *more])
    if len(at.queues) > 1:
        return _words(at).note
    queue = at.queues[0]
    if queue.policer:
        return "packets without a token are dropped on arrival"
    if queue.shaper or at.shaper:
        return "packets wait for their tokens"
    return _DROPPERS[type(queue.dropper).__name__]
