"""Predictions: what a reader says before the answer, kept and shown again beside it.

The words of a lesson's predictions stand in its ``predictions.toml``, a table a prediction:

    question       what is asked
    who            whose answer it is: "The router", "The packet model"
    choices        a choice: the possible answers
    low, high, log a number on a scale from low to high, by factors where log is true
    unit           its unit
    x, y           a curve: for each axis label, unit, low, high, log and ticks
    at             the places on the x axis at which it is drawn
    answer         the answer, where a published value or a given outcome is all there is to show

Nothing is forced: without a guess the answer shows alone.
"""

import json
import math
import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.record import fail

__all__ = [
    "Prediction",
    "Revealed",
    "Store",
    "ghost",
    "guess_words",
    "guesses_in",
    "histogram",
    "read",
    "reveal",
]

#: Where a reader's guesses are kept, in the folder of working copies; no other has it.
FOLDER = ".answers"
#: A guess is short; a larger file is none.
MOST_BYTES = 10_000
#: More files than any class hands in.
MOST_FILES = 10_000
#: A number this close to the answer is well predicted.
CLOSE = 0.15


@dataclass(frozen=True, eq=False)
class Prediction:
    """One prediction of a lesson: its number and its words."""

    name: str
    words: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """``"choice"``, ``"curve"`` or ``"number"``."""
        return "choice" if "choices" in self.words else "curve" if "at" in self.words else "number"

    def accepts(self, guess: Any) -> bool:
        """Whether this is a guess that a reader can make."""
        if self.kind == "choice":
            return isinstance(guess, str) and guess in self.words["choices"]
        if self.kind == "number":
            return _is_number(guess) and self.words["low"] <= guess <= self.words["high"]
        return self.begins(guess) and len(guess) == len(self.words["at"])

    def begins(self, points: Any) -> bool:
        """Whether these are points of its curve, in their order; some may be missing."""
        if self.kind != "curve" or not isinstance(points, list) or not points:
            return False
        if not all(isinstance(each, list) and len(each) == 2 for each in points):
            return False
        drawn, y = [each[0] for each in points], self.words["y"]
        return drawn == [at for at in self.words["at"] if at in drawn] and all(
            _is_number(each[1]) and y["low"] <= each[1] <= y["high"] for each in points
        )


class Store:
    """A reader's guesses: in memory, and in files where there is a folder for them."""

    def __init__(self) -> None:
        self._guesses: dict[str, Any] = {}
        self._parts: dict[str, list[Any]] = {}

    def part(self, prediction: Prediction) -> list[Any]:
        """The points of a curve that is not finished; mostly none."""
        return self._parts.get(prediction.name, [])

    def hold(self, prediction: Prediction, points: Any) -> None:
        """Hold the points of an unfinished curve as long as the kernel lasts."""
        self._parts[prediction.name] = points if prediction.begins(points) else []

    def get(self, prediction: Prediction) -> Any:
        """The guess, or None where there is none."""
        if prediction.name not in self._guesses:
            kept = _read(Path(FOLDER) / f"{prediction.name}.json", prediction)
            self._guesses[prediction.name] = kept
        return self._guesses[prediction.name]

    def keep(self, prediction: Prediction, guess: Any) -> None:
        """Keep a guess; in one step, so that no half of it is ever read."""
        self._guesses[prediction.name] = guess
        folder = Path(FOLDER)
        if not folder.is_dir():
            return
        text = json.dumps({"prediction": prediction.name, "guess": guess}) + "\n"
        handle, path = tempfile.mkstemp(dir=folder, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path, folder / f"{prediction.name}.json")


@dataclass(frozen=True)
class Revealed:
    """A prediction beside its answer; it shows itself as a sentence.

    Attributes
    ----------
    guess : float, str or None
    answer : float or str
    text : str
    """

    guess: Any
    answer: Any
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"**{self.text}**"


