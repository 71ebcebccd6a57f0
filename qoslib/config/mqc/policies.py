"""What a policy says, before a rate is known: classes of it, and what each is given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from qoslib.config.conditioners import Metered, Row
from qoslib.config.lines import Line
from qoslib.config.mqc.turns import Turns
from qoslib.config.provenance import Provenance
from qoslib.config.records import Statement
from qoslib.config.values import Value

__all__ = [
    "NETWORK",
    "PLAIN",
    "Early",
    "Interface",
    "Match",
    "Named",
    "Policies",
    "Policy",
    "PolicyClass",
    "Priority",
    "Selection",
    "Shape",
    "key_of",
    "plain",
    "whole_of",
]

#: The type of what the whole switch does with classes (NX-OS).
NETWORK = "network-qos"
#: What a class map or a policy is without a type.
PLAIN = "qos"


def plain(kind: str) -> str:
    """A type of class maps and policies, of several spellings one."""
    kind = kind.lower()
    if kind in ("queueing", "lan-queuing"):
        return "queuing"
    return kind if kind in ("queuing", NETWORK) else PLAIN


def key_of(known: Mapping[str, object], name: str, kind: str) -> str:
    """Where a class map or a policy of a type is kept: types have names of their own (NX-OS).

    >>> key_of({"ROCE": 1, "queuing ROCE": 2}, "ROCE", "queuing")
    'queuing ROCE'
    """
    key = f"{kind} {name}"
    return key if key in known else name


def whole_of(name: str) -> str:
    """The interface that a sub-interface, or another part of one, belongs to.

    >>> whole_of("TenGigE0/0/0/1.100"), whole_of("GigabitEthernet1 service instance 3")
    ('TenGigE0/0/0/1', 'GigabitEthernet1')
    """
    return name.split(" ")[0].split(".")[0]


@dataclass(frozen=True)
class Named:
    """A name, the line that uses it, and the type of what it names.

    `instance` is what several sub-interfaces share, queues and all (IOS XR).
    """

    name: str
    line: int
    kind: str = PLAIN
    instance: str = ""


@dataclass(frozen=True)
class Priority:
    """`priority`: its level from 1, and what polices it in congestion.

    `default` is the row of a policy that the platform has by itself.
    """

    line: int
    level: int = 1
    rate: Value | None = None
    burst: Value | None = None
    default: str = ""


@dataclass(frozen=True)
class Shape:
    """`shape average` or `shape peak`; `least` is what `shape min` guarantees (NX-OS)."""

    rate: Value
    burst: Value | None = None
    excess: Value | None = None
    peak: bool = False
    least: Value | None = None

    @property
    def line(self) -> int:
        """The line of its rate."""
        return self.rate.line


@dataclass
class Early:
    """`random-detect`: what it goes by, its rows and their lines, its weight, and ECN."""

    line: int
    by: str = "precedence"
    rows: dict[str, Row] = field(default_factory=dict)
    weight: Value | None = None
    ecn: bool = False
    instantaneous: bool = False


@dataclass
class PolicyClass:
    """A class of a policy.

    `fair` is a number of queues for flows, or a value of None, and `drop` the line of this command.
    """

    name: str
    line: int
    statements: list[Statement] = field(default_factory=list)
    child: Named | None = None
    priority: Priority | None = None
    bandwidth: Value | None = None
    remaining: Value | None = None
    shape: Shape | None = None
    police: Metered | None = None
    limit: Value | None = None
    limits: dict[str, Value] = field(default_factory=dict)
    buffers: Value | None = None
    early: Early | None = None
    fair: Value | None = None
    drop: int = 0
    groups: tuple[str, ...] = ()
    kind: str = PLAIN

    def copy(self) -> "PolicyClass":
        """The same, with a policer, rows of thresholds and limits of its own."""
        police, early = self.police, self.early
        return replace(
            self,
            police=police and replace(police, actions=dict(police.actions)),
            early=early and replace(early, rows=dict(early.rows)),
            limits=dict(self.limits),
        )


@dataclass
class Policy:
    """`policy-map`: its classes in their order."""

    name: str
    line: int
    classes: dict[str, PolicyClass] = field(default_factory=dict)
    kind: str = PLAIN


@dataclass(frozen=True)
class Match:
    """A `match`: what it compares, its values as marks, or the name of another class."""

    line: int = field(compare=False)
    marks: tuple[str, ...] = ()
    negated: bool = False
    nested: str = ""


@dataclass
class Selection:
    """`class-map`: who is in a class."""

    name: str
    line: int
    every: bool = True
    matches: list[Match] = field(default_factory=list)
    kind: str = PLAIN


@dataclass
class Interface:
    """An interface: its policies by direction, and what its lines say of its rate and memory.

    `earlier` are policies of a direction that stood there before the one in `policies`, and `turns`
    queues by number where all of them are known. `hidden` is whether something that no model has
    holds back what the interface sends.
    """

    name: str
    line: int
    policies: dict[str, Named] = field(default_factory=dict)
    earlier: dict[str, list[Named]] = field(default_factory=dict)
    bandwidth: Value | None = None
    speed: Value | None = None
    hold: dict[str, Value] = field(default_factory=dict)
    bundle: str = ""
    ring: Value | None = None
    turns: Turns | None = None
    hidden: bool = False


@dataclass
class Policies:
    """All of a text: what it defines, and what was said of its lines.

    `bare` are interfaces without a policy beside one of the whole switch (NX-OS), and `members`
    those of each bundle (IOS XR).
    `of_control_plane` are policies of what the router's own processor is sent and the lines that
    attach them, `of_groups` those of groups of tunnels or circuits, `marks` those of class maps as
    far as they are known, and `grouped` the marks that are put into a group. `softmax` is how much
    more than usual queues may borrow [%] (Catalyst).
    """

    selections: dict[str, Selection] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    interfaces: dict[str, Interface] = field(default_factory=dict)
    bare: dict[str, Interface] = field(default_factory=dict)
    members: dict[str, list[Interface]] = field(default_factory=dict)
    of_control_plane: dict[str, Line] = field(default_factory=dict)
    of_groups: dict[str, Line] = field(default_factory=dict)
    notes: Provenance = field(default_factory=Provenance)
    marks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    grouped: dict[str, tuple[str, ...]] | None = None
    softmax: Value | None = None

    @property
    def parts(self) -> Iterator[PolicyClass]:
        """The classes of all policies."""
        return (part for policy in self.policies.values() for part in policy.classes.values())

    def members_of(self, name: str) -> list[Interface]:
        """The members of the bundle that an interface is, or is a part of."""
        return self.members.get(whole_of(name).lower(), [])

    def policy(self, name: str, kind: str) -> Policy | None:
        """The policy of a name and a type."""
        return self.policies.get(key_of(self.policies, name, kind))
