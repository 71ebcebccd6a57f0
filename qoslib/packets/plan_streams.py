"""Streams as rows of the tables."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.packets.kernels import codes, tables
from qoslib.packets.kernels.clock import HORIZON_PS, NEVER, PS_PER_S, numbers_of, picoseconds, split
from qoslib.packets.kernels.draws import key
from qoslib.record import ECN_WORDS, fail
from qoslib.traffic import (
    Cbr,
    FrameMix,
    OnOff,
    Poisson,
    Repeated,
    Stream,
    TickedBursts,
    Trace,
)

__all__ = ["carried", "recorded", "sizes_of", "stream_rows"]

#: An exponential draw of 53 bits is below 37 means; so many must fit four horizons.
_LONGEST_DRAW = 40
#: On-periods that may pass without a packet, so that a run can be stopped within a second.
_MOST_PERIODS = 1000


def sizes_of(stream: Stream) -> list[tuple[int, float]]:
    """Frame sizes [B] and their shares, one packet class each."""
    if isinstance(stream.arrivals, Trace):
        sizes = sorted(set(stream.arrivals.frames_bytes)) or [1]
        return [(size, 1.0) for size in sizes]
    if isinstance(stream.frame_bytes, FrameMix):
        return list(zip(stream.frame_bytes.sizes_bytes, stream.frame_bytes.shares, strict=True))
    return [(stream.frame_bytes, 1.0)]


def carried(stream: Stream) -> Stream:
    """The stream as a later hop sees it: its packets come from the hop before."""
    sizes, shares = zip(*sizes_of(stream), strict=True)
    even = tuple(1 / len(sizes) for _ in sizes) if isinstance(stream.arrivals, Trace) else shares
    kept = ("mark", "ecn", "flows", "flow_s", "source", "destination")
    same = {name: getattr(stream, name) for name in kept}
    return Stream(stream.name, 0.0, FrameMix(sizes, even), **same)


def recorded(stream: Stream, first_class: int) -> NDArray[np.void] | None:
    """The arrivals of a `Trace`, or of one period of a `Repeated`, as a feed; else None."""
    if isinstance(stream.arrivals, Repeated) and stream.rate_bps:
        return _pattern(stream, stream.arrivals.shares)
    if isinstance(stream.arrivals, Trace):
        return _trace(stream, stream.arrivals, first_class)
    return None


def _pattern(stream: Stream, shares: Sequence[float]) -> NDArray[np.void]:
    period_ps = _gap_ps(stream) * len(shares)
    feed = np.zeros(len(shares), tables.FEED)
    feed["arrival_ps"] = [round(Fraction(share) * period_ps) for share in shares]
    return feed


def _trace(stream: Stream, trace: Trace, first_class: int) -> NDArray[np.void]:
    start_ps = picoseconds(stream.start_s)
    classes = {size: first_class + i for i, (size, _) in enumerate(sizes_of(stream))}
    times_ps = [picoseconds(time_s) for time_s in trace.times_s]
    late = sum(time_ps >= start_ps for time_ps in times_ps)
    feed = np.zeros(late, tables.FEED)
    feed["arrival_ps"] = times_ps[len(times_ps) - late :]
    feed["packet_class"] = [classes[n] for n in trace.frames_bytes[len(times_ps) - late :]]
    feed["tag"] = -1
    return feed


def stream_rows(streams: Sequence[Stream], seed: int, owners: Iterable[int]) -> NDArray[np.void]:
    """The table of streams, filled up with silent ones to a power of two.

    `owners` are the numbers that tell the streams' draws apart.
    """
    rows = np.zeros(1 << max(len(streams) - 1, 0).bit_length(), tables.STREAM)
    rows["next_ps"] = rows["due_ps"] = NEVER
    rows["tag"] = -1
    for row, stream, owner in zip(rows, streams, owners, strict=False):
        with numbers_of(f"Stream {stream.name!r}"):
            _fill(row, stream)
        row["key"] = key(seed, 0, owner)
    for field in ("source", "destination"):
        _number_hosts(rows, streams, field)
    return rows


def _number_hosts(rows: NDArray[np.void], streams: Sequence[Stream], field: str) -> None:
    """Number the hosts of streams; those without a name are each stream's own."""
    names: dict[str, int] = {}
    for number, (row, stream) in enumerate(zip(rows, streams, strict=False)):
        name = getattr(stream, field) or f"of stream {number}"
        row[field] = names.setdefault(name, len(names))


