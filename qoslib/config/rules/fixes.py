"""Fixes that can be pasted: each names the policy, the interface or the scheduler it changes."""

import re
from math import ceil, floor

from qoslib import units
from qoslib.config.reading import ConfiguredClass, Statement
from qoslib.config.rules.rule import Case, Member
from qoslib.tolerances import ROUNDING

__all__ = [
    "LEAST_SHARE",
    "NO_ROOM",
    "class_name",
    "guarantee",
    "in_class",
    "policy_line",
    "raised",
    "reserved_bps",
    "scheduler_of",
    "tc_line",
    "unused",
    "without_marks",
]

#: The default class should keep at least this share.
LEAST_SHARE = 0.05
NO_ROOM = " There is no room for more beside the other guarantees and fixes."
_SCHEDULER = re.compile(r"scheduler-maps (\S+) forwarding-class (\S+) scheduler (\S+)")
_MAP = re.compile(r"(interfaces|traffic-control-profiles) (\S+)(?: .*)? scheduler-map (\S+)")
_MATCH = re.compile(r"match (?:ip |ipv4 |ipv6 )?dscp (?:ipv4 |ipv6 )?(.+)")


def class_name(case: Case, of: ConfiguredClass) -> str:
    """The name of a class as its policy has it, without those above it."""
    said = (each.text for each in case.configuration.statements if each.line == of.line)
    found = next((text for text in said if of.line and text.startswith("class ")), "")
    return found.split()[-1] if found else of.name.rsplit("/", 1)[-1]


def policy_line(case: Case, of: ConfiguredClass) -> str:
    """The command that begins the policy of a class; empty where no text has it."""
    headers = {
        each.line: each.parents[0]
        for each in case.configuration.statements
        if each.parents and each.text.startswith("class ")
    }
    beside = [of, *(each for each in case.configured.classes if each.node == of.node)]
    return next((headers[each.line] for each in beside if each.line in headers), "")


def in_class(case: Case, of: ConfiguredClass, *commands: str) -> str:
    """Commands of a class (IOS), below its policy."""
    lines = [f"class {class_name(case, of)}", *(f" {each}" for each in commands)]
    header = policy_line(case, of)
    return "\n".join([header, *(f" {line}" for line in lines)] if header else lines)


def unused(case: Case, name: str, kind: str) -> str:
    """A name that no `class-map` or `policy-map` has, like the one wanted."""
    taken = {
        each.text.split()[-1]
        for each in case.configuration.statements
        if each.text.startswith(f"{kind} ")
    }
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def without_marks(case: Case, of: ConfiguredClass, marks: set[str]) -> str:
    """Commands that take code points out of the matches of a class (IOS)."""
    from qoslib.config.mqc.words import dscp_mark

    name, lines = class_name(case, of), list[str]()
    for each in _of_class_map(case, name):
        found = _MATCH.fullmatch(each.text)
        words = found[1].split() if found else []
        left = [word for word in words if dscp_mark(word) not in marks]
        if len(left) < len(words):
            lines = lines or [each.parents[0]]
            lines.append(f" no {each.text}")
            lines += [f" match dscp {' '.join(left)}"] if left else []
    return "\n".join(lines)


def _of_class_map(case: Case, name: str) -> list[Statement]:
    return [
        each
        for each in case.configuration.statements
        if each.parents
        and each.parents[0].startswith("class-map ")
        and each.parents[0].split()[-1] == name
    ]


def reserved_bps(case: Case, member: Member) -> float:
    """What a class has for sure, so that no other may be promised it [bit/s]."""
    if case.configuration.dialect == "junos":
        # A device refuses transmit rates above 100 per cent, whatever their priority is.
        origin = case.origin(member, "guaranteed_bps")
        return member.queue.guaranteed_bps if origin and origin.line else 0.0
    if member.strict:
        return member.limit_bps or 0.0
    return member.queue.guaranteed_bps


