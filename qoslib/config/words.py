"""The lines of an indented configuration, with their numbers, and the words of one line."""

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from qoslib import units
from qoslib.config.lines import Line
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.values import Value

__all__ = ["NotUnderstood", "Refused", "Words", "begun", "exactly", "lines_of"]

#: So many columns of indentation count; a banner may have more.
_COLUMNS = 32
#: A command is no longer than this.
_LONGEST = 2000
#: Comments, and banners without a text.
_DROPPED = re.compile(r"!|banner \S+ (\S{1,2})\1$")
#: What people write behind a command, as ``priority level 1 ! calls``.
_REMARK = re.compile(r" !+ .*$")
_BANNERS = "banner", "vacant-message"
#: What parts the text of a banner from its command, and what stands behind that.
_BANNER = re.compile(r"(?:banner \S+|vacant-message) (\^C|.)(.*)")
_ENDLESS = "this banner has no end"
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,9})?")
_RATE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([kmg]?)", re.IGNORECASE)
#: A unit without a space in front of it, which no device takes.
_JOINED = re.compile(r"[\d.]+[kmg]?bps", re.IGNORECASE)
_RATES = {"": "bit/s", "k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s"}
#: Words that may stand behind a rate, a size or a time, and their units.
RATE_WORDS = {"bps": "bit/s", "kbps": "kbit/s", "mbps": "Mbit/s", "gbps": "Gbit/s"}
SIZE_WORDS = {"bytes": "B", "kbytes": "kB", "mbytes": "MB", "gbytes": "GB"}
TIME_WORDS = {"ms": "ms", "us": "us", "msec": "ms", "usec": "us"}
LENGTHS = SIZE_WORDS | TIME_WORDS
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


def lines_of(text: str, banner_end: str = "") -> list[Line]:
    """The lines of an indented configuration, without comments and banners.

    A banner ends with the character behind its name, unless the dialect has one end for all.
    """
    kept = _without_comments(text)
    margin = min((indent for _, indent, _ in kept), default=0)
    lines: list[Line] = []
    end, begun = "", 0
    for at, (number, indent, bare) in enumerate(kept):
        if end:
            end = "" if end in bare else end
            continue
        depth = indent - margin if at else 0
        if bare.startswith(_BANNERS):
            end, begun = banner_end or _end_of_banner(number, depth, bare), number
        if bare[0] != "#":
            lines.append(Line(number, bare, tuple(bare[: _LONGEST + 1].split()), depth))
    if end:
        raise ConfigurationError(_ENDLESS, begun)
    return lines


def _without_comments(text: str) -> list[tuple[int, int, str]]:
    """The number, the indentation and the words of each line that is no comment."""
    kept = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        check_time(number)
        bare = _REMARK.sub("", " ".join(line.split()))
        if bare and not _DROPPED.match(bare):
            kept.append((number, min(len(line) - len(line.lstrip()), _COLUMNS), bare))
    return kept


def _end_of_banner(number: int, depth: int, bare: str) -> str:
    """What ends a banner below its first line; empty where that ends it."""
    found = _BANNER.match(bare)
    if not found or (depth and bare.startswith("banner")):
        raise ConfigurationError(_ENDLESS, number)
    return "" if found[1] in found[2] else found[1]


def begun(words: Sequence[str], table: Mapping[tuple[str, ...], str]) -> str:
    """What a table says of the words that some begin with; empty where it has none.

    >>> begun(("qos", "copy", "x"), {("qos", "copy"): "It is read where it is written out."})
    'It is read where it is written out.'
    """
    return next((said for start, said in table.items() if tuple(words[: len(start)]) == start), "")


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

    def said(self, value: object, unit: str = "") -> Value:
        """A value that this line says."""
        return Value(value, unit, self.line.number)

    def length(self, what: str, bare: str, named: Mapping[str, str] = LENGTHS) -> Value:
        """A size, a time or packets: a number, and perhaps the word of its unit, else `bare`."""
        value = self.number(what, 0)
        unit = named.get(self.skip(*named), bare)
        base = {"time": "s", "data": "B"}.get(units.UNITS[unit][0], unit)
        return self.said(exactly(value, unit, base), base)

    def rate(self, what: str, bare: str = "bit/s") -> Value:
        """A rate, or a share of one; `bare` is the unit of a number without one."""
        share = self.share(what)
        if share is not None:
            return self.said(share, "1")
        return self.said(self.rate_bps(what, bare), "bit/s")

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
            if _JOINED.fullmatch(word):
                allowed = f"a number, and its unit behind a space: {', '.join(RATE_WORDS)}"
            self.refuse(f"{what} is {word[:40]!r}; allowed: {allowed}")
        return value_bps

    def has_number(self) -> bool:
        """Whether the next word is a number, perhaps with a suffix."""
        return bool(_RATE.fullmatch(self.ahead))

    def refuse(self, problem: str) -> NoReturn:
        """A device refuses this line."""
        raise Refused(f"{self.line.words[0]}: {problem}", self.line.number)
