"""How many published values a whole set of assumptions meets: a count for each set."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from qoslib import units
from qoslib.compare.rows import Row, rows_of, views_of
from qoslib.compare.run import model_of
from qoslib.compare.tolerances import TOLERANCES, allowed_drops
from qoslib.compare.values import Published, published
from qoslib.flows import HtbPacing
from qoslib.platforms import PLATFORMS, Platform, platform
from qoslib.record import checked

__all__ = ["is_tick", "tick_counts", "ticks"]

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
) -> pd.DataFrame:
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
    lines = [
        {"model": row.model, "assumptions": row.assumptions}
        | _line(values[row.name], row.modelled, row.ends, row.fitted)
        for row in rows
        if row.modelled is not None and row.name in values
    ]
    if not lines:
        return []
    baseline = {"model": "none", "assumptions": BASELINE}
    for value in values.values():
        gate = _any_gate(value)
        lines.append(baseline | _line(value, gate, (gate, gate)))
    counts = pd.DataFrame(lines).groupby(["model", "assumptions"], sort=False).sum()
    rules, met = _counted()[0], counts["ticks"].to_dict()
    return [
        {"model": model, "assumptions": name}
        | counts.loc[(model, name)].to_dict()
        | {"parameters": len(rules.parameters.get(name, ()))}
        | {"without_fits": met.get((model, rules.without_fits.get(name)))}
        for model, name in counts.index
    ]


def _line(
    value: Published, modelled: float, ends: Sequence[float], fitted: bool = False
) -> dict[str, bool]:
    """What one value adds to the counts of a set."""
    (least, most), (low, high) = _allowed(value), ends
    met = least <= modelled <= most
    return {
        "ticks": met,
        THROUGHPUT: met and value.quantity == THROUGHPUT,
        "drops": met and value.quantity == DROPS,
        "least": least <= low and high <= most,
        "most": low <= most and high >= least,
        "possible": True,
        "fitted_ticks": met and fitted,
        "fitted_values": fitted,
    }


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
