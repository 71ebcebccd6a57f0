"""HTB where single packets decide who borrows: no closed form knows them, so they are counted.

A class that its ceil stops loses its turn: the next class may send its whole quantum before the
first is asked again, however soon its tokens are back. And a class that gets all it wants does not
always wait: meanwhile the node above it lends to others, of a lower priority too, and for its own
next packets the class borrows further up. So where either can happen, a short run of the packet
engine with packets of mean size and Poisson arrivals counts what each class sends. Streams without
any jitter may never be stopped.

A queue that holds less than its quantum may run empty during its turn. How often it does depends on
its whole load, so that is not counted, but noted.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.fluid.delay import buffer_bytes
from qoslib.fluid.trees import sums
from qoslib.port import HierarchicalTokenBucket, Port, Queue
from qoslib.port.nodes import Outline, outline
from qoslib.tolerances import ROUNDING
from qoslib.traffic import Poisson, Stream
from qoslib.units import Floats

__all__ = ["Counted", "in_turns"]

#: So many rounds of turns are counted, in a run of so many packets of the line.
ROUNDS = 40
PACKETS = (20_000, 60_000)
#: The first part of a run is left out, and the rest has two halves to be compared.
WARM_UP_SHARE = 0.25
#: From which part of the line on two rates differ, and two halves of a run are not settled.
DIFFERENT, UNSETTLED = 0.01, 0.03
#: A class is offered at most this multiple of its ceil or the line: then its queue stays full.
ENOUGH = 1.25
#: A class that drops nothing and sends this part of what comes keeps up: in the end it sends all.
ALL = 0.97

STOPPED = "a ceil stops a class during its turn"
LEFT = (
    "a class that does not always wait leaves its node's rate to another class, and borrows"
    " further up"
)
COUNTED = (
    "HTB: {}. This has no closed form. The rates are counted over {:,} packets of mean size with"
    " Poisson arrivals."
)
NOT_SETTLED = (
    "HTB: in the two halves of this count a class sends at rates that differ by {:.0f} % of the"
    " line rate, so the rates are not settled: run the packet model for longer."
)
NOT_COUNTED = "HTB: it can happen that {}. The rates here leave that out: run the packet model."

SHORT = (
    "HTB: queue {!r} holds less than its quantum. Where it runs empty during its turn it sends less"
    " than said here, and others send more: run the packet model."
)


class Counted(NamedTuple):
    """What each queue sends, in bits on the line [bit/s], shape (..., queues); and what to note."""

    rate_bps: Floats
    notes: tuple[str, ...]


def in_turns(
    port: Port, demand_bps: Floats, packet_bytes: Floats, closed_bps: Floats, capacity_bps: Floats
) -> Counted:
    """Correct the closed form of `qoslib.fluid.trees.lent` where single packets decide.

    References
    ----------
    Linux, net/sched/sch_htb.c: htb_dequeue_tree, htb_deactivate_prios.
    """
    if not isinstance(port.scheduler, HierarchicalTokenBucket):
        return Counted(closed_bps, ())
    tree, rate_bps, notes = outline(port.queues, port.scheduler.nodes), closed_bps.copy(), []
    ceils_bps = _ceils_bps(port, tree)
    packets = np.broadcast_to(packet_bytes, (*demand_bps.shape, 2))
    capacities = np.minimum(
        np.broadcast_to(capacity_bps, demand_bps.shape[:-1]), _most_bps(port, tree)
    )
    for at in np.ndindex(demand_bps.shape[:-1]):
        capacity, closed = float(capacities[at]), closed_bps[at]
        causes = {
            STOPPED: _may_stop(port, demand_bps[at], closed, ceils_bps, capacity),
            LEFT: _may_leave(port, tree, demand_bps[at], closed),
        }
        if not any(causes.values()):
            short = _may_run_empty(port, demand_bps[at], closed, packets[at])
            notes += [SHORT.format(port.queue_names[i]) for i in np.flatnonzero(short)]
            continue
        why = ", and ".join(cause for cause, may in causes.items() if may)
        most_bps = np.minimum(demand_bps[at], ENOUGH * np.minimum(ceils_bps, capacity))
        length = _length(port, demand_bps[at], packets[at], closed, capacity)
        try:
            halves, keeps_up = _halves(
                port, tuple(most_bps), tuple(packets[at][:, 0]), length, capacity
            )
        except ValueError:
            notes.append(NOT_COUNTED.format(why))
            continue
        # A class that keeps up sends what it is offered, whatever came in this run.
        mean_bps = np.minimum(np.mean(halves, axis=0), demand_bps[at])
        found = np.where(keeps_up, demand_bps[at], mean_bps)
        apart = float(np.ptp(halves, axis=0).max()) / capacity
        if np.abs(found - closed).max() > DIFFERENT * capacity:
            rate_bps[at] = found
            notes.append(COUNTED.format(why, length))
            if apart > UNSETTLED:
                notes.append(NOT_SETTLED.format(units.convert(apart, "1", "%")))
    return Counted(rate_bps, tuple(dict.fromkeys(notes)))


def _ceils_bps(port: Port, tree: Outline) -> Floats:
    """The least ceil of each queue and the nodes above it, without the root's [bit/s]."""
    each, ceils = tree.each(port.queues), []
    for queue in range(len(port.queues)):
        least, number = inf, queue
        while tree.parents[number] >= 0:
            shaper = each[number].shaper
            least = min(least, shaper.rate_bps if shaper else inf)
            number = tree.parents[number]
        ceils.append(least)
    return np.array(ceils, dtype=float)


def _most_bps(port: Port, tree: Outline) -> float:
    """What a port's shaper and the root's ceil let through together [bit/s]."""
    shapers = (port.shaper, tree.nodes[-1].shaper)
    return min((shaper.rate_bps for shaper in shapers if shaper), default=inf)


