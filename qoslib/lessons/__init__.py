"""The lessons: a folder per topic, with its figures and exercises, and the check of an answer.

Each lesson has its figures, its explorer, its predictions and its exercises, and is loaded when it
is first named. No answer is written down; `check` computes it when it is called, and `reveal` gets
it from the lesson's run.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qoslib.lessons.exercise import Exercise, NoAnswer, Tries, Verdict
from qoslib.lessons.prediction import (
    Prediction,
    Revealed,
    Store,
    guesses_in,
    histogram,
    read,
)
from qoslib.lessons.prediction import ghost as _ghost
from qoslib.lessons.prediction import guess_words as said
from qoslib.lessons.prediction import reveal as revealed
from qoslib.record import fail

if TYPE_CHECKING:
    from qoslib.lessons.prediction_widget import Widget
    from qoslib.plots.figure import Figure
    from qoslib.plots.style import Json

__all__ = [
    "LESSONS",
    "Verdict",
    "check",
    "exercises",
    "ghost",
    "guess",
    "guess_words",
    "guesses",
    "predict",
    "predictions",
    "question",
    "reveal",
]

#: Number of a lesson to its folder.
LESSONS = {
    "00": "one_queue",
    "01": "head_drop",
    "02": "llq_policing",
    "03": "round_robin",
    "04": "early_drop",
    "05": "packet_rate",
    "06": "tcp_buffers",
    "07": "pacing",
    "08": "aqm",
    "09": "same_traffic",
    "10": "configuration",
    "11": "evidence",
    "12": "live_lab",
    "13": "your_network",
}

_tries = Tries()
_store = Store()


def __getattr__(name: str) -> Any:
    if name in (*LESSONS.values(), "glossary"):
        return import_module(f"qoslib.lessons.{name}")
    raise AttributeError(f"module 'qoslib.lessons' has no attribute {name!r}")


@cache
def exercises() -> dict[str, Exercise]:
    """Number of each exercise, lesson first, to the exercise."""
    rooms = [import_module(f"qoslib.lessons.{name}.exercises") for name in LESSONS.values()]
    return {number: each for room in rooms for number, each in room.EXERCISES.items()}


def check(exercise: str, answer: Any = None, *more: Any, student: int = 0) -> Verdict:
    """Judge an answer to an exercise of a lesson.

    Parameters
    ----------
    exercise : str
        Its number, like ``"00.1"``.
    answer : float, or a port and its streams
        As the exercise asks.
    *more
        Nothing: what a comma splits off, as in ``67,2``, gets a reply that says so.
    student : int
        Whose numbers the question had, see `question`; 0 for those in the lesson.

    Raises
    ------
    ValueError
        If there is no such exercise, or no such number of a student.

    Examples
    --------
    >>> check("00.1", 51.2)
    Not yet: 51.2 ns is what comes out without the 20 B that the link adds. The time is the number
    of bits on the link divided by the line rate. serialisation_s() computes it.
    """
    known = _known(exercise)
    _check_student(student)
    if more:
        return Verdict(False, known.one_answer)
    try:
        verdict = known.verdict(answer, **known.given(student))
    except NoAnswer as error:
        # What is no answer is no try either.
        return Verdict(False, str(error))
    except ValueError as error:
        # A description may be right in itself and no model run it: the answer is wrong, too.
        verdict = Verdict(False, f"no model runs that: {error}.")
    return _tries.after(known, answer, verdict, **known.given(student))


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


@cache
def predictions() -> dict[str, Prediction]:
    """Number of each prediction, lesson first, to the prediction."""
    folders = [Path(__file__).with_name(name) for name in LESSONS.values()]
    return {number: each for folder in folders for number, each in read(folder).items()}


def predict(prediction: str) -> "Widget":
    """Ask for a prediction: a number on a scale, a choice, or a curve to be drawn.

    The guess is kept in the folder ``.answers`` beside a working copy of the lesson, and nowhere
    where there is none. `reveal` shows it again.

    Parameters
    ----------
    prediction : str
        Its number, like ``"00.a"``.

    Raises
    ------
    ValueError
        If there is no such prediction.

    Examples
    --------
    >>> predict("00.a").guess is None
    True
    """
    from qoslib.lessons.prediction_widget import Widget

    return Widget(_prediction(prediction), _store)


def guess(prediction: str) -> Any:
    """What the reader predicted; None where nothing was.

    Parameters
    ----------
    prediction : str
        Its number, like ``"00.a"``.

    Returns
    -------
    float, str, list of [x, y] or None

    Raises
    ------
    ValueError
        If there is no such prediction.

    Examples
    --------
    >>> guess("00.a") is None
    True
    """
    return _store.get(_prediction(prediction))


def guess_words(prediction: str) -> str:
    """What was asked and what the reader predicted, as a picture that is copied shows it.

    Parameters
    ----------
    prediction : str
        Its number, like ``"00.a"``.

    Returns
    -------
    str
        Two lines; empty where nothing was predicted, and of a curve.

    Raises
    ------
    ValueError
        If there is no such prediction.

    Examples
    --------
    >>> guess_words("00.a")
    ''
    """
    known = _prediction(prediction)
    return said(known, _store.get(known))


def reveal(prediction: str, answer: Any = None) -> "Revealed | Figure":
    """Set the reader's prediction beside the answer.

    Parameters
    ----------
    prediction : str
        Its number, like ``"00.a"``.
    answer : float, str, or mapping of x to y, optional
        What the model or the measurement says: a number, one of the choices, or a curve. By
        default the answer that stands with the words of the prediction.

    Returns
    -------
    Revealed or Figure
        A sentence, or for a curve a figure with both.

    Raises
    ------
    ValueError
        If there is no such prediction, or the answer is of another kind.

    Examples
    --------
    >>> reveal("00.a", "more than a third")
    The model: more than a third.
    """
    known = _prediction(prediction)
    answer = known.words.get("answer") if answer is None else answer
    return revealed(known, _store.get(known), answer, _store.part(known))


def guesses(prediction: str, folder: str | Path, answer: Any = None) -> "Figure":
    """The guesses of a class as one picture.

    Parameters
    ----------
    prediction : str
        Its number, like ``"00.a"``.
    folder : path
        Where the ``.answers`` folders of all readers were collected, at any depth.
    answer : float, str, or mapping of x to y, optional
        Marked in the picture.

    Returns
    -------
    Figure
        A histogram; all curves where curves were drawn.

    Raises
    ------
    ValueError
        If there is no such prediction, no such folder, or more than 10,000 guesses in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(guesses("00.a", folder).summary)
    0 guesses: Which share of the packets is lost?
    """
    known = _prediction(prediction)
    return histogram(known, *guesses_in(known, folder), answer=answer)


def ghost(prediction: str, panel: int, **where: Any) -> "Json":
    """The reader's prediction as a trace of a figure, empty where there is none.

    Parameters
    ----------
    prediction : str
        Its number, like ``"00.c"``.
    panel : int
        Of the figure.
    **where
        As in `prediction.ghost`.

    Raises
    ------
    ValueError
        If there is no such prediction.

    Examples
    --------
    >>> ghost("00.c", 2)["x"]
    []
    """
    known = predictions().get(prediction) or _prediction(prediction)
    return _ghost(known, _store.get(known), panel, **where)


def _prediction(number: str) -> Prediction:
    if not isinstance(number, str) or number not in predictions():
        fail("prediction", number, " or ".join(predictions()))
    return predictions()[number]
