"""The table of commands of a class in a policy: what each says, gives, takes back and loses."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from qoslib import units
from qoslib.config.mqc.police import ACTIONS, action, police
from qoslib.config.mqc.policies import Named, PolicyClass, Priority, Shape
from qoslib.config.mqc.queue_commands import queue_buffers, queue_limit, random_detect
from qoslib.config.values import Value
from qoslib.config.words import RATE_WORDS, NotUnderstood, Words, exactly

__all__ = [
    "COMMANDS",
    "VERBS",
    "apply",
    "command_line",
    "gives",
    "gives_rate",
    "name_of",
    "verbs_giving",
    "withdraw",
]

_ACCOUNT = "What `account` adds to each frame is left out: the port counts one size for all."
_PAUSE = "Pause by priority is left out: a full queue drops."
_COLOUR_BLIND = "The policer is colour-blind here."
_HEADERS = "Headers stay as long as they are."
_MARK = "The new mark is left out: streams keep the mark that you give them."
_ADAPTS = "The shaper's rate does not adapt, and its memory is the queue's limit."
_SIZES = ("ms", "us", "bytes", "kbytes", "mbytes", "gbytes")


def _account(words: Words) -> list[str]:
    if not words.skip("account"):
        words.end()
        return []
    return [_ACCOUNT]


def _bandwidth(of: PolicyClass, words: Words) -> list[str]:
    if not words.skip("remaining"):
        of.bandwidth = words.rate("the bandwidth", "kbit/s")
    elif words.skip("percent"):
        of.remaining = words.said(words.number("the share", 0, 100), "%")
    else:
        words.skip("ratio")
        of.remaining = words.said(words.count("the ratio", 1, 65_536), "ratio")
    return _account(words)


def _priority(of: PolicyClass, words: Words) -> list[str]:
    level, rate, size = 1, None, None
    if words.skip("level"):
        level = words.count("the level", 1, 7)
    if words.skip("percent"):
        rate = words.said(words.percent("the priority rate"), "1")
    elif words.ahead:
        rate = words.said(words.rate_bps("the priority rate", "kbit/s"), "bit/s")
    if rate and words.ahead and words.ahead != "account":
        size = words.length("the burst", "B")
        if size.value <= 0:
            words.refuse("the burst is 0; allowed: above 0")
    of.priority = Priority(words.line.number, level, rate, size)
    return _account(words)


def _shape(of: PolicyClass, words: Words) -> list[str]:
    if words.ahead in ("adaptive", "fecn-adapt", "fr-voice-adapt", "max-buffers"):
        return [_ADAPTS]
    if words.skip("min"):
        return _shape_between(of, words)
    peak = words.skip("average", "peak") == "peak"
    rate = words.rate("the shaped rate")
    sizes: list[Value] = []
    while words.has_number():
        sizes.append(_shape_burst(words, rate))
    if len(sizes) > 2:
        raise NotUnderstood
    size, excess = (*sizes, None, None)[:2]
    of.shape = Shape(rate, size, excess, peak)
    return _account(words)


def _shape_burst(words: Words, rate: Value) -> Value:
    """A burst of `shape`: of a share in ms, of a rate in bits, where no unit is written."""
    if rate.unit == "1":
        return words.length("the burst", "ms")
    bits = words.number("the burst", 0)
    if words.ahead not in _SIZES:
        return words.said(units.octets(bits), "B")
    words.at -= 1
    return words.length("the burst", "B")


def _shape_between(of: PolicyClass, words: Words) -> list[str]:
    """A minimum and a maximum data rate (Cisco, Nexus 9000 QoS guide, Congestion Management)."""
    value = words.number("the minimum", 0)
    least_bps = exactly(value, RATE_WORDS.get(words.skip(*RATE_WORDS), "bit/s"), "bit/s")
    if not words.skip("max"):
        raise NotUnderstood
    rate = words.said(words.rate_bps("the shaped rate"), "bit/s")
    of.shape = Shape(rate, least=words.said(least_bps, "bit/s") if least_bps else None)
    if least_bps > rate.value:
        words.refuse("the minimum is above the maximum")
    words.end()
    return []


def _police(of: PolicyClass, words: Words) -> list[str]:
    of.police, lost = police(words)
    return lost


def _action(of: PolicyClass, words: Words) -> list[str]:
    if of.police is None:
        raise NotUnderstood
    words.at = 0
    lost = action(words, of.police)
    while words.ahead:
        lost += action(words, of.police)
    return lost


def _set(of: PolicyClass, words: Words) -> list[str]:
    """Only groups, which `match` on the way out looks at, are followed."""
    kind = words.ahead
    number = (*words.line.words[words.at + 1 :], "")[0]
    if kind not in ("qos-group", "traffic-class", "discard-class") or not number[:1].isdigit():
        return [_MARK]
    words.take("what to set")
    of.groups = (*of.groups, f"{kind} {words.count('the group', 0, 99)}")
    words.end()
    return []


def _drop(of: PolicyClass, words: Words) -> list[str]:
    of.drop = words.line.number
    words.end()
    return []


def _fair(of: PolicyClass, words: Words) -> list[str]:
    of.fair = Value(None, line=words.line.number)
    if words.skip("queue-limit"):
        return ["The limit of a flow is left out: a quarter of the class's is taken."]
    if words.has_number():
        of.fair = words.said(words.count("the number of queues", 1, 4096))
    words.end()
    return []


def _child(of: PolicyClass, words: Words) -> list[str]:
    words.skip("output", "input")
    if words.skip("type"):
        words.take("the type")
    of.child = Named(words.take("the policy's name"), words.line.number)
    words.end()
    return []


class Command(NamedTuple):
    """A command of a class."""

    #: What it does to a class; it gives what is lost, a sentence each.
    read: Callable[[PolicyClass, Words], list[str]] | None = None
    #: What it sets of a class, and `no` empties.
    field: str = ""
    #: "a queue" of its own, "a change" of one, "a meter", which needs none, or "a child".
    gives: str = ""
    #: Whether it gives a rate, or a part of one.
    rate: bool = False
    #: Whether it takes the place of an earlier one of its kind.
    single: bool = False
    #: Whether a class with a child policy has no use for it here.
    flat: bool = False
    #: Words that may follow it.
    behind: tuple[str, ...] = ()
    #: How it begins where it is written, and the unit of its number where that has none.
    written: str = ""
    bare: str = ""
    #: What is lost of one that is not modelled.
    lost: str = ""


#: Command -> what it is; where the second word tells what it sets, both.
COMMANDS: dict[str, Command] = {
    "bandwidth": Command(
        _bandwidth, "bandwidth", "a queue", rate=True, single=True,
        behind=("percent", "remaining", "ratio"), written="bandwidth", bare="kbit/s",
    ),
    "bandwidth remaining": Command(
        _bandwidth, "remaining", "a queue", rate=True, written="bandwidth remaining ratio",
        bare="ratio",
    ),
    "priority": Command(
        _priority, "priority", "a queue", rate=True, single=True, flat=True,
        behind=("percent", "level"), written="priority", bare="kbit/s",
    ),
    "shape": Command(
        _shape, "shape", "a queue", rate=True, single=True,
        behind=("average", "peak", "percent"), written="shape average", bare="bit/s",
    ),
    "police": Command(
        _police, "police", "a meter", rate=True, single=True,
        behind=("cir", "percent", "rate"), written="police cir", bare="bit/s",
    ),
    "queue-limit": Command(
        queue_limit, "limit", "a change", flat=True, behind=("packets", "bytes", "ms"),
        written="queue-limit", bare="packets",
    ),
    "random-detect": Command(
        random_detect, "early", "a change", flat=True,
        behind=("dscp", "dscp-based", "precedence", "precedence-based", "ecn"),
        written="random-detect",
    ),
    "service-policy": Command(_child, "child", "a child", behind=("input", "output", "type")),
    "fair-queue": Command(_fair, "fair", "a change"),
    "drop": Command(_drop, "drop", "a meter"),
    "set": Command(_set),
    **dict.fromkeys(ACTIONS, Command(_action)),
    "compression": Command(lost=_HEADERS),
    "compress": Command(lost=_HEADERS),
    "trust": Command(lost="Streams keep the mark that you give them."),
    "queue-buffers": Command(queue_buffers, "buffers", "a queue", flat=True, behind=("ratio",)),
    "estimate": Command(lost="Nothing is lost."),
    "log": Command(lost="Nothing is lost."),
    "netflow-sampler": Command(lost="Nothing is lost."),
    "afd": Command(lost="Approximate fair drop is left out: a full queue drops."),
    "dpp": Command(lost="Short flows are not taken out of their queue."),
    "multicast-optimize": Command(lost="Multicast is not modelled."),
    "child-conform-aware": Command(
        lost="The policer does not look at what the one below it says."
    ),
    "service-fragment": Command(lost="Parts of a policy on several interfaces are left out."),
    "account": Command(lost=_ACCOUNT),
    "conform-color": Command(lost=_COLOUR_BLIND),
    "exceed-color": Command(lost=_COLOUR_BLIND),
    "pause": Command(lost=_PAUSE),
    "no-drop": Command(lost=_PAUSE),
    "mtu": Command(lost="Frames have the size of their stream."),
    "congestion-control": Command(lost="What this congestion control does is left out."),
}  # fmt: skip
#: Their first words.
VERBS = frozenset(name for name in COMMANDS if " " not in name)
_GIVEN = tuple((each.gives, each.field) for each in COMMANDS.values() if each.gives)


def name_of(words: Sequence[str]) -> str:
    """The name in the table of a command.

    >>> name_of(("bandwidth", "remaining", "percent", "20")), name_of(("Bandwidth", "2000"))
    ('bandwidth remaining', 'bandwidth')
    """
    two = " ".join(words[:2]).lower()
    return two if two in COMMANDS else words[0].lower() if words else ""


def verbs_giving(*kinds: str) -> tuple[str, ...]:
    """The first words of the commands that give a class something of these kinds.

    >>> verbs_giving("a change")
    ('queue-limit', 'random-detect', 'fair-queue')
    """
    return tuple(name for name, each in COMMANDS.items() if name in VERBS and each.gives in kinds)


def gives(part: PolicyClass, *kinds: str) -> bool:
    """Whether a class has a command that gives something of these kinds.

    >>> gives(PolicyClass("VOICE", 1, priority=Priority(2)), "a queue", "a meter")
    True
    """
    if part.limits and "a change" in kinds:
        return True
    return any(getattr(part, field) for kind, field in _GIVEN if kind in kinds)


def gives_rate(part: PolicyClass, line: int) -> bool:
    """Whether a rate of a class comes from a line."""
    values = (getattr(part, each.field) for each in COMMANDS.values() if each.rate)
    return any(each is not None and each.line == line for each in values)


def apply(of: PolicyClass, words: Words) -> list[str]:
    """Give a class what a line says."""
    verb = words.line.verb
    if verb == "description":
        return []
    if verb not in VERBS:
        raise NotUnderstood
    command = COMMANDS[verb]
    if command.read is None:
        return [command.lost]
    # A line that is not understood, or refused, changes nothing.
    draft = of.copy()
    lost = command.read(draft, words)
    vars(of).update(vars(draft))
    return lost


def withdraw(of: PolicyClass, words: Sequence[str]) -> None:
    """Take back what a command gave."""
    command = COMMANDS.get(name_of(words))
    if command is None or (command.read and not command.field):
        raise NotUnderstood
    if command.field:
        setattr(of, command.field, getattr(PolicyClass, command.field))


def command_line(name: str, value: float, *behind: object) -> str:
    """A command as it is written, with a value in its own unit.

    >>> command_line("bandwidth", 2e6), command_line("police", 8e6, "bc", 1500)
    ('bandwidth 2000', 'police cir 8000000 bc 1500')
    """
    command = COMMANDS[name]
    if command.bare.endswith("bit/s"):
        value = units.convert(value, "bit/s", command.bare)
    return " ".join(map(str, (command.written, max(round(value), 1), *behind)))
