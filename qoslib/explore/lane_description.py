"""What a port is, for a picture of its packets: its queues, meters, droppers and scheduler."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from qoslib import units
from qoslib.flows import Flow
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    CakeTins,
    Codel,
    DeficitRoundRobin,
    Dropper,
    DropProfile,
    Forwarder,
    HeadDrop,
    HierarchicalTokenBucket,
    ModifiedDrr,
    PacketLimit,
    PeakRate,
    Pie,
    Policer,
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
    WeightedRoundRobin,
)
from qoslib.port.nodes import Outline, outline
from qoslib.port.thresholds import Thresholds
from qoslib.results import Events
from qoslib.tables import format_quantity
from qoslib.traffic import Stream

__all__ = [
    "SCHEDULERS",
    "Lane",
    "causes_of",
    "described",
    "marks_of",
    "queues_of",
    "tree_of",
    "words_of",
]

#: So many shaped nodes of a tree are named.
MOST_NODES = 3
Limit = PacketLimit | ByteLimit | TimeLimit


class Lane(NamedTuple):
    """A port, or a forwarder, and what happened there.

    `queues` are the indices of those that are drawn; all of them if it is empty. Of a port that is
    not `known`, neither limits nor scheduler are drawn. `sharing` are the ports of its switch.
    """

    title: str
    at: Port | Forwarder
    streams: tuple[Stream | Flow, ...]
    events: Events
    queues: tuple[int, ...] = ()
    known: bool = True
    sharing: tuple[tuple[Port, Events], ...] = ()


class _Words(NamedTuple):
    """What a lane shows of its scheduler.

    `value` is what each queue has a number of at a choice: a deficit, what is left of its turn or a
    start tag. `level` is what the priority of a queue is called.
    """

    note: str = ""
    value: str = ""
    level: str = ""


SCHEDULERS: dict[type, _Words] = {
    StrictPriority: _Words(
        "the queue with the lowest priority number sends first", level="priority"
    ),
    PriorityLevels: _Words("levels in order, guaranteed rates before the excess", level="level"),
    DeficitRoundRobin: _Words("each turn adds a quantum to a queue's deficit", "deficit"),
    ModifiedDrr: _Words("a queue sends while its deficit is above 0", "deficit"),
    WeightedRoundRobin: _Words(
        "in its turn a queue sends as many packets as its weight says", "turn", "priority"
    ),
    CakeTins: _Words("the highest tin that is due, or that which is due first", level="rank"),
    StartTimeFairQueueing: _Words(
        "the packet with the smallest start tag is sent next", "start tag"
    ),
    SchedulerTree: _Words(
        "strict priority, then guaranteed rates, then the excess", level="priority"
    ),
    HierarchicalTokenBucket: _Words(
        "own rates first, then the deepest node with rate to lend", "deficit", "prio"
    ),
}


def words_of(at: Port | Forwarder) -> _Words:
    scheduler = getattr(at, "scheduler", None)
    words = SCHEDULERS.get(type(scheduler), _Words())
    if getattr(scheduler, "fifo_levels", 0):
        return words._replace(note=f"{words.note}; equal priorities in order of arrival")
    return words


def causes_of(events: Events) -> list[str]:
    return sorted({str(cause) for cause in np.unique(events.cause)} - {""})


def queues_of(at: Port | Forwarder) -> tuple[Queue, ...]:
    return (at.queue,) if isinstance(at, Forwarder) else at.queues


def tree_of(at: Port | Forwarder) -> Outline | None:
    scheduler = getattr(at, "scheduler", None)
    if isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket):
        return outline(queues_of(at), scheduler.nodes)
    return None


def _in_order(at: Port | Forwarder) -> list[int]:
    """The queues as they are drawn: as their tree is written, or as the port lists them."""
    tree, queues = tree_of(at), range(len(queues_of(at)))
    return [i for i in tree.walk() if i in queues] if tree else list(queues)


def marks_of(lane: Lane) -> list[str]:
    """The marks that its policers give or its queues know, each once."""
    found: list[str] = []
    for queue in queues_of(lane.at):
        found += queue.policer.new_marks if queue.policer else ()
        profiles = getattr(queue.dropper, "profiles", ())
        found += [mark for mark, _ in (*profiles, *queue.limits)]
    return list(dict.fromkeys(found))


def described(lane: Lane) -> dict[str, Any]:
    """The lane without its columns."""
    at, queues = lane.at, queues_of(lane.at)
    place = {s.name: 0 if isinstance(at, Forwarder) else at.queue_of(s) for s in lane.streams}
    port_shaper = _meter(getattr(at, "shaper", None))
    robin = getattr(at, "scheduler", None)
    fast = robin.low_latency if isinstance(robin, ModifiedDrr) else ""
    return _link(lane) | {
        "title": lane.title,
        "note": _note(at) if lane.known else "",
        "value": words_of(at).value if lane.known else "",
        "level": words_of(at).level if lane.known else "",
        "low_latency": fast,
        "resets": not isinstance(robin, ModifiedDrr) or robin.reset_on_empty,
        "streams": [[stream.name, place[stream.name]] for stream in lane.streams],
        "causes": causes_of(lane.events),
        "marks": marks_of(lane),
        "shown": list(lane.queues or _in_order(at)),
        "queues": [
            _of_queue(queue, at)
            | {"port_shaper": port_shaper}
            | ({} if lane.known else {"limit": None, "dropper": "", "lines": []})
            for queue in queues
        ],
    }


def _link(lane: Lane) -> dict[str, float]:
    """How fast units leave, where a packet is ``extra + per_byte * bytes`` of them long."""
    at = lane.at
    if isinstance(at, Port):
        length = {"extra": at.overhead_bytes, "per_byte": 1.0}
        return length | {"speed": units.octets(at.rate_bps), "ring": at.transmit_ring_packets}
    mean = float(lane.events.frame_bytes.mean())
    speed = mean / (at.packet_s + at.byte_s * mean)
    return {"extra": at.packet_s * speed, "per_byte": at.byte_s * speed, "speed": speed, "ring": 0}


def _of_queue(queue: Queue, at: Port | Forwarder) -> dict[str, Any]:
    room = _room(queue.limit, queue, at)
    described: dict[str, Any] = {
        "name": queue.name,
        "limit": room,
        "priority": queue.priority,
        "quantum": queue.quantum_bytes,
        "weight": queue.weight,
        "policer": _policer(queue.policer),
        "shaper": _meter(queue.shaper),
        "lines": _lines(queue, room, at),
    }
    described |= _of_dropper(queue.dropper, room)
    if queue.pool and isinstance(at, Port):
        described["pool"] = [pool.name for pool in at.pools].index(queue.pool)
        described |= {"alpha": queue.alpha, "reserved": queue.reserved_bytes}
    if queue.limit.resume is not None:
        described["resume"] = queue.limit.resume
    if queue.marking is not None:
        values, counts = _thresholds(queue.marking, room)
        described["marking"] = {"thresholds": values, "counts": counts}
    if queue.pause is not None:
        described["pause"] = list(_pause(queue).values())
    return described


def _of_dropper(dropper: Dropper, room: dict[str, Any]) -> dict[str, Any]:
    at_head = isinstance(dropper, HeadDrop | Codel)
    at_head |= isinstance(dropper, DropProfile) and dropper.drop_at == "head"
    described: dict[str, Any] = {
        "drops": "head" if at_head else "tail",
        "dropper": type(dropper).__name__,
    }
    if isinstance(dropper, Red):
        thresholds, counts = _thresholds(dropper.profile, room)
        described |= {"thresholds": thresholds, "counts": counts}
    if isinstance(dropper, Codel | Pie):
        described["target_s"] = dropper.target_s
    if isinstance(dropper, Codel):
        described |= {"interval_s": dropper.interval_s, "ce_s": dropper.ce_threshold_s}
    return described


def _room(limit: Limit, queue: Queue, at: Port | Forwarder) -> dict[str, Any]:
    """How much a limit lets a queue hold, and in which unit."""
    match limit:
        case PacketLimit():
            return {"unit": "packets", "most": limit.packets}
        case ByteLimit():
            return {"unit": "bytes", "most": limit.limit_bytes}
        case TimeLimit():
            share = 1.0
            if limit.at != "line" and isinstance(at, Port):
                share = queue.guaranteed_bps / at.rate_bps
            most_s = limit.time_s * share
            return {"unit": "s", "most": most_s, "at": limit.at, "time_s": limit.time_s}


def _lines(queue: Queue, room: dict[str, Any], at: Port | Forwarder) -> list[list[Any]]:
    """Further lines of a queue besides its limit: [value, what it counts, name, whether a limit].

    A threshold or limit of a mark has that as its name, or the letter of the colour that the
    queue's policer gives it for.
    """
    policer, dropper, limit = queue.policer, queue.dropper, queue.limit
    letters = {}
    if policer is not None and policer.marks_colours:
        letters = dict(zip(reversed(policer.actions), "RYG", strict=True))
    found: list[list[Any]] = [
        [value, counts, letters.get(mark, mark), 0]
        for value, counts, mark in _drops_from(dropper, room)
    ]
    for mark, each in queue.limits:
        own = _room(each, queue, at)
        found.append([own["most"], own["unit"], letters.get(mark, mark), 1])
    if isinstance(limit, PacketLimit) and limit.limit_bytes is not None:
        found.append([limit.limit_bytes, "bytes", "", 1])
    if limit.resume is not None:
        found.append([limit.resume, room["unit"], "resume", 0])
    if queue.marking is not None:
        values, counts = _thresholds(queue.marking, room)
        found += [[value, counts, "CE", 0] for value in dict.fromkeys(values)]
    if isinstance(dropper, Codel) and dropper.ce_threshold_s is not None and _waits_by_length(at):
        found.append([dropper.ce_threshold_s, "s", "CE", 0])
    if queue.pause is not None:
        found += [[value, "bytes", name, 0] for name, value in _pause(queue).items()]
    return found


def _drops_from(dropper: Dropper, room: dict[str, Any]) -> Iterator[tuple[float, str, str]]:
    """Where RED or a drop profile begins to drop, and drops most: value, unit and mark."""
    if isinstance(dropper, Red):
        for mark, profile in (("", dropper.profile), *dropper.profiles):
            values, counts = _thresholds(profile, room)
            yield from ((value, counts, mark) for value in values)
    if isinstance(dropper, DropProfile):
        for mark, points in (("", dropper.points), *dropper.profiles):
            for fill in _ends(points, dropper.shape):
                yield fill * room["most"], room["unit"], mark


def _waits_by_length(at: Port | Forwarder) -> bool:
    """Whether what waits goes at the line rate, so that its length is its waiting time."""
    return len(queues_of(at)) == 1 and not (queues_of(at)[0].shaper or getattr(at, "shaper", None))


def _pause(queue: Queue) -> dict[str, int]:
    """Above which length a queue's senders stop, and at which they go on [B]."""
    pause, limit = queue.pause, queue.limit
    assert pause is not None
    assert isinstance(limit, ByteLimit)
    return {"xoff": limit.limit_bytes - pause.headroom_bytes, "xon": pause.resume_bytes}


