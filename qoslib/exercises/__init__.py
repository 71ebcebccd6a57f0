"""Exercises that check themselves: they run the model, say what is wrong and give a hint.

No answer is written down here; `check` computes it when it is asked.
"""

from typing import Any

from qoslib.exercises import frames, late_priority, one_queue, policing, shared_line
from qoslib.exercises.verdict import Judge, Verdict

__all__ = ["JUDGES", "Verdict", "check"]

#: Number of the exercise, lesson first, to the function that judges an answer.
JUDGES: dict[str, Judge] = {
    **one_queue.JUDGES,
    **late_priority.JUDGES,
    **shared_line.JUDGES,
    **policing.JUDGES,
    **frames.JUDGES,
}


def check(exercise: str, answer: Any = None) -> Verdict:
    """Judge an answer to an exercise of a lesson.

    Parameters
    ----------
    exercise : str
        Its number, like ``"00.1"``.
    answer : float, or a port and its streams
        As the exercise asks.

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
    if exercise not in JUDGES:
        raise ValueError(f"exercise is {exercise!r}; allowed: {', '.join(JUDGES)}")
    return JUDGES[exercise](answer)
