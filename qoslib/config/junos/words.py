"""Words of Junos: code points and their names, priorities, and how fast an interface is."""

import re

from qoslib import units
from qoslib.config.junos.statements import shown
from qoslib.config.source import ConfigurationError

__all__ = [
    "ALL_PRIORITIES",
    "DEFAULT_CLASSES",
    "LOSS_PRIORITIES",
    "MARK_OF_LOSS",
    "PRIORITIES",
    "STRICT",
    "SWITCH_CLASSES",
    "code_of_mark",
    "code_points",
    "default_rules",
    "interface_rate_bps",
    "marks_of",
    "priorities",
    "queue_of_class",
]

#: From the first served to the last; `low-latency` stands above `strict-high` (ACX7000).
PRIORITIES = ("low-latency", "strict-high", "high", "medium-high", "medium-low", "low")
#: The same with two more above `low`, which few platforms have (Juniper, Class of Service User
#: Guide, Transmission Priority Scheduling).
ALL_PRIORITIES = (*PRIORITIES[:-1], "low-high", "low-medium", PRIORITIES[-1])
#: These are served before any guarantee, and without a limit.
STRICT = PRIORITIES[:2]
LOSS_PRIORITIES = ("low", "medium-low", "medium-high", "high")
#: What a policer marks a packet with, as a drop profile of its queue reads it.
MARK_OF_LOSS = {each: f"loss priority {each}" for each in LOSS_PRIORITIES}
#: Forwarding classes that exist without being configured, and the number of their queue.
DEFAULT_CLASSES = {
    "best-effort": 0, "expedited-forwarding": 1, "assured-forwarding": 2, "network-control": 3,
    "be": 0, "ef": 1, "af": 2, "nc": 3,
}  # fmt: skip
#: More that a QFX has (Juniper, Traffic Management User Guide for QFX, Understanding Default CoS
#: Settings).
SWITCH_CLASSES = {"fcoe": 3, "no-loss": 4, "mcast": 8}
_DSCP = {
    "be": 0, "cs1": 8, "af11": 10, "af12": 12, "af13": 14, "cs2": 16, "af21": 18, "af22": 20,
    "af23": 22, "cs3": 24, "af31": 26, "af32": 28, "af33": 30, "cs4": 32, "af41": 34, "af42": 36,
    "af43": 38, "cs5": 40, "ef": 46, "cs6": 48, "nc1": 48, "cs7": 56, "nc2": 56, "cs0": 0,
}  # fmt: skip
_THREE_BITS = {
    "be": 0, "be1": 1, "ef": 2, "ef1": 3, "af11": 4, "af12": 5, "nc1": 6, "nc2": 7, "cs6": 6,
    "cs7": 7,
}  # fmt: skip
_PRECEDENCE = {
    "be": 0, "be1": 1, "ef": 2, "ef1": 3, "af11": 4, "af12": 5, "nc1": 6, "nc2": 7, "cs6": 6,
    "cs7": 7,
}  # fmt: skip
#: Kind of classifier -> bits of its code points, and their names.
KINDS = {
    "dscp": (6, _DSCP),
    "dscp-ipv6": (6, _DSCP),
    "inet-precedence": (3, _PRECEDENCE),
    "ieee-802.1": (3, _THREE_BITS),
    "exp": (3, _THREE_BITS),
}
#: Code point -> mark.
_MARKS = {code: name.upper() for name, code in reversed(_DSCP.items()) if name[:2] != "nc"}
_MARKS[0] = "CS0"
_PREFIX = {"inet-precedence": "IP", "ieee-802.1": "PCP", "exp": "EXP"}
#: Code point -> queue and loss priority of the default classifiers; all else goes to queue 0.
_DEFAULT_DSCP = {46: (1, "low"), 10: (2, "low"), 12: (2, "high"), 14: (2, "high"), 48: (3, "low")}
_DEFAULT_DSCP |= {56: (3, "low")}
_DEFAULT_BITS = {
    0: (0, "low"), 1: (0, "high"), 2: (1, "low"), 3: (1, "high"), 4: (2, "low"), 5: (2, "high"),
    6: (3, "low"), 7: (3, "high"),
}  # fmt: skip
#: How the name of an interface begins, and its rate [Mb/s].
_RATES_MBPS = {"fe-": 100, "ge-": 1000, "xe-": 10_000}
_SPEED = re.compile(r"(\d{1,5}(?:\.\d)?)([mg])(?:bps)?", re.IGNORECASE)


