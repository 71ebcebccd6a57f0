"""One port of a configuration, as rules look at it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from qoslib.checks.fixes import Fixes
from qoslib.checks.fixes_junos import JunosFixes
from qoslib.checks.fixes_mqc import MqcFixes, XrFixes
from qoslib.checks.fixes_tc import TcFixes
from qoslib.checks.loads import Load
from qoslib.checks.manners import Manners, manners_of
from qoslib.checks.promises import BURST, FRAME_BYTES, Promise, hosts, promises, queued
from qoslib.config.facts import Facts
from qoslib.config.guarantees import capacity_bps, is_strict, limit_in, nodes_of
from qoslib.config.records import (
    NO_DROP,
    Configuration,
    ConfiguredClass,
    ConfiguredPort,
    Origin,
)
from qoslib.port import PacketLimit, Port, Queue, WeightedRoundRobin
from qoslib.port.nodes import outline

__all__ = ["CheckedPort", "Group", "Member"]

_FIXES = {
    "ios": MqcFixes,
    "ios-xe": MqcFixes,
    "ios-xr": XrFixes,
    "junos": JunosFixes,
    "tc": TcFixes,
}


class Member(NamedTuple):
    """A class of a port with its queue, its promise and its load, if one is known."""

    name: str
    of: ConfiguredClass
    queue: Queue
    promise: Promise
    load: Load | None
    strict: bool
    limit_bps: float | None

    @property
    def frame_bytes(self) -> float:
        """A packet, where a limit counts packets: that of the load, or a full frame [B]."""
        limit, held_bytes = self.queue.limit, self.promise.held_bytes
        whole = not self.promise.held_why.startswith(BURST)
        if isinstance(limit, PacketLimit) and limit.limit_bytes is None and held_bytes and whole:
            return held_bytes / limit.packets
        return FRAME_BYTES

    @property
    def takes_rest(self) -> bool:
        """Whether it is the class of all traffic that no other class takes."""
        return "the rest" in self.of.marks


class Group(NamedTuple):
    """Classes that share one shaper, or the port, and what that sends at most [bit/s]."""

    most_bps: float
    members: list[Member]


@dataclass(frozen=True)
class CheckedPort:
    """One port of a configuration, as rules look at it.

    Attributes
    ----------
    configuration : Configuration
    configured : ConfiguredPort
        One of its ports, without a missing fact.
    facts : Facts
        Of the reader.
    loads : tuple of Load
        Empty where nobody said what is sent.
    """

    configuration: Configuration
    configured: ConfiguredPort
    facts: Facts
    loads: tuple[Load, ...] = ()

    @property
    def port(self) -> Port:
        """The port."""
        assert self.configured.port is not None
        return self.configured.port

    @cached_property
    def manners(self) -> Manners:
        """How its platform differs from others."""
        return manners_of(self.configuration.dialect, self.configuration.platform)

    @cached_property
    def fixes(self) -> Fixes:
        """What writes its fixes; it takes note of what they give to classes."""
        # No policy says how an older Catalyst shares by number, so none of its lines is a fix.
        port = self.configured.port
        by_number = port is not None and isinstance(port.scheduler, WeightedRoundRobin)
        kind = Fixes if by_number else _FIXES.get(self.configuration.dialect, Fixes)
        return kind(self)

    @cached_property
    def capacity_bps(self) -> float:
        """What the port sends at most [bit/s]."""
        return capacity_bps(self.port)

    @property
    def shaped(self) -> bool:
        """Whether that is less than the line rate."""
        return self.capacity_bps < self.port.rate_bps

    @cached_property
    def members(self) -> list[Member]:
        """Its classes with queues of their own."""
        guests = hosts(self.configured)
        return [each for each in self.every if each.name not in guests]

    @cached_property
    def every(self) -> list[Member]:
        """Its classes with queues, of their own or of another class."""
        given = {load.name: load for load in self.loads}
        sizes = {name: load.frames_bytes for name, load in given.items()}
        promised = {promise.name: promise for promise in promises(self.configured, sizes)}
        queues = {queue.name: queue for queue in self.port.queues}
        return [
            Member(
                name,
                of,
                queues[of.queue],
                promised[name],
                given.get(name),
                is_strict(self.port, queues[of.queue]),
                limit_in(self.port, queues[of.queue]),
            )
            for name, of in queued(self.configured).items()
        ]

    def in_queue_of(self, member: Member) -> list[Member]:
        """The classes that wait in the queue of a class, it among them."""
        return [each for each in self.every if each.of.queue == member.of.queue]

    def sent_bps(self, member: Member) -> float:
        """What is sent to the queue of a class by all that wait in it, without TCP [bit/s]."""
        return sum(each.load.rate_bps for each in self.in_queue_of(member) if each.load)

    @property
    def rest(self) -> Member | None:
        """The class of all traffic that no other class takes."""
        return next((member for member in self.members if member.takes_rest), None)

    @cached_property
    def groups(self) -> list[Group]:
        """Classes that share one shaper, or the port."""
        nodes = nodes_of(self.port)
        if not nodes:
            return [Group(self.capacity_bps, self.members)]
        tree = outline(self.port.queues, nodes)
        below = tree.each(self.port.queues)
        number = {name: at for at, name in enumerate(self.port.queue_names)}
        groups: dict[int, Group] = {}
        for member in self.members:
            at, shaper_at, most_bps = tree.parents[number[member.queue.name]], -1, []
            while at >= 0:
                if shaper := below[at].shaper:
                    shaper_at = at if shaper_at < 0 else shaper_at
                    most_bps.append(shaper.rate_bps)
                at = tree.parents[at]
            least_bps = min([self.capacity_bps, *most_bps])
            place = shaper_at if shaper_at >= 0 else len(below) - 1
            members = groups[place].members if place in groups else []
            groups[place] = Group(least_bps, [*members, member])
        return list(groups.values())

    def group_of(self, member: Member) -> Group:
        """The group of a class."""
        return next(group for group in self.groups if member in group.members)

    def in_groups(self) -> Iterable[tuple[Group, Member]]:
        """Each class with its group."""
        return ((group, member) for group in self.groups for member in group.members)

    def pauses(self, member: Member) -> bool:
        """Whether a class asks its senders to wait before its queue is full."""
        named = self.configuration.no_drop & {member.name, *member.of.marks}
        return bool(named) or member.of.setting(NO_DROP) is not None

    def unwritten(self, member: Member) -> bool:
        """Whether a class is what customers or VLANs of their own leave, and no line names it."""
        return not member.of.line and self.beside_parents(member)

    def beside_parents(self, member: Member) -> bool:
        """Whether a class stands beside classes with policies of their own."""
        classes = self.configured.classes
        return any(not of.queue and of.node == member.of.node for of in classes)

    @cached_property
    def parents(self) -> dict[str, ConfiguredClass]:
        """Node and class, of the classes with policies of their own."""
        return {f"class {of.name}": of for of in self.configured.classes if not of.queue}

    def class_name(self, of: ConfiguredClass) -> str:
        """The name of a class as its policy has it, without those above it."""
        header = self.configuration.class_lines.get(of.line)
        return header.name if header else of.name.rsplit("/", 1)[-1]

    def origin(self, member: Member, where: str) -> Origin | None:
        """Where a number of a class's queue comes from; of several parts, one that has a line."""
        origins = self.configured.origins_of(f"queues['{member.queue.name}'].{where}")
        return max(origins, key=lambda origin: bool(origin.line), default=None)

    def line(self, member: Member, where: str) -> int:
        """The line of a number of a class's queue: its own, that of the class, or of the port."""
        origin = self.origin(member, where)
        own = origin.line if origin else 0
        return own or self.class_line(member)

    def class_line(self, member: Member) -> int:
        """The line of a class, or of the port where no line names it."""
        return member.of.line or self.configured.line

    def by_default(self, member: Member, where: str) -> str:
        """Says that a number is a default, where it is one."""
        origin = self.origin(member, where)
        return f" (default {origin.default})" if origin and origin.default else ""
