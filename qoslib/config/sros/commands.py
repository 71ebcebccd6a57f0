"""Commands of SR OS on quality of service: what a policy is given, and what is lost by a command.

Queues, schedulers and slopes are alike: each has numbers by the words that stand before them.
"""

import re
from dataclasses import dataclass, field

from qoslib.config.code_points import read_word
from qoslib.config.records import Statement
from qoslib.config.values import Value
from qoslib.config.words import NotUnderstood, Refused, Words, exactly

__all__ = ["CLASSES", "INWARD", "MARKS", "POLICIES", "Given", "Policy", "read_policy"]

#: Forwarding classes in the order of their numbers; the last four are expedited.
CLASSES = ("be", "l2", "af", "l1", "h2", "ef", "h1", "nc")
#: Kinds of policies that are read; others below `qos` are left out.
POLICIES = (
    "sap-ingress", "sap-egress", "network-queue", "network", "scheduler-policy", "slope-policy",
)  # fmt: skip
#: Words of marks, and their kinds.
MARKS = {"dscp": "DSCP", "prec": "IP", "dot1p": "PCP", "lsp-exp": "EXP"}
INWARD = "Queues on the way in are left out; only the forwarding classes count."
#: What is lost -> commands of a policy or a queue that lose it.
_LOST = {
    "A policy of another kind is left out.": ("pool", "ingress-classification-policy"),
    "How the hardware rounds rates to its steps is left out.": ("adaptation-rule",),
    "Its rules are left out.": ("ip-criteria", "ipv6-criteria", "mac-criteria"),
    INWARD: (
        "meter", "multicast-meter", "broadcast-meter", "unknown-meter", "num-qos-classifiers",
        "egress-fc",
    ),
    "Here only marks decide which packets are out of profile.": (
        "default-priority", "profile", "priority",
    ),
    "Policers are left out: nothing is promised where a class has one.": (
        "policer", "dynamic-policer", "policers-hqos-manageable", "post-policer-mapping",
    ),
    "Multicast queues are left out.": ("multicast-queue", "broadcast-queue", "unknown-queue"),
    "The new mark is left out: streams keep the mark that you give them.": (
        "egress", "remarking", "de-mark", "de-1-out-profile", "in-remark", "out-remark",
    ),
    "The port scheduler is left out.": ("port-parent",),
    "This has no part in the models.": (
        "limit-unused-bandwidth", "parent-location", "stat-mode", "ethernet-ctag",
        "sub-insert-shared-pccrule", "monitor-depth", "monitor-queue-depth",
    ),
    "This priority is left out.": ("exceed-slope", "highplus-slope", "high", "exceed"),
    "The bytes added to each frame are left out: give overhead_bytes.": (
        "avg-frame-overhead", "packet-byte-offset", "frame-based-accounting",
    ),
    "The memory reserved for this queue is left out.": ("cbs",),
}  # fmt: skip
#: Queues of a card with a scheduler of its own.
_OF_CARD = re.compile(r"hs-|hsmda-")
_NO_CARD = "Queues of this card are left out: nothing is promised where this policy acts."
_LEFT_OUT = {command: lost for lost, commands in _LOST.items() for command in commands}
_RATE, _SLOPE_POLICY = ("pir", "cir"), ("policy", "mode")
_PARENT = "scheduler-name", "level", "weight", "cir-level", "cir-weight"
#: Setting -> the words before its numbers; the first need not stand there.
_SETTINGS: dict[str, tuple[str, ...]] = {
    "rate": _RATE, "percent-rate": _RATE, "parent": _PARENT, "scheduler-parent": _PARENT,
    "slope-policy": _SLOPE_POLICY, "wred-queue": _SLOPE_POLICY, "mbs": ("mbs",),
    "burst-limit": ("burst",), "high-prio-only": ("reduction",), "low": ("reduction",),
    "start-avg": ("start-avg",), "max-avg": ("max-avg",), "max-prob": ("max-prob",),
    "time-average-factor": ("factor",),
}  # fmt: skip
#: Word before a count -> its bounds. Other words are before names, rates and sizes, or shares.
_COUNTS = {
    "level": (1, 8), "weight": (0, 100), "cir-level": (0, 8), "cir-weight": (0, 100),
    "factor": (0, 15),
}  # fmt: skip
_TEXTS, _SIZES = {"scheduler-name", "policy", "mode"}, {"mbs", "burst"}
_TYPES = "expedite", "best-effort", "auto-expedite", "multipoint"
#: Words behind the name of a policy or a queue that change nothing here, and how many follow each.
_BEHIND = {
    "create": 0, "policer-allocation": 1, "allow-attachment": 1, "profile-mode": 0,
    "network-policy-type": 1, "priority-mode": 0, "queue-mode": 1, "description": 1, "scope": 1,
}  # fmt: skip


