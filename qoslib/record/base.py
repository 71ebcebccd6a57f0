"""The base of every description: frozen, validated when made, equal by value, JSON."""

import dataclasses
import functools
import json
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qoslib.record.document import SCHEMA, check_fields, check_keys, read_document
from qoslib.record.values import (
    MANY,
    WORDS,
    Count,
    checked_number,
    checked_numbers,
    checked_text,
    fail,
    shortened,
)

__all__ = ["Record", "checked", "family_of", "from_json", "record"]

#: A longer document is refused unread: to read so much takes a few seconds.
MAX_JSON_CHARACTERS = 10_000_000
_NONE = type(None)
R = typing.TypeVar("R", bound="Record")


def checked(hint: typing.Any, value: typing.Any, where: str) -> typing.Any:
    """Check a value by a type hint; return it in that type, or raise the error of `fail`.

    Parameters
    ----------
    hint : type
        What a field or an argument may be, for example ``Positive`` or ``tuple[Stream, ...]``.
    value : object
    where : str
        Its name, for the message.

    Returns
    -------
    object
        The value; a NumPy number as a plain one, and a sequence as a tuple.

    Raises
    ------
    ValueError
        If the value is not allowed; the message says what is.

    Examples
    --------
    >>> from qoslib.record import Positive
    >>> checked(Positive, 3, "rate_bps")
    3.0
    >>> checked(Positive, -3, "rate_bps")
    Traceback (most recent call last):
    ValueError: rate_bps is -3.0; allowed: above 0
    """
    if hint is int or hint is float:
        return checked_number(hint, value, where)
    if hint is str or hint is bool:
        return checked_text(hint, value, where)
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        base, (limits,) = hint.__origin__, hint.__metadata__
        number = checked(base, value, where)
        return number if number in limits else fail(where, number, str(limits))
    if origin is typing.Literal:
        options = typing.get_args(hint)
        return value if value in options else fail(where, value, ", ".join(map(repr, options)))
    if origin in (typing.Union, types.UnionType):
        return _union(hint, value, where)
    if origin is tuple:
        return _tuple(hint, value, where)
    if isinstance(value, hint):
        return value
    if _is_record(hint):
        return _record_of([hint], value, where, hint)
    article = "an" if _name(hint)[0] in "AEIOU" else "a"
    return fail(where, value, f"{article} {_name(hint)}")


def _union(hint: typing.Any, value: typing.Any, where: str) -> typing.Any:
    options = typing.get_args(hint)
    if value is None and _NONE in options:
        return None
    if isinstance(value, Record) and type(value) in options:
        return value
    kinds = [option for option in options if _is_record(option)]
    others = [option for option in options if not _is_record(option) and option is not _NONE]
    if isinstance(value, Record) or not others:
        return _record_of(kinds, value, where, hint)
    for option in others[1:]:
        if option in (str, bool) and isinstance(value, option):
            return checked(option, value, where)
    try:
        return checked(others[0], value, where)
    except ValueError as error:
        more = [_name(option) for option in options if option is not others[0]]
        raise ValueError(f"{error}{''.join(f', or {each}' for each in more)}") from None


def _record_of(
    kinds: Sequence[type["Record"]], value: typing.Any, where: str, hint: typing.Any
) -> "Record":
    """A record of one of some kinds, or the default one that a text names."""
    if isinstance(value, Record) and isinstance(value, tuple(kinds)):
        return value
    if isinstance(value, type) and value in _concrete(tuple(kinds)):
        arguments = "" if value in _made_of_nothing(value) else "..."
        fail(where, value, f"{value.__name__}({arguments}), as this is the class alone")
    short = {_short_form(kind.__name__): kind for kind in _made_of_nothing(tuple(kinds))}
    if isinstance(value, str) and (kind := short.get(_short_form(value))):
        return kind()
    allowed = family_of(tuple(kinds), "None" if _NONE in typing.get_args(hint) else "")
    return fail(where, value, f"{allowed}{f', or {_texts(short.values())}' if short else ''}")


def family_of(kinds: type | tuple[type, ...], more: str = "") -> str:
    """The kinds of a family of records by name, for messages: ``A, B or C``."""
    names = [each.__name__ for each in _concrete(kinds)] + ([more] if more else [])
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else f"a {names[0]}"


def _short_form(name: str) -> str:
    """How a kind may be written as a text: ``on_off``, ``OnOff`` and ``on off`` are one."""
    return re.sub(r"[\s_-]", "", name).lower()


