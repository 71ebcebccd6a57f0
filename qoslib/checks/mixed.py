"""Rules on classes that have together, or in the wrong order, what belongs apart."""

from collections.abc import Iterator

from qoslib.checks.fixes import unused, without_marks
from qoslib.checks.marks import CONTROL
from qoslib.checks.priority import VIDEO
from qoslib.checks.rule import Case, Found, Member, rule
from qoslib.config.amounts import rate_text
from qoslib.tolerances import ROUNDING

__all__: list[str] = []

#: Protocols of routers, as NBAR and class-maps of people name them.
_PROTOCOLS = {"bfd", "bgp", "eigrp", "isis", "ldp", "ospf"}
#: Marks of traffic that wants less than best effort: RFC 8622, and RFC 3662 before it.
_SCAVENGER = {"CS1", "LE", "DSCP 1"}


@rule(
    "control-with-video",
    "warning",
    "RFC 4594, section 3.2: routing protocols have a class of their own",
)
def control_with_video(case: Case) -> Iterator[Found]:
    """Routing protocols wait in one class with video."""
    if case.configuration.dialect == "tc":
        # A band of Linux's prio takes whole ranges of ToS, which nobody chose one by one.
        return
    for member in case.members:
        marks = set(member.of.marks)
        control = sorted(marks & CONTROL) + sorted(m for m in marks if m.lower() in _PROTOCOLS)
        if control and marks & VIDEO and "the rest" not in marks:
            yield Found(
                member.of.line,
                f"{', '.join(control)} waits in class {member.name} with"
                f" {', '.join(sorted(marks & VIDEO))}: a picture delays or drops routing.",
                "A neighbour is lost when a few packets of BFD or three of a protocol are missing.",
                case.fix(mqc=_apart(case, member, marks & CONTROL)) if marks & CONTROL else "",
            )


def _apart(case: Case, member: Member, control: set[str]) -> str:
    """The class-map without the marks, where CS6 is one of its code points (IOS)."""
    out = without_marks(case, member.of, control) if "CS6" in control else ""
    if not out or any(each.startswith("bandwidth remaining") for each in _said(case)):
        return ""
    name = unused(case, "CONTROL", "class-map")
    lines = [out, f"class-map match-any {name}", " match dscp cs6", case.policy_line(member.of)]
    _, command = case.bandwidth(case.capacity_bps / 50, case.capacity_bps)
    return "\n".join([*lines, f" class {name}", f"  {command}"])


def _said(case: Case) -> list[str]:
    return [each.text for member in case.members for each in member.of.statements]


@rule(
    "scavenger-over-default",
    "warning",
    "RFC 8622, section 1: the lower effort yields to best effort",
)
def scavenger_over_default(case: Case) -> Iterator[Found]:
    """The class of CS1, below best effort, is sure of more than the class of all other traffic."""
    rest = next((each for each in case.members if "the rest" in each.of.marks), None)
    for member in case.members:
        marks = set(member.of.marks)
        if rest is None or not marks or not marks <= _SCAVENGER:
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
)
def police_and_shape(case: Case) -> Iterator[Found]:
    """A class has a policer and a shaper of one rate: what one would delay the other drops."""
    for member in case.members:
        policer, shaper = member.queue.policer, member.queue.shaper
        if policer is None or shaper is None or policer.exceed != "drop":
            continue
        if abs(policer.rate_bps - shaper.rate_bps) <= shaper.rate_bps / 100:
            yield Found(
                case.line(member, "policer.rate_bps"),
                f"Class {member.name} is policed and shaped at one rate: the policer drops the"
                " bursts that the shaper is there to delay.",
                f"police {rate_text(policer.rate_bps)}, shape {rate_text(shaper.rate_bps)}.",
                case.fix(mqc=f"class {member.name}\n  no police"),
            )
