"""The scoreboard of all platforms."""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass

from qoslib import measurements
from qoslib.compare import misfits
from qoslib.compare.answers import answers
from qoslib.compare.models import is_whole
from qoslib.compare.predictions import bands, predictions
from qoslib.compare.readings import View
from qoslib.compare.rows import Row, row_of, silent_row
from qoslib.compare.summary import summary
from qoslib.compare.ticks import tick_counts
from qoslib.compare.values import Data, published
from qoslib.packets.progress import Progress
from qoslib.platforms import PLATFORMS, platform

__all__ = ["Scoreboard", "score", "score_platform"]


@dataclass(frozen=True)
class Scoreboard:
    """Published against modelled.

    Attributes
    ----------
    rows : tuple of Row
    predictions : tuple of dict
        What the models say of streams of the experiments for which nothing is published.
    summary : dict
    failures : tuple of str
        Rows that are off without a known misfit, or outside its band.
    """

    rows: tuple[Row, ...]
    predictions: tuple[dict, ...]
    summary: dict
    failures: tuple[str, ...]

    def to_json(self) -> str:
        """One strict JSON document."""
        document = {
            "rows": [row.as_dict() for row in self.rows],
            "predictions": list(self.predictions),
            "summary": self.summary,
        }
        return json.dumps(document, indent=1, allow_nan=False)


def score(
    progress: Callable[[str], object] = lambda _: None,
    full: bool = False,
    replayed: Progress = lambda done_s, total_s: None,
) -> Scoreboard:
    """Run every model of every platform and set it beside what was published.

    Parameters
    ----------
    progress : callable
        Is told what runs next.
    full : bool
        Whether to replay whole what can be replayed whole: minutes instead of seconds.
    replayed : callable
        Is told how far the whole replays are, and how long they are together [s simulated].

    Examples
    --------
    >>> score().failures
    ()
    """
    data = published()
    known = misfits.known_misfits(measurements.folder().parent, "full" if full else "short")
    said = answers(PLATFORMS, full, progress, replayed)
    every: list[Row] = []
    foretold: list[dict] = []
    for name in PLATFORMS:
        more, told = _beside(name, data, said[name], full)
        every += more
        foretold += told
    rows = [_named(row, known) for row in every if not _only_counted(row)]
    counted = {"ticks": tick_counts(every, data)}
    counted["bands"] = bands(foretold, {value.platform for value in data.results})
    return Scoreboard(
        tuple(rows),
        tuple(foretold),
        summary(data, rows) | counted,
        tuple(misfits.failures(rows, known)),
    )


def score_platform(
    name: str, data: Data, progress: Callable[[str], object] = lambda _: None
) -> tuple[list[Row], list[dict]]:
    """The rows of one platform, no misfit named yet, and its predictions.

    Parameters
    ----------
    name : str
        Of the platform.
    data : Data
        All published values.
    progress : callable
        Is told what runs next.
    """
    said = answers((name,), False, progress, lambda done_s, total_s: None)
    return _beside(name, data, said[name], False)


def _beside(name, data, said, full):
    """Rows and predictions of a platform, of all that its models say."""
    router, given = platform(name), data.given(name)
    rows: list[Row] = []
    foretold: list[dict] = []
    for model, experiment, results in said:
        whole, assumptions = is_whole(experiment, full), experiment.assumptions
        views = [View(router, experiment, each, given, whole=whole) for each in results]
        mine = [v for v in data.of(name) if v.experiment in (experiment.name, *experiment.also)]
        fitted = router.facts.fitted_in(assumptions)
        rows += [
            row_of(value, model, assumptions, views, fitted, data.spread(value)) for value in mine
        ]
        foretold += predictions(model, assumptions, views, mine)
    return rows + _not_described(router, data.of(name), rows), foretold


def _not_described(router, values, rows):
    there = {row.experiment for row in rows}
    return [
        silent_row(value, router.models[0], "base", router.not_described[value.experiment])
        for value in values
        if value.experiment not in there
    ]


def _only_counted(row):
    return row.assumptions in platform(row.platform).counted


def _named(row, known):
    off = row.verdict == "misfit"
    return dataclasses.replace(row, misfit=misfits.named(row, known)) if off else row
