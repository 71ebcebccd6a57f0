"""Where names stand in commands: of policies, of class maps, and of what Junos defines and uses."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from qoslib.config.records import Configuration, Remark, Statement

__all__ = [
    "GROUPS",
    "OF_ROUTER",
    "Attachment",
    "ClassMap",
    "attachment",
    "captured",
    "class_map",
    "class_name",
    "groups_set",
    "lines_of",
    "nested_class",
    "odd",
    "perhaps_meant",
    "policy_name",
]

Command = Statement | Remark
#: What is set where a packet comes in, and matched where it leaves.
GROUPS = ("traffic-class", "qos-group", "discard-class")
#: Groups that packets of the router itself may have, and that all have without a line.
OF_ROUTER = {"0", "6", "7"}
#: What may stand behind a policy and its direction (IOS XR).
_BEHIND = {"account", "acct-stats", "merge", "shared-policy-instance", "subscriber-parent"}
#: What stands around names.
_MARKS = ".,:;?()[]{}'\"`"


class Attachment(NamedTuple):
    """A command that attaches a policy, or calls one: its type, its direction, and whose it is.

    `alone` says whether it is the whole command.
    """

    name: str
    kind: str
    way: str
    alone: bool
    profile: bool = False


def attachment(said: Command) -> Attachment | None:
    """What a command attaches; None of another command."""
    words = said.words
    verb = next((word for word in ("service-policy", "service-profile") if word in words[:-1]), "")
    if not verb:
        return None
    at = words.index(verb)
    names, kind, way = said.text.split()[at + 1 :], "", ""
    if verb == "service-policy" and words[at + 1] == "type" and len(names) > 2:
        kind, names = names[1].lower(), names[2:]
    if verb == "service-policy" and len(names) > 1 and names[0].lower() in ("input", "output"):
        way, names = names[0].lower(), names[1:]
        names = names[:1] if names[1:2] and names[1].lower() in _BEHIND else names
    return Attachment(names[0], kind, way, not at, "pro" in verb) if len(names) == 1 else None


def policy_name(said: Command) -> str:
    """The policy or profile of queues that a command begins; empty of another command."""
    words = said.words
    typed = len(words) == 4 and words[1] == "type"
    if words[:1] == ("policy-map",):
        return said.name if len(words) == 2 or typed else ""
    return said.name if words[:2] == ("qos", "profile") and len(words) == 3 else ""


class ClassMap(NamedTuple):
    """The header of a class map: its type, how its matches combine, if it says so, and its name."""

    kind: str
    combined: str
    name: str


def class_map(said: Command) -> ClassMap | None:
    """The class map that a command begins; None of another command."""
    if said.verb != "class-map":
        return None
    names, kind, combined = said.text.split()[1:], "", ""
    if said.words[1:2] == ("type",):
        kind, names = "".join(names[1:2]).lower(), names[2:]
    if names and names[0].lower() in ("match-any", "match-all"):
        combined, names = names[0].lower(), names[1:]
    return ClassMap(kind, combined, names[0]) if len(names) == 1 else None


def class_name(said: Command) -> str:
    """The class of a policy that a command begins; empty of another command."""
    words = said.words
    typed = len(words) == 4 and words[1] == "type"
    return said.name if words[:1] == ("class",) and (len(words) == 2 or typed) else ""


def nested_class(said: Command) -> str:
    """The class map that a match names; empty of another command."""
    words = tuple(word for word in said.words if word != "not")
    return said.name if words[:2] == ("match", "class-map") and len(words) == 3 else ""


def groups_set(configuration: Configuration) -> dict[str, list[Command]]:
    """Group to the commands that put packets into it."""
    found: dict[str, list[Command]] = {}
    for said in configuration.every:
        words = said.words[:3]
        if words[:1] == ("set",) and words[1:2] and words[1] in GROUPS and words[-1].isdecimal():
            found.setdefault(" ".join(words[1:]), []).append(said)
    return found


def lines_of(configuration: Configuration, named: Callable[[Command], str]) -> dict[str, int]:
    """Name to the first line that has it, of what was understood and what has a remark."""
    found: dict[str, int] = {}
    for each in configuration.every:
        if name := named(each):
            found.setdefault(name, each.line)
    return found


def odd(configuration: Configuration) -> Iterator[Remark]:
    """Lines that are refused or not understood."""
    return (each for each in configuration.remarks if each.kind in ("refused", "unknown"))


def perhaps_meant(configuration: Configuration) -> set[str]:
    """Names in lines that are refused or not understood, and those that may be meant there."""
    said = (f"{each.text} {each.lost}" for each in odd(configuration))
    return {word.strip(_MARKS) for each in said for word in each.split()}


def captured(words: Sequence[str], *pattern: str) -> Iterator[tuple[str, ...]]:
    """The words in the places of ``*``, wherever a pattern stands in a row of words.

    In the place of ``?`` any word may stand.

    >>> list(captured("set schedulers S1 priority low".split(), "schedulers", "*"))
    [('S1',)]
    """
    size = len(pattern)
    for at, word in enumerate(words):
        if word == pattern[0] and at + size <= len(words):
            part = words[at : at + size]
            if all(of in ("*", "?", own) for of, own in zip(pattern, part, strict=True)):
                yield tuple(own for of, own in zip(pattern, part, strict=True) if of == "*")
