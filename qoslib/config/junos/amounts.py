"""Numbers of Junos: rates, sizes, times and percentages, and what a statement says with them."""

import re
from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from difflib import get_close_matches

from qoslib import units
from qoslib.config.junos.statements import shown
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS
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
_MOST_BPS, _MOST_BYTES, _MOST_S = 1e15, 1e12, 3600.0
_PERCENTAGE, _BURST_SIZE, _TEMPORAL = "the percentage", "the burst size", "the temporal buffer size"
#: One proportion of `excess-rate proportion` is so much of the whole.
_PROPORTIONS = 1000
#: The unit of a share of what others leave; 0 is an equal part of it.
REMAINDER = "remainder"
#: What the words of a statement say: the values of a field, by what stands behind its name.
#: It takes the words, what an error calls them, and the number of the line.
Reading = Callable[[tuple[str, ...], str, int], Iterator[tuple[str, Value]]]


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


def _rate(word: str, line: int, what: str) -> Value:
    return Value(_number(word, line, what, _MOST_BPS, "bit/s"), "bit/s", line)


def _size(word: str, line: int, what: str) -> Value:
    return Value(int(_number(word, line, what, _MOST_BYTES, "B")), "B", line)


def _temporal(word: str, line: int) -> Value:
    """The time of `buffer-size temporal`, in microseconds: ``5k`` is 5 ms."""
    most_us = units.convert(_MOST_S, "s", "us")
    return Value(units.us(_number(word, line, _TEMPORAL, most_us, "microseconds")), "s", line)


def percent(word: str, line: int, what: str = _PERCENTAGE) -> float:
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


def _rate_or_share(words: tuple[str, ...], what: str, line: int) -> Value:
    """A rate, a percentage or a proportion."""
    match words:
        case ("percent", word):
            return Value(percent(word, line, what), "1", line)
        case ("proportion", word):
            return Value(count(word, line, what, _PROPORTIONS) / _PROPORTIONS, "1", line)
        case (word,):
            return _rate(word, line, what)
    raise ConfigurationError(f"{what} is not understood; allowed: a rate, or percent", line)


def rate(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a rate, a percentage or a proportion.

    >>> [value for _, value in rate(("1.5g",), "the rate", 1)]
    [Value(value=1500000000.0, unit='bit/s', line=1, default='', fact='')]
    """
    yield "", _rate_or_share(words, what, line)


def excess_rate(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a percentage or a proportion."""
    value = _rate_or_share(words, what, line)
    if value.unit != "1":
        raise ConfigurationError(f"{what}; allowed: percent or proportion", line)
    yield "", value


def limit(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a rate above 0, with its burst or without, or a burst alone."""
    burst = None
    if "burst-size" in words:
        at = words.index("burst-size")
        if len(words) != at + 2:
            raise ConfigurationError("burst-size is followed by one number", line)
        words, burst = words[:at], _size(words[-1], line, _BURST_SIZE)
    if words:
        value = _rate_or_share(words, what, line)
        if not value.value:
            raise ConfigurationError(f"{what} is 0; allowed: above 0", line)
        yield "", value
    if burst:
        yield "_burst", burst


def transmit_rate(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a rate or a share, of what others leave too; `exact` and `rate-limit`."""
    for word, suffix in (("exact", "_exact"), ("rate-limit", "_limited")):
        if word in words:
            at = words.index(word)
            words = words[:at] + words[at + 1 :]
            yield suffix, Value(word, line=line)
    match words:
        case ():
            return
        case ("remainder", *parts) if len(parts) > 1:
            raise ConfigurationError("remainder is followed by one percentage", line)
        case ("remainder", *parts):
            yield "", Value(percent(parts[0], line) if parts else 0.0, REMAINDER, line)
        case _:
            yield "", _rate_or_share(words, what, line)


def buffer_size(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a share of the buffer, of what others leave too, or a time."""
    match [word for word in words if word != "exact"]:
        case ["percent", word]:
            yield "", Value(percent(word, line, what), "1", line)
        case ["temporal", word]:
            yield "", _temporal(word, line)
        case ["remainder"]:
            yield "", Value(0.0, REMAINDER, line)
        case ["remainder", word]:
            yield "", Value(percent(word, line), REMAINDER, line)
        case ["shared"]:
            yield "", Value(1.0, "1", line)
        case [_, *_]:
            allowed = "percent, temporal, remainder or shared"
            raise ConfigurationError(f"{what}; allowed: {allowed}", line)


def size(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a size: ``2m`` is 2,000,000 B."""
    yield "", _size(words[0], line, what)


def bit_rate(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a rate in bits."""
    yield "", _rate(words[0], line, what)


def share(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a percentage above 0."""
    value = percent(words[0], line, what)
    if not value:
        raise ConfigurationError(f"{what} is 0", line)
    yield "", Value(value, "1", line)


def loss_mark(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a loss priority as the mark that it is."""
    yield "", Value(MARK_OF_LOSS[allowed_word(words[0], line, what, LOSS_PRIORITIES)], line=line)


def one_of(*allowed: str) -> Reading:
    """Read one of some words."""

    def reading(words: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
        given = " ".join(words)
        if given not in allowed:
            near = get_close_matches(given, allowed, 1)
            meant = f", did you mean {shown(near[0])}?" if near else ""
            problem = f"{what} is {shown(given)}{meant}; allowed: {', '.join(allowed)}"
            raise ConfigurationError(problem, line)
        yield "", Value(given, line=line)

    return reading


def says(value: bool | str) -> Reading:
    """Read a statement that says one thing alone."""

    def reading(_: tuple[str, ...], what: str, line: int) -> Iterator[tuple[str, Value]]:
        yield "", Value(value, line=line)

    return reading


def name(words: tuple[str, ...], _: str, line: int) -> Iterator[tuple[str, Value]]:
    """Read a name."""
    yield "", Value(words[0], line=line)
