"""Fixes in the words of Cisco's routers, each below the policy or the interface that it changes."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain, count, islice, takewhile
from math import ceil, floor
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.checks.fixes import LEAST_SHARE, Fixes, Rates, Rounded, Row, reserved_bps
from qoslib.checks.names import GROUPS
from qoslib.checks.police_lines import police_lines
from qoslib.checks.thresholds import command_of, lowered
from qoslib.config.code_points import read_word
from qoslib.config.guarantees import capacity_bps
from qoslib.config.records import ConfiguredClass, Setting
from qoslib.port import ByteLimit, PacketLimit, Red, TimeRedProfile
from qoslib.tolerances import ROUNDING

if TYPE_CHECKING:
    from qoslib.checks.checked_port import Group, Member

__all__ = ["MqcFixes", "XrFixes", "below_one", "code_points"]

#: A fix with more rows of thresholds is no fix to paste.
_MOST_ROWS = 6
#: So many characters of a name are shown and taken by every release.
_LONGEST_NAME = 40
_RATES = "bandwidth", "priority"


def below_one(fixes: Sequence[str]) -> str:
    """Fixes of classes of one policy below one header."""
    first, *others = [fix.split("\n") for fix in fixes] or [[]]
    more = [lines[1:] if lines[0] == first[0] else lines for lines in others]
    return "\n".join([*first, *(line for lines in more for line in lines)])


class MqcFixes(Fixes):
    """Fixes of IOS, IOS XE and IOS XR."""

    gives_rates = True

    def _in_class(self, of: ConfiguredClass, *commands: str) -> str:
        """Commands of a class, below its policy."""
        lines = [f"class {self.checked.class_name(of)}", *(f"  {each}" for each in commands)]
        if header := self._policy(of):
            return "\n".join([header, f" {lines[0]}", *lines[1:]])
        return "\n".join(lines)

    def _policy(self, of: ConfiguredClass) -> str:
        """The command that begins the policy of a class; empty where no text has it."""
        beside = (each for each in self.checked.configured.classes if each.node == of.node)
        lines = self.checked.configuration.class_lines
        said = (lines.get(each.line) for each in chain([of], beside))
        return next((each.parents[0] for each in said if each and each.parents), "")

    def _unused(self, name: str, kind: str, place: int = 0) -> str:
        """A name that no `class-map` or `policy-map` has, like the one wanted.

        Fixes that need such a name each take the one of their own place.
        """
        taken = {said.name for said in self.checked.configuration.by_verb.get(kind, ())}
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        return next(islice((each for each in names if each not in taken), place, None))

    def _own_name(self, name: str, beside: ConfiguredClass) -> str:
        """A name for what is taken out of a class, which no class of another policy shares.

        Class maps are common to all policies: two fixes with one name would match the marks of
        both.
        """
        ports = self.checked.configuration.ports
        several = len({each.policy for each in ports if each.direction == "out"}) > 1
        if not several or "the rest" in beside.marks:
            return name
        return f"{name}-{self.checked.class_name(beside)}"[:_LONGEST_NAME]

    def _place(self) -> int:
        """How many ports before this one may get a shaper above their policy as well."""
        before = takewhile(self.checked.configured.__ne__, self.checked.configuration.ports)
        ports = (each.port for each in before if each.direction == "out")
        return sum(port is not None and capacity_bps(port) == port.rate_bps for port in ports)

    @cached_property
    def _settings(self) -> list[Setting]:
        return [setting for member in self.checked.members for setting in member.of.settings]

    @cached_property
    def _in_percent(self) -> bool:
        return any(each.command in _RATES and each.unit == "%" for each in self._settings)

    @cached_property
    def _in_kilobits(self) -> bool:
        said = any(each.command in _RATES and each.rate_bps for each in self._settings)
        return said and not self._in_percent

    @cached_property
    def _by_traffic_class(self) -> bool:
        """Whether traffic classes lead to the queues: there only input is policed (NCS)."""
        return any("traffic-class" in said.words for said in self.checked.configuration.statements)

    def rounded_bps(self, wanted_bps: float, most_bps: float, rounded: Rounded) -> float:
        """A rate in whole kb/s or per cent, as the policy has them [bit/s]."""
        if not self._in_kilobits:
            return super().rounded_bps(wanted_bps, most_bps, rounded)
        kilobits = rounded(round(units.convert(wanted_bps, "bit/s", "kbit/s"), 3))
        return units.kbps(float(kilobits))

    def _bandwidth(self, rate_bps: float, most_bps: float) -> str:
        """The command of a rate that is rounded."""
        if self._in_kilobits:
            return f"bandwidth {units.convert(rate_bps, 'bit/s', 'kbit/s'):.0f}"
        return f"bandwidth percent {units.convert(rate_bps / most_bps, '1', '%'):.0f}"

    def port_rate(self, rate_bps: float) -> str:
        """The shaper of the only class that has one, or a policy above that of the interface."""
        checked, name = self.checked, self._unused("PARENT", "policy-map", self._place())
        shape = f"shape average {rate_bps:.0f}"
        if checked.shaped:
            shaped = [of for of in checked.configured.classes if of.setting("shape")]
            return self._in_class(shaped[0], shape) if len(shaped) == 1 else ""
        policy = checked.configured.policy
        lines = [f"policy-map {name}", " class class-default", f"  {shape}"]
        lines += [f"  service-policy {policy}"] if policy else []
        lines += [f"interface {checked.configured.interface}"]
        lines += [f" no service-policy output {policy}"] if policy else []
        return "\n".join([*lines, f" service-policy output {name}"])

    def guarantee(
        self, group: "Group", member: "Member", wanted_bps: float, least_bps: float = 0.0
    ) -> str | None:
        """`bandwidth` in a class, or its share of what priority leaves."""
        command = self._guarantee(group, member.name, wanted_bps, least_bps)
        return self._in_class(member.of, command) if command else None

    def _guarantee(
        self, group: "Group", name: str, wanted_bps: float, least_bps: float = 0.0
    ) -> str:
        settings = [setting for member in group.members for setting in member.of.settings]
        if any(setting.command == "bandwidth remaining" for setting in settings):
            return self._remaining(group, name, wanted_bps)
        own = (self.taken_bps(member) for member in group.members if member.name == name)
        had_bps = next(own, 0.0)
        allowed_bps = self.raised_bps(group, name, wanted_bps)
        rounded = ceil if allowed_bps == wanted_bps else floor
        rate_bps = self.rounded_bps(allowed_bps, group.most_bps, rounded)
        if rate_bps <= had_bps * (1 + ROUNDING) or rate_bps < least_bps * (1 - ROUNDING):
            self.raised.pop(name, None)
            return ""
        self.raised[name] = rate_bps
        return self._bandwidth(rate_bps, group.most_bps)

    def _remaining(self, group: "Group", name: str, wanted_bps: float) -> str:
        """Of a policy that shares what priority leaves, and which refuses `bandwidth` beside it."""
        members = group.members
        if any(member.of.setting("bandwidth") for member in members):
            return ""
        others = [each for each in members if not each.strict and each.name != name]
        limits_bps = (each.limit_bps or 0.0 for each in members if each.strict)
        left_bps = group.most_bps - sum(limits_bps)
        if not wanted_bps < left_bps:
            return ""
        shares = [each.of.setting("bandwidth remaining") for each in members]
        if any(share and share.unit == "%" for share in shares):
            given = (each.of.setting("bandwidth remaining") for each in others)
            listed = sum(share.value or 0.0 for share in given if share and share.unit == "%")
            percent = ceil(units.convert(wanted_bps / left_bps, "1", "%"))
            return f"bandwidth remaining percent {percent}" if percent + listed <= 100 else ""
        weights = sum(each.queue.weight for each in others)
        ratio = ceil(wanted_bps / (left_bps - wanted_bps) * weights)
        return f"bandwidth remaining ratio {max(ratio, 1)}"

    def guarantees(self, group: "Group", rates_bps: Rates) -> str:
        """`bandwidth` of several classes below their policy."""
        lines = []
        for member, rate_bps in rates_bps:
            rounded = ceil if rate_bps > reserved_bps(member) else floor
            rate_bps = self.rounded_bps(rate_bps, group.most_bps, rounded)
            lines.append(self._in_class(member.of, self._bandwidth(rate_bps, group.most_bps)))
        return below_one(lines)

    def limit(
        self, group: "Group", member: "Member", limit_bps: float, rounded: Rounded = floor
    ) -> str:
        """`priority` with a rate, or the policer beside it."""
        return self._in_class(
            member.of, *self._priority(limit_bps, group.most_bps, rounded, member.of)
        )

    def _priority(
        self, rate_bps: float, most_bps: float, rounded: Rounded, of: ConfiguredClass | None = None
    ) -> list[str]:
        percent = rounded(round(units.convert(rate_bps / most_bps, "1", "%"), 6))
        police = of.setting("police") if of else None
        if police and police.value is not None and of:
            # Beside `police` another rate of `priority` would change nothing.
            rate = f"percent {percent}" if police.unit == "%" else f"{rate_bps:.0f}"
            return police_lines(of.statements, rate)
        level = of.setting("priority") if of else None
        words = ["priority", level.sort if level else ""]
        words += [f"percent {percent}"] if self._in_percent else [f"{_kilobits(rate_bps)}"]
        return [" ".join(filter(None, words))]

    def first(self, group: "Group", member: "Member", limit_bps: float) -> str:
        """`priority` in place of `bandwidth`."""
        verbs = {said.verb: said.text for said in member.of.statements}
        instead = [f"no {verbs['bandwidth']}"] if "bandwidth" in verbs else []
        instead += ["no random-detect"] if "random-detect" in verbs else []
        return self._in_class(member.of, *instead, *self._first(group, limit_bps))

    def _first(self, group: "Group", limit_bps: float) -> list[str]:
        return [f"priority {_kilobits(limit_bps)}"]

    def queue(self, group: "Group", member: "Member", wanted_bps: float) -> str:
        """`bandwidth`, or `priority` for calls."""
        if "EF" not in member.of.marks:
            return self.guarantee(group, member, wanted_bps) or ""
        if self.raised_bps(group, member.name, wanted_bps) != wanted_bps:
            return ""
        return self._in_class(member.of, *self._priority(wanted_bps, group.most_bps, floor))

    def ratios_of(self, shares: Sequence[tuple[ConfiguredClass, int]]) -> str:
        """`bandwidth remaining ratio` in each class; that switches take it is not known."""
        if self.checked.manners.shared_buffers:
            return ""
        return below_one(
            [self._in_class(of, f"bandwidth remaining ratio {ratio}") for of, ratio in shares]
        )

    def rate(self, of: ConfiguredClass, setting: Setting, rate_bps: float) -> str:
        """The command with another rate: of `shape` in bit/s, of others in kb/s."""
        number = f"{rate_bps:.0f}" if setting.command == "shape" else _kilobits(rate_bps)
        return self._in_class(of, " ".join(filter(None, [setting.command, setting.sort, number])))

    def burst(self, member: "Member", burst_bytes: float) -> str:
        """`police`, or the `priority` that polices, with another burst."""
        policer, of = member.queue.policer, member.of
        rate_bps = policer.rate_bps if policer else 0.0
        lines = police_lines(of.statements, burst_bytes=burst_bytes, rate_bps=rate_bps)
        if policer and policer.when != "congested" and lines:
            return self._in_class(of, *lines)
        congested = policer is not None and policer.when == "congested"
        rate = f"priority {_kilobits(rate_bps)}" if congested else f"police {rate_bps:.0f}"
        said = of.setting("priority")
        if said and said.value and said.unit in ("%", "kbit/s"):
            unit = "percent" if said.unit == "%" else ""
            rate = " ".join(filter(None, ["priority", said.sort, unit, f"{said.value:g}"]))
        return self._in_class(of, f"{rate} {burst_bytes:.0f}")

    def shaper_burst(self, member: "Member", rate_bps: float, burst_bytes: int) -> str:
        """`shape` with what it sends at once, in bits."""
        return self._in_class(member.of, f"shape average {rate_bps:.0f} {units.bits(burst_bytes)}")

    def _queue_limit(self, member: "Member", time_s: float, size_bytes: float, packets: int) -> str:
        """`queue-limit`; thresholds of early detection have its unit, and must not lie above it."""
        if self.checked.manners.shared_buffers:
            return self._buffers(member, size_bytes)
        red = member.queue.dropper
        words, most = _in_unit(member, packets)
        rows = [command_of(*row) for row in lowered(red, most)] if isinstance(red, Red) else []
        default = self.checked.origin(member, "dropper.profile")
        if rows and self.checked.manners.thresholds_follow and default and default.default:
            # Thresholds that no line says follow the limit; those of lines have to be written anew.
            said = [each.words for each in member.of.statements]
            own = {each[2] for each in said if len(each) > 2 and each[0] == "random-detect"}
            rows = [row for row in rows if row.split()[2] in own]
        if len(rows) > _MOST_ROWS:
            return ""
        return self._in_class(member.of, f"queue-limit {words}", *rows)

    def _buffers(self, member: "Member", size_bytes: float) -> str:
        """A smaller `queue-buffers ratio`, where none of it goes to classes without one."""
        every = all("queue-buffers" in each.of.verbs for each in self.checked.members)
        said = [each.words for each in member.of.statements if each.words[0] == "queue-buffers"]
        limit = member.queue.limit
        if not every or not said or not isinstance(limit, ByteLimit):
            return ""
        ratio = int(float(said[-1][-1]) * size_bytes / limit.limit_bytes)
        return self._in_class(member.of, f"queue-buffers ratio {ratio}") if ratio else ""

    def early(
        self, member: "Member", rows: Sequence[Row], packets: float = 0.0, size_bytes: float = 0.0
    ) -> str:
        """Rows of `random-detect`, and `queue-limit`."""
        lines = [f"queue-limit {packets:.0f} packets"] if packets else []
        lines += [f"queue-limit {size_bytes:.0f} bytes"] if size_bytes else []
        lines += filter(None, (command_of(*row) for row in rows))
        return self._in_class(member.of, *lines) if lines else ""

    def removal(self, member: "Member", command: str) -> str:
        """`no` and the command."""
        return self._in_class(member.of, f"no {command}")

    def without_marks(self, of: ConfiguredClass, marks: set[str]) -> str:
        """Its class map without code points, or `no class` in its policy."""
        name = self.checked.class_name(of)
        if marks >= set(of.marks):
            header = self._policy(of)
            return f"{header}\n no class {name}" if header else ""
        header, lines = "", list[str]()
        for said in self.checked.configuration.by_verb.get("match", ()):
            above = said.parents[0] if said.parents else ""
            words = code_points(said.text)
            left = [word for word in words if read_word(word, "cisco") not in marks]
            of_class = above.lower().startswith("class-map ") and above.split()[-1] == name
            if of_class and len(left) < len(words):
                header = header or above
                lines += [f" no {said.text}"]
                lines += [f" match dscp {' '.join(left)}"] if left else []
        return "\n".join([header, *lines]) if lines else ""

    def own_class(
        self,
        group: "Group",
        beside: ConfiguredClass,
        name: str,
        marks: Sequence[str],
        rate_bps: float,
        without: set[str] | None = None,
    ) -> str:
        """A class map for code points, and its class in the policy of another class."""
        lines = [self.without_marks(beside, without)] if without else []
        own = self._unused(self._own_name(name, beside), "class-map")
        command = self._guarantee(group, own, rate_bps) if all(lines) else ""
        if not command:
            return ""
        lines += [f"class-map match-any {own}", f" match dscp {' '.join(marks).lower()}"]
        return "\n".join([*lines, self._policy(beside), f" class {own}", f"  {command}"])

    def control_class(self, group: "Group", rest: ConfiguredClass) -> str:
        """A class for CS6, where no group that was set on input chooses the class."""
        matches = self.checked.configuration.by_verb.get("match", ())
        if any(said.words[1:2] and said.words[1] in GROUPS for said in matches):
            return ""
        return self.own_class(group, rest, "CONTROL", ["CS6"], LEAST_SHARE * group.most_bps)

    def marked_calls(self) -> str:
        """A policy on the only other interface of the text."""
        configuration = self.checked.configuration
        others, headers = configuration.bare, configuration.headers.values()
        known = (port for port in configuration.ports if port.direction == "out")
        if len(others) != 1 or not any(port.interface in headers for port in known):
            return ""
        calls, policy = self._unused("CALLS", "class-map"), self._unused("MARK", "policy-map")
        lines = [f"class-map match-any {calls}", " match protocol rtp audio"]
        lines += [f"policy-map {policy}", f" class {calls}", "  set dscp ef"]
        return "\n".join([*lines, f"interface {min(others)}", f" service-policy input {policy}"])

    def to_output(self) -> str:
        """The policy of an interface in the other direction."""
        interface, policy = self.checked.configured.interface, self.checked.configured.policy
        ways = [f" no service-policy input {policy}", f" service-policy output {policy}"]
        return "\n".join([f"interface {interface}", *ways])


class XrFixes(MqcFixes):
    """Fixes of IOS XR, where a policer or a shaper stands beside `priority`, which has no rate."""

    def marked_calls(self) -> str:
        """Nothing: classes of IOS XR do not match applications, as calls are."""
        return ""

    def _priority(
        self, rate_bps: float, most_bps: float, rounded: Rounded, of: ConfiguredClass | None = None
    ) -> list[str]:
        percent = rounded(round(units.convert(rate_bps / most_bps, "1", "%"), 6))
        rate = f"percent {percent}" if percent else f"{_kilobits(rate_bps)} kbps"
        lines = police_lines(of.statements, rate) if of and not self._by_traffic_class else []
        verb = "shape average" if self._by_traffic_class else "police rate"
        lines = lines or [f"{verb} {rate}"]
        return lines if of and "priority" in of.verbs else ["priority level 1", *lines]

    def _first(self, group: "Group", limit_bps: float) -> list[str]:
        return self._priority(limit_bps, group.most_bps, floor)


def _kilobits(rate_bps: float) -> str:
    return f"{units.convert(rate_bps, 'bit/s', 'kbit/s'):.0f}"


def code_points(text: str) -> list[str]:
    """The words of a `match dscp`, in any of its forms; none of another match."""
    first, *rest = text.split()[1:]
    rest = rest if first.lower() in ("ip", "ipv4", "ipv6") else [first, *rest]
    if not rest or rest[0].lower() != "dscp":
        return []
    return rest[2:] if rest[1:] and rest[1].lower() in ("ipv4", "ipv6") else rest[1:]


def _in_unit(member: "Member", packets: int) -> tuple[str, float]:
    """So many full frames in the unit of the queue's limit, or of its thresholds."""
    red, size_bytes = member.queue.dropper, floor(packets * member.frame_bytes)
    if isinstance(red, Red) and isinstance(red.profile, TimeRedProfile):
        time_s = units.bits(size_bytes) / red.profile.rate_bps
        return f"{units.convert(time_s, 's', 'us'):.0f} us", time_s
    if isinstance(member.queue.limit, PacketLimit):
        return f"{packets} packets", packets
    return f"{size_bytes} bytes", size_bytes
