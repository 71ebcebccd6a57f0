"""From the rates of streams and queues to the record of a fluid model."""

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.fluid.colours import Parts
from qoslib.fluid.delay import buffer_bytes
from qoslib.fluid.paths import Paths
from qoslib.fluid.shared_memory import Line
from qoslib.port import Cobalt, Codel, Dropper, DropProfile, Port, Red
from qoslib.results import Result
from qoslib.units import Floats

__all__ = ["anywhere", "causes_of", "recorded"]

#: Why a stream has no latency.
HELD_DOWN = "a RED dropper holds this queue down: how long it is then, the fluid model does not say"
NOT_TOLD = (
    "CoDel and the limit both drop from a flow that does not slow down: how long its queue is then,"
    " the fluid model does not say"
)


def anywhere(each: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether it holds with any of the loads, shape (queues,) or (streams,)."""
    return np.asarray(each.any(axis=tuple(range(each.ndim - 1))))


def causes_of(
    line: Line, policed_bps: Floats, overflow_bps: Floats, room: Floats
) -> dict[str, Floats]:
    parts, paths = line.parts, line.paths
    names, frames = _cause_by_queue(line, room), _frames(parts, paths)
    causes = {}
    for name in np.unique(names).tolist():
        mine = paths.of_queue((names == name).astype(float))
        causes[name] = units.rate_pps(parts.total(np.maximum(overflow_bps * mine, 0)), frames)
    if any(queue.policer for queue in line.port.queues):
        causes["policer"] = units.rate_pps(np.maximum(policed_bps, 0), frames)
    return causes


def _frames(parts: Parts, paths: Paths) -> Floats:
    """Mean frame of each whole stream [B]."""
    first = [parts.owner.tolist().index(owner) for owner in range(len(parts.names))]
    frames: Floats = paths.frames[first]
    return frames


def _cause_by_queue(line: Line, room: Floats) -> NDArray[np.str_]:
    """For what a queue drops: its dropper, or its pool where that leaves it less than its limit."""
    names = np.empty(line.put_in_bps.shape, "<U7")
    for i, queue in enumerate(line.port.queues):
        served, packet = line.served_bps[..., i], line.packet_bytes[..., i, :]
        own = buffer_bytes(queue, line.port.rate_bps, served, packet)
        names[..., i] = np.where(room[..., i] < own, "pool", _cause(queue.dropper))
    return names


def _cause(dropper: Dropper) -> str:
    if isinstance(dropper, DropProfile):
        return "profile"
    if isinstance(dropper, Red):
        return "red"
    if isinstance(dropper, Codel | Cobalt):
        return "codel"
    return "head" if dropper.drops_head else "tail"


def recorded(
    port: Port,
    parts: Parts,
    paths: Paths,
    offered: Floats,
    each_sent: Floats,
    each_s: Floats,
    causes: dict[str, Floats],
    notes: tuple[str, ...],
    remarked: bool,
) -> Result:
    sent, frames = parts.total(each_sent), _frames(parts, paths)
    dropped = np.maximum(offered - sent, 0)
    latency_s = np.where(sent > 0, _mean_s(parts, each_sent, each_s, sent), np.nan)
    by_mark = parts.by_mark(each_sent) if remarked else {}
    silent = anywhere((sent > 0) & np.isnan(latency_s))
    return Result(
        model="fluid",
        streams=parts.names,
        queues=port.queue_names,
        offered_pps=units.rate_pps(offered, frames),
        sent_pps=units.rate_pps(sent, frames),
        dropped_pps=units.rate_pps(dropped, frames),
        offered_bps=offered,
        sent_bps=sent,
        dropped_bps=dropped,
        delay_mean_s=latency_s,
        delay_min_s=latency_s,
        delay_max_s=latency_s,
        dropped_by_pps=causes,
        sent_by_mark_pps={mark: units.rate_pps(bps, frames) for mark, bps in by_mark.items()},
        without_delay={
            name: _why(port, parts, paths, owner)
            for owner, name in enumerate(parts.names)
            if silent[owner]
        },
        notes=notes,
    )


def _why(port: Port, parts: Parts, paths: Paths, owner: int) -> str:
    """Why a stream has no delay: what drops from one of its queues."""
    queues = paths.member[parts.owner == owner].any(axis=0)
    droppers = [queue.dropper for queue, here in zip(port.queues, queues, strict=True) if here]
    return NOT_TOLD if any(isinstance(each, Codel | Cobalt) for each in droppers) else HELD_DOWN


def _mean_s(parts: Parts, sent: Floats, each_s: Floats, total: Floats) -> Floats:
    """The mean delay of each whole stream, over what is sent of its parts [s]."""
    if len(parts.streams) == len(parts.names):
        return each_s
    some = np.where(total > 0, total, 1.0)
    mean_s: Floats = parts.total(np.where(sent > 0, each_s * sent, 0.0)) / some
    return mean_s
