"""Queues that keep flows apart: what each flow is sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.fluid.paths import ratio
from qoslib.fluid.record import anywhere
from qoslib.fluid.shared_memory import Line
from qoslib.fluid.sharing import fill
from qoslib.port import ByteLimit, FlowQueues, PacketLimit, Queue
from qoslib.tolerances import ROUNDING
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["Apart", "apart", "flow_notes", "own_packets", "shared_by_flow", "whole_limits"]

#: Halvings that find the share of a flow, to the last bit of a float.
HALVINGS = 60
#: From this chance that a flow shares its queue on, a note says so.
OFTEN = 0.1
#: From this part of its share on, a flow that loses nothing waits longer than said here.
HALF = 0.5

COLLIDE = (
    "Queue {!r} has {} queues for {} flows, so that {:.0f} % of them share theirs with another one,"
    " and get less. These rates leave that out: run the packet model."
)
FILLED = (
    "The flows of queue {!r} fill its whole limit, so that packets of all flows are dropped as they"
    " arrive. These rates leave that out: run the packet model."
)


NEAR = (
    "{} is offered more than half of what a flow of queue {!r} may send. It waits longer than said"
    " here: run the packet model."
)


@dataclass(frozen=True, eq=False)
class Apart:
    """The streams of one queue, each made of equal flows; arrays of shape (..., streams).

    `rows` are the parts of each stream; `demand_bps` and `sent_bps` are in bits on the line.
    """

    index: int
    queue: Queue
    flows: FlowQueues
    streams: list[Stream]
    rows: list[list[int]]
    count: Floats
    frame_bytes: Floats
    on_line: Floats
    demand_bps: Floats
    sent_bps: Floats
    turn_bytes: Floats

    @property
    def loses(self) -> NDArray[np.bool_]:
        """Which flows are offered more than they are sent: their queues do not empty."""
        return np.asarray(self.sent_bps < self.demand_bps * (1 - ROUNDING))

    @property
    def share_used(self) -> Floats:
        """What a flow is sent as a part of its share, which is what those that lose are sent."""
        rounds = self.sent_bps / (self.count * self.turn_bytes * self.on_line)
        most = np.where(self.loses, rounds, 0).max(-1, keepdims=True)
        used = np.divide(rounds, most, out=np.zeros_like(rounds), where=most > 0)
        return np.asarray(np.minimum(used, 1))


def apart(line: Line) -> Iterator[Apart]:
    """Each queue of a port that keeps flows apart and has streams, with what they are sent."""
    paths, entered_bps = line.paths, line.entered_bps * line.paths.on_line
    for index, queue in enumerate(line.port.queues):
        mine = np.flatnonzero(paths.member[:, index]).tolist()
        if queue.flows is None or not mine:
            continue
        owners = dict.fromkeys(int(line.parts.owner[row]) for row in mine)
        rows = [[row for row in mine if line.parts.owner[row] == owner] for owner in owners]
        first = [each[0] for each in rows]
        streams = [line.parts.streams[row] for row in first]
        count = np.array([stream.flows for stream in streams], dtype=float)
        demand = np.stack([entered_bps[..., each].sum(-1) for each in rows], axis=-1)
        capacity, on_line = line.served_bps[..., index], paths.on_line[first]
        sent, turn = _shares(queue.flows, streams, demand, capacity, count * on_line)
        full = line.put_in_bps[..., index] * (1 - ROUNDING) > capacity
        sent = np.where(full[..., None], sent, demand)
        frames = paths.frames[first]
        yield Apart(
            index, queue, queue.flows, streams, rows, count, frames, on_line, demand, sent, turn
        )


def _shares(
    flows: FlowQueues,
    streams: Sequence[Stream],
    demand_bps: Floats,
    capacity_bps: Floats,
    per_byte: Floats,
) -> tuple[Floats, Floats]:
    """What streams are sent of the rate of their queue, and what one flow of each may per round.

    `per_byte` is what a stream puts on the line for each byte that one of its flows sends.
    """
    if flows.isolation == "flows":
        turn = np.full(demand_bps.shape, float(flows.quantum_bytes))
        return fill(demand_bps, capacity_bps, turn * per_byte), turn
    low = np.zeros(capacity_bps.shape)
    high = (demand_bps / per_byte).max(-1)
    for _ in range(HALVINGS):
        level = (low + high) / 2
        sent, _turn = _at_level(flows, streams, demand_bps, per_byte, level)
        fits = sent.sum(-1) <= capacity_bps
        low, high = np.where(fits, level, low), np.where(fits, high, level)
    less, turn = _at_level(flows, streams, demand_bps, per_byte, low)
    more, _turn = _at_level(flows, streams, demand_bps, per_byte, high)
    left, jump = capacity_bps - less.sum(-1), (more - less).sum(-1)
    part = np.clip(np.divide(left, jump, out=np.zeros_like(left), where=jump > 0), 0, 1)
    return less + (more - less) * part[..., None], turn


def _at_level(
    flows: FlowQueues,
    streams: Sequence[Stream],
    demand_bps: Floats,
    per_byte: Floats,
    level: Floats,
) -> tuple[Floats, Floats]:
    """What streams are sent with so many rounds per second, and what a flow may per round.

    A flow that is offered less than its turns is not backlogged, and so does not count for its
    hosts; the turns of those that do are the longer.
    """
    senders, receivers = (_same_host(streams, of) for of in ("source", "destination"))
    count = np.array([stream.flows for stream in streams], dtype=float)
    backlogged = demand_bps > 0
    while True:
        from_host, to_host = (backlogged * count @ same for same in (senders, receivers))
        number = {"source": from_host, "destination": to_host}.get(
            flows.isolation, np.maximum(from_host, to_host)
        )
        turn = np.maximum(flows.quantum_bytes // np.maximum(number, 1), 1)
        most = turn * per_byte * level[..., None]
        still = backlogged & (demand_bps > most)
        if np.array_equal(still, backlogged):
            return np.where(backlogged, most, demand_bps), turn
        backlogged = still


def _same_host(streams: Sequence[Stream], of: str) -> Floats:
    """1 for two streams of one host, else 0; a stream that names none has one of its own."""
    hosts = [getattr(stream, of) or number for number, stream in enumerate(streams)]
    return np.array([[float(a == b) for a in hosts] for b in hosts], dtype=float)


def shared_by_flow(line: Line, sent_bps: Floats) -> Floats:
    """What each part of a stream sends, in bits of frames [bit/s], where queues keep flows apart.

    The rate of a queue is shared max-min fairly, in bytes of frames, by its flows; a stream of n
    flows has n equal ones. With isolation by hosts a flow's weight is 1 over the number of
    backlogged flows of its host, with ``"hosts"`` of that of its two hosts that has more. Each flow
    loses what it is offered beyond its share. Flows whose hashes collide are left out.
    """
    sent = sent_bps.copy()
    for one in apart(line):
        passed = ratio(one.sent_bps, one.demand_bps)
        for number, rows in enumerate(one.rows):
            sent[..., rows] = line.entered_bps[..., rows] * passed[..., number, None]
    return sent


def own_packets(one: Apart) -> Floats:
    """What the queue of one flow may hold by its own limit, or by that of all [packets]."""
    limits = [limit / size for size, limit in whole_limits(one)]
    own = one.flows.flow_limit
    if isinstance(own, PacketLimit):
        limits.append(np.full(one.frame_bytes.shape, float(own.packets)))
    elif own is not None:
        limits.append(own.limit_bytes / one.frame_bytes)
    most: Floats = np.min(limits, axis=0)
    return most


def whole_limits(one: Apart) -> Iterator[tuple[Floats, float]]:
    """What a packet of each stream takes of a limit of the whole queue, and that limit."""
    match one.queue.limit:
        case PacketLimit(packets, limit_bytes):
            yield np.ones_like(one.frame_bytes), float(packets)
            if limit_bytes is not None:
                yield one.frame_bytes, float(limit_bytes)
        case ByteLimit(limit_bytes):
            yield one.frame_bytes, float(limit_bytes)


def flow_notes(line: Line) -> Iterator[str]:
    """What is left out where queues keep flows apart."""
    for one in apart(line):
        number, queues = int(one.count.sum()), one.flows.queues
        often = one.flows.collision_probability(number)
        if one.flows.ways == 1 and often >= OFTEN and one.loses.any():
            yield COLLIDE.format(one.queue.name, queues, number, units.convert(often, "1", "%"))
        near = anywhere((one.share_used > HALF) & ~one.loses)
        yield from (
            NEAR.format(stream.name, one.queue.name)
            for stream, here in zip(one.streams, near, strict=True)
            if here
        )
        if one.flows.overflow == "arriving":
            wanted = np.where(one.loses, one.count * own_packets(one), 0)
            if any(
                ((wanted * size).sum(-1) > limit * (1 + ROUNDING)).any()
                for size, limit in whole_limits(one)
            ):
                yield FILLED.format(one.queue.name)
