"""How many published values a whole set of assumptions meets: a count for each set."""

from collections.abc import Iterable, Sequence

import pandas as pd

from qoslib import units
from qoslib.compare.models import MODELS
from qoslib.compare.rows import Row, row_of
from qoslib.compare.tolerances import TOLERANCES, allowed_drops
from qoslib.compare.values import Data, Published, published
from qoslib.compare.view import View
from qoslib.flows import HtbPacing
from qoslib.platforms import PLATFORMS, Experiment, platform

__all__ = ["any_gate", "is_tick", "tick_counts", "ticks"]

#: What a tick is about.
THROUGHPUT, DROPS = "throughput", "dropped_packets"
#: What stands beside the sets: a model of two gates, without any TCP.
BASELINE = "any gate"


def is_tick(value: Published, modelled: float) -> bool:
    """Whether a number is as published: throughput within 15 %, drops within a factor of two.

    Parameters
    ----------
    value : Published
        A throughput, or a count of dropped packets.
    modelled : float
        In the unit of the print; of several seeds their mean.
    """
    low, high = _allowed(value)
    return low <= modelled <= high


def _allowed(value):
    """Least and most that is a tick, in the unit of the print."""
    if value.quantity == DROPS:
        return allowed_drops(value)
    share = TOLERANCES["carried_by_tcp"].relative
    return (1 - share) * value.value, (1 + share) * value.value


def _by_any_seed(row, value):
    """Whether a part of a random model's interval is a tick, and whether all of it is."""
    least, most = _allowed(value)
    low, high = (row.modelled if end is None else end for end in (row.low, row.high))
    return low <= most and high >= least, least <= low and high <= most


def any_gate(experiment: Experiment, quantity: str) -> float:
    """What any model says that knows the link's and the class's rate, and no more.

    ``min(paced rate, C - u)`` [bit/s], and no drops.
    """
    if quantity == DROPS:
        return 0.0
    left_bps = experiment.only_port.rate_bps - sum(s.rate_bps for s in experiment.streams)
    paced = [h.pacing.rate_bps for h in experiment.hosts if isinstance(h.pacing, HtbPacing)]
    return min(left_bps, *paced) if paced else left_bps


def ticks(model: str = "fluid", assumptions: Sequence[str] = (), full: bool = False):
    """The table of sets and ticks, played anew.

    Parameters
    ----------
    model : str
        As on the scoreboard.
    assumptions : sequence of str
        Names of the sets; empty for all.
    full : bool
        Whether a random model plays several seeds.

    Returns
    -------
    DataFrame
        One row a set, and the baseline; see `tick_counts`.

    Examples
    --------
    >>> ticks("fluid", ["base", "textbook"])["possible"].tolist()
    [34, 34, 34]
    """
    data = published()
    rows = [
        row
        for name in _ticked()
        for each in assumptions or platform(name).assumptions
        for row in _rows(name, model, each, full, data)
    ]
    return pd.DataFrame(tick_counts(rows, data)).set_index("assumptions")


def _ticked():
    return [name for name in PLATFORMS if platform(name).counted]


def _rows(name, model, assumptions, full, data):
    router = platform(name)
    for experiment in router.experiments(assumptions).values():
        mine = [value for value in data.of(name) if value.experiment == experiment.name]
        if mine:
            views = [View(router, experiment, r, {}) for r in MODELS[model](experiment, full=full)]
            fitted = router.facts.fitted_in(assumptions)
            yield from (row_of(value, model, assumptions, views, fitted) for value in mine)


def tick_counts(rows: Iterable[Row], data: Data) -> list[dict]:
    """One entry for each model and set of the routers whose sets are counted, and the baseline.

    Each has the ticks of throughputs and of drops (of several seeds, those of the mean; the
    ``least`` are ticks by every seed, the ``most`` by any), how many were possible, how many of
    them are of values that the set was fitted on and how many of those there are, the number of
    fitted parameters, and ``without_fits``: the ticks of the same set with its last fits taken
    back, where such a set was played.

    Parameters
    ----------
    rows : iterable of Row
        Of any sets and models.
    data : Data
    """
    values = {v.name: v for name in _ticked() for v in data.of(name) if v.status == "ok"}
    by_set: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.modelled is not None and _name(row) in values:
            by_set.setdefault((row.model, row.assumptions), []).append(row)
    counts = [_count(*key, mine, values) for key, mine in by_set.items()]
    total = {(each["model"], each["assumptions"]): each["ticks"] for each in counts}
    for each in counts:
        each["without_fits"] = total.get((each["model"], _without(each["assumptions"])))
    return [*counts, _baseline(values)] if counts else []


def _name(row):
    return row.platform, row.experiment, row.stream, row.quantity


def _without(assumptions):
    return platform(_ticked()[0]).without_fits.get(assumptions)


def _count(model, assumptions, rows, values):
    met = [row for row in rows if is_tick(values[_name(row)], row.modelled)]
    some, every = zip(*(_by_any_seed(row, values[_name(row)]) for row in rows), strict=True)
    return {
        "model": model,
        "assumptions": assumptions,
        **_split(met),
        "least": sum(every),
        "most": sum(some),
        "possible": len(rows),
        "fitted_ticks": sum(row.fitted for row in met),
        "fitted_values": sum(row.fitted for row in rows),
        "parameters": len(platform(_ticked()[0]).parameters[assumptions]),
    }


def _split(met):
    kinds = [each.quantity for each in met]
    return {"ticks": len(kinds), THROUGHPUT: kinds.count(THROUGHPUT), "drops": kinds.count(DROPS)}


def _baseline(values):
    met = []
    for value in values.values():
        described = platform(value.platform).experiments().get(value.experiment)
        if described is not None:
            said = any_gate(described, value.quantity)
            said = said if value.quantity == DROPS else units.convert(said, "bit/s", value.unit)
            met += [value] * is_tick(value, said)
    none = dict.fromkeys(("fitted_ticks", "fitted_values", "parameters"), 0)
    name = {"model": "none", "assumptions": BASELINE}
    name |= _split(met) | {"least": len(met), "most": len(met)}
    return name | {"possible": len(values)} | none | {"without_fits": None}
