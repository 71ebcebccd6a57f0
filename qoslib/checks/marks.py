"""Rules on who is in which class, and on what belongs apart."""

from collections.abc import Iterator, Sequence

from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.priority import VIDEO, VOICE
from qoslib.checks.queueless import policed_alone
from qoslib.checks.rule import Found, rule
from qoslib.config.amounts import rate_text
from qoslib.config.records import ConfiguredClass, ConfiguredPort, Remark, Statement
from qoslib.tolerances import ROUNDING

__all__ = ["CONTROL"]

#: How marks begin that a policy on the way in gives.
_OF_A_GROUP = "qos-group ", "traffic-class "
#: Marks of routing protocols (RFC 4594, section 3.2).
CONTROL = {"CS6", "IP 6", "PCP 6", "EXP 6"}
#: Words of a command that set or trust EF, and how a command that may do so begins.
_EF = {"ef", "46", "184", "trust"}
_SETS = {
    "set", "police", "exceed-action", "conform-action", "mls", "qos", "auto", "rewrite", "remark",
}  # fmt: skip
#: What a class of calls is called, and how marks of DSCPs begin.
_CALL_NAMES = {"voice", "voip"}
_DSCPS = ("DSCP ", "AF", "CS")
#: Classes that such a mark is of have marks of their own for other traffic.
_KNOWN = VOICE | {"CS1", "CS2", "CS3", "CS4", "AF41", "AF31", "AF21", "AF11"}
#: Protocols of routers, as NBAR and class-maps of people name them.
_PROTOCOLS = {"bfd", "bgp", "eigrp", "isis", "ldp", "ospf"}
#: The mark of best effort.
_BEST_EFFORT = "CS0"
#: Marks of traffic that wants less than best effort: RFC 8622, and RFC 3662 before it.
_SCAVENGER = {"CS1", "LE", "DSCP 1"}


@rule(
    "class-shadowed",
    "warning",
    "Cisco IOS QoS configuration guide: the first class that matches; Arista EOS User Manual,"
    " Traffic Management, Policy Maps: the first class that matches; Linux manual, tc(8), FILTERS:"
    " the lowest number of prio is tried first",
    portless=True,
)
def class_shadowed(checked: CheckedPort) -> Iterator[Found]:
    """An earlier class takes all or some packets of a later one."""
    if checked.manners.matching == "filters" and checked.configured.port is not None:
        yield from _earlier_filter(checked)
    elif checked.manners.matching == "classes":
        yield from _earlier_class(checked)


def _earlier_class(checked: CheckedPort) -> Iterator[Found]:
    # What is taken at each node of a tree: parents of their own see packets of their own.
    nodes: dict[str, dict[str, str]] = {}
    for of in checked.configured.classes:
        taken = dict(nodes.get(of.node, {}))
        above = checked.parents.get(of.node)
        while above is not None:
            earlier = nodes.get(above.node, {})
            taken |= {mark: by for mark, by in earlier.items() if by != above.name}
            above = checked.parents.get(above.node)
        marks = _own_marks(of)
        lost = [mark for mark in marks if mark in taken]
        if lost:
            fix = checked.fixes.without_marks(of, set(lost))
            yield _shadowed(of, lost, marks, taken[lost[0]], fix)
        for mark in marks:
            nodes.setdefault(of.node, {}).setdefault(mark, of.name)


def _own_marks(of: ConfiguredClass) -> list[str]:
    return [mark for mark in of.marks if mark != "the rest"]


def _shadowed(
    of: ConfiguredClass, lost: Sequence[str], marks: Sequence[str], by: str, fix: str = ""
) -> Found:
    says = "no packet" if len(lost) == len(marks) else f"no {', '.join(lost)}"
    return Found(
        of.line,
        f"Class {of.name} gets {says}: {by} comes first and takes it.",
        f"Both match {', '.join(lost)}.",
        fix,
        "error" if len(lost) == len(marks) else None,
    )


