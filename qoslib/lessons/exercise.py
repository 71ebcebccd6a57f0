"""An exercise and what its check answers: whether it is solved, what is wrong, and a hint.

The words of a lesson's exercises stand in its ``exercises.toml``, a table an exercise:

    question       with the names of its numbers in braces; missing where no number may vary
    numbers        each number of the question: the lesson's own, and those a student may get
    unit, within   the answer is a number in this unit, right to this share (2 % if not given)
    least, most,   numbers beyond these get the reply `low` or `high`, or `outside`
    whole
    shows, hint    of an exercise with one right number: what it shows, and a hint for others
    slips          what to say of numbers that common slips lead to, by name
    replies        any other verdict by name; `right` is the right one
    no_answer      what to say, by name, to what is no answer; `dots` to the dots themselves
    write          the answer is a port and its streams, to be written like this
    further        what helps after a second wrong try

The judge of an exercise is a function in its ``exercises.py``, in the same order. Where the words
say what it `shows`, the judge takes the numbers and returns the right number and those of the
slips by name. Else it takes the answer too, and returns the name of a reply and what stands in it.
"""

import hashlib
import math
import numbers
import reprlib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qoslib import units
from qoslib.port import Port
from qoslib.record import fail
from qoslib.traffic import Stream

__all__ = ["Exercise", "NoAnswer", "Number", "Tries", "Verdict", "edge", "read"]

#: No number that an exercise asks for is larger, in any unit; models refuse such or take ages.
MOST = 1e12
#: Share of a number to which an answer must be right, if its words do not say another.
WITHIN = 0.02
#: Units of an answer that may be given in seconds by mistake.
SHORT_TIMES = ("ms", "us", "ns")
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
    """One exercise of a lesson: its number, its judge and its words."""

    name: str
    judge: Callable[..., tuple[Any, Mapping[str, Any]]]
    words: Mapping[str, Any]

    @property
    def numbers(self) -> dict[str, Number]:
        """The numbers of the question by name."""
        return {key: Number(**each) for key, each in self.words.get("numbers", {}).items()}

    def given(self, student: int = 0) -> dict[str, float]:
        """The numbers of a student; those of the lesson for student 0."""
        return {
            key: number.drawn(f"{self.name}/{key}/{student}") if student else number.own
            for key, number in self.numbers.items()
        }

    def question(self, student: int = 0) -> str:
        """The question with the numbers of a student in it."""
        shown = {key: f"{value:g}" for key, value in self.given(student).items()}
        return self.words.get("question", "").format(**shown)

    def further(self, **given: float) -> str:
        """The hint after a second wrong try, with the numbers of the question in it."""
        text = self.words["further"]
        return text.format(**given) if given else text

    def verdict(self, answer: Any, **given: float) -> Verdict:
        """Judge an answer to the question with these numbers."""
        unit = self.words.get("unit")
        if answer is None or answer is ...:
            raise NoAnswer(self._dots)
        if unit:
            answer = _number(answer, unit)
        elif "write" in self.words:
            answer = _port(answer, self.words["write"])
        elif isinstance(answer, str):
            answer = _letter(answer)
        beyond = self._beyond(answer) if unit else ""
        if beyond:
            return self._reply(beyond, {"answer": answer, **given})
        if "shows" in self.words:
            return self._compared(answer, given)
        name, values = self.judge(answer, **given)
        if name in self.words.get("no_answer", {}):
            raise NoAnswer(self.words["no_answer"][name])
        return self._reply(name, {"answer": answer, **given, **values})

    @property
    def one_answer(self) -> str:
        """What to say to several answers."""
        if "write" in self.words:
            return f"put brackets around the port and its streams: {self.words['write']}."
        return "give one number, with a point and without commas: 1.25, or 25000."

    @property
    def _dots(self):
        """What to say to dots."""
        if "unit" in self.words:
            return f"put your number in place of the dots, in {self.words['unit']}."
        if "write" in self.words:
            write = self.words["write"]
            return f"put {write} in place of the dots: a Port and a list of Stream."
        return self.words["no_answer"]["dots"]

    def _beyond(self, answer):
        """The reply to a number outside what is sensible, or ""."""
        low = answer < self.words.get("least", 0) or (
            self.words.get("whole", False) and answer != int(answer)
        )
        if not low and answer <= self.words.get("most", math.inf):
            return ""
        name = "low" if low else "high"
        return name if name in self.words["replies"] else "outside"

    def _compared(self, answer, given):
        """One right number, and those that slips lead to."""
        expected, slips = self.judge(**given)
        within, unit = self.words.get("within", WITHIN), self.words["unit"]
        texts = {"expected": expected, **given}
        slipped = answer != expected and answer in slips.values()
        if math.isclose(answer, expected, rel_tol=within) and not slipped:
            shown = f"{float(f'{answer:.4g}'):,.12g} {unit}"
            return Verdict(True, f"{shown}. {self.words['shows'].format(**texts)}")
        side = "large" if answer > expected else "small"
        found = f"is too {side}"
        for name, slip in slips.items():
            if math.isclose(answer, slip, rel_tol=within):
                found = f"is what comes out {self.words['slips'][name].format(**texts)}"
                break
        if unit in SHORT_TIMES and _in_seconds(answer, unit, expected, within):
            found = f"is what comes out in seconds; give it in {unit}"
        hint = self.words["hint"].format(**texts)
        return Verdict(False, f"{answer:g} {unit} {found}. {hint}")

    def _reply(self, name, values):
        return Verdict(name == "right", self.words["replies"][name].format(**values))


