"""Queues, their droppers and token buckets as rows of the tables."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.kernels import codes
from qoslib.packets.kernels.clock import NEVER, PS_PER_S, interval_ps, picoseconds, split
from qoslib.packets.plan_marks import Kind
from qoslib.port import (
    AsymmetricEwma,
    ByteLimit,
    ByteRedProfile,
    Cobalt,
    Codel,
    DropProfile,
    DualPi2,
    Ewma,
    ExcessBurst,
    ExcessRate,
    HeadDrop,
    Instantaneous,
    MemoryPool,
    Node,
    PacketLimit,
    PeakRate,
    Pie,
    Policer,
    Queue,
    Red,
    RedProfile,
    Sampled,
    Shaper,
    ShareRedProfile,
    TailDrop,
    TimeLimit,
    TimeRedProfile,
    TruncatingEwma,
)
from qoslib.port.averaging import Averaging
from qoslib.port.metering import ACTIONS, ios_ring_packets
from qoslib.port.thresholds import Thresholds
from qoslib.record import fail
from qoslib.units import Floats, octets

__all__ = [
    "fill_colours",
    "fill_guarantee",
    "fill_pools",
    "fill_queue",
    "fill_shaper",
    "fill_thresholds",
    "limit_by_mark",
    "limit_of",
    "profile_points",
]

#: How many of its largest packets a queue may save up of its guaranteed rate.
CREDIT_PACKETS = 10


def fill_queue(
    row: np.void,
    queue: Queue,
    line_bps: float | None,
    mine: NDArray[np.void],
    ring: int,
    overdraws: bool = False,
) -> None:
    """One queue; `mine` are the rows of its packet classes, and set its number of slots.

    `ring` packets may be handed over before the line is free. Where a bucket `overdraws`, as HTB's
    do, its burst may be shorter than a packet.
    """
    whose = f"Queue {queue.name!r}"
    row["window_end_ps"] = row["timer_ps"] = NEVER
    row["pool"] = -1
    row["quantum"] = queue.quantum_bytes
    row["largest_bytes"] = mine["frame_bytes"].max(initial=1)
    row["reserved_bytes"] = queue.reserved_bytes
    row["dynamic"], row["threshold"] = queue.alpha is not None, queue.alpha or 0.0
    _check_bursts(queue, int(row["largest_bytes"]))
    _fill_limit(row, queue, line_bps, mine, ring)
    _fill_bounds(row, queue)
    _fill_policer(row, queue.policer, line_bps, ring)
    fill_shaper(row, queue.shaper, whose, 0 if overdraws else row["largest_bytes"])
    if queue.guaranteed_bps:
        fill_guarantee(row, queue, whose, int(mine["credit_ps"].max(initial=0)), overdraws)
    _fill_dropper(row, queue)
    row["acts_early"] = row["dropper"] != codes.BY_LIMIT or queue.marking is not None
    if queue.marking is not None:
        row["marks"] = 1
        row["mark_counted"] = _counted(queue.marking, queue)
        fill_thresholds(row, "mark", queue.marking, int(row["limit"]))


def _check_bursts(queue: Queue, largest_bytes: int) -> None:
    """Buckets of three colours hold the largest packet: it would never conform to a smaller one."""
    policer = queue.policer
    if policer is None or policer.excess is None:
        return
    least = largest_bytes + policer.overhead_bytes
    for name, burst_bytes in (
        ("policer burst_bytes", policer.burst_bytes),
        ("policer excess burst_bytes", policer.excess.burst_bytes),
    ):
        if burst_bytes < least:
            allowed = f"at least {least}: a larger packet never conforms"
            fail(f"Queue {queue.name!r} {name}", burst_bytes, allowed)


def _fill_limit(
    row: np.void, queue: Queue, line_bps: float | None, mine: NDArray[np.void], ring: int
) -> None:
    limit = queue.limit
    most = row["limit"] = limit_of(queue, line_bps)
    largest = mine["amount"].max(initial=1)
    if isinstance(limit, TimeLimit) and limit.at == "served":
        row["floor"] = row["limit"] = max(most, largest)
        row["window_ps"] = row["window_end_ps"] = picoseconds(limit.time_s)
        most = max(row["limit"], row["window_ps"] + (ring + 2) * largest)
    if row["limit"] < largest:
        where, room = f"Queue {queue.name!r} limit", "room for at least its largest frame"
        if isinstance(limit, ByteLimit):
            fail(f"{where}_bytes", limit.limit_bytes, room)
        fail(where, limit, room)
    for mark, own in queue.limits:
        if limit_by_mark(queue, mark, line_bps) < largest:
            where = f"Queue {queue.name!r} limit for {mark!r}"
            fail(where, own, "room for at least its largest frame")
    slots = int(most) // int(mine["amount"].min()) + 1 if len(mine) else 1
    row["mask"] = (1 << slots.bit_length()) - 1


def fill_pools(table: NDArray[np.void], pools: Sequence[MemoryPool]) -> None:
    """Size and resume threshold of memories that queues share."""
    table["limit_bytes"] = [pool.limit_bytes for pool in pools]
    table["resume_bytes"] = [
        -1 if pool.resume_bytes is None else pool.resume_bytes for pool in pools
    ]


def _fill_bounds(row: np.void, queue: Queue) -> None:
    """A limit in bytes besides one in packets, a resume threshold, limits by mark."""
    limit = queue.limit
    most_bytes = limit.limit_bytes if isinstance(limit, PacketLimit) else None
    row["limit_bytes"] = NEVER if most_bytes is None else most_bytes
    row["resume"] = -1 if limit.resume is None else limit.resume
    resume_bytes = limit.resume_bytes if isinstance(limit, PacketLimit) else None
    row["resume_bytes"] = NEVER if resume_bytes is None else resume_bytes
    row["bounded"] = most_bytes is not None or limit.resume is not None or bool(queue.limits)
    if row["limit_bytes"] < row["largest_bytes"]:
        fail(f"Queue {queue.name!r} limit", limit, "room for at least its largest frame")


def limit_by_mark(queue: Queue, mark: str, line_bps: float | None) -> int:
    """From where on packets with a mark find no room, as `limit_of`; beyond all if at the limit."""
    limit = dict(queue.limits).get(mark)
    return NEVER if limit is None else limit_of(queue.replace(limit=limit, limits=()), line_bps)


def limit_of(queue: Queue, line_bps: float | None) -> int:
    """What a queue may hold at first: packets, bytes of frames, or picoseconds of the line."""
    limit = queue.limit
    match limit:
        case PacketLimit(packets):
            return packets
        case ByteLimit(limit_bytes):
            return limit_bytes
        case TimeLimit(time_s, "line"):
            return picoseconds(time_s)
    if line_bps is None:
        fail(f"Queue {queue.name!r} limit", limit, "a time at the line rate in a forwarder")
    share = Fraction(queue.guaranteed_bps) / Fraction(line_bps)
    return int(picoseconds(limit.time_s) * share)


def _fill_policer(row: np.void, policer: Policer | None, line_bps: float | None, ring: int) -> None:
    if policer is not None:
        row["policed"] = codes.COLOURS if policer.marks_colours else codes.DROPS
        row["drains"] = policer.uncongested == "drains" or policer.when == "always"
        if policer.when == "congested":
            full = 1 if ring else ios_ring_packets(line_bps)
            row["congestion"] = policer.congestion_packets or full
            row["sees_drops"] = policer.congestion_packets is None
        row["police_burst_ps"] = split(interval_ps(policer.burst_bytes, policer.rate_bps))[0]
        _fill_excess(row, policer)


def _fill_excess(row: np.void, policer: Policer) -> None:
    match policer.excess:
        case None:
            row["meter"] = codes.ONE_BUCKET
            return
        case ExcessBurst(burst_bytes):
            row["meter"], rate_bps = codes.SINGLE_RATE, policer.rate_bps
        case PeakRate(rate_bps, burst_bytes):
            row["meter"] = codes.TWO_RATES
        case ExcessRate(rate_bps, burst_bytes):
            row["meter"] = codes.EXCESS_RATE
    row["excess_burst_ps"] = split(interval_ps(burst_bytes, rate_bps))[0]


def fill_colours(
    row: np.void, policer: Policer | None, number: int, kind: Kind, numbers: Mapping[Kind, int]
) -> None:
    """What a packet class becomes by its colour: itself, one with another mark, or -1, dropped."""
    if policer is None or not policer.marks_colours:
        return
    came = dict(policer.colours).get(kind.mark, codes.COLOUR_NAMES[0])
    row["colour"] = codes.COLOUR_NAMES.index(came)
    for name, action in zip(ACTIONS, policer.actions, strict=True):
        # What is made by this policer is not looked at by it again, and has no class to become.
        new = numbers.get(kind._replace(mark=action), number)
        row[name] = {"pass": number, "drop": -1}.get(action, new)


def fill_shaper(row: np.void, shaper: Shaper | None, whose: str, largest_bytes: int) -> None:
    """The shaper of a queue or a port."""
    if shaper is not None:
        if shaper.burst_bytes < largest_bytes:
            fail(f"{whose} shaper burst_bytes", shaper.burst_bytes, f"at least {largest_bytes}")
        row["shaped"] = 1
        row["shape_burst_ps"] = split(interval_ps(shaper.burst_bytes, shaper.rate_bps))[0]


def fill_guarantee(
    row: np.void, each: Queue | Node, whose: str, longest_ps: int, overdraws: bool
) -> None:
    """What a queue or node saves up of its guaranteed rate; its largest packet takes so long."""
    row["guaranteed"] = 1
    burst_ps = Fraction(CREDIT_PACKETS * (longest_ps + 1))
    if each.guaranteed_burst_bytes:
        burst_ps = interval_ps(each.guaranteed_burst_bytes, each.guaranteed_bps)
        if burst_ps < longest_ps and not overdraws:
            allowed = "room for at least its largest packet on the line"
            fail(f"{whose} guaranteed_burst_bytes", each.guaranteed_burst_bytes, allowed)
    row["credit_burst_ps"] = split(burst_ps)[0]


def _fill_dropper(row: np.void, queue: Queue) -> None:
    dropper = queue.dropper
    row["drops_head"], row["ecn"] = dropper.drops_head, getattr(dropper, "ecn", False)
    match dropper:
        case TailDrop() | HeadDrop():
            row["dropper"] = codes.BY_LIMIT
        case Red(averaging=averaging):
            row["dropper"], row["counted"] = codes.BY_RED, _counted(dropper.profile, queue)
            _fill_averaging(row, averaging)
        case DropProfile():
            row["dropper"] = codes.BY_PROFILE
        case Codel() as codel:
            row["dropper"] = codes.BY_CODEL
            row["target_ps"] = picoseconds(codel.target_s)
            row["interval_ps"] = picoseconds(codel.interval_s)
            split(Fraction(16 * int(row["interval_ps"])))
            threshold_s = codel.ce_threshold_s
            row["ce_ps"] = NEVER if threshold_s is None else picoseconds(threshold_s)
        case DualPi2() as dual:
            row["dropper"], row["ecn"] = codes.BY_DUAL, True
            row["target_ps"] = picoseconds(dual.target_s)
            row["update_ps"] = max(picoseconds(dual.update_s), 1)
            row["alpha"], row["beta"] = dual.alpha_hz / PS_PER_S, dual.beta_hz / PS_PER_S
        case Cobalt() as cobalt:
            row["dropper"], row["ecn"] = codes.BY_COBALT, True
            row["target_ps"] = picoseconds(cobalt.target_s)
            row["interval_ps"] = picoseconds(cobalt.interval_s)
            row["packet_ps"] = picoseconds(cobalt.packet_s)
        case Pie() as pie:
            row["dropper"] = codes.BY_PIE
            _fill_pie(row, pie)
        case _:
            known = "TailDrop, HeadDrop, Red, DropProfile, Codel, Pie"
            fail(f"Queue {queue.name!r} dropper", dropper, f"{known} in the packet model")


def _counted(thresholds: Thresholds, queue: Queue) -> int:
    """In what thresholds count a queue; shares of a limit in what the limit counts."""
    match thresholds, queue.limit:
        case (RedProfile(), _) | (ShareRedProfile(), PacketLimit()):
            return codes.PACKETS
        case (ShareRedProfile(), TimeLimit()):
            return codes.LINE_PS
    return codes.BYTES


def fill_thresholds(row: np.void, name: str, thresholds: Thresholds, limit: int) -> None:
    """Thresholds of RED or of marking, in what they count."""
    match thresholds:
        case RedProfile(low, high) | ByteRedProfile(low, high):
            pass
        case TimeRedProfile(low, high, rate_bps):
            low, high = octets(low * rate_bps), octets(high * rate_bps)
        case ShareRedProfile(low, high):
            low, high = low * limit, high * limit
    row[f"{name}_minimum"], row[f"{name}_maximum"] = low, high
    row[f"{name}_probability"] = thresholds.maximum_probability


def _fill_averaging(row: np.void, averaging: Averaging) -> None:
    row["exponent"] = getattr(averaging, "exponent", 0)
    row["weight"] = 2.0 ** -int(row["exponent"])
    match averaging:
        case Instantaneous():
            row["averaging"] = codes.INSTANTANEOUS
        case Ewma():
            row["averaging"] = codes.EWMA
        case TruncatingEwma():
            row["averaging"], row["counts_ring"] = codes.TRUNCATING, averaging.counts_ring
        case AsymmetricEwma():
            row["averaging"] = codes.ASYMMETRIC
            _fill_period(row, averaging)
        case Sampled():
            row["averaging"], row["jitter"] = codes.SAMPLED, averaging.jitter
            row["high"], row["low"] = averaging.high_packets, averaging.low_packets
            _fill_period(row, averaging, least_ps=1)


def _fill_period(row: np.void, averaging: AsymmetricEwma | Sampled, least_ps: int = 0) -> None:
    release = averaging.release_packets
    row["release"] = -1 if release is None else release
    row["period_ps"] = max(picoseconds(averaging.period_s), least_ps)
    if row["period_ps"]:
        row["timer_ps"] = row["period_ps"]


def _fill_pie(row: np.void, pie: Pie) -> None:
    row["target_ps"] = picoseconds(pie.target_s)
    row["update_ps"] = row["timer_ps"] = max(picoseconds(pie.update_s), 1)
    row["burst_ps"] = row["burst_left_ps"] = picoseconds(pie.burst_s)
    row["alpha"], row["beta"] = pie.alpha_hz / PS_PER_S, pie.beta_hz / PS_PER_S


def profile_points(
    classes: NDArray[np.void],
    kinds: Sequence[Kind],
    rows: NDArray[np.void],
    queues: Sequence[Queue],
) -> Floats:
    """Fill level and probability of all drop profiles, and where each packet class's begin."""
    points: list[tuple[float, float]] = []
    places: dict[tuple[int, tuple[tuple[float, float], ...]], int] = {}
    for each, kind in zip(classes, kinds, strict=True):
        dropper = queues[kind.queue].dropper
        if isinstance(dropper, DropProfile):
            rows[kind.queue]["interpolated"] = dropper.shape == "interpolated"
            mine = dict(dropper.profiles).get(kind.mark, dropper.points)
            if (kind.queue, mine) not in places:
                places[kind.queue, mine] = len(points)
                points.extend(mine)
            each["first_point"], each["points"] = places[kind.queue, mine], len(mine)
    return np.array(points, dtype=np.float64).reshape(-1, 2)
