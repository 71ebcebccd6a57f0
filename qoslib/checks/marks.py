"""Rules on who is in which class."""

import re
from collections.abc import Iterator

from qoslib.checks.fixes import LEAST_SHARE, guarantee, unused, without_marks
from qoslib.checks.priority import VOICE
from qoslib.checks.queueless import policed_alone
from qoslib.checks.rule import Case, Found, rule
from qoslib.config.records import ConfiguredClass, Remark, Statement

__all__ = ["CONTROL"]

#: Marks of routing protocols (RFC 4594, section 3.2).
CONTROL = {"CS6", "IP 6", "PCP 6", "EXP 6"}
#: Commands that set or trust a mark.
_EF = re.compile(r"\b(ef|46|184|trust)\b", re.IGNORECASE)
SETS = re.compile(r"(set|police|exceed-action|conform-action|mls|qos|auto|rewrite|remark)\b", re.I)
#: What a class of calls is called, and how marks of DSCPs begin.
_CALL_NAMES = {"voice", "voip"}
_DSCPS = ("DSCP ", "AF", "CS")
_CONTROL_NAMES = {"network-control", "nc"}
_CLASSIFIER = re.compile(r"class-of-service classifiers dscp (\S+)")
_PROTOCOL = re.compile(r"\bprotocol (\S+)")
#: In IOS the first class that matches takes a packet.
FIRST_WINS = ("ios", "eos", "nx", "tc")


@rule(
    "class-shadowed", "warning", "Cisco IOS QoS configuration guide: the first class that matches"
)
def class_shadowed(case: Case) -> Iterator[Found]:
    """An earlier class takes all or some packets of a later one."""
    if not case.configuration.dialect.startswith(FIRST_WINS):
        return
    if case.configuration.dialect == "tc":
        yield from _earlier_filter(case)
        return
    # What is taken at each node of a tree: parents of their own see packets of their own.
    nodes: dict[str, dict[str, str]] = {}
    parents = {f"class {each.name}": each for each in case.configured.classes if not each.queue}
    for each in case.configured.classes:
        taken = dict(nodes.get(each.node, {}))
        above = parents.get(each.node)
        while above is not None:
            earlier = nodes.get(above.node, {})
            taken |= {mark: by for mark, by in earlier.items() if by != above.name}
            above = parents.get(above.node)
        marks = [mark for mark in each.marks if mark != "the rest"]
        lost = [mark for mark in marks if mark in taken]
        if lost:
            says = "no packet" if len(lost) == len(marks) else f"no {', '.join(lost)}"
            yield Found(
                each.line,
                f"Class {each.name} gets {says}: {taken[lost[0]]} comes first and takes it.",
                f"Both match {', '.join(lost)}.",
                case.fix(mqc=_apart(case, each, lost)),
                "error" if len(lost) == len(marks) else None,
            )
        for mark in marks:
            nodes.setdefault(each.node, {}).setdefault(mark, each.name)


def _earlier_filter(case: Case) -> Iterator[Found]:
    """Of tc, where the filter with the lowest number wins, of packets of one protocol."""
    first = dict(reversed(case.port.classifier.rules))
    protocols = {
        each.queue: {found for of in each.statements for found in _PROTOCOL.findall(of.text)}
        for each in case.configured.classes
    }
    for each in case.configured.classes:
        marks = [mark for mark in each.marks if mark != "the rest"]
        winners = {mark: first.get(mark, each.queue) for mark in marks}
        lost = {
            mark: by
            for mark, by in winners.items()
            if by != each.queue and protocols[each.queue] == protocols.get(by, set())
        }
        if lost:
            says = "no packet" if len(lost) == len(marks) else f"no {', '.join(lost)}"
            by = next(iter(lost.values()))
            yield Found(
                each.line,
                f"Class {each.name} gets {says}: the filter of {by} comes first and takes it.",
                f"Both match {', '.join(lost)}.",
                severity="error" if len(lost) == len(marks) else None,
            )


def _apart(case: Case, of: ConfiguredClass, lost: list[str]) -> str:
    """A class without the marks that it never gets; none at all where it gets nothing."""
    if len(lost) < len(of.marks):
        return without_marks(case, of, set(lost))
    header = case.policy_line(of)
    return f"{header}\n no class {case.class_name(of)}" if header else ""


_GROUPS = "qos-group ", "traffic-class "


@rule("ef-never-set", "info", "RFC 2475, section 2.3.4: marks are set at the edge of a domain")
def ef_never_set(case: Case) -> Iterator[Found]:
    """EF is matched on the way out, and nothing in the file sets or trusts it."""
    if not case.configuration.dialect.startswith("ios"):
        return
    every: list[Statement | Remark] = [*case.configuration.remarks]
    for verb, said in case.configuration.by_verb.items():
        every += said if SETS.match(verb) else []
    for each in case.configured.classes:
        # A class of a group goes by what a policy on the way in makes of the mark.
        grouped = any(mark.startswith(_GROUPS) for mark in each.marks)
        if "EF" in each.marks and "the rest" not in each.marks and not grouped:
            if any(SETS.match(one.text) and _EF.search(one.text) for one in every):
                return
            yield Found(
                each.line,
                f"Class {each.name} takes EF, and nothing in this file sets or trusts EF.",
                "0 lines with `set dscp ef` or a trust; the phones or the switch must set it, or a"
                " `service-policy input` on the interface where the calls come in.",
                case.fix(mqc=_marking(case)),
            )
            return


