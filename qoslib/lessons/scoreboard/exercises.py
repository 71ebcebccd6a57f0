"""Exercises of lesson 08: how far a model is from the print, and what that is worth."""

from typing import Any

import pandas as pd

from qoslib import compare, units
from qoslib.lessons.exercise import (
    Exercise,
    NoAnswer,
    Number,
    Verdict,
    close,
    number,
    right,
    wrong,
)

__all__ = ["EXERCISES"]


def _error(answer: Any, published: float, modelled: float) -> Verdict:
    """Error of a modelled value in per cent of the published one."""
    answer = number(answer, "%")
    off = abs(modelled - published)
    expected, other = (float(units.convert(off / to, "1", "%")) for to in (published, modelled))
    slips = [(other, "in per cent of the model, not of what was measured")]
    hint = "The difference over what was published."
    shows = "A model is judged by the measurement, not the other way round."
    return close(answer, expected, "%", hint, shows, slips, within=0.005)


def _rounding(answer: Any, printed: float) -> Verdict:
    """How far a true value may be from one printed in whole numbers, in per cent of it."""
    answer = number(answer, "%")
    expected = float(units.convert(0.5 / printed, "1", "%"))
    slips = [(2 * expected, "for a whole unit: but a print is off by half of one at most")]
    hint = "Half of the last printed digit, over what is printed."
    shows = "No model can be shown to be better than that by this print."
    return close(answer, expected, "%", hint, shows, slips, within=0.01)


def _foretold(answer: Any, tolerance: float) -> Verdict:
    """Predictions of all models under `base` with an error of at most so many per cent [%]."""
    answer = number(answer, "% of the predictions")
    rows = [row for row in compare.stored() if row.assumptions == "base" and row.published > 0]
    foretold = [abs(row.error or 0.0) for row in rows if not row.fitted]
    every = [abs(row.error or 0.0) for row in rows]
    expected, with_fits = (_share(errors, tolerance) for errors in (foretold, every))
    slips = [(with_fits, "with the fits among them")]
    hint = "Leave out what was fitted on and what was published as 0, and count."
    shows = "A fit shows that a form can be bent to the data; a prediction that it was right."
    return close(answer, expected, "%", hint, shows, slips, within=0.004)


def _share(errors, tolerance):
    allowed = float(units.convert(tolerance, "%", "1"))
    return float(units.convert(sum(error <= allowed for error in errors) / len(errors), "1", "%"))


def _own(answer: Any) -> Verdict:
    """A table of measurements of one's own, as `measurements.load` gives it."""
    if answer is None or answer is ...:
        raise NoAnswer("put measurements.load('your.csv') in place of the dots.")
    if not isinstance(answer, pd.DataFrame) or "source" not in answer.attrs:
        raise NoAnswer("give what measurements.load() returns for your file.")
    if answer.attrs["source"].get("source"):
        return wrong("this table comes with the package. Write one of your own.")
    if not (answer["half_width"] > 0).any():
        return wrong("every half_width is 0: nothing is measured that exactly. Say how it is read.")
    return right(f"{len(answer)} values of your own, each with its rounding and its place.")


EXERCISES = {
    "08.1": Exercise(
        _error,
        "|modelled - published| / published x 100.",
        "A latency of {published} ms is published, and the model says {modelled} ms. What is the"
        " error, in %?",
        {"published": Number(3.2, 2, 9, 0.1), "modelled": Number(4.4, 9.5, 15, 0.1)},
    ),
    "08.2": Exercise(
        _rounding,
        "a print of 7 stands for anything from 6.5 to 7.5.",
        "A table prints whole Gb/s, and one row says {printed}. How far (in % of it) may the true"
        " value be from the print?",
        {"printed": Number(7, 2, 20, 1)},
    ),
    "08.3": Exercise(
        _foretold,
        "compare.told(compare.stored()) has them all; or count row.error of the rows themselves.",
        "Of all models' predictions under `base` (fits and values published as 0 left out), which"
        " share (in %) has an error of {tolerance} % or less?",
        {"tolerance": Number(1, 0.5, 20, 0.5)},
    ),
    "08.4": Exercise(
        _own,
        "the header is ','.join(measurements.COLUMNS); each row needs experiment, quantity, unit,"
        " as_printed, value, half_width, statistic, place and status.",
    ),
}
