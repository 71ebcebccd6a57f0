"""Names that a configuration uses and does not define, with those that may be meant."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from qoslib.config.junos.words import DEFAULT_CLASSES, MULTICAST_CLASSES, SWITCH_CLASSES
from qoslib.config.lines import Line, nearest, shown
from qoslib.config.provenance import Provenance
from qoslib.config.records import Remark, Statement, refusal
from qoslib.config.source import ConfigurationError, check_time

__all__ = [
    "NoPortError",
    "NotDefinedError",
    "leave_out",
    "no_port",
    "statements_of",
    "undefined",
    "with_meant",
]

_COS = "class-of-service"
_BUILT_IN_CLASSES = {*DEFAULT_CLASSES, *SWITCH_CLASSES, *MULTICAST_CLASSES}
#: Level -> the kind of the names, or of the rules of several sorts, that it defines.
_KINDS = {
    "forwarding-classes": "class",
    "forwarding-class-sets": "class set",
    "classifiers": "classifier",
    "congestion-notification-profile": "congestion-notification profile",
    "drop-profiles": "drop profile",
    "fragmentation-maps": "fragmentation map",
    "loss-priority-maps": "loss-priority map",
    "loss-priority-rewrites": "loss-priority rewrite",
    "rewrite-rules": "rewrite rule",
    "schedulers": "scheduler",
    "scheduler-maps": "scheduler map",
    "traffic-control-profiles": "traffic-control profile",
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
_SORTED = {*_OF_SORTS.values()}
#: Rules that each device has are called so, or end so.
_OF_DEVICE = ("default", "-compatibility", "-untrust")
#: Of these the ports say what hangs on a part that is not in the text.
_SAID_ELSEWHERE = {"class", "classifier", "scheduler", "scheduler map"}


class NotDefinedError(ConfigurationError):
    """A name of a kind, like `scheduler`, that nothing defines; of rules with their sort (`dscp`).

    `what` says all of it.
    """

    def __init__(self, kind: str, name: str, line: int, sort: str = "") -> None:
        self.kind, self.name = kind, name
        self.what = f"the {kind} {shown(name)}{f' of {shown(sort)}' if sort else ''}"
        super().__init__(f"{self.what} is not defined", line)


class NoPortError(ConfigurationError):
    """What a device takes, and no port describes."""


def no_port(error: NoPortError) -> str:
    """What is lost where no port describes an interface."""
    why = str(error).removeprefix(f"line {error.line}: ")
    return f"No port describes this: {why}. Nothing is promised on this interface."


def leave_out(notes: Provenance, lines: Collection[Line], lost: str) -> None:
    """Note of some statements what the ports do not say."""
    for line in lines:
        notes.not_modelled(line.number, line.text, lost)


def statements_of(lines: Iterable[Line]) -> tuple[Statement, ...]:
    """What is shown of some lines, each once."""
    each = (Statement(line.number, line.text, line.parents) for line in lines)
    return tuple(dict.fromkeys(each))


class Name(NamedTuple):
    """A name of a kind, and of a sort where the kind has some."""

    kind: str
    name: str
    sort: str = ""


def undefined(
    lines: Sequence[Line], notes: Provenance, *, whole: bool
) -> tuple[list[Remark], list[Line]]:
    """Find the names that are used and not defined; what is of a level not in the text is noted.

    It gives what a device refuses, and the statements that this is about.

    References
    ----------
    Juniper, CLI User Guide: a commit fails where a name is used and not defined.

    >>> words = ("class-of-service", "interfaces", "ge-0/0/1", "rewrite-rules", "exp", "mpls")
    >>> other = ("class-of-service", "rewrite-rules", "exp", "core", "import", "default")
    >>> lines = [Line(1, "exp mpls", words), Line(2, "x", other)]
    >>> undefined(lines, Provenance(), whole=True)[0][0].lost
    "The rewrite rule 'mpls' of 'exp' is not defined."
    """
    known = _defined(lines)
    kinds = {kind for kind, _ in known}
    remarks: list[Remark] = []
    wrong: list[Line] = []
    seen: set[tuple[int, str]] = set()
    for line in lines:
        check_time(line.number)
        for kind, name, sort in _used(line.words) if line.active and line.text else ():
            if name[:1] in "$<{" or "*" in name or name in known.get((kind, sort), ()):
                continue
            if whole and kind in kinds:
                error = NotDefinedError(kind, name, line.number, sort)
                if (line.number, line.text) not in seen:
                    seen.add((line.number, line.text))
                    meant = _meant(error, known.get((kind, sort), []))
                    remarks.append(refusal(meant, line.number, line.text))
                wrong.append(line)
            elif kind not in _SAID_ELSEWHERE:
                leave_out(notes, [line], f"The text does not hold this {kind}.")
    return remarks, wrong


def with_meant(error: NotDefinedError, lines: Sequence[Line]) -> ConfigurationError:
    """What is not defined, with what may be meant."""
    active = (line for line in lines if line.active)
    defined = (each for line in active for each in _definitions(line.words))
    names = dict.fromkeys(each.name for each in defined if each.kind == error.kind)
    return _meant(error, names)


def _meant(error: NotDefinedError, names: Collection[str]) -> ConfigurationError:
    """What is not defined, with what may be meant of some names; nothing if it is one of them.

    Then the statement that defines it is refused itself.
    """
    if error.name in names:
        return error
    near = nearest(error.name, names)
    if error.kind == "class" and not near:
        near = nearest(error.name, DEFAULT_CLASSES)
    which = f", did you mean {shown(near)}?" if near else ""
    return ConfigurationError(f"{error.what} is not defined{which}", error.line)


def _defined(lines: Sequence[Line]) -> dict[tuple[str, str], list[str]]:
    """The names of each kind and sort; no kind of which the text defines none."""
    names: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if line.active and line.words[0] == _COS:
            for kind, name, sort in _definitions(line.words):
                names.setdefault((kind, sort), []).append(name)
    return names


def _definitions(words: tuple[str, ...]) -> Iterator[Name]:
    """The names that a statement defines, or helps to define."""
    match words:
        case ("class-of-service", "forwarding-classes", "queue", _, name, *_):
            yield Name("class", name)
        case ("class-of-service", "forwarding-classes", "queue", *_):
            return
        case ("class-of-service", "forwarding-classes", _, name, *_):
            yield Name("class", name)
        case ("class-of-service", level, sort, name, *_) if _KINDS.get(level) in _SORTED:
            yield Name(_KINDS[level], name, sort)
        case ("class-of-service", level, name, *_) if level in _KINDS:
            if _KINDS[level] not in _SORTED and level != "forwarding-classes":
                yield Name(_KINDS[level], name)
        case ("firewall", "policer" | "three-color-policer", name, *_):
            yield Name("policer", name)
        case ("firewall", *_) if "filter" in words[:-1]:
            yield Name("filter", words[words.index("filter") + 1])


def _used(words: tuple[str, ...]) -> Iterator[Name]:
    """The names that a statement uses."""
    if words[0] == "firewall":
        if words[-3:-1] == ("then", "forwarding-class"):
            yield from _class(words[-1])
        return
    match words[1:] if words[0] == _COS else ():
        case ("interfaces", "interface-set", _, *site) | ("interfaces", _, "unit", _, *site):
            yield from _on_site(tuple(site))
        case ("interfaces", _, *site):
            yield from _on_site(tuple(site))
        case ("rewrite-rules", _, _, "forwarding-class", name, *_):
            yield from _class(name)
        case ("scheduler-maps", _, "forwarding-class", of, "scheduler", name):
            yield from _class(of)
            yield Name("scheduler", name)
        case ("schedulers", _, "drop-profile-map", *_, "drop-profile", name):
            yield Name("drop profile", name)
        case ("traffic-control-profiles", _, "scheduler-map", name):
            yield Name("scheduler map", name)
        case (
            ("forwarding-class-sets", _, "class", name)
            | ("fragmentation-maps", _, "forwarding-class", name, *_)
            | ("host-outbound-traffic", "forwarding-class", name)
        ):
            yield from _class(name)


def _on_site(words: tuple[str, ...]) -> Iterator[Name]:
    """The names that an interface or a unit uses."""
    if len(words) > 1 and words[0] in _OF_SITES:
        kind = _OF_SITES[words[0]]
        yield from _class(words[1]) if kind == "class" else [Name(kind, words[1])]
    if words[:1] == ("forwarding-class-set",) and len(words) > 2:
        yield from _on_site(words[2:])
    if len(words) > 2 and words[0] in _OF_SORTS and not words[2].endswith(_OF_DEVICE):
        yield Name(_OF_SORTS[words[0]], words[2], words[1])


def _class(name: str) -> Iterator[Name]:
    if name not in _BUILT_IN_CLASSES:
        yield Name("class", name)
