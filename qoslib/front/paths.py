"""Paths such as ``network.queues['voice'].limit.packets``, which name a part of a description."""

import ast
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from qoslib.record import Record, fail

__all__ = ["Path", "changed", "parsed", "part_at"]

#: A step of a path: a field by its name, an item by its name or number in a tuple of one.
Key = str | tuple[str | int]
Path = tuple[Key, ...]

EXAMPLE = "a text such as \"network.queues['voice'].limit.packets\""


def parsed(path: str) -> Path:
    """The keys of a path.

    >>> parsed("network.queues['EF, 1.5 M/s'].limit")
    ('network', 'queues', ('EF, 1.5 M/s',), 'limit')
    """
    try:
        node = ast.parse(path, mode="eval").body
    except (TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
        fail("a path", path, EXAMPLE)
    keys: list[Key] = []
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(inner, name):
                keys.append(name)
            case ast.Subscript(inner, ast.Constant(str() | int() as item)):
                keys.append((item,))
            case _:
                fail("a path", path, EXAMPLE)
        node = inner
    return (node.id, *reversed(keys))


def part_at(described: Any, path: Path) -> Any:
    """The part of a description that a path names.

    >>> from qoslib import PacketLimit, Port, Queue
    >>> port = Port("access", 100e6, (Queue("voice", PacketLimit(100)),))
    >>> part_at(port, parsed("queues['voice'].limit.packets"))
    100
    """
    for depth, key in enumerate(path):
        described = _taken(described, _step(described, key, path[:depth]))
    return described


def changed(described: Any, changes: Sequence[tuple[Path, Any]]) -> Any:
    """A copy of a description with other parts at some paths, all changed at once.

    Where one path leads to a part of another's, the whole is changed first.

    >>> from qoslib import PacketLimit, Port, Queue
    >>> port = Port("access", 100e6, (Queue("voice", PacketLimit(100)),))
    >>> changed(port, [(parsed("queues[0].limit.packets"), 7)]).queues[0].limit
    PacketLimit(packets=7)
    """
    return _changed(described, (), changes)


def _changed(part: Any, place: Path, changes: Sequence[tuple[Path, Any]]) -> Any:
    """A part, found at a place, with changes at paths that begin at the part."""
    for path, value in changes:
        if not path:
            part = value
    inside: dict[str | int, list[tuple[Path, Any]]] = {}
    for path, value in changes:
        if path:
            inside.setdefault(_step(part, path[0], place), []).append((path[1:], value))
    made: dict[Any, Any] = {}
    for step, deeper in inside.items():
        key = (step,) if isinstance(step, int) else step
        made[step] = _changed(_taken(part, step), (*place, key), deeper)
    if isinstance(part, tuple):
        return tuple(made.get(i, item) for i, item in enumerate(part))
    return part.replace(**made) if made else part


def _step(whole: Any, key: Key, place: Path) -> str | int:
    """The field or the number of an item that a key leads to, in a part found at a place."""
    if isinstance(key, tuple) and isinstance(whole, tuple):
        index = _index(whole, key[0])
        if index is not None:
            return index
    elif isinstance(key, str) and isinstance(whole, Record) and key in _names(whole):
        return key
    shown = key[0] if isinstance(key, tuple) else key
    return fail(f"a part of {_spelt(place) or 'a scenario'}", shown, _there_is(whole))


def _taken(whole: Any, step: str | int) -> Any:
    return whole[step] if isinstance(step, int) else getattr(whole, step)


def _index(items: tuple[Any, ...], item: str | int) -> int | None:
    """Where an item of this name or number stands; None where there is none."""
    if isinstance(item, int):
        return item if item < len(items) else None
    names = [_name(each) for each in items]
    return names.index(item) if item in names else None


def _name(item: Any) -> str | None:
    """What an item is called; a hop by what stands there."""
    return getattr(getattr(item, "at", item), "name", None)


def _names(described: Any) -> list[str]:
    return [each.name for each in fields(described)]


def _there_is(whole: Any) -> str:
    if isinstance(whole, Record):
        return ", ".join(_names(whole)) or f"nothing, a {type(whole).__name__} has no field"
    if isinstance(whole, tuple):
        names = [repr(name) for name in map(_name, whole) if name is not None]
        return ", ".join(f"[{each}]" for each in (*names, *range(len(whole)))) or "nothing"
    return f"nothing, it is {whole!r}"


def _spelt(path: Path) -> str:
    steps = (f"[{key[0]!r}]" if isinstance(key, tuple) else f".{key}" for key in path)
    return "".join(steps).removeprefix(".")
