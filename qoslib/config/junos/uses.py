"""Names that class of service uses and the text does not define, wherever they stand."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qoslib.config.junos.references import NotDefinedError, meant
from qoslib.config.junos.statements import Said
from qoslib.config.junos.words import DEFAULT_CLASSES, SWITCH_CLASSES
from qoslib.config.records import Remark, refusal
from qoslib.config.source import check_time

__all__ = ["Undefined", "undefined"]

_COS = "class-of-service"
_BUILT_IN_CLASSES = {*DEFAULT_CLASSES, *SWITCH_CLASSES}
#: Kind of a name, or of a rule of several kinds, -> the level that defines it.
_LEVELS = {
    "class": "forwarding-classes",
    "class set": "forwarding-class-sets",
    "classifier": "classifiers",
    "congestion-notification profile": "congestion-notification-profile",
    "drop profile": "drop-profiles",
    "fragmentation map": "fragmentation-maps",
    "loss-priority map": "loss-priority-maps",
    "loss-priority rewrite": "loss-priority-rewrites",
    "rewrite rule": "rewrite-rules",
    "scheduler": "schedulers",
    "scheduler map": "scheduler-maps",
    "traffic-control profile": "traffic-control-profiles",
}
#: Statement of an interface or a unit -> the kind of the name behind it.
_OF_SITES = {
    "forwarding-class": "class",
    "forwarding-class-set": "class set",
    "scheduler-map": "scheduler map",
    "input-scheduler-map": "scheduler map",
    "output-traffic-control-profile": "traffic-control profile",
    "output-traffic-control-profile-remaining": "traffic-control profile",
    "input-traffic-control-profile": "traffic-control profile",
    "input-traffic-control-profile-remaining": "traffic-control profile",
    "congestion-notification-profile": "congestion-notification profile",
    "fragmentation-map": "fragmentation map",
}
#: The same, where the sort of the rules (`dscp`, `exp`) stands in front of the name.
_OF_SORTS = {
    "classifiers": "classifier",
    "rewrite-rules": "rewrite rule",
    "loss-priority-maps": "loss-priority map",
    "loss-priority-rewrites": "loss-priority rewrite",
}
#: Rules that each device has are called so, or end so.
_OF_DEVICE = ("default", "-compatibility", "-untrust")


class Undefined(NamedTuple):
    """What a device refuses, and what hangs on a part that the text does not hold.

    Attributes
    ----------
    refused : list of Remark
    wrong : list of Said
        The statements of `refused`.
    absent : list of tuple
        Statements that name something of a level which is not in the text, a sentence each.
    """

    refused: list[Remark]
    wrong: list[Said]
    absent: list[tuple[Said, str]]


def undefined(said: Sequence[Said], *, whole: bool) -> Undefined:
    """Find the names that are used and not defined.

    References
    ----------
    Juniper, CLI User Guide: a commit fails where a name is used and not defined.

    >>> words = ("class-of-service", "interfaces", "ge-0/0/1", "rewrite-rules", "exp", "mpls")
    >>> other = ("class-of-service", "rewrite-rules", "exp", "core", "import", "default")
    >>> found = undefined([Said(words, 1, "exp mpls"), Said(other, 2, "x")], whole=True)
    >>> found.refused[0].lost
    "The rewrite rule 'mpls' of 'exp' is not defined."
    """
    known = _defined(said)
    found = Undefined([], [], [])
    seen: set[tuple[int, str]] = set()
    for each in said:
        check_time(each.line)
        for kind, sort, name in _used(each) if each.active and each.text else ():
            if name[:1] in "$<{" or "*" in name or name in known.get((kind, sort), ()):
                continue
            if whole and any(of == kind for of, _ in known):
                names = known.get((kind, sort), [])
                error = meant(NotDefinedError(kind, name, each.line, sort), names)
                if (each.line, each.text) not in seen:
                    seen.add((each.line, each.text))
                    found.refused.append(refusal(error, each.line, each.text))
                found.wrong.append(each)
            elif kind not in _SAID_ELSEWHERE:
                found.absent.append((each, f"The text does not hold this {kind}."))
    return found


#: Of these the ports say what hangs on a part that is not in the text.
_SAID_ELSEWHERE = {"class", "classifier", "drop profile", "scheduler", "scheduler map"}


def _defined(said: Sequence[Said]) -> dict[tuple[str, str], list[str]]:
    """The names of each kind and sort; no kind of which the text defines none."""
    found: dict[tuple[str, str], list[str]] = {}
    kinds = {level: kind for kind, level in _LEVELS.items()}
    for each in said:
        words = each.words[1:] if each.active and each.words[0] == _COS else ()
        kind = kinds.get(words[0], "") if len(words) > 1 else ""
        if kind in _OF_SORTS.values() and len(words) > 2:
            found.setdefault((kind, words[1]), []).append(words[2])
        elif kind == "class" and len(words) > 2:
            name = words[3:4] if words[1] == "queue" else words[2:3]
            found.setdefault((kind, ""), []).extend(name)
        elif kind and kind not in _OF_SORTS.values():
            found.setdefault((kind, ""), []).append(words[1])
    return found


def _used(each: Said) -> Iterator[tuple[str, str, str]]:
    """Kind, sort and name of what a statement uses."""
    words = each.words
    if words[0] == "firewall":
        if words[-3:-1] == ("then", "forwarding-class"):
            yield from _class(words[-1])
        return
    match words[1:] if words[0] == _COS else ():
        case ("interfaces", "interface-set", _, *site):
            yield from _of_site(tuple(site))
        case ("interfaces", _, "unit", _, *site):
            yield from _of_site(tuple(site))
        case ("interfaces", _, *site):
            yield from _of_site(tuple(site))
        case ("rewrite-rules", _, _, "forwarding-class", name, *_):
            yield from _class(name)
        case ("scheduler-maps", _, "forwarding-class", of, "scheduler", name):
            yield from _class(of)
            yield "scheduler", "", name
        case ("schedulers", _, "drop-profile-map", *_, "drop-profile", name):
            yield "drop profile", "", name
        case ("traffic-control-profiles", _, "scheduler-map", name):
            yield "scheduler map", "", name
        case ("forwarding-class-sets", _, "class", name):
            yield from _class(name)
        case ("fragmentation-maps", _, "forwarding-class", name, *_):
            yield from _class(name)
        case ("host-outbound-traffic", "forwarding-class", name):
            yield from _class(name)


def _of_site(words: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    if len(words) > 1 and words[0] in _OF_SITES:
        kind = _OF_SITES[words[0]]
        yield from _class(words[1]) if kind == "class" else [(kind, "", words[1])]
    if words[:1] == ("forwarding-class-set",) and len(words) > 2:
        yield from _of_site(words[2:])
    if len(words) > 2 and words[0] in _OF_SORTS and not words[2].endswith(_OF_DEVICE):
        yield _OF_SORTS[words[0]], words[1], words[2]


def _class(name: str) -> Iterator[tuple[str, str, str]]:
    if name not in _BUILT_IN_CLASSES:
        yield "class", "", name
