"""Numbers as tc reads and writes them: rates, sizes and times with tc's own suffixes."""

import math
import re

from qoslib import units
from qoslib.config.source import ConfigurationError

__all__ = ["count", "rate_bps", "rate_word", "size_bytes", "time_s", "time_word"]

_NUMBER = re.compile(r"(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(e[+-]?\d{1,3})?", re.IGNORECASE)
#: Suffix of a rate, without regard to case -> the unit that it is in (lib/utils_math.c).
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_BINARY = {"ki": 2.0**10, "mi": 2.0**20, "gi": 2.0**30, "ti": 2.0**40}
_RATES = {"": 1.0, **{f"{p}bit": size for p, size in (_PREFIXES | _BINARY).items() if p}}
_RATES |= {"bit": 1.0}
_RATES |= {f"{p}bps": units.bits(size) for p, size in (_PREFIXES | _BINARY).items()}
#: Suffix of a size: k, m and g are powers of two, and so are kbit and its like.
_SIZES = {"": 1.0, "b": 1.0}
for _prefix, _size in (("k", 2.0**10), ("m", 2.0**20), ("g", 2.0**30)):
    _SIZES |= {_prefix: _size, f"{_prefix}b": _size, f"{_prefix}bit": units.octets(_size)}
#: Suffix of a time -> its unit; a bare number is in microseconds.
_TIMES = {p + e: p + "s" for p in ("", "m", "u", "n") for e in ("s", "sec", "secs")}
#: How many digits behind the point a second has in a unit.
_DIGITS = {"us": 6, "ns": 9}
_DECIMAL = 10
_MOST = {"rate": 2.0**64, "size": 2.0**32, "time": 2.0**32}


def _parts(text: str, what: str, line: int) -> tuple[float, str]:
    found = _NUMBER.match(text)
    if not found:
        raise ConfigurationError(f"{text[:40]!r} is no {what}", line)
    return float(found[0]), text[found.end() :].lower()


def _known(text: str, what: str, line: int, suffixes: dict[str, float]) -> float:
    number, suffix = _parts(text, what, line)
    if suffix not in suffixes:
        allowed = ", ".join(filter(None, suffixes))
        raise ConfigurationError(
            f"{text[:40]!r} is no {what}; its suffix is one of {allowed}", line
        )
    return number * suffixes[suffix]


def rate_bps(text: str, line: int) -> float:
    """A rate: tc keeps whole bytes per second, so that 9 bit/s become 8.

    >>> rate_bps("10mbit", 1), rate_bps("10mbps", 1), rate_bps("1Mibit", 1), rate_bps("9", 1)
    (10000000.0, 80000000.0, 1048576.0, 8.0)
    """
    whole_bytes = units.octets(_known(text, "rate", line, _RATES))
    if whole_bytes >= _MOST["rate"]:
        raise ConfigurationError(f"the rate {text[:40]!r} is more than tc can hold", line)
    return float(units.bits(math.floor(whole_bytes)))


def size_bytes(text: str, line: int) -> int:
    """A size: k and kb are 1,024 bytes, kbit 128.

    >>> size_bytes("15k", 1), size_bytes("1600b", 1), size_bytes("8kbit", 1)
    (15360, 1600, 1024)
    """
    size = _known(text, "size", line, _SIZES)
    if size >= _MOST["size"]:
        raise ConfigurationError(f"the size {text[:40]!r} is more than tc can hold", line)
    return math.floor(size)


def time_s(text: str, line: int, bare: str = "us") -> float:
    """A time: a bare number is in microseconds (of netem in nanoseconds), and none is cut finer.

    >>> time_s("5ms", 1), time_s("250", 1)
    (0.005, 0.00025)
    """
    number, suffix = _parts(text, "time", line)
    unit = _TIMES.get(suffix, bare if not suffix else "")
    if not unit or (unit == "ns" and bare != "ns"):
        raise ConfigurationError(f"{text[:40]!r} is no time; write s, ms or us", line)
    if units.convert(number, unit, "us") >= _MOST["time"]:
        raise ConfigurationError(f"the time {text[:40]!r} is more than tc can hold", line)
    whole = math.floor(round(units.convert(number, unit, bare), 6))
    return float(f"{whole}e-{_DIGITS[bare]}")


def count(text: str, line: int, base: int = 10) -> int:
    """A whole number without a unit; ``tc`` shows one of packets as ``1000p``.

    >>> count("1000p", 1), count("0x1f", 1), count("1f", 1, base=16)
    (1000, 31, 31)
    """
    digits = text.lower().removesuffix("p")
    kind = "whole number" if base == _DECIMAL else "number in hexadecimal digits"
    problem = f"{text[:40]!r} is no {kind}"
    if not re.fullmatch(r"0x[0-9a-f]{1,8}|[0-9a-f]{1,10}", digits, re.ASCII):
        raise ConfigurationError(problem, line)
    try:
        number = int(digits, 16 if digits.startswith("0x") else base)
    except ValueError:
        raise ConfigurationError(problem, line) from None
    if number >= 2**32:
        raise ConfigurationError(f"the number {text[:40]!r} is more than tc can hold", line)
    return number


def rate_word(given_bps: float) -> str:
    """A rate as tc writes it; it holds whole bytes per second.

    >>> rate_word(10e6), rate_word(1.5e6), rate_word(64_008)
    ('10mbit', '1500kbit', '64008bit')
    """
    whole = units.bits(max(math.floor(units.octets(given_bps)), 1))
    for suffix in ("g", "m", "k"):
        if whole % int(_PREFIXES[suffix]) == 0:
            return f"{whole // int(_PREFIXES[suffix])}{suffix}bit"
    return f"{whole}bit"


def time_word(given_s: float) -> str:
    """A time as tc writes it, in whole microseconds.

    >>> time_word(5e-3), time_word(1e-6)
    ('5ms', '1us')
    """
    whole = max(round(units.convert(given_s, "s", "us")), 0)
    shorter, rest = divmod(whole, 1000)
    return f"{whole}us" if rest else f"{shorter}ms"
