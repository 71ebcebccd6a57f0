"""What all records of arrays have in common: short texts, equality, copies, and JSON."""

import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from qoslib.record import SCHEMA, Count, checked, fail, read_document
from qoslib.record.document import check_fields

__all__ = ["ArrayRecord"]

#: A longer document is refused unread: to read so much takes some ten seconds.
MAX_CHARACTERS = 100_000_000
#: What arrays may hold.
DTYPES = ("float64", "int64", "str", "bool", "float32", "int32", "int16", "int8", "uint8")
#: Arrays of no more values are written out in the text of a record.
FEW = 6


Kind = typing.TypeVar("Kind", bound="ArrayRecord")


class ArrayRecord:
    """Base of the records of arrays: equal by value (NaN equals itself), short when printed."""

    __dataclass_fields__: typing.ClassVar[dict[str, typing.Any]]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __hash__(self) -> int:
        plain = (getattr(self, f.name) for f in fields(self))
        return hash((type(self), *(v for v in plain if isinstance(v, str | int | float))))

    def __repr__(self) -> str:
        parts = (f"{f.name}={_brief(getattr(self, f.name))}" for f in fields(self))
        return f"{type(self).__name__}({', '.join(parts)})"

    def to_json(self, indent: int | None = None) -> str:
        """The record as strict JSON, with its schema version; every number comes back as it is.

        Parameters
        ----------
        indent : int, optional
            Spaces a level; by default all stands in one line.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If `indent` is no whole number.

        Examples
        --------
        >>> from qoslib.results import Histogram
        >>> histogram = Histogram(np.array([0.0, 1e-3]), np.array([[3]]))
        >>> Histogram.from_json(histogram.to_json()) == histogram
        True
        """
        checked(Count | None, indent, "indent")
        return json.dumps({"schema": SCHEMA, **_plain(self)}, indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> typing.Self:
        """Read a record of this kind back.

        Parameters
        ----------
        text : str
            What `to_json` wrote, at most 100 million characters. It is data: nothing in it is run.

        Returns
        -------
        ArrayRecord
            Equal to what was written.

        Raises
        ------
        ValueError
            If the text is not JSON, is too long, has another schema, or is no such record.

        Examples
        --------
        >>> from qoslib.results import Histogram
        >>> Histogram.from_json("{}")
        Traceback (most recent call last):
        ValueError: schema is None; allowed: 'qoslib/2', or 'qoslib/1' of earlier documents
        """
        return read_document(text, lambda value: _record(cls, value, "document"), MAX_CHARACTERS)


def _same(one: typing.Any, other: typing.Any) -> bool:
    if isinstance(one, np.ndarray):
        if not isinstance(other, np.ndarray) or one.shape != other.shape:
            return False
        return bool(np.all((one == other) | ((one != one) & (other != other))))
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _brief(value: object) -> str:
    if isinstance(value, np.ndarray):
        if value.size > FEW or value.ndim > 1:
            return f"<{value.dtype} of shape {value.shape}>"
        return np.array2string(value, precision=4, separator=", ", max_line_width=1000)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_brief(each)}' for key, each in value.items())}}}"
    if isinstance(value, tuple) and len(value) > FEW:
        return f"({', '.join(map(repr, value[:FEW]))}, ... {len(value) - FEW} more)"
    return repr(value)


def _plain(value: typing.Any) -> typing.Any:
    if isinstance(value, ArrayRecord):
        parts = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        return {"type": type(value).__name__, **parts}
    if isinstance(value, np.ndarray):
        kind = "str" if value.dtype.kind == "U" else value.dtype.name
        numbers = [_finite(each) for each in value.ravel().tolist()]
        return {"dtype": kind, "shape": list(value.shape), "values": numbers}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def _finite(value: object) -> object:
    """A number that JSON has; what it has not as its name."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _made(hint: typing.Any, value: typing.Any, where: str) -> typing.Any:
    """A value of a type hint from what JSON gives."""
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        (hint,) = (option for option in options if option is not type(None))
        return None if value is None else _made(hint, value, where)
    if isinstance(hint, type) and issubclass(hint, ArrayRecord):
        return _record(hint, value, where)
    if hint is np.ndarray:
        return _array(value, where)
    if origin is tuple:
        items = value if isinstance(value, list) else fail(where, value, "a list")
        return tuple(_made(options[0], each, f"{where}[{i}]") for i, each in enumerate(items))
    if origin is Mapping:
        if type(value) is not dict:
            fail(where, value, "an object, each key once")
        return {key: _made(options[1], each, f"{where}.{key}") for key, each in value.items()}
    return checked(hint, value, where)


def _record(kind: type[Kind], value: typing.Any, where: str) -> Kind:
    if not isinstance(value, dict) or value.get("type") != kind.__name__:
        fail(where, value, f"an object of the type {kind.__name__}")
    hints = typing.get_type_hints(kind)
    check_fields(kind, value, where)
    given = {name: each for name, each in value.items() if name != "type"}
    return kind(**{n: _made(hints[n], each, f"{where}.{n}") for n, each in given.items()})


def _array(value: typing.Any, where: str) -> np.ndarray[typing.Any, typing.Any]:
    if not isinstance(value, dict) or set(value) != {"dtype", "shape", "values"}:
        fail(where, value, "an object of dtype, shape and values")
    kind, shape, values = value["dtype"], value["shape"], value["values"]
    if kind not in DTYPES:
        fail(f"{where}.dtype", kind, ", ".join(DTYPES))
    try:
        values = [float(each) for each in values] if kind.startswith("float") else values
        return np.array(values, dtype=kind).reshape(shape)
    except (TypeError, OverflowError, ValueError) as error:
        raise ValueError(f"{where}: {error}; allowed: values of this dtype and shape") from None
