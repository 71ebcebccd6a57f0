"""Numbers of Junos: rates, sizes, times and percentages, with k, m and g."""

import re
from decimal import Decimal
from typing import NamedTuple

from qoslib import units
from qoslib.config.junos.statements import shown
from qoslib.config.source import ConfigurationError

__all__ = ["Rate", "as_percent", "count", "percent", "rate_bps", "size_bytes", "temporal_s"]

_HUNDRED = Decimal(100)
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,24})?")
_NUMBER = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)([kmg]?)", re.IGNORECASE)
_TIMES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
#: No interface is faster, no memory larger, no queue longer.
_MOST_BPS, _MOST_BYTES, _MOST_S = 1e15, 1e12, 3600.0


class Rate(NamedTuple):
    """A rate as configured: of bits, as a share, or what others leave.

    Attributes
    ----------
    kind : str
        ``"rate"``, ``"share"`` or ``"remainder"``.
    value : float
        In bit/s, or from 0 to 1.
    line : int
        Where it stands.
    """

    kind: str
    value: float
    line: int

    def of_bps(self, whole_bps: float) -> float:
        """The rate itself, where the whole is so much [bit/s]."""
        return self.value if self.kind == "rate" else self.value * whole_bps


def _number(word: str, line: int, what: str, most: float, unit: str) -> float:
    match = _NUMBER.fullmatch(word)
    value = float(match[1]) * _TIMES[match[2].lower()] if match else -1.0
    if not 0 <= value <= most:
        allowed = f"a number up to {most:g} {unit}, with k, m or g for 10^3, 10^6, 10^9"
        raise ConfigurationError(f"{what} is {shown(word)}; allowed: {allowed}", line)
    return value


def rate_bps(word: str, line: int, what: str = "the rate") -> float:
    """A rate above 0: ``10m`` is 10 Mb/s.

    >>> rate_bps("1.5g", 1)
    1500000000.0
    """
    value = _number(word, line, what, _MOST_BPS, "bit/s")
    if not value:
        raise ConfigurationError(f"{what} is {shown(word)}; allowed: above 0", line)
    return value


def size_bytes(word: str, line: int, what: str = "the burst size") -> int:
    """A size above 0: ``2m`` is 2,000,000 B.

    >>> size_bytes("625k", 1)
    625000
    """
    value = int(_number(word, line, what, _MOST_BYTES, "B"))
    if not value:
        raise ConfigurationError(f"{what} is {shown(word)}; allowed: above 0", line)
    return value


def temporal_s(word: str, line: int) -> float:
    """The time of `buffer-size temporal`, in microseconds: ``5k`` is 5 ms.

    >>> temporal_s("5k", 1)
    0.005
    """
    what = "the temporal buffer size"
    value = units.us(_number(word, line, what, units.convert(_MOST_S, "s", "us"), "microseconds"))
    if not value:
        raise ConfigurationError(f"{what} is {shown(word)}; allowed: above 0", line)
    return value


def percent(word: str, line: int, what: str = "the percentage") -> float:
    """A percentage from 0 to 100, as a share.

    >>> percent("34", 1)
    0.34
    """
    value = Decimal(word) if _PERCENT.fullmatch(word) else Decimal(-1)
    if not 0 <= value <= _HUNDRED:
        raise ConfigurationError(f"{what} is {shown(word)}; allowed: 0 to 100", line)
    return float(value / _HUNDRED)


def as_percent(share: float) -> str:
    """A share as the percentage that gives it back.

    >>> as_percent(0.34), as_percent(1 / 3)
    ('34', '33.33333333333333')
    """
    text = f"{Decimal(repr(share)) * _HUNDRED:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(word: str, line: int, what: str, most: int) -> int:
    """A whole number from 0.

    >>> count("7", 1, "the queue", 15)
    7
    """
    value = int(word) if re.fullmatch(r"[0-9]{1,6}", word) else -1
    if not 0 <= value <= most:
        raise ConfigurationError(f"{what} is {shown(word)}; allowed: 0 to {most}", line)
    return value
