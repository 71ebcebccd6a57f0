"""Vendors' defaults, each with its source: ``defaults.toml``."""

import tomllib
from functools import cache
from pathlib import Path

from qoslib.record import Record, fail, record

__all__ = ["Default", "default", "defaults"]


@record
class Default(Record):
    """What a platform does where a configuration says nothing.

    Parameters
    ----------
    name : str
        ``platform.name``, as `Origin.default` has it.
    what : str
        One sentence, with the formula.
    source : str
        Where it is written.
    verified : bool
        Whether somebody read it there.
    value : float or None
        Where it is one number, in base units.
    unit : str
        Of that: ``"s"``, ``"B"``, ``"bit/s"``, ``"packets"`` or empty for a share.
    """

    name: str
    what: str
    source: str
    verified: bool
    value: float | None = None
    unit: str = ""


@cache
def defaults() -> dict[str, Default]:
    """All defaults by their names."""
    text = Path(__file__).with_name("defaults.toml").read_text(encoding="utf-8")
    return {
        f"{platform}.{name}": Default(f"{platform}.{name}", **row)
        for platform, rows in tomllib.loads(text).items()
        for name, row in rows.items()
    }


def default(name: str) -> Default:
    """One default.

    Parameters
    ----------
    name : str
        ``platform.name``, like ``"ios-xe.priority_burst"``.

    Returns
    -------
    Default

    Raises
    ------
    ValueError
        If there is none of this name.

    Examples
    --------
    >>> default("ios-xe.priority_burst").value
    0.2
    """
    if name not in defaults():
        fail("default", name, ", ".join(sorted(defaults())))
    return defaults()[name]
