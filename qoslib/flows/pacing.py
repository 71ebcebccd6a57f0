"""Pacing: packets spread over time by the sender, and what rate really comes out."""

from typing import Literal

from qoslib import units
from qoslib.record import AtLeastOne, Positive, Record, checked, record

__all__ = ["FqPacing", "HtbPacing", "Pacing", "actual_rate_bps", "burst_bytes"]

#: Ethernet, IPv4, and TCP with timestamps: one set a burst, as segmentation comes after pacing.
HEADERS_BYTES = 14 + 20 + 32
_CELL_BYTES = 8
_CELLS = 256


class Pacing(Record, family=True):
    """Base of all ways of pacing, each at a rate."""

    rate_bps: Positive


@record
class FqPacing(Pacing):
    """Each flow paced on its own, exactly: Linux's fq.

    Parameters
    ----------
    rate_bps : float
        Of each flow's bursts as `burst_bytes` counts them [bit/s].
    """

    rate_bps: Positive


@record
class HtbPacing(Pacing):
    """One class of Linux's htb for the whole host.

    Parameters
    ----------
    rate_bps : float
        Of the host's bursts as `burst_bytes` counts them, as configured [bit/s].
    table : {'nominal', 'legacy'}
        Whether bursts take their exact time, or what the rate table of `tc` before 2025 said
        under kernels before 3.8: cells of 8 bytes, each in whole microseconds, rounded down.
    """

    rate_bps: Positive
    table: Literal["nominal", "legacy"] = "nominal"


def burst_bytes(segment_bytes: int, segments: int = 1) -> int:
    """Size of a burst of segments [B], as a queueing discipline counts it: one set of headers.

    Parameters
    ----------
    segment_bytes : int
        Payload of a segment [B].
    segments : int
        Segments of the burst.

    Returns
    -------
    int
        Size [B].

    Raises
    ------
    ValueError
        If one of them is no whole number, or below 1.

    Examples
    --------
    >>> burst_bytes(1448, 10)
    14546
    """
    checked(AtLeastOne, segment_bytes, "segment_bytes")
    checked(AtLeastOne, segments, "segments")
    return segment_bytes * segments + HEADERS_BYTES


def _cell_us(cell: int, rate_bps: float) -> int:
    seconds = units.bits(_CELL_BYTES * (cell + 1)) / rate_bps
    return int(units.convert(seconds, "s", "us"))


def actual_rate_bps(pacing: Pacing | None, segment_bytes: int, segments: int = 1) -> float | None:
    """The rate that bursts of so many segments really leave at [bit/s]; None where unpaced.

    Parameters
    ----------
    pacing : FqPacing, HtbPacing or None
    segment_bytes : int
        Payload of a segment [B].
    segments : int
        Segments of a burst, which a queueing discipline takes as one packet.

    Returns
    -------
    float or None
        Rate of the bursts, as `burst_bytes` counts them [bit/s].

    Raises
    ------
    ValueError
        If the pacing is none of these.

    Notes
    -----
    A table entry i is the time of ``8 (i + 1)`` bytes in whole microseconds; a packet of n bytes
    takes that of slot ``(n - 1) // 8``, and of the last one once for each 256 slots before it. A
    table without a whole microsecond lets everything pass: the rate is then infinite.

    Examples
    --------
    >>> round(actual_rate_bps(HtbPacing(6e9, "legacy"), 8948, 7) / 1e9, 2)
    8.22
    """
    pacing = checked(Pacing | None, pacing, "pacing")
    segment_bytes = checked(AtLeastOne, segment_bytes, "segment_bytes")
    segments = checked(AtLeastOne, segments, "segments")
    if not isinstance(pacing, HtbPacing) or pacing.table == "nominal":
        return pacing.rate_bps if pacing else None
    size_bytes = burst_bytes(segment_bytes, segments)
    rows, cell = divmod((size_bytes - 1) // _CELL_BYTES, _CELLS)
    last_us, cell_us = (_cell_us(i, pacing.rate_bps) for i in (_CELLS - 1, cell))
    taken_s = units.us(float(last_us * rows + cell_us))
    return units.bits(size_bytes) / taken_s if taken_s else float("inf")
