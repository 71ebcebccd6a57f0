"""The text of a configuration: bounds, and the one error of all dialects."""

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from qoslib.record import fail

__all__ = ["MAX_CHARACTERS", "MAX_SECONDS", "Clock", "ConfigurationError", "bounded", "in_time"]

MAX_CHARACTERS = 10_000_000
MAX_SECONDS = 5.0
T = TypeVar("T")


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


class Clock:
    """One time for all steps of a reading.

    Parameters
    ----------
    seconds : float
        At most so long, from now on [s].
    """

    def __init__(self, seconds: float = MAX_SECONDS) -> None:
        self.seconds, self.end_s = seconds, time.monotonic() + seconds

    def check(self) -> None:
        """Give up where the time is over.

        Raises
        ------
        ConfigurationError
            If it is.
        """
        if time.monotonic() > self.end_s:
            raise ConfigurationError(f"reading takes more than {self.seconds:g} s; give less")


def bounded(text: str) -> str:
    """A text that may be read: not too long, with line ends of one kind and no NUL.

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
    return text


def in_time(lines: Iterable[T], seconds: float = MAX_SECONDS) -> Iterator[T]:
    """Go through lines, and give up where that takes too long.

    Parameters
    ----------
    lines : iterable
    seconds : float
        At most so long [s].

    Yields
    ------
    object
        Each of them.

    Raises
    ------
    ConfigurationError
        If the time is over.
    """
    end_s = time.monotonic() + seconds
    for number, line in enumerate(lines, 1):
        if time.monotonic() > end_s:
            raise ConfigurationError(f"reading takes more than {seconds:g} s; give less", number)
        yield line
