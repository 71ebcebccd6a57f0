"""The scoreboard of all platforms: what was published, and how close the models come to it."""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from qoslib.compare import misfits
from qoslib.compare.observe import READINGS, NotModelledError, View
from qoslib.compare.rows import Row, modelled, rows_of, unscored_row
from qoslib.compare.run import Answer, answers, is_whole
from qoslib.compare.ticks import tick_counts
from qoslib.compare.values import Data, published
from qoslib.platforms import PLATFORMS, Platform, platform

__all__ = ["CLOSENESS", "NO_MODEL", "Scoreboard", "score", "score_platform"]

NO_MODEL = "no model of this router is part of the suite yet"
#: Each value counts once, in the first of these that holds.
CLOSENESS = ("within_rounding", "within_1_percent", "within_10_percent", "beyond")
#: Quantity that is predicted, and how the names of those begin whose value is a measurement of it.
PREDICTED = {
    "latency_average": ("latency",),
    "dropped": ("dropped", "drop_rate"),
    "throughput": ("throughput", "sent", "in_service"),
    "drop_ratio": ("drop",),
}
#: What names a value, and what a set of assumptions under a model.
_VALUE = ["platform", "experiment", "stream", "quantity"]
_BAND = ["platform", "stream", "model", "assumptions"]


@dataclass(frozen=True)
class Scoreboard:
    """Published against modelled.

    Attributes
    ----------
    rows : tuple of Row
    predictions : tuple of dict
        What the models give for streams of the experiments for which nothing is published.
    summary : dict
    failures : tuple of str
        Rows that are off without a known misfit, or outside its band.
    """

    rows: tuple[Row, ...]
    predictions: tuple[dict[str, Any], ...]
    summary: dict[str, Any]
    failures: tuple[str, ...]

    def to_json(self) -> str:
        """One strict JSON document.

        Returns
        -------
        str
            Its rows, predictions and summary.
        """
        document = {
            "rows": [asdict(row) for row in self.rows],
            "predictions": list(self.predictions),
            "summary": self.summary,
        }
        return json.dumps(document, indent=1, allow_nan=False)


def score(progress: Callable[[str], object] = lambda title: None, full: bool = False) -> Scoreboard:
    """Run every model of every platform and compare it with what was published.

    Parameters
    ----------
    progress : callable
        Is called with the title of what runs next.
    full : bool
        Whether to replay whole what can be replayed whole: minutes instead of seconds.

    Returns
    -------
    Scoreboard
        Rows, predictions where nothing was published, counts, and what fails.

    Examples
    --------
    >>> score().failures
    ()
    """
    data = published()
    known = misfits.known_misfits("full" if full else "short")
    platforms = [platform(name) for name in PLATFORMS]
    every, predictions = _scored(platforms, answers(platforms, full, progress), full)
    rows = [
        dataclasses.replace(row, misfit=misfits.named(row, known) if row.is_misfit else None)
        for row in every
        if row.assumptions not in platform(row.platform).counted
    ]
    measured = {value.platform for value in data.results}
    counted = {"ticks": tick_counts(every), "bands": _bands(predictions, measured)}
    return Scoreboard(
        tuple(rows),
        tuple(predictions),
        _summary(data, rows) | counted,
        tuple(misfits.failures(rows, known)),
    )


def score_platform(name: str, full: bool = False) -> tuple[list[Row], list[dict[str, Any]]]:
    """The rows of one platform, no misfit named yet, and its predictions.

    Parameters
    ----------
    name : str
        Of the platform.
    full : bool
        As for `score`.

    Returns
    -------
    list of Row
        One for each published value, model and set of assumptions.
    list of dict
        The predictions.

    Examples
    --------
    >>> rows, _ = score_platform("catalyst6506")
    >>> {row.platform for row in rows}
    {'catalyst6506'}
    """
    router = platform(name)
    return _scored([router], answers([router], full), full)


def _scored(
    platforms: Iterable[Platform], found: Sequence[Answer], full: bool
) -> tuple[list[Row], list[dict[str, Any]]]:
    rows: list[Row] = []
    predictions: list[dict[str, Any]] = []
    for router in platforms:
        mine: list[Row] = []
        for each in found:
            if each.platform is router:
                whole = is_whole(each.experiment, full)
                more = rows_of(router, each.experiment, each.model, each.results, whole)
                mine += more
                predictions += _predictions(each, more, whole)
        rows += [*mine, *_not_described(router, {row.experiment for row in mine})]
    return rows, predictions


def _not_described(router: Platform, described: Collection[str]) -> Iterator[Row]:
    for value in published(router.name).results:
        if value.experiment not in described:
            reason = router.not_described[value.experiment]
            yield unscored_row(value, router.models[0], "base", reason)