def raised(
    case: Case, most_bps: float, members: list[Member], name: str, wanted_bps: float
) -> float:
    """As much of a wanted rate as leaves the default class its minimum, or 5 %, beside all fixes.

    It is taken down, so that fixes that follow leave it in place.

    Parameters
    ----------
    case : Case
    most_bps : float
        What the classes share [bit/s].
    members : list of Member
        The classes.
    name : str
        Of one of them, or of a new one.
    wanted_bps : float
        [bit/s]

    Returns
    -------
    float
        [bit/s]; 0 where there is no room.
    """
    had = {each.name: reserved_bps(case, each) for each in members}
    has = {key: max(rate, case.raised.get(key, 0.0)) for key, rate in had.items()}
    has |= {key: rate for key, rate in case.raised.items() if key not in has}
    room_bps = most_bps - sum(rate for key, rate in has.items() if key != name)
    rest = next((m for m in members if "the rest" in m.of.marks), None)
    if rest is not None and rest.name != name:
        sharing = sum(not each.strict for each in members) + (name not in had)
        least_bps = min(rest.promise.minimum_bps, LEAST_SHARE * most_bps)
        room_bps -= max(least_bps - has[rest.name], 0.0) * sharing
    allowed_bps = max(min(wanted_bps, room_bps), 0.0)
    if allowed_bps > has.get(name, 0.0) or name in had:
        case.raised[name] = allowed_bps
    return allowed_bps


def guarantee(
    case: Case, most_bps: float, members: list[Member], name: str, wanted_bps: float
) -> str:
    """The command of a guarantee (IOS) that fits beside all others; empty where there is no room.

    Parameters
    ----------
    case, most_bps, members, name, wanted_bps
        As `raised` takes them.

    Returns
    -------
    str
    """
    had = next((reserved_bps(case, each) for each in members if each.name == name), 0.0)
    said = [each.text for member in members for each in member.of.statements]
    if any(text.startswith("bandwidth remaining ") for text in said):
        return _remaining(members, name, wanted_bps, most_bps, said)
    allowed_bps = raised(case, most_bps, members, name, wanted_bps)
    rounded = ceil if allowed_bps == wanted_bps else floor
    rate_bps, command = case.bandwidth(allowed_bps, most_bps, rounded)
    if rate_bps <= had * (1 + ROUNDING):
        case.raised.pop(name, None)
        return ""
    case.raised[name] = rate_bps
    return command


def _remaining(
    members: list[Member], name: str, wanted_bps: float, most_bps: float, said: list[str]
) -> str:
    """Of a policy that shares what priority leaves, and which refuses `bandwidth` beside it."""
    if any(re.match(r"bandwidth (?!remaining)", text) for text in said):
        return ""
    others = [each for each in members if not each.strict and each.name != name]
    left_bps = most_bps - sum(each.limit_bps or 0.0 for each in members if each.strict)
    if not wanted_bps < left_bps:
        return ""
    if any(text.startswith("bandwidth remaining percent") for text in said):
        listed = {
            each.name: float(one.text.split()[3])
            for each in others
            for one in each.of.statements
            if one.text.startswith("bandwidth remaining percent")
        }
        percent = ceil(units.convert(wanted_bps / left_bps, "1", "%"))
        fits = percent + sum(listed.values()) <= 100
        return f"bandwidth remaining percent {percent}" if fits else ""
    weights = sum(each.queue.weight for each in others)
    return (
        f"bandwidth remaining ratio {max(ceil(wanted_bps / (left_bps - wanted_bps) * weights), 1)}"
    )


def scheduler_of(case: Case, member: Member) -> str:
    """The scheduler of a class (Junos), by the scheduler map of its interface; else its name."""
    whole = [
        " ".join([*each.parents, each.text]).removeprefix("set ").rstrip(";")
        for each in case.configuration.statements
    ]
    found = [said.groups() for text in whole if (said := _SCHEDULER.search(text))]
    used = [said[3] for text in whole if (said := _MAP.search(text)) and _is_here(case, said)]
    own = [each for each in found if each[1] == member.name.rsplit(" ", 1)[-1]]
    own.sort(key=lambda each: each[0] not in used)
    return own[0][2] if own else ""


def _is_here(case: Case, said: re.Match[str]) -> bool:
    interface = case.configured.interface
    return said[1] == "interfaces" and interface.split(".")[0].split(" ")[0] == said[2]


def tc_line(case: Case, line: int, pattern: str, text: str) -> str:
    """A line of tc as a change, with a part of it replaced; empty where it has no such part."""
    said = next((each.text for each in case.configuration.statements if each.line == line), "")
    new, count = re.subn(pattern, text, said, count=1)
    if not count:
        return ""
    return re.sub(r"\b(qdisc|class) (add|replace)\b", r"\1 change", new, count=1)