def read(file: str, *judges: Callable) -> dict[str, Exercise]:
    """The exercises of a lesson, by number."""
    path = Path(file).with_suffix(".toml")
    words = tomllib.loads(path.read_text(encoding="utf-8"))
    if len(words) != len(judges):
        fail(f"the number of judges in {file}", len(judges), f"{len(words)}: {', '.join(words)}")
    for name, mine in words.items():
        needed = {"unit", "hint", "further"} if "shows" in mine else {"replies", "further"}
        if missing := needed - mine.keys():
            fail(f"exercise {name} of {path.name}", sorted(mine), f"{sorted(missing)} besides")
    pairs = zip(words.items(), judges, strict=True)
    return {name: Exercise(name, judge, mine) for (name, mine), judge in pairs}


def edge(holds: bool, more_holds: bool, **values: Any) -> tuple[str, dict[str, Any]]:
    """The reply where the right answer is the last that holds: `beyond`, `room` or `right`."""
    if not holds:
        return "beyond", values
    return ("room" if more_holds else "right"), values


def _in_seconds(answer: float, unit: str, expected: float, within: float) -> bool:
    return math.isclose(units.convert(answer, "s", unit), expected, rel_tol=within)


def _number(answer: Any, unit: str) -> float:
    """The answer as a number that is not below 0."""
    if isinstance(answer, str):
        text = _brief.repr(answer)
        raise NoAnswer(f"{text} is no number but a text: give one in {unit}, without quotes.")
    if isinstance(answer, bool) or not isinstance(answer, numbers.Real):
        raise NoAnswer(f"{_brief.repr(answer)} is no number; give one number in {unit}.")
    if answer < 0 or not answer <= MOST:
        text = _brief.repr(answer)
        raise NoAnswer(f"{text} cannot be; give a number in {unit} between 0 and {MOST:g}.")
    return float(answer)


def _letter(answer: str) -> str:
    """One letter however it is written, as of an option ``(c)``; any other text as it is."""
    bare = answer.strip().strip("()").lower()
    return bare if len(bare) == 1 and bare.isalpha() else answer


def _port(answer: Any, write: str) -> tuple[Port, tuple[Stream, ...]]:
    """The answer as a port and its streams; else what to write."""
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], Port):
        text = _brief.repr(answer)
        raise NoAnswer(f"{text} is not a port with its streams: write {write}.")
    port, streams = answer
    streams = (streams,) if isinstance(streams, Stream) else streams
    streams = tuple(streams) if isinstance(streams, Iterable) else ()
    if not streams or not all(isinstance(stream, Stream) for stream in streams):
        text = _brief.repr(answer[1])
        raise NoAnswer(f"{text} is not a list of Stream with at least one in it: write {write}.")
    return port, streams


class Tries:
    """Wrong answers by exercise; the same answer twice counts once."""

    def __init__(self):
        self._wrong: dict[str, set[str]] = {}

    def after(self, exercise: Exercise, answer: Any, verdict: Verdict, **given: float) -> Verdict:
        """The verdict, with what helps further from the second wrong answer on."""
        if verdict.ok:
            self._wrong.pop(exercise.name, None)
            return verdict
        before = self._wrong.setdefault(exercise.name, set())
        before.add(repr(answer))
        if len(before) == 1:
            return verdict
        return Verdict(False, f"{verdict.text} Hint: {exercise.further(**given)}")
