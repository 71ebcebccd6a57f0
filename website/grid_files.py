"""Files of stored grids, small: each long value is kept once, among others of its place.

A page's server compresses a file, but sees no repetition at a distance. So long values leave the
states of a lesson's explorers for a list: ``{"held": n}`` stands for the nth of them. Where most of
them are those of an earlier lesson, the file names it, and ``{"held": -1}`` is its first one.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["packed", "text"]

#: A value with so many letters is long.
LONG = 250
Json = dict[str, Any]


def packed(lessons: Mapping[str, Json]) -> dict[str, Json]:
    """Grids of lessons with their long values held apart: ``{with, held, explorers}`` each.

    Parameters
    ----------
    lessons : mapping of str to dict
        The grids of each lesson, as `website.grids` works them out, by its name.

    Returns
    -------
    dict of str to dict
        The same, of which `text` makes files.
    """
    made: dict[str, Json] = {}
    own: dict[str, dict[str, int]] = {}
    for lesson, grids in lessons.items():
        long = _held(grids["explorers"])
        other = max(own, key=lambda name: _common(long, own[name]), default=None)
        if other is not None and 2 * _common(long, own[other]) <= sum(map(len, long)):
            other = None
        before = own[other] if other else {}
        own[lesson] = {each: n for n, each in enumerate(e for e in long if e not in before)}
        places = {each: -1 - n for each, n in before.items()} | own[lesson]
        explorers = [_replaced(each, places) for each in grids["explorers"]]
        held = [json.loads(each) for each in own[lesson]]
        made[lesson] = {"with": other, "held": held, "explorers": explorers}
    return made


def text(value: Any) -> str:
    """A value as JSON without a space; a whole number needs no point."""
    return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value


def _held(explorers: list[Json]) -> dict[str, None]:
    """The long values of all states, those of a place in the figure side by side."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for explorer in explorers:
        for path, value in _changes(explorer):
            if _long(said := text(value)):
                found.setdefault(tuple(path), []).append(said)
    return dict.fromkeys(each for values in found.values() for each in values)


def _changes(explorer: Json) -> Iterator[list[Any]]:
    """What is other than at the start, in every state that is not refused."""
    for states in explorer["states"].values():
        for _, changes, *_ in states:
            yield from changes or ()


def _long(said: str) -> bool:
    return len(said) >= LONG


def _common(long: Mapping[str, None], others: Mapping[str, int]) -> int:
    """How many letters of long values another lesson has, too."""
    return sum(len(each) for each in long if each in others)


def _replaced(explorer: Json, places: Mapping[str, int]) -> Json:
    """An explorer with the place of each long value instead of it."""

    def short(value: Any) -> Any:
        said = text(value)
        return {"held": places[said]} if _long(said) else value

    def state(each: list[Any]) -> list[Any]:
        value, changes, *why = each
        told = changes and [[path, short(changed)] for path, changed in changes]
        return [value, told, *why]

    moves = {name: list(map(state, states)) for name, states in explorer["states"].items()}
    return {**explorer, "states": moves}
