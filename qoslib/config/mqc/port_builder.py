"""From the classes of a policy to queues and nodes, with rates, limits and where each is from."""

import math
from typing import Literal

from qoslib import units
from qoslib.config.guarantees import limited_bps, policed_bps
from qoslib.config.mqc.class_nodes import ClassNode
from qoslib.config.mqc.droppers import dropper
from qoslib.config.mqc.meters import DISCARDING, policer, priority_policer, shaper
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import PolicyClass
from qoslib.config.mqc.weights import Weights, of_share_bps, weights
from qoslib.config.records import Origin, Remark
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.values import Value
from qoslib.port import ByteLimit, Node, PacketLimit, Policer, Queue

__all__ = ["PortBuilder", "Way"]

Way = Literal["out", "in"]
_FRAME_BYTES = 1500


class PortBuilder:
    """The queues and nodes of a policy, as they are made.

    Parameters
    ----------
    platform : PlatformDefaults
    way : {'out', 'in'}
    memory : (float, str) or None
        What a queue may hold where neither a line nor the platform says it [B], and its fact.
    held : Value or None
        What an interface holds of packets that came in.
    """

    def __init__(
        self,
        platform: PlatformDefaults,
        way: Way,
        memory: tuple[float, str] | None = None,
        held: Value | None = None,
    ) -> None:
        self.platform, self.way = platform, way
        self.memory, self.held = memory, held
        self.queues: list[Queue] = []
        self.nodes: list[Node] = []
        self.origins: dict[str, Origin] = {}
        self.remarks: list[Remark] = []
        self.unsure: list[Remark] = []
        self.refused: list[tuple[int, str, ConfigurationError]] = []

    def _refuse(self, part: PolicyClass, problem: ConfigurationError) -> None:
        """Go on without what a device would not take."""
        line = problem.line or part.line
        text = next((each.text for each in part.statements if each.line == line), "")
        self.refused.append((line, text, problem))

    def came(self, where: str, of: Value | int | str | None) -> None:
        """Say where a number is from: an amount's line, a line, or the name of a default."""
        if isinstance(of, str):
            self.origins[where] = Origin(where, default=of)
        elif of:
            self.origins[where] = Origin(where, of.line if isinstance(of, Value) else of)

    def level(
        self,
        nodes: list[ClassNode],
        share_bps: float,
        seen_bps: float,
        whole_bps: float = 0.0,
        given: Value | None = None,
        most_bps: float = 0.0,
    ) -> tuple[str, ...]:
        """Make what stands below one node, and give the names of its children."""
        most_bps = most_bps or share_bps
        nodes = [node for node in nodes if node.host is None]
        shares = weights(nodes, share_bps, self.platform)
        passed = self._guarantees(nodes, share_bps, whole_bps, shares)
        names = []
        for node in nodes:
            check_time()
            part = node.of
            where = f"scheduler.nodes[{node.label!r}]" if node.children else _queue(node)
            shape = None
            try:
                shape = shaper(part.shape, share_bps, self.platform)
            except ConfigurationError as problem:
                self._refuse(part, problem)
            if shape and part.shape:
                default = self.platform.row("shape_burst")
                self.came(f"{where}.shaper.rate_bps", part.shape.rate)
                self.came(f"{where}.shaper.burst_bytes", part.shape.committed or default)
            weight, origin = shares[node.path]
            self.came(f"{where}.weight", origin)
            below_bps = shape.rate_bps if shape else seen_bps
            if node.children:
                self._only_queues(node)
                police = self._policed(node, most_bps)
                rates_bps = [each.rate_bps for each in (shape, police) if each]
                given_bps = of_share_bps(part.bandwidth, share_bps) if part.bandwidth else 0.0
                # Per cent of a child policy are of its parent: its shaper or policer, else its
                # guarantee. Those of `police` pass by a guarantee (Cisco MWR 2941, OL-21227-02,
                # police percent; ASR 9000, OL-23108-02, page QC-130: the top-level policer rate).
                inner_bps = min(rates_bps, default=given_bps or share_bps)
                own_bps, source = passed.get(node.path, 0.0), part.bandwidth or given
                first = len(self.queues)
                children = self.level(
                    node.children,
                    inner_bps,
                    below_bps,
                    own_bps,
                    source,
                    min(rates_bps, default=most_bps),
                )
                if police:
                    self._below(node, police, first)
                self.nodes.append(
                    Node(node.label, children, own_bps, shaper=shape, weight=weight or 1.0)
                )
                if own_bps:
                    self.came(f"{where}.guaranteed_bps", source)
                names.append(node.label)
            else:
                sure_bps = self._sure_bps(node, nodes, shares, share_bps, below_bps, most_bps)
                queue = self._made(node, share_bps, sure_bps, most_bps)
                own_bps = passed.get(node.path, 0.0)
                if own_bps:
                    queue = queue.replace(guaranteed_bps=own_bps)
                    least = part.shape.least if part.shape else None
                    self.came(f"{where}.guaranteed_bps", least or part.bandwidth or given)
                self.queues.append(queue.replace(weight=weight, shaper=shape))
                names.append(node.name)
        return tuple(names)

    def _guarantees(
        self, nodes: list[ClassNode], share_bps: float, whole_bps: float, shares: Weights
    ) -> dict[tuple[str, ...], float]:
        """What each class of a policy is guaranteed: its own, and its part of its parent's rest."""
        if self.platform.by_bandwidth:
            least = {p.path: p.of.shape.least for p in nodes if p.of.shape}
            return {path: each.value for path, each in least.items() if each}
        own = {p.path: of_share_bps(p.of.bandwidth, share_bps) for p in nodes if p.of.bandwidth}
        first = [p.of.priority.rate for p in nodes if p.of.priority and p.of.priority.rate]
        taken_bps = sum(own.values()) + sum(of_share_bps(rate, share_bps) for rate in first)
        rest_bps = max(whole_bps - taken_bps, 0.0)
        weights = {p.path: shares[p.path][0] for p in nodes if not p.of.priority}
        total = sum(weights.values()) or 1.0
        return {
            path: round(own.get(path, 0.0) + rest_bps * weight / total, 6)
            for path, weight in weights.items()
        } | {path: rate for path, rate in own.items() if path not in weights}

    def _sure_bps(
        self,
        node: ClassNode,
        nodes: list[ClassNode],
        shares: Weights,
        share_bps: float,
        seen_bps: float,
        most_bps: float,
    ) -> float:
        """The rate that times of a queue go by.

        On IOS XR it is what a class gets while all are backlogged: its bandwidth, and its share of
        what nobody is given (Cisco CRS, OL-23235-03, page 73, guaranteed service rate).
        """
        part = node.of
        if not self.platform.by_service or part.priority:
            return seen_bps
        given = {p.path: of_share_bps(p.of.bandwidth, share_bps) for p in nodes if p.of.bandwidth}
        taken_bps = sum(given.values()) + sum(
            self._priority_bps(p.of, share_bps, most_bps) for p in nodes if p.of.priority
        )
        siblings = [p.path for p in nodes if shares[p.path][1] is not None]
        whole = sum(shares[path][0] for path in siblings)
        left_bps = max(min(share_bps, seen_bps) - taken_bps, 0.0)
        more_bps = left_bps * shares[node.path][0] / whole if whole else left_bps
        return round(min(given.get(node.path, 0.0) + more_bps, seen_bps), 3)

    def _priority_bps(self, part: PolicyClass, share_bps: float, most_bps: float) -> float:
        """What a class that is served first takes at most; 0 where nothing limits it."""
        limits = [(part.police.rate, most_bps)] if part.police else []
        limits += [(part.shape.rate, share_bps)] if part.shape else []
        return min((of_share_bps(rate, of) for rate, of in limits if rate), default=0.0)

    def _leave(self, line: int, what: str, lost: str) -> None:
        self.remarks.append(Remark("not modelled", line, what, lost))

    def _only_queues(self, node: ClassNode) -> None:
        """Say what a class with a child policy cannot have here."""
        part = node.of
        for what, line in (
            ("priority", part.priority and part.priority.line),
            ("queue-limit", part.limit and part.limit.line),
            ("random-detect", part.early and part.early.line),
        ):
            if line:
                self._leave(line, what, f"`{what}` of a class with a child policy is left out.")

    def _policed(self, node: ClassNode, most_bps: float) -> Policer | None:
        """The policer of a class with a child policy, if it drops anything."""
        police = node.of.police
        if police is None:
            return None
        try:
            made = policer(police, most_bps, self.platform)[0]
        except ConfigurationError as problem:
            self._refuse(node.of, problem)
            return None
        if policed_bps(made) is None:
            self._leave(police.line, "police", "It drops nothing: the marks that it sets are lost.")
            return None
        return made

    def _below(self, node: ClassNode, police: Policer, first: int) -> None:
        """Limit the queues below a class with a policer to what that lets through."""
        assert node.of.police is not None
        line, most_bps = node.of.police.line, policed_bps(police) or 0.0
        below = self.queues[first:]
        limits_bps = [limited_bps(queue) for queue in below]
        if sum(math.inf if each is None else each for each in limits_bps) <= most_bps:
            # What its classes let through fits: it drops nothing.
            return
        if self.way == "out":
            lost = "What it drops is of all classes below it: not modelled, no promise."
            self.unsure.append(Remark("not modelled", line, "police", lost))
        else:
            self._leave(line, "police", "It limits its classes together; here each of them alone.")
        for at, (queue, own_bps) in enumerate(zip(below, limits_bps, strict=True), first):
            if own_bps is None or own_bps > most_bps:
                self.queues[at] = queue.replace(policer=police)
                where = f"queues[{queue.name!r}].policer"
                self.came(f"{where}.rate_bps", node.of.police.rate)
                self.came(
                    f"{where}.burst_bytes",
                    node.of.police.burst or self.platform.row("police_burst"),
                )

    def _made(self, node: ClassNode, share_bps: float, seen_bps: float, most_bps: float) -> Queue:
        part, where = node.of, _queue(node)
        limit = self._limit(node, seen_bps)
        queue = Queue(node.name, limit, priority=self.platform.levels)
        if part.priority:
            level = min(part.priority.level, self.platform.levels) - 1
            queue = queue.replace(priority=level)
            self.came(f"{where}.priority", part.priority.line)
        if part.early:
            try:
                red, origins = dropper(part.early, node.marks, limit, self.platform, seen_bps)
            except ConfigurationError as problem:
                self._refuse(part, problem)
            else:
                queue = queue.replace(dropper=red)
                for path, origin in origins:
                    self.came(f"{where}.{path}", origin)
        if part.limits:
            of_marks = tuple((m, self._sized(a, seen_bps)) for m, a in part.limits.items())
            queue = queue.replace(limits=of_marks)
            for mark, given in part.limits.items():
                self.came(f"{where}.limits[{mark!r}]", given)
        return self._metered(queue, node, share_bps, most_bps)

    def _metered(self, queue: Queue, node: ClassNode, share_bps: float, most_bps: float) -> Queue:
        part, found = node.of, []
        if part.drop:
            self.came(f"{_queue(node)}.policer.rate_bps", part.drop)
            return queue.replace(policer=DISCARDING)
        try:
            if part.police:
                found.append((policer(part.police, most_bps, self.platform), part.police.line))
            if part.priority and part.priority.rate:
                limit = priority_policer(part.priority, share_bps, self.platform)
                found.append((limit, part.priority.line))
        except ConfigurationError as problem:
            self._refuse(part, problem)
        if not found:
            return queue
        # While the link is congested both limit a class: the lower rate is what gets through.
        (made, origins), taken = min(found, key=lambda each: each[0][0].rate_bps)
        lower = len({each[0].rate_bps for each, _ in found}) > 1
        why = "the other is lower" if lower else "that of `police` is the same"
        for _, line in found:
            if line != taken:
                what = "police" if made.when == "congested" else "priority"
                self._leave(line, what, f"The rate of `{what}` is left out: {why}.")
        for path, origin in origins:
            self.came(f"{_queue(node)}.policer.{path}", origin)
        return queue.replace(policer=made)

    def _limit(self, node: ClassNode, seen_bps: float) -> PacketLimit | ByteLimit:
        part = node.of
        origin: Value | str
        limit: PacketLimit | ByteLimit
        if part.drop:
            # None of its packets gets so far.
            return PacketLimit(1)
        if self.way == "in" and self.held:
            limit, origin = PacketLimit(int(self.held.value)), self.held
        elif self.way == "in":
            origin = self.platform.row("input_queue")
            limit = PacketLimit(int(self.platform.number("input_queue")))
        elif part.limit:
            limit, origin = self._sized(part.limit, seen_bps), part.limit
        elif self.memory is not None:
            held_bytes, fact = self.memory
            where = f"{_queue(node)}.limit.limit_bytes"
            self.origins[where] = Origin(where, fact=fact)
            return ByteLimit(max(int(held_bytes), 1))
        else:
            assert self.platform.limit is not None
            limit, origin = self.platform.limit(seen_bps, part.priority is not None)
            rows = part.early.rows.values() if part.early else ()
            if isinstance(limit, PacketLimit) and any(low.unit in "Bs" for low, _, _ in rows):
                limit = ByteLimit(limit.packets * _FRAME_BYTES)
        unit = "packets" if isinstance(limit, PacketLimit) else "limit_bytes"
        self.came(f"{_queue(node)}.limit.{unit}", origin)
        return limit

    def _sized(self, amount: Value, seen_bps: float) -> PacketLimit | ByteLimit:
        """A limit; a time is what the rate carries in it."""
        if amount.unit == "packets" and not self.platform.packet_bytes:
            return PacketLimit(max(int(amount.value), 1))
        if amount.unit == "packets":
            return ByteLimit(max(int(amount.value * self.platform.packet_bytes), 1))
        size = amount.value if amount.unit == "B" else units.octets(amount.value * seen_bps)
        return ByteLimit(max(int(size), 1))


def _queue(node: ClassNode) -> str:
    return f"queues[{node.name!r}]"
