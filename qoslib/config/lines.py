"""A line of a configuration, as the lexer of every dialect gives it, and words of lines."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

__all__ = ["SLIP", "Line", "nearest", "shown"]

#: A word that is so near to a known one is meant to be it.
SLIP = 0.85


class Line(NamedTuple):
    """A statement with its words and its place.

    Attributes
    ----------
    number : int
        From 1.
    text : str
        As it stands there, without its indentation.
    words : tuple of str
        Of Junos from the top of the configuration.
    depth : int
        How far it is indented, or how many statements it stands below.
    parents : tuple of str
        The statements that it stands below, the outermost first, where the text has them.
    active : bool
        Whether it has an effect: `inactive:` and `delete` have none (Junos).
    opened : tuple of int
        The lines of the parents.
    """

    number: int
    text: str
    words: tuple[str, ...]
    depth: int = 0
    parents: tuple[str, ...] = ()
    active: bool = True
    opened: tuple[int, ...] = ()

    @property
    def verb(self) -> str:
        """Its first word, in small letters.

        >>> Line(1, "Bandwidth percent 60", ("Bandwidth", "percent", "60")).verb
        'bandwidth'
        """
        return self.words[0].lower()

    @property
    def top(self) -> bool:
        """Whether it stands at the margin, below no other."""
        return self.depth == 0


def nearest(word: str, known: Iterable[str], least: float = 0.6) -> str:
    """The known word that a word is most like; empty where none is like it.

    >>> nearest("bandwith", ["bandwidth", "shape"]), nearest("bandwith", ["shape"])
    ('bandwidth', '')
    """
    return next(iter(get_close_matches(word, known, 1, least)), "")


def shown(word: str) -> str:
    """A word as an error names it: at most 40 characters.

    >>> shown("10x")
    "'10x'"
    """
    return repr(word if len(word) <= 40 else word[:40] + "...")