@dataclass
class Given:
    """What a queue, a scheduler or a slope is given, behind the line that begins it."""

    line: int
    text: str = ""
    type: str = ""
    on: bool = False
    values: dict[str, Value] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)

    def number(self, key: str, otherwise: float) -> float:
        """A level or a weight, or what it is by default."""
        return float(self.values.get(key, Value(otherwise)).value)

    def said(self, value: Value) -> str:
        """The command that says a value."""
        return next((each.text for each in self.statements if each.line == value.line), self.text)


@dataclass
class Policy:
    """A policy of any kind, with its queues, schedulers or slopes by name.

    `queue_of` has the queue of each class, and `marks` the class of each mark, in the unit `out`
    for one out of profile. `metered` is whether a class has a policer, or a queue of a card with
    its own scheduler; `names` is what else the policy is called, and `unit` what sizes are in where
    no word says so.
    """

    kind: str
    name: str
    line: int
    unit: str = "kB"
    parts: dict[str, Given] = field(default_factory=dict)
    queue_of: dict[str, Value] = field(default_factory=dict)
    marks: dict[str, Value] = field(default_factory=dict)
    default_class: str = "be"
    metered: bool = False
    names: set[str] = field(default_factory=set)


def read_policy(policy: Policy, words: Words) -> tuple[Given | None, str]:
    """What a command of a policy gives it: the part that it is of, and what is lost by it."""
    _skip_behind(words)
    while words.skip("name", "policy-name", "policy-id"):
        policy.names.add(words.take("the name"))
        _skip_behind(words)
    words.skip("ingress")
    verb, part, lost = words.ahead, None, ""
    if _OF_CARD.match(verb):
        policy.metered, lost = True, _NO_CARD
    elif verb in _LEFT_OUT:
        lost = _LEFT_OUT[verb]
    elif kind := MARKS.get(words.skip(*MARKS)):
        _marks(policy, words, kind)
    elif words.skip("fc"):
        lost = _class(policy, words)
    elif words.skip("default-fc", "default-action"):
        words.skip("fc")
        policy.default_class = _class_name(words)
    elif verb:
        part = _part(policy, words)
        lost = _setting(part, words, policy) if words.ahead else ""
        lost = _LEFT_OUT["multicast-queue"] if part.type == "multipoint" else lost
        lost = INWARD if policy.kind == "sap-ingress" else lost
    return part, lost


def _part(policy: Policy, words: Words) -> Given:
    """The queue, the scheduler or the slope that a command is of; the policy as a whole is one."""
    name = words.skip("queue", "tier", "high-slope", "low-slope")
    if name in ("queue", "tier"):
        name = str(words.count(f"the {name}", 1, 3 if name == "tier" else 32))
    if words.skip("scheduler"):
        name = words.take("the scheduler")
    if not name and words.ahead not in _SETTINGS:
        raise NotUnderstood
    part = policy.parts.setdefault(name, Given(words.line.number, words.line.text))
    while word := _skip_behind(words) or words.skip("queue-type", "pool", *_TYPES):
        part.type = word if word in _TYPES and words.ahead != "false" else part.type
        if word == "pool":
            words.take("the pool")
        elif word == "multipoint":
            words.skip("true", "false")
    return part


def _skip_behind(words: Words) -> str:
    """Pass by what changes nothing here, and say which word was the last."""
    last = ""
    while word := words.skip(*_BEHIND):
        last = word
        words.at += _BEHIND[word]
    return last