def code_points(kind: str, word: str, line: int, aliases: dict[str, int]) -> tuple[int, ...]:
    """The code point that a word means.

    >>> code_points("dscp", "101110", 1, {}), code_points("exp", "nc1", 1, {})
    ((46,), (6,))
    """
    bits, names = KINDS[kind]
    if word in aliases:
        return (aliases[word],)
    if word in names:
        return (names[word],)
    if re.fullmatch(rf"[01]{{{bits}}}", word):
        return (int(word, 2),)
    problem = f"the code point of {kind} is {shown(word)}; allowed: {bits} bits, or a name"
    raise ConfigurationError(problem, line)


def marks_of(kind: str, code: int) -> tuple[str, ...]:
    """The marks that a code point stands for; of a precedence, the DSCPs that begin with it too.

    >>> marks_of("dscp", 46), marks_of("ieee-802.1", 5), marks_of("inet-precedence", 6)
    (('EF',), ('PCP 5',), ('IP 6', 'CS6'))
    """
    if kind not in _PREFIX:
        return (_MARKS.get(code, f"DSCP {code}"),)
    own = (f"{_PREFIX[kind]} {code}",)
    if kind != "inet-precedence":
        return own
    return own + tuple(mark for value, mark in sorted(_MARKS.items()) if value >> 3 == code)


def code_of_mark(mark: str) -> tuple[str, str] | None:
    """The kind and the bits of the code point that a mark means; None if it is none.

    >>> code_of_mark("EF"), code_of_mark("PCP 5"), code_of_mark("voice")
    (('dscp', '101110'), ('ieee-802.1', '101'), None)
    """
    for code, name in _MARKS.items():
        if mark == name:
            return "dscp", f"{code:06b}"
    word, _, rest = mark.partition(" ")
    value = int(rest) if rest.isdecimal() and len(rest) <= 2 else -1
    if word == "DSCP" and 0 <= value < 64:
        return "dscp", f"{value:06b}"
    for kind, prefix in _PREFIX.items():
        if word == prefix and 0 <= value < 8:
            return kind, f"{value:03b}"
    return None


def default_rules(kind: str) -> dict[int, tuple[int, str]]:
    """The default classifier of a kind: code point to number of queue, and loss priority.

    >>> default_rules("dscp")[46]
    (1, 'low')
    """
    if KINDS[kind][1] is not _DSCP:
        return _DEFAULT_BITS
    return {code: _DEFAULT_DSCP.get(code, (0, "low")) for code in _MARKS}


def priorities(latency: bool, more: bool) -> tuple[str, ...]:
    """The priorities of a port, from the first served to the last.

    >>> priorities(False, False)
    ('strict-high', 'high', 'medium-high', 'medium-low', 'low')
    """
    return (ALL_PRIORITIES if more else PRIORITIES)[0 if latency else 1 :]


def queue_of_class(word: str) -> int | None:
    """The number of the queue of a class that need not be configured; None if it must be.

    >>> queue_of_class("network-control")
    3
    """
    return DEFAULT_CLASSES.get(word)


def interface_rate_bps(name: str, speed: str = "") -> float | None:
    """The line rate that `speed` says, or else the type of the interface by its name.

    >>> interface_rate_bps("xe-0/0/0"), interface_rate_bps("et-0/0/0", "100g")
    (10000000000.0, 100000000000.0)
    >>> interface_rate_bps("et-0/0/0")
    """
    match = _SPEED.fullmatch(speed)
    if match and float(match[1]):
        value = float(match[1])
        return units.gbps(value) if match[2] in "gG" else units.mbps(value)
    rate_mbps = _RATES_MBPS.get(name[:3])
    return None if rate_mbps is None else units.mbps(float(rate_mbps))
