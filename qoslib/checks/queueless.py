"""A rule on classes that have no command of queues (IOS, IOS XE)."""

from collections.abc import Iterator
from math import floor

from qoslib.checks.fixes import guarantee, raised
from qoslib.checks.priority import ROOM
from qoslib.checks.promises import hosts
from qoslib.checks.rule import Case, Found, Member, rule
from qoslib.config.records import ConfiguredClass

__all__ = ["policed_alone"]

#: What gives a class a queue, and what only changes one.
_QUEUES, _CHANGES = (
    {"bandwidth", "priority", "shape", "service-policy"},
    ("queue-limit", "random-detect"),
)
_ACTIONS = {"police", "conform-action", "exceed-action", "violate-action"}
#: What a fix gives such a class, as a share of the link.
_SHARE = 0.05


@rule(
    "class-without-queue",
    "info",
    "Cisco, QoS Modular QoS CLI Configuration Guide, IOS XE Fuji 16.7, QoS Scheduling:"
    " Class Queues",
)
def class_without_queue(case: Case) -> Iterator[Found]:
    """A class has no bandwidth, priority or shape: it waits in class-default (IOS, XE)."""
    if case.configuration.dialect not in ("ios", "ios-xe"):
        return
    if not any(_verbs(each.of).keys() & _QUEUES for each in case.every):
        # A policy without queues only polices or marks, as one of the control plane does.
        return
    guests = hosts(case.configured)
    for most, members in case.groups:
        names = {each.name for each in members}
        beside = [each for each in case.every if guests.get(each.name) in names]
        for member in [*members, *beside]:
            yield from _found(case, most, members, member, guests)


def policed_alone(case: Case, member: Member) -> bool:
    """Whether a class is only policed, so that its packets wait in another class's queue (IOS)."""
    verbs = _verbs(member.of).keys()
    known = case.configuration.dialect in ("ios", "ios-xe") and not _is_owner(member.of)
    return known and bool(verbs & _ACTIONS) and not verbs & {*_QUEUES, *_CHANGES}


def _found(
    case: Case, most: float, members: list[Member], member: Member, guests: dict[str, str]
) -> Iterator[Found]:
    of, wants = member.of, f"{member.name} has no `bandwidth`, `priority` or `shape`"
    verbs = _verbs(of)
    changes = [verb for verb in _CHANGES if verb in verbs]
    fix = ""
    if "drop" in verbs:
        # Nothing of it waits.
        return
    if member.name in guests or changes:
        command = _command(case, most, members, member)
        fix = case.in_class(of, command) if command else ""
    if member.name in guests:
        yield Found(
            of.line,
            f"Class {member.name} has no queue of its own: it waits in that of class-default.",
            f"{wants}: its packets share {guests[member.name]}'s queue, first in first out.",
            fix,
            "warning" if "EF" in of.marks else None,
        )
    elif _is_owner(of) or not verbs or verbs.keys() & _QUEUES:
        return
    elif changes:
        yield Found(
            verbs[changes[0]],
            f"`{changes[0]}` of class {member.name} needs `bandwidth`, `priority` or `shape` in the"
            " same class: a device that refuses it gives the class no queue.",
            _REFUSED[changes[0]],
            fix,
            "warning",
        )
    elif verbs.keys() & _ACTIONS:
        yield Found(
            of.line,
            f"Class {member.name} is policed and has no queue of its own on the device.",
            f"{wants}: what passes waits in class-default's queue, here in one of its own.",
        )


def _verbs(of: ConfiguredClass) -> dict[str, int]:
    """First word of each command of a class, and its line."""
    return {each.text.split()[0].lower(): each.line for each in of.statements}


def _command(case: Case, most: float, members: list[Member], member: Member) -> str:
    """What gives the class a queue: a guarantee, or priority for calls."""
    if _is_owner(member.of):
        return ""
    sent_bps = member.load.rate_bps if member.load else 0.0
    wanted_bps = max(_SHARE * most, ROOM * sent_bps)
    if "EF" not in member.of.marks:
        return guarantee(case, most, members, member.name, wanted_bps)
    allowed_bps = raised(case, most, members, member.name, wanted_bps)
    return case.priority(allowed_bps, most, floor) if allowed_bps == wanted_bps else ""


def _is_owner(of: ConfiguredClass) -> bool:
    return "the rest" in of.marks


_REFUSED = {
    "queue-limit": "Cisco 10000 Series, QoS Configuration Guide, OL-7433-09, page 11-22: one of"
    " these must be configured as well. Here the class has a queue of its own.",
    "random-detect": "IOS XR of the ASR 9000 refuses it (Modular QoS Congestion Avoidance); for"
    " IOS and IOS XE this is not verified. Here the class has a queue of its own.",
}
