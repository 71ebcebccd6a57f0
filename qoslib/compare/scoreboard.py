"""The scoreboard of all platforms: what was published, and how close the models come to it.

Ticks are a second count: how many published values a whole set of assumptions meets.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from qoslib import units
from qoslib.compare import store
from qoslib.compare.observe import READINGS, NotModelledError, View
from qoslib.compare.rows import (
    TOLERANCES,
    Row,
    allowed_drops,
    grouped,
    modelled,
    rows_of,
    unscored_row,
    views_of,
)
from qoslib.compare.run import answers, model_of
from qoslib.compare.values import Published, published
from qoslib.flows import HtbPacing
from qoslib.platforms import PLATFORMS, Platform, platform
from qoslib.record import checked, fail

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "CLOSENESS",
    "KINDS",
    "Scoreboard",
    "is_tick",
    "score",
    "stored_scoreboard",
    "summary_of",
    "tick_counts",
    "ticks",
]

#: Each value counts once, in the first of these that holds.
CLOSENESS = ("within_rounding", "within_1_percent", "within_10_percent", "beyond")
#: Quantity that is predicted, and how the names of those begin that are published in its place.
PREDICTED = {
    "latency_average": ("latency",),
    "dropped": ("dropped", "drop_rate"),
    "throughput": ("throughput", "sent", "in_service"),
    "drop_ratio": ("drop",),
}
#: What names a set of assumptions under a model.
_BAND = ("platform", "stream", "model", "assumptions")
#: Which rows a scoreboard of each kind has.
KINDS = {
    "stored": "data/scoreboard.csv: short runs, and only the rows with a verdict. --fresh adds the"
    " other rows with their reasons, and predictions; --full replays whole tests",
    "short": "short runs: a few seconds of each test. A value that needs a whole test is unscored,"
    " and sets of assumptions that only --full runs are left out",
    "full": "whole tests, where the source says how long they were, and all sets of assumptions",
}


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


def score(
    progress: Callable[[str], object] = lambda title: None,
    full: bool = False,
    platforms: Sequence[str] = PLATFORMS,
) -> Scoreboard:
    """Run every model of every platform and compare it with what was published.

    Parameters
    ----------
    progress : callable
        Is called with the title of what runs next.
    full : bool
        Whether to replay whole what can be replayed whole: minutes instead of seconds.
    platforms : sequence of str
        Names of platforms; by default all.

    Returns
    -------
    Scoreboard
        Rows, predictions where nothing was published, counts, and what fails.

    Raises
    ------
    ValueError
        If there is no such platform, or an argument is of another kind.

    Examples
    --------
    >>> score(platforms=["catalyst6506"]).failures
    ()
    """
    checked(Callable, progress, "progress")
    kind = "full" if checked(bool, full, "full") else "short"
    routers = [platform(name) for name in checked(tuple[str, ...], platforms, "platforms")]
    if not routers:
        fail("platforms", platforms, f"at least one of {', '.join(PLATFORMS)}")
    known = [each for each in store.known_misfits(kind) if each.platform in platforms]
    every, predictions = _scored(routers, answers(routers, full, progress))
    rows = [
        replace(row, misfit=store.misfit_of(row, known) if row.is_misfit else None)
        for row in every
        if row.assumptions not in platform(row.platform).counted
    ]
    summary = summary_of(kind, routers, rows) | {"ticks": tick_counts(every)}
    summary["bands"] = _bands(routers, predictions)
    return Scoreboard(tuple(rows), tuple(predictions), summary, tuple(store.failures(rows, known)))


def _scored(
    routers: Iterable[Platform], found: Iterable[Sequence[View]]
) -> tuple[list[Row], list[dict[str, Any]]]:
    """The rows of all published values, no misfit named yet, and the predictions."""
    rows: list[Row] = []
    predictions: list[dict[str, Any]] = []
    for router in routers:
        mine: list[Row] = []
        for views in found:
            if views[0].platform is router:
                more = rows_of(views)
                mine += more
                predictions += _predictions(views, {(row.stream, row.quantity) for row in more})
        described = {row.experiment for row in mine}
        for value in published(router.name).results:
            if value.experiment not in described:
                reason = router.not_described.get(value.experiment)
                if reason is None:
                    also = f"an experiment of {router.name}, or a key of its not_described"
                    fail("the experiment of a published result", value.experiment, also)
                mine.append(unscored_row(value, router.models[0], "base", reason))
        rows += mine
    return rows, predictions


def _predictions(
    views: Sequence[View], given: Collection[tuple[str, str]]
) -> Iterator[dict[str, Any]]:
    """An entry for each stream and quantity of `PREDICTED` for which nothing is published."""
    experiment, result = views[0].experiment, views[0].result
    # TCP connections of one mark stand together.
    marks = {flow.name: flow.label for host in experiment.hosts for flow in host.flows}
    for stream in dict.fromkeys(marks.get(name, name) for name in result.streams):
        for quantity, beginnings in PREDICTED.items():
            if any(s == stream and q.startswith(beginnings) for s, q in given):
                continue
            how, reason = READINGS[quantity], None
            values: tuple[float | None, ...] = (None, None, None)
            try:
                values = modelled(how, [view.of(stream) for view in views], how.unit)
            except NotModelledError as error:
                reason = str(error)
            yield {
                "platform": views[0].platform.name,
                "experiment": experiment.name,
                "stream": stream,
                "quantity": quantity,
                "unit": how.unit,
                "model": result.model,
                "assumptions": experiment.assumptions,
                **dict(zip(("modelled", "low", "high"), values, strict=True)),
                "reason": reason,
            }


def _bands(
    routers: Iterable[Platform], predictions: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The least and largest throughput of each stream of a router without any published result."""
    silent = [router.name for router in routers if not published(router.name).results]
    mine = (
        each
        for each in predictions
        if each["platform"] in silent
        and each["quantity"] == "throughput"
        and each["modelled"] is not None
    )
    bands = grouped(mine, lambda each: tuple(each[name] for name in _BAND))
    return [
        dict(zip(_BAND, key, strict=True))
        | {"low": min(values), "high": max(values), "unit": band[0]["unit"]}
        | {"over": [each["experiment"] for each in band]}
        for key, band in bands.items()
        for values in [[each["modelled"] for each in band]]
    ]


