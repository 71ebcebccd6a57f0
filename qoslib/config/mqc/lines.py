"""The lines of an indented configuration, with their numbers, and the words of one line."""

import re
from dataclasses import dataclass
from typing import NoReturn

from qoslib import units
from qoslib.config.source import ConfigurationError, check_time

__all__ = ["Line", "NotUnderstood", "Refused", "Words", "exactly", "lines_of"]

#: Behind each line stand two characters that no configuration has: its number, in this base.
_BASE, _FIRST = 6400, 0xE000
#: So many columns of indentation count; a banner may have more.
_COLUMNS = 32
#: A command is no longer than this.
_LONGEST = 2000
#: Comments, and banners without a text, whose end netutils does not find.
_DROPPED = re.compile(r"!|banner \S+ (\S{1,2})\1$")
#: What people write behind a command, as ``priority level 1 ! calls``.
_REMARK = re.compile(r" !+ .*$")
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,9})?")
_RATE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([kmg]?)(?:bps)?", re.IGNORECASE)
_RATES = {"": "bit/s", "k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s"}
#: Words that may stand behind a rate, a size or a time, and their units.
RATE_WORDS = {"bps": "bit/s", "kbps": "kbit/s", "mbps": "Mbit/s", "gbps": "Gbit/s"}
SIZE_WORDS = {"bytes": "B", "kbytes": "kB", "mbytes": "MB", "gbytes": "GB"}
TIME_WORDS = {"ms": "ms", "us": "us", "msec": "ms", "usec": "us"}
#: Shares of a rate, and how many of them are the whole.
_PARTS = {"per-thousand": 1_000, "per-million": 1_000_000}
#: No queue is served faster than this [bit/s].
_FASTEST_BPS = units.gbps(100_000.0)


def exactly(value: float, unit: str, base: str) -> float:
    """A value in its base unit, without what binary fractions add: 9 ms are 0.009 s."""
    return round(units.convert(value, unit, base), 12)


class NotUnderstood(Exception):
    """Words that the table of commands does not have."""


class Refused(ConfigurationError):
    """A line that a device would not take."""


@dataclass(frozen=True)
class Line:
    """A line: its number from 1, its text, its words, and whether it stands below none."""

    number: int
    text: str
    words: tuple[str, ...]
    top: bool
    indent: int = 0

    @property
    def verb(self) -> str:
        """Its first word, in small letters."""
        return self.words[0].lower()


def lines_of(text: str, parser: str = "IOSConfigParser") -> list[Line]:
    """The lines of an indented configuration, without comments and banners."""
    try:
        from netutils.config import parser as parsers
    except ImportError:
        raise ConfigurationError(
            "this dialect is read with netutils; install it by: pip install 'qoslib[config]'"
        ) from None

    base: type[parsers.BaseSpaceConfigParser] = getattr(parsers, parser)

    class Parser(base):  # type: ignore[misc, valid-type]
        """That of netutils, which looks at the clock at each line."""

        def is_banner_start(self, line: str) -> bool:
            check_time(_number(line) if min(line[-2:], default="") >= chr(_FIRST) else None)
            return bool(super().is_banner_start(line))

    numbered = _numbered(text)
    if not numbered:
        return []
    try:
        parsed = Parser("\n".join(numbered)).config_lines
    except ConfigurationError:
        raise
    except (ValueError, IndexError, RuntimeError):
        banner = next((i for i, line in enumerate(numbered) if line.startswith("banner")), 0)
        raise ConfigurationError("this banner has no end", _number(numbered[banner])) from None
    found = []
    for each in parsed:
        said = each.config_line.strip()
        if "\n" not in each.config_line and len(said) > len(_mark(0)) and said[0] != "#":
            found.append(_line(each.config_line, not each.parents))
            check_time(found[-1].number)
    return found


def _numbered(text: str) -> list[str]:
    """The lines that are no comments, the least indented at the margin, each with its number."""
    kept = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        check_time(number)
        bare = _REMARK.sub("", " ".join(line.split()))
        if bare and not _DROPPED.match(bare):
            kept.append((min(len(line) - len(line.lstrip()), _COLUMNS), bare + _mark(number)))
    margin = min((indent for indent, _ in kept), default=0)
    lines = [" " * (indent - margin) + marked for indent, marked in kept]
    return [lines[0].lstrip(), *lines[1:]] if lines else []


