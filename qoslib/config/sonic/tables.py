"""The tables of `config_db.json`, and the line of each of their fields."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.values import Value

__all__ = ["RefusedError", "Tables", "tables"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+|\n')
_CLOSING = {"{": "}", "[": "]"}


class RefusedError(ConfigurationError):
    """What a device does not take: a field, or the entry whose value is empty."""

    def __init__(self, problem: str, field: Value) -> None:
        super().__init__(problem, field.line)
        self.field = field


class Tables(dict[str, dict[str, dict[str, Value]]]):
    """Name of a table -> key -> name of a field -> value; that without a name has the key's line.

    Attributes
    ----------
    lines : dict of str to int
        Of each table.
    repeated : list of (str, str, Value)
        Table, name and value of each field that the same entry gives again.
    replaced : list of (str, str, Value)
        The same of each field that is lost as its entry stands again in the same object.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}
        self.repeated: list[tuple[str, str, Value]] = []
        self.replaced: list[tuple[str, str, Value]] = []

    def enter(self, whole: "_Nested") -> None:
        """Take over an object of tables."""
        entered = set[tuple[str, str]]()
        for table, keys in whole.nested():
            self.lines.setdefault(table, keys.line)
            entries = self.setdefault(table, {})
            for key, fields in keys.nested():
                if (table, key) in entered:
                    lost = entries.pop(key).items()
                    self.replaced += [(table, *field) for field in lost if field[0]]
                entered.add((table, key))
                entry = entries.setdefault(key, {})
                entry.setdefault("", Value("", line=fields.line))
                self._enter_fields(table, entry, fields)

    def _enter_fields(self, table: str, entry: dict[str, Value], fields: "_Nested") -> None:
        for name, value in fields.values:
            if name and isinstance(value, Value):
                if before := entry.get(name):
                    self.repeated.append((table, name, before))
                entry[name] = value

    def fields(self) -> Iterator[tuple[str, str, str, Value]]:
        """Each field with its table, its key and its name, and each entry without a name."""
        for table, keys in self.items():
            for key, fields in keys.items():
                for name, value in fields.items():
                    yield table, key, name, value

    def alike(self, field: Value) -> list[Value]:
        """A field, with all others of its table that have its name and value."""
        every = list(self.fields())
        places = [(table, name) for table, _, name, value in every if value is field]
        return [
            value
            for table, _, name, value in every
            if value is field or (name and (table, name) in places and value.value == field.value)
        ]

    def remove(self, field: Value) -> str:
        """Take out a field, or the whole entry, and say what it was; empty if it is not there."""
        for table, key, name, value in self.fields():
            if value is field:
                self[table].pop(key) if not name else self[table][key].pop(name)
                return f"{name}: {value.value}" if name else key
        return ""


def tables(text: str) -> Tables:
    """The tables of a text: one object, or a list of objects that follow one another.

    >>> found = tables('{"PORT": {"Ethernet0": {"speed": "100000"}}}')
    >>> found["PORT"]["Ethernet0"]["speed"][:3]
    ('100000', '', 1)
    """
    found = Tables()
    try:
        whole = _of_json(text)
        tokens = _tokens(text)
        top = _nested(*next(tokens), tokens)
    except RecursionError:
        raise ConfigurationError("objects too deep within one another") from None
    for config in [part for _, part in top.nested()] if isinstance(whole, list) else [top]:
        found.enter(config)
    return found


def _of_json(text: str) -> dict[str, Any] | list[Any]:
    try:
        whole = json.loads(text)
    except ValueError as error:
        raise ConfigurationError("this is no JSON", getattr(error, "lineno", None)) from None
    if not isinstance(whole, dict | list):
        raise ConfigurationError("this is no object of tables")
    return whole


class _Nested(NamedTuple):
    """An object or a list: where it begins, and its values with their names, if they have some."""

    line: int
    values: list[tuple[str, Any]]

    def nested(self) -> Iterator[tuple[str, "_Nested"]]:
        """Objects and lists in it."""
        return ((name, value) for name, value in self.values if isinstance(value, _Nested))


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Each token, with its line."""
    line = 1
    for match in _TOKEN.finditer(text):
        check_time(line)
        if match[0] == "\n":
            line += 1
        else:
            yield match[0], line


def _nested(opening: str, line: int, tokens: Iterator[tuple[str, int]]) -> _Nested:
    """What stands behind an opening bracket; the text is valid JSON."""
    values: list[tuple[str, Any]] = []
    for token, at in tokens:
        if token == _CLOSING[opening]:
            break
        if token == ",":
            continue
        name = ""
        if opening == "{":
            name = json.loads(token)
            next(tokens)
            token, at = next(tokens)
        if token in _CLOSING:
            values.append((name, _nested(token, at, tokens)))
        else:
            word = json.loads(token) if token[0] == '"' else token
            values.append((name, Value(word, line=at)))
    return _Nested(line, values)
