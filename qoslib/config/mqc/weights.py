"""How the classes of one policy share what priority and guarantees leave over."""

from qoslib import units
from qoslib.config.mqc.class_nodes import DEFAULT, Place
from qoslib.config.mqc.platform_defaults import Rules
from qoslib.config.mqc.policies import Amount

__all__ = ["Weights", "of_share_bps", "weights"]

#: Path of a place -> its weight, and the line or the default that says it.
Weights = dict[tuple[str, ...], tuple[float, Amount | str | None]]
#: The weight of a class that shares nothing beside its guarantee; the models take no 0 [bit/s].
_NO_MORE_BPS = 1e-4
#: The same in per cent of what is left over [%].
_NO_MORE_PERCENT = 1e-12


def of_share_bps(amount: Amount, share_bps: float) -> float:
    """A rate, which may be a share of another."""
    return round(amount.value * share_bps, 6) if amount.unit == "1" else amount.value


def weights(places: list[Place], share_bps: float, rules: Rules) -> Weights:
    """The weights of the classes of a policy."""
    if rules.by_bandwidth:
        return _by_bandwidth(places, share_bps, rules)
    made: Weights = {}
    given = sum(p.of.remaining.value for p in places if p.of.remaining and _percent(p))
    bare = {p.path: p.of for p in places if not (p.of.remaining or p.of.priority or p.of.drop)}
    # On IOS XE what is left of 100 per cent is of class-default alone.
    sharing = {path for path, of in bare.items() if rules.by_service or of.name == DEFAULT}
    for place in places:
        remaining = place.of.remaining
        if remaining:
            made[place.path] = remaining.value, remaining
        elif given and place.path in sharing:
            least_percent = _NO_MORE_PERCENT if rules.by_service else 1.0
            share = max((100 - given) / len(sharing), least_percent)
            made[place.path] = share, rules.row("remaining_percent")
        else:
            made[place.path] = 1.0, rules.row("remaining_ratio") if place.path in bare else None
    return made


def _percent(place: Place) -> bool:
    return place.of.remaining is not None and place.of.remaining.unit == "%"


def _by_bandwidth(places: list[Place], share_bps: float, rules: Rules) -> Weights:
    """Classic IOS: `bandwidth` is the weight, and the others share what is not reserved."""
    taken_bps = sum(
        of_share_bps(p.of.priority.rate, share_bps)
        for p in places
        if p.of.priority and p.of.priority.rate
    )
    left_bps = max(share_bps - taken_bps, 0.0)
    made: Weights = {}
    unreserved = []
    for place in places:
        part = place.of
        # What `shape min` guarantees is a part of the bandwidth, not something beside it.
        sure_bps = part.shape.least.value if part.shape and part.shape.least else 0.0
        taken_bps += sure_bps
        if part.priority or part.drop:
            made[place.path] = 1.0, None
        elif part.bandwidth:
            more_bps = max(of_share_bps(part.bandwidth, share_bps) - sure_bps, _NO_MORE_BPS)
            made[place.path] = more_bps, part.bandwidth
            taken_bps += more_bps
        elif part.remaining:
            share = units.convert(part.remaining.value, "%", "1")
            made[place.path] = share * left_bps, part.remaining
            taken_bps += made[place.path][0]
        else:
            unreserved.append(place)
    least_bps = units.convert(1.0, "%", "1") * share_bps
    for place in unreserved:
        rest_bps = max((share_bps - taken_bps) / len(unreserved), least_bps)
        made[place.path] = rest_bps, rules.row("unreserved")
    return made
