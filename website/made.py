"""What a lesson shows, made again from how it was made: in a page's worker as in a test.

`website.shown` finds out which explorers and scenes a lesson shows, and how each is made. That is
pickled while the site is built; `keep` takes it, and `again` makes the thing from it.
"""

import importlib
import pickle
from functools import lru_cache
from typing import Any, NamedTuple

__all__ = ["KINDS", "Kept", "Made", "again", "code", "keep"]

#: What a page can make live.
KINDS = ("explorer", "scene")


class Made(NamedTuple):
    """A call that makes an explorer or a scene, and the number of its cell in the notebook."""

    kind: str
    module: str
    function: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    cell: int


class Kept(NamedTuple):
    """What a lesson shows, and the code of its cells, without the solutions."""

    shows: list[Made]
    code: list[str]


_kept: dict[str, Kept] = {}


def keep(lesson: str, pickled: bytes) -> None:
    """Remember a lesson; only what the build of this site has pickled is safe here."""
    _kept[lesson] = pickle.loads(pickled)
    _made.cache_clear()


def again(lesson: str, kind: str, number: int) -> Any:
    """The explorer or scene of this number in a lesson, counted from 0; the same one every time.

    Raises
    ------
    ValueError
        If the lesson is not kept, or shows no such thing.
    """
    _check(lesson)
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; allowed: {', '.join(KINDS)}")
    there = [each for each in _kept[lesson].shows if each.kind == kind]
    if not isinstance(number, int) or not 0 <= number < len(there):
        raise ValueError(f"number is {number!r}; allowed: 0 to {len(there) - 1} in {lesson}")
    return _made(lesson, kind, number)


def code(lesson: str) -> list[str]:
    """The code of a lesson's cells, without the solutions.

    Raises
    ------
    ValueError
        If the lesson is not kept.
    """
    _check(lesson)
    return _kept[lesson].code


def _check(lesson: str) -> None:
    if lesson not in _kept:
        raise ValueError(f"lesson is {lesson!r}; allowed: {', '.join(sorted(_kept)) or 'none yet'}")


@lru_cache(maxsize=8)
def _made(lesson: str, kind: str, number: int) -> Any:
    made = [each for each in _kept[lesson].shows if each.kind == kind][number]
    function = getattr(importlib.import_module(made.module), made.function)
    return function(*made.arguments, **made.keywords)