def _ends(points: tuple[tuple[float, float], ...], shape: str) -> list[float]:
    """Where a drop profile begins to drop, if not at once, and from where on it drops most."""
    begins = next((fill for fill, probability in points if probability > 0), points[-1][0])
    if shape == "interpolated":
        begins = max((fill for fill, probability in points if not probability), default=0.0)
    most = max(probability for _, probability in points)
    return [fill for fill in (begins, min(f for f, p in points if p == most)) if fill]


def _thresholds(profile: Thresholds, room: dict[str, Any]) -> tuple[list[float], str]:
    """Where RED begins to drop and where it drops all, and in which unit."""
    match profile:
        case RedProfile(low, high):
            return [low, high], "packets"
        case ByteRedProfile(low, high):
            return [low, high], "bytes"
        case TimeRedProfile(low, high, rate_bps):
            return [units.octets(low * rate_bps), units.octets(high * rate_bps)], "bytes"
        case ShareRedProfile(low, high):
            return [low * room["most"], high * room["most"]], room["unit"]


def _meter(meter: Any) -> dict[str, float] | None:
    if meter is None:
        return None
    return {"rate_bps": meter.rate_bps, "burst_bytes": meter.burst_bytes}


def _policer(policer: Policer | None) -> dict[str, Any] | None:
    """A policer's buckets; what the committed one has no room for fills one without a rate."""
    if policer is None:
        return None
    meter: dict[str, Any] = {"rate_bps": policer.rate_bps, "burst_bytes": policer.burst_bytes}
    meter |= {"actions": policer.actions} if policer.marks_colours else {}
    second = policer.excess
    if second is not None:
        name = "peak" if isinstance(second, PeakRate) else "excess"
        rate_bps = getattr(second, "rate_bps", 0.0)
        excess = {"name": name, "rate_bps": rate_bps, "burst_bytes": second.burst_bytes}
        meter |= {"excess": excess}
    return meter


