"""Guarantees that carry the load of a class; those of others that send less are lowered."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, inf

from qoslib.checks.checked_port import CheckedPort, Group, Member
from qoslib.checks.fixes import reserved_bps
from qoslib.checks.priority import ROOM
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import GUARANTEES, least_bps
from qoslib.config.source import check_time
from qoslib.findings.under_load import BUSY
from qoslib.tolerances import ROUNDING

__all__ = ["more"]

#: A class that has a guarantee keeps so much of what all share.
_LEAST_SHARE = 0.01
#: A class is guaranteed so much of its load: at exactly its load a short queue drops now and then.
_HEADROOM = 1.05
#: Halvings of the range in which a guarantee is looked for.
_STEPS = 40
#: Classes and what they are, or would be, guaranteed [bit/s].
Given = Mapping[str, float]


def more(checked: CheckedPort, member: Member, given: dict[str, float]) -> tuple[str, str]:
    """A guarantee for the load where there is room for it, or why there is none.

    `given` has what other fixes have given already, and takes this one.
    """
    none = _without_guarantee(checked, member)
    if none or member.strict:
        return "", none
    group = checked.group_of(member)
    wanted_bps = checked.fixes.rounded_bps(_least(checked, member, given), group.most_bps, ceil)
    others = [each for each in group.members if each is not member]
    alone_bps = wanted_bps + sum(reserved_bps(each) for each in others)
    with_fixes_bps = sum(given.get(each.name, reserved_bps(each)) for each in others) + wanted_bps
    beside = f" The fix of {' and '.join(given)} leaves no room for more."
    if with_fixes_bps > group.most_bps:
        beside = "" if alone_bps > group.most_bps else beside
        return _room(checked, member, group, given, beside)
    fix, wanted = checked.fixes.guarantees(group, [(member, wanted_bps)]), {member.name: wanted_bps}
    if not fix:
        return "", ""
    if not isinstance(checked.port.scheduler, GUARANTEES):
        given.update(wanted)
        return fix, ""
    after = _promised(checked, given | wanted)
    if any(_is_short(checked, each, after) for each in others if each.name in given):
        return _room(checked, member, group, given, beside)
    given.update(wanted)
    if _is_short(checked, member, after):
        return fix, ""
    least_bps, arithmetic = after[member.queue.name]
    said = f"{rate_text(wanted_bps)} guaranteed it has at least {rate_text(least_bps)}"
    return fix, f" With {said} ({arithmetic})."


def _without_guarantee(checked: CheckedPort, member: Member) -> str:
    """Why no guarantee helps a class; empty where one may, or where it is served first."""
    if member.load and member.load.taken_by:
        return f" Its packets get into {member.load.taken_by}: no packet is in this class."
    if member.limit_bps == 0:
        return " All its packets are dropped, as its class says."
    shaper = member.queue.shaper
    if shaper and not member.strict and checked.sent_bps(member) > shaper.rate_bps * (1 + ROUNDING):
        most = rate_text(shaper.rate_bps)
        return f" Its own limit of {most} is below its load: no guarantee lets more through."
    if not member.strict and member not in checked.members:
        return " Its packets wait in the queue of another class (class-without-queue)."
    return ""


def _is_short(checked: CheckedPort, member: Member, after: Mapping[str, tuple[float, str]]) -> bool:
    """Whether a queue would be promised less than all that is sent to it."""
    return after[member.queue.name][0] < checked.sent_bps(member) * (1 - ROUNDING)


def _room(
    checked: CheckedPort, member: Member, group: Group, given: dict[str, float], beside: str
) -> tuple[str, str]:
    """Guarantees that carry a class where others have less than they are promised, and why."""
    said = _why(member, group.members)
    now = _moved(checked, group, member, given)
    if not now:
        return "", _not_carried(checked, group, said, beside)
    rates = {each.name: reserved_bps(each) for each in group.members}
    changes = (
        f"{name} {rate_text(rate)} instead of {rate_text(rates[name])}"
        for name, rate in now.items()
    )
    lowered = [each for each in group.members if now.get(each.name, inf) < rates[each.name]]
    slower = " and ".join(each.name for each in lowered if each.load and each.load.flows)
    price = f", but the TCP of {slower} is slower" if slower else ""
    said += f" Guarantee {', '.join(changes)}: its load then gets through, and no steady stream"
    said += f" of another class loses more{price}."
    given.update(now)
    changed = [(each, now[each.name]) for each in group.members if each.name in now]
    changed.sort(key=lambda rate: rate[1] > reserved_bps(rate[0]))
    return checked.fixes.guarantees(group, changed), said


def _not_carried(checked: CheckedPort, group: Group, said: str, beside: str) -> str:
    """Why no guarantees carry the loads of all classes."""
    most_bps, members = group
    loads_bps = sum(checked.sent_bps(each) for each in members if not each.strict)
    limits_bps = sum(reserved_bps(each) for each in members if each.strict)
    if loads_bps + limits_bps <= most_bps * (1 + ROUNDING):
        return beside or said
    # A priority that is well above its load leaves room, which no guarantee can take.
    needed = {
        m.name: (reserved_bps(m), ROOM * m.load.rate_bps) for m in members if m.strict and m.load
    }
    above = {name: has_bps - needs_bps for name, (has_bps, needs_bps) in needed.items()}
    above = {name: rate_bps for name, rate_bps in above.items() if rate_bps > 0}
    fits = loads_bps + limits_bps - sum(above.values()) <= most_bps * (1 + ROUNDING)
    without = f" without a lower priority of {' and '.join(above)}" if above and fits else ""
    both = f"{rate_text(loads_bps)} of loads"
    both += f" and {rate_text(limits_bps)} of limits of priority" if limits_bps else ""
    return (
        f"{beside or said} No guarantees carry it{without}: {both} are more than"
        f" {rate_text(most_bps)}."
    )


def _least(checked: CheckedPort, member: Member, given: Mapping[str, float]) -> float:
    """The smallest guarantee whose minimum covers a class's load with some headroom [bit/s]."""
    sent_bps = checked.sent_bps(member)
    offered = _HEADROOM * sent_bps
    low, high = member.queue.guaranteed_bps, max(BUSY * sent_bps, offered)
    if not isinstance(checked.port.scheduler, GUARANTEES):
        return high
    if _promised(checked, {**given, member.name: high})[member.queue.name][0] < offered:
        return high
    for _ in range(_STEPS):
        check_time()
        middle = (low + high) / 2
        enough = _promised(checked, {**given, member.name: middle})[member.queue.name][0] >= offered
        low, high = (low, middle) if enough else (middle, high)
    return high


