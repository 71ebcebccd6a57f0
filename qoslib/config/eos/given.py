"""Commands of EOS that give a queue or a port something, and the records that keep it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from qoslib.config.mqc.lines import NotUnderstood, Words, exactly
from qoslib.config.records import Remark, Statement
from qoslib.config.values import Value

__all__ = ["COMMANDS", "Block", "Given", "InPacketsError", "Queueing", "shape"]

#: Words of a length, and their units; a segment is a cell of the memory.
_LENGTHS = {
    "bytes": "B",
    "kbytes": "kB",
    "mbytes": "MB",
    "milliseconds": "ms",
    "microseconds": "us",
}
_SEGMENT_BYTES = 208


class InPacketsError(Exception):
    """A rate in packets per second."""


@dataclass
class Given:
    """What a queue is given."""

    line: int
    strict: bool = True
    share: Value | None = None
    guaranteed: Value | None = None
    shape: Value | None = None
    early: tuple[Value, Value, float] | None = None
    marking: tuple[Value, Value, float] | None = None
    other: bool = False
    statements: list[Statement] = field(default_factory=list)


@dataclass
class Block:
    """An interface, or a profile that interfaces name.

    `trust` is the mark that chooses a traffic class: `dscp` or `cos`; empty where no line says it.
    """

    name: str
    line: int
    queues: dict[int, Given] = field(default_factory=dict)
    speed: Value | None = None
    shape: Value | None = None
    profile: str = ""
    profile_line: int = 0
    is_profile: bool = False
    in_packets: bool = False
    trust: str = ""


@dataclass
class Queueing:
    """All of a text.

    `sets` is whether a policy on the way in sets traffic classes, so that marks do not tell all.
    """

    interfaces: dict[str, Block] = field(default_factory=dict)
    profiles: dict[str, Block] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    queues: dict[int, int] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    sets: bool = False


def _thresholds(words: Words) -> tuple[Value, Value, float]:
    low = _length(words)
    if not words.skip("maximum-threshold"):
        raise NotUnderstood
    high, share = _length(words), 1.0
    while words.ahead:
        if words.skip("max-mark-probability", "drop-probability"):
            share = words.percent("the probability", 0)
        elif words.skip("weight"):
            words.count("the weight", 0, 15)
        elif not words.skip("ecn"):
            raise NotUnderstood
    if low.unit != high.unit or low.value > high.value or high.value <= 0:
        words.refuse("the thresholds are no range; allowed: a maximum above 0 and the minimum")
    return low, high, share


def _length(words: Words) -> Value:
    value = words.number("the threshold", 0)
    word = words.skip(*_LENGTHS, "segments")
    if word == "segments":
        return Value(value * _SEGMENT_BYTES, "B", words.line.number)
    unit = _LENGTHS.get(word, "B")
    base = "s" if unit in ("ms", "us") else "B"
    return Value(exactly(value, unit, base), base, words.line.number)


def _rate(words: Words, what: str) -> Value:
    """A rate in kb/s or with its unit, or a share before or behind `percent`."""
    if words.skip("percent"):
        return Value(words.percent(what), "1", words.line.number)
    before = words.at
    words.number(what)
    if words.skip("percent"):
        words.at = before
        share = words.percent(what)
        words.skip("percent")
        return Value(share, "1", words.line.number)
    words.at = before
    rate_bps = words.rate_bps(what, "kbit/s")
    if words.skip("pps"):
        raise InPacketsError
    return Value(rate_bps, "bit/s", words.line.number)


def _priority(of: Given, words: Words, off: bool) -> None:
    of.strict = not off
    words.skip("strict", "wrr")


def _bandwidth(of: Given, words: Words, off: bool) -> None:
    guaranteed = bool(words.skip("guaranteed"))
    if off:
        of.guaranteed, of.share = (None, of.share) if guaranteed else (of.guaranteed, None)
        words.skip("percent")
    elif guaranteed:
        of.guaranteed = _rate(words, "the guaranteed rate")
    else:
        words.skip("percent")
        of.share = Value(words.percent("the share"), "1", words.line.number)


def shape(of: Given | Block, words: Words, off: bool) -> None:
    """`shape rate` of a queue or a port."""
    if not words.skip("rate"):
        raise NotUnderstood
    of.shape = None if off else _rate(words, "the shaped rate")


def _early(of: Given, words: Words, off: bool) -> None:
    kind = words.skip("ecn", "drop")
    if not kind:
        raise NotUnderstood
    if off:
        words.at = len(words.line.words)
        of.marking, of.early = (None, of.early) if kind == "ecn" else (of.marking, None)
        return
    if words.skip("count"):
        return
    if kind == "drop" and words.skip("drop-precedence"):
        words.count("the drop precedence", 0, 2)
        of.other = True
        words.at = len(words.line.words)
        return
    if not words.skip("minimum-threshold"):
        raise NotUnderstood
    if kind == "ecn":
        of.marking = _thresholds(words)
    else:
        of.early = _thresholds(words)


COMMANDS: dict[str, Callable[[Given, Words, bool], None]] = {
    "priority": _priority,
    "bandwidth": _bandwidth,
    "shape": shape,
    "random-detect": _early,
}
