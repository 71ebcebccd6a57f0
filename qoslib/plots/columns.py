"""The table of a figure as plain columns, which becomes a DataFrame when it is asked for."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, starmap
from operator import methodcaller, sub
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MISSING", "Columns"]

#: A column's name, or a group of columns and the name in it.
Label: TypeAlias = str | tuple[str, ...]
#: What stands in a cell without a value.
MISSING = "–"
#: Digits behind the point, where so many are needed; the longest number that is written with them,
#: and from which size on it counts as long.
_DIGITS, _LONGEST, _LARGE = 6, 12, 1e6
_BARE, _UNSIGNED = methodcaller("rstrip", "0"), methodcaller("lstrip", "-")


class Columns:
    """Named columns of values over named rows.

    Numbers are arrays, None among them is NaN; everything else is kept as it is.
    """

    def __init__(
        self, columns: Mapping[Any, Iterable[Any]], index: Iterable[Any] = (), name: str = ""
    ) -> None:
        self.columns = {
            label: values if isinstance(values, np.ndarray) else _array(values)
            for label, values in columns.items()
        }
        self.index = index if isinstance(index, np.ndarray) else _array(index)
        self.name = name
        for label, values in self.columns.items():
            if len(values) != len(self.index):
                allowed = f"{len(self.index)}, as there are rows"
                raise ValueError(f"column {label!r} has {len(values)} values; allowed: {allowed}")

    @classmethod
    def aligned(
        cls, columns: Mapping[Any, tuple[Iterable[float], Iterable[float]]], name: str
    ) -> "Columns":
        """Columns of (places, values), whose rows are all the places in ascending order.

        >>> Columns.aligned({"a": ([1, 2], [5, 6]), "b": ([0], [7])}, "x")["b"].tolist()
        [7.0, nan, nan]
        """
        index = sorted({place for places, _ in columns.values() for place in _array(places)})
        known = {
            label: dict(zip(_array(places), values, strict=True))
            for label, (places, values) in columns.items()
        }
        return cls(
            {key: [each.get(at) for at in index] for key, each in known.items()}, index, name
        )

    @classmethod
    def of(cls, table: "Columns | pd.DataFrame") -> "Columns":
        """The columns of a DataFrame; columns as they are."""
        if isinstance(table, Columns):
            return table
        return cls({name: table[name].tolist() for name in table}, table.index)

    @classmethod
    def of_rows(
        cls, rows: Mapping[Any, Mapping[Any, Any]] | Sequence[Mapping[Any, Any]], name: str = ""
    ) -> "Columns":
        """Rows by their names, or numbered from 0, each of values by column.

        >>> Columns.of_rows({"a": {"y": 1}, "b": {"y": 2}})["y"].tolist()
        [1, 2]
        """
        each = dict(rows) if isinstance(rows, Mapping) else dict(enumerate(rows))
        labels = dict.fromkeys(label for row in each.values() for label in row)
        found = {label: [row.get(label) for row in each.values()] for label in labels}
        return cls(found, each, name)

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, label: Label) -> np.ndarray:
        return self.columns[label]

    def rows(self) -> Iterator[tuple[Any, dict[Any, Any]]]:
        """The name of each row, and its values by column."""
        for at, name in enumerate(self.index):
            yield name, {label: values[at] for label, values in self.columns.items()}

    def part(self, rows: Any) -> "Columns":
        """The rows of a slice, or of these places."""
        found = {label: values[rows] for label, values in self.columns.items()}
        return Columns(found, self.index[rows], self.name)

    def round(self, decimals: int) -> "Columns":
        """With fractions of so many digits behind the point."""
        found = {
            label: values.round(decimals) if values.dtype.kind == "f" else values
            for label, values in self.columns.items()
        }
        return Columns(found, self.index, self.name)

    def significant(self, digits: int = 3) -> "Columns":
        """With numbers of so many digits: what a reader compares, and the same on any machine."""
        found = {
            label: [float(f"{value:.{digits}g}") for value in values.tolist()]
            for label, values in self.columns.items()
        }
        return Columns(found, self.index, self.name)

    def to_frame(self) -> "pd.DataFrame":
        """The same as a DataFrame."""
        import pandas as pd

        index = pd.Index(self.index.tolist(), name=self.name or None)
        plain = {
            label: values.tolist() if values.dtype == object else values
            for label, values in self.columns.items()
        }
        return pd.DataFrame(plain, index=index)

    def to_html(self) -> str:
        """The same as a table of HTML, as a DataFrame writes it."""
        index, *cells = [
            _fractions(values) if values.dtype.kind == "f" else list(map(_text, values.tolist()))
            for values in (self.index, *self.columns.values())
        ]
        rows = zip(index, zip(*cells, strict=True), strict=True) if cells else ()
        # No call for each cell or row: an explorer writes its table anew at each move.
        body = [
            f"    <tr>\n      <th>{name}</th>\n      <td>"
            + "</td>\n      <td>".join(row)
            + "</td>\n    </tr>\n"
            for name, row in rows
        ]
        return (
            f'<table class="dataframe">\n  <thead>\n{self._head()}  </thead>\n  <tbody>\n'
            f"{''.join(body)}  </tbody>\n</table>"
        )

    def _head(self) -> str:
        """The names of the columns, those of groups above them, and the name of the rows."""
        labels = [each if isinstance(each, tuple) else (each,) for each in self.columns]
        levels = list(zip(*labels, strict=True)) if labels else [()]
        first, head = "      <th></th>\n", []
        for level in levels[:-1]:
            spans = [
                f'      <th colspan="{wide}" halign="left">{html.escape(name, quote=False)}</th>\n'
                if wide > 1
                else f"      <th>{html.escape(name, quote=False)}</th>\n"
                for name, wide in ((name, len(list(same))) for name, same in groupby(level))
            ]
            head.append(f"    <tr>\n{first}{''.join(spans)}    </tr>\n")
        names = [f"      <th>{html.escape(str(each), quote=False)}</th>\n" for each in levels[-1]]
        style = ' style="text-align: right;"' if len(levels) == 1 else ""
        head.append(f"    <tr{style}>\n{first}{''.join(names)}    </tr>\n")
        if self.name:
            name = html.escape(self.name, quote=False)
            head.append(f"    <tr>\n      <th>{name}</th>\n{first * len(labels)}    </tr>\n")
        return "".join(head)


def _array(values: Iterable[Any]) -> np.ndarray:
    """Numbers as an array, None as NaN; all else as objects."""
    each = list(values)
    numbers = all(
        value is None or (isinstance(value, int | float | np.number) and not _is_bool(value))
        for value in each
    )
    if numbers and any(value is not None for value in each):
        if any(value is None for value in each):
            return np.array(each, dtype=float)
        return np.array(each)
    made = np.empty(len(each), dtype=object)
    made[:] = each
    return made


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return MISSING
    if isinstance(value, float):
        return _fractions(np.array([value]))[0]
    return html.escape(str(value), quote=False)


def _fractions(values: np.ndarray) -> list[str]:
    """Fractions with as many digits behind the point as the longest of them needs, at least one."""
    missing = np.isnan(values)
    known = values[~missing].tolist()
    texts = list(map(f"{{:.{_DIGITS}f}}".format, known))
    lengths = zip(map(len, texts), map(len, map(_BARE, texts)), strict=True)
    digits = _DIGITS - min([_DIGITS - 1, *starmap(sub, lengths)])
    size = np.abs(known)
    # A sign takes a place, whether there is one or not.
    longest = max(map(len, map(_UNSIGNED, texts)), default=0) - (_DIGITS - digits)
    tiny = ((size > 0) & (size < 10.0**-_DIGITS)).any()
    long = longest >= _LONGEST and (size > _LARGE).any()
    how = f"{{:.{_DIGITS}e}}" if tiny or long else f"{{:.{digits}f}}"
    found = np.full(len(values), MISSING, dtype=object)
    found[~missing] = list(map(how.format, known))
    return list(found)
