"""Commands of EOS: what each gives a queue or a port, and what is lost of those left out."""

from collections.abc import Callable
from dataclasses import dataclass, field

from qoslib.config.conditioners import Row
from qoslib.config.mqc.interfaces import INTERFACE
from qoslib.config.provenance import Provenance
from qoslib.config.records import Statement
from qoslib.config.values import Value
from qoslib.config.words import NotUnderstood, Words

__all__ = [
    "COMMANDS",
    "LEFT_OUT",
    "Block",
    "Given",
    "InPacketsError",
    "Queueing",
    "map_of",
    "shape",
]

#: Words of a length, and their units; a segment is a cell of the memory.
_LENGTHS = {
    "bytes": "B",
    "kbytes": "kB",
    "mbytes": "MB",
    "milliseconds": "ms",
    "microseconds": "us",
}
_SEGMENT_BYTES = 208

_MARKED = "The new mark is left out: streams keep the mark that you give them."
_UNMARKED = INTERFACE["untagged"]
_ALL_QUEUES = "What this says of all queues is left out."
_POLICIES = "Policies on the way in are left out, with all that is below this line."
#: Beginning of a command -> what is lost.
LEFT_OUT: dict[tuple[str, ...], str] = {
    **{(word,): INTERFACE[word] for word in ("priority-flow-control", "flowcontrol")},
    ("dcbx",): "Priority flow control's negotiation is left out: a full queue drops.",
    # Arista AVD writes it of a port whose trust is disabled.
    ("no", "qos", "trust"): "The port trusts no mark: what comes in by it gets the CoS and DSCP of"
    " the port. Here all packets are taken to come in by ports that trust both.",
    ("qos", "trust"): "Both maps are taken: what the port trusts by itself is not known.",
    ("qos", "cos"): _UNMARKED,
    ("qos", "dscp"): _UNMARKED,
    ("qos", "rewrite"): _MARKED,
    ("qos", "random-detect"): _ALL_QUEUES,
    ("qos", "tx-queue"): _ALL_QUEUES,
    ("qos", "ecn"): _ALL_QUEUES,
    ("tx-scheduler", "packet", "size"): "What the scheduler adds to each frame is left out: give"
    " overhead_bytes.",
    ("queue-monitor",): "Nothing is lost: it watches the queues.",
    ("storm-control",): "What limits broadcasts on the way in is left out.",
    ("service-policy",): "Policies on the way in are left out.",
    ("policy-map",): _POLICIES,
    ("class-map",): _POLICIES,
    ("class",): "Policies on the way in are left out.",
}
#: Kinds of maps: what is mapped, and onto what.
_MAPPED = {
    "dscp": ("traffic-class",),
    "cos": ("traffic-class",),
    "exp": ("traffic-class",),
    "traffic-class": (
        *("dscp", "cos", "exp", "tx-queue", "uc-tx-queue", "mc-tx-queue"),
        *("priority-group", "pg"),
    ),
}
_TO_QUEUES = "traffic-class", "tx-queue", "uc-tx-queue"


class InPacketsError(Exception):
    """A rate in packets per second."""


@dataclass
class Given:
    """What a queue is given, behind the line that begins it."""

    line: int
    text: str = ""
    strict: bool = True
    share: Value | None = None
    guaranteed: Value | None = None
    shape: Value | None = None
    early: Row | None = None
    marking: Row | None = None
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

    `classes` has the traffic class of each mark, and `queues` the queue of each traffic class.
    `sets` is whether a policy on the way in sets traffic classes, so that marks do not tell all.
    """

    interfaces: dict[str, Block] = field(default_factory=dict)
    profiles: dict[str, Block] = field(default_factory=dict)
    classes: dict[tuple[str, int], int] = field(default_factory=dict)
    queues: dict[int, int] = field(default_factory=dict)
    notes: Provenance = field(default_factory=Provenance)
    sets: bool = False


def _priority(of: Given, words: Words, off: bool) -> None:
    of.strict = not off
    words.skip("strict", "wrr")


def _bandwidth(of: Given, words: Words, off: bool) -> None:
    guaranteed = words.skip("guaranteed")
    if guaranteed and not off:
        of.guaranteed = _rate(words, "the guaranteed rate")
        return
    words.skip("percent")
    share = None if off else words.said(words.percent("the share"), "1")
    of.guaranteed, of.share = (None, of.share) if guaranteed else (of.guaranteed, share)


def shape(of: Given | Block, words: Words, off: bool) -> None:
    """`shape rate` of a queue or a port."""
    if not words.skip("rate"):
        raise NotUnderstood
    of.shape = None if off else _rate(words, "the shaped rate")


def _early(of: Given, words: Words, off: bool) -> None:
    """`random-detect`: thresholds that mark or drop; `count` only counts."""
    name = {"ecn": "marking", "drop": "early"}.get(words.skip("ecn", "drop"))
    if name is None:
        raise NotUnderstood
    if off:
        setattr(of, name, None)
        words.at = len(words.line.words)
    elif words.skip("count"):
        return
    elif name == "early" and words.skip("drop-precedence"):
        words.count("the drop precedence", 0, 2)
        words.at = len(words.line.words)
        of.other = True
    else:
        setattr(of, name, _thresholds(words))


#: Commands of a queue.
COMMANDS: dict[str, Callable[[Given, Words, bool], None]] = {
    "priority": _priority,
    "bandwidth": _bandwidth,
    "shape": shape,
    "random-detect": _early,
}


def _thresholds(words: Words) -> Row:
    """Two thresholds, each behind its word."""
    if not words.skip("minimum-threshold"):
        raise NotUnderstood
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
    length = words.length("the threshold", "B", _LENGTHS)
    if words.skip("segments"):
        return length._replace(value=length.value * _SEGMENT_BYTES)
    return length


def _rate(words: Words, what: str) -> Value:
    """A rate in kb/s or with its unit, or a share before or behind `percent`."""
    start, share = words.at, bool(words.skip("percent"))
    if not share:
        words.number(what)
        share, words.at = words.ahead == "percent", start
    if share:
        part = words.said(words.percent(what), "1")
        words.skip("percent")
        return part
    rate_bps = words.rate_bps(what, "kbit/s")
    if words.skip("pps"):
        raise InPacketsError
    return words.said(rate_bps, "bit/s")


def map_of(words: Words, off: bool) -> tuple[str, list[int], int] | str:
    """`qos map`: what is mapped, its values, and the class or queue; or what is lost of another."""
    kind, values = words.skip(*_MAPPED), list[int]()
    while words.has_number():
        values.append(words.count("the value", 0, 63))
    if off and kind and values:
        return "A map that is taken back is left out."
    target = words.skip("to") and words.skip(*_MAPPED.get(kind, ()))
    if values and not words.ahead:
        words.refuse(f"this map of {kind} is incomplete: where these values lead to is missing")
    if not values or not target or not words.has_number():
        raise NotUnderstood
    # A platform may have more classes and queues than 8.
    number = words.count("the target", 0, 63)
    if words.skip("drop-precedence"):
        words.count("the drop precedence", 0, 2)
    words.end()
    if kind != "exp" and target in _TO_QUEUES:
        return kind, values, number
    return _MARKED if target in ("dscp", "cos", "exp") else "This map is left out."
