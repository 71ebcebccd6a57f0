"""How the classes of one policy share a rate: weights, guarantees, and what a queue is sure of."""

from dataclasses import dataclass
from functools import cached_property

from qoslib import units
from qoslib.config.mqc.class_nodes import ClassNode
from qoslib.config.mqc.names import DEFAULT
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import PolicyClass
from qoslib.config.values import Value

__all__ = ["Level"]

#: The weight of a class that shares nothing beside its guarantee; the models take no 0 [bit/s].
_NO_MORE_BPS = 1e-4
#: No class shares less with `bandwidth` [bit/s].
_LEAST_BPS = 1000.0
#: The same in per cent of what is left over; the packet model takes weights up to 1 : 10,000 [%].
_NO_MORE_PERCENT = 0.01
Path = tuple[str, ...]
#: Path of a class -> its weight, and what says it.
Weights = dict[Path, tuple[float, Value | None]]


@dataclass
class Level:
    """The classes of one policy, and the rates above them."""

    platform: PlatformDefaults
    #: Those that have a queue, or children.
    nodes: list[ClassNode]
    #: What per cent of a class are of.
    share_bps: float
    #: The rate of the next shaper above, or of the line.
    seen_bps: float
    #: What per cent of `police` are of.
    most_bps: float
    #: What is guaranteed to all together, and what says that.
    whole_bps: float = 0.0
    given: Value | None = None

    @cached_property
    def bandwidths_bps(self) -> dict[Path, float]:
        """Path of each class with `bandwidth` -> its rate."""
        return {
            node.path: node.of.bandwidth.of_whole(self.share_bps)
            for node in self.nodes
            if node.of.bandwidth
        }

    @cached_property
    def weights(self) -> Weights:
        """The weights of all classes."""
        return self._by_bandwidth() if self.platform.by_bandwidth else self._by_remaining()

    def _by_remaining(self) -> Weights:
        nodes, platform = self.nodes, self.platform
        remaining = {node.path: node.of.remaining for node in nodes}
        given = sum(each.value for each in remaining.values() if each and each.unit == "%")
        bare = [n for n in nodes if not (n.of.remaining or n.of.priority or n.of.drop)]
        # On IOS XE what is left of 100 per cent is of class-default alone.
        sharing = [n.path for n in bare if platform.by_service or n.of.name == DEFAULT]
        weights: Weights = {node.path: (1.0, None) for node in nodes}
        weights |= {n.path: (1.0, platform.value("remaining_ratio")) for n in bare}
        if given and sharing:
            least_percent = _NO_MORE_PERCENT if platform.by_service else 1.0
            share = max((100 - given) / len(sharing), least_percent)
            weights |= {path: (share, platform.value("remaining_percent")) for path in sharing}
        return weights | {path: (each.value, each) for path, each in remaining.items() if each}

    def _by_bandwidth(self) -> Weights:
        """Classic IOS: `bandwidth` is the weight, and the others share what is not reserved.

        What classes with priority below a class get first is a part of its bandwidth.
        """
        taken_bps = self._priorities_bps()
        left_bps = max(self.share_bps - taken_bps, 0.0)
        weights: Weights = {}
        unreserved = []
        for node in self.nodes:
            part = node.of
            # What `shape min` guarantees is a part of the bandwidth, not something beside it.
            sure_bps = self.guarantees_bps.get(node.path, 0.0)
            taken_bps += sure_bps
            if part.priority or part.drop:
                weights[node.path] = 1.0, None
                continue
            if part.bandwidth:
                more_bps = self.bandwidths_bps[node.path] - sure_bps
                first_bps = self._within_bps(node, more_bps)
                taken_bps += first_bps
                weights[node.path] = max(more_bps - first_bps, _NO_MORE_BPS), part.bandwidth
            elif part.remaining:
                share = units.convert(part.remaining.value, "%", "1")
                weights[node.path] = share * left_bps, part.remaining
            else:
                unreserved.append(node)
                continue
            taken_bps += weights[node.path][0]
        if self.platform.name == "nxos" and not unreserved and not taken_bps:
            row = self.platform.value("zero_shares")
            weights = {path: (1.0, of and row) for path, (_, of) in weights.items()}
        return weights | self._unreserved(unreserved, self.share_bps - taken_bps)

    def _unreserved(self, nodes: list[ClassNode], left_bps: float) -> Weights:
        """Equal parts of what is not reserved, at least 1 per cent of all each."""
        least_bps = units.convert(1.0, "%", "1") * self.share_bps
        rest_bps = max(left_bps / max(len(nodes), 1), least_bps)
        source = self.platform.value("unreserved")
        return {n.path: (rest_bps - self._within_bps(n, rest_bps), source) for n in nodes}

    def _within_bps(self, node: ClassNode, whole_bps: float) -> float:
        """What those below a class are served first of its rate; 0 where that is too little."""
        first_bps = _first_bps(node, self.share_bps)
        return first_bps if whole_bps - first_bps >= _LEAST_BPS else 0.0

    def _priorities_bps(self) -> float:
        """The rates of `priority` together."""
        rates = (node.of.priority.rate for node in self.nodes if node.of.priority)
        return sum(rate.of_whole(self.share_bps) for rate in rates if rate)

    @cached_property
    def guarantees_bps(self) -> dict[Path, float]:
        """What each class is guaranteed: its own, and its part of its parent's rest."""
        if self.platform.by_bandwidth:
            least = {n.path: n.of.shape.least for n in self.nodes if n.of.shape}
            return {path: each.value for path, each in least.items() if each}
        own_bps = self.bandwidths_bps
        taken_bps = sum(own_bps.values()) + self._priorities_bps()
        rest_bps = max(self.whole_bps - taken_bps, 0.0)
        weights = {n.path: self.weights[n.path][0] for n in self.nodes if not n.of.priority}
        total = sum(weights.values()) or 1.0
        return own_bps | {
            path: round(own_bps.get(path, 0.0) + rest_bps * weight / total, 6)
            for path, weight in weights.items()
        }

    def sure_bps(self, node: ClassNode, seen_bps: float) -> float:
        """The rate that times of a queue go by.

        On IOS XR it is what a class gets while all are backlogged: its bandwidth, and its share of
        what nobody is given (Cisco CRS, OL-23235-03, page 73, guaranteed service rate).
        """
        if not self.platform.by_service or node.of.priority:
            return seen_bps
        taken_bps = sum(self.bandwidths_bps.values()) + sum(
            self._most_bps(each.of) for each in self.nodes if each.of.priority
        )
        whole = sum(weight for weight, source in self.weights.values() if source is not None)
        more_bps = max(min(self.share_bps, self.seen_bps) - taken_bps, 0.0)
        if whole:
            more_bps = more_bps * self.weights[node.path][0] / whole
        return round(min(self.bandwidths_bps.get(node.path, 0.0) + more_bps, seen_bps), 3)

    def _most_bps(self, part: PolicyClass) -> float:
        """What a class that is served first takes at most; 0 where nothing limits it."""
        limits = [(part.police.rate, self.most_bps)] if part.police else []
        limits += [(part.shape.rate, self.share_bps)] if part.shape else []
        return min((rate.of_whole(of) for rate, of in limits if rate), default=0.0)


def _first_bps(node: ClassNode, share_bps: float) -> float:
    """What classes below a class are served first, of what its own per cents are of."""
    return sum(_strict_bps(each, _base_bps(node.of, share_bps)) for each in node.children)


def _strict_bps(node: ClassNode, share_bps: float) -> float:
    """What a class is served first at most; 0 where nothing limits it."""
    if node.children:
        return _first_bps(node, share_bps)
    part = node.of
    if part.priority is None:
        return 0.0
    rates = [part.priority.rate, part.police.rate if part.police else None]
    return min((rate.of_whole(share_bps) for rate in rates if rate), default=0.0)


def _base_bps(part: PolicyClass, share_bps: float) -> float:
    """What per cents below a class are of: its shaper or policer, else its bandwidth."""
    limits = [each.rate for each in (part.shape, part.police) if each and each.rate]
    whole = part.bandwidth.of_whole(share_bps) if part.bandwidth else share_bps
    return min((rate.of_whole(share_bps) for rate in limits), default=whole)
