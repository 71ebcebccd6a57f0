"""Statements by the words that they begin with, those of groups among them."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from qoslib.config.lines import SLIP, Line, nearest, shown
from qoslib.config.source import ConfigurationError, check_time

__all__ = ["below", "inherited", "is_nearly_a_level", "named", "on_service"]

#: Where quality of service is configured.
_TOPS = {"class-of-service", "firewall", "groups", "apply-groups", "apply-groups-except"}
_TOPS |= {"dynamic-profiles", "logical-systems"}
_LEVEL = "class-of-service"
#: Of the interfaces and the chassis, statements with one of these words.
_OF_INTERFACES = {
    *("speed", "link-speed", "link-mode", "policer", "filter", "802.3ad", "gigether-options"),
    *("layer2-policer", "apply-groups", "apply-groups-except", "per-unit-scheduler"),
    *("hierarchical-scheduler", "shared-scheduler", "interface-set", "interface"),
    *("three-color-policer", "output-traffic-control-profile", "number-of-sub-ports"),
}
#: Of the variables of a subscriber's profile, those that begin so: its rates.
_VARIABLES, _OF_COS = "predefined-variable-defaults", "cos-"
#: Those that a service computes from others, which are rates and bursts of its policers.
_COMPUTED = ("variables", "equals")
_PATHS = ("mpls", "label-switched-path")
_OF_CHASSIS = {"q-pic-large-buffer", "traffic-manager", "max-queues", "max-queues-per-interface"}
#: So many statements may be inherited; more come of no configuration.
_MOST = 200_000
_APPLY, _EXCEPT = "apply-groups", "apply-groups-except"
#: Each member of a cluster inherits its own group by this name (Juniper, Chassis Cluster User Guide
#: for SRX Series Devices: `set apply-groups "${node}"`).
_OF_NODE, _NODE = "${node}", re.compile(r"node\d+")


def below(lines: Sequence[Line], *words: str) -> list[Line]:
    """The active statements below some words, without these."""
    check_time()
    depth = len(words)
    return [
        each._replace(words=each.words[depth:])
        for each in lines
        if each.active and each.words[:depth] == words and len(each.words) > depth
    ]


def named(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """Statements by their first word, without it."""
    check_time()
    by_name: dict[str, list[Line]] = {}
    for each in lines:
        if each.words:
            by_name.setdefault(each.words[0], []).append(each._replace(words=each.words[1:]))
    return by_name


def on_service(lines: Sequence[Line]) -> Iterator[Line]:
    """Statements that may be about quality of service, and names of interfaces, units, groups."""
    known: set[tuple[str, ...]] = set()
    for line in lines:
        check_time(line.number)
        words = line.words
        if words[0] in ("interfaces", "groups"):
            of_unit = words[0] == "interfaces" and words[2:3] == ("unit",)
            for name in (words[:2], words[:4] if of_unit else words[:2]):
                if name not in known:
                    known.add(name)
                    yield Line(line.number, "", name)
        if _is_on_service(words) or is_nearly_a_level(words[0]):
            yield line


def _is_on_service(words: tuple[str, ...]) -> bool:
    if words[0] == "groups" and len(words) > 2:
        return _is_on_service(words[2:]) and words[2] != "groups"
    if words[0] in ("dynamic-profiles", "logical-systems"):
        level = words[2] if len(words) > 2 else ""
        of_cos = len(words) > 3 and words[3].startswith(_OF_COS)
        if level == "interfaces":
            return _is_on_service(words[2:])
        if level == _COMPUTED[0]:
            return _COMPUTED[1] in words
        return level in ("class-of-service", "firewall") or (level == _VARIABLES and of_cos)
    if words[0] == "interfaces":
        return words[2:] == ("disable",) or not _OF_INTERFACES.isdisjoint(words[2:])
    if words[0] == "protocols":
        return words[1:3] == _PATHS and "policing" in words
    if words[0] == "chassis":
        return not _OF_CHASSIS.isdisjoint(words)
    return words[0] in _TOPS


@lru_cache(maxsize=1024)
def is_nearly_a_level(word: str) -> bool:
    """Whether a word at the top is a slip of the pen for `class-of-service`.

    >>> is_nearly_a_level("class-of-servce"), is_nearly_a_level("system")
    (True, False)
    """
    return word != _LEVEL and bool(nearest(word, [_LEVEL], SLIP))


def inherited(lines: Sequence[Line]) -> tuple[list[Line], list[Line], list[Line]]:
    """The statements behind those that they inherit from groups: the last one counts.

    With the uses of groups that the text does not hold, and what of groups nothing inherits.

    >>> from qoslib.config.junos.statements import statements
    >>> text = '''groups { ALL { interfaces { <ge-*> { speed 100m; } } } }
    ... apply-groups ALL; interfaces { ge-0/0/1 { per-unit-scheduler; } }'''
    >>> [each.words for each in inherited(statements(text))[0] if "speed" in each.words]
    [('interfaces', 'ge-0/0/1', 'speed', '100m')]
    """
    groups: dict[str, list[Line]] = {}
    uses: list[Line] = []
    refused: set[tuple[str, ...]] = set()
    own: list[Line] = []
    for line in lines:
        words = line.words
        if words[0] == "groups" and len(words) > 1:
            within = groups.setdefault(words[1], [])
            within += [line._replace(words=words[2:])] if len(words) > 2 else []
        elif words[-2:-1] == (_APPLY,):
            uses.append(line)
        elif words[-2:-1] == (_EXCEPT,):
            refused.add((*words[:-2], words[-1]))
        elif words[0] != "groups":
            own.append(line)
    nodes = [within for name, within in groups.items() if _NODE.fullmatch(name)]
    if nodes and not any(nodes):
        groups[_OF_NODE] = []
    unknown = [_alone(use) for use in uses if use.words[-1] not in groups]
    uses = [use for use in uses if use.words[-1] in groups and use.active]
    taken = _from_groups(uses, groups, refused, _tree(own) if uses else {})
    used = {(line.number, line.text) for line in taken}
    every = (line for members in groups.values() for line in members)
    return taken + own, unknown, [each for each in every if (each.number, each.text) not in used]


def _alone(use: Line) -> Line:
    """The use of one group, without the others of its list."""
    before, bracket, _ = use.text.rpartition("[")
    return use._replace(text=f"{before}{use.words[-1]}") if bracket else use


def _from_groups(
    uses: list[Line],
    groups: dict[str, list[Line]],
    refused: set[tuple[str, ...]],
    names: dict[str, Any],
) -> list[Line]:
    """The statements that levels inherit, those of the levels further out first."""
    taken: list[Line] = []
    for use in sorted(reversed(uses), key=lambda use: len(use.words)):
        *above, _, name = use.words
        for inner in groups[name]:
            for words in _expanded(names, inner.words):
                refuses = any((*words[:depth], name) in refused for depth in range(len(words)))
                if list(words[: len(above)]) == above and not refuses:
                    taken.append(inner._replace(words=words))
                if len(taken) > _MOST:
                    problem = f"the group {shown(name)} makes more than {_MOST:,} statements"
                    raise ConfigurationError(problem, use.number)
    return taken


def _tree(lines: list[Line]) -> dict[str, Any]:
    """A dictionary of what stands below each word."""
    top: dict[str, Any] = {}
    for line in lines:
        level = top
        for word in line.words:
            level = level.setdefault(word, {})
    return top


def _expanded(
    names: dict[str, Any], words: tuple[str, ...], done: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """The words of a group with what its wildcards stand for."""
    for at, word in enumerate(words):
        if word.startswith("<") and word.endswith(">"):
            for name, level in names.items():
                if fnmatchcase(name, word[1:-1]):
                    yield from _expanded(level, words[at + 1 :], (*done, name))
            return
        names = names.get(word, {})
        done = (*done, word)
    yield done
