"""A port as a configuration of IOS or IOS XE, and what it cannot say."""

import re
from dataclasses import dataclass
from functools import partial

from qoslib import units
from qoslib.config.code_points import DSCP
from qoslib.config.differences import Written, facts_of, lost_in_text
from qoslib.config.guarantees import capacity_bps, least_bps, nodes_of, root_of
from qoslib.config.interfaces import fast_enough, speed_word
from qoslib.config.mqc.commands import COMMANDS
from qoslib.config.mqc.emit import class_lines, match_lines
from qoslib.config.mqc.names import DEFAULT
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.reader import read_mqc
from qoslib.config.mqc.turns import turn_lines
from qoslib.port import (
    DeficitRoundRobin,
    Fifo,
    HierarchicalTokenBucket,
    ModifiedDrr,
    Node,
    PacketLimit,
    Port,
    Queue,
    SchedulerTree,
    Shaper,
    StrictPriority,
    WeightedRoundRobin,
)

__all__ = ["write_mqc"]

_INTERFACE = re.compile(r"[A-Za-z][A-Za-z-]*\d[\w/.:-]*")
#: Field of a queue -> the command of its class.
_COMMANDS = {
    "guaranteed_bps": "bandwidth", "limit": "queue-limit", "priority": "priority",
    "shaper": "shape",
}  # fmt: skip
#: The unit of `bandwidth` [bit/s].
_KBPS = units.kbps(1.0)
#: Of `bandwidth remaining ratio`.
_LARGEST_RATIO = 1000


@dataclass
class _PolicyDraft:
    """A policy to be written: its name, and its classes in order."""

    policy: str
    classes: "list[tuple[str, Queue | Node, _PolicyDraft | None]]"

    def queues(self) -> list[Queue]:
        """All queues in and below it."""
        found = []
        for _, each, below in self.classes:
            found += below.queues() if below else [each] if isinstance(each, Queue) else []
        return found


def write_mqc(port: Port, interface: str, platform: PlatformDefaults) -> Written:
    """Write a port as a configuration of Cisco IOS XE or of classic IOS."""
    if not _INTERFACE.fullmatch(interface):
        interface = fast_enough(port.rate_bps, platform.name)
    facts: dict[str, float | str] = {}
    above, below = _policy_lines(port, platform)
    lines = [*above, f"interface {interface}"]
    speed = speed_word(interface, port.rate_bps, "cisco")
    if speed:
        lines.append(f" speed {speed}")
    elif speed is None:
        facts["line_rate_bps"] = port.rate_bps
    if port.transmit_ring_packets:
        lines.append(f" tx-ring-limit {port.transmit_ring_packets}")
    text = "\n".join([*lines, *(f" {line}" for line in below), "end", ""])
    facts |= facts_of(port, "overhead_bytes", "base_delay_s")
    weight = "bandwidth" if platform.by_bandwidth else "bandwidth remaining"
    names = {**_COMMANDS, "weight": weight}
    commands = {field: COMMANDS[name].written for field, name in names.items()}
    lost = lost_in_text(port, text, facts, partial(read_mqc, platform=platform), commands)
    return Written(text, tuple(facts.items()), lost)


def _policy_lines(port: Port, platform: PlatformDefaults) -> tuple[list[str], list[str]]:
    """What stands above the interface, and what stands on it."""
    queue = port.queues[0]
    limit = queue.limit
    alone = isinstance(port.scheduler, Fifo) and port.shaper is None
    if alone and isinstance(limit, PacketLimit) and Queue(queue.name, limit) == queue:
        return [], [f"hold-queue {limit.packets} out"]
    if platform.name == "ios" and isinstance(port.scheduler, WeightedRoundRobin):
        said = turn_lines(port)
        if said:
            return [], said
    draft = _draft_of(port, platform)
    marks = _marks(port)
    levels = {each.priority for each in draft.queues() if each.priority < platform.levels}
    lines = _class_maps(draft, marks)
    for each in _inner_first(draft):
        lines += [f"policy-map {each.policy}"]
        for name, of, below in each.classes:
            own = marks.get(of.name, []) if name != DEFAULT else []
            said = class_lines(
                of, platform, port.rate_bps, own, bool(levels - {0}), name == DEFAULT
            )
            said += [f"service-policy {below.policy}"] if below else []
            if said or name != DEFAULT:
                lines += [f" class {name}", *(f"  {line}" for line in said)]
    return lines, [f"service-policy output {draft.policy}"]


def _marks(port: Port) -> dict[str, list[str]]:
    """The marks of each queue; its own name only where that is a code point."""
    marks: dict[str, list[str]] = {
        name: [name] for name in port.queue_names if name in DSCP and not port.classifier.rules
    }
    first = dict(reversed(port.classifier.rules))
    for mark in dict(port.classifier.rules):
        name = first[mark]
        if mark != name or mark in DSCP:
            marks.setdefault(name, []).append(mark)
    return marks


def _inner_first(draft: _PolicyDraft) -> list[_PolicyDraft]:
    found = []
    for _, _, below in draft.classes:
        found += _inner_first(below) if below else []
    return [*found, draft]


