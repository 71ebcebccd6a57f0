"""Guarantees that make room for a class: what others are promised and do not send is lowered."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

from qoslib.checks.checked_port import CheckedPort, Group, Member
from qoslib.checks.fixes import reserved_bps
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import GUARANTEES, least_bps
from qoslib.tolerances import ROUNDING

__all__ = ["HEADROOM", "moved", "promised", "why"]

#: A class that has a guarantee keeps so much of what all share.
_LEAST_SHARE = 0.01
#: A class is guaranteed so much of its load: at exactly its load a short queue drops now and then.
HEADROOM = 1.05
#: Classes and what they are, or would be, guaranteed [bit/s].
Given = Mapping[str, float]


def promised(checked: CheckedPort, given: Given) -> dict[str, tuple[float, str]]:
    """The least that each queue gets where classes have these guarantees [bit/s]."""
    wanted = {m.queue.name: given[m.name] for m in checked.members if m.name in given}
    # Where guarantees are weights, a class without any has its own.
    where = "weight" if checked.manners.bandwidth_is_weight else "guaranteed_bps"
    queues = (
        queue.replace(**{where: wanted.get(queue.name) or getattr(queue, where)})
        for queue in checked.port.queues
    )
    return least_bps(checked.port.replace(queues=tuple(queues)))


def moved(checked: CheckedPort, group: Group, member: Member, given: Given) -> dict[str, float]:
    """Guarantees that carry a class's load without less than that for any other class.

    As few classes as possible are lowered, those first that are promised most beyond their load.
    """
    weighted = [each for each in group.members if not each.strict]
    known = isinstance(checked.port.scheduler, GUARANTEES)
    if not known or not any(map(_says_rate, weighted)):
        return {}
    load = {each.name: HEADROOM * checked.sent_bps(each) for each in weighted}
    had = {each.name: given.get(each.name, reserved_bps(each)) for each in weighted}
    before = promised(checked, had)
    raised = {member.name}
    for _ in weighted:
        now = _with_room(checked, group, load, had, raised)
        if not now:
            return {}
        after = promised(checked, now)
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


def why(member: Member, members: Sequence[Member]) -> str:
    """What a class and the others are guaranteed, and who takes the rest."""
    of = [f"{each.name} {rate_text(reserved_bps(each))}" for each in members if each is not member]
    own = rate_text(reserved_bps(member)) if reserved_bps(member) else "nothing"
    tcp = " and ".join(each.name for each in members if each.load and each.load.flows)
    rest = f"; the TCP of {tcp} takes what the others leave" if tcp else ""
    others = f" (limit or guarantee of the others: {', '.join(of)})" if of else ""
    return f" It is guaranteed {own}{others}{rest}."
