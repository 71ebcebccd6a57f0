"""What a rule is, what it finds, and what it looks at."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import ceil
from typing import Literal, NamedTuple

from qoslib import units
from qoslib.checks.loads import Load
from qoslib.checks.policed import police_lines
from qoslib.checks.promises import Promise, hosts, promises, queued
from qoslib.config.facts import Facts
from qoslib.config.guarantees import capacity_bps, is_strict, limit_in, nodes_of
from qoslib.config.junos.platforms import as_mx, is_switch
from qoslib.config.junos.words import PRIORITIES
from qoslib.config.records import Configuration, ConfiguredClass, ConfiguredPort, Origin
from qoslib.port import Port, Queue
from qoslib.port.nodes import outline
from qoslib.record import Count, Record, record

__all__ = ["SEVERITIES", "Case", "Finding", "Found", "Member", "Rule", "Severity", "rule"]

_KILOBITS = re.compile(r"(?:bandwidth|priority) \d")
_PERCENT = re.compile(r"(?:bandwidth|priority) (?:level \d )?percent ")
#: A limit of priority, without its burst.
_LIMIT = re.compile(r"(priority (?:level \d )?(?:percent )?\d+)(?: \d+)?")
_POLICED = re.compile(r"police (?:cir |rate )?(percent )?\d")
_LEVEL = re.compile(r"priority (level \d ?)")
_ENTRY = re.compile(r"scheduler-maps (\S+) forwarding-class (\S+) scheduler (\S+)")
_MAPPED = re.compile(r"class-of-service interfaces (\S+) (?:.* )?scheduler-map (\S+)")
Severity = Literal["error", "warning", "info"]
#: The worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@record
class Finding(Record):
    """One thing that is wrong with a configuration, or worth a look.

    Parameters
    ----------
    id : str
        Of the rule, as ``# qoslib: ignore`` names it.
    severity : {'error', 'warning', 'info'}
        An error loses packets that the configuration promises to carry, or leaves a command
        without its effect; a warning does so under some traffic; an info is worth knowing.
    line : int
        From 1; 0 where no line says it.
    sentence : str
        What is wrong.
    arithmetic : str
        With the configuration's own numbers.
    reference : str
        Where it is written.
    fix : str
        Lines of configuration; empty where the rule knows none in this dialect.
    interface : str
        With its direction; empty of the file as a whole.
    model : str
        Which model says so: ``"fluid"``, ``"packets"``, or empty for arithmetic alone.
    """

    id: str
    severity: Severity
    line: Count
    sentence: str
    arithmetic: str = ""
    reference: str = ""
    fix: str = ""
    interface: str = ""
    model: str = ""


class Found(NamedTuple):
    """What a rule yields; a severity only where it is not the rule's own."""

    line: int
    sentence: str
    arithmetic: str = ""
    fix: str = ""
    severity: Severity | None = None


class Member(NamedTuple):
    """A class of a port with its queue, its promise and its load, if one is known."""

    name: str
    of: ConfiguredClass
    queue: Queue
    promise: Promise
    load: Load | None
    strict: bool
    limit_bps: float | None


