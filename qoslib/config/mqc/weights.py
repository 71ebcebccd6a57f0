"""How the classes of one policy share what priority and guarantees leave over."""

from qoslib import units
from qoslib.config.mqc.class_nodes import DEFAULT, ClassNode
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.values import Value

__all__ = ["Weights", "of_share_bps", "weights"]

#: Path of a node -> its weight, and the line or the default that says it.
Weights = dict[tuple[str, ...], tuple[float, Value | str | None]]
#: The weight of a class that shares nothing beside its guarantee; the models take no 0 [bit/s].
_NO_MORE_BPS = 1e-4
#: The same in per cent of what is left over [%].
_NO_MORE_PERCENT = 1e-12


def of_share_bps(amount: Value, share_bps: float) -> float:
    """A rate, which may be a share of another."""
    rate: float = amount.value
    return round(rate * share_bps, 6) if amount.unit == "1" else rate


def weights(nodes: list[ClassNode], share_bps: float, platform: PlatformDefaults) -> Weights:
    """The weights of the classes of a policy."""
    if platform.by_bandwidth:
        return _by_bandwidth(nodes, share_bps, platform)
    made: Weights = {}
    given = sum(p.of.remaining.value for p in nodes if p.of.remaining and _percent(p))
    bare = {p.path: p.of for p in nodes if not (p.of.remaining or p.of.priority or p.of.drop)}
    # On IOS XE what is left of 100 per cent is of class-default alone.
    sharing = {path for path, of in bare.items() if platform.by_service or of.name == DEFAULT}
    for node in nodes:
        remaining = node.of.remaining
        if remaining:
            made[node.path] = remaining.value, remaining
        elif given and node.path in sharing:
            least_percent = _NO_MORE_PERCENT if platform.by_service else 1.0
            share = max((100 - given) / len(sharing), least_percent)
            made[node.path] = share, platform.row("remaining_percent")
        else:
            made[node.path] = 1.0, platform.row("remaining_ratio") if node.path in bare else None
    return made


def _percent(node: ClassNode) -> bool:
    return node.of.remaining is not None and node.of.remaining.unit == "%"


def _by_bandwidth(nodes: list[ClassNode], share_bps: float, platform: PlatformDefaults) -> Weights:
    """Classic IOS: `bandwidth` is the weight, and the others share what is not reserved."""
    taken_bps = sum(
        of_share_bps(p.of.priority.rate, share_bps)
        for p in nodes
        if p.of.priority and p.of.priority.rate
    )
    left_bps = max(share_bps - taken_bps, 0.0)
    made: Weights = {}
    unreserved = []
    for node in nodes:
        part = node.of
        # What `shape min` guarantees is a part of the bandwidth, not something beside it.
        sure_bps = part.shape.least.value if part.shape and part.shape.least else 0.0
        taken_bps += sure_bps
        if part.priority or part.drop:
            made[node.path] = 1.0, None
        elif part.bandwidth:
            more_bps = max(of_share_bps(part.bandwidth, share_bps) - sure_bps, _NO_MORE_BPS)
            made[node.path] = more_bps, part.bandwidth
            taken_bps += more_bps
        elif part.remaining:
            share = units.convert(part.remaining.value, "%", "1")
            made[node.path] = share * left_bps, part.remaining
            taken_bps += made[node.path][0]
        else:
            unreserved.append(node)
    least_bps = units.convert(1.0, "%", "1") * share_bps
    for node in unreserved:
        rest_bps = max((share_bps - taken_bps) / len(unreserved), least_bps)
        made[node.path] = rest_bps, platform.row("unreserved")
    return made
