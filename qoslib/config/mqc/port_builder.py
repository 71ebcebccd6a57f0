"""From the classes of a policy to queues and nodes, with rates, limits and where each is from."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from qoslib import units
from qoslib.config.conditioners import policer_of
from qoslib.config.guarantees import limited_bps, policed_bps
from qoslib.config.mqc.buffers import POOL
from qoslib.config.mqc.class_nodes import ClassNode
from qoslib.config.mqc.commands import COMMANDS
from qoslib.config.mqc.conditioners import (
    DISCARDING,
    dropper,
    priority_policer,
    shaper,
)
from qoslib.config.mqc.fair_queue import flows_of
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import PolicyClass
from qoslib.config.mqc.queue_commands import DYNAMIC
from qoslib.config.mqc.shares import Level
from qoslib.config.provenance import Provenance
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.sourced import Sourced, by_mark, in_bytes, in_packets, made, number
from qoslib.config.values import Value
from qoslib.port import (
    ByteLimit,
    FlowQueues,
    Node,
    PacketLimit,
    Policer,
    Queue,
    Red,
    Shaper,
    TailDrop,
)

__all__ = ["PortBuilder", "Way"]

Way = Literal["out", "in"]
Limit = ByteLimit | PacketLimit
_FRAME_BYTES = 1500


class PortBuilder:
    """The queues and nodes of a policy, as they are made.

    `memory` is what a queue may hold where neither a line nor the platform says it, and `held` what
    an interface holds of packets that came in. What a device would not take is in `refused`; where
    the port is `unsure`, nothing is promised of it.
    """

    def __init__(
        self,
        platform: PlatformDefaults,
        way: Way,
        memory: Value | None = None,
        held: Value | None = None,
    ) -> None:
        self.platform, self.way = platform, way
        self.memory, self.held = memory, held
        self.queues: list[Sourced[Queue]] = []
        self.nodes: list[Sourced[Node]] = []
        self.usual_burst = platform.value("police_burst")
        self.notes, self.refused = Provenance(), Provenance()
        self.unsure = False

    def build(self, nodes: list[ClassNode], share_bps: float, rate_bps: float) -> tuple[str, ...]:
        """Make all queues and nodes, and give the names of the root's children."""
        return self._level(Level(self.platform, nodes, share_bps, rate_bps, share_bps))

    @contextmanager
    def _going_on(self, part: PolicyClass) -> Iterator[None]:
        """Go on without what a device would not take."""
        try:
            yield
        except ConfigurationError as problem:
            line = problem.line or part.line
            text = next((each.text for each in part.statements if each.line == line), "")
            self.refused.refused(line, text, problem)

    def _level(self, level: Level) -> tuple[str, ...]:
        """Make what stands below one node, and give the names of its children."""
        level.nodes = [node for node in level.nodes if node.host is None]
        for node in level.nodes:
            check_time()
            shape = self._shaped(node, level.share_bps)
            if node.children:
                self._inner(node, level, shape)
            else:
                self._leaf(node, level, shape)
        return tuple(node.label if node.children else node.name for node in level.nodes)

    def _shaped(self, node: ClassNode, share_bps: float) -> Sourced[Shaper] | None:
        if node.of.shape is None:
            return None
        with self._going_on(node.of):
            return shaper(node.of.shape, share_bps, self.platform)
        return None

    def _inner(self, node: ClassNode, level: Level, shape: Sourced[Shaper] | None) -> None:
        """Make a class with children, and these."""
        part, first = node.of, len(self.queues)
        self._say_flat(part)
        police = self._policed(part, level.most_bps)
        rates_bps = [each.part.rate_bps for each in (shape, police) if each]
        own_bps = level.guarantees_bps.get(node.path, 0.0)
        source = part.bandwidth or level.given
        # Per cent of a child policy are of its parent: its shaper or policer, else its
        # guarantee. Those of `police` pass by a guarantee (Cisco MWR 2941, OL-21227-02,
        # police percent; ASR 9000, OL-23108-02, page QC-130: the top-level policer rate).
        inner = Level(
            self.platform,
            node.children,
            min(rates_bps, default=level.bandwidths_bps.get(node.path) or level.share_bps),
            shape.part.rate_bps if shape else level.seen_bps,
            min(rates_bps, default=level.most_bps),
            own_bps,
            source,
        )
        children = self._level(inner)
        if police:
            self._limit_together(part, police, first)
        weight, of_weight = level.weights[node.path]
        branch = made(
            Node,
            name=node.label,
            children=children,
            guaranteed_bps=number(own_bps, source if own_bps else None),
            shaper=shape,
            weight=number(weight or 1.0, of_weight),
        )
        self.nodes.append(branch)

    def _leaf(self, node: ClassNode, level: Level, shape: Sourced[Shaper] | None) -> None:
        """Make the queue of a class."""
        part = node.of
        seen_bps = level.sure_bps(node, shape.part.rate_bps if shape else level.seen_bps)
        limit, own_bps = self._limit(part, seen_bps), level.guarantees_bps.get(node.path, 0.0)
        least = part.shape.least if part.shape else None
        source = least or part.bandwidth or level.given
        queue = made(
            Queue,
            name=node.name,
            weight=number(*level.weights[node.path]),
            priority=self._priority(part),
            limit=limit,
            limits=by_mark(self._of_marks(part, seen_bps)),
            dropper=self._early(node, limit.part, seen_bps),
            flows=self._flows(part, limit, seen_bps),
            policer=self._metered(part, level),
            guaranteed_bps=number(own_bps, source if own_bps else None),
            shaper=shape,
            **self._of_pool(part),
        )
        self.queues.append(queue)

    def _of_pool(self, part: PolicyClass) -> dict[str, object]:
        """What a queue takes of a memory that others take from as well (NX-OS)."""
        share = part.limit
        if share is None or share.unit != DYNAMIC or self.memory is None or self.way == "in":
            return {}
        return {"pool": POOL, "alpha": number(float(share.value), share)}

    def _flows(
        self, part: PolicyClass, limit: Sourced[Limit], seen_bps: float
    ) -> Sourced[FlowQueues] | None:
        """The queues for the flows of a class with `fair-queue`."""
        if part.fair is None or part.drop or self.way == "in":
            return None
        if self.platform.has_fair_queues and not part.early and not part.limits:
            return flows_of(part.fair, limit, self.platform, seen_bps)
        lost = "The flows of this class wait in one queue here, first in first out."
        self.notes.not_modelled(part.fair.line, "fair-queue", lost)
        return None

    def _priority(self, part: PolicyClass) -> Sourced[int]:
        """The priority of a queue, from 0."""
        levels = self.platform.levels
        if part.priority is None:
            return number(levels, None)
        first = part.priority
        source = Value(None, line=first.line, default=first.default)
        return number(min(first.level, levels) - 1, source)

    def _say_flat(self, part: PolicyClass) -> None:
        """Say what a class with a child policy cannot have here."""
        for name, command in COMMANDS.items():
            value = getattr(part, command.field) if command.flat else None
            if value:
                lost = f"`{name}` of a class with a child policy is left out."
                self.notes.not_modelled(value.line, name, lost)

    def _policed(self, part: PolicyClass, most_bps: float) -> Sourced[Policer] | None:
        """The policer of a class with a child policy, if it drops anything."""
        if part.police is None:
            return None
        with self._going_on(part):
            police = policer_of(part.police, most_bps, self.usual_burst)
            if policed_bps(police.part) is not None:
                return police
            lost = "It drops nothing: the marks that it sets are lost."
            self.notes.not_modelled(part.police.line, "police", lost)
        return None

    def _limit_together(self, part: PolicyClass, police: Sourced[Policer], first: int) -> None:
        """Limit the queues below a class with a policer to what that lets through."""
        assert part.police is not None
        most_bps = policed_bps(police.part) or 0.0
        below = self.queues[first:]
        limits_bps = [limited_bps(queue.part) for queue in below]
        if sum(math.inf if each is None else each for each in limits_bps) <= most_bps:
            # What its classes let through fits: it drops nothing.
            return
        lost = "It limits its classes together; here each of them alone."
        if self.way == "out":
            self.unsure = True
            lost = "What it drops is of all classes below it: not modelled, no promise."
        self.notes.not_modelled(part.police.line, "police", lost)
        for at, (queue, own_bps) in enumerate(zip(below, limits_bps, strict=True), first):
            if own_bps is None or own_bps > most_bps:
                self.queues[at] = queue.with_fields(policer=police)

    def _early(
        self, node: ClassNode, limit: PacketLimit | ByteLimit, seen_bps: float
    ) -> Sourced[Red] | TailDrop:
        """The dropper of a class."""
        if node.of.early:
            with self._going_on(node.of):
                return dropper(node.of.early, node.marks, limit, self.platform, seen_bps)
        return TailDrop()

    def _metered(self, part: PolicyClass, level: Level) -> Sourced[Policer] | None:
        """The policer of a class."""
        found = {}
        if part.drop:
            return Sourced(DISCARDING, {"rate_bps": Value(None, line=part.drop)})
        with self._going_on(part):
            if part.police:
                found["police"] = policer_of(part.police, level.most_bps, self.usual_burst)
            if part.priority and part.priority.rate:
                found["priority"] = priority_policer(part.priority, level.share_bps, self.platform)
        if not found:
            return None
        # While the link is congested both limit a class: the lower rate is what gets through.
        name = min(found, key=lambda each: found[each].part.rate_bps)
        lower = len({each.part.rate_bps for each in found.values()}) > 1
        why = "the other is lower" if lower else "that of `police` is the same"
        for other in found.keys() - {name}:
            line = getattr(part, other).line
            self.notes.not_modelled(line, other, f"The rate of `{other}` is left out: {why}.")
        return found[name]

    def _limit(self, part: PolicyClass, seen_bps: float) -> Sourced[Limit]:
        """What a queue holds: what a line says, else a fact, else the platform's default."""
        if part.drop:
            # None of its packets gets so far.
            return number(PacketLimit(1), None)
        if self.way == "in":
            held = self.held or self.platform.value("input_queue")
            return in_packets(int(held.value), held)
        if part.limit and part.limit.unit != DYNAMIC:
            return self._sized(part.limit, seen_bps)
        rows = part.early.rows.values() if part.early else ()
        if self.memory is not None:
            if self.platform.port_queues and any(low.unit == "packets" for low, _, _ in rows):
                return in_packets(self.memory.value // _FRAME_BYTES, self.memory)
            return in_bytes(int(self.memory.value), self.memory)
        limit, source = self.platform.limit(seen_bps, part.priority is not None)
        if isinstance(limit, ByteLimit):
            return in_bytes(limit.limit_bytes, source)
        if any(low.unit in "Bs" for low, _, _ in rows):
            return in_bytes(limit.packets * _FRAME_BYTES, source)
        return in_packets(limit.packets, source)

    def _of_marks(self, part: PolicyClass, seen_bps: float) -> dict[str, Sourced[Limit]]:
        """The limits of marks."""
        return {
            mark: number(self._sized(length, seen_bps).part, length)
            for mark, length in part.limits.items()
        }

    def _sized(self, length: Value, seen_bps: float) -> Sourced[Limit]:
        """A limit; a time is what the rate carries in it."""
        if length.unit == "packets" and not self.platform.packet_bytes:
            return in_packets(int(length.value), length)
        if length.unit == "packets":
            size = length.value * self.platform.packet_bytes
        else:
            size = length.value if length.unit == "B" else units.octets(length.value * seen_bps)
        return in_bytes(int(size), length)
