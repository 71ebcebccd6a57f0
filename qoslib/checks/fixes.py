"""Fixes that can be pasted: each names the policy, the interface or the scheduler it changes."""

import re
from math import ceil, floor

from qoslib import units
from qoslib.checks.rule import Case, Member
from qoslib.config.mqc.names import dscp_mark
from qoslib.config.records import Configuration, ConfiguredClass, Statement
from qoslib.tolerances import ROUNDING

__all__ = [
    "LEAST_SHARE",
    "NO_ROOM",
    "below_one",
    "guarantee",
    "leaves_rest",
    "raised",
    "reserved_bps",
    "tc_line",
    "unused",
    "without_marks",
]

#: The default class should keep at least this share.
LEAST_SHARE = 0.05
NO_ROOM = " There is no room for more beside the other guarantees and fixes."
_BANDWIDTH = re.compile(r"bandwidth (?:percent )?\d.*")
_MATCH = re.compile(r"match (?:ip |ipv4 |ipv6 )?dscp (?:ipv4 |ipv6 )?(.+)")


def unused(case: Case, name: str, kind: str) -> str:
    """A name that no `class-map` or `policy-map` has, like the one wanted."""
    taken = {each.text.split()[-1] for each in case.configuration.by_verb.get(kind, ())}
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def without_marks(case: Case, of: ConfiguredClass, marks: set[str]) -> str:
    """Commands that take code points out of the matches of a class (IOS)."""
    name, lines = case.class_name(of), list[str]()
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


def _taken_bps(case: Case, member: Member) -> float:
    """What no other class may be given [bit/s]."""
    origin = case.origin(member, "guaranteed_bps")
    if case.configuration.dialect == "junos" and origin and origin.line:
        # A device refuses transmit rates above 100 per cent, whatever their priority is.
        return member.queue.guaranteed_bps
    return reserved_bps(member)


def reserved_bps(member: Member) -> float:
    """What a class has before others share [bit/s]; 0 of priority without a limit."""
    limit_bps = member.limit_bps
    if member.strict:
        return limit_bps or 0.0
    rate_bps = member.queue.guaranteed_bps
    if not rate_bps:
        # Classic IOS makes weights of what it says.
        said = any(_BANDWIDTH.fullmatch(each.text) for each in member.of.statements)
        rate_bps = member.queue.weight if said else 0.0
    return rate_bps if limit_bps is None else min(rate_bps, limit_bps)


def raised(
    case: Case, most_bps: float, members: list[Member], name: str, wanted_bps: float
) -> float:
    """As much of a wanted rate as leaves the default class its minimum, or 5 %, beside all fixes.

    It is taken down, so that fixes that follow leave it in place.
    """
    had = {each.name for each in members}
    room_bps = _room_bps(case, most_bps, members, name)
    allowed_bps = max(min(wanted_bps, room_bps), 0.0)
    if allowed_bps or name in had:
        case.raised[name] = allowed_bps
    return allowed_bps


def _room_bps(case: Case, most_bps: float, members: list[Member], name: str) -> float:
    """What is left for a class, beside the others' rates and what the default class needs."""
    has = {each.name: _taken_bps(case, each) for each in members}
    has = {key: max(rate, case.raised.get(key, 0.0)) for key, rate in has.items()}
    has |= {key: rate for key, rate in case.raised.items() if key not in has}
    room_bps = most_bps - sum(rate for key, rate in has.items() if key != name)
    rest = next((each for each in members if "the rest" in each.of.marks), None)
    if rest is None or rest.name == name:
        return room_bps
    weights = {each.name: 1.0 for each in members if not each.strict} | {name: 1.0}
    weights |= {key: 1.0 for key in case.raised if key not in has or key in weights}
    if case.configuration.dialect == "ios-xe":
        weights |= {each.name: each.queue.weight for each in members if not each.strict}
        weights |= case.ratios
    least_bps = LEAST_SHARE * most_bps
    # What it has below a class without a limit says nothing of what it needs beside the limit.
    if not any(each.strict and each.limit_bps is None for each in members):
        least_bps = min(rest.promise.minimum_bps, least_bps)
    needed_bps = max(least_bps - has[rest.name], 0.0)
    if rest.strict:
        return room_bps - needed_bps
    return room_bps - needed_bps * sum(weights.values()) / weights[rest.name]


def leaves_rest(case: Case, most_bps: float, members: list[Member]) -> bool:
    """Whether the default class keeps its minimum, or 5 %, beside all fixes so far."""
    return _room_bps(case, most_bps, members, members[0].name) >= case.raised.get(
        members[0].name, _taken_bps(case, members[0])
    ) * (1 - ROUNDING)


def guarantee(
    case: Case,
    most_bps: float,
    members: list[Member],
    name: str,
    wanted_bps: float,
    least_bps: float = 0.0,
) -> str:
    """The command of a guarantee (IOS) that fits beside all others; empty where none does."""
    had = next((_taken_bps(case, each) for each in members if each.name == name), 0.0)
    said = [each.text for member in members for each in member.of.statements]
    if any(text.startswith("bandwidth remaining ") for text in said):
        return _remaining(members, name, wanted_bps, most_bps, said)
    allowed_bps = raised(case, most_bps, members, name, wanted_bps)
    rounded = ceil if allowed_bps == wanted_bps else floor
    rate_bps, command = case.bandwidth(allowed_bps, most_bps, rounded)
    if rate_bps <= had * (1 + ROUNDING) or rate_bps < least_bps * (1 - ROUNDING):
        case.raised.pop(name, None)
        return ""
    case.raised[name] = rate_bps
    return command


def _remaining(
    members: list[Member], name: str, wanted_bps: float, most_bps: float, said: list[str]
) -> str:
    """Of a policy that shares what priority leaves, and which refuses `bandwidth` beside it."""
    rates = (text for text in said if text.startswith("bandwidth "))
    if not all(text.startswith("bandwidth remaining") for text in rates):
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


def below_one(fixes: list[str]) -> str:
    """Fixes of classes of one policy below one header."""
    first, *others = [each.split("\n") for each in fixes] or [[]]
    more = [each[1:] if each[0] == first[0] else each for each in others]
    return "\n".join([*first, *(line for lines in more for line in lines)])


def tc_line(configuration: Configuration, line: int, pattern: str, text: str) -> str:
    """A line of tc as a change, with parts of it replaced; empty where it has no such part."""
    said = next((each.text for each in configuration.statements if each.line == line), "")
    new, count = re.subn(pattern, text, said, flags=re.IGNORECASE)
    if not count:
        return ""
    return re.sub(r"\b(qdisc|class) (add|replace)\b", r"\1 change", new, count=1)