def _class_maps(draft: _PolicyDraft, marks: dict[str, list[str]]) -> list[str]:
    """A class map for each name, with the marks of all queues that it leads to."""
    selected: dict[str, list[str]] = {}

    def enter(part: _PolicyDraft) -> None:
        for name, of, below in part.classes:
            queues = below.queues() if below else [of] if isinstance(of, Queue) else []
            if name != DEFAULT:
                known = selected.setdefault(name, [])
                known += [m for q in queues for m in marks.get(q.name, []) if m not in known]
            if below:
                enter(below)

    enter(draft)
    lines = []
    for name, own in selected.items():
        lines += [f"class-map match-any {name}", *(f" {line}" for line in match_lines(own))]
    return lines


def _draft_of(port: Port, platform: PlatformDefaults) -> _PolicyDraft:
    """The policy of a port, with the classes that have children."""
    nodes = nodes_of(port) or (Node("policy-map QOS", port.queue_names),)
    root = root_of(nodes)
    drafts = _Drafts(port, platform, {node.name: node for node in nodes})
    inner = drafts.policy(root, root.name.removeprefix("policy-map "), "")
    outer: Shaper | None = root.shaper or port.shaper
    if outer is None:
        return inner
    above = Node(DEFAULT, root.children, shaper=outer)
    return _PolicyDraft(drafts.unused(f"{inner.policy}-SHAPED"), [(DEFAULT, above, inner)])


class _Drafts:
    """The policies of a port, each with a name that no other has."""

    def __init__(self, port: Port, platform: PlatformDefaults, nodes: dict[str, Node]) -> None:
        self.platform, self.nodes = platform, nodes
        self.queues = {queue.name: queue for queue in _levelled(port, platform)}
        self.default = port.classifier.default
        self.used: set[str] = set()

    def policy(self, node: Node, name: str, path: str) -> _PolicyDraft:
        """The policy below a node; `path` leads to it."""
        draft = _PolicyDraft(self.unused(_word(name)), [])
        for child in node.children:
            own = child.removeprefix("class ").removeprefix(path)
            called = _word(own)
            if child in self.nodes:
                below = self.policy(self.nodes[child], f"{draft.policy}-{called}", f"{path}{own}/")
                weighed = _weighed(self.nodes[child], below, self.platform)
                draft.classes.append((called, weighed, below))
            else:
                called = DEFAULT if child == self.default else called
                draft.classes.append((called, self.queues[child], None))
        return draft

    def unused(self, name: str) -> str:
        """The name, with a number behind it where another policy has it."""
        number, found = 1, name
        while found in self.used:
            number += 1
            found = f"{name[:36]}-{number}"
        self.used.add(found)
        return found


def _weighed(node: Node, below: _PolicyDraft, platform: PlatformDefaults) -> Node:
    """A node with its bandwidth as its weight, where rates are said.

    Without a rate it has what its queues have together. What they are served first is a part of it.
    """
    if not platform.by_bandwidth:
        return node
    queues = below.queues()
    first = [each.policer.rate_bps for each in queues if not each.priority and each.policer]
    shared_bps = sum(each.weight for each in queues if each.priority)
    return node.replace(weight=sum(first, node.weight if node.weight >= _KBPS else shared_bps))


def _word(name: str) -> str:
    """A name as one word of at most 40 characters."""
    return "-".join(name.split())[:40].lstrip("!#") or "unnamed"


def _levelled(port: Port, platform: PlatformDefaults) -> list[Queue]:
    """The queues with levels of `priority`, and weights, that this platform has."""
    scheduler, queues = port.scheduler, port.queues
    levels = _levels(port, platform.levels)
    rounds = isinstance(scheduler, DeficitRoundRobin | ModifiedDrr | HierarchicalTokenBucket)
    weights = [float(queue.quantum_bytes) if rounds else queue.weight for queue in queues]
    shared = [weight for weight, level in zip(weights, levels, strict=True) if level]
    rates = all(weight >= 1000 and weight % 1000 == 0 for weight in shared)
    if not platform.by_bandwidth:
        weights = _ratios(weights)
    elif not rates or any(queue.guaranteed_bps for queue in queues):
        weights = _bandwidths(port, weights)
    return [
        queue.replace(priority=level, weight=weight)
        for queue, level, weight in zip(queues, levels, weights, strict=True)
    ]


def _levels(port: Port, most: int) -> list[int]:
    """The level of `priority` of each queue; `most` where it has none."""
    scheduler, queues, strict = port.scheduler, port.queues, 0
    ranks = [queue.priority for queue in queues]
    if isinstance(scheduler, ModifiedDrr):
        return [0 if queue.name == scheduler.low_latency else most for queue in queues]
    if isinstance(scheduler, SchedulerTree):
        strict = scheduler.strict_levels
    elif isinstance(scheduler, StrictPriority | WeightedRoundRobin):
        known = sorted(set(ranks))
        strict, ranks = len(known) - 1, [known.index(rank) for rank in ranks]
    return [rank if rank < min(strict, most) else most for rank in ranks]


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
