"""The words of the RFCs, of vendors and of Linux, of ``data/words.toml``: to read and to search."""

import html
import re
import tomllib
from functools import cache
from typing import Any

import ipywidgets as widgets
import pandas as pd
from IPython.display import HTML

from qoslib import measurements

__all__ = ["Glossary", "entries", "groups", "search", "words"]

#: Field -> heading, in the order of the columns; a table has those that its words fill.
COLUMNS = {
    "name": "word",
    "rfc": "RFC",
    "means": "meaning",
    "junos": "Junos",
    "ios": "IOS, IOS XE",
    "linux": "Linux",
    "elsewhere": "elsewhere",
    "qoslib": "in qoslib",
    "lesson": "lesson",
}
#: What no vocabulary has a word for stands so in the data.
NO_WORD = "—"
_CELL = "text-align: left; vertical-align: top; line-height: 1.4"


@cache
def _document() -> dict[str, Any]:
    with open(measurements.folder().parent / "words.toml", "rb") as file:
        return tomllib.load(file)


def groups() -> list[str]:
    """Titles of the groups of words."""
    return [group["title"] for group in _document()["group"]]


def words(group: str = "") -> pd.DataFrame:
    """The words of a group, or of all.

    Parameters
    ----------
    group : str
        One of `groups`.

    Raises
    ------
    ValueError
        If there is no such group.

    Examples
    --------
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
    return pd.DataFrame(lines)


def entries(group: str = "") -> HTML:
    """The words of a group, or of all, to read: a row a word, a line a vocabulary.

    Parameters
    ----------
    group : str
        One of `groups`.

    Raises
    ------
    ValueError
        If there is no such group.

    Examples
    --------
    >>> "<code>Codel</code>" in entries("Dropping").data
    True
    """
    return HTML(_page(words(group)))


def _page(table):
    head = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("word", "what it is", "lesson"))
    rows = "".join(map(_row, table.to_dict("records")))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(word):
    filled = {head: text for head, text in word.items() if text not in ("", NO_WORD)}
    name, lesson = filled.pop("word"), filled.pop("lesson")
    lines = "<br>".join(_line(head, text) for head, text in filled.items())
    cells = (f"<b>{_marked(name)}</b>", lines, lesson)
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"


def _line(vocabulary, text):
    """A line of an entry; a meaning needs no heading."""
    return _marked(text) if vocabulary == COLUMNS["means"] else f"{vocabulary}: {_marked(text)}"


def _marked(text):
    """The data's Markdown as HTML: all that it has are back quotes."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


class Glossary(widgets.VBox):
    """A line to search in, and the words that hold what is typed there.

    Attributes
    ----------
    search : Text
    """

    def __init__(self):
        self._words = words()
        self.search = widgets.Text(
            description="Search the words", style={"description_width": "auto"}
        )
        self._shown, self._count = widgets.HTML(), widgets.HTML()
        self.search.observe(lambda _: self._show(), "value")
        self._show()
        super().__init__([self.search, self._count, self._shown])

    @property
    def table(self) -> pd.DataFrame:
        """The words that are shown."""
        wanted = self.search.value.casefold().split()
        lines = self._words.agg(" ".join, axis=1).str.casefold()
        return self._words[[all(word in line for word in wanted) for line in lines]]

    def _show(self):
        table = self.table
        count = f"{len(table)} of {len(self._words)} words"
        self._count.value = f'<p role="status">{html.escape(count)}</p>'
        # All of them stand below, by subject.
        self._shown.value = _page(table) if self.search.value.strip() else ""

    def _repr_mimebundle_(self, **kwargs):
        """The widget; for a viewer without a kernel only what it is."""
        return {**super()._repr_mimebundle_(**kwargs), "text/plain": "a glossary"}


def search() -> Glossary:
    """All words, with a line to search in."""
    return Glossary()
