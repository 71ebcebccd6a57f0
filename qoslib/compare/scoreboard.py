"""The scoreboard of all platforms."""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass

from qoslib import measurements
from qoslib.compare import misfits
from qoslib.compare.answers import answers
from qoslib.compare.models import is_whole
from qoslib.compare.predictions import predictions
from qoslib.compare.readings import View
from qoslib.compare.rows import Row, row_of, silent_row
from qoslib.compare.summary import summary
from qoslib.compare.values import published
from qoslib.packets.progress import Progress
from qoslib.platforms import PLATFORMS, platform

__all__ = ["Scoreboard", "score"]


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
    said = answers(full, progress, replayed)
    rows: list[Row] = []
    foretold: list[dict] = []
    for name in PLATFORMS:
        module = platform(name)
        fitted = set().union(*module.FACTS.fitted_on.values())
        for model, experiment, results in said[name]:
            whole, given = is_whole(experiment, full), data.given(name)
            views = [View(module, experiment, r, given, whole=whole) for r in results]
            meant = (experiment.name, *experiment.also)
            mine = [v for v in data.of(name) if v.experiment in meant]
            rows += [row_of(v, model, experiment.assumptions, views, fitted) for v in mine]
            foretold += predictions(model, experiment.assumptions, views, mine)
        rows += _not_described(module, data.of(name), rows)
    rows = [_named(row, known) for row in rows]
    return Scoreboard(
        tuple(rows),
        tuple(foretold),
        summary(data, rows),
        tuple(misfits.failures(rows, known)),
    )


def _not_described(module, values, rows):
    there = {row.experiment for row in rows}
    return [
        silent_row(value, module.MODELS[0], "base", module.NOT_DESCRIBED[value.experiment])
        for value in values
        if value.experiment not in there
    ]


def _named(row, known):
    off = row.verdict == "misfit"
    return dataclasses.replace(row, misfit=misfits.named(row, known)) if off else row
