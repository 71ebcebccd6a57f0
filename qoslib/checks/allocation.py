"""Rules on sums: what is promised together, and what that leaves."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qoslib import units
from qoslib.checks.checked_port import CheckedPort, Group, Member
from qoslib.checks.fixes import LEAST_SHARE, NO_ROOM, reserved_bps
from qoslib.checks.manners import manners_of
from qoslib.checks.priority import gets_packets, stopped, unlimited
from qoslib.checks.rule import Found, Severity, rule
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import nodes_of
from qoslib.config.records import IN_TURN, Configuration, ConfiguredClass, Setting
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
#: A sum so many times above a shaper is a slip of its unit, which is a thousand times too small.
_FAR, _SLIP = 10, 1000
DESIGN = "Cisco, Enterprise QoS Solution Reference Network Design Guide, version 3.3"


def _percent(part: float, whole: float) -> str:
    return f"{units.convert(part / whole, '1', '%'):.0f} %"


def _parts(rates_bps: dict[str, float]) -> str:
    texts = {name: rate_text(rate) for name, rate in rates_bps.items()}
    return " + ".join(f"{name} {text}" for name, text in texts.items() if text != "0")


@rule(
    "llq-share",
    "warning",
    f"{DESIGN}: the 33 percent limit for strict priority;"
    " RFC 3246, section 2.10: a limit on EF protects the other classes",
)
def llq_share(checked: CheckedPort) -> Iterator[Found]:
    """Priority classes may take more than a third of the link together."""
    if unlimited(checked):
        # Rule `priority-unlimited` says that they may take all.
        return
    for group in checked.groups:
        most_bps = group.most_bps
        strict = [member for member in group.members if member.strict]
        rates_bps = [member.limit_bps or 0.0 for member in strict]
        total_bps = sum(rates_bps)
        alone = len(strict) == len(group.members)
        if alone or total_bps <= LLQ_SHARE * most_bps * (1 + ROUNDING):
            continue
        largest = max(strict, key=lambda member: member.limit_bps or 0.0)
        keep_bps = LLQ_SHARE * most_bps - (total_bps - (largest.limit_bps or 0.0))
        # A rate above the line is a slip of the unit, which rule rate-unit names.
        fits = keep_bps > 0 and total_bps <= checked.port.rate_bps
        says = f"Priority may take {_percent(total_bps, most_bps)} of the link"
        if total_bps > most_bps * (1 + ROUNDING):
            says = f"The limits of priority are {rate_text(total_bps)} in total, but the link has"
            says += f" {rate_text(most_bps)}: priority may take all of it"
        yield Found(
            checked.line(largest, "policer.rate_bps"),
            f"{says}; a third is the usual limit.",
            f"{' + '.join(map(rate_text, rates_bps))} of {rate_text(most_bps)} ="
            f" {_percent(total_bps, most_bps)}.",
            checked.fixes.limit(group, largest, keep_bps) if fits else "",
        )


@rule(
    "guarantees-over",
    "error",
    "RFC 1633, section 4.1.4: admission control promises no more than there is",
)
def guarantees_over(checked: CheckedPort) -> Iterator[Found]:
    """Guarantees and priority add up to more than the port, or a class above them, sends."""
    scheduler = checked.port.scheduler
    if isinstance(scheduler, HierarchicalTokenBucket):
        yield from _children_over(checked, scheduler.nodes)
    elif checked.manners.sums_refused or isinstance(scheduler, SchedulerTree | PriorityLevels):
        for group in checked.groups:
            yield from _guarantees_over(checked, group)


def _guarantees_over(checked: CheckedPort, group: Group) -> Iterator[Found]:
    counted = [member for member in group.members if _reserves(checked, member)]
    every_bps = sum(map(reserved_bps, counted))
    counted = [member for member in counted if not _remainder(checked, member)]
    rates_bps = {member.name: reserved_bps(member) for member in counted}
    total_bps, most_bps = sum(rates_bps.values()), group.most_bps
    promised_bps = sum(reserved_bps(member) for member in counted if not member.strict)
    # Cisco's platforms refuse this. On Junos all hold while priority is idle.
    refused = checked.manners.sums_refused or promised_bps > most_bps * (1 + ROUNDING)
    severity: Severity = "error" if refused else "warning"
    severity = "info" if checked.manners.oversubscribes else severity
    if total_bps > most_bps * (1 + ROUNDING):
        yield Found(
            _shaper_line(checked) or checked.configured.line,
            f"The guarantees add up to {_percent(total_bps, most_bps)} of what the port sends.",
            f"{_parts(rates_bps)} = {rate_text(total_bps)} of {rate_text(most_bps)}."
            f"{_meant(checked, total_bps, most_bps)}",
            severity=severity,
        )
    elif every_bps > most_bps * (1 + ROUNDING):
        yield from _remainder_over(checked, group, rates_bps)


def _meant(checked: CheckedPort, total_bps: float, most_bps: float) -> str:
    """A question after the unit of a shaper that is far below what its classes are promised."""
    meant_bps = most_bps * _SLIP
    if not _shaper_line(checked) or not most_bps * _FAR < total_bps <= meant_bps:
        return ""
    if meant_bps > checked.port.rate_bps:
        return ""
    return f" Was {rate_text(meant_bps)} meant? The shaper may have the wrong unit."


def _remainder_over(
    checked: CheckedPort, group: Group, rates_bps: dict[str, float]
) -> Iterator[Found]:
    """A remainder that does not count what classes that are served first may take (Junos)."""
    line = next(said.line for each in group.members if (said := _remainder(checked, each)))
    first = [member.name for member in group.members if member.strict and reserved_bps(member)]
    if not first:
        return
    yield Found(
        line,
        f"`transmit-rate remainder` is worked out without {' and '.join(first)}: while"
        f" {'these send' if len(first) > 1 else 'it sends'}, the others together get less than"
        " their rates.",
        f"Without the remainder: {_parts(rates_bps)} = {rate_text(sum(rates_bps.values()))} of"
        f" {rate_text(group.most_bps)}.",
        severity="info",
    )


def _remainder(checked: CheckedPort, member: Member) -> Setting | None:
    """What gives a class what the others' rates leave, which is no guarantee (Junos).

    Of a class that is served first it is what it takes, and below a guaranteed rate it is a part
    of a promise.
    """
    said = member.of.setting("transmit-rate")
    if member.strict or said is None or said.sort != "remainder":
        return None
    above = (node for node in nodes_of(checked.port) if member.queue.name in node.children)
    return None if any(node.guaranteed_bps for node in above) else said


def _reserves(checked: CheckedPort, member: Member) -> bool:
    """Whether a class takes something from what others can be guaranteed.

    On some platforms a shaper caps a queue that is served first, and reserves nothing.
    """
    if not member.strict:
        return True
    by = "" if checked.fixes.strict_alone else checked.manners.strict_reserves
    return by == "limit" or (by == "policer" and member.queue.policer is not None)


def _shaper_line(checked: CheckedPort) -> int:
    """The line of the slowest shaper above the classes; 0 where none has one."""
    nodes = [node for node in nodes_of(checked.port) if node.shaper]
    slowest = min(nodes, key=lambda node: node.shaper.rate_bps if node.shaper else 0, default=None)
    where = f"scheduler.nodes['{slowest.name}'].shaper.rate_bps" if slowest else "shaper.rate_bps"
    origin = checked.configured.origin(where)
    return origin.line if origin else 0


def _children_over(checked: CheckedPort, nodes: Sequence[Node]) -> Iterator[Found]:
    """Of HTB, whose classes do not share the rate of the class above: each sends its own."""
    below: dict[str, Queue | Node] = {queue.name: queue for queue in checked.port.queues}
    below |= {node.name: node for node in nodes}
    for node in nodes:
        rates_bps = {name: below[name].guaranteed_bps for name in node.children}
        total_bps, most_bps = sum(rates_bps.values()), node.guaranteed_bps
        if not most_bps or total_bps <= most_bps * (1 + ROUNDING):
            continue
        parts = " + ".join(f"{name} {rate_text(rate)}" for name, rate in rates_bps.items())
        wheres = (f"queues['{name}'].guaranteed_bps" for name in rates_bps)
        origins = (checked.configured.origin(where) for where in wheres)
        lines = [origin.line for origin in origins if origin]
        yield Found(
            max(lines, default=0) or checked.configured.line,
            f"The rates below {node.name} add up to {_percent(total_bps, most_bps)} of its own"
            " rate.",
            f"{parts} = {rate_text(total_bps)} of {rate_text(most_bps)}.",
        )


#: Commands whose per cents are of one whole, and what they give the classes.
_OF_ONE_WHOLE = (
    (("bandwidth", "priority"), "promised {total} together"),
    (("bandwidth remaining",), "given {total} of what remains"),
)


@rule(
    "percent-over-100",
    "error",
    "Cisco IOS QoS command reference: bandwidth, priority; Arista EOS User Manual, Quality of"
    " Service Configuration Commands, bandwidth percent",
    whole=True,
)
def percent_over_100(configuration: Configuration) -> Iterator[Found]:
    """The per cents of a policy's classes or of a port's queues (EOS) add up to more than 100."""
    if manners_of(configuration.dialect).scales_shares:
        yield from _scaled_down(configuration)
    for policy in configuration.policies:
        for commands, given in _OF_ONE_WHOLE:
            parts = sorted(
                (setting.line, of.name, setting.value or 0.0)
                for of in policy.classes
                for setting in of.settings
                if setting.command in commands and setting.unit == "%"
            )
            total = round(sum(percent for *_, percent in parts), 6)
            if total > 100:
                says = " + ".join(f"{name} {percent:g}" for _, name, percent in parts)
                yield Found(
                    parts[-1][0],
                    f"The classes of {policy.header} are {given.format(total=f'{total:g} %')}.",
                    f"{says} = {total:g} %.",
                )


def _scaled_down(configuration: Configuration) -> Iterator[Found]:
    """Of EOS, which divides per cents of queues in a round robin by their sum above 100."""
    for port in configuration.ports:
        in_turn = next((at for at, of in enumerate(port.classes) if of.setting(IN_TURN)), None)
        said = [
            (of.name, share)
            for of in (port.classes[in_turn:] if in_turn is not None else ())
            if (share := of.setting("bandwidth"))
        ]
        shares = {name: share.value or 0.0 for name, share in said}
        total = round(sum(shares.values()), 6)
        if total > 100:
            says = " + ".join(f"{name} {percent:g}" for name, percent in shares.items())
            largest = max(shares, key=lambda name: shares[name])
            part = _percent(shares[largest], total)
            yield Found(
                max(share.line for _, share in said),
                f"The queues of {port.policy or port.interface} are given {total:g} % together:"
                " under load each gets less than its line says.",
                f"{says} = {total:g} %; {largest} gets {shares[largest]:g} / {total:g} = {part} of"
                " what strict queues leave.",
                severity="warning",
            )


@rule(
    "default-starved",
    "warning",
    f"{DESIGN}: at least 25 percent for best effort;"
    " RFC 2474, section 4.1: best effort keeps some bandwidth",
)
def default_starved(checked: CheckedPort) -> Iterator[Found]:
    """The class of all other traffic is left with next to nothing."""
    for group, member in checked.in_groups():
        rest = member.takes_rest or (member.name == "class-default" and checked.rest is None)
        least_bps, most_bps = member.promise.minimum_bps, group.most_bps
        if not rest or least_bps >= LEAST_SHARE * most_bps or len(checked.members) == 1:
            continue
        # Beside customers it is for what is of none of them, and may have a shaper for that.
        meant = checked.beside_parents(member) and (not member.of.line or member.queue.shaper)
        meant = meant or member.limit_bps == 0 or _of_a_part(checked, member)
        meant = meant or _nothing_left(checked, member)
        if meant or (not least_bps and stopped(checked, member)):
            continue
        share = f"{_percent(least_bps, most_bps)} of the link" if least_bps else "nothing for sure"
        fix, no_room = _guarantee(checked, group, member, BEST_EFFORT_SHARE)
        yield Found(
            checked.class_line(member),
            f"All traffic without a class of its own gets {share}.",
            f"{member.name}: {member.promise.minimum_why}; 5 % would be"
            f" {rate_text(LEAST_SHARE * most_bps)}.{no_room}",
            fix,
        )


def _of_a_part(checked: CheckedPort, member: Member) -> bool:
    """Whether a class is the rest of another class, which has no shaper of its own, not of all."""
    shaped = {node.name for node in nodes_of(checked.port) if node.shaper}
    above = checked.parents.get(member.of.node)
    while above is not None and f"class {above.name}" not in shaped:
        if "the rest" not in above.marks:
            return True
        above = checked.parents.get(above.node)
    return False


def _nothing_left(checked: CheckedPort, member: Member) -> bool:
    """Whether the classes beside it take all that the class above them takes."""
    above = checked.parents.get(member.of.node)
    beside = (of for of in checked.configured.classes if of.node == member.of.node)
    taken = {mark for of in beside if of is not member.of for mark in of.marks}
    return above is not None and bool(above.marks) and taken.issuperset(above.marks)


def _guarantee(checked: CheckedPort, group: Group, member: Member, share: float) -> tuple[str, str]:
    """A guarantee as far as there is room, or that there is none.

    Below a class that is served first without a limit no guarantee helps.
    """
    most_bps = group.most_bps
    if any(each.strict and (each.limit_bps or most_bps) >= most_bps for each in group.members):
        return "", ""
    least_bps = LEAST_SHARE * most_bps
    fix = checked.fixes.guarantee(group, member, share * most_bps, least_bps)
    return fix or "", NO_ROOM if fix is None and checked.fixes.gives_rates else ""


@rule("no-rate", "warning", "RFC 2475, section 2.4: a per-hop behaviour needs an allocation")
def no_rate(checked: CheckedPort) -> Iterator[Found]:
    """A class has no rate, no weight and no priority that would serve it under load."""
    yield from _zero_shares(checked)
    for group, member in checked.in_groups():
        rest = member.takes_rest or member.name == "class-default"
        alone = len(checked.members) == 1
        if rest or member.promise.minimum_bps or alone or member.limit_bps == 0:
            continue
        empty = _meant_empty(member) or not gets_packets(checked, member)
        # A class that is stopped by one before it may have a rate or a weight for itself.
        served = member.queue.guaranteed_bps or member.queue.weight
        if empty or (served and stopped(checked, member)):
            continue
        fix, no_room = _guarantee(checked, group, member, LEAST_SHARE)
        default = checked.by_default(member, "guaranteed_bps")
        why = member.promise.minimum_why if served else f"It has no rate{default}"
        yield Found(
            checked.class_line(member),
            f"Class {member.name} gets nothing while the others are busy.",
            f"{why}.{no_room}",
            fix,
        )


def _zero_shares(checked: CheckedPort) -> Iterator[Found]:
    """Queues of which each is given 0 % of what is left (NX-OS): nothing says how they share."""
    sharing = [member for member in checked.members if not member.strict]
    shares = [member.of.setting("bandwidth remaining") for member in sharing]
    lines = [share.line for share in shares if share is not None and not share.value]
    if len(lines) > 1 and len(lines) == len(sharing):
        yield Found(
            min(lines),
            f"All {len(lines)} queues are given 0 %: nothing says how they share the link.",
            "0 % + 0 % = 0 %; that they share equally is taken, and nobody has verified it.",
        )


def _meant_empty(member: Member) -> bool:
    """Whether a queue is given no share on purpose, and nothing is put into it (NX-OS)."""
    shares = (member.of.setting(command) for command in ("bandwidth", "bandwidth remaining"))
    nothing = any(share is not None and share.value == 0 for share in shares)
    return nothing and all(mark.startswith("qos-group ") for mark in member.of.marks)


class _Share(NamedTuple):
    """What takes a part of an excess: a class, or one with a policy of its own and all in that."""

    of: ConfiguredClass
    at: Queue | Node


@rule(
    "excess-split",
    "info",
    "Cisco IOS XE, 3-Level User-Defined Queuing Policy Support: bandwidth remaining ratio",
)
def excess_split(checked: CheckedPort) -> Iterator[Found]:
    """What nobody is promised is shared equally, though the guarantees differ."""
    scheduler = checked.port.scheduler
    if not isinstance(scheduler, SchedulerTree) or scheduler.strict_levels < 2:
        return
    for group in checked.groups:
        excess_bps = _excess_bps(group)
        sharing = _sharing(checked, group.members) if excess_bps else []
        sure = [share for share in sharing if share.at.guaranteed_bps]
        differ = len({share.at.guaranteed_bps for share in sure}) > 1
        if not differ or len({share.at.weight for share in sharing}) > 1:
            continue
        names = [share.of.name for share in sharing]
        # Priority without a limit may take all of it: rule priority-unlimited.
        unlimited = any(each.strict and each.limit_bps is None for each in group.members)
        yield Found(
            _guarantee_line(checked, sure[0]),
            "The excess bandwidth is shared equally, not in proportion to `bandwidth`.",
            f"{'At most ' if unlimited else ''}{rate_text(excess_bps)} / {len(names)} ="
            f" {rate_text(excess_bps / len(names))} for each of {', '.join(names)}."
            f"{_RATIO if checked.manners.excess_has_ratios else ''}",
            _split_fix(checked, group, sharing, sure),
        )


def _excess_bps(group: Group) -> float:
    """What several guarantees and limits leave, where that is worth a word; else 0 [bit/s]."""
    weighted = [member.queue.guaranteed_bps for member in group.members if not member.strict]
    promised_bps = [rate_bps for rate_bps in weighted if rate_bps]
    taken_bps = sum(member.limit_bps or 0.0 for member in group.members if member.strict)
    excess_bps = group.most_bps - taken_bps - sum(promised_bps)
    worth = len(promised_bps) > 1 and excess_bps >= EXCESS_SHARE * group.most_bps
    return excess_bps if worth else 0.0


def _split_fix(
    checked: CheckedPort, group: Group, sharing: Sequence[_Share], sure: Sequence[_Share]
) -> str:
    """Ratios as the guarantees have them, where they leave the default class enough.

    A class of calls is to be served first (rule voice-not-first), which takes no ratio. A class
    without a ratio keeps its 1.
    """
    wanted = [share for share in sure if "EF" not in share.of.marks] or sure
    least_bps = min(share.at.guaranteed_bps for share in wanted)
    ratios = [(share.of, round(share.at.guaranteed_bps / least_bps)) for share in wanted]
    if all(isinstance(share.at, Queue) for share in sharing):
        checked.fixes.ratios.update({of.name: ratio for of, ratio in ratios})
        if not checked.fixes.leaves_rest(group):
            checked.fixes.ratios.clear()
            return ""
    return checked.fixes.ratios_of([(of, ratio) for of, ratio in ratios if ratio > 1])


def _sharing(checked: CheckedPort, members: Sequence[Member]) -> list[_Share]:
    """What shares the excess of a group first: weights further down share a part of that alone."""
    queues = checked.port.queues
    tree = outline(queues, nodes_of(checked.port))
    paths = []
    for member in members:
        path = [] if member.strict else [checked.port.queue_names.index(member.queue.name)]
        while path and tree.parents[path[0]] >= 0:
            path.insert(0, tree.parents[path[0]])
        paths += [path] if path else []
    levels = [list(dict.fromkeys(level)) for level in zip(*paths, strict=False)]
    numbers = next((level for level in levels if len(level) > 1), [])
    own = {member.queue.name: member.of for member in members} | checked.parents
    shares = [tree.each(queues)[number] for number in numbers]
    return [_Share(own.get(at.name, ConfiguredClass(at.name)), at) for at in shares]


def _guarantee_line(checked: CheckedPort, share: _Share) -> int:
    kind = "queues" if isinstance(share.at, Queue) else "scheduler.nodes"
    origin = checked.configured.origin(f"{kind}[{share.at.name!r}].guaranteed_bps")
    return (origin.line if origin else 0) or share.of.line or checked.configured.line


_RATIO = (
    " A ratio together with `bandwidth` is for ASR 1000 and ISR 4000 from IOS XE 16.11; releases"
    " that refuse it take the ratio in place of `bandwidth`."
)