#: What is special about a lane of one queue, in one line.
_DROPPERS = {
    "TailDrop": "a full queue drops the newest packet",
    "HeadDrop": "a full queue drops the oldest packet",
    "Red": "drops at random as the average queue length grows",
    "DropProfile": "drops at random as the queue fills",
    "Codel": "drops at the head while packets wait too long",
    "Cobalt": "drops at the head of a flow while its packets wait too long",
    "DualPi2": "two queues: low delay for ECT(1), and one controller of both",
    "Pie": "drops at random so that the delay stays near a target",
}


def _note(at: Port | Forwarder) -> str:
    if isinstance(at, Forwarder):
        return "the engine takes one packet after the other"
    tree = tree_of(at)
    if tree is not None:
        shaped = [node for node in tree.nodes[::-1] if node.shaper]
        limits = [
            f"{node.name} at most {format_quantity('rate_bps', node.shaper.rate_bps)}"
            for node in shaped[:MOST_NODES]
            if node.shaper
        ]
        more = [f"{len(shaped) - MOST_NODES} more nodes shaped"] * (len(shaped) > MOST_NODES)
        return "; ".join([words_of(at).note, *limits, *more])
    if len(at.queues) > 1:
        return words_of(at).note
    queue = at.queues[0]
    if queue.alpha is not None:
        return "what it may hold moves with the memory that is free"
    if queue.policer and queue.policer.marks_colours:
        return "a meter gives each packet a colour on arrival"
    if queue.policer:
        return "packets without a token are dropped on arrival"
    if queue.shaper or at.shaper:
        return "packets wait for their tokens"
    return _DROPPERS[type(queue.dropper).__name__]