def _earlier_filter(checked: CheckedPort) -> Iterator[Found]:
    """Of tc, where the filter with the lowest number wins, of packets of one protocol."""
    first = dict(reversed(checked.port.classifier.rules))
    protocols = {
        of.queue: {said.sort for said in of.settings if said.command == "filter"}
        for of in checked.configured.classes
    }
    for of in checked.configured.classes:
        marks = _own_marks(of)
        winners = {mark: first.get(mark, of.queue) for mark in marks}
        lost = {
            mark: by
            for mark, by in winners.items()
            if by != of.queue and protocols[of.queue] == protocols.get(by, set())
        }
        if lost:
            yield _shadowed(of, [*lost], marks, f"the filter of {next(iter(lost.values()))}")


@rule("ef-never-set", "info", "RFC 2475, section 2.3.4: marks are set at the edge of a domain")
def ef_never_set(checked: CheckedPort) -> Iterator[Found]:
    """EF is matched on the way out, and nothing in the file sets or trusts it."""
    takes = [of for of in checked.configured.classes if _takes_ef(of)]
    if not takes or not checked.manners.maps_whole:
        return
    said: list[Statement | Remark] = [*checked.configuration.remarks]
    for verb in _SETS:
        said += checked.configuration.by_verb.get(verb, ())
    if not any(each.verb in _SETS and _EF.intersection(each.words) for each in said):
        yield Found(
            takes[0].line,
            f"Class {takes[0].name} takes EF, and nothing in this file sets or trusts EF.",
            "0 lines with `set dscp ef` or a trust; the phones or the switch must set it, or a"
            " `service-policy input` on the interface where the calls come in.",
            checked.fixes.marked_calls(),
        )


def _takes_ef(of: ConfiguredClass) -> bool:
    """Whether EF leads to a class, and no group that a policy on the way in makes of the mark."""
    grouped = any(mark.startswith(_OF_A_GROUP) for mark in of.marks)
    return "EF" in of.marks and "the rest" not in of.marks and not grouped


@rule("calls-not-ef", "warning", "RFC 4594, section 4.1: calls are marked EF")
def calls_not_ef(checked: CheckedPort) -> Iterator[Found]:
    """A class for calls matches DSCPs, and none of them is that of calls."""
    for member in checked.every:
        marks = [mark for mark in member.of.marks if mark.startswith(_DSCPS)]
        load = member.load
        why = f"Sent to it: {load.words}." if load and load.has_calls else ""
        named = checked.class_name(member.of).lower() in _CALL_NAMES
        if not marks or marks != list(member.of.marks) or VOICE & set(marks):
            continue
        if named or why:
            yield Found(
                member.of.line,
                f"Class {member.name} matches {', '.join(marks)}; calls are marked EF (46).",
                why,
            )


@rule("control-in-default", "info", "RFC 4594, section 3.2: CS6 is for routing protocols")
def control_in_default(checked: CheckedPort) -> Iterator[Found]:
    """Routing protocols (CS6) have no class of their own and wait with all other traffic."""
    queued = [member for member in checked.members if not policed_alone(checked, member)]
    marked = [of for of in checked.configured.classes if set(of.marks) - {"the rest"}]
    rest = [of for of in checked.configured.classes if "the rest" in of.marks]
    if checked.manners.by_range or len(queued) < 2:
        # Where all wait in one queue, which only marks and policers divide, routing does as well.
        return
    yield from _beside_best_effort(queued)
    if not rest:
        return
    # Of several, the one beside the classes with marks.
    rest = [of for of in rest if marked and of.node == marked[0].node] or rest
    marks = {mark for of in marked for mark in of.marks}
    # A class that nothing but its name or a group tells may take CS6.
    untold = any(
        all(mark.startswith(_OF_A_GROUP) or mark == of.name.split("/")[-1] for mark in of.marks)
        for of in marked
    )
    untold = untold and checked.manners.family == "cisco"
    if not marks & _KNOWN or marks & CONTROL or untold:
        return
    groups = [group for group in checked.groups if any(m.of is rest[0] for m in group.members)]
    yield Found(
        rest[0].line or checked.configured.line,
        f"CS6 (routing) waits in {rest[0].name}, with all traffic that has no class.",
        f"{len(marked)} classes match marks, none of them CS6."
        if marked[1:]
        else "One class matches marks, and not CS6.",
        checked.fixes.control_class((*groups, checked.groups[0])[0], rest[0]),
    )


