"""Words of Junos: kinds of code points, priorities, and classes."""

from qoslib.config.code_points import BITS, code_of, read_word, words_of
from qoslib.config.lines import shown
from qoslib.config.source import ConfigurationError

__all__ = [
    "ALL_PRIORITIES",
    "DEFAULT_CLASSES",
    "LOSS_PRIORITIES",
    "MARK_OF_LOSS",
    "MULTICAST_CLASSES",
    "PRIORITIES",
    "STRICT",
    "SWITCH_CLASSES",
    "code_points",
    "default_rules",
    "priorities",
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
#: More that some EX switches have, in queues that differ (Juniper, CoS User Guide for EX Series,
#: Understanding CoS Forwarding Classes).
MULTICAST_CLASSES = ("mcast-be", "mcast-ef", "mcast-af", "mcast-nc")
#: Kind of classifier -> the kind of its marks.
KINDS = {
    "dscp": "DSCP", "dscp-ipv6": "DSCP", "inet-precedence": "IP", "ieee-802.1": "PCP", "exp": "EXP",
}  # fmt: skip
#: Code point -> queue and loss priority of the default classifiers; all else goes to queue 0.
_DEFAULT_DSCP = {46: (1, "low"), 10: (2, "low"), 12: (2, "high"), 14: (2, "high"), 48: (3, "low")}
_DEFAULT_DSCP |= {56: (3, "low")}
_DEFAULT_BITS = {
    0: (0, "low"), 1: (0, "high"), 2: (1, "low"), 3: (1, "high"), 4: (2, "low"), 5: (2, "high"),
    6: (3, "low"), 7: (3, "high"),
}  # fmt: skip
#: Of IP precedences (Juniper, Class of Service User Guide, Default IP Precedence Classifier): the
#: default that an interface names, and the one that it has without a line (ipprec-compatibility).
_DEFAULT_PRECEDENCES = {
    **{code: (0, "low") for code in range(8)},
    1: (2, "low"), 5: (1, "low"), 6: (3, "low"), 7: (3, "high"),
}  # fmt: skip
_COMPATIBLE_PRECEDENCES = {
    code: (3 if code >= 6 else 0, "high" if code % 2 else "low") for code in range(8)
}


def code_points(kind: str, word: str, line: int, aliases: dict[str, int]) -> tuple[int, ...]:
    """The code point that a word means.

    >>> code_points("dscp", "101110", 1, {}), code_points("exp", "nc1", 1, {})
    ((46,), (6,))
    """
    if word in aliases:
        return (aliases[word],)
    known = code_of(read_word(word, "junos", KINDS[kind]) or "")
    if known:
        return (known[1],)
    bits = BITS[KINDS[kind]]
    problem = f"the code point of {kind} is {shown(word)}; allowed: {bits} bits, or a name"
    raise ConfigurationError(problem, line)


def default_rules(kind: str, compatible: bool = False) -> dict[int, tuple[int, str]]:
    """The default classifier of a kind: code point to number of queue, and loss priority.

    `compatible` is whether that of precedences is meant which interfaces have without a line.

    >>> default_rules("dscp")[46], default_rules("inet-precedence")[5]
    ((1, 'low'), (1, 'low'))
    >>> default_rules("inet-precedence", compatible=True)[5]
    (0, 'high')
    """
    if KINDS[kind] == "IP":
        return _COMPATIBLE_PRECEDENCES if compatible else _DEFAULT_PRECEDENCES
    if KINDS[kind] != "DSCP":
        return _DEFAULT_BITS
    named = sorted(set(words_of("junos").values()) - {0}, reverse=True)
    return {code: _DEFAULT_DSCP.get(code, (0, "low")) for code in (0, *named)}


def priorities(latency: bool, more: bool) -> tuple[str, ...]:
    """The priorities of a port, from the first served to the last.

    >>> priorities(False, False)
    ('strict-high', 'high', 'medium-high', 'medium-low', 'low')
    """
    return (ALL_PRIORITIES if more else PRIORITIES)[0 if latency else 1 :]
