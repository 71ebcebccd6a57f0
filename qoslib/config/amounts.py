"""Amounts as people write and read them: ``6 Mb/s``, ``20 ms``, ``1,562,500 B``."""

import re
from decimal import Decimal

from qoslib import units
from qoslib.record import fail

__all__ = [
    "NO_COMMA",
    "parse_amount",
    "rate_text",
    "share_text",
    "size_text",
    "time_text",
    "value_text",
]

#: Unit -> how people write it, without regard to case.
_WORDS = {
    "bit/s": ("bit/s", "b/s", "bps"),
    "kbit/s": ("kbit/s", "kb/s", "kbps", "kbit", "kb", "k"),
    "Mbit/s": ("mbit/s", "mb/s", "mbps", "mbit", "mb", "m"),
    "Gbit/s": ("gbit/s", "gb/s", "gbps", "gbit", "gb", "g"),
    "s": ("s", "sec", "second", "seconds"),
    "ms": ("ms",),
    "us": ("us", "µs"),
    "B": ("b", "byte", "bytes"),
    "kB": ("kb", "kbytes", "k"),
    "MB": ("mb", "mbytes", "m"),
    "GB": ("gb", "gbytes", "g"),
    "packets": ("packets", "packet", "pkt"),
}
_NUMBER = re.compile(r"(\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\D*)", re.IGNORECASE)
#: A comma is the decimal sign of some readers, and separates the thousands of others.
NO_COMMA = (
    "numbers without a comma: a point is the decimal sign (25.5), and thousands are written"
    " without a separator (1500)"
)
#: A rate in bytes, by its large B.
_OCTETS = re.compile(r"\d\s*[kKmMgG]?B(/s|ps)?\b")
#: From such a value on an amount is shown in the unit, the largest first.
_RATES = ("Gbit/s", "Mbit/s", "kbit/s", "bit/s")
_TIMES = ("s", "ms", "us")
#: Two digits make 100 of it [%].
_NEARLY_ALL = 99.5


def parse_amount(text: str, unit: str) -> float:
    """A number with or without a unit, in a base unit.

    >>> parse_amount("6 Mb/s", "bit/s"), parse_amount("20 ms", "s"), parse_amount("2 MB", "B")
    (6000000.0, 0.02, 2000000.0)
    """
    kind, _ = units.UNITS[unit]
    if unit == "bit/s" and _OCTETS.search(text):
        fail("amount", text, "bits per second: with a small b, as in 6 Mb/s")
    found = _NUMBER.fullmatch(text.strip())
    if "," in text:
        fail("amount", text, NO_COMMA)
    if found:
        number = float(found[1].replace("_", ""))
        word = found[2].strip().lower()
        if not word:
            return number
        for name, words in _WORDS.items():
            if word in words and units.UNITS[name][0] == kind:
                return float(units.convert(number, name, unit))
    allowed = [words[0] for name, words in _WORDS.items() if units.UNITS[name][0] == kind]
    fail("amount", text, f"a number and a unit: {', '.join(allowed)}")


#: A rate below this is none: a bit takes a quarter of an hour [bit/s].
_NO_RATE_BPS = 1e-3


def _shown(value: float, base: str, names: tuple[str, ...]) -> str:
    for name in names:
        number = float(units.convert(value, base, name))
        # 999.6 of a unit are 1 of the next larger one.
        if abs(float(f"{number:.3g}")) >= 1 or name == names[-1]:
            return f"{_digits(number)} {units.symbol(name).replace('bit/s', 'b/s')}"
    raise AssertionError("the last name is always taken")


def _digits(number: float, digits: int = 3) -> str:
    """A number with so many digits, or all of its whole ones; never with an exponent."""
    if abs(number) >= 10**digits:
        return f"{number:,.0f}"
    return f"{Decimal(f'{number:.{digits}g}'):,f}"


def rate_text(rate_bps: float) -> str:
    """A rate to read; a weight that the models take for nothing is 0.

    >>> rate_text(3_488_000), rate_text(87_200), rate_text(999_900), rate_text(4e-6)
    ('3.49 Mb/s', '87.2 kb/s', '1 Mb/s', '0')
    """
    return _shown(rate_bps, "bit/s", _RATES) if abs(rate_bps) >= _NO_RATE_BPS else "0"


def time_text(time_s: float) -> str:
    """A time to read.

    >>> time_text(0.0154)
    '15.4 ms'
    """
    return _shown(time_s, "s", _TIMES) if time_s else "0 ms"


def share_text(share: float, digits: int = 2) -> str:
    """A share to read, in per cent.

    >>> share_text(0.0667), share_text(0.9998), share_text(1.0), share_text(12.5)
    ('6.7 %', '99.98 %', '100 %', '1,250 %')
    """
    percent = units.convert(share, "1", "%")
    if percent >= 1000:
        return f"{percent:,.0f} %"
    least = 3 if percent >= 100 else 4 if percent >= _NEARLY_ALL else digits
    return f"{_digits(percent, max(digits, least))} %"


def size_text(size_bytes: float) -> str:
    """A size to read; bytes are not shortened, as configurations do not shorten them either.

    >>> size_text(1_562_500)
    '1,562,500 B'
    """
    return f"{size_bytes:,.0f} B"


def value_text(value: float, unit: str) -> str:
    """A value of any kind to read.

    >>> value_text(2000.4, "packets"), value_text(14, "Mbit/s"), value_text(0.5, "us")
    ('2,000 packets', '14 Mb/s', '0.5 µs')
    """
    kind = units.UNITS[unit][0]
    if kind == "data rate":
        return rate_text(float(units.convert(value, unit, "bit/s")))
    if kind == "time":
        return time_text(float(units.convert(value, unit, "s")))
    return f"{_digits(value)} {units.symbol(unit)}"
