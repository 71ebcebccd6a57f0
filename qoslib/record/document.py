"""Documents of our schema: JSON that is read with care, also as earlier versions wrote it."""

import dataclasses
import json
import math
import typing
from collections.abc import Callable, Iterable
from dataclasses import MISSING

from qoslib.record.values import MAX_DIGITS, brief, fail, shortened

__all__ = ["SCHEMA", "check_fields", "check_keys", "read_document"]

#: The schema of the JSON documents that are written.
SCHEMA = "qoslib/2"
#: What qoslib/1 called otherwise: fields, by the kind of record.
EARLIER = "qoslib/1"
RENAMED_FIELDS: dict[str, dict[str, str]] = {"Scenario": {"where": "network"}}

Made = typing.TypeVar("Made")


def read_document(text: str, made: Callable[[dict[str, typing.Any]], Made], most: int) -> Made:
    """What `made` makes of a JSON text of our schema.

    Parameters
    ----------
    text : str
    made : callable
        Of the document, without its schema.
    most : int
        The most characters that the text may have.

    Returns
    -------
    object
        What `made` returns.

    Raises
    ------
    ValueError
        If the text is not JSON, is too long, has another schema, or as `made` does.

    Examples
    --------
    >>> read_document('{"schema": "qoslib/2", "type": "Fifo"}', dict, most=100)
    {'type': 'Fifo'}
    """
    if not isinstance(text, str):
        fail("the document", text, "a text")
    if len(text) > most:
        problem = f"the document has {len(text):,} characters"
        raise ValueError(f"{problem}; allowed: at most {most:,}")
    try:
        return made(_document(json.loads(text, parse_int=_whole, object_pairs_hook=_object)))
    except json.JSONDecodeError as error:
        raise ValueError(f"the document is not JSON: {error}; allowed: one JSON object") from None
    except RecursionError:
        raise ValueError(
            "the document is nested too deeply; allowed: what to_json writes"
        ) from None


def _document(value: typing.Any) -> dict[str, typing.Any]:
    if not isinstance(value, dict):
        fail("the document", value, "one JSON object")
    check_keys(value, "document")
    schema = value.pop("schema", None)
    if schema not in (SCHEMA, EARLIER):
        fail("schema", schema, f"{SCHEMA!r}, or {EARLIER!r} of earlier documents")
    return value if schema == SCHEMA else _renamed(value)


def _renamed(value: typing.Any) -> typing.Any:
    """A part of a document of qoslib/1, by the names of today."""
    if isinstance(value, list):
        return [_renamed(item) for item in value]
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return value
    names = {old: new for old, new in RENAMED_FIELDS.get(kind, {}).items() if new not in value}
    return {names.get(key, key): _renamed(item) for key, item in value.items()}


class _Twice(dict[str, typing.Any]):
    """An object of a document in which a key stands more than once."""


def _object(pairs: list[tuple[str, typing.Any]]) -> dict[str, typing.Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _Twice(twice=_repeated(key for key, _ in pairs))


def _repeated(keys: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    return None


def check_keys(value: typing.Any, where: str) -> None:
    if isinstance(value, _Twice):
        key = brief.repr(value["twice"])
        raise ValueError(f"{shortened(where)} has the key {key} twice; allowed: each key once")


def check_fields(kind: type, value: dict[str, typing.Any], where: str) -> None:
    """Refuse an object with another key than the fields of a kind, or without one that it needs."""
    fields = dataclasses.fields(kind)
    names = [field.name for field in fields]
    unknown = set(value) - {"type", *names}
    if unknown:
        fail(f"{where} field", min(unknown), ", ".join(names) or "no field")
    for field in fields:
        if field.name not in value and field.default is field.default_factory is MISSING:
            fail(f"{where}.{field.name}", None, f"a value, since a {kind.__name__} needs one")


def _whole(digits: str) -> int:
    """A whole number; one that no text can be made of is as large, and refused like it."""
    if len(digits) <= MAX_DIGITS:
        return int(digits)
    return 1 << round(len(digits) * math.log2(10))