def reveal(
    prediction: Prediction, guess: Any, answer: Any, part: Sequence[Any] = ()
) -> Revealed | Figure:
    """Set a guess beside the answer; of a curve that is not finished, the part that is drawn.

    NaN for a number, and None for a choice, say that there is no answer.
    """
    words, kind = prediction.words, prediction.kind
    if kind == "curve":
        return _drawn(prediction, guess, answer, part)
    unknown = isinstance(answer, float) and math.isnan(answer)
    if (unknown and kind == "number") or (answer is None and kind == "choice"):
        mine = "" if guess is None else f"Your prediction is kept: {guess}. "
        return Revealed(guess, answer, f"{mine}{words['who']} gives no value here.")
    if kind == "choice":
        if answer not in words["choices"]:
            fail("answer", answer, " or ".join(map(repr, words["choices"])))
        close, shown, mine = guess == answer, f": {answer}", f": {guess}"
    else:
        if not _is_number(answer):
            fail("answer", answer, f"a number in {words['unit']}")
        answer, unit = float(answer), words["unit"]
        close = guess is not None and abs(guess - answer) <= CLOSE * abs(answer)
        shown, mine = f": {answer:.3g} {unit}", f" {guess:g} {unit}" if guess is not None else ""
    answered = f"{words['who']}{shown}."
    if guess is None:
        return Revealed(guess, answer, answered)
    praise = " Well predicted." if close else ""
    return Revealed(guess, answer, f"You said{mine}. {answered}{praise}")


def _drawn(prediction: Prediction, guess: Any, answer: Any, part: Sequence[Any]) -> Figure:
    words = prediction.words
    x, y = _points(answer)
    traces, missing = [], []
    if part:
        drawn = dict(part)
        missing = [at for at in words["at"] if at not in drawn]
    if guess is not None or part:
        mine_x, mine_y = zip(*(part or guess), strict=True)
        traces.append(_curve(style.GUESS, mine_x, mine_y, style.INK, dash="dot"))
        # A single point is no line.
        traces[-1]["mode"] = "lines+markers"
    traces.append(_curve(words["who"], x, y, style.BLUE))
    at, unit = words["at"][-1], words["y"]["unit"]
    text = (
        f"At {at:g} {words['x']['unit']}: {words['who'].lower()} {np.interp(at, x, y):.3g} {unit}"
    )
    text += f", your curve {guess[-1][1]:g} {unit}." if guess is not None and not part else "."
    columns = {words["who"]: np.interp(words["at"], x, y)}
    if missing:
        places = f"{', '.join(f'{each:g}' for each in missing)} {words['x']['unit']}"
        text = f"Your curve is not finished: nothing is drawn at {places}. {text}"
        columns = {style.GUESS: [drawn.get(each) for each in words["at"]], **columns}
    elif guess is not None:
        columns = {style.GUESS: mine_y, **columns}
    name = f"{words['x']['label']} [{words['x']['unit']}]"
    return Figure(
        data=traces,
        layout=_layout(words),
        summary=text,
        table=Columns(columns, words["at"], name).round(3),
    )


def _curve(name: str, x: Any, y: Any, colour: str, opacity: float = 1, **more: str) -> style.Json:
    line = {"color": colour, "width": 3, **more}
    drawn = {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "line": line}
    return drawn | {"name": name, "opacity": opacity, "uid": name}


def _layout(words: Mapping[str, Any]) -> style.Json:
    titles = [f"{words[name]['label']} [{words[name]['unit']}]" for name in "xy"]
    layout = style.layout(titles[1:], titles[0])
    for name in "xy":
        axis = words[name]
        log = axis.get("log", False)
        ends = [math.log10(axis[end]) if log else axis[end] for end in ("low", "high")]
        layout[f"{name}axis"] |= {
            "type": "log" if log else "linear",
            "range": ends,
            "tickvals": axis["ticks"],
        }
    return layout


def ghost(
    prediction: Prediction,
    guess: Any,
    panel: int,
    x: Sequence[Any] = (),
    y: Sequence[Any] = (),
    drawn: Callable[[float], float] = float,
    faded: bool = False,
    side: str = "left",
) -> style.Json:
    """What was guessed, to stay in a figure whose axis is what was asked for.

    Without a guess the trace has no points.
    """
    uid = f"guess-{prediction.name}"
    if guess is None:
        return style.ghost((), (), panel, (), faded, side, uid)
    curve = prediction.kind == "curve"
    unit = (prediction.words["y"] if curve else prediction.words)["unit"]
    # Pairs of where a number stands, and the number.
    pairs = guess if curve else [(at, guess) for at in (x or y)]
    places, values = [at for at, _ in pairs], [drawn(value) for _, value in pairs]
    across, up = (values, places) if y else (places, values)
    said = [f"{value:g} {unit}" for _, value in pairs]
    return style.ghost(across, up, panel, said, faded, side, uid)


