"""The lessons: what serves one of them alone, a folder a topic, and the check of an answer.

Each lesson has its figures, its explorer and its exercises, and is loaded when it is first named.
No answer is written down; `check` computes it when it is called.
"""

from functools import cache
from importlib import import_module
from typing import Any

from qoslib.lessons.exercise import Exercise, NoAnswer, Tries, Verdict
from qoslib.record import fail

__all__ = ["LESSONS", "Verdict", "check", "exercises", "question"]

#: Number of a lesson to its folder.
LESSONS = {
    "00": "one_queue",
    "01": "priority_queue",
    "02": "shared_line",
    "03": "policing",
    "04": "frame_size",
    "05": "buffer_size",
    "06": "paced_sender",
    "07": "same_traffic",
    "08": "scoreboard",
    "09": "own_port",
}

_tries = Tries()


def __getattr__(name: str) -> Any:
    if name in (*LESSONS.values(), "glossary"):
        return import_module(f"qoslib.lessons.{name}")
    raise AttributeError(f"module 'qoslib.lessons' has no attribute {name!r}")


@cache
def exercises() -> dict[str, Exercise]:
    """Number of each exercise, lesson first, to the exercise."""
    rooms = [import_module(f"qoslib.lessons.{name}.exercises") for name in LESSONS.values()]
    return {number: each for room in rooms for number, each in room.EXERCISES.items()}


def check(exercise: str, answer: Any = None, *, student: int = 0) -> Verdict:
    """Judge an answer to an exercise of a lesson.

    Parameters
    ----------
    exercise : str
        Its number, like ``"00.1"``.
    answer : float, or a port and its streams
        As the exercise asks.
    student : int
        Whose numbers the question had, see `question`; 0 for those in the lesson. Only by its
        name, or ``check("00.1", 67,2)`` would be student 2.

    Raises
    ------
    ValueError
        If there is no such exercise, or no such number of a student.
    TypeError
        If there is a third value without a name, as with a comma in a number.

    Examples
    --------
    >>> check("00.1", 51.2)
    Not yet: 51.2 ns is what comes out without the 20 B that the line adds. Time is bits on the
    line over the line rate; serialisation_s() does it.
    """
    known = _known(exercise)
    _check_student(student)
    try:
        verdict = known.verdict(answer, **known.given(student))
    except NoAnswer as error:
        # What is no answer is no try either.
        return Verdict(False, str(error))
    except ValueError as error:
        # A description may be right in itself and no model run it: the answer is wrong, too.
        verdict = Verdict(False, f"no model runs that: {error}.")
    return _tries.after(known, answer, verdict)


def question(exercise: str, student: int = 0) -> str:
    """The question of an exercise, with numbers drawn for a student.

    Empty where nothing may vary, as with published numbers; the lesson has the question then.

    Parameters
    ----------
    exercise : str
        Its number, like ``"00.1"``.
    student : int
        A student number, 1 or more; 0 for the numbers in the lesson.

    Raises
    ------
    ValueError
        If there is no such exercise, or no such number.

    Examples
    --------
    >>> question("00.1", student=7) == question("00.1", student=8)
    False
    """
    _check_student(student)
    return _known(exercise).question(student)


def _check_student(student):
    if isinstance(student, bool) or not isinstance(student, int) or student < 0:
        fail("student", student, "a whole number from 0")


def _known(number):
    lesson = LESSONS.get(number.partition(".")[0]) if isinstance(number, str) else None
    known = import_module(f"qoslib.lessons.{lesson}.exercises").EXERCISES if lesson else {}
    if number not in known:
        raise ValueError(f"exercise is {number!r}; allowed: {', '.join(exercises())}")
    return known[number]
