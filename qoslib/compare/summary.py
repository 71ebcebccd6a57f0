"""The scoreboard in a few counts: what is published, who speaks to it, how close they come."""

from collections import Counter
from collections.abc import Iterable, Sequence

from qoslib.compare.rows import Row
from qoslib.compare.values import Data
from qoslib.platforms import PLATFORMS, platform

__all__ = ["CLOSENESS", "NO_MODEL", "summary"]

NO_MODEL = "no model of this router is part of the suite yet"
INCONSISTENT = "inconsistent"
#: Each value counts once, in the first of these that holds.
CLOSENESS = ("within_rounding", "within_1_percent", "within_10_percent", "beyond")


def summary(data: Data, rows: Sequence[Row]) -> dict:
    """Count values and rows.

    A value may have several rows, one for each model and set of assumptions. Where it is counted
    once, its first row that has a modelled value stands for it: the order is that of the
    platform's assumptions, ``base`` first, so none is chosen for being close.

    Parameters
    ----------
    data : Data
    rows : sequence of Row
    """
    scored = [row for row in rows if row.verdict != "unscored"]
    spoken = {_name(row): row for row in reversed(scored)}
    ok = [value for value in data.results if value.status == "ok"]
    silent = [value for value in ok if value.name not in spoken]
    return {
        "published": {
            "values": len(data.results),
            "ok": len(ok),
            INCONSISTENT: len(data.results) - len(ok),
            "printed_again": data.repeated,
            "inputs_not_counted": len(data.inputs),
        },
        "spoken_to": {"values": len(spoken), **_closeness(spoken.values())},
        "models": {model: _of_model(scored, model) for model in sorted({r.model for r in rows})},
        "verdicts": dict(sorted(Counter(row.verdict for row in rows).items())),
        "misfits": dict(sorted(Counter(row.misfit for row in rows if row.misfit).items())),
        "fitted": [entry for name in PLATFORMS for entry in _fitted(name)],
        "sets": [entry for name in PLATFORMS for entry in _sets(name, scored)],
        "not_spoken_to": {"values": len(silent), "reasons": _reasons(silent, rows)},
    }


def _name(row):
    return row.platform, row.experiment, row.stream, row.quantity


def _of_model(scored, model):
    mine = {_name(row): row for row in reversed(scored) if row.model == model}
    return {"values": len(mine), **_closeness(mine.values())}


def _closeness(rows: Iterable[Row]) -> dict[str, int]:
    found = Counter(_how_close(row) for row in rows)
    return {name: found[name] for name in CLOSENESS}


def _how_close(row):
    off = abs(row.error)
    relative = row.error_kind == "relative"
    holds = (row.within_rounding, relative and off <= 0.01, relative and off <= 0.1, True)
    return CLOSENESS[holds.index(True)]


def _fitted(name):
    facts = platform(name).facts
    return [
        {"platform": name, "parameter": parameter, "value": float(facts[parameter])}
        | {"values": len(keys), "on": list(keys)}
        for parameter, keys in facts.fitted_on.items()
    ]


def _sets(name, scored):
    """What the packet model says under each rival set of assumptions that it was asked for."""
    for assumptions, free in platform(name).parameters.items():
        verdicts = Counter(
            row.verdict
            for row in scored
            if (row.platform, row.assumptions, row.model) == (name, assumptions, "packets")
        )
        if verdicts:
            yield {"platform": name, "assumptions": assumptions, "parameters": len(free)} | {
                verdict: verdicts[verdict] for verdict in ("within", "misfit")
            }


def _reasons(silent, rows):
    why = {_name(row): row.reason for row in reversed(rows)}
    found = Counter((value.platform, why.get(value.name, NO_MODEL)) for value in silent)
    return [
        {"platform": name, "reason": reason, "values": count}
        for (name, reason), count in sorted(found.items())
    ]
