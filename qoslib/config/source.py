"""The text of a configuration: bounds, and the one error of all dialects."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from qoslib.record import fail

__all__ = [
    "MAX_CHARACTERS",
    "ConfigurationError",
    "TakesTooLongError",
    "TimeIsOverError",
    "aside",
    "bounded",
    "check_time",
    "in_time",
    "left_s",
    "lines_that_say",
    "too_long",
    "without_refused",
]

MAX_CHARACTERS = 10_000_000
MAX_SECONDS = 5.0
#: After so many refused lines a text is taken for none.
_MOST_REFUSED = 100
Read = TypeVar("Read")
#: Halves of a character, also as escapes of JSON; the first group is a whole one of two escapes.
_HALF = re.compile(
    r"(\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2})"
    r"|\\u[dD][89a-fA-F][\dA-Fa-f]{2}|[\ud800-\udfff]"
)
#: What a terminal is told of colours and of where to write.
_CONTROL = r"\x1b\[[\d;?]*[A-Za-z]"
#: What a terminal shows after each page, and how it is overwritten: by spaces alone where a capture
#: has lost the backspaces.
_PAGED = re.compile(
    r" ?(?:--More--|---\(more(?: \d+%)?\)---)"
    rf"(?: ?(?:{_CONTROL}|\x08(?:[ \x08]*\x08)?|\r(?!\n)(?: *\r(?!\n))?)+| {{9}}(?= *\S)| ?)"
    rf"|{_CONTROL}"
)
#: Comments, brackets alone, and words that only end a block.
_SILENT = re.compile(
    r"\s*(?:[!#].*|/\*.*|[\[\](){};,\s]*|end|exit|end-(?:policy|class)(?:-map)?|exit-[\w-]+)\s*"
)


@dataclass
class _Time:
    """When it is over, by `time.process_time` [s], and the line that was reached, if one was said.

    Other work on the machine does not count.
    """

    end_s: float = float("inf")
    line: int | None = None


_TIME: ContextVar[_Time] = ContextVar("time", default=_Time())  # noqa: B039
#: Words in front of what a line is about.
_FIRST = {"set": 3, "tc": 3, "ip": 2, "no": 2}
#: Of a text of more lines only every so many-th is counted.
_COUNTED, _STEP = 300_000, 17


class ConfigurationError(ValueError):
    """A configuration that cannot be read; the message names the line and what is allowed.

    Attributes
    ----------
    line : int or None
        From 1; None when the text as a whole is meant.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(f"line {line}: {problem}" if line else problem)


class TakesTooLongError(ConfigurationError):
    """A configuration that would take too long."""


class TimeIsOverError(TakesTooLongError):
    """A configuration whose time is over, in the line that is named last."""


@contextmanager
def in_time(seconds: float = MAX_SECONDS) -> Iterator[None]:
    """Bound the time of all that is done in here: `check_time` gives up when it is over.

    It is time of the processor. Within another one the earlier end holds. It is a decorator as
    well.

    >>> with in_time(0.0):
    ...     check_time()
    Traceback (most recent call last):
    ...
    qoslib.config.source.TimeIsOverError: this takes more than 5 s; give less
    """
    outer = _TIME.get()
    inner = _Time(min(outer.end_s, time.process_time() + seconds))
    token = _TIME.set(inner)
    try:
        yield
    finally:
        _TIME.reset(token)
        outer.line = inner.line or outer.line


def left_s() -> float:
    """The time that is left of `in_time`; infinite where none bounds it [s].

    >>> with in_time(5.0):
    ...     0.0 < left_s() <= 5.0
    True
    """
    return _TIME.get().end_s - time.process_time()


@contextmanager
def aside() -> Iterator[None]:
    """Do something that has a limit of its own, like a run of a model: its time does not count.

    >>> with in_time(0.0), aside():
    ...     check_time()
    """
    outer, begun_s = _TIME.get(), time.process_time()
    token = _TIME.set(_Time())
    try:
        yield
    finally:
        _TIME.reset(token)
        outer.end_s += time.process_time() - begun_s


def check_time(line: int | None = None) -> None:
    """Give up where the time of `in_time` is over; every loop over what a text has calls it."""
    of = _TIME.get()
    of.line = line or of.line
    if time.process_time() > of.end_s:
        raise TimeIsOverError(f"this takes more than {MAX_SECONDS:g} s; give less", of.line)


def too_long(doing: str, text: str, line: int | None, several: bool = False) -> TakesTooLongError:
    """The error of a text for which there is no time: what it has so many lines of, and what to do.

    >>> print(str(too_long("reading", "policy-map P\\npolicy-map Q\\n class C", 2))[:66])
    line 2: reading its 2 lines of `policy-map` takes more than 5 s; g
    """
    lines = text.split("\n")
    step = 1 if len(lines) <= _COUNTED else _STEP
    words = (each.split(None, 3) for each in lines[::step])
    said = Counter(" ".join(each[: _FIRST.get(each[0], 1)])[:40] for each in words if each)
    (word, count), *_ = said.most_common(1) or [("", 0)]
    count, about = count * step, "about " if step > 1 else ""
    choose = "choose one, as in --interface NAME, or " if several else ""
    return TakesTooLongError(
        f"{doing} its {about}{count:,} lines of `{word}` takes more than {MAX_SECONDS:g} s;"
        f" {choose}give only the interface that you ask about, and the policies and classes that"
        " it uses",
        line,
    )


def without_refused(read: Callable[[], Read], refuse: Callable[[ConfigurationError], int]) -> Read:
    """What is read of a text once all is out that a device refuses: it refuses a line, not a text.

    `refuse` takes out what an error is about, and says how many lines that is.
    """
    count = 0
    while True:
        try:
            return read()
        except TakesTooLongError:
            raise
        except ConfigurationError as error:
            refused = refuse(error) if count < _MOST_REFUSED else 0
            if not refused:
                raise
            count += refused


def bounded(text: str) -> str:
    """A text that may be read: not too long, with line ends of one kind and no NUL.

    What a terminal shows between two pages is left out, as the line behind it overwrites that.
    Half a character, a lone surrogate, becomes what stands for one that could not be decoded.
    """
    if not isinstance(text, str):
        fail("text", type(text).__name__, "a text; read a file with Path(...).read_text()")
    if len(text) > MAX_CHARACTERS:
        raise ConfigurationError(
            f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read"
        )
    text = _PAGED.sub("", text.removeprefix("\ufeff"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ConfigurationError("a NUL character: this is a binary file, not a text", line)
    return _HALF.sub(lambda found: found[1] or "\ufffd", text)


def lines_that_say(text: str) -> set[int]:
    """The lines of a configuration that are neither blank nor comments, nor end a block.

    >>> lines_that_say("! edge\\npolicy-map WAN\\n\\n class VOICE\\n exit")
    {2, 4}
    """
    found = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        check_time(number)
        if not _SILENT.fullmatch(line[:80]):
            found.add(number)
    return found