def _fill(row: np.void, stream: Stream) -> None:
    row["ecn"] = ECN_WORDS.index(stream.ecn)
    row["stop_ps"] = NEVER if stream.stop_s is None else picoseconds(stream.stop_s)
    row["jitter_ps"] = picoseconds(stream.jitter_s)
    row["flows"] = stream.flows
    row["flow_ps"] = 0 if stream.flow_s is None else max(picoseconds(stream.flow_s), stream.flows)
    row["clock_ps"] = picoseconds(stream.start_s)
    if isinstance(stream.arrivals, Trace):
        row["kind"] = codes.FED
    elif stream.rate_bps > 0:
        _fill_arrivals(row, stream, _gap_ps(stream))


def _gap_ps(stream: Stream) -> Fraction:
    rate_bps = Fraction(stream.rate_bps) * (1 + Fraction(stream.clock_ppm) / 10**6)
    mean_bytes = Fraction(stream.mean_frame_bytes)
    return units.bits(mean_bytes) * PS_PER_S / rate_bps


def _fill_arrivals(row: np.void, stream: Stream, gap_ps: Fraction) -> None:
    match stream.arrivals:
        case Cbr(phase_s):
            row["kind"] = codes.CBR
            row["clock_ps"] += picoseconds(phase_s)
        case Poisson():
            row["kind"] = codes.POISSON
            row["mean_gap_ps"] = _drawn(stream, gap_ps)
        case TickedBursts(tick_s, phase_s):
            row["kind"] = codes.TICKED
            row["tick_ps"] = max(picoseconds(tick_s), 1)
            row["tick_at_ps"] = row["clock_ps"] + picoseconds(phase_s)
        case OnOff() as on_off:
            cycle_s = Fraction(on_off.on_s) + Fraction(on_off.off_s)
            if gap_ps > _MOST_PERIODS * cycle_s * PS_PER_S:
                where = f"Stream {stream.name!r} rate_bps"
                fail(where, stream.rate_bps, f"a packet in {_MOST_PERIODS} on-periods or fewer")
            split(gap_ps)
            gap_ps *= Fraction(on_off.on_s) / cycle_s
            _fill_on_off(row, stream, on_off)
        case Repeated(shares):
            row["kind"] = codes.REPEATED
            gap_ps *= len(shares)
    row["gap_ps"], row["gap_fraction"] = split(gap_ps)


def _drawn(stream: Stream, mean_ps: Fraction) -> float:
    longest_ps = 4 * HORIZON_PS // _LONGEST_DRAW
    if mean_ps >= longest_ps:
        below = f"below {longest_ps // PS_PER_S} s"
        fail(f"Stream {stream.name!r} mean time", float(mean_ps) / PS_PER_S, below)
    return float(mean_ps)


def _fill_on_off(row: np.void, stream: Stream, on_off: OnOff) -> None:
    """On-time starts at the phase; the first on-period has its mean length."""
    row["kind"] = codes.ON_OFF
    row["random_periods"] = on_off.periods == "exponential"
    row["on_ps"] = _drawn(stream, Fraction(on_off.on_s) * PS_PER_S)
    row["off_ps"] = _drawn(stream, Fraction(on_off.off_s) * PS_PER_S)
    first_ps = max(picoseconds(on_off.on_s), 1)
    if not row["random_periods"]:
        row["on_ps"], row["off_ps"] = first_ps, picoseconds(on_off.off_s)
    row["clock_ps"] += picoseconds(on_off.phase_s)
    row["on_end_ps"] = row["clock_ps"] + first_ps
