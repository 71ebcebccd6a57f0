"""Rules on what a text of Junos defines and uses nowhere, and on what its filters discard."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qoslib.checks.names import captured, perhaps_meant
from qoslib.checks.references import listed_names
from qoslib.checks.rule import Found, rule
from qoslib.config.records import Configuration, Remark, Statement

__all__ = ["absent_classifiers", "fixed_classes"]

_COS = "class-of-service"
_BEST_EFFORT = {"best-effort", "be"}
#: Levels of which nothing is read, and words that take statements away, or back.
_OF_OTHERS = {"dynamic-profiles", "logical-systems"}
_MOVES = {"delete", "deactivate", "activate"}
#: What ends the prompt of a device.
_PROMPTS = ("#", ">", "%")
#: What is read of a piece of a configuration, and how each begins.
_PARTS: dict[str, list[tuple[str, ...]]] = {
    "class": [
        (_COS, "forwarding-classes", "class", "*"),
        (_COS, "forwarding-classes", "queue", "?", "*"),
    ],
    "classifier": [(_COS, "classifiers", "?", "*")],
    "rewrite rule": [(_COS, "rewrite-rules", "?", "*")],
    "drop profile": [(_COS, "drop-profiles", "*")],
    "scheduler": [(_COS, "schedulers", "*")],
    "scheduler map": [(_COS, "scheduler-maps", "*")],
    "traffic-control profile": [(_COS, "traffic-control-profiles", "*")],
    "policer": [("firewall", "policer", "*"), ("firewall", "three-color-policer", "*")],
}


Line = tuple[int, list[str]]


def _lines(configuration: Configuration) -> list[Line]:
    """Line and words of each command with those above it, behind a prompt and `set`."""
    return [
        (said.line, words)
        for said in configuration.every
        if (words := _words(said)) and words[0] not in _MOVES
    ]


def _words(said: Statement | Remark) -> list[str]:
    words = said.whole.split()
    if len(words) > 1 and words[0].endswith(_PROMPTS):
        words = words[1:]
    return words[1:] if words[:1] == ["set"] else words


def _names(lines: Sequence[Line], *patterns: tuple[str, ...]) -> dict[str, int]:
    """What stands in the places of ``*`` of patterns, and the first line of each."""
    found: dict[str, int] = {}
    for line, words in lines:
        for pattern in patterns:
            for (name,) in captured(words, *pattern):
                found.setdefault(name.strip(";{}"), line)
    found.pop("", None)
    return found


@rule(
    "scheduler-unused",
    "warning",
    "Juniper, Class of Service User Guide: scheduler maps, applied to interfaces",
    whole=True,
    family="junos",
)
def scheduler_unused(configuration: Configuration) -> Iterator[Found]:
    """A scheduler map is on no interface, or a scheduler in no map (Junos)."""
    lines = _lines(configuration)
    # What is listed in braces may stand without the level above it.
    entries = [
        (line, words)
        for line, words in lines
        if "scheduler-maps" in words or words[0] == "forwarding-class"
    ]
    maps, in_maps = _used_maps(lines), {*_names(entries, ("scheduler", "*"))}
    if maps - _names(lines, (_COS, "scheduler-maps", "*")).keys():
        # What has no map may be for one that the text does not hold.
        in_maps = set()
    for what, level, used in (
        ("Scheduler map", "scheduler-maps", maps),
        ("Scheduler", "schedulers", in_maps),
    ):
        known = used | perhaps_meant(configuration)
        for name, line in _names(lines, (_COS, level, "*")).items() if used else ():
            if name not in known:
                yield Found(
                    line,
                    f"{what} {name} is defined and used nowhere.",
                    "0 lines use it.",
                    f"delete {_COS} {level} {name}",
                )


def _used_maps(lines: Sequence[Line]) -> set[str]:
    """Scheduler maps of interfaces and profiles; what is listed in braces may stand alone."""
    names: set[str] = set()
    for _, words in lines:
        for verb in ("scheduler-map", "input-scheduler-map"):
            at = words.index(verb) if verb in words[:-1] else -1
            above = {"interfaces", "traffic-control-profiles"}.intersection(words[: max(at, 0)])
            if at == 0 or above:
                names.add(words[at + 1].strip(";{}"))
    return names


def fixed_classes(configuration: Configuration) -> dict[str, list[int]]:
    """Class of all that arrives by an interface, and the lines that say so (Junos)."""
    found: dict[str, list[int]] = {}
    for each in configuration.remarks:
        if each.lost.startswith("All packets that arrive here are of this class"):
            found.setdefault(each.name.rstrip(";"), []).append(each.line)
    return found


def absent_classifiers(configuration: Configuration) -> list[str]:
    """Classifiers that interfaces use and the text does not hold (Junos)."""
    absent = (each for each in configuration.remarks if each.lost.endswith("this classifier."))
    names = (each.name.rstrip(";") for each in absent if "does not hold" in each.lost)
    return list(dict.fromkeys(names))


@rule(
    "all-in-one-class",
    "warning",
    "Juniper, Class of Service User Guide, forwarding-class (Interfaces): the class of all packets"
    " of a logical interface",
    whole=True,
    family="junos",
)
def all_in_one_class(configuration: Configuration) -> Iterator[Found]:
    """All that arrives by each interface is put into a class that is not best effort (Junos)."""
    chosen = fixed_classes(configuration)
    lines = sorted(line for own in chosen.values() for line in own)
    ports = [port for port in configuration.ports if port.direction == "out"]
    sorted_out = any(of.marks for port in configuration.ports for of in port.classes)
    if lines and len(lines) >= len(ports) and not sorted_out and chosen.keys() - _BEST_EFFORT:
        names = " or ".join(chosen)
        yield Found(
            lines[0],
            f"All that arrives is put into {names}, whatever its mark: data waits with what that"
            " class is for.",
            f"Lines with `forwarding-class`: {', '.join(map(str, lines))}; no classifier of the"
            " text sorts by marks.",
        )


@rule(
    "piece-without-interface",
    "info",
    "Juniper, Class of Service User Guide: scheduler maps, applied to interfaces",
    whole=True,
    family="junos",
)
def piece_without_interface(configuration: Configuration) -> Iterator[Found]:
    """A text has no interface with queues or policers: what was read of it (Junos)."""
    ports = [port for port in configuration.ports if port.interface != port.policy]
    if ports or not configuration.every:
        return
    lines = _lines(configuration)
    read = [(line, words) for line, words in lines if words[0] not in _OF_OTHERS]
    parts = {kind: [*_names(read, *patterns)] for kind, patterns in _PARTS.items()}
    said = [listed_names(kind, names) for kind, names in parts.items() if names]
    # A subscriber's profile has its interface itself.
    if not said and len(read) < len(lines):
        return
    on = next((port.interface for port in configuration.ports), "NAME")
    yield Found(
        configuration.every[0].line,
        "No interface of this text has queues: it is read as a piece.",
        f"Read: {'; '.join(said) or 'no class and no scheduler'}. `set class-of-service interfaces"
        f" INTERFACE scheduler-map {on}` puts a scheduler map on a port.",
    )


class _Filter(NamedTuple):
    """A filter of a family of addresses, which may be empty."""

    family: str
    name: str


@rule(
    "filter-discards-rest",
    "error",
    "Juniper, Firewall Filters User Guide: a filter ends in an implicit `then discard`",
    whole=True,
    family="junos",
)
def filter_discards_rest(configuration: Configuration) -> Iterator[Found]:
    """A filter that polices or classifies discards what none of its terms match (Junos)."""
    terms, lines = _terms(configuration)
    used = _used_filters(configuration) if terms else set()
    names = Counter(name for _, name in terms)
    for of, own in terms.items():
        takes_all = any(
            not any(rest.startswith("from") or rest == "then next term" for rest in said)
            for said in own.values()
        )
        if of.name in used and not takes_all:
            which = f" ({of.family})" if names[of.name] > 1 else ""
            family = f"{of.family} " if of.family else ""
            yield Found(
                lines[of],
                f"Filter {of.name}{which} discards every packet that none of its terms match.",
                f"No term takes all that is left after {', '.join(own)}: it meets the implicit"
                " discard.",
                f"set firewall {family}filter {of.name} term all-other-traffic then accept",
            )


def _terms(
    configuration: Configuration,
) -> tuple[dict[_Filter, dict[str, list[str]]], dict[_Filter, int]]:
    """Terms of each filter with what each says, and the last line of the filter."""
    terms: dict[_Filter, dict[str, list[str]]] = {}
    lines: dict[_Filter, int] = {}
    for said in configuration.every:
        words = said.whole.split()
        at = words.index("firewall") + 1 if "firewall" in words else len(words)
        family = " ".join(words[at : at + 2]) if words[at : at + 1] == ["family"] else ""
        at += 2 if family else 0
        for name, term in captured(words[at : at + 4], "filter", "*", "term", "*"):
            of = _Filter(family, name)
            terms.setdefault(of, {}).setdefault(term, []).append(" ".join(words[at + 4 :]))
            lines[of] = max(said.line, lines.get(of, 0))
    return terms, lines


def _used_filters(configuration: Configuration) -> set[str]:
    """Filters of interfaces, without those that guard the device itself."""
    used: set[str] = set()
    for said in configuration.every:
        words = said.whole.split()
        at = words.index("interfaces") + 1 if "interfaces" in words else len(words)
        guards = any(word[:2] == "lo" and word[2:3].isdigit() for word in words[at : at + 1])
        for way in ("input", "output") if not guards else ():
            used.update(name for (name,) in captured(words[at:], "filter", way, "*"))
    return used
