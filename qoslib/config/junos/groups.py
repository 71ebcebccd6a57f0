"""`groups` and `apply-groups`: statements that a level inherits, with their wildcards."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from qoslib.config.junos.statements import Said, shown
from qoslib.config.source import ConfigurationError

__all__ = ["inherited"]

#: So many statements may be inherited; more come of no configuration.
_MOST = 200_000
_APPLY, _EXCEPT = "apply-groups", "apply-groups-except"


def inherited(said: list[Said]) -> tuple[list[Said], list[Said], list[Said]]:
    """The statements with those that they inherit, which stand first: the last one counts.

    >>> from qoslib.config.junos.statements import statements
    >>> text = '''groups { ALL { interfaces { <ge-*> { speed 100m; } } } }
    ... apply-groups ALL; interfaces { ge-0/0/1 { per-unit-scheduler; } }'''
    >>> [each.words for each in inherited(statements(text))[0] if "speed" in each.words]
    [('interfaces', 'ge-0/0/1', 'speed', '100m')]
    """
    groups: dict[str, list[Said]] = {}
    applied: list[tuple[tuple[str, ...], str, Said]] = []
    refused: set[tuple[tuple[str, ...], str]] = set()
    own: list[Said] = []
    for each in said:
        words = each.words
        if words[0] == "groups" and len(words) > 2:
            groups.setdefault(words[1], []).append(each._replace(words=words[2:]))
        elif _APPLY in words[:-1] and words[-2] == _APPLY:
            applied.append((words[:-2], words[-1], each))
        elif _EXCEPT in words[:-1] and words[-2] == _EXCEPT:
            refused.add((words[:-2], words[-1]))
        elif words[0] != "groups":
            own.append(each)
    unknown = [each for _, name, each in applied if name not in groups]
    applied = [one for one in applied if one[1] in groups and one[2].active]
    names = _names(own) if applied else {}
    taken: list[Said] = []
    order = sorted(enumerate(applied), key=lambda one: (len(one[1][0]), -one[0]))
    for _, (above, name, each) in order:
        for inner in groups[name]:
            for words in _expanded(names, inner.words):
                within = words[: len(above)] == above
                if within and not _refuses(refused, words, name):
                    taken.append(inner._replace(words=words))
                if len(taken) > _MOST:
                    problem = f"the group {shown(name)} makes more than {_MOST:,} statements"
                    raise ConfigurationError(problem, each.line)
    used = {(each.line, each.text) for each in taken}
    unused = [
        each for lines in groups.values() for each in lines if (each.line, each.text) not in used
    ]
    return taken + own, unknown, unused


def _refuses(refused: set[tuple[tuple[str, ...], str]], words: tuple[str, ...], name: str) -> bool:
    return any((words[:depth], name) in refused for depth in range(len(words)))


def _names(said: list[Said]) -> dict[str, Any]:
    """A dictionary of what stands below each word."""
    top: dict[str, Any] = {}
    for each in said:
        below = top
        for word in each.words:
            below = below.setdefault(word, {})
    return top


def _expanded(
    names: dict[str, Any], words: tuple[str, ...], done: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    for at, word in enumerate(words):
        if word.startswith("<") and word.endswith(">"):
            for name, below in names.items():
                if fnmatchcase(name, word[1:-1]):
                    yield from _expanded(below, words[at + 1 :], (*done, name))
            return
        names = names.get(word, {})
        done = (*done, word)
    yield done