def _may_stop(
    port: Port, demand: Floats, closed: Floats, ceils_bps: Floats, capacity: float
) -> bool:
    """Whether a class that borrows has a ceil, and another wants to borrow and gets too little."""
    own = np.array([queue.guaranteed_bps for queue in port.queues], dtype=float) * (1 + ROUNDING)
    unmet = demand > closed * (1 + ROUNDING)
    wants, borrows = demand > own, closed > own
    held = borrows & (ceils_bps < capacity * (1 - ROUNDING))
    return bool(held.any() and unmet.any() and wants.sum() > 1)


def _may_leave(port: Port, tree: Outline, demand: Floats, closed: Floats) -> bool:
    """Whether a class borrows all that it wants, and another below the same node does not.

    It matters only if the node lends all it has, and is not the root: nobody borrows further up.
    """
    own = np.array([queue.guaranteed_bps for queue in port.queues], dtype=float) * (1 + ROUNDING)
    unmet = demand > closed * (1 + ROUNDING)
    satisfied = (closed > own) & ~unmet
    rates_bps = np.array([each.guaranteed_bps for each in tree.each(port.queues)], dtype=float)
    lends_all = sums(tree, closed) >= rates_bps * (1 - ROUNDING)
    one = sums(tree, np.where(satisfied, demand, 0.0)) > 0
    another = sums(tree, np.where(unmet, demand, 0.0)) > 0
    return bool((lends_all & one & another)[:-1].any())


def _may_run_empty(
    port: Port, demand: Floats, closed: Floats, packets: Floats
) -> NDArray[np.bool_]:
    """Which classes borrow all they can but hold less than their quantum, while another borrows."""
    own = np.array([queue.guaranteed_bps for queue in port.queues], dtype=float) * (1 + ROUNDING)
    unmet = demand > closed * (1 + ROUNDING)
    room_bytes = [
        buffer_bytes(queue, port.rate_bps, sent_bps, packet_bytes)
        for queue, sent_bps, packet_bytes in zip(port.queues, closed, packets, strict=True)
    ]
    on_line = packets[:, 1] / packets[:, 0]
    quantum_bytes = (
        np.array([queue.quantum_bytes for queue in port.queues], dtype=np.int64) * on_line
    )
    short: NDArray[np.bool_] = np.array(room_bytes, dtype=float) < quantum_bytes
    short &= unmet & (closed > own) & ((demand > own).sum() > 1)
    return short


def _length(port: Port, demand: Floats, packets: Floats, closed: Floats, capacity: float) -> int:
    """How many packets of the mean size are counted: of enough rounds of those that borrow."""
    own = np.array([queue.guaranteed_bps for queue in port.queues], dtype=float)
    quanta = (
        np.array([queue.quantum_bytes for queue in port.queues], dtype=np.int64) / packets[:, 0]
    )
    lent_share = np.maximum(closed - own, 0).sum() / capacity
    wanted = ROUNDS * quanta[demand > own].sum() / max(lent_share, ROUNDING)
    return int(np.clip(wanted, *PACKETS))


@lru_cache(maxsize=1024)
def _halves(
    port: Port,
    demand_bps: Sequence[float],
    packet_bytes: Sequence[float],
    length: int,
    capacity_bps: float,
) -> tuple[Floats, NDArray[np.bool_]]:
    """What each queue sends in both halves of a run [bit/s], (2, queues); which of them keep up."""
    from qoslib.packets import simulate  # compiled engines load when they are needed

    streams, kept = [], []
    for i, (queue, rate_bps, size) in enumerate(
        zip(port.queues, demand_bps, packet_bytes, strict=True)
    ):
        if rate_bps > 0:
            bytes_each = max(round(size), 1)
            on_line = bytes_each + port.overhead_bytes
            frames_bps = rate_bps * bytes_each / on_line
            streams.append(Stream(queue.name, frames_bps, bytes_each, Poisson()))
            kept.append((i, on_line / bytes_each))
    bare = Port(
        port.name,
        port.rate_bps,
        tuple(_bare(queue) for queue in port.queues),
        port.scheduler,
        port.overhead_bytes,
        shaper=port.shaper,
    )
    mean_bytes = float(np.mean([stream.mean_frame_bytes for stream in streams]))
    duration_s = length * units.serialisation_s(mean_bytes, capacity_bps)
    warmup_s = WARM_UP_SHARE * duration_s
    run = simulate(bare, streams, duration_s, warmup_s=warmup_s, bins=2, progress=_silent)
    if run.interrupted:
        raise KeyboardInterrupt
    assert run.history is not None
    halves, keeps_up = np.zeros((2, len(port.queues))), np.ones(len(port.queues), bool)
    for (i, on_line), stream, sent in zip(kept, streams, run.history.sent_packets, strict=True):
        sent_pps = sent / np.diff(run.history.time_s)
        halves[:, i] = units.rate_bps(sent_pps, stream.mean_frame_bytes) * on_line
    # A long queue is still filling when the run ends: it drops nothing, but falls behind.
    falls_behind = (run.dropped_pps > 0) | (run.sent_pps < ALL * run.offered_pps)
    keeps_up[[i for i, _ in kept]] = ~falls_behind
    return halves, keeps_up


def _bare(queue: Queue) -> Queue:
    """A queue without what drops, marks or polices before its limit."""
    return Queue(
        queue.name,
        queue.limit,
        shaper=queue.shaper,
        priority=queue.priority,
        guaranteed_bps=queue.guaranteed_bps,
        quantum_bytes=queue.quantum_bytes,
        guaranteed_burst_bytes=queue.guaranteed_burst_bytes,
    )


def _silent(done_s: float, total_s: float) -> None:
    """No bar."""