def _predictions(answer: Answer, rows: Sequence[Row], whole: bool) -> Iterator[dict[str, Any]]:
    """An entry for each stream and quantity of `PREDICTED` for which nothing is published."""
    router, experiment, model, results = answer
    given = published(router.name).given
    views = [View(router, experiment, each, given, whole=whole) for each in results]
    measured = {(row.stream, row.quantity) for row in rows}
    # TCP connections of one mark stand together.
    marks = {flow.name: flow.label for host in experiment.hosts for flow in host.flows}
    for stream in dict.fromkeys(marks.get(name, name) for name in results[0].streams):
        for quantity, beginnings in PREDICTED.items():
            if any(s == stream and q.startswith(beginnings) for s, q in measured):
                continue
            how, reason = READINGS[quantity], None
            values: tuple[float | None, ...] = (None, None, None)
            try:
                values = modelled(how, [view.of(stream) for view in views], how.unit)
            except NotModelledError as error:
                reason = str(error)
            yield {
                "platform": router.name,
                "experiment": experiment.name,
                "stream": stream,
                "quantity": quantity,
                "unit": how.unit,
                "model": model,
                "assumptions": experiment.assumptions,
                **dict(zip(("modelled", "low", "high"), values, strict=True)),
                "reason": reason,
            }


def _bands(
    predictions: Sequence[dict[str, Any]], measured: Collection[str]
) -> list[dict[str, Any]]:
    """The least and largest throughput of each stream of a router without any published result."""
    frame = pd.DataFrame(predictions)
    mine = frame[~frame["platform"].isin(measured) & (frame["quantity"] == "throughput")]
    return [
        dict(zip(_BAND, key, strict=True))
        | {"low": band["modelled"].min(), "high": band["modelled"].max()}
        | {"unit": band["unit"].iloc[0], "over": band["experiment"].tolist()}
        for key, band in mine.groupby(_BAND, sort=False)
    ]


def _summary(data: Data, rows: Sequence[Row]) -> dict[str, Any]:
    """Count values and rows.

    A value may have several rows, one for each model and set of assumptions. Where it is counted
    once, its first row that has a modelled value stands for it: the order is that of the
    platform's assumptions, ``base`` first, so none is chosen for being close.
    """
    frame = pd.DataFrame([asdict(row) | {"closeness": _closeness(row)} for row in rows])
    scored = frame[frame["verdict"] != "unscored"]
    once = scored.drop_duplicates(_VALUE)
    sound = [value.name for value in data.results if value.status == "ok"]
    silent = sorted(set(sound) - set(once[_VALUE].itertuples(index=False, name=None)))
    return {
        "published": {
            "values": len(data.results),
            "ok": len(sound),
            "inconsistent": len(data.results) - len(sound),
            "printed_again": data.repeated,
            "inputs_not_counted": len(data.inputs),
        },
        "spoken_to": _counts(once),
        "models": {
            model: _counts(scored[scored["model"] == model].drop_duplicates(_VALUE))
            for model in sorted(frame["model"].unique())
        },
        "verdicts": frame["verdict"].value_counts().sort_index().to_dict(),
        "misfits": frame["misfit"].value_counts().sort_index().to_dict(),
        "fitted": [
            {
                "platform": name,
                "parameter": parameter,
                "value": float(platform(name).facts[parameter]),
            }
            | {"values": len(keys), "on": list(keys)}
            for name in PLATFORMS
            for parameter, keys in platform(name).facts.fitted_on.items()
        ],
        "sets": _rivals(scored[scored["model"] == "packets"]),
        "not_spoken_to": {"values": len(silent), "reasons": _reasons(silent, rows)},
    }


def _closeness(row: Row) -> str | None:
    if row.error is None:
        return None
    relative, off = row.error_kind == "relative", abs(row.error)
    holds = (row.within_rounding, relative and off <= 0.01, relative and off <= 0.1, True)
    return CLOSENESS[holds.index(True)]


def _counts(frame: pd.DataFrame) -> dict[str, int]:
    found = Counter(frame["closeness"])
    return {"values": len(frame), **{name: found[name] for name in CLOSENESS}}


def _rivals(scored: pd.DataFrame) -> list[dict[str, Any]]:
    """What the packet model gives under each rival set of assumptions."""
    groups = scored.groupby(["platform", "assumptions"])["verdict"]
    found = {key: Counter(verdicts) for key, verdicts in groups}
    return [
        {"platform": name, "assumptions": rival, "parameters": len(free)}
        | {verdict: found[name, rival][verdict] for verdict in ("within", "misfit")}
        for name in PLATFORMS
        for rival, free in platform(name).parameters.items()
        if (name, rival) in found
    ]


def _reasons(silent: Iterable[tuple[str, ...]], rows: Sequence[Row]) -> list[dict[str, Any]]:
    why: dict[tuple[str, ...], str | None] = {row.name: row.reason for row in reversed(rows)}
    found = Counter((name[0], why.get(name, NO_MODEL)) for name in silent)
    return [
        {"platform": name, "reason": reason, "values": count}
        for (name, reason), count in sorted(found.items())
    ]