def _setting(part: Given, words: Words, policy: Policy) -> str:
    """One setting of a part; a line that is not understood to its end changes nothing."""
    words = Words(words.line._replace(words=words.line.words[words.at :]), 0)
    off = words.skip("no")
    words.skip("drop-tail")
    _skip_behind(words)
    if not words.ahead:
        return ""
    verb = words.take("the command").lower()
    if verb in ("shutdown", "admin-state"):
        part.on = bool(off) or words.ahead == "enable"
        return ""
    if verb not in _SETTINGS:
        if _OF_CARD.match(verb):
            policy.metered = True
            return _NO_CARD
        if verb in _LEFT_OUT and _SETTINGS.keys().isdisjoint(words.line.words[words.at :]):
            return _LEFT_OUT[verb]
        raise NotUnderstood
    keys = _SETTINGS[verb]
    found = {key: value for key, value in part.values.items() if not (off and key in keys)}
    percent = policy.kind == "network-queue" or verb == "percent-rate"
    if not off:
        _take_values(words, keys, found, percent, policy.unit)
    before, part.values = part.values, found
    if off or not words.ahead:
        return ""
    try:
        if words.ahead not in _SETTINGS:
            raise NotUnderstood
        return _setting(part, words, policy)
    except (NotUnderstood, Refused):
        part.values = before
        raise


def _take_values(
    words: Words, keys: tuple[str, ...], found: dict[str, Value], percent: bool, unit: str
) -> None:
    """The numbers of a setting, up to the next one on its line."""
    while words.ahead:
        words.skip("percent-reduction-from-mbs")
        key = words.skip(*keys) or keys[0]
        if key != "scheduler-name" and words.skip("default", "auto"):
            found.pop(key, None)
        else:
            found[key] = _value(words, key, percent, unit)
        if words.ahead not in keys:
            return


def _value(words: Words, key: str, percent: bool, unit: str) -> Value:
    """A name or a number; `max` has no unit, and so has nothing of what is by default."""
    if key in _TEXTS:
        return words.said(words.take("the name"))
    if key in _COUNTS:
        return words.said(words.count(f"the {key}", *_COUNTS[key]))
    if key in _RATE and (word := words.skip("max", "sum")):
        return words.said(word)
    if key not in (*_SIZES, *_RATE) or (percent and key != "burst"):
        return words.said(words.percent(f"the {key}", 0), "1")
    if key in _RATE:
        return words.said(exactly(words.number(f"the {key}"), "kbit/s", "bit/s"), "bit/s")
    return words.length(f"the {key}", unit, {"bytes": "B", "kilobytes": "kB"})


def _class_name(words: Words) -> str:
    """A forwarding class, without what is behind its dot."""
    name = words.take("the forwarding class").lower().partition(".")[0]
    if name not in CLASSES:
        words.refuse(f"the forwarding class is {name[:40]!r}; allowed: {', '.join(CLASSES)}")
    return name


def _class(policy: Policy, words: Words) -> str:
    """`fc ef create` and `queue 6` below it; marks on the way out, policers and the like."""
    name = _class_name(words)
    words.skip("create")
    verb = words.ahead
    if words.skip("queue"):
        queue = words.said(str(words.count("the queue", 1, 32)))
        words.end()
        policy.queue_of[name] = queue
    elif verb.startswith(tuple(MARKS)) and "queue" not in words.line.words[words.at :]:
        return _LEFT_OUT["remarking"]
    elif verb and verb not in _LEFT_OUT:
        raise NotUnderstood
    policy.metered |= verb == "policer"
    return _LEFT_OUT.get(verb, "")


def _marks(policy: Policy, words: Words, kind: str) -> None:
    """`dscp ef af41 fc h2 profile out`: the class of marks, and whether they are out of profile."""
    marks = []
    while words.ahead and words.ahead not in ("fc", "profile", "priority"):
        word = words.take("the mark")
        marks.append(read_word(word, "sros", kind) or "")
        if not marks[-1]:
            words.refuse(f"the {kind} is {word[:40]!r}; allowed: a word or a number of one")
    to = policy.marks.get("".join(marks), Value(""))
    if words.skip("fc"):
        to = words.said(_class_name(words), to.unit)
    while key := words.skip("profile", "priority"):
        low = words.take("the profile").lower() == "out" and key == "profile"
        to = to._replace(unit="out" if low else to.unit)
    words.end()
    policy.marks.update(dict.fromkeys(marks, to) if to.value else {})
