"""The table of commands of a class in a policy, and what each does to its record."""

from collections.abc import Callable

from qoslib import units
from qoslib.config.mqc.lines import RATE_WORDS, NotUnderstood, Words, exactly
from qoslib.config.mqc.police import ACTIONS, action, burst, police
from qoslib.config.mqc.policies import Named, PolicyClass, Priority, Shape
from qoslib.config.mqc.queue_commands import queue_limit, random_detect
from qoslib.config.values import Value

__all__ = ["COMMANDS", "UNMODELLED", "apply", "withdraw"]

_ACCOUNT = "What `account` adds to each frame is left out: the port counts one size for all."


def _account(words: Words) -> list[str]:
    if not words.skip("account"):
        words.end()
        return []
    return [_ACCOUNT]


def _bandwidth(of: PolicyClass, words: Words) -> list[str]:
    number = words.line.number
    if words.skip("remaining"):
        if words.skip("percent"):
            of.remaining = Value(words.number("the share", 0, 100), "%", number)
        else:
            words.skip("ratio")
            of.remaining = Value(words.count("the ratio", 1, 65_536), "ratio", number)
    elif (share := words.share("the bandwidth")) is not None:
        of.bandwidth = Value(share, "1", number)
    else:
        of.bandwidth = Value(words.rate_bps("the bandwidth", "kbit/s"), "bit/s", number)
    return _account(words)


def _priority(of: PolicyClass, words: Words) -> list[str]:
    number, level, rate, size = words.line.number, 1, None, None
    if words.skip("level"):
        level = words.count("the level", 1, 7)
    if words.skip("percent"):
        rate = Value(words.percent("the priority rate"), "1", number)
    elif words.ahead:
        rate = Value(words.rate_bps("the priority rate", "kbit/s"), "bit/s", number)
    if rate and words.ahead and words.ahead != "account":
        size = burst(words, "the burst")
        if size.value <= 0:
            words.refuse("the burst is 0; allowed: above 0")
    of.priority = Priority(number, level, rate, size)
    return _account(words)


def _shape(of: PolicyClass, words: Words) -> list[str]:
    number = words.line.number
    if words.ahead in ("adaptive", "fecn-adapt", "fr-voice-adapt", "max-buffers"):
        return ["The shaper's rate does not adapt, and its memory is the queue's limit."]
    if words.skip("min"):
        # A minimum and a maximum data rate (Cisco, Nexus 9000 QoS guide, Congestion Management).
        value = words.number("the minimum", 0)
        least_bps = exactly(value, RATE_WORDS.get(words.skip(*RATE_WORDS), "bit/s"), "bit/s")
        if not words.skip("max"):
            raise NotUnderstood
        rate = Value(words.rate_bps("the shaped rate"), "bit/s", number)
        least = Value(least_bps, "bit/s", number) if least_bps else None
        of.shape = Shape(rate, least=least)
        if least_bps > rate.value:
            words.refuse("the minimum is above the maximum")
        words.end()
        return []
    peak = words.skip("average", "peak") == "peak"
    sizes: list[Value] = []
    if (share := words.share("the shaped rate")) is not None:
        rate = Value(share, "1", number)
        while words.has_number():
            sizes.append(burst(words, "the burst", "ms"))
    else:
        rate = Value(words.rate_bps("the shaped rate"), "bit/s", number)
        while words.has_number():
            bits = words.number("the burst", 0)
            if words.ahead in ("ms", "us", "bytes", "kbytes", "mbytes", "gbytes"):
                words.at -= 1
                sizes.append(burst(words, "the burst"))
            else:
                sizes.append(Value(units.octets(bits), "B", number))
    if len(sizes) > 2:
        raise NotUnderstood
    committed, excess = (*sizes, None, None)[:2]
    of.shape = Shape(rate, committed, excess, peak)
    return _account(words)


def _police(of: PolicyClass, words: Words) -> list[str]:
    if words.ahead == "":
        raise NotUnderstood
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
        return ["The new mark is left out: streams keep the mark that you give them."]
    words.take("what to set")
    of.groups = (*of.groups, f"{kind} {words.count('the group', 0, 99)}")
    words.end()
    return []


def _drop(of: PolicyClass, words: Words) -> list[str]:
    of.drop = words.line.number
    words.end()
    return []


def _child(of: PolicyClass, words: Words) -> list[str]:
    words.skip("output", "input")
    if words.skip("type"):
        words.take("the type")
    of.child = Named(words.take("the policy's name"), words.line.number)
    words.end()
    return []


#: Command -> what it does to a class; it gives what is lost, a sentence each.
COMMANDS: dict[str, Callable[[PolicyClass, Words], list[str]]] = {
    "bandwidth": _bandwidth,
    "priority": _priority,
    "shape": _shape,
    "police": _police,
    "queue-limit": queue_limit,
    "random-detect": random_detect,
    "service-policy": _child,
    "set": _set,
    "drop": _drop,
    **dict.fromkeys(ACTIONS, _action),
}
#: Command -> what is lost without it.
UNMODELLED = {
    "fair-queue": "The flows of this class wait in one queue here, first in first out.",
    "compression": "Headers stay as long as they are.",
    "compress": "Headers stay as long as they are.",
    "trust": "Streams keep the mark that you give them.",
    "queue-buffers": "The share of the switch's memory is left out; the default limit is taken.",
    "estimate": "Nothing is lost.",
    "log": "Nothing is lost.",
    "netflow-sampler": "Nothing is lost.",
    "afd": "Approximate fair drop is left out: a full queue drops.",
    "dpp": "Short flows are not taken out of their queue.",
    "multicast-optimize": "Multicast is not modelled.",
    "child-conform-aware": "The policer does not look at what the one below it says.",
    "service-fragment": "Parts of a policy on several interfaces are left out.",
    "account": _ACCOUNT,
    "conform-color": "The policer is colour-blind here.",
    "exceed-color": "The policer is colour-blind here.",
    "pause": "Pause by priority is left out: a full queue drops.",
    "no-drop": "Pause by priority is left out: a full queue drops.",
    "mtu": "Frames have the size of their stream.",
    "congestion-control": "What this congestion control does is left out.",
}


def apply(of: PolicyClass, words: Words) -> list[str]:
    """Give a class what a line says."""
    verb = words.line.verb
    if verb == "description":
        return []
    if verb == "fair-queue":
        of.fair = words.line.number
    if verb in UNMODELLED:
        return [UNMODELLED[verb]]
    if verb not in COMMANDS:
        raise NotUnderstood
    return COMMANDS[verb](of, words)


#: Command -> the field that `no` empties.
_FIELDS = {
    "bandwidth": "bandwidth", "bandwidth remaining": "remaining", "priority": "priority",
    "shape": "shape", "police": "police",
    "queue-limit": "limit", "random-detect": "early", "service-policy": "child",
}  # fmt: skip


def withdraw(of: PolicyClass, words: str) -> None:
    """Take back what a command gave."""
    verb = words if words in _FIELDS else words.partition(" ")[0]
    if verb not in _FIELDS and verb not in UNMODELLED and verb != "drop":
        raise NotUnderstood
    if verb in _FIELDS:
        setattr(of, _FIELDS[verb], None)
    if verb == "fair-queue":
        of.fair = 0
    if verb == "drop":
        of.drop = 0