@rule("calls-not-ef", "warning", "RFC 4594, section 4.1: calls are marked EF")
def calls_not_ef(case: Case) -> Iterator[Found]:
    """A class for calls matches DSCPs, and none of them is that of calls."""
    for member in case.every:
        marks = [mark for mark in member.of.marks if mark.startswith(_DSCPS)]
        sent = member.load.words.lower() if member.load else ""
        why = f"Sent to it: {member.load.words}." if member.load and "call" in sent else ""
        named = case.class_name(member.of).lower() in _CALL_NAMES
        if not marks or marks != list(member.of.marks) or VOICE & set(marks):
            continue
        if named or why:
            yield Found(
                member.of.line,
                f"Class {member.name} matches {', '.join(marks)}; calls are marked EF (46).",
                why,
            )


def _marking(case: Case) -> str:
    """A policy that marks calls, on the only other interface of the text; else none (IOS)."""
    others, headers = case.configuration.bare, case.configuration.headers.values()
    if len(others) != 1 or not any(
        each.direction == "out" and each.interface in headers for each in case.configuration.ports
    ):
        return ""
    calls, policy = (
        unused(case, name, kind) for name, kind in (("CALLS", "class-map"), ("MARK", "policy-map"))
    )
    lines = [f"class-map match-any {calls}", " match protocol rtp audio", f"policy-map {policy}"]
    lines += [f" class {calls}", "  set dscp ef", f"interface {min(others)}"]
    return "\n".join([*lines, f" service-policy input {policy}"])


def _is_mqc(case: Case) -> bool:
    return case.configuration.dialect.startswith(("ios", "nxos"))


_GROUP = re.compile(r"match (?:traffic-class|qos-group|discard-class) ")


@rule("control-in-default", "info", "RFC 4594, section 3.2: CS6 is for routing protocols")
def control_in_default(case: Case) -> Iterator[Found]:
    """Routing protocols (CS6) have no class of their own and wait with all other traffic."""
    queued = [each for each in case.members if not policed_alone(case, each)]
    if case.configuration.dialect == "tc" or len(queued) < 2:
        # Where all wait in one queue, which only marks and policers divide, routing does as well.
        return
    marked = [each for each in case.configured.classes if set(each.marks) - {"the rest"}]
    rest = [each for each in case.configured.classes if "the rest" in each.marks]
    # Of several, the one beside the classes with marks.
    rest = [each for each in rest if marked and each.node == marked[0].node] or rest
    known = {mark for each in marked for mark in each.marks}
    dscp = known & (VOICE | {"CS1", "CS2", "CS3", "CS4", "AF41", "AF31", "AF21", "AF11"})
    # A class that nothing but its name tells may take CS6.
    untold = any(each.marks == (each.name.split("/")[-1],) for each in marked)
    if not rest or not dscp or known & CONTROL or (untold and _is_mqc(case)):
        return
    most, members = next(
        (each for each in case.groups if any(m.of is rest[0] for m in each[1])), case.groups[0]
    )
    name = unused(case, "CONTROL", "class-map")
    least = ""
    # Where groups that were set on input choose the class, a mark has no say on output.
    grouped = any(_GROUP.match(each.text) for each in case.configuration.by_verb.get("match", ()))
    if case.configuration.dialect.startswith("ios") and not grouped:
        least = guarantee(case, most, members, name, LEAST_SHARE * most)
    yield Found(
        rest[0].line or case.configured.line,
        f"CS6 (routing) waits in {rest[0].name}, with all traffic that has no class.",
        f"{len(marked)} classes match marks, none of them CS6.",
        case.fix(
            mqc=f"class-map match-any {name}\n match dscp cs6\n"
            f"{case.policy_line(rest[0])}\n class {name}\n  {least}"
            if least
            else "",
            junos=_classified(case),
        ),
    )


def _classified(case: Case) -> str:
    """CS6 for the class of network control, by the classifier of DSCPs (Junos)."""
    control = [each.name for each in case.configured.classes if each.name.lower() in _CONTROL_NAMES]
    if len(control) != 1:
        return ""
    said = (" ".join([*each.parents, each.text]) for each in case.configuration.statements)
    names = {found[1] for text in said if (found := _CLASSIFIER.search(text))}
    if len(names) != 1:
        return ""
    return (
        f"set class-of-service classifiers dscp {names.pop()} forwarding-class {control[0]}"
        " loss-priority low code-points cs6"
    )
