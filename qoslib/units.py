"""Conversion of units: bits to bytes, Gb/s to bit/s, and back.

Inside qoslib everything is in seconds, bytes, bit/s and packets/s. Published tables and
people use other units; they are converted here, on the way in and on the way out.
"""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NoReturn, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "UNITS",
    "bits",
    "convert",
    "gbps",
    "kbps",
    "mbps",
    "megabytes",
    "ms",
    "octets",
    "rate_bps",
    "rate_pps",
    "serialisation_s",
    "symbol",
    "us",
]

BITS_PER_BYTE = 8

#: An array of numbers of whatever shape its documentation says.
Floats: TypeAlias = NDArray[np.float64]
Array: TypeAlias = float | Floats
Numbers = TypeVar("Numbers", float, Floats)
Exact = TypeVar("Exact", float, Floats, Fraction)

#: Unit name -> (what it measures, its size in the base unit of that kind).
UNITS: Mapping[str, tuple[str, float]] = MappingProxyType(
    {
        "1": ("ratio", 1.0),
        "%": ("ratio", 1e-2),
        "ppm": ("ratio", 1e-6),
        "s": ("time", 1.0),
        "ms": ("time", 1e-3),
        "us": ("time", 1e-6),
        "ns": ("time", 1e-9),
        "min": ("time", 60.0),
        "B": ("data", 1.0),
        "kB": ("data", 1e3),
        "MB": ("data", 1e6),
        "GB": ("data", 1e9),
        "KiB": ("data", 2.0**10),
        "MiB": ("data", 2.0**20),
        "bit": ("data", 1 / BITS_PER_BYTE),
        "bit/s": ("data rate", 1.0),
        "kbit/s": ("data rate", 1e3),
        "Mbit/s": ("data rate", 1e6),
        "Gbit/s": ("data rate", 1e9),
        "packets": ("packets", 1.0),
        "kpackets": ("packets", 1e3),
        "packets/s": ("packet rate", 1.0),
        "kpackets/s": ("packet rate", 1e3),
        "Mpackets/s": ("packet rate", 1e6),
    }
)


NUMBERS = "a number or an array of numbers"
#: What Python repeats where a number would be multiplied.
REPEATED = (str, bytes, list, tuple)


def _refuse(name: str, value: object, allowed: str) -> NoReturn:
    raise ValueError(f"{name} is {value!r}; allowed: {allowed}") from None


def _times(value: Numbers, factor: float) -> Numbers:
    try:
        return value * factor
    except TypeError:
        _refuse("value", value, NUMBERS)


def _least(value: Array) -> float:
    return float(value.min(initial=np.inf)) if isinstance(value, np.ndarray) else value


def convert(value: Numbers, unit: str, to: str) -> Numbers:
    """Convert a value from one unit to another of the same kind.

    Parameters
    ----------
    value : float or ndarray
        The number, in `unit`.
    unit, to : str
        Names from `UNITS`.

    Returns
    -------
    float or ndarray
        The number, in `to`.

    Raises
    ------
    ValueError
        If a unit is unknown, or the two measure different things.

    Examples
    --------
    >>> round(float(convert(2.5, "Gbit/s", "Mbit/s")), 6)
    2500.0
    """
    for name in (unit, to):
        if not isinstance(name, str) or name not in UNITS:
            raise ValueError(f"unknown unit {name!r}; allowed: {', '.join(UNITS)}")
    (kind, size), (to_kind, to_size) = UNITS[unit], UNITS[to]
    if kind != to_kind:
        raise ValueError(f"{unit!r} measures {kind}, {to!r} measures {to_kind}")
    return _times(value, size / to_size)


def gbps(value: Numbers) -> Numbers:
    """Gb/s to bit/s.

    Parameters
    ----------
    value : float or ndarray
        A number of Gb/s.

    Returns
    -------
    float or ndarray
        The same in [bit/s].

    Examples
    --------
    >>> gbps(2.5)
    2500000000.0
    """
    return _times(value, 1e9)


def mbps(value: Numbers) -> Numbers:
    """Mb/s to bit/s.

    Parameters
    ----------
    value : float or ndarray
        A number of Mb/s.

    Returns
    -------
    float or ndarray
        The same in [bit/s].

    Examples
    --------
    >>> mbps(100)
    100000000.0
    """
    return _times(value, 1e6)


def kbps(value: Numbers) -> Numbers:
    """kb/s to bit/s.

    Parameters
    ----------
    value : float or ndarray
        A number of kb/s.

    Returns
    -------
    float or ndarray
        The same in [bit/s].

    Examples
    --------
    >>> kbps(64)
    64000.0
    """
    return _times(value, 1e3)


def megabytes(value: Numbers) -> Numbers:
    """MB to bytes.

    Parameters
    ----------
    value : float or ndarray
        A number of MB.

    Returns
    -------
    float or ndarray
        The same in bytes [B].

    Examples
    --------
    >>> megabytes(0.5)
    500000.0
    """
    return _times(value, 1e6)


def ms(value: Numbers) -> Numbers:
    """Milliseconds to seconds.

    Parameters
    ----------
    value : float or ndarray
        A number of ms.

    Returns
    -------
    float or ndarray
        The same in seconds [s].

    Examples
    --------
    >>> ms(20)
    0.02
    """
    return _times(value, 1e-3)


def symbol(unit: str) -> str:
    """Return a unit as people read it; names keep to ASCII.

    Parameters
    ----------
    unit : str
        A name from `UNITS`.

    Returns
    -------
    str
        The same, with a micro sign.

    Examples
    --------
    >>> symbol("us"), symbol("packets/s")
    ('µs', 'packets/s')
    """
    return "µs" if unit == "us" else unit


