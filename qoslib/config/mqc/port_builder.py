"""From the classes of a policy to queues and nodes, with rates, limits and where each is from."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from qoslib import units
from qoslib.config.guarantees import limited_bps, policed_bps
from qoslib.config.mqc.class_nodes import ClassNode
from qoslib.config.mqc.commands import COMMANDS
from qoslib.config.mqc.conditioners import (
    DISCARDING,
    dropper,
    policer,
    priority_policer,
    shaper,
)
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import PolicyClass
from qoslib.config.mqc.shares import Level
from qoslib.config.provenance import Provenance
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.values import Value
from qoslib.port import ByteLimit, Node, PacketLimit, Policer, Queue, Shaper

__all__ = ["PortBuilder", "Way"]

Way = Literal["out", "in"]
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
        self.queues: list[Queue] = []
        self.nodes: list[Node] = []
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

    def _record(self, where: str, source: Value | None) -> None:
        if source:
            self.notes.record_origin(where, source)

    def _record_all(self, where: str, sources: dict[str, Value]) -> None:
        for path, source in sources.items():
            self.notes.record_origin(f"{where}.{path}", source)

    def _level(self, level: Level) -> tuple[str, ...]:
        """Make what stands below one node, and give the names of its children."""
        level.nodes = [node for node in level.nodes if node.host is None]
        for node in level.nodes:
            check_time()
            where = _where(node)
            shape = self._shaped(node, level.share_bps)
            self._record(f"{where}.weight", level.weights[node.path][1])
            if node.children:
                self._inner(node, level, shape)
            else:
                self._leaf(node, level, shape)
        return tuple(node.label if node.children else node.name for node in level.nodes)

    def _shaped(self, node: ClassNode, share_bps: float) -> Shaper | None:
        if node.of.shape is None:
            return None
        with self._going_on(node.of):
            shape, sources = shaper(node.of.shape, share_bps, self.platform)
            self._record_all(f"{_where(node)}.shaper", sources)
            return shape
        return None

    def _inner(self, node: ClassNode, level: Level, shape: Shaper | None) -> None:
        """Make a class with children, and these."""
        part, first = node.of, len(self.queues)
        self._say_flat(part)
        police = self._policed(part, level.most_bps)
        rates_bps = [each.rate_bps for each in (shape, police) if each]
        own_bps = level.guarantees_bps.get(node.path, 0.0)
        source = part.bandwidth or level.given
        # Per cent of a child policy are of its parent: its shaper or policer, else its
        # guarantee. Those of `police` pass by a guarantee (Cisco MWR 2941, OL-21227-02,
        # police percent; ASR 9000, OL-23108-02, page QC-130: the top-level policer rate).
        inner = Level(
            self.platform,
            node.children,
            min(rates_bps, default=level.bandwidths_bps.get(node.path) or level.share_bps),
            shape.rate_bps if shape else level.seen_bps,
            min(rates_bps, default=level.most_bps),
            own_bps,
            source,
        )
        children = self._level(inner)
        if police:
            self._limit_together(part, police, first)
        weight = level.weights[node.path][0] or 1.0
        self.nodes.append(Node(node.label, children, own_bps, shaper=shape, weight=weight))
        if own_bps:
            self._record(f"{_where(node)}.guaranteed_bps", source)

    def _leaf(self, node: ClassNode, level: Level, shape: Shaper | None) -> None:
        """Make the queue of a class."""
        part = node.of
        seen_bps = level.sure_bps(node, shape.rate_bps if shape else level.seen_bps)
        limit = self._limit(node, seen_bps)
        queue = Queue(node.name, limit, priority=self.platform.levels)
        if part.priority:
            queue = queue.replace(priority=min(part.priority.level, self.platform.levels) - 1)
            self._record(f"{_where(node)}.priority", Value(None, line=part.priority.line))
        queue = self._early(queue, node, limit, seen_bps)
        if part.limits:
            of_marks = tuple((m, self._sized(a, seen_bps)) for m, a in part.limits.items())
            queue = queue.replace(limits=of_marks)
            sources = {f"limits[{mark!r}]": given for mark, given in part.limits.items()}
            self._record_all(_where(node), sources)
        queue = self._metered(queue, node, level)
        own_bps = level.guarantees_bps.get(node.path, 0.0)
        if own_bps:
            queue = queue.replace(guaranteed_bps=own_bps)
            least = part.shape.least if part.shape else None
            source = least or part.bandwidth or level.given
            self._record(f"{_where(node)}.guaranteed_bps", source)
        self.queues.append(queue.replace(weight=level.weights[node.path][0], shaper=shape))

    def _say_flat(self, part: PolicyClass) -> None:
        """Say what a class with a child policy cannot have here."""
        for name, command in COMMANDS.items():
            value = getattr(part, command.field) if command.flat else None
            if value:
                lost = f"`{name}` of a class with a child policy is left out."
                self.notes.not_modelled(value.line, name, lost)

    def _policed(self, part: PolicyClass, most_bps: float) -> Policer | None:
        """The policer of a class with a child policy, if it drops anything."""
        if part.police is None:
            return None
        with self._going_on(part):
            police = policer(part.police, most_bps, self.platform)[0]
            if policed_bps(police) is not None:
                return police
            lost = "It drops nothing: the marks that it sets are lost."
            self.notes.not_modelled(part.police.line, "police", lost)
        return None

    def _limit_together(self, part: PolicyClass, police: Policer, first: int) -> None:
        """Limit the queues below a class with a policer to what that lets through."""
        assert part.police is not None
        assert part.police.rate is not None
        most_bps = policed_bps(police) or 0.0
        below = self.queues[first:]
        limits_bps = [limited_bps(queue) for queue in below]
        if sum(math.inf if each is None else each for each in limits_bps) <= most_bps:
            # What its classes let through fits: it drops nothing.
            return
        lost = "It limits its classes together; here each of them alone."
        if self.way == "out":
            self.unsure = True
            lost = "What it drops is of all classes below it: not modelled, no promise."
        self.notes.not_modelled(part.police.line, "police", lost)
        burst = part.police.burst or self.platform.value("police_burst")
        sources = {"rate_bps": part.police.rate, "burst_bytes": burst}
        for at, (queue, own_bps) in enumerate(zip(below, limits_bps, strict=True), first):
            if own_bps is None or own_bps > most_bps:
                self.queues[at] = queue.replace(policer=police)
                self._record_all(f"queues[{queue.name!r}].policer", sources)

    def _early(
        self, queue: Queue, node: ClassNode, limit: PacketLimit | ByteLimit, seen_bps: float
    ) -> Queue:
        """A queue with the dropper of its class."""
        if node.of.early is None:
            return queue
        with self._going_on(node.of):
            red, sources = dropper(node.of.early, node.marks, limit, self.platform, seen_bps)
            self._record_all(_where(node), sources)
            return queue.replace(dropper=red)
        return queue

    def _metered(self, queue: Queue, node: ClassNode, level: Level) -> Queue:
        """A queue with the policer of its class."""
        part, where, found = node.of, f"{_where(node)}.policer", {}
        if part.drop:
            self._record(f"{where}.rate_bps", Value(None, line=part.drop))
            return queue.replace(policer=DISCARDING)
        with self._going_on(part):
            if part.police:
                found["police"] = policer(part.police, level.most_bps, self.platform)
            if part.priority and part.priority.rate:
                found["priority"] = priority_policer(part.priority, level.share_bps, self.platform)
        if not found:
            return queue
        # While the link is congested both limit a class: the lower rate is what gets through.
        name = min(found, key=lambda each: found[each][0].rate_bps)
        lower = len({each.rate_bps for each, _ in found.values()}) > 1
        why = "the other is lower" if lower else "that of `police` is the same"
        for other in found.keys() - {name}:
            line = getattr(part, other).line
            self.notes.not_modelled(line, other, f"The rate of `{other}` is left out: {why}.")
        made, sources = found[name]
        self._record_all(where, sources)
        return queue.replace(policer=made)

    def _limit(self, node: ClassNode, seen_bps: float) -> PacketLimit | ByteLimit:
        if node.of.drop:
            # None of its packets gets so far.
            return PacketLimit(1)
        limit, source = self._limit_and_source(node.of, seen_bps)
        unit = "packets" if isinstance(limit, PacketLimit) else "limit_bytes"
        self._record(f"{_where(node)}.limit.{unit}", source)
        return limit

    def _limit_and_source(
        self, part: PolicyClass, seen_bps: float
    ) -> tuple[PacketLimit | ByteLimit, Value]:
        """What a queue holds: what a line says, else a fact, else the platform's default."""
        if self.way == "in":
            held = self.held or self.platform.value("input_queue")
            return PacketLimit(int(held.value)), held
        if part.limit:
            return self._sized(part.limit, seen_bps), part.limit
        if self.memory is not None:
            return ByteLimit(max(int(self.memory.value), 1)), self.memory
        limit, source = self.platform.limit(seen_bps, part.priority is not None)
        rows = part.early.rows.values() if part.early else ()
        if isinstance(limit, PacketLimit) and any(low.unit in "Bs" for low, _, _ in rows):
            limit = ByteLimit(limit.packets * _FRAME_BYTES)
        return limit, source

    def _sized(self, length: Value, seen_bps: float) -> PacketLimit | ByteLimit:
        """A limit; a time is what the rate carries in it."""
        if length.unit == "packets" and not self.platform.packet_bytes:
            return PacketLimit(max(int(length.value), 1))
        if length.unit == "packets":
            size = length.value * self.platform.packet_bytes
        else:
            size = length.value if length.unit == "B" else units.octets(length.value * seen_bps)
        return ByteLimit(max(int(size), 1))


def _where(node: ClassNode) -> str:
    """Where the class stands in the port."""
    return f"scheduler.nodes[{node.label!r}]" if node.children else f"queues[{node.name!r}]"
