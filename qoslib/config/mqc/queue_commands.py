"""`random-detect` and `queue-limit`: thresholds and limits, in all units."""

import re

from qoslib.config.amounts import share_text, value_text
from qoslib.config.conditioners import Row
from qoslib.config.mqc.matches import meaning
from qoslib.config.mqc.policies import Early, PolicyClass
from qoslib.config.values import Value
from qoslib.config.words import LENGTHS, NotUnderstood, Words

__all__ = ["DYNAMIC", "OF_MEMORY", "queue_buffers", "queue_limit", "random_detect"]

#: Marks that no model looks at.
_RANGE = re.compile(r"([0-7])-([0-7])")
_UNSEEN = "atm-clp", "clp", "dei", "discard-class", "exp"
_IN_PACKETS = "Thresholds in packets are left out: queues of this platform are counted in bytes"
_NOT_SAID = "Thresholds that the platform sets, or of packets without ECN alone, are left out"
_OTHER_MARK = "This choice of thresholds is left out: no model looks at this mark"
_BY_OTHERS = "discard-class-based", "cos-based", "dei-based", "atm-clp-based", "qos-group"
_OTHER_LIMIT = "A limit by this mark is left out: no model looks at it."
OF_MEMORY = "A limit as a share of the port's memory is left out; the default is taken."
#: The unit of a limit that follows what is free of a memory: how many times that a queue may hold.
DYNAMIC = "times what is free"
#: The index of a limit of once what is free; each more doubles it (NX-OS).
_ONCE = 7
_UNITS = {**LENGTHS, "packets": "packets"}
_TWO_UNITS = "the thresholds have two units; allowed: one"


def _length(words: Words, what: str, percent: bool = False) -> Value:
    """A length of a queue: packets where no unit is written."""
    if percent:
        return words.said(words.percent(what, 0), "1")
    return words.length(what, "packets", _UNITS)


def _marks(words: Words, by: str) -> list[str]:
    """The marks of values with commas, or of a range of CoS; `by` is their kind."""
    listed = words.take(f"the {by}").split(",")
    if by == "cos" and (ends := _RANGE.fullmatch(listed[0])) and not listed[1:]:
        listed = [str(each) for each in range(int(ends[1]), int(ends[2]) + 1)]
    return [mark for word in listed for mark in meaning(words, by, word, by == "dscp")]


def queue_limit(of: PolicyClass, words: Words) -> list[str]:
    """`queue-limit`, for all packets of a class or by their mark."""
    by = words.skip("dscp", "precedence", "cos", "qos-group", *_UNSEEN)
    if by == "qos-group":
        raise NotUnderstood
    if words.skip("dynamic"):
        times = 2.0 ** (words.count("the share", 0, 10) - _ONCE)
        of.limit = Value(times, DYNAMIC, words.line.number, default="nxos.dynamic_limit")
        words.end()
        return []
    if by in _UNSEEN:
        return [_OTHER_LIMIT]
    marks = _limited(words, by) if by else []
    percent = bool(words.skip("percent"))
    limit = _length(words, "the limit", percent)
    if not by:
        words.skip("percent")
    if limit.value <= 0 and not (by and percent):
        words.refuse("the limit is 0; allowed: above 0")
    if percent and not by:
        return [OF_MEMORY]
    words.end()
    if by:
        of.limits.update(dict.fromkeys(marks, limit))
    else:
        of.limit = limit
    return []


def queue_buffers(of: PolicyClass, words: Words) -> list[str]:
    """`queue-buffers ratio`: a class's share of the port's buffers."""
    if not words.skip("ratio"):
        raise NotUnderstood
    of.buffers = words.said(words.count("the ratio", 0, 100), "%")
    words.end()
    return []


def _limited(words: Words, by: str) -> list[str]:
    """The marks of a limit, which may stand in several words."""
    words.skip("values")
    shared = "percent" in words.line.words
    marks = _marks(words, by)
    while words.ahead not in ("percent", "") and (shared or not words.has_number()):
        marks += _marks(words, by)
    return marks


