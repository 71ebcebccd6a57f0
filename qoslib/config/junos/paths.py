"""Statements by the words that they begin with."""

from collections.abc import Sequence

from qoslib.config.junos.statements import Said
from qoslib.config.source import check_time

__all__ = ["below", "named"]


def below(said: Sequence[Said], *words: str) -> list[Said]:
    """The active statements below some words, without these."""
    check_time()
    depth = len(words)
    return [
        each._replace(words=each.words[depth:])
        for each in said
        if each.active and each.words[:depth] == words and len(each.words) > depth
    ]


def named(said: Sequence[Said]) -> dict[str, list[Said]]:
    """Statements by their first word, without it."""
    check_time()
    found: dict[str, list[Said]] = {}
    for each in said:
        if each.words:
            found.setdefault(each.words[0], []).append(each._replace(words=each.words[1:]))
    return found
