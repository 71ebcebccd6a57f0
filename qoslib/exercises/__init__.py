"""Exercises that check themselves: they run the model, say what is wrong and give a hint.

No answer is written down here; `check` computes it when it is asked.
"""

from typing import Any

from qoslib.exercises import (
    buffer_size,
    frames,
    late_priority,
    one_queue,
    own_port,
    pacing,
    policing,
    same_traffic,
    scoreboard,
    shared_line,
)
from qoslib.exercises.exercise import Exercise
from qoslib.exercises.tries import Tries
from qoslib.exercises.verdict import NoAnswer, Verdict, wrong

__all__ = ["EXERCISES", "Verdict", "check", "question"]

#: Number of the exercise, lesson first, to the exercise.
EXERCISES: dict[str, Exercise] = {
    **one_queue.EXERCISES,
    **late_priority.EXERCISES,
    **shared_line.EXERCISES,
    **policing.EXERCISES,
    **frames.EXERCISES,
    **buffer_size.EXERCISES,
    **pacing.EXERCISES,
    **same_traffic.EXERCISES,
    **scoreboard.EXERCISES,
    **own_port.EXERCISES,
}

_tries = Tries()


def check(exercise: str, answer: Any = None, student: int = 0) -> Verdict:
    """Judge an answer to an exercise of a lesson.

    Parameters
    ----------
    exercise : str
        Its number, like ``"00.1"``.
    answer : float, or a port and its streams
        As the exercise asks.
    student : int
        Whose numbers the question had, see `question`; 0 for those in the lesson.

    Raises
    ------
    ValueError
        If there is no such exercise.

    Examples
    --------
    >>> check("00.1", 51.2)
    Not yet: 51.2 ns is what comes out without the 20 B that the line adds. Time is bits on the
    line over the line rate; serialisation_s() does it.
    """
    known = _known(exercise)
    try:
        verdict = known.judge(answer, **known.given(exercise, student))
    except NoAnswer as told:
        # What is no answer is no try either.
        return wrong(str(told))
    except ValueError as error:
        # A description is right in itself and no model plays it: that is the answer's, too.
        verdict = wrong(f"no model runs that: {error}.")
    return _tries.told(exercise, answer, verdict, known.further)


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
    if not isinstance(student, int) or student < 0:
        raise ValueError(f"student is {student!r}; allowed: a whole number from 0")
    return _known(exercise).question(exercise, student)


def _known(exercise):
    if exercise not in EXERCISES:
        raise ValueError(f"exercise is {exercise!r}; allowed: {', '.join(EXERCISES)}")
    return EXERCISES[exercise]