def _texts(kinds: Iterable[type]) -> str:
    return ", ".join(repr(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", k.__name__).lower()) for k in kinds)


def _concrete(kinds: type | tuple[type, ...]) -> list[type["Record"]]:
    """The kinds of record among some, and those that have one of them as their base."""
    return [each for each in Record.kinds.values() if issubclass(each, kinds)]


def _made_of_nothing(kinds: type | tuple[type, ...]) -> list[type["Record"]]:
    """Those of them that need no arguments."""
    return [
        each
        for each in _concrete(kinds)
        if all(field.default is not dataclasses.MISSING for field in dataclasses.fields(each))
    ]


def _tuple(hint: typing.Any, value: typing.Any, where: str) -> tuple[typing.Any, ...]:
    hints = typing.get_args(hint)
    if not isinstance(value, list | tuple):
        value = _sequence(hint, value, where)
    many = hints[-1] is Ellipsis and isinstance(value, list | tuple | np.ndarray)
    if many and len(value) >= MANY and (made := checked_numbers(hints[0], value)) is not None:
        return made
    items = tuple(value.tolist() if isinstance(value, np.ndarray) else value)
    if hints[-1] is Ellipsis:
        hints = (hints[0],) * len(items)
    if len(items) != len(hints):
        fail(where, items, f"{len(hints)} values")
    try:
        return tuple(checked(kind, item, where) for kind, item in zip(hints, items, strict=True))
    except ValueError:
        # The places of a million items are written down only where one of them is wrong.
        for i, (kind, item) in enumerate(zip(hints, items, strict=True)):
            checked(kind, item, f"{where}[{i}]")
        raise


def _sequence(hint: typing.Any, value: typing.Any, where: str) -> typing.Any:
    """An array with a dimension, or what else can be gone through, but no text or mapping."""
    array = np.asarray(value) if hasattr(value, "__array__") else None
    if array is not None and array.ndim:
        return array
    wrong = array is not None or isinstance(value, str | bytes | Mapping)
    if wrong or not isinstance(value, typing.Iterable):
        fail(where, value, _name(hint))
    return value


def _is_record(hint: typing.Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Record)


def _name(hint: typing.Any) -> str:
    """What a type hint is called in a message."""
    if typing.get_origin(hint) is typing.Annotated:
        return _name(hint.__origin__)
    if typing.get_origin(hint) is tuple:
        inside = _name(typing.get_args(hint)[0])
        return f"a sequence of {'numbers' if inside.endswith('number') else inside}"
    return WORDS.get(hint) or str(getattr(hint, "__name__", hint))


class _Field(typing.NamedTuple):
    """What a field may be, its name in messages, and its default if that needs no check."""

    hint: typing.Any
    where: str
    default: typing.Any


def _fields_of(made: "Record") -> dict[str, _Field]:
    """The fields of a record by name."""
    kind: typing.Any = type(made)
    return _fields(kind)


@functools.cache
def _fields(kind: typing.Any) -> dict[str, _Field]:
    """Those of a kind of record; to find them out takes a millisecond."""
    hints = typing.get_type_hints(kind, include_extras=True)
    found = {}
    for field in dataclasses.fields(kind):
        hint, where, default = hints[field.name], f"{kind.__name__}.{field.name}", field.default
        if default is not dataclasses.MISSING and checked(hint, default, where) is not default:
            default = dataclasses.MISSING
        found[field.name] = _Field(hint, where, default)
    return found


class Record:
    """Base of all descriptions: made only valid, printed without its defaults.

    Where a field is a record of one of several kinds, a text may name one that needs no arguments:
    ``arrivals="poisson"`` is ``arrivals=Poisson()``.
    """

    kinds: typing.ClassVar[dict[str, type["Record"]]] = {}
    __dataclass_fields__: typing.ClassVar[dict[str, typing.Any]]

    def __init_subclass__(cls, *, family: bool = False) -> None:
        """Enter a kind of record by its name; a family has kinds, and no records of its own."""
        if not family:
            Record.kinds[cls.__name__] = cls

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__} is a family; allowed: {family_of(type(self))}")

    def __post_init__(self) -> None:
        self._check_fields(_fields_of(self))
        self.check()

    def _check_fields(self, names: Iterable[str]) -> None:
        """Check what some fields are set to, and keep it in the type of the field."""
        fields, own = _fields_of(self), vars(self)
        for name in names:
            hint, where, default = fields[name]
            if own[name] is not default:
                own[name] = checked(hint, own[name], where)

    def check(self) -> None:
        """What no single field can say; a record with such a rule overrides it."""

    def __repr__(self) -> str:
        fields = (
            f"{f.name}={_repr_of(getattr(self, f.name))}"
            for f in dataclasses.fields(self)
            if getattr(self, f.name) != f.default
        )
        return f"{type(self).__name__}({', '.join(fields)})"

    def replace(self, **changes: typing.Any) -> typing.Self:
        """A copy with some fields changed, validated again.

        Parameters
        ----------
        **changes
            Field names and their new values.

        Returns
        -------
        Record
            Of the same kind.

        Raises
        ------
        ValueError
            If a changed value is not allowed.
        TypeError
            If there is no such field.
        """
        fields, own = _fields_of(self), vars(self)
        for name in changes:
            if name not in fields:
                kind = type(self).__name__
                raise TypeError(f"{kind} has no field {name!r}; allowed: {', '.join(fields)}")
        made = object.__new__(type(self))
        # What was worked out of the fields is left behind, and worked out anew.
        vars(made).update({name: own[name] for name in fields} | changes)
        # What does not change was found to be allowed when this record was made.
        made._check_fields(changes)
        made.check()
        return made

    def to_json(self, indent: int | None = 2) -> str:
        """The description as strict JSON, with its schema version.

        Parameters
        ----------
        indent : int or None
            Spaces per level; None for one line.

        Returns
        -------
        str
            One JSON object.

        Raises
        ------
        ValueError
            If `indent` is no whole number: a path, for instance. ``Path(...).write_text`` writes
            the text to a file.
        """
        checked(Count | None, indent, "indent")
        document = {"schema": SCHEMA, **_plain(self)}
        return json.dumps(document, indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> typing.Self:
        """Read a description of this kind back; see `from_json`.

        Parameters
        ----------
        text : str
            What `to_json` wrote.

        Returns
        -------
        Record
            Of this kind.

        Raises
        ------
        ValueError
            If it is of another kind, or as the function `from_json` does.
        """
        made = from_json(text)
        return made if isinstance(made, cls) else fail("type", type(made).__name__, cls.__name__)


def _repr_of(value: typing.Any) -> str:
    """The text of a value; of many numbers the first ones and the last one."""
    if isinstance(value, tuple) and len(value) >= MANY and isinstance(value[0], int | float):
        return f"({', '.join(map(repr, value[:3]))}, ..., {value[-1]!r})"
    return repr(value)


@typing.dataclass_transform(frozen_default=True)
def record(cls: type[R]) -> type[R]:
    """Class decorator: a frozen dataclass that prints without its defaults.

    Parameters
    ----------
    cls : type
        A subclass of `Record`, its fields annotated like those of a dataclass.

    Returns
    -------
    type
        The same class as a frozen dataclass.

    Examples
    --------
    >>> from qoslib.record import NotNegative, Positive
    >>> @record
    ... class Link(Record):
    ...     rate_bps: Positive
    ...     delay_s: NotNegative = 0.0
    >>> Link(1e9)
    Link(rate_bps=1000000000.0)
    >>> Link(-1.0)
    Traceback (most recent call last):
    ValueError: Link.rate_bps is -1.0; allowed: above 0
    """
    return dataclass(frozen=True, repr=False)(cls)


def _plain(value: typing.Any) -> typing.Any:
    if isinstance(value, Record):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"type": type(value).__name__, **fields}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def from_json(text: str) -> Record:
    """Read a description written by `Record.to_json`, of a kind whose module is imported.

    Parameters
    ----------
    text : str
        One JSON document of at most 10 million characters. It is data: nothing in it is run.

    Returns
    -------
    Record
        The description; equal to that which was written.

    Raises
    ------
    ValueError
        If the text is not JSON, is too long, has another schema, or describes something that is
        not allowed. The message names the place in the document.

    Examples
    --------
    >>> from qoslib.port import PacketLimit
    >>> from_json(PacketLimit(100).to_json())
    PacketLimit(packets=100)
    """
    made: Record = read_document(text, lambda value: _made(value, "document"), MAX_JSON_CHARACTERS)
    return made


def _made(value: typing.Any, where: str) -> typing.Any:
    if isinstance(value, list):
        return tuple(
            _made(item, f"{where}[{i}]") if isinstance(item, dict | list) else item
            for i, item in enumerate(value)
        )
    if not isinstance(value, dict):
        return value
    check_keys(value, where)
    named = value.get("type")
    kind = Record.kinds.get(named) if isinstance(named, str) else None
    if kind is None:
        fail(f"{where}.type", named, ", ".join(sorted(Record.kinds)))
    check_fields(kind, value, where)
    parts = {k: _made(v, f"{where}.{k}") for k, v in value.items() if k != "type"}
    try:
        return kind(**parts)
    except ValueError as error:
        raise ValueError(f"{shortened(where)}: {error}") from None
