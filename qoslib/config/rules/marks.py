"""Rules on who is in which class."""

import re
from collections.abc import Iterator

from qoslib.config.reading import Remark, Statement
from qoslib.config.rules.priority import VOICE
from qoslib.config.rules.rule import Case, Found, rule

__all__ = ["CONTROL"]

#: Marks of routing protocols (RFC 4594, section 3.2).
CONTROL = {"CS6", "IP 6", "PCP 6", "EXP 6"}
#: Commands that set or trust a mark.
_EF = re.compile(r"\b(ef|46|184|trust)\b", re.IGNORECASE)
SETS = re.compile(r"(set|police|exceed-action|conform-action|mls|qos|auto|rewrite|remark)\b", re.I)
#: In IOS the first class that matches takes a packet.
FIRST_WINS = ("ios", "eos", "nx", "tc")


@rule(
    "class-shadowed", "warning", "Cisco IOS QoS configuration guide: the first class that matches"
)
def class_shadowed(case: Case) -> Iterator[Found]:
    """An earlier class takes all or some packets of a later one."""
    if not case.configuration.dialect.startswith(FIRST_WINS):
        return
    taken: dict[str, str] = {}
    for each in case.configured.classes:
        marks = [mark for mark in each.marks if mark != "the rest"]
        lost = [mark for mark in marks if mark in taken]
        if lost:
            says = "no packet" if len(lost) == len(marks) else f"no {', '.join(lost)}"
            yield Found(
                each.line,
                f"Class {each.name} gets {says}: {taken[lost[0]]} comes first and takes it.",
                f"Both match {', '.join(lost)}.",
                case.fix(mqc=f"class-map {each.name}\n no match dscp {' '.join(lost).lower()}"),
                "error" if len(lost) == len(marks) else None,
            )
        for mark in marks:
            taken.setdefault(mark, each.name)


@rule("ef-never-set", "info", "RFC 2475, section 2.3.4: marks are set at the edge of a domain")
def ef_never_set(case: Case) -> Iterator[Found]:
    """EF is matched on the way out, and nothing in the file sets or trusts it."""
    if not case.configuration.dialect.startswith("ios"):
        return
    every: list[Statement | Remark] = [
        *case.configuration.statements,
        *case.configuration.remarks,
    ]
    for each in case.configured.classes:
        if "EF" in each.marks and "the rest" not in each.marks:
            if any(SETS.match(one.text) and _EF.search(one.text) for one in every):
                return
            yield Found(
                each.line,
                f"Class {each.name} takes EF, and nothing in this file sets or trusts EF.",
                "0 lines with `set dscp ef` or a trust; the phones or the switch must set it.",
                case.fix(mqc="policy-map MARK-IN\n class VOICE-IN\n  set dscp ef"),
            )
            return


@rule("control-in-default", "info", "RFC 4594, section 3.2: CS6 is for routing protocols")
def control_in_default(case: Case) -> Iterator[Found]:
    """Routing protocols (CS6) have no class of their own and wait with all other traffic."""
    if case.configuration.dialect == "tc":
        return
    marked = [each for each in case.configured.classes if set(each.marks) - {"the rest"}]
    rest = [each for each in case.configured.classes if "the rest" in each.marks]
    known = {mark for each in marked for mark in each.marks}
    dscp = known & (VOICE | {"CS1", "CS2", "CS3", "CS4", "AF41", "AF31", "AF21", "AF11"})
    if not rest or not dscp or known & CONTROL:
        return
    _, least = case.bandwidth(0.05 * case.capacity_bps, case.capacity_bps)
    yield Found(
        rest[0].line or case.configured.line,
        f"CS6 (routing) waits in {rest[0].name}, with all traffic that has no class.",
        f"{len(marked)} classes match marks, none of them CS6.",
        case.fix(
            mqc="class-map match-any CONTROL\n match dscp cs6\n"
            f"{_policy_of(case, marked[0].name)}\n class CONTROL\n  {least}",
            junos="set class-of-service classifiers dscp ... forwarding-class network-control"
            " loss-priority low code-points cs6",
        ),
    )


def _policy_of(case: Case, name: str) -> str:
    """The command that begins the policy with a class."""
    for each in case.configuration.statements:
        if f"class {name}" in (each.text, *each.parents[1:]) and each.parents:
            return each.parents[0]
    return f"policy-map {case.configured.policy}"