def summary_of(kind: str, routers: Sequence[Platform], rows: Sequence[Row]) -> dict[str, Any]:
    """Count values and rows of a kind of `KINDS`.

    A value may have several rows, one for each model and set of assumptions. Where it is counted
    once, its first row that has a modelled value stands for it: the order is that of the
    platform's assumptions, ``base`` first, so none is chosen for being close.
    """
    data = [published(router.name) for router in routers]
    scored = [row for row in rows if row.verdict != "unscored"]
    once = _first(scored)
    status = {value.name: value.status for each in data for value in each.results}
    sound = [name for name, each in status.items() if each == "ok"]
    return {
        "kind": kind,
        "published": {
            "values": len(status),
            "ok": len(sound),
            "inconsistent": len(status) - len(sound),
            "published_again": sum(each.repeated for each in data),
            "inputs_not_counted": sum(len(each.inputs) for each in data),
        },
        "spoken_to": _counts(once),
        "models": {
            model: _counts(_first(row for row in scored if row.model == model))
            for model in sorted({row.model for row in rows})
        },
        "ticks": [],
        "bands": [],
        "verdicts": _sorted(Counter(row.verdict for row in rows)),
        "misfits": _sorted(Counter(row.misfit for row in rows if row.misfit)),
        "fitted": list(_fitted(routers)),
        "sets": _rivals(routers, (row for row in scored if row.model == "packets")),
        "not_spoken_to": _not_spoken_to(set(sound) - {row.name for row in once}, rows),
    }


def _first(rows: Iterable[Row]) -> list[Row]:
    """The first row of each value."""
    return [mine[0] for mine in grouped(rows, lambda row: row.name).values()]


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _fitted(routers: Iterable[Platform]) -> Iterator[dict[str, Any]]:
    """The parameters that are fitted, and on which values."""
    for router in routers:
        for name, keys in router.facts.fitted_on.items():
            fitted = {
                "platform": router.name,
                "parameter": name,
                "value": float(router.facts[name]),
            }
            yield fitted | {"values": len(keys), "on": list(keys)}


def _not_spoken_to(silent: Collection[Any], rows: Sequence[Row]) -> dict[str, Any]:
    """Values for which no model gives a number, and how many for which reason."""
    why = {row.name: str(row.reason) for row in reversed(rows)}
    reasons = Counter((name[0], why[name]) for name in silent if name in why)
    return {
        "values": len(silent),
        "reasons": [
            {"platform": name, "reason": reason, "values": count}
            for (name, reason), count in sorted(reasons.items())
        ],
    }


def _closeness(row: Row) -> str | None:
    if row.error is None:
        return None
    relative, off = row.error_kind == "relative", abs(row.error)
    holds = (row.within_rounding, relative and off <= 0.01, relative and off <= 0.1, True)
    return CLOSENESS[holds.index(True)]


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    found = Counter(map(_closeness, rows))
    return {"values": len(rows), **{name: found[name] for name in CLOSENESS}}


def _rivals(routers: Iterable[Platform], scored: Iterable[Row]) -> list[dict[str, Any]]:
    """What the packet model gives under each rival set of assumptions."""
    groups = grouped(scored, lambda row: (row.platform, row.assumptions))
    found = {key: Counter(row.verdict for row in mine) for key, mine in groups.items()}
    return [
        {"platform": router.name, "assumptions": rival, "parameters": len(free)}
        | {verdict: found[router.name, rival][verdict] for verdict in ("within", "misfit")}
        for router in routers
        for rival, free in router.parameters.items()
        if (router.name, rival) in found
    ]


def stored_scoreboard() -> Scoreboard:
    """The stored scoreboard as `score` gives one, without running a model.

    It has the rows with a verdict alone: no predictions, and no reasons of the other rows.

    Returns
    -------
    Scoreboard

    Examples
    --------
    >>> stored_scoreboard().summary["kind"]
    'stored'
    """
    rows = store.stored()
    summary = summary_of("stored", [platform(name) for name in PLATFORMS], rows)
    return Scoreboard(rows, (), summary, tuple(store.failures(rows, store.known_misfits())))


