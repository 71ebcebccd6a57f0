"""Rules on sums: what is promised together, and what that leaves."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import floor
from typing import NamedTuple

from qoslib import units
from qoslib.checks.effective_commands import standing
from qoslib.checks.fixes import (
    LEAST_SHARE,
    NO_ROOM,
    below_one,
    guarantee,
    leaves_rest,
    raised,
    reserved_bps,
)
from qoslib.checks.priority import gets_packets, stopped, unlimited
from qoslib.checks.rule import Case, Found, Member, rule
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import nodes_of
from qoslib.config.records import Configuration, ConfiguredClass
from qoslib.port import HierarchicalTokenBucket, Node, PriorityLevels, Queue, SchedulerTree
from qoslib.port.nodes import outline
from qoslib.tolerances import ROUNDING

__all__ = ["LLQ_SHARE"]

#: Priority above this share of the link leaves little to share by rules.
LLQ_SHARE = 1 / 3
#: What a design gives the default class.
BEST_EFFORT_SHARE = 0.25
#: An excess below this share of the link is not worth a word.
EXCESS_SHARE = 0.1
DESIGN = "Cisco, Enterprise QoS Solution Reference Network Design Guide, version 3.3"


def _percent(part: float, whole: float) -> str:
    return f"{units.convert(part / whole, '1', '%'):.0f} %"


@rule("llq-share", "warning", f"{DESIGN}: the 33 percent limit for strict priority")
def llq_share(case: Case) -> Iterator[Found]:
    """Priority classes may take more than a third of the link together."""
    for most, members in case.groups:
        yield from _llq_share(case, most, members)


def _llq_share(case: Case, most: float, members: list[Member]) -> Iterator[Found]:
    strict = [member for member in members if member.strict]
    rates = [member.limit_bps or 0.0 for member in strict]
    total = sum(rates)
    if len(strict) == len(members) or total <= LLQ_SHARE * most * (1 + ROUNDING):
        return
    if unlimited(case):
        # Rule `priority-unlimited` says that they may take all.
        return
    sums = " + ".join(map(rate_text, rates)) if len(rates) > 1 else rate_text(total)
    member = max(strict, key=lambda each: each.limit_bps or 0.0)
    keep = LLQ_SHARE * most - (total - (member.limit_bps or 0.0))
    # A rate above the line is a slip of the unit, which rule rate-unit names.
    keep = 0.0 if total > case.port.rate_bps else keep
    yield Found(
        case.line(member, "policer.rate_bps"),
        f"Priority may take {_percent(total, most)} of the link; a third is the usual limit.",
        f"{sums} of {rate_text(most)} = {_percent(total, most)}.",
        case.fix(mqc=f"class {member.name}\n  {case.priority(keep, most, floor, member.of)}")
        if keep > 0
        else "",
    )


@rule(
    "guarantees-over",
    "error",
    "RFC 1633, section 4.1.4: admission control promises no more than there is",
)
def guarantees_over(case: Case) -> Iterator[Found]:
    """Guarantees and priority add up to more than the port, or a class above them, sends."""
    scheduler = case.port.scheduler
    if isinstance(scheduler, HierarchicalTokenBucket):
        yield from _children_over(case, scheduler.nodes)
        return
    mqc = case.configuration.dialect.startswith("ios")
    if not mqc and not isinstance(scheduler, SchedulerTree | PriorityLevels):
        return
    for most, members in case.groups:
        yield from _guarantees_over(case, most, members)


def _guarantees_over(case: Case, most: float, members: list[Member]) -> Iterator[Found]:
    if case.configuration.dialect == "eos" or case.strict_alone:
        # A shaper caps a strict queue there, and reserves nothing.
        members = [member for member in members if not member.strict]
    if case.configuration.dialect == "ios-xr":
        # So it does there; a policer of a strict queue counts.
        members = [m for m in members if not m.strict or m.queue.policer]
    rates = {member.name: reserved_bps(member) for member in members}
    total = sum(rates.values())
    mqc = case.configuration.dialect.startswith("ios")
    promised = sum(reserved_bps(member) for member in members if not member.strict)
    if total > most * (1 + ROUNDING):
        parts = " + ".join(f"{name} {rate_text(rate)}" for name, rate in rates.items() if rate)
        yield Found(
            _shaper_line(case) or case.configured.line,
            f"The guarantees add up to {_percent(total, most)} of what the port sends.",
            f"{parts} = {rate_text(total)} of {rate_text(most)}.",
            # Cisco's platforms refuse this. On Junos all hold while priority is idle.
            severity="error" if mqc or promised > most * (1 + ROUNDING) else "warning",
        )


def _shaper_line(case: Case) -> int:
    """The line of the slowest shaper above the classes; 0 where none has one."""
    nodes = [node for node in nodes_of(case.port) if node.shaper]
    slowest = min(nodes, key=lambda node: node.shaper.rate_bps if node.shaper else 0, default=None)
    where = f"scheduler.nodes['{slowest.name}'].shaper.rate_bps" if slowest else "shaper.rate_bps"
    origin = case.configured.origin(where)
    return origin.line if origin else 0


def _children_over(case: Case, nodes: Sequence[Node]) -> Iterator[Found]:
    """Of HTB, whose classes do not share the rate of the class above: each sends its own."""
    each: dict[str, Queue | Node] = {queue.name: queue for queue in case.port.queues}
    each |= {node.name: node for node in nodes}
    for node in nodes:
        rates = {name: each[name].guaranteed_bps for name in node.children}
        total, most = sum(rates.values()), node.guaranteed_bps
        if most and total > most * (1 + ROUNDING):
            parts = " + ".join(f"{name} {rate_text(rate)}" for name, rate in rates.items())
            origins = (case.configured.origin(_RATE.format(name)) for name in rates)
            lines = [origin.line for origin in origins if origin]
            yield Found(
                max(lines, default=0) or case.configured.line,
                f"The rates below {node.name} add up to {_percent(total, most)} of its own rate.",
                f"{parts} = {rate_text(total)} of {rate_text(most)}.",
            )


_RATE = "queues['{}'].guaranteed_bps"
PERCENT = re.compile(r"(?:bandwidth|priority) percent (\d{1,3})(?: .*)?")


@rule(
    "percent-over-100",
    "error",
    "Cisco IOS QoS command reference: bandwidth, priority; Arista EOS User Manual, Quality of"
    " Service Configuration Commands, bandwidth percent",
    whole=True,
)
def percent_over_100(configuration: Configuration) -> Iterator[Found]:
    """The per cents of a policy's classes, or of a port's queues (EOS), add up to more than 100."""
    if configuration.dialect == "eos":
        yield from _scaled_down(configuration)
        return
    policies: dict[str, list[tuple[str, float, int]]] = defaultdict(list)
    for each in standing(configuration):
        if said := PERCENT.fullmatch(each.text):
            name = each.parents[1].removeprefix("class ")
            policies[each.parents[0]].append((name, float(said[1]), each.line))
    for policy, parts in policies.items():
        total = sum(percent for _, percent, _ in parts)
        if total > 100:
            says = " + ".join(f"{name} {percent:g}" for name, percent, _ in parts)
            yield Found(
                parts[-1][2],
                f"The classes of {policy} are promised {total:g} % together.",
                f"{says} = {total:g} %.",
            )


_SHARED = re.compile(r"bandwidth (?:percent )?(\d+)")


def _scaled_down(configuration: Configuration) -> Iterator[Found]:
    """Of EOS, which divides per cents of queues in a round robin by their sum above 100."""
    for port in configuration.ports:
        shares, turns, line = dict[str, float](), False, 0
        for of in port.classes:
            texts = {each.text: each.line for each in of.statements}
            turns = turns or "no priority" in texts
            said = [found for text in texts if (found := _SHARED.fullmatch(text))]
            if turns and said:
                shares[of.name] = float(said[-1][1])
                line = max(line, texts[said[-1][0]])
        total = sum(shares.values())
        if total > 100:
            says = " + ".join(f"{name} {percent:g}" for name, percent in shares.items())
            largest = max(shares, key=lambda name: shares[name])
            part = _percent(shares[largest], total)
            yield Found(
                line,
                f"The queues of {port.policy or port.interface} are given {total:g} % together:"
                " under load each gets less than its line says.",
                f"{says} = {total:g} %; {largest} gets {shares[largest]:g} / {total:g} = {part} of"
                " what strict queues leave.",
                severity="warning",
            )


@rule("default-starved", "warning", f"{DESIGN}: at least 25 percent for best effort")
def default_starved(case: Case) -> Iterator[Found]:
    """The class of all other traffic is left with next to nothing."""
    every = ((most, members, m) for most, members in case.groups for m in members)
    known = any("the rest" in member.of.marks for member in case.members)
    for most, members, member in every:
        rest = "the rest" in member.of.marks or (member.name == "class-default" and not known)
        least = member.promise.minimum_bps
        if not rest or least >= LEAST_SHARE * most or len(case.members) == 1:
            continue
        # Beside customers it is for what is of none of them, and may have a shaper for that.
        meant = case.beside_parents(member) and (not member.of.line or member.queue.shaper)
        meant = meant or member.limit_bps == 0 or _of_a_part(case, member)
        if meant or (not least and stopped(case, member)):
            continue
        share = f"{_percent(least, most)} of the link" if least else "nothing for sure"
        said, percent = _given(case, most, members, member, BEST_EFFORT_SHARE)
        yield Found(
            member.of.line or case.configured.line,
            f"All traffic without a class of its own gets {share}.",
            f"{member.name}: {member.promise.minimum_why}; 5 % would be"
            f" {rate_text(LEAST_SHARE * most)}.{_no_room(case, most, members, said or percent)}",
            _rate(case, member, said, percent),
        )


def _of_a_part(case: Case, member: Member) -> bool:
    """Whether a class is the rest of another class, which has no shaper of its own, not of all."""
    shaped = {node.name for node in nodes_of(case.port) if node.shaper}
    above = {f"class {each.name}": each for each in case.configured.classes if not each.queue}
    at = above.get(member.of.node)
    while at is not None and f"class {at.name}" not in shaped:
        if "the rest" not in at.marks:
            return True
        at = above.get(at.node)
    return False


def _given(
    case: Case, most: float, members: list[Member], member: Member, share: float
) -> tuple[str, int]:
    """The command of a guarantee (IOS) and its per cent (Junos), as far as there is room.

    Below a class that is served first without a limit no guarantee helps.
    """
    dialect = case.configuration.dialect
    if _unlimited(most, members):
        return "", 0
    if dialect.startswith("ios"):
        least = LEAST_SHARE * most
        return guarantee(case, most, members, member.name, share * most, least), 0
    if dialect != "junos":
        return "", 0
    allowed = raised(case, most, members, member.name, share * most)
    percent = floor(units.convert(allowed / most, "1", "%") + ROUNDING)
    return "", percent if percent > units.convert(reserved_bps(member) / most, "1", "%") else 0


def _unlimited(most: float, members: list[Member]) -> bool:
    """Whether a class is served first and may take all."""
    return any(each.strict and (each.limit_bps or most) >= most for each in members)


def _no_room(case: Case, most: float, members: list[Member], given: object) -> str:
    fixed = case.configuration.dialect.startswith(("ios", "junos"))
    return "" if given or not fixed or _unlimited(most, members) else NO_ROOM


def _rate(case: Case, member: Member, said: str, percent: int) -> str:
    junos = f"set class-of-service schedulers {member.name} transmit-rate percent {percent}"
    return case.fix(
        mqc=f"class {member.name}\n  {said}" if said else "", junos=junos if percent else ""
    )


@rule("no-rate", "warning", "RFC 2475, section 2.4: a per-hop behaviour needs an allocation")
def no_rate(case: Case) -> Iterator[Found]:
    """A class has no rate, no weight and no priority that would serve it under load."""
    every = ((most, members, m) for most, members in case.groups for m in members)
    for most, members, member in every:
        rest = "the rest" in member.of.marks or member.name == "class-default"
        if rest or member.promise.minimum_bps or len(case.members) == 1 or member.limit_bps == 0:
            continue
        empty = _meant_empty(member) or not gets_packets(case, member)
        # A class that is stopped by one before it may have a rate or a weight for itself.
        served = member.queue.guaranteed_bps or member.queue.weight
        if empty or (served and stopped(case, member)):
            continue
        given = _given(case, most, members, member, LEAST_SHARE)
        default = case.by_default(member, "guaranteed_bps")
        why = member.promise.minimum_why if served else f"It has no rate{default}"
        yield Found(
            member.of.line or case.configured.line,
            f"Class {member.name} gets nothing while the others are busy.",
            f"{why}.{_no_room(case, most, members, any(given))}",
            _rate(case, member, *given),
        )


def _meant_empty(member: Member) -> bool:
    """Whether a queue is given no share on purpose, and nothing is put into it (NX-OS)."""
    nobody = all(mark.startswith("qos-group ") for mark in member.of.marks)
    return nobody and any(each.text in _NO_SHARE for each in member.of.statements)


_NO_SHARE = {"bandwidth percent 0", "bandwidth remaining percent 0"}


@rule(
    "excess-split",
    "info",
    "Cisco IOS XE, 3-Level User-Defined Queuing Policy Support: bandwidth remaining ratio",
)
def excess_split(case: Case) -> Iterator[Found]:
    """What nobody is promised is shared equally, though the guarantees differ."""
    scheduler = case.port.scheduler
    if not isinstance(scheduler, SchedulerTree) or scheduler.strict_levels < 2:
        return
    for most, members in case.groups:
        yield from _excess_split(case, most, members)


class _Share(NamedTuple):
    """What takes a part of an excess: a class, or one with a policy of its own and all in that."""

    of: ConfiguredClass
    at: Queue | Node


def _excess_split(case: Case, most: float, members: list[Member]) -> Iterator[Found]:
    promised = [m for m in members if m.queue.guaranteed_bps and not m.strict]
    taken = sum(m.limit_bps or 0.0 for m in members if m.strict)
    excess = most - taken - sum(m.queue.guaranteed_bps for m in promised)
    if len(promised) < 2 or excess < EXCESS_SHARE * most:
        return
    sharing = _sharing(case, members)
    sure = [each for each in sharing if each.at.guaranteed_bps]
    rates = {each.at.guaranteed_bps for each in sure}
    weights = {each.at.weight for each in sharing}
    if len(rates) < 2 or len(weights) > 1:
        return
    names = [each.of.name for each in sharing]
    share = excess / len(names)
    # A class of calls is to be served first (rule voice-not-first), which takes no ratio.
    wanted = _ratios([each for each in sure if "EF" not in each.of.marks] or sure)
    lines = [
        case.fix(mqc=case.in_class(each.of, f"bandwidth remaining ratio {ratio}"))
        for each, ratio in wanted
        if ratio > 1
    ]
    if all(isinstance(each.at, Queue) for each in sharing):
        case.ratios.update({each.of.name: ratio for each, ratio in wanted})
        if not leaves_rest(case, most, members):
            case.ratios.clear()
            lines.clear()
    # Priority without a limit may take all of it: rule priority-unlimited.
    most_of = "At most " if any(m.strict and m.limit_bps is None for m in members) else ""
    yield Found(
        _guarantee_line(case, sure[0]),
        "What is left over is shared equally, not by `bandwidth`.",
        f"{most_of}{rate_text(excess)} / {len(names)} = {rate_text(share)} for each of"
        f" {', '.join(names)}."
        f"{_RATIO if case.configuration.dialect == 'ios-xe' else ''}",
        below_one(lines),
    )


def _sharing(case: Case, members: list[Member]) -> list[_Share]:
    """What shares the excess of a group first: weights further down share a part of that alone."""
    queues = case.port.queues
    tree = outline(queues, nodes_of(case.port))
    paths = []
    for member in members:
        path = [] if member.strict else [case.port.queue_names.index(member.queue.name)]
        while path and tree.parents[path[0]] >= 0:
            path.insert(0, tree.parents[path[0]])
        paths += [path] if path else []
    levels = [list(dict.fromkeys(level)) for level in zip(*paths, strict=False)]
    numbers = next((level for level in levels if len(level) > 1), [])
    own = {member.queue.name: member.of for member in members}
    own |= {f"class {each.name}": each for each in case.configured.classes if not each.queue}
    shares = [tree.each(queues)[number] for number in numbers]
    return [_Share(own.get(at.name, ConfiguredClass(at.name)), at) for at in shares]


def _guarantee_line(case: Case, share: _Share) -> int:
    kind = "queues" if isinstance(share.at, Queue) else "scheduler.nodes"
    origin = case.configured.origin(f"{kind}[{share.at.name!r}].guaranteed_bps")
    return (origin.line if origin else 0) or share.of.line or case.configured.line


_RATIO = (
    " A ratio beside `bandwidth` is for ASR 1000 and ISR 4000 from IOS XE 16.11; releases that"
    " refuse it take the ratio in place of `bandwidth`."
)


def _ratios(sure: list[_Share]) -> list[tuple[_Share, int]]:
    """Ratios of the excess as the guarantees have them; a class without one keeps its 1."""
    least = min(each.at.guaranteed_bps for each in sure)
    return [(each, round(each.at.guaranteed_bps / least)) for each in sure]