def _beside_best_effort(queued: Sequence[Member]) -> Iterator[Found]:
    """Routing protocols wait in a class that a map of all code points gives best effort as well."""
    for member in queued:
        control = sorted(CONTROL.intersection(member.of.marks))
        if control and _BEST_EFFORT in member.of.marks:
            yield Found(
                member.of.line,
                f"{', '.join(control)} (routing) waits in {member.name}, with best effort.",
                f"{_BEST_EFFORT} is of the same class.",
            )


@rule(
    "control-with-video",
    "warning",
    "RFC 4594, section 3.2: routing protocols have a class of their own",
)
def control_with_video(checked: CheckedPort) -> Iterator[Found]:
    """Routing protocols wait in one class with video."""
    for member in checked.members if not checked.manners.by_range else ():
        marks = set(member.of.marks)
        control = sorted(marks & CONTROL) + sorted(m for m in marks if m.lower() in _PROTOCOLS)
        if control and marks & VIDEO and not member.takes_rest and _BEST_EFFORT not in marks:
            yield Found(
                member.of.line,
                f"{', '.join(control)} waits in class {member.name} with"
                f" {', '.join(sorted(marks & VIDEO))}: a picture delays or drops routing.",
                "A neighbour is lost when a few packets of BFD or three of a protocol are missing.",
                _control_class(checked, member, marks & CONTROL),
            )


def _control_class(checked: CheckedPort, member: Member, control: set[str]) -> str:
    """A class of its own for CS6, where that is one of the code points."""
    if "CS6" not in control:
        return ""
    group, least_bps = checked.group_of(member), checked.capacity_bps / 50
    return checked.fixes.own_class(group, member.of, "CONTROL", ["CS6"], least_bps, control)


@rule(
    "scavenger-over-default",
    "warning",
    "RFC 8622, section 1: the lower effort yields to best effort",
)
def scavenger_over_default(checked: CheckedPort) -> Iterator[Found]:
    """The class of CS1, below best effort, is sure of more than the class of all other traffic."""
    rest = checked.rest
    for member in checked.members:
        marks = set(member.of.marks)
        if rest is None or not marks or not marks <= _SCAVENGER or member.promise.together:
            continue
        own, others = member.promise.minimum_bps, rest.promise.minimum_bps
        if member.strict or own > others * (1 + ROUNDING):
            first = "is served before" if member.strict else "is sure of more than"
            yield Found(
                member.of.line,
                f"Class {member.name} takes {', '.join(sorted(marks))}, which asks for less than"
                f" best effort, and {first} {rest.name}.",
                f"{rate_text(own)} against {rate_text(others)}.",
            )


@rule(
    "police-and-shape",
    "warning",
    "RFC 2475, section 2.3.3: a policer drops what a shaper delays",
    portless=True,
)
def police_and_shape(checked: CheckedPort) -> Iterator[Found]:
    """A class has a policer and a shaper of one rate: what one would delay the other drops."""
    if checked.configured.port is None:
        yield from _as_written(checked.configured)
        return
    for member in checked.members:
        policer, shaper = member.queue.policer, member.queue.shaper
        if policer is None or shaper is None or policer.exceed != "drop":
            continue
        if abs(policer.rate_bps - shaper.rate_bps) <= shaper.rate_bps / 100:
            yield Found(
                checked.line(member, "policer.rate_bps"),
                f"Class {member.name} is policed and shaped at one rate: the policer drops the"
                " bursts that the shaper is there to delay.",
                f"police {rate_text(policer.rate_bps)}, shape {rate_text(shaper.rate_bps)}.",
                checked.fixes.removal(member, "police"),
            )


def _as_written(configured: ConfiguredPort) -> Iterator[Found]:
    """Policers and shapers of one rate on a port that nothing is promised of."""
    for of in configured.classes:
        police, shape = of.setting("police"), of.setting("shape")
        if not police or not shape or not police.rate_bps or not shape.rate_bps:
            continue
        actions = [said.words for said in of.statements if "exceed-action" in said.words]
        drops = all(words[words.index("exceed-action") + 1 :][:1] == ("drop",) for words in actions)
        if drops and abs(police.rate_bps - shape.rate_bps) <= shape.rate_bps / 100:
            yield Found(
                police.line,
                f"Class {of.name} is policed and shaped at one rate: the policer drops the"
                " bursts that the shaper is there to delay.",
                f"police {rate_text(police.rate_bps)}, shape {rate_text(shape.rate_bps)}.",
            )