def random_detect(of: PolicyClass, words: Words) -> list[str]:
    """`random-detect`: what thresholds go by, a row of its table, its weight, ECN."""
    early = of.early or Early(words.line.number)
    lost: list[str] = []
    word = words.ahead
    if not word or words.skip("default"):
        pass
    elif words.skip("dscp-based", "dscp-values-based"):
        early.by, early.rows = "dscp", early.rows if early.by == "dscp" else {}
    elif words.skip("precedence-based", "prec-based"):
        early.by = "precedence"
    elif words.skip("ecn"):
        early.ecn = True
    elif words.skip("exponential-weighting-constant"):
        early.weight = words.said(words.count("the constant", 1, 16))
    elif words.skip("dscp", "precedence", "cos"):
        lost = _row(early, words, word)
    elif words.has_number():
        early.rows = {"": _range(words)}
    elif left := _left_out(early, words):
        return [left + _and_ecn(words)]
    if words.skip("ecn"):
        early.ecn = True
    words.end()
    of.early = early
    return lost


def _left_out(early: Early, words: Words) -> str:
    """What a form that few platforms have leaves out; empty where it is a row for all marks."""
    if words.skip("threshold") or "non-ecn" in words.line.words:
        return _NOT_SAID
    if words.skip(*_BY_OTHERS, *_UNSEEN):
        return _OTHER_MARK
    if not words.skip("minimum-threshold"):
        raise NotUnderstood
    row = _nexus(early, words)
    if row[0].unit == "packets":
        return _IN_PACKETS
    early.rows = {"": row}
    return ""


def _and_ecn(words: Words) -> str:
    """The end of a sentence on thresholds that are left out: whether they mark with ECN."""
    return "; no packet is marked by them." if "ecn" in words.line.words else "."


def _row(early: Early, words: Words, by: str) -> list[str]:
    marks = _marks(words, by)
    if by == "dscp":
        early.by = "dscp"
    named = words.skip("minimum-threshold")
    row = _nexus(early, words) if named else _range(words)
    if row[0].unit == "packets" and "minimum-threshold" in words.line.words:
        return [_IN_PACKETS + _and_ecn(words)]
    early.rows.update(dict.fromkeys(marks, row))
    return []


def _range(words: Words) -> Row:
    """Two thresholds, and a probability or its denominator."""
    percent = bool(words.skip("percent"))
    low, high = (_length(words, f"the {which} threshold", percent) for which in ("min", "max"))
    words.skip("percent")
    if low.unit != high.unit:
        words.refuse(_TWO_UNITS)
    _check_range(words, low, high)
    if words.skip("probability"):
        words.skip("percent", "percentage")
        return low, high, words.percent("the probability", 0)
    said = words.ahead not in ("", "ecn")
    return low, high, 1 / words.count("the denominator", 1, 65_536) if said else 0.1


def _nexus(early: Early, words: Words) -> Row:
    """The thresholds of NX-OS: each with its word, and perhaps weight 0 for the queue as it is."""
    # A Nexus 9000 has `percent` behind the number, a Nexus 7000 in front of it.
    percent = bool(words.skip("percent")) or "percent" in words.line.words
    low = _length(words, "the minimum", percent)
    words.skip("percent")
    if not words.skip("maximum-threshold"):
        raise NotUnderstood
    words.skip("percent")
    high, share = _length(words, "the maximum", percent), 1.0
    words.skip("percent")
    while words.ahead:
        if words.skip("drop-probability"):
            share = words.percent("the probability", 0)
        elif words.skip("weight"):
            weight = words.count("the weight", 0, 15)
            early.instantaneous = weight == 0
            early.weight = words.said(weight) if weight else None
        elif words.skip("ecn"):
            early.ecn = True
        else:
            raise NotUnderstood
    _check_range(words, low, high, low.unit != high.unit)
    return low, high, share


def _check_range(words: Words, low: Value, high: Value, apart: bool = False) -> None:
    """Refuse two thresholds that are no range."""
    if high.value <= 0:
        words.refuse("the maximum threshold is 0; allowed: above 0")
    if apart:
        words.refuse(_TWO_UNITS)
    if low.value > high.value:
        words.refuse(f"the minimum threshold, {_text(low)}, is above the maximum, {_text(high)}")


def _text(length: Value) -> str:
    return share_text(length.value) if length.unit == "1" else value_text(length.value, length.unit)