@dataclass(frozen=True)
class Case:
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
        known = {each.name: each.frames_bytes for each in self.loads}
        given = {each.name: each for each in self.loads}
        promised = {each.name: each for each in promises(self.configured, known)}
        queues = {queue.name: queue for queue in self.port.queues}
        return [
            Member(
                name,
                each,
                queues[each.queue],
                promised[name],
                given.get(name),
                is_strict(self.port, queues[each.queue]),
                limit_in(self.port, queues[each.queue]),
            )
            for name, each in queued(self.configured).items()
        ]

    @cached_property
    def groups(self) -> list[tuple[float, list[Member]]]:
        """Classes that share one shaper, or the port, and what that sends at most [bit/s]."""
        nodes = nodes_of(self.port)
        if not nodes:
            return [(self.capacity_bps, self.members)]
        tree = outline(self.port.queues, nodes)
        each = tree.each(self.port.queues)
        number = {name: at for at, name in enumerate(self.port.queue_names)}
        found: dict[int, list[Member]] = {}
        rates_bps: dict[int, float] = {}
        for member in self.members:
            at = tree.parents[number[member.queue.name]]
            rates, group = [self.capacity_bps], len(each) - 1
            while at >= 0:
                if shaper := each[at].shaper:
                    group = at if len(rates) == 1 else group
                    rates.append(shaper.rate_bps)
                at = tree.parents[at]
            found.setdefault(group, []).append(member)
            rates_bps[group] = min(rates)
        return [(rates_bps[group], members) for group, members in found.items()]

    def unwritten(self, member: Member) -> bool:
        """Whether a class is what customers or VLANs of their own leave, and no line names it."""
        return not member.of.line and self.beside_parents(member)

    def beside_parents(self, member: Member) -> bool:
        """Whether a class stands beside classes with policies of their own."""
        return any(
            not each.queue and each.node == member.of.node for each in self.configured.classes
        )

    def origin(self, member: Member, where: str) -> Origin | None:
        """Where a number of a class's queue comes from; of several parts, one that has a line."""
        found = self.configured.origins_of(f"queues['{member.queue.name}'].{where}")
        return max(found, key=lambda each: bool(each.line), default=None)

    def line(self, member: Member, where: str) -> int:
        """The line of a number of a class's queue: its own, that of the class, or of the port."""
        origin = self.origin(member, where)
        own = origin.line if origin else 0
        return own or member.of.line or self.configured.line

    def by_default(self, member: Member, where: str) -> str:
        """Says that a number is a default, where it is one."""
        origin = self.origin(member, where)
        return f" (default {origin.default})" if origin and origin.default else ""

    @cached_property
    def raised(self) -> dict[str, float]:
        """What fixes give to classes [bit/s]; each fix of a guarantee takes note of its own."""
        return {}

    @cached_property
    def ratios(self) -> dict[str, float]:
        """What a fix makes of the weights of classes."""
        return {}

    def bandwidth(
        self, wanted_bps: float, most_bps: float, rounded: Callable[[float], int] = ceil
    ) -> tuple[float, str]:
        """A guarantee [bit/s] and its command, in kb/s or per cent as the policy has it."""
        if self._in_kilobits and not self._in_percent:
            kilobits = rounded(round(units.convert(wanted_bps, "bit/s", "kbit/s"), 3))
            return units.convert(kilobits, "kbit/s", "bit/s"), f"bandwidth {kilobits}"
        percent = rounded(round(units.convert(wanted_bps / most_bps, "1", "%"), 6))
        return units.convert(percent, "%", "1") * most_bps, f"bandwidth percent {percent}"

    def priority(
        self,
        wanted_bps: float,
        most_bps: float,
        rounded: Callable[[float], int],
        of: ConfiguredClass | None = None,
    ) -> str:
        """The command of a limit of priority, in kb/s or per cent as the policy has it.

        IOS XR takes no rate behind `priority`, and keeps the level that the class has there.
        Where traffic classes lead to the queues (NCS 540 and 5500), only input is policed.
        """
        said = of.statements if of else ()
        if self.configuration.dialect == "ios-xr":
            percent = rounded(round(units.convert(wanted_bps / most_bps, "1", "%"), 6))
            kilobits = f"{units.convert(wanted_bps, 'bit/s', 'kbit/s'):.0f} kbps"
            verb = "shape average" if self._by_traffic_class else "police rate"
            rate = f"percent {percent}" if percent else kilobits
            lines = [] if self._by_traffic_class else police_lines(said, rate)
            lines = lines or [f"{verb} {rate}"]
            first = any(each.text.startswith("priority") for each in said)
            return "\n  ".join(lines if first else ["priority level 1", *lines])
        texts = [each.text for each in said]
        percent = rounded(round(units.convert(wanted_bps / most_bps, "1", "%"), 6))
        policed = next((found for each in texts if (found := _POLICED.match(each))), None)
        if policed:
            # Beside `police` another rate of `priority` would change nothing.
            rate = f"percent {percent}" if policed[1] else f"{wanted_bps:.0f}"
            return "\n  ".join(police_lines(said, rate))
        level = next((found[1] for each in texts if (found := _LEVEL.match(each))), "")
        if self._in_percent:
            return f"priority {level}percent {percent}"
        return f"priority {level}{units.convert(wanted_bps, 'bit/s', 'kbit/s'):.0f}"

    def transmit_rate(
        self, member: Member, wanted_bps: float, most_bps: float, rounded: Callable[[float], int]
    ) -> str:
        """The rate of a class's scheduler (Junos), in per cent unless its text has it in bit/s.

        Per cent fit all interfaces that share it; below a guaranteed rate they would be of that.
        """
        if self.configuration.dialect != "junos":
            return ""
        said = f"schedulers {self.scheduler_of(member)} transmit-rate "
        in_bits = any(text.partition(said)[2][:1].isdigit() for text in self._whole)
        in_bits |= any(node.guaranteed_bps for node in nodes_of(self.port))
        percent = rounded(round(units.convert(wanted_bps / most_bps, "1", "%"), 6))
        unit = f"{wanted_bps:.0f}" if in_bits or not percent else f"percent {percent}"
        return f"set class-of-service schedulers {member.name} transmit-rate {unit}"

    @property
    def strict_alone(self) -> bool:
        """Whether strict queues have shapers, and transmit rates are of the others (ACX7000)."""
        levels = getattr(self.port.scheduler, "strict_levels", 0)
        return self.configuration.dialect == "junos" and levels >= len(PRIORITIES) - 1

    def limit(
        self, member: Member, wanted_bps: float, most_bps: float, rounded: Callable[[float], int]
    ) -> str:
        """The limit of a class that is served first (Junos)."""
        said = self.transmit_rate(member, wanted_bps, most_bps, rounded)
        if self.strict_alone or is_switch(self.configuration):
            return said.replace(" transmit-rate ", " shaping-rate ")
        return f"{said} rate-limit" if said and not as_mx(self.configuration) else ""

    def police(self, member: Member, burst_bytes: float) -> str:
        """The command that limits a class (IOS), with another burst [B]."""
        policer, statements = member.queue.policer, member.of.statements
        rate_bps = policer.rate_bps if policer else 0.0
        lines = police_lines(statements, burst_bytes=burst_bytes, rate_bps=rate_bps)
        if policer and policer.when != "congested" and lines:
            return "\n  ".join(lines)
        said = [found[1] for each in statements if (found := _LIMIT.fullmatch(each.text))]
        if said:
            return f"{said[-1]} {burst_bytes:.0f}"
        if policer and policer.when == "congested":
            return f"priority {units.convert(rate_bps, 'bit/s', 'kbit/s'):.0f} {burst_bytes:.0f}"
        return f"police {rate_bps:.0f} {burst_bytes:.0f}"

    @property
    def _by_traffic_class(self) -> bool:
        return any("traffic-class" in each.text for each in self.configuration.statements)

    @cached_property
    def _in_kilobits(self) -> bool:
        return any(map(_KILOBITS.match, self._said))

    @cached_property
    def _in_percent(self) -> bool:
        return any(map(_PERCENT.match, self._said))

    @property
    def _said(self) -> list[str]:
        return [each.text for member in self.members for each in member.of.statements]

    def fix(self, *, mqc: str = "", junos: str = "", tc: str = "") -> str:
        """The one for this dialect, to be pasted; empty where it is not known.

        What begins with a class stands below its policy, and a scheduler that is called as a class
        is that of the class.
        """
        dialect = self.configuration.dialect
        if dialect.startswith("ios"):
            return self._below_policy(mqc)
        return {"junos": self._of_scheduler(junos), "tc": tc}.get(dialect, "")

    def _below_policy(self, fix: str) -> str:
        header, *commands = fix.split("\n")
        name = header.removeprefix("class ")
        of = next((each.of for each in self.every if each.name == name), None)
        if of is None or name == header:
            return fix
        return self.in_class(of, *(each.strip() for each in commands))

    def in_class(self, of: ConfiguredClass, *commands: str) -> str:
        """Commands of a class (IOS), below its policy."""
        lines = [f"class {self.class_name(of)}", *(f"  {each}" for each in commands)]
        if header := self.policy_line(of):
            return "\n".join([header, f" {lines[0]}", *lines[1:]])
        return "\n".join(lines)

    def class_name(self, of: ConfiguredClass) -> str:
        """The name of a class as its policy has it, without those above it."""
        said = self.configuration.class_lines.get(of.line)
        return said.text.split()[-1] if said else of.name.rsplit("/", 1)[-1]

    def policy_line(self, of: ConfiguredClass) -> str:
        """The command that begins the policy of a class; empty where no text has it."""
        beside = (each for each in self.configured.classes if each.node == of.node)
        said = (self.configuration.class_lines.get(each.line) for each in chain([of], beside))
        return next((each.parents[0] for each in said if each and each.parents), "")

    def _of_scheduler(self, fix: str) -> str:
        """With the scheduler of each class that a line names; empty where one has none."""
        lines = []
        for line in fix.split("\n"):
            words = [f"class-of-service schedulers {each.name} " for each in self.every]
            at = next((i for i, word in enumerate(words) if word in line), None)
            if at is None:
                lines.append(line)
            elif found := self.scheduler_of(self.every[at]):
                lines.append(line.replace(words[at], f"class-of-service schedulers {found} "))
            else:
                return ""
        return "\n".join(lines)

    def scheduler_of(self, member: Member) -> str:
        """The scheduler of a class (Junos), by the map of its interface if it has several."""
        maps, name = self._scheduled, member.queue.name.rsplit(" ", 1)[-1]
        interface = re.split(r"[. ]", self.configured.interface)[0]
        here = {of for where, of in self._maps if where == interface}
        own = [(of not in here, used) for of, each, used in maps if each == name]
        return min(own, default=(True, ""))[1]

    @cached_property
    def _scheduled(self) -> list[tuple[str, str, str]]:
        """Map, class and scheduler of each entry of a scheduler map."""
        return [said.groups() for text in self._whole if (said := _ENTRY.search(text))]  # type: ignore[misc]

    @cached_property
    def _maps(self) -> list[tuple[str, str]]:
        """Interface and scheduler map."""
        return [said.groups() for text in self._whole if (said := _MAPPED.search(text))]  # type: ignore[misc]

    @cached_property
    def _whole(self) -> list[str]:
        """Each statement with those above it, and those that are listed as they stand."""
        said = [(each.parents, each.text) for each in self.configuration.statements]
        said += [((), each.text) for each in self.configuration.remarks]
        return [" ".join([*parents, text]).rstrip(";") for parents, text in said]


@dataclass(frozen=True)
class Rule:
    """A rule by its id.

    Attributes
    ----------
    id : str
    severity : str
        Of its findings, where they do not say another.
    reference : str
    find : callable
        Of a `Case`, or of a `Configuration` where `whole`; yields `Found`.
    whole : bool
        Whether it looks at the file, not at each of its ports.
    inward : bool
        Whether it looks at what comes in as well.
    """

    id: str
    severity: Severity
    reference: str
    find: Callable[..., Iterator[Found]]
    whole: bool = False
    inward: bool = False

    @property
    def what(self) -> str:
        """What it looks for, in one sentence."""
        return (self.find.__doc__ or "").strip().splitlines()[0]


Find = Callable[..., Iterator[Found]]


def rule(
    id: str,
    severity: Severity,
    reference: str,
    *,
    whole: bool = False,
    inward: bool = False,
) -> Callable[[Find], Rule]:
    """Make a rule of a function."""
    return lambda find: Rule(id, severity, reference, find, whole, inward)
