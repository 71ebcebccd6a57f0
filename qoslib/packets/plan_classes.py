"""Packet classes as tables: what a packet of a stream, size, mark and queue costs."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.kernels import codes, tables
from qoslib.packets.kernels.clock import HORIZON_PS, PS_PER_S, interval_ps, numbers_of, split
from qoslib.packets.plan_marks import Kind
from qoslib.packets.plan_queues import fill_colours, fill_thresholds, limit_by_mark, limit_of
from qoslib.packets.plan_streams import sizes_of
from qoslib.port import (
    ByteLimit,
    ExcessBurst,
    Forwarder,
    HierarchicalTokenBucket,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    TimeLimit,
)
from qoslib.record import fail
from qoslib.traffic import Stream

__all__ = ["class_rows", "is_tree", "lends"]

#: The largest frame, a jumbogram (RFC 2675) with room for headers [B].
LARGEST_BYTES = 1 << 33


def is_tree(where: Port | Forwarder) -> bool:
    """Whether its scheduler is a tree, which has a loop of its own."""
    return type(getattr(where, "scheduler", None)) in codes.TREES


def lends(where: Port | Forwarder) -> bool:
    """Whether its scheduler is HTB, whose ceils count bits on the line as its rates do."""
    return isinstance(getattr(where, "scheduler", None), HierarchicalTokenBucket)


def class_rows(
    where: Port | Forwarder,
    streams: Sequence[Stream],
    rows: NDArray[np.void],
    kinds: Sequence[Kind],
) -> NDArray[np.void]:
    """The packet classes of a port or forwarder; each stream's row learns which are its own."""
    table = np.zeros(len(kinds), tables.CLASS)
    numbers = {kind: number for number, kind in enumerate(kinds)}
    for number, kind in reversed(list(enumerate(kinds))):
        if kind.place == 0:
            rows[kind.stream]["first_class"], rows[kind.stream]["queue"] = number, kind.queue
    for i, stream in enumerate(streams):
        with numbers_of(f"Stream {stream.name!r} at {where.name!r}"):
            _fill_pause(rows[i], where, stream)
        rows[i]["packet_class"] = rows[i]["first_class"]
        rows[i]["classes"] = len(sizes_of(stream))
    for number, (row, kind) in enumerate(zip(table, kinds, strict=True)):
        stream = streams[kind.stream]
        with numbers_of(f"Stream {stream.name!r} at {where.name!r}"):
            _fill_kind(row, where, stream, kind)
        row["base"] = rows[kind.stream]["first_class"] + kind.place
        queue = where.queue if isinstance(where, Forwarder) else where.queues[kind.queue]
        fill_colours(row, queue.policer, number, kind, numbers)
    return table


def _fill_kind(row: np.void, where: Port | Forwarder, stream: Stream, kind: Kind) -> None:
    sizes = sizes_of(stream)
    frame_bytes = sizes[kind.place][0]
    if frame_bytes > LARGEST_BYTES:
        fail(f"Stream {stream.name!r} frame_bytes", frame_bytes, f"up to {LARGEST_BYTES}")
    row["stream"], row["queue"], row["frame_bytes"] = kind.stream, kind.queue, frame_bytes
    share_below = 0.0
    for _, share in sizes[: kind.place + 1]:
        share_below += share
    row["share_below"] = share_below
    _fill_class(row, where, stream, frame_bytes, kind.mark)


def _fill_class(
    row: np.void, where: Port | Forwarder, stream: Stream, frame_bytes: int, mark: str
) -> None:
    if stream.access_bps:
        row["access_ps"] = split(interval_ps(frame_bytes, stream.access_bps))[0]
    if isinstance(where, Forwarder):
        queue, on_line_bytes = where.queue, Fraction(frame_bytes)
        cost_s = Fraction(where.packet_s) + Fraction(where.byte_s) * frame_bytes
        row["service_ps"], row["service_fraction"] = split(cost_s * PS_PER_S)
    else:
        queue = where.queues[int(row["queue"])]
        on_line_bytes = Fraction(frame_bytes) + Fraction(where.overhead_bytes)
        _put(row, "service", on_line_bytes, where.rate_bps)
        if where.shaper:
            _put(row, "port_shape", frame_bytes, where.shaper.rate_bps)
        if queue.guaranteed_bps:
            _put(row, "credit", on_line_bytes, queue.guaranteed_bps)
        if not is_tree(where):
            _fill_turn(row, where.queues, queue)
    row["amount"] = _amount(queue.limit, row)
    line_bps = None if isinstance(where, Forwarder) else where.rate_bps
    row["limit"] = limit_by_mark(queue, mark, line_bps)
    if queue.policer:
        counted_bytes = frame_bytes + queue.policer.overhead_bytes
        _put(row, "police", counted_bytes, queue.policer.rate_bps)
        if (excess_bps := _excess_bps(queue.policer)) is not None:
            _put(row, "excess", counted_bytes, excess_bps)
    if queue.shaper:
        shaped_bytes = on_line_bytes if lends(where) else frame_bytes
        _put(row, "shape", shaped_bytes, queue.shaper.rate_bps)
    if isinstance(queue.dropper, Red):
        profile = dict(reversed(queue.dropper.profiles)).get(mark, queue.dropper.profile)
        fill_thresholds(row, "red", profile, limit_of(queue, line_bps))


def _fill_turn(row: np.void, queues: Sequence[Queue], queue: Queue) -> None:
    heaviest = max(q.weight for q in queues)
    least = int(row["service_ps"]) * heaviest / HORIZON_PS
    if 0 < queue.weight <= least:
        allowed = f"above {least:g} next to {heaviest:g}, or 0"
        fail(f"Queue {queue.name!r} weight", queue.weight, allowed)
    turn_ps = row["service_ps"] * heaviest / queue.weight if queue.weight else row["service_ps"]
    row["turn_ps"] = max(int(turn_ps), 1)


def _excess_bps(policer: Policer) -> float | None:
    """At which rate the second bucket fills; what is left of a single rate, at that."""
    if policer.excess is None:
        return None
    return policer.rate_bps if isinstance(policer.excess, ExcessBurst) else policer.excess.rate_bps


def _put(row: np.void, name: str, size_bytes: float | Fraction, rate_bps: float) -> None:
    row[f"{name}_ps"], row[f"{name}_fraction"] = split(interval_ps(size_bytes, rate_bps))


def _amount(limit: PacketLimit | ByteLimit | TimeLimit, row: np.void) -> int:
    if isinstance(limit, PacketLimit):
        return 1
    return int(row["frame_bytes"] if isinstance(limit, ByteLimit) else max(row["service_ps"], 1))


def _fill_pause(row: np.void, where: Port | Forwarder, stream: Stream) -> None:
    if where.pause is not None:
        rate_bps = stream.access_bps or getattr(where, "rate_bps", None)
        if rate_bps is None:
            fail(f"Stream {stream.name!r} access_bps", None, "a rate, for PAUSE to a forwarder")
        pause_s = Fraction(512 * where.pause.quanta) / Fraction(rate_bps)
        row["pause_ps"] = max(split(pause_s * PS_PER_S)[0], 1)
