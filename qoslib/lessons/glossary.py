"""The words of the RFCs, of vendors and of Linux, of ``data/words.toml``: to read and to search."""

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from qoslib import measurements

if TYPE_CHECKING:
    import pandas as pd

    from qoslib.lessons.glossary_search import Glossary

__all__ = ["groups", "search", "words"]

#: Field -> heading, in the order of the columns; a table has those that its words fill.
COLUMNS = {
    "name": "word",
    "means": "meaning",
    "term": "general term",
    "junos": "Junos",
    "ios": "IOS, IOS XE",
    "linux": "Linux",
    "elsewhere": "elsewhere",
    "qoslib": "in qoslib",
    "lesson": "lesson",
}
#: How the data say that a vocabulary has no word.
NO_WORD = "—"


@cache
def _document() -> dict[str, Any]:
    with open(measurements.folder().parent / "words.toml", "rb") as file:
        return tomllib.load(file)


def groups() -> list[str]:
    """Titles of the groups of words."""
    return [group["title"] for group in _document()["group"]]


def words(group: str = "") -> "pd.DataFrame":
    """The words of a group, or of all.

    >>> "head drop" in set(words("Dropping")["word"])
    True
    """
    if group and group not in groups():
        raise ValueError(f"group is {group!r}; allowed: {', '.join(groups())}")
    found = [
        word
        for each in _document()["group"]
        if group in ("", each["title"])
        for word in each["word"]
    ]
    filled = {field: head for field, head in COLUMNS.items() if any(field in w for w in found)}
    lines = [{head: word.get(field, "") for field, head in filled.items()} for word in found]
    import pandas as pd

    return pd.DataFrame(lines)


def search() -> "Glossary":
    """All words, with a line to search in."""
    from qoslib.lessons.glossary_search import Glossary

    return Glossary()