def us(value: Numbers) -> Numbers:
    """Microseconds to seconds.

    Parameters
    ----------
    value : float or ndarray
        A number of µs.

    Returns
    -------
    float or ndarray
        The same in seconds [s].

    Examples
    --------
    >>> us(250)
    0.00025
    """
    return _times(value, 1e-6)


def bits(size_bytes: Exact) -> Exact:
    """Bytes to bits.

    Parameters
    ----------
    size_bytes : float, ndarray or Fraction
        A number of bytes [B].

    Returns
    -------
    float, ndarray or Fraction
        The same in bits.

    Examples
    --------
    >>> bits(1500)
    12000
    """
    if isinstance(size_bytes, REPEATED):
        _refuse("value", size_bytes, NUMBERS)
    try:
        return size_bytes * BITS_PER_BYTE
    except TypeError:
        _refuse("value", size_bytes, NUMBERS)


def octets(size_bits: Numbers) -> Numbers:
    """Bits to bytes.

    Parameters
    ----------
    size_bits : float or ndarray
        A number of bits.

    Returns
    -------
    float or ndarray
        The same in bytes [B].

    Examples
    --------
    >>> octets(12_000)
    1500.0
    """
    try:
        return size_bits / BITS_PER_BYTE
    except TypeError:
        _refuse("value", size_bits, NUMBERS)


@overload
def serialisation_s(frame_bytes: float, line_bps: float, overhead_bytes: float = 0.0) -> float: ...
@overload
def serialisation_s(
    frame_bytes: Floats, line_bps: Array, overhead_bytes: Array = 0.0
) -> Floats: ...
@overload
def serialisation_s(
    frame_bytes: float, line_bps: Floats, overhead_bytes: Array = 0.0
) -> Floats: ...
def serialisation_s(frame_bytes: Array, line_bps: Array, overhead_bytes: Array = 0.0) -> Array:
    """Time a frame occupies the line [s]: ``8 (frame + overhead) / rate``.

    Parameters
    ----------
    frame_bytes, overhead_bytes : float or ndarray
        Frame, and what the line adds to each (preamble, gap, flags) [B].
    line_bps : float or ndarray
        Line rate [bit/s].

    Returns
    -------
    float or ndarray
        Time [s], in the shape that the arguments broadcast to.

    Raises
    ------
    ValueError
        If a frame is below 0 bytes, or a rate is 0 or less.

    Examples
    --------
    >>> round(float(serialisation_s(64, 10e9, overhead_bytes=20) * 1e9), 1)  # ns
    67.2
    """
    try:
        on_line_bytes = frame_bytes + overhead_bytes
        if _least(on_line_bytes) < 0:
            _refuse("frame_bytes + overhead_bytes", on_line_bytes, "0 or more")
        if _least(line_bps) <= 0:
            _refuse("line_bps", line_bps, "above 0")
        return BITS_PER_BYTE * on_line_bytes / line_bps
    except TypeError:
        given = (frame_bytes, line_bps, overhead_bytes)
        _refuse("(frame_bytes, line_bps, overhead_bytes)", given, NUMBERS)


@overload
def rate_pps(rate_bps: float, frame_bytes: float) -> float: ...
@overload
def rate_pps(rate_bps: Floats, frame_bytes: Array) -> Floats: ...
@overload
def rate_pps(rate_bps: float, frame_bytes: Floats) -> Floats: ...
def rate_pps(rate_bps: Array, frame_bytes: Array) -> Array:
    """Packets per second of a stream of frames: ``rate / (8 frame)``.

    Parameters
    ----------
    rate_bps : float or ndarray
        Rate of the frames' own bits [bit/s].
    frame_bytes : float or ndarray
        Frame size [B].

    Returns
    -------
    float or ndarray
        Packet rate [packets/s], in the shape that the arguments broadcast to.

    Raises
    ------
    ValueError
        If the frame has 0 bytes.

    Examples
    --------
    >>> rate_pps(100e6, 1250)
    10000.0
    """
    try:
        return rate_bps / (BITS_PER_BYTE * frame_bytes)
    except ZeroDivisionError:
        _refuse("frame_bytes", frame_bytes, "above 0")
    except TypeError:
        _refuse("(rate_bps, frame_bytes)", (rate_bps, frame_bytes), NUMBERS)


@overload
def rate_bps(rate_pps: float, frame_bytes: float) -> float: ...
@overload
def rate_bps(rate_pps: Floats, frame_bytes: Array) -> Floats: ...
@overload
def rate_bps(rate_pps: float, frame_bytes: Floats) -> Floats: ...
def rate_bps(rate_pps: Array, frame_bytes: Array) -> Array:
    """Bits per second of a stream of frames: ``8 rate frame``.

    Parameters
    ----------
    rate_pps : float or ndarray
        Packet rate [packets/s].
    frame_bytes : float or ndarray
        Frame size [B].

    Returns
    -------
    float or ndarray
        Rate of the frames' own bits [bit/s], in the shape that the arguments broadcast to.

    Examples
    --------
    >>> rate_bps(10_000.0, 1250)
    100000000.0
    """
    if isinstance(rate_pps, REPEATED):
        _refuse("rate_pps", rate_pps, NUMBERS)
    try:
        return rate_pps * BITS_PER_BYTE * frame_bytes
    except TypeError:
        _refuse("(rate_pps, frame_bytes)", (rate_pps, frame_bytes), NUMBERS)
