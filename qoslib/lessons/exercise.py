"""An exercise and what its check answers: whether it is solved, what is wrong, and a hint."""

import hashlib
import math
import numbers
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qoslib.port import Port
from qoslib.traffic import Stream

__all__ = [
    "Exercise",
    "NoAnswer",
    "Number",
    "Tries",
    "Verdict",
    "close",
    "described",
    "number",
    "right",
    "wrong",
]

#: No number that an exercise asks for is larger, in any unit; models refuse such or take ages.
MOST = 1e12
#: An answer of another kind may be a whole port; some words of it are enough.
_brief = reprlib.Repr()
_brief.maxother = _brief.maxstring = 60


@dataclass(frozen=True)
class Verdict:
    """The answer to an answer; it shows itself as its text.

    Attributes
    ----------
    ok : bool
    text : str
    """

    ok: bool
    text: str

    def __repr__(self):
        return f"{self._word}: {self.text}"

    def _repr_markdown_(self):
        """The same for a notebook, which breaks its lines between words."""
        return f"**{self._word}:** {self.text}"

    @property
    def _word(self):
        return "Right" if self.ok else "Not yet"


class NoAnswer(Exception):
    """What was given cannot be judged; the text says why, and what to give."""


def right(text: str) -> Verdict:
    """The exercise is solved; the text says what that shows."""
    return Verdict(True, text)


def wrong(text: str) -> Verdict:
    """It is not; the text says what is wrong and gives a hint."""
    return Verdict(False, text)


def number(answer: Any, unit: str) -> float:
    """The answer as a number that is not below 0.

    Raises
    ------
    NoAnswer
        If it is none.
    """
    if answer is None or answer is ...:
        raise NoAnswer(f"put your number in place of the dots, in {unit}.")
    if isinstance(answer, str):
        said = _brief.repr(answer)
        raise NoAnswer(f"{said} is no number but a text: give one in {unit}, without quotes.")
    if isinstance(answer, bool) or not isinstance(answer, numbers.Real):
        raise NoAnswer(f"{_brief.repr(answer)} is no number; give one number in {unit}.")
    if answer < 0 or not answer <= MOST:
        said = _brief.repr(answer)
        raise NoAnswer(f"{said} cannot be; give a number in {unit} between 0 and {MOST:g}.")
    return float(answer)


def close(
    answer: float,
    expected: float,
    unit: str,
    hint: str,
    shows: str,
    slips: Sequence[tuple[float, str]] = (),
    within: float = 0.02,
) -> Verdict:
    """Compare with what the model says.

    Parameters
    ----------
    answer, expected : float
        In `unit`.
    unit, hint : str
        The hint is for a number that is no known slip.
    shows : str
        What the right answer shows.
    slips : sequence of (float, str)
        Numbers that common slips lead to, and what to say to each.
    within : float
        Relative tolerance.
    """
    if math.isclose(answer, expected, rel_tol=within):
        return right(f"{answer:.4g} {unit}. {shows}")
    for slip, text in slips:
        if math.isclose(answer, slip, rel_tol=within):
            return wrong(f"{answer:g} {unit} is what comes out {text}. {hint}")
    side = "large" if answer > expected else "small"
    return wrong(f"{answer:g} {unit} is too {side}. {hint}")


def described(answer: Any, write: str = "(port, streams)") -> tuple[Port, tuple[Stream, ...]]:
    """The answer as a port and its streams.

    Parameters
    ----------
    answer : object
    write : str
        What to write, told to those who wrote something else.

    Raises
    ------
    NoAnswer
        If it is no such pair.
    """
    if answer is None or answer is ...:
        raise NoAnswer(f"put {write} in place of the dots: a Port and a list of Stream.")
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], Port):
        said = _brief.repr(answer)
        raise NoAnswer(f"{said} is not a port with its streams: write {write}.")
    port, streams = answer
    streams = (streams,) if isinstance(streams, Stream) else streams
    streams = tuple(streams) if isinstance(streams, Iterable) else ()
    if not streams or not all(isinstance(stream, Stream) for stream in streams):
        said = _brief.repr(answer[1])
        raise NoAnswer(f"{said} is not a list of Stream with at least one in it: write {write}.")
    return port, streams


@dataclass(frozen=True)
class Number:
    """A number of a question: the lesson's own, and those that a student may get instead.

    Attributes
    ----------
    own, low, high, step : float
        In the unit that the question names; `high` is left out.
    """

    own: float
    low: float
    high: float
    step: float

    def drawn(self, seed: str) -> float:
        """One of the numbers, the same for the same seed on every machine."""
        digest = hashlib.sha256(seed.encode()).digest()
        count = max(1, round((self.high - self.low) / self.step))
        return round(self.low + int.from_bytes(digest[:8]) % count * self.step, 6)


@dataclass(frozen=True)
class Exercise:
    """One exercise of a lesson.

    Attributes
    ----------
    judge : callable
        From an answer, and the numbers by name, to a verdict.
    further : str
        What helps after a second wrong try.
    text : str
        The question, with the names of its numbers in braces; empty where none may vary.
    numbers : mapping of str to Number
    """

    judge: Callable[..., Verdict]
    further: str
    text: str = ""
    numbers: Mapping[str, Number] = field(default_factory=dict)

    def given(self, name: str, student: int = 0) -> dict[str, float]:
        """The numbers of a student; those of the lesson for student 0."""
        return {
            key: number.drawn(f"{name}/{key}/{student}") if student else number.own
            for key, number in self.numbers.items()
        }

    def question(self, name: str, student: int = 0) -> str:
        """The question with the numbers of a student in it."""
        shown = {key: f"{value:g}" for key, value in self.given(name, student).items()}
        return self.text.format(**shown)


class Tries:
    """Wrong answers by exercise; the same answer twice counts once."""

    def __init__(self):
        self._wrong: dict[str, set[str]] = {}

    def told(self, exercise: str, answer: Any, verdict: Verdict, further: str) -> Verdict:
        """The verdict, with what helps further from the second wrong answer on."""
        if verdict.ok:
            self._wrong.pop(exercise, None)
            return verdict
        before = self._wrong.setdefault(exercise, set())
        before.add(repr(answer))
        return wrong(f"{verdict.text} Hint: {further}") if len(before) > 1 else verdict
