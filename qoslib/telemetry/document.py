"""JSON that nobody vouches for: every look at it says what is missing, and where."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn

from qoslib.measurements import MeasurementError
from qoslib.telemetry.values import short

__all__ = ["Node", "documents"]

#: A counter of 64 bits has 20 digits; what has 30 is none.
LARGEST = 10**30
#: Events of a day's test, one a second; as many tests would be none that a person looks at.
MOST_DOCUMENTS = 100_000
BEGINS = re.compile(r"^[ \t]*([\[{])", re.MULTILINE)
FOLLOWS = re.compile(r"\s*([\[{])")


class Node(NamedTuple):
    """A value in a document, its path, and the file that it is in."""

    file: str
    path: str
    value: Any

    def get(self, key: str) -> "Node | None":
        """What an object has under a key; None where it has nothing or is no object."""
        if not isinstance(self.value, dict) or self.value.get(key) is None:
            return None
        inside = f"{self.path}.{key}" if self.path and not self.path.endswith(": ") else None
        return Node(self.file, inside or f"{self.path}{key}", self.value[key])

    def at(self, *keys: str) -> "Node | None":
        """The same for a path of keys."""
        node: Node | None = self
        for key in keys:
            node = node.get(key) if node is not None else None
        return node

    def items(self) -> "Iterator[Node]":
        """What a list holds; nothing of anything else."""
        if isinstance(self.value, list):
            for number, value in enumerate(self.value):
                yield Node(self.file, f"{self.path}[{number}]", value)

    def number(self, *keys: str) -> "Number | None":
        """The number under a path of keys, None where there is none."""
        node = self.at(*keys)
        if node is None:
            return None
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            node.fail(f"{short(str(value))} is not a number; allowed: a number of 0 or more")
        if not 0 <= value < LARGEST:
            node.fail("out of range; allowed: a number of 0 or more, of at most 30 digits")
        return Number(value, node.path)

    def text(self, *keys: str) -> str:
        """The text under a path of keys, in one line, not too long; empty where there is none."""
        node = self.at(*keys)
        found = node.value if node is not None and isinstance(node.value, str) else ""
        return " ".join(found[:200].split())

    def fail(self, problem: str) -> NoReturn:
        """Raise the one error, at this place."""
        raise MeasurementError(self.file, f"{self.path or 'document'}: {problem}", None, None)


class Number(NamedTuple):
    """A number as it stands in the document, and where."""

    value: int | Decimal
    path: str

    def __float__(self) -> float:
        return float(self.value)


def documents(text: str, file: str) -> list[Node]:
    """Each object or list in a text; lines between them, say warnings, are left out."""
    found: list[Any] = []
    at = 0
    while begins := FOLLOWS.match(text, at) or BEGINS.search(text, at):
        if len(found) >= MOST_DOCUMENTS:
            problem = f"more than {MOST_DOCUMENTS:,} JSON objects; allowed: fewer"
            raise MeasurementError(file, problem, None, None)
        value, at = _decoded(text, begins.start(1), file)
        found.append(value)
    if not found:
        problem = "no JSON in it; allowed: the output of a command with its option for JSON"
        raise MeasurementError(file, problem, None, None)
    alone = len(found) == 1
    return [
        Node(file, "" if alone else f"object {number}: ", value)
        for number, value in enumerate(found, 1)
    ]


def _decoded(text: str, at: int, file: str) -> tuple[Any, int]:
    line = 0
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        problem, line = f"not JSON ({error.msg})", error.lineno
    except RecursionError:
        problem = "nested too deeply"
    except (ValueError, ArithmeticError) as error:
        problem = f"not JSON ({short(str(error))})"
    line = line or text.count("\n", 0, at) + 1
    allowed = "whole JSON objects, as the command wrote them"
    raise MeasurementError(file, f"{problem}; allowed: {allowed}", line, None)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


#: Numbers keep their digits, which say how exact they are.
_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_constant)
