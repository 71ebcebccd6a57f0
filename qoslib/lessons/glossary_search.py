"""The glossary in a notebook: a line to search in, and the words that are found."""

import html
import re
from difflib import get_close_matches

import ipywidgets as widgets
import pandas as pd

from qoslib.lessons.glossary import COLUMNS, NO_WORD, words

__all__ = ["Glossary"]

#: How alike a typed word and one of the glossary must be to be near, and how many are shown.
ALIKE, MOST_NEAR = 0.7, 5
_CELL = "text-align: left; vertical-align: top; line-height: 1.4"


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
        self._lines = self._words.drop(columns="lesson").agg(" ".join, axis=1).str.casefold()
        self.search = widgets.Text(
            description="Search the words", style={"description_width": "auto"}
        )
        self._shown, self._count = widgets.HTML(), widgets.HTML()
        self.search.observe(lambda _: self._show(), "value")
        self._show()
        super().__init__([self.search, self._count, self._shown])

    @property
    def table(self) -> pd.DataFrame:
        """The words whose entry holds what is typed; a word that is called so comes first."""
        typed = " ".join(self.search.value.casefold().split())
        found = self._words[[all(word in line for word in typed.split()) for line in self._lines]]
        names = found["word"].str.casefold()
        marks = (names == typed) * 1 + names.str.contains(typed, regex=False)
        return found.loc[marks.sort_values(ascending=False, kind="stable").index]

    @property
    def near(self) -> pd.DataFrame:
        """The words whose entry holds something like what is typed, the nearest first."""
        spelt = [set(re.findall(r"[\w-]+", line)) for line in self._lines]
        known = set().union(*spelt)
        wanted = self.search.value.casefold().split()
        like = [w for each in wanted for w in get_close_matches(each, known, MOST_NEAR, ALIKE)]
        # A word's own name counts more than its mention in another entry.
        marks = pd.Series(
            [
                sum(1 + 9 * (w in name.casefold()) for w in like if w in line)
                for name, line in zip(self._words["word"], spelt, strict=True)
            ]
        )
        best = marks[marks > 0].sort_values(ascending=False, kind="stable")
        return self._words.loc[best.index[:MOST_NEAR]]

    def _show(self):
        table, typed = self.table, self.search.value.strip()
        said = f"{len(table)} of {len(self._words)} words"
        if table.empty:
            table = self.near
            more = "Try the word of an RFC, of a vendor or of Linux." if table.empty else "Near it:"
            said = f"No entry has “{typed}”. {more}"
        self._count.value = f'<p role="status">{html.escape(said)}</p>'
        # All of them follow in the notebook, by subject.
        self._shown.value = _page(table) if typed and not table.empty else ""

    def _repr_mimebundle_(self, **kwargs):
        """The widget; for a viewer without a kernel only what it is."""
        return {**super()._repr_mimebundle_(**kwargs), "text/plain": "a glossary"}