def _points(answer: Any) -> tuple[list[float], list[float]]:
    if hasattr(answer, "items"):
        answer = list(answer.items())
    try:
        x, y = np.array(answer, float).T
    except (TypeError, ValueError):
        fail("answer", answer, "a mapping of x to y, or pairs of both")
    return x.tolist(), y.tolist()


def guess_words(prediction: Prediction, guess: Any) -> str:
    """The question and the reader's answer, a line each; empty without one, and of a curve."""
    if guess is None or prediction.kind == "curve":
        return ""
    said = guess if prediction.kind == "choice" else f"{guess:g} {prediction.words['unit']}"
    return f"{prediction.words['question']}\nMy guess: {said}."


def guesses_in(prediction: Prediction, folder: str | Path) -> tuple[list[Any], int]:
    """All guesses of one prediction below a folder, and how many files could not be read."""
    if not isinstance(folder, str | Path) or not Path(folder).is_dir():
        fail("folder", folder, "a folder with what readers kept in their .answers")
    found, bad = [], 0
    for number, path in enumerate(_named(Path(folder), f"{prediction.name}.json")):
        if number >= MOST_FILES:
            fail("folder", folder, f"at most {MOST_FILES:,} guesses")
        guess = _read(path, prediction)
        bad += guess is None
        found += [] if guess is None else [guess]
    return found, bad


def _named(folder: Path, name: str) -> Iterator[Path]:
    """Sorted, so that a picture does not depend on the disk; without links out of the folder."""
    for where, folders, files in os.walk(folder):
        folders.sort()
        if name in files:
            yield Path(where) / name


def histogram(
    prediction: Prediction, guesses: list[Any], bad: int = 0, answer: Any = None
) -> Figure:
    """The guesses of a class, with the answer if it is given."""
    words, count = prediction.words, len(guesses)
    summary = f"{count} {'guess' if count == 1 else 'guesses'}: {words['question']}"
    if bad:
        summary += f" {bad} {'file' if bad == 1 else 'files'} could not be read."
    if prediction.kind == "curve":
        pairs = [list(zip(*each, strict=True)) for each in guesses]
        traces = [_curve(f"guess {n}", x, y, style.INK, 0.3) for n, (x, y) in enumerate(pairs)]
        values = {at: [dict(each)[at] for each in guesses] for at in words["at"]}
        table = Columns(values, range(count))
        layout = _layout(words) | {"showlegend": False}
        if answer is not None:
            traces.append(_curve(words["who"], *_points(answer), style.BLUE))
        return Figure(data=traces, layout=layout, summary=summary, table=table)
    if prediction.kind == "choice":
        labels = list(words["choices"])
        heights = [guesses.count(each) for each in labels]
        marked = [each == answer for each in labels]
        unit = "answer"
    else:
        labels, heights, marked = _bins(words, guesses, answer)
        unit = words["unit"]
    colours = [style.BLUE if each else style.ORANGE for each in marked]
    traces = [{"type": "bar", "x": labels, "y": heights, "marker": {"color": colours}}]
    layout = style.layout(["guesses"], unit, [{"rangemode": "tozero", "tickformat": "d"}])
    layout["xaxis"] |= {"type": "category", "automargin": True, "tickangle": -40}
    if any(marked):
        summary += f" {words['who']} ({labels[marked.index(True)]}) is the blue bar."
    table = Columns({"guesses": heights}, labels, unit)
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _bins(
    words: Mapping[str, Any], guesses: list[float], answer: Any, count: int = 12
) -> tuple[list[str], list[int], list[bool]]:
    """Equal steps of the scale that the guess was made on."""
    spread = np.geomspace if words.get("log") else np.linspace
    edges = spread(words["low"], words["high"], count + 1)
    labels = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]
    heights = np.histogram(guesses, edges)[0].tolist()
    there = np.histogram([] if answer is None else [answer], edges)[0]
    return labels, heights, [bool(each) for each in there]


def _read(path: Path, prediction: Prediction) -> Any:
    """The guess in a file, or None where it holds none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        guess = json.loads(path.read_text(encoding="utf-8"))["guess"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return guess if prediction.accepts(guess) else None


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float | np.number)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def read(folder: str | Path) -> dict[str, Prediction]:
    """The predictions of a lesson, by number; none where its folder has no such file."""
    path = Path(folder) / "predictions.toml"
    if not path.exists():
        return {}
    words = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: Prediction(name, mine) for name, mine in words.items()}
