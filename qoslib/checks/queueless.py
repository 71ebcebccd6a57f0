"""A rule on classes that have no command of queues (IOS, IOS XE)."""

from collections.abc import Iterator

from qoslib.checks.checked_port import CheckedPort, Group, Member
from qoslib.checks.priority import ROOM
from qoslib.checks.promises import hosts
from qoslib.checks.rule import Found, rule
from qoslib.config.mqc.commands import verbs_giving
from qoslib.config.mqc.police import ACTIONS

__all__ = ["policed_alone"]

#: What gives a class a queue, and what only changes one.
_QUEUES = {*verbs_giving("a queue", "a child")}
_CHANGES = [verb for verb in verbs_giving("a change") if verb != "fair-queue"]
_ACTIONS = {"police", *ACTIONS}
#: What a fix gives such a class, as a share of the link.
_SHARE = 0.05


@rule(
    "class-without-queue",
    "info",
    "Cisco, QoS Modular QoS CLI Configuration Guide, IOS XE Fuji 16.7, QoS Scheduling:"
    " Class Queues",
)
def class_without_queue(checked: CheckedPort) -> Iterator[Found]:
    """A class has no bandwidth, priority or shape: it waits in class-default (IOS, XE)."""
    if not checked.manners.rest_shares_queue:
        return
    if not any(member.of.verbs.keys() & _QUEUES for member in checked.every):
        # A policy without queues only polices or marks, as one of the control plane does.
        return
    guests = hosts(checked.configured)
    for group in checked.groups:
        names = {member.name for member in group.members}
        beside = [member for member in checked.every if guests.get(member.name) in names]
        for member in [*group.members, *beside]:
            # Of a class that drops all of its packets nothing waits.
            if "drop" not in member.of.verbs:
                yield from _found(checked, group, member, guests.get(member.name, ""))


def policed_alone(checked: CheckedPort, member: Member) -> bool:
    """Whether a class is only policed, so that its packets wait in another class's queue (IOS)."""
    verbs = member.of.verbs.keys()
    known = checked.manners.rest_shares_queue and not member.takes_rest
    return known and bool(verbs & _ACTIONS) and not verbs & {*_QUEUES, *_CHANGES}


def _found(checked: CheckedPort, group: Group, member: Member, host: str) -> Iterator[Found]:
    of, wants = member.of, f"{member.name} has no `bandwidth`, `priority` or `shape`"
    changes = next((verb for verb in _CHANGES if verb in of.verbs), "")
    fix = _fix(checked, group, member) if host or changes else ""
    if host:
        yield Found(
            of.line,
            f"Class {member.name} has no queue of its own: it waits in that of class-default.",
            f"{wants}: its packets share {host}'s queue, first in first out.",
            fix,
            "warning" if "EF" in of.marks else None,
        )
    elif member.takes_rest or not of.verbs or of.verbs.keys() & _QUEUES:
        return
    elif changes:
        yield Found(
            of.verbs[changes],
            f"`{changes}` of class {member.name} needs `bandwidth`, `priority` or `shape` in the"
            " same class: a device that refuses it gives the class no queue.",
            _REFUSED[changes],
            fix,
            "warning",
        )
    elif of.verbs.keys() & _ACTIONS:
        yield Found(
            of.line,
            f"Class {member.name} is policed and has no queue of its own on the device.",
            f"{wants}: what passes waits in class-default's queue, here in one of its own.",
        )


def _fix(checked: CheckedPort, group: Group, member: Member) -> str:
    """What gives the class a queue that holds what is sent to it."""
    sent_bps = member.load.rate_bps if member.load else 0.0
    wanted_bps = max(_SHARE * group.most_bps, ROOM * sent_bps)
    return "" if member.takes_rest else checked.fixes.queue(group, member, wanted_bps)


_REFUSED = {
    "queue-limit": "Cisco 10000 Series, QoS Configuration Guide, OL-7433-09, page 11-22: one of"
    " these must be configured as well. Here the class has a queue of its own.",
    "random-detect": "IOS XR of the ASR 9000 refuses it (Modular QoS Congestion Avoidance); for"
    " IOS and IOS XE this is not verified. Here the class has a queue of its own.",
}
