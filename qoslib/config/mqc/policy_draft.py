"""Any port as a tree that the modular QoS command line can say: levels, weights and nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

from qoslib import units
from qoslib.config.guarantees import capacity_bps, least_bps
from qoslib.config.mqc.class_nodes import DEFAULT
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.port import (
    DeficitRoundRobin,
    HierarchicalTokenBucket,
    ModifiedDrr,
    Node,
    Port,
    Queue,
    SchedulerTree,
    Shaper,
    StrictPriority,
)

__all__ = ["PolicyDraft", "draft_of"]

#: The unit of `bandwidth` [bit/s].
_KBPS = units.kbps(1.0)
#: Of `bandwidth remaining ratio`.
_LARGEST_RATIO = 1000


@dataclass
class PolicyDraft:
    """A policy to be written: its name, and its classes in order."""

    policy: str
    classes: "list[tuple[str, Queue | Node, PolicyDraft | None]]"

    def queues(self) -> list[Queue]:
        """All queues in and below it."""
        found = []
        for _, each, below in self.classes:
            found += below.queues() if below else [each] if isinstance(each, Queue) else []
        return found


def draft_of(port: Port, platform: PlatformDefaults) -> PolicyDraft:
    """The policy of a port, with the classes that have children."""
    queues = {queue.name: queue for queue in _levelled(port, platform)}
    scheduler = port.scheduler
    nodes: dict[str, Node] = {}
    if isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket):
        nodes = {node.name: node for node in scheduler.nodes}
        below = {child for node in scheduler.nodes for child in node.children}
        root = next(node for node in scheduler.nodes if node.name not in below)
    else:
        root = Node("policy-map QOS", port.queue_names)
    outer: Shaper | None = root.shaper or port.shaper
    used: set[str] = set()
    default = port.classifier.default

    def policy_of(node: Node, name: str, path: str) -> PolicyDraft:
        taken = _unused(word(name), used)
        classes: list[tuple[str, Queue | Node, PolicyDraft | None]] = []
        for child in node.children:
            own = child.removeprefix("class ").removeprefix(path)
            if child in nodes:
                called = word(own)
                below = policy_of(nodes[child], f"{taken}-{called}", f"{path}{own}/")
                classes.append((called, _weighed(nodes[child], below, platform), below))
            else:
                called = DEFAULT if child == default else word(own)
                classes.append((called, queues[child], None))
        return PolicyDraft(taken, classes)

    if outer is None:
        return policy_of(root, root.name.removeprefix("policy-map "), "")
    inner = policy_of(root, root.name.removeprefix("policy-map "), "")
    return PolicyDraft(
        _unused(f"{inner.policy}-SHAPED", used),
        [(DEFAULT, Node(DEFAULT, root.children, shaper=outer), inner)],
    )


def _weighed(node: Node, below: PolicyDraft, platform: PlatformDefaults) -> Node:
    """A node whose weight is no rate has what its queues have together, where rates are said."""
    if not platform.by_bandwidth or node.weight >= _KBPS:
        return node
    return node.replace(weight=sum(each.weight for each in below.queues() if each.priority))


def word(name: str) -> str:
    """A name as one word of at most 40 characters."""
    return "-".join(name.split())[:40].lstrip("!#") or "unnamed"


def _unused(name: str, used: set[str]) -> str:
    number, found = 1, name
    while found in used:
        number += 1
        found = f"{name[:36]}-{number}"
    used.add(found)
    return found


def _levelled(port: Port, platform: PlatformDefaults) -> Sequence[Queue]:
    """The queues with levels of `priority`, and weights, that this platform has."""
    scheduler, queues = port.scheduler, list(port.queues)
    if isinstance(scheduler, SchedulerTree):
        strict = scheduler.strict_levels
        levels = [
            q.priority if q.priority < min(strict, platform.levels) else platform.levels
            for q in queues
        ]
    elif isinstance(scheduler, StrictPriority):
        ranks = sorted({queue.priority for queue in queues})
        last = len(ranks) - 1
        places = [ranks.index(queue.priority) for queue in queues]
        levels = [p if p < min(last, platform.levels) else platform.levels for p in places]
    elif isinstance(scheduler, ModifiedDrr):
        levels = [0 if queue.name == scheduler.low_latency else platform.levels for queue in queues]
    else:
        levels = [platform.levels] * len(queues)
    rounds = isinstance(scheduler, DeficitRoundRobin | ModifiedDrr | HierarchicalTokenBucket)
    weights = [float(queue.quantum_bytes) if rounds else queue.weight for queue in queues]
    if not platform.by_bandwidth:
        weights = _ratios(weights)
    elif any(queue.guaranteed_bps for queue in queues) or not all(
        weight >= 1000 and weight % 1000 == 0
        for weight, level in zip(weights, levels, strict=True)
        if level
    ):
        weights = _bandwidths(port, weights)
    return [
        queue.replace(priority=level, weight=weight)
        for queue, level, weight in zip(queues, levels, weights, strict=True)
    ]


def _bandwidths(port: Port, weights: list[float]) -> list[float]:
    """What each queue gets while all are saturated [bit/s]; parts of the port where that is none.

    Weights that are rates already stay as they are; with a guarantee or a share of what is left
    beside it no weight is a rate.
    """
    least = least_bps(port)
    found = [least[queue.name][0] for queue in port.queues]
    if not all(found):
        whole = sum(weights) or 1.0
        found = [weight / whole * capacity_bps(port) for weight in weights]
    return [max(rate_bps // _KBPS, 1.0) * _KBPS for rate_bps in found]


def _ratios(weights: list[float]) -> list[float]:
    """Weights as whole numbers: as they are, or the largest as 1000."""
    if all(weight == int(weight) and 1 <= weight <= _LARGEST_RATIO for weight in weights):
        return weights
    largest = max(weights) or 1.0
    return [float(max(round(weight / largest * _LARGEST_RATIO), 1)) for weight in weights]