def _mark(number: int) -> str:
    return chr(_FIRST + number // _BASE) + chr(_FIRST + number % _BASE)


def _number(line: str) -> int:
    return (ord(line[-2]) - _FIRST) * _BASE + ord(line[-1]) - _FIRST


def _line(marked: str, top: bool) -> Line:
    text = marked[:-2].strip()
    words = tuple(text[: _LONGEST + 1].split())
    indent = len(marked) - len(marked.lstrip())
    return Line(_number(marked), text, words, top, indent)


class Words:
    """The words of a line, taken one by one.

    Parameters
    ----------
    line : Line
    start : int
        The first word to take.
    """

    def __init__(self, line: Line, start: int = 1) -> None:
        self.line, self.at = line, start
        if len(line.text) > _LONGEST:
            self.refuse(f"the line has {len(line.text):,} characters; allowed: up to {_LONGEST}")

    @property
    def ahead(self) -> str:
        """The next word in small letters; empty at the end."""
        words = self.line.words
        return words[self.at].lower() if self.at < len(words) else ""

    def take(self, what: str) -> str:
        """The next word as it is written."""
        if not self.ahead:
            self.refuse(f"{what} is missing")
        self.at += 1
        return self.line.words[self.at - 1]

    def skip(self, *words: str) -> str:
        """Pass by the next word if it is one of these, and say which it was."""
        found = self.ahead
        if found not in words:
            return ""
        self.at += 1
        return found

    def end(self) -> None:
        """Nothing may follow."""
        if self.ahead:
            raise NotUnderstood

    def number(self, what: str, least: float = 0.0, most: float = 1e12) -> float:
        """A number between two bounds."""
        word = self.take(what)
        value = float(word) if _NUMBER.fullmatch(word) else -1.0
        if not least <= value <= most:
            self.refuse(f"{what} is {word[:40]!r}; allowed: a number from {least:g} to {most:g}")
        return value

    def count(self, what: str, least: int = 0, most: int = 2**32) -> int:
        """A whole number between two bounds."""
        value = self.number(what, least, most)
        if value != int(value):
            self.refuse(f"{what} is {value:g}; allowed: a whole number")
        return int(value)

    def percent(self, what: str, least: float = 1) -> float:
        """A share, given in per cent."""
        return exactly(self.number(what, least, 100), "%", "1")

    def share(self, what: str) -> float | None:
        """A share behind `percent`, `per-thousand` or `per-million`; None where none follows."""
        if self.skip("percent"):
            return self.percent(what)
        parts = {"per-thousand": 1e3, "per-million": 1e6}.get(
            self.skip("per-thousand", "per-million")
        )
        return None if parts is None else self.number(what, 1, parts) / parts

    def rate_bps(self, what: str, unit: str = "bit/s") -> float:
        """A rate in bit/s: with a suffix k, m or g, a unit behind it, or in `unit`."""
        word = self.take(what)
        found = _RATE.fullmatch(word)
        value_bps = -1.0
        if found:
            behind = "" if found[2] else self.skip(*RATE_WORDS)
            unit = RATE_WORDS.get(behind, _RATES[found[2].lower()] if found[2] else unit)
            value_bps = exactly(float(found[1]), unit, "bit/s")
        if not 0 < value_bps <= _FASTEST_BPS:
            allowed = f"a rate above 0 and up to {_FASTEST_BPS:g} bit/s"
            self.refuse(f"{what} is {word[:40]!r}; allowed: {allowed}")
        return value_bps

    def has_number(self) -> bool:
        """Whether the next word is a number, perhaps with a suffix."""
        return bool(_RATE.fullmatch(self.ahead))

    def refuse(self, problem: str) -> NoReturn:
        """A device refuses this line."""
        raise Refused(f"{self.line.words[0]}: {problem}", self.line.number)
