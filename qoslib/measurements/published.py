"""Published measurements by name, and tables of one's own from a file, a buffer or a DataFrame."""

import os
import tomllib
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from qoslib.measurements.measured import Measurements, is_frame
from qoslib.measurements.table import MAX_BYTES, MeasurementError, rows_of, text_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["catalogue", "folder", "load", "rows", "sources"]


def load(table: "str | os.PathLike[str] | IO[Any] | pd.DataFrame") -> "pd.DataFrame":
    """Read a published table by name, or measurements of your own.

    Parameters
    ----------
    table : str, Path, file or DataFrame
        A name from `catalogue`, like ``"m120_latency"``; or the path of a CSV file in UTF-8 of at
        most 10 million bytes, an open file or buffer of one, or a DataFrame.

        Four columns have to be there: `stream` (empty means all of them), `quantity` (as on the
        scoreboard: ``throughput``, ``latency``, ``loss_share``, ...), `value` and `unit` (a name
        of `units.UNITS`). The others of `COLUMNS` may be: without a `half_width`, a value is taken
        to be rounded to the digits that it has, and without an `experiment`, all rows belong to
        one.

    Returns
    -------
    DataFrame
        One row a value, with all of `COLUMNS`. ``attrs["source"]`` is the passport (title,
        publisher, date, ...; for a table of your own only its name), ``attrs["units"]`` the units
        of each quantity.

    Raises
    ------
    MeasurementError
        If there is no such table, or the first thing that is wrong in it, with its line.

    Examples
    --------
    >>> load("m120_latency").attrs["source"]["publisher"]
    'Juniper Networks'
    >>> import pandas as pd
    >>> own = {"stream": ["voice"], "quantity": ["latency"], "value": [4.5], "unit": ["ms"]}
    >>> load(pd.DataFrame(own))[["experiment", "value", "half_width", "unit"]].values.tolist()
    [['own', 4.5, 0.05, 'ms']]
    """
    return rows(table).to_frame()


def rows(table: "str | os.PathLike[str] | IO[Any] | pd.DataFrame") -> Measurements:
    """Read what `load` reads as plain records, which need no pandas.

    Parameters
    ----------
    table : str, Path, file or DataFrame
        As of `load`.

    Returns
    -------
    Measurements
        One `Measurement` a value.

    Raises
    ------
    MeasurementError
        If there is no such table, or the first thing that is wrong in it, with its line.

    Examples
    --------
    >>> rows("m120_latency").rows[0].as_printed
    'about 90 milliseconds'
    """
    if is_frame(table):
        return _read(table.to_csv(index=False), "DataFrame")
    read: Any = getattr(table, "read", None)
    if read is not None:
        name = str(getattr(table, "name", type(table).__name__))
        return _read(read(MAX_BYTES + 1), name)
    path = _find(table)
    if path.parent == folder():
        found = _published(path, _changed(path))
        return replace(found, source=deepcopy(found.source))
    return _read(_raw(path), str(path), {"file": path.name, "title": path.stem})


def catalogue() -> "pd.DataFrame":
    """List the published tables: name, source, title, rows and quantities of each.

    Returns
    -------
    DataFrame
        One row per table.

    Examples
    --------
    >>> "m120_latency" in set(catalogue()["name"])
    True
    """
    import pandas as pd

    return pd.DataFrame([_entry(path) for path in sorted(folder().glob("*.csv"))])


def sources() -> dict[str, dict[str, Any]]:
    """Return the passport of each published file, by file name.

    A passport joins what is known of the file (places, transcription, rows, SHA-256, notes) with
    what is known of the document it was taken from (title, publisher, date, licence).

    Returns
    -------
    dict of str to dict
        File name to its passport.

    Examples
    --------
    >>> sources()["m120_latency.csv"]["licence"] != ""
    True
    """
    return {name: deepcopy(_passport(name)) for name in _passports()["files"]}


def folder() -> Path:
    """The tables: inside an installed package, or beside it in a checkout.

    Returns
    -------
    Path
        The folder of the CSV files.

    Examples
    --------
    >>> folder().name
    'measurements'
    """
    package = Path(__file__).parent.parent
    inside = package / "data"
    return (inside if inside.is_dir() else package.parent / "data") / "measurements"


def _read(raw: bytes | str, name: str, source: dict[str, Any] | None = None) -> Measurements:
    return Measurements(rows_of(text_of(raw, name), name), source or {"file": name, "title": name})


def _changed(path: Path) -> tuple[int, int]:
    """What a file that is read once is known by: another time or length, and it is read again."""
    now = path.stat()
    return now.st_mtime_ns, now.st_size


@lru_cache(maxsize=200)
def _published(path: Path, changed: tuple[int, int]) -> Measurements:
    return _read(_raw(path), str(path), _passport(path.name))


def _passport(name: str) -> dict[str, Any]:
    """What is known of a published file, and of the document that it names as its source."""
    documents, files = _passports()["sources"], _passports()["files"]
    where = _passports_path()
    if name not in files:
        problem = f'no passport [files."{name}"]; allowed: one for each published table'
        raise MeasurementError(where, problem, None, None)
    source = files[name].get("source")
    if source not in documents:
        problem = f'[files."{name}"] source is {source!r}; allowed: {", ".join(documents)}'
        raise MeasurementError(where, problem, None, None)
    return {"file": name, **documents[source], **files[name]}


def _passports_path() -> Path:
    return folder().parent / "sources.toml"


def _passports() -> dict[str, dict[str, Any]]:
    path = _passports_path()
    return _passports_of(path, _changed(path))


@lru_cache(maxsize=2)
def _passports_of(path: Path, changed: tuple[int, int]) -> dict[str, dict[str, Any]]:
    with open(path, "rb") as text:
        return tomllib.load(text)


def _entry(path: Path) -> dict[str, Any]:
    found = rows(path)
    source = found.source
    return {
        "name": path.stem,
        "source": source.get("source", ""),
        "title": source["title"],
        "publisher": source.get("publisher", ""),
        "date": str(source.get("date", "")),
        "rows": len(found),
        "quantities": ", ".join(sorted(found.units)),
    }


def _find(table: object) -> Path:
    published = {path.stem: path for path in folder().glob("*.csv")}
    if isinstance(table, str) and table in published:
        return published[table]
    if not (isinstance(table, str | os.PathLike) and _is_file(Path(table))):
        allowed = "a CSV file, an open one, a DataFrame"
        problem = f"no such table; allowed: {allowed} or {', '.join(sorted(published))}"
        raise MeasurementError(_brief(table), problem, None, None)
    return Path(table)


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name may be too long for the system, or none at all."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _brief(table: object) -> str:
    """What was asked for, cut where it is no name that a person wrote."""
    if not isinstance(table, str | os.PathLike):
        kind = type(table).__name__
        return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    text = str(table)
    return text if len(text) <= 200 else f"{text[:100]} ... {text[-80:]}"


def _raw(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        problem = f"not readable ({error.strerror}); allowed: a file that you may read"
        raise MeasurementError(path, problem, None, None) from None
