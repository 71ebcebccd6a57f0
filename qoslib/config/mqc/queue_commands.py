"""`random-detect` and `queue-limit`: thresholds and limits, in all units."""

from qoslib.config.code_points import marks_matching, read_word
from qoslib.config.mqc.lines import SIZE_WORDS, TIME_WORDS, NotUnderstood, Words, exactly
from qoslib.config.mqc.policies import Early, PolicyClass
from qoslib.config.values import Value

__all__ = ["marks_of", "queue_limit", "random_detect"]

#: Marks that no model looks at.
_UNSEEN = "atm-clp", "clp", "dei", "discard-class", "exp"
_IN_PACKETS = "Thresholds in packets are left out: queues of this platform are counted in bytes"
_NOT_SAID = "Thresholds that the platform sets, or of packets without ECN alone, are left out"
_OTHER_MARK = "This choice of thresholds is left out: no model looks at this mark"
_UNITS = {**SIZE_WORDS, **TIME_WORDS, "packets": "packets"}


def amount(words: Words, what: str, percent: bool = False) -> Value:
    """A length of a queue: packets where no unit is written."""
    if percent:
        return Value(words.percent(what, 0), "1", words.line.number)
    value = words.number(what, 0)
    unit = _UNITS.get(words.skip(*_UNITS), "packets")
    base = {"ms": "s", "us": "s", "packets": "packets"}.get(unit, "B")
    value = value if base == "packets" else exactly(value, unit, base)
    return Value(value, base, words.line.number)


def marks_of(words: Words, by: str) -> tuple[str, ...]:
    """The marks that values with commas mean: `by` is ``dscp``, ``precedence`` or ``cos``."""
    listed = words.take(f"the {by}").split(",")
    return tuple(mark for word in listed for mark in _marks_of(words, by, word))


def _marks_of(words: Words, by: str, word: str) -> tuple[str, ...]:
    if by == "dscp":
        mark = read_word(word, "cisco")
        if mark is None:
            words.refuse(f"the DSCP is {word[:40]!r}; allowed: a code point by name, or 0 to 63")
        return (mark,)
    if word.isdecimal() and len(word) == 1 and word < "8":
        return marks_matching(int(word), "IP") if by == "precedence" else (f"PCP {word}",)
    words.refuse(f"the {by} is {word[:40]!r}; allowed: 0 to 7")


def queue_limit(of: PolicyClass, words: Words) -> list[str]:
    """`queue-limit`, for all packets of a class or by their mark."""
    by = words.skip("dscp", "precedence", "cos", "qos-group", *_UNSEEN)
    if by == "qos-group":
        raise NotUnderstood
    if words.skip("dynamic"):
        words.count("the share", 0, 10)
        words.end()
        return ["A limit that follows what is free of the memory is left out: give buffer_bytes."]
    if by in _UNSEEN:
        return ["A limit by this mark is left out: no model looks at it."]
    if not by:
        percent = bool(words.skip("percent"))
        limit = amount(words, "the limit", percent)
        words.skip("percent")
        if limit.value <= 0:
            words.refuse("the limit is 0; allowed: above 0")
        if limit.unit == "1":
            return ["A limit as a share of the port's memory is left out; the default is taken."]
        of.limit = limit
        words.end()
        return []
    words.skip("values")
    shared = "percent" in words.line.words
    marks = list(marks_of(words, by))
    while words.ahead not in ("percent", "") and (shared or not words.has_number()):
        marks += marks_of(words, by)
    percent = bool(words.skip("percent"))
    limit = amount(words, "the limit", percent)
    if percent:
        return ["A limit as a share of the port's memory is left out; the default is taken."]
    if limit.value <= 0:
        words.refuse("the limit is 0; allowed: above 0")
    words.end()
    of.limits.update(dict.fromkeys(marks, limit))
    return []


def random_detect(of: PolicyClass, words: Words) -> list[str]:
    """`random-detect`: on, by what, a row of its table, its weight, ECN."""
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
        weight = words.count("the constant", 1, 16)
        early.weight = Value(weight, "", words.line.number)
    elif words.skip("dscp", "precedence", "cos"):
        lost = _row(early, words, word)
    elif words.has_number():
        early.rows = {"": _range(words)}
    elif words.skip("threshold") or "non-ecn" in words.line.words:
        return [_NOT_SAID + _and_ecn(words)]
    elif words.skip("minimum-threshold"):
        row = _nexus(early, words)
        if row[0].unit == "packets":
            return [_IN_PACKETS + _and_ecn(words)]
        early.rows = {"": row}
    elif words.skip(
        "discard-class-based", "cos-based", "dei-based", "atm-clp-based", "qos-group", *_UNSEEN
    ):
        return [_OTHER_MARK + _and_ecn(words)]
    else:
        raise NotUnderstood
    if words.skip("ecn"):
        early.ecn = True
    words.end()
    of.early = early
    return lost


def _and_ecn(words: Words) -> str:
    """The end of a sentence on thresholds that are left out: whether they mark with ECN."""
    return "; no packet is marked by them." if "ecn" in words.line.words else "."


def _row(early: Early, words: Words, by: str) -> list[str]:
    marks = marks_of(words, by)
    if by == "dscp":
        early.by = "dscp"
    row = _nexus(early, words) if words.skip("minimum-threshold") else _range(words)
    if row[0].unit == "packets" and "minimum-threshold" in words.line.words:
        return [_IN_PACKETS + _and_ecn(words)]
    early.rows.update(dict.fromkeys(marks, row))
    return []


def _range(words: Words) -> tuple[Value, Value, float]:
    """Two thresholds, and what the probability rises to."""
    percent = bool(words.skip("percent"))
    low, high = (amount(words, f"the {which} threshold", percent) for which in ("min", "max"))
    words.skip("percent")
    if low.unit != high.unit:
        words.refuse("the thresholds have two units; allowed: one")
    if high.value <= 0 or low.value > high.value:
        words.refuse(_no_range(low, high))
    if words.skip("probability"):
        words.skip("percent", "percentage")
        return low, high, words.percent("the probability", 0)
    share = 0.1
    if words.ahead not in ("", "ecn"):
        share = 1 / words.count("the denominator", 1, 65_536)
    return low, high, share


def _nexus(early: Early, words: Words) -> tuple[Value, Value, float]:
    """The thresholds of NX-OS: each with its word, and perhaps weight 0 for the queue as it is."""
    percent = "percent" in words.line.words
    low = amount(words, "the minimum", percent)
    words.skip("percent")
    if not words.skip("maximum-threshold"):
        raise NotUnderstood
    high, share = amount(words, "the maximum", percent), 1.0
    words.skip("percent")
    while words.ahead:
        if words.skip("drop-probability"):
            share = words.percent("the probability", 0)
        elif words.skip("weight"):
            weight = words.count("the weight", 0, 15)
            early.instantaneous = weight == 0
            early.weight = Value(weight, "", words.line.number) if weight else None
        elif words.skip("ecn"):
            early.ecn = True
        else:
            raise NotUnderstood
    if low.unit != high.unit or low.value > high.value or high.value <= 0:
        words.refuse(_no_range(low, high))
    return low, high, share


def _no_range(low: Value, high: Value) -> str:
    if high.value <= 0:
        return "the maximum threshold is 0; allowed: above 0"
    return f"the minimum threshold, {low.value:g}, is above the maximum, {high.value:g}"
