"""An exercise: who judges it, what it says after a second wrong try, and which numbers may vary."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qoslib.exercises.verdict import Verdict

__all__ = ["Exercise", "Number"]


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
