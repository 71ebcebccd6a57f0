"""The tables of `config_db.json`, and the line of each of their fields."""

import json
import re
from typing import NamedTuple

from qoslib.config.source import ConfigurationError, check_time

__all__ = ["Field", "Tables", "shown", "tables"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+|\n')


class Field(NamedTuple):
    """A value, as a text, and its line from 1."""

    value: str
    line: int


class Tables(dict[str, dict[str, dict[str, Field]]]):
    """Name of a table -> key -> name of a field -> field.

    Attributes
    ----------
    lines : dict of str to int
        Of each table.
    repeated : list of (str, str, Field)
        Table, name and value of each field that the same entry gives again.
    replaced : list of (str, str, Field)
        The same of each field that is lost as its entry stands again in the same object.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}
        self.repeated: list[tuple[str, str, Field]] = []
        self.replaced: list[tuple[str, str, Field]] = []


def shown(word: str) -> str:
    """A word as an error names it: at most 40 characters."""
    return repr(word if len(word) <= 40 else word[:40] + "...")


def tables(text: str) -> Tables:
    """The tables of a text: one object, or a list of objects that follow one another.

    >>> found = tables('{"PORT": {"Ethernet0": {"speed": "100000"}}}')
    >>> found["PORT"]["Ethernet0"]["speed"]
    Field(value='100000', line=1)
    """
    try:
        whole = json.loads(text)
    except RecursionError:
        raise ConfigurationError("objects too deep within one another") from None
    except ValueError as error:
        raise ConfigurationError("this is no JSON", getattr(error, "lineno", None)) from None
    if not isinstance(whole, dict | list):
        raise ConfigurationError("this is no object of tables")
    found = Tables()
    _walk(text, 1 if isinstance(whole, list) else 0, found)
    return found


def _walk(text: str, outer: int, found: Tables) -> None:
    """Enter what stands at the depth of tables, keys and fields; the text is valid JSON."""
    path: list[str] = []
    depth, line, name, value = 0, 1, "", False
    entered = set[tuple[str, str]]()
    for match in _TOKEN.finditer(text):
        check_time(line)
        token = match.group()
        if token == "\n":
            line += 1
        elif token in "{[":
            depth += 1
            path = [*path, name][-8:] if depth > 1 + outer else []
            if depth == 1 + outer:
                entered.clear()
            if depth == 2 + outer:
                found.lines.setdefault(name, line)
                found.setdefault(name, {})
            name, value = "", False
            if len(path) == 2:
                table, key = path
                if (table, key) in entered:
                    fields = found[table].pop(key).items()
                    found.replaced += [(table, *field) for field in fields if field[0]]
                entered.add((table, key))
                found.setdefault(path[0], {}).setdefault(path[1], {}).setdefault(
                    "", Field("", line)
                )
        elif token in "}]":
            depth -= 1
            path, name, value = path[:-1], "", False
        elif token == ":":
            value = True
        elif token == ",":
            name, value = "", False
        elif not value:
            name = json.loads(token) if token[0] == '"' else token
        elif len(path) == 2 and depth == 3 + outer:
            word = json.loads(token) if token[0] == '"' else token
            if before := found[path[0]][path[1]].get(name):
                found.repeated.append((path[0], name, before))
            found[path[0]][path[1]][name] = Field(word, line)
