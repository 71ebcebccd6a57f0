"""Numbers of Junos: rates, sizes, times and percentages, and what a statement says with them."""

import re
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal

from qoslib import units
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS
from qoslib.config.lines import nearest, shown
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value

__all__ = [
    "REMAINDER",
    "Reading",
    "allowed_word",
    "as_percent",
    "bit_rate",
    "buffer_size",
    "count",
    "excess_rate",
    "limit",
    "loss_mark",
    "name",
    "of_bps",
    "one_of",
    "percent",
    "rate",
    "says",
    "share",
    "size",
    "transmit_rate",
]

_HUNDRED = Decimal(100)
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,24})?")
_NUMBER = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)([kmg]?)", re.IGNORECASE)
_TIMES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
#: No interface is faster, no memory larger, no queue longer.
_MOST_BPS, _MOST_BYTES, _MOST_US = 1e15, 1e12, 3600e6
#: One proportion of `excess-rate proportion` is so much of the whole.
_PROPORTIONS = 1000
#: The unit of a share of what others leave; 0 is an equal part of it.
REMAINDER = "remainder"
Words = tuple[str, ...]
#: What the words of a statement say: the value of a field, or of several by what stands behind its
#: name. It takes the words, what an error calls them, and the number of the line.
Reading = Callable[[Words, str, int], Value | dict[str, Value]]


def _number(word: str, line: int, what: str, most: float, unit: str) -> float:
    """A number above 0, with k, m or g."""
    match = _NUMBER.fullmatch(word)
    value = float(match[1]) * _TIMES[match[2].lower()] if match else -1.0
    if not 0 <= value <= most:
        allowed = f"a number up to {most:g} {unit}, with k, m or g for 10^3, 10^6, 10^9"
        raise ConfigurationError(f"{what} is {shown(word)}; allowed: {allowed}", line)
    if not value or (unit == "B" and value < 1):
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


def as_percent(part: float) -> str:
    """A share as the percentage that gives it back.

    >>> as_percent(0.34), as_percent(1 / 3)
    ('34', '33.33333333333333')
    """
    text = f"{Decimal(repr(part)) * _HUNDRED:f}"
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


def of_bps(value: Value, whole_bps: float) -> float:
    """A rate, or the share of a whole [bit/s].

    >>> of_bps(Value(0.5, "1"), 1e6)
    500000.0
    """
    return float(value.value if value.unit == "bit/s" else value.value * whole_bps)


def allowed_word(word: str, line: int, what: str, allowed: Collection[str]) -> str:
    """A word that is allowed."""
    if word not in allowed:
        problem = f"{what} is {shown(word)}; allowed: {', '.join(allowed)}"
        raise ConfigurationError(problem, line)
    return word


def rate(words: Words, what: str, line: int) -> Value:
    """A rate, a percentage or a proportion.

    >>> rate(("1.5g",), "the rate", 1)
    Value(value=1500000000.0, unit='bit/s', line=1, default='', fact='')
    """
    match words:
        case ("percent", word):
            return Value(percent(word, line, what), "1", line)
        case ("proportion", word):
            return Value(count(word, line, what, _PROPORTIONS) / _PROPORTIONS, "1", line)
        case (word,):
            return bit_rate(words, what, line)
    raise ConfigurationError(f"{what} is not understood; allowed: a rate, or percent", line)


def excess_rate(words: Words, what: str, line: int) -> Value:
    """A percentage or a proportion."""
    value = rate(words, what, line)
    if value.unit != "1":
        raise ConfigurationError(f"{what}; allowed: percent or proportion", line)
    return value


def limit(words: Words, what: str, line: int) -> dict[str, Value]:
    """A rate above 0, with its burst or without, or a burst alone."""
    burst = {}
    if "burst-size" in words:
        at = words.index("burst-size")
        if len(words) != at + 2:
            raise ConfigurationError("burst-size is followed by one number", line)
        burst = {"_burst": size(words[-1:], "the burst size", line)}
        words = words[:at]
    if not words:
        return burst
    value = rate(words, what, line)
    if not value.value:
        raise ConfigurationError(f"{what} is 0; allowed: above 0", line)
    return {"": value, **burst}


def transmit_rate(words: Words, what: str, line: int) -> dict[str, Value]:
    """A rate or a share, of what others leave too; `exact` and `rate-limit`."""
    values = {}
    for word, suffix in (("exact", "_exact"), ("rate-limit", "_limited")):
        if word in words:
            at = words.index(word)
            words = words[:at] + words[at + 1 :]
            values[suffix] = Value(word, line=line)
    match words:
        case ("remainder", _, _, *_):
            raise ConfigurationError("remainder is followed by one percentage", line)
        case ("remainder", *part):
            values[""] = _remainder(part, line)
        case (_, *_):
            values[""] = rate(words, what, line)
    return values


def buffer_size(words: Words, what: str, line: int) -> Value | dict[str, Value]:
    """A share of the buffer, of what others leave too, or a time; nothing without a word."""
    match [word for word in words if word != "exact"]:
        case []:
            return {}
        case ["percent", word]:
            return Value(percent(word, line, what), "1", line)
        case ["temporal", word]:
            # `5k` is 5 ms.
            time_us = _number(word, line, "the temporal buffer size", _MOST_US, "microseconds")
            return Value(units.us(time_us), "s", line)
        case ["remainder", *part] if len(part) < 2:
            return _remainder(part, line)
        case ["shared"]:
            return Value(1.0, "1", line)
    allowed = "percent, temporal, remainder or shared"
    raise ConfigurationError(f"{what}; allowed: {allowed}", line)


def _remainder(part: Sequence[str], line: int) -> Value:
    """A share of what others leave; 0 is an equal part of it."""
    return Value(percent(part[0], line) if part else 0.0, REMAINDER, line)


def size(words: Words, what: str, line: int) -> Value:
    """A size: ``2m`` is 2,000,000 B."""
    return Value(int(_number(words[0], line, what, _MOST_BYTES, "B")), "B", line)


def bit_rate(words: Words, what: str, line: int) -> Value:
    """A rate in bits."""
    return Value(_number(words[0], line, what, _MOST_BPS, "bit/s"), "bit/s", line)


def share(words: Words, what: str, line: int) -> Value:
    """A percentage above 0."""
    value = percent(words[0], line, what)
    if not value:
        raise ConfigurationError(f"{what} is 0", line)
    return Value(value, "1", line)


def loss_mark(words: Words, what: str, line: int) -> Value:
    """A loss priority as the mark that it is."""
    return Value(MARK_OF_LOSS[allowed_word(words[0], line, what, LOSS_PRIORITIES)], line=line)


def name(words: Words, _: str, line: int) -> Value:
    """A name."""
    return Value(words[0], line=line)


def says(value: bool | str) -> Reading:
    """A statement that says one thing alone."""
    return lambda words, what, line: Value(value, line=line)


def one_of(*allowed: str) -> Reading:
    """One of some words."""

    def reading(words: Words, what: str, line: int) -> Value:
        given = " ".join(words)
        if given not in allowed:
            near = nearest(given, allowed)
            meant = f", did you mean {shown(near)}?" if near else ""
            problem = f"{what} is {shown(given)}{meant}; allowed: {', '.join(allowed)}"
            raise ConfigurationError(problem, line)
        return Value(given, line=line)

    return reading
