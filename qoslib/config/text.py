"""The text of a configuration: bounds, and the one error of all dialects."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from qoslib.record import fail

__all__ = [
    "MAX_CHARACTERS",
    "ConfigurationError",
    "TakesTooLongError",
    "aside",
    "bounded",
    "check_time",
    "in_time",
    "left_s",
    "lines_that_say",
]

MAX_CHARACTERS = 10_000_000
MAX_SECONDS = 5.0
#: Halves of a character, also as escapes of JSON; the first group is a whole one of two escapes.
_HALF = re.compile(
    r"(\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2})"
    r"|\\u[dD][89a-fA-F][\dA-Fa-f]{2}|[\ud800-\udfff]"
)
#: Comments, brackets alone, and words that only end a block.
_SILENT = re.compile(
    r"\s*(?:[!#].*|/\*.*|[\[\](){};,\s]*|end|exit|end-(?:policy|class)(?:-map)?|exit-[\w-]+)\s*"
)
#: When the time is over, by `time.process_time` [s]: other work on the machine does not count.
_END_S: ContextVar[float] = ContextVar("end_s", default=float("inf"))


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
    """A configuration whose time is over."""


@contextmanager
def in_time(seconds: float = MAX_SECONDS) -> Iterator[None]:
    """Bound the time of all that is done in here: `check_time` gives up when it is over.

    It is time of the processor. Within another one the earlier end holds. It is a decorator as
    well.

    Parameters
    ----------
    seconds : float
        At most so long, from now on [s].

    Examples
    --------
    >>> with in_time(0.0):
    ...     check_time()
    Traceback (most recent call last):
    ...
    qoslib.config.text.TakesTooLongError: this takes more than 5 s; give less
    """
    token = _END_S.set(min(_END_S.get(), time.process_time() + seconds))
    try:
        yield
    finally:
        _END_S.reset(token)


def left_s() -> float:
    """The time that is left of `in_time`; infinite where none bounds it [s].

    Examples
    --------
    >>> with in_time(5.0):
    ...     0.0 < left_s() <= 5.0
    True
    """
    return _END_S.get() - time.process_time()


@contextmanager
def aside() -> Iterator[None]:
    """Do something that has a limit of its own, like a run of a model: its time does not count.

    Examples
    --------
    >>> with in_time(0.0), aside():
    ...     check_time()
    """
    end_s, begun_s = _END_S.get(), time.process_time()
    _END_S.set(float("inf"))
    try:
        yield
    finally:
        _END_S.set(end_s + time.process_time() - begun_s)


def check_time(line: int | None = None) -> None:
    """Give up where the time of `in_time` is over; every loop over what a text has calls it.

    Parameters
    ----------
    line : int, optional
        Where the reading is.

    Raises
    ------
    TakesTooLongError
        If it is.
    """
    if time.process_time() > _END_S.get():
        raise TakesTooLongError(f"this takes more than {MAX_SECONDS:g} s; give less", line)


def bounded(text: str) -> str:
    """A text that may be read: not too long, with line ends of one kind and no NUL.

    Half a character, a lone surrogate, becomes what stands for one that could not be decoded.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Raises
    ------
    ConfigurationError
        If it is longer than `MAX_CHARACTERS`, or holds what no configuration holds.
    ValueError
        If it is no text.
    """
    if not isinstance(text, str):
        fail("text", type(text).__name__, "a text; read a file with Path(...).read_text()")
    if len(text) > MAX_CHARACTERS:
        raise ConfigurationError(
            f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read"
        )
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ConfigurationError("a NUL character: this is a binary file, not a text", line)
    return _HALF.sub(lambda found: found[1] or "\ufffd", text)


def lines_that_say(text: str) -> set[int]:
    """The lines of a configuration that are neither blank nor comments, nor end a block.

    Parameters
    ----------
    text : str
        That is `bounded`.

    Returns
    -------
    set of int
        Their numbers, from 1.

    Examples
    --------
    >>> lines_that_say("! edge\\npolicy-map WAN\\n\\n class VOICE\\n exit")
    {2, 4}
    """
    found = set()
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        if not _SILENT.fullmatch(line[:80]):
            found.add(number)
    return found
