"""Guarantees that make room for a class: what others are promised and do not send is lowered."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

from qoslib.checks import Case, Member
from qoslib.checks.fixes import reserved_bps
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import GUARANTEES, least_bps
from qoslib.tolerances import ROUNDING

__all__ = ["HEADROOM", "commands", "moved", "promised", "why"]

#: A class that has a guarantee keeps so much of what all share.
_LEAST_SHARE = 0.01
#: A class is guaranteed so much of its load: at exactly its load a short queue drops now and then.
HEADROOM = 1.05


def promised(case: Case, given: Mapping[str, float]) -> dict[str, tuple[float, str]]:
    """The least that each queue gets where classes have these guarantees [bit/s]."""
    wanted = {each.queue.name: given[each.name] for each in case.members if each.name in given}
    # Classic IOS makes weights of what it says, for which a class without any has its own.
    where = "weight" if case.configuration.dialect == "ios" else "guaranteed_bps"
    queues = (
        queue.replace(**{where: wanted.get(queue.name) or getattr(queue, where)})
        for queue in case.port.queues
    )
    return least_bps(case.port.replace(queues=tuple(queues)))


def moved(
    case: Case,
    most_bps: float,
    members: Sequence[Member],
    member: Member,
    given: Mapping[str, float],
) -> dict[str, float]:
    """Guarantees that carry a class's load without less than that for any other class.

    As few classes as possible are lowered, those first that are promised most beyond their load.
    """
    weighted = [each for each in members if not each.strict]
    if not isinstance(case.port.scheduler, GUARANTEES) or not any(map(_says_rate, weighted)):
        return {}
    load = {e.name: HEADROOM * e.load.rate_bps if e.load else 0.0 for e in weighted}
    had = {each.name: given.get(each.name, reserved_bps(each)) for each in weighted}
    before = promised(case, had)
    strict_bps = sum(reserved_bps(each) for each in members if each.strict)
    raised = {member.name}
    for _ in weighted:
        now = _with_room(case, most_bps, load, had, raised, strict_bps)
        if not now:
            return {}
        after = promised(case, now)
        short = {
            each.name
            for each in weighted
            if after[each.queue.name][0]
            < min(load[each.name], before[each.queue.name][0]) * (1 - ROUNDING)
        }
        if short <= raised:
            return {
                each.name: now[each.name]
                for each in weighted
                if now[each.name] != reserved_bps(each)
            }
        raised |= short
    return {}


def _with_room(
    case: Case,
    most_bps: float,
    load: Mapping[str, float],
    had: Mapping[str, float],
    raised: set[str],
    strict_bps: float,
) -> dict[str, float]:
    """These classes with their load guaranteed, and others with less; empty without room."""
    now = {**had, **{name: case.bandwidth(load[name], most_bps)[0] for name in raised}}
    over_bps = strict_bps + sum(now.values()) - most_bps
    for name in sorted(set(had) - raised, key=lambda each: load[each] - had[each]):
        if over_bps <= ROUNDING * most_bps:
            break
        kept_bps = case.bandwidth(max(load[name], _LEAST_SHARE * most_bps), most_bps)[0]
        lower_bps = case.bandwidth(max(had[name] - over_bps, 0.0), most_bps, floor)[0]
        now[name] = min(max(kept_bps, lower_bps), had[name])
        over_bps -= had[name] - now[name]
    return now if over_bps <= ROUNDING * most_bps else {}


def _says_rate(member: Member) -> bool:
    """Whether a class's guarantee is a rate of its own, not a part of what is left."""
    said = [each.text for each in member.of.statements]
    return bool(member.queue.guaranteed_bps) and not any("remaining" in text for text in said)


def commands(
    case: Case, most_bps: float, members: Sequence[Member], now: Mapping[str, float]
) -> str:
    """The guarantees as a fix, what is lowered first."""
    changed = sorted(
        (each for each in members if each.name in now),
        key=lambda each: now[each.name] > reserved_bps(each),
    )
    lines, junos = [], []
    for each in changed:
        rounded = ceil if now[each.name] > reserved_bps(each) else floor
        command = case.bandwidth(now[each.name], most_bps, rounded)[1]
        lines.append(f" class {case.class_name(each.of)}\n  {command}")
        junos.append(case.transmit_rate(each, now[each.name], most_bps, rounded))
    mqc = "\n".join([case.policy_line(changed[0].of), *lines])
    return case.fix(mqc=mqc, junos="\n".join(junos))


def why(member: Member, members: Sequence[Member]) -> str:
    """What a class and the others are guaranteed, and who takes the rest."""
    of = [f"{each.name} {rate_text(reserved_bps(each))}" for each in members if each is not member]
    own = rate_text(reserved_bps(member)) if reserved_bps(member) else "nothing"
    tcp = " and ".join(each.name for each in members if each.load and each.load.flows)
    rest = f"; the TCP of {tcp} takes what the others leave" if tcp else ""
    others = f" (limit or guarantee of the others: {', '.join(of)})" if of else ""
    return f" It is guaranteed {own}{others}{rest}."