def _promised(checked: CheckedPort, given: Given) -> dict[str, tuple[float, str]]:
    """The least that each queue gets where classes have these guarantees [bit/s]."""
    wanted = {m.queue.name: given[m.name] for m in checked.members if m.name in given}
    # Where guarantees are weights, a class without any has its own.
    where = "weight" if checked.manners.bandwidth_is_weight else "guaranteed_bps"
    queues = (
        queue.replace(**{where: wanted.get(queue.name) or getattr(queue, where)})
        for queue in checked.port.queues
    )
    return least_bps(checked.port.replace(queues=tuple(queues)))


def _moved(checked: CheckedPort, group: Group, member: Member, given: Given) -> dict[str, float]:
    """Guarantees that carry a class's load without less than that for any other class.

    As few classes as possible are lowered, those first that are promised most beyond their load.
    """
    weighted = [each for each in group.members if not each.strict]
    known = isinstance(checked.port.scheduler, GUARANTEES)
    if not known or not any(map(_says_rate, weighted)):
        return {}
    load = {each.name: _HEADROOM * checked.sent_bps(each) for each in weighted}
    had = {each.name: given.get(each.name, reserved_bps(each)) for each in weighted}
    before = _promised(checked, had)
    raised = {member.name}
    for _ in weighted:
        now = _with_room(checked, group, load, had, raised)
        if not now:
            return {}
        after = _promised(checked, now)
        needed = {e.name: min(load[e.name], before[e.queue.name][0]) for e in weighted}
        short = {
            each.name
            for each in weighted
            if after[each.queue.name][0] < needed[each.name] * (1 - ROUNDING)
        }
        if short <= raised:
            own = {each.name: reserved_bps(each) for each in weighted}
            return {name: now[name] for name, rate_bps in own.items() if now[name] != rate_bps}
        raised |= short
    return {}


def _with_room(
    checked: CheckedPort, group: Group, load: Given, had: Given, raised: set[str]
) -> dict[str, float]:
    """These classes with their load guaranteed, and others with less; empty without room."""
    most_bps, rounded_bps = group.most_bps, checked.fixes.rounded_bps
    strict_bps = sum(reserved_bps(each) for each in group.members if each.strict)
    now = {**had, **{name: rounded_bps(load[name], most_bps, ceil) for name in raised}}
    over_bps = strict_bps + sum(now.values()) - most_bps
    for name in sorted(set(had) - raised, key=lambda name: load[name] - had[name]):
        if over_bps <= ROUNDING * most_bps:
            break
        kept_bps = rounded_bps(max(load[name], _LEAST_SHARE * most_bps), most_bps, ceil)
        lower_bps = rounded_bps(max(had[name] - over_bps, 0.0), most_bps, floor)
        now[name] = min(max(kept_bps, lower_bps), had[name])
        over_bps -= had[name] - now[name]
    return now if over_bps <= ROUNDING * most_bps else {}


def _says_rate(member: Member) -> bool:
    """Whether a class's guarantee is a rate of its own, not a part of what is left."""
    return bool(member.queue.guaranteed_bps) and not member.of.setting("bandwidth remaining")


def _why(member: Member, members: Sequence[Member]) -> str:
    """What a class and the others are guaranteed, and who takes the rest."""
    of = [f"{each.name} {rate_text(reserved_bps(each))}" for each in members if each is not member]
    own_bps, part = reserved_bps(member), ", only its part of the rest"
    own = f"is guaranteed {rate_text(own_bps)}" if own_bps else "has no guarantee of its own"
    own += part if not own_bps and member.promise.minimum_bps else ""
    tcp = " and ".join(each.name for each in members if each.load and each.load.flows)
    rest = f"; the TCP of {tcp} takes what the others leave" if tcp else ""
    others = f" (limit or guarantee of the others: {', '.join(of)})" if of else ""
    return f" It {own}{others}{rest}."