#: What a tick is about.
THROUGHPUT, DROPS = "throughput", "dropped_packets"
#: What the sets are compared with: a model of two gates, without any TCP.
BASELINE = "any gate"


def is_tick(value: Published, modelled: float) -> bool:
    """Whether a number is as published: throughput within 15 %, drops within a factor of two.

    Parameters
    ----------
    value : Published
        A throughput, or a count of dropped packets.
    modelled : float
        In the unit of the published value; of several seeds their mean.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If it is no published value, or no number.

    Examples
    --------
    >>> from qoslib.compare.values import published
    >>> value = next(v for v in published("mx80").results if v.quantity == "throughput")
    >>> is_tick(value, value.value), is_tick(value, 2 * value.value)
    (True, False)
    """
    low, high = _allowed(checked(Published, value, "value"))
    checked(float, modelled, "modelled")
    return low <= modelled <= high


def _allowed(value: Published) -> tuple[float, float]:
    """Least and most that is a tick, in the unit of the published value."""
    if value.quantity == DROPS:
        return allowed_drops(value)
    share = TOLERANCES["carried_by_tcp"].relative
    return (1 - share) * value.value, (1 + share) * value.value


def ticks(
    model: str = "fluid", assumptions: Sequence[str] = (), full: bool = False
) -> "pd.DataFrame":
    """The table of sets and ticks, run anew.

    Parameters
    ----------
    model : str
        As on the scoreboard.
    assumptions : sequence of str
        Names of the sets; empty for all.
    full : bool
        Whether a random model runs several seeds.

    Returns
    -------
    DataFrame
        One row a set, and the baseline; see `tick_counts`.

    Raises
    ------
    ValueError
        If there is no such model or set.

    Examples
    --------
    >>> ticks("fluid", ["base", "textbook"])["possible"].tolist()
    [34, 34, 34]
    """
    import pandas as pd

    run, sets = model_of(model), checked(tuple[str, ...], assumptions, "assumptions")
    checked(bool, full, "full")
    rows = [
        row
        for router in _counted()
        for each in sets or router.assumptions
        for experiment in router.experiments(each).values()
        for row in rows_of(views_of(router, experiment, run(experiment, full=full)))
    ]
    return pd.DataFrame(tick_counts(rows)).set_index("assumptions")


def _counted() -> list[Platform]:
    return [router for router in map(platform, PLATFORMS) if router.counted]


def tick_counts(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """One entry for each model and set of the routers whose sets are counted, and the baseline.

    Each has the ticks of throughputs and of drops (of several seeds, those of the mean; the
    ``least`` are ticks by every seed, the ``most`` by any), how many were possible, how many of
    them are of values that the set was fitted on and how many of those there are, the number of
    fitted parameters, and ``without_fits``: the ticks of the same set with its last fits taken
    back, where such a set was run.
    """
    results = [value for router in _counted() for value in published(router.name).results]
    values = {value.name: value for value in results if value.status == "ok"}
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        if row.modelled is not None and row.name in values:
            met = _met(values[row.name], row.modelled, row.ends, row.fitted)
            counts.setdefault((row.model, row.assumptions), Counter()).update(met)
    if not counts:
        return []
    baseline = counts.setdefault(("none", BASELINE), Counter())
    for value in values.values():
        gate = _any_gate(value)
        baseline.update(_met(value, gate, (gate, gate)))
    rules = _counted()[0]
    met_by = {key: mine["ticks"] for key, mine in counts.items()}
    return [
        {"model": model, "assumptions": name, **mine}
        | {"parameters": len(rules.parameters.get(name, ()))}
        | {"without_fits": met_by.get((model, rules.without_fits.get(name, "")))}
        for (model, name), mine in counts.items()
    ]


def _met(
    value: Published, modelled: float, ends: Sequence[float], fitted: bool = False
) -> dict[str, int]:
    """What one value adds to the counts of a set."""
    (least, most), (low, high) = _allowed(value), ends
    met = least <= modelled <= most
    holds = {
        "ticks": met,
        THROUGHPUT: met and value.quantity == THROUGHPUT,
        "drops": met and value.quantity == DROPS,
        "least": least <= low and high <= most,
        "most": low <= most and high >= least,
        "possible": True,
        "fitted_ticks": met and fitted,
        "fitted_values": fitted,
    }
    return {name: int(each) for name, each in holds.items()}


def _any_gate(value: Published) -> float:
    """What any model gives that knows the link's and the class's rate, and no more.

    ``min(paced rate, C - u)`` in the unit of the value, and no drops.
    """
    experiment = platform(value.platform).experiments().get(value.experiment)
    if experiment is None:
        return math.nan
    if value.quantity == DROPS:
        return 0.0
    paced = [h.pacing.rate_bps for h in experiment.hosts if isinstance(h.pacing, HtbPacing)]
    return units.convert(min([experiment.scenario.available_bps, *paced]), "bit/s", value.unit)
