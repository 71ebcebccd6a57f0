"""Fixes in the words of Junos, as `set` commands: a class is changed by its scheduler."""

from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.checks.fixes import Fixes, Rates, Rounded, reserved_bps
from qoslib.checks.names import captured
from qoslib.config.guarantees import nodes_of
from qoslib.config.junos.platforms import as_mx, is_switch
from qoslib.config.junos.words import PRIORITIES
from qoslib.config.records import ConfiguredClass
from qoslib.port import ByteLimit, SchedulerTree, TimeLimit
from qoslib.tolerances import ROUNDING

if TYPE_CHECKING:
    from qoslib.checks.checked_port import Group, Member

__all__ = ["JunosFixes"]

#: Classes of routing protocols.
_CONTROL = {"network-control", "nc"}
_SET = "set class-of-service"


class JunosFixes(Fixes):
    """Fixes of Junos."""

    gives_rates = True

    @property
    def strict_alone(self) -> bool:
        """Whether strict queues have shapers, and transmit rates are of the others (ACX7000)."""
        levels = getattr(self.checked.port.scheduler, "strict_levels", 0)
        return bool(levels >= len(PRIORITIES) - 1)

    @cached_property
    def _lines(self) -> list[list[str]]:
        """The words of each statement with those above it, and of those that have a remark."""
        return [said.whole.split() for said in self.checked.configuration.every]

    @cached_property
    def _schedulers(self) -> list[tuple[str, ...]]:
        """Map, class and scheduler of each entry of a scheduler map."""
        entry = "scheduler-maps", "*", "forwarding-class", "*", "scheduler", "*"
        return [names for words in self._lines for names in captured(words, *entry)]

    @cached_property
    def _maps(self) -> set[str]:
        """The scheduler maps of the interface of this port."""
        interface = self.checked.configured.interface.replace(".", " ").split(" ")[0]
        found: set[str] = set()
        for words in self._lines:
            here = any(captured(words, "class-of-service", "interfaces", interface))
            found.update(name for (name,) in captured(words, "scheduler-map", "*") if here)
        return found

    def _of_scheduler(self, member: "Member", command: str) -> str:
        """A command of the scheduler of a class: of the map of its interface, if it has several."""
        name = member.queue.name.rsplit(" ", 1)[-1]
        own = [(of not in self._maps, used) for of, each, used in self._schedulers if each == name]
        scheduler = min(own, default=(True, ""))[1]
        return f"{_SET} schedulers {scheduler} {command}" if scheduler else ""

    def _transmit_rate(
        self, member: "Member", wanted_bps: float, most_bps: float, rounded: Rounded
    ) -> str:
        """A rate in per cent unless the text has it in bit/s.

        Per cent fit all interfaces that share it; below a guaranteed rate they would be of that.
        """
        guaranteed = any(node.guaranteed_bps for node in nodes_of(self.checked.port))
        return self._rate(member, wanted_bps, most_bps, rounded, absolute=guaranteed)

    def _rate(
        self,
        member: "Member",
        wanted_bps: float,
        most_bps: float,
        rounded: Rounded,
        absolute: bool = False,
    ) -> str:
        """A rate in per cent unless the text has that of the class in bit/s."""
        said = member.of.setting("transmit-rate")
        percent = rounded(round(units.convert(wanted_bps / most_bps, "1", "%"), 6))
        if absolute or not percent or (said and said.rate_bps):
            return f"{rounded(round(wanted_bps, 3))}"
        return f"percent {percent}"

    def port_rate(self, rate_bps: float) -> str:
        """`shaping-rate` of the interface."""
        interface = self.checked.configured.interface
        return f"{_SET} interfaces {interface} shaping-rate {rate_bps:.0f}"

    def guarantee(
        self, group: "Group", member: "Member", wanted_bps: float, least_bps: float = 0.0
    ) -> str | None:
        """`transmit-rate` in whole per cent."""
        allowed_bps = self.raised_bps(group, member.name, wanted_bps)
        percent = floor(units.convert(allowed_bps / group.most_bps, "1", "%") + ROUNDING)
        if percent <= units.convert(reserved_bps(member) / group.most_bps, "1", "%"):
            return None
        return self._of_scheduler(member, f"transmit-rate percent {percent}")

    def guarantees(self, group: "Group", rates_bps: Rates) -> str:
        """`transmit-rate` of several schedulers; an empty text if one of them is not known."""
        lines = []
        for member, rate_bps in rates_bps:
            rounded = ceil if rate_bps > reserved_bps(member) else floor
            rate = self._transmit_rate(member, rate_bps, group.most_bps, rounded)
            lines.append(self._of_scheduler(member, f"transmit-rate {rate}"))
        return "\n".join(lines) if all(lines) else ""

    def limit(
        self, group: "Group", member: "Member", limit_bps: float, rounded: Rounded = floor
    ) -> str:
        """`rate-limit` behind the rate; some devices limit by a `shaping-rate`."""
        if self.strict_alone or is_switch(self.checked.configuration):
            # Per cent of `shaping-rate` are of the shaper above, whatever is guaranteed there.
            rate = self._rate(member, limit_bps, group.most_bps, rounded)
            return self._of_scheduler(member, f"shaping-rate {rate}")
        rate = self._transmit_rate(member, limit_bps, group.most_bps, rounded)
        if as_mx(self.checked.configuration):
            return ""
        return self._of_scheduler(member, f"transmit-rate {rate} rate-limit")

    def first(self, group: "Group", member: "Member", limit_bps: float) -> str:
        """`strict-high`."""
        return self._of_scheduler(member, "priority strict-high")

    def burst(self, member: "Member", burst_bytes: float) -> str:
        """`burst-size-limit` of the policer that a class has."""
        line = self.checked.line(member, "policer.burst_bytes")
        for said in self.checked.configuration.statements:
            if said.line == line and "firewall" in (words := said.whole.split()):
                names = [name for (name,) in captured(words, "policer", "*")]
                if names:
                    limit = f"if-exceeding burst-size-limit {burst_bytes:.0f}"
                    return f"set firewall policer {names[-1]} {limit}"
        return ""

    def _queue_limit(self, member: "Member", time_s: float, size_bytes: float, packets: int) -> str:
        """`buffer-size temporal`."""
        temporal = f"{units.convert(self._temporal_s(member, time_s), 's', 'us'):.0f}"
        return (
            self._of_scheduler(member, f"buffer-size temporal {temporal}") if int(temporal) else ""
        )

    def _temporal_s(self, member: "Member", time_s: float) -> float:
        """The time of `buffer-size temporal` for a queue that lasts so long at its served rate [s].

        Below a profile the rate that it is counted at is not the port's: it follows from a time
        that is configured, and is not known where none is, so that it is 0.
        """
        checked, limit, served_bps = self.checked, member.queue.limit, member.promise.served_bps
        if isinstance(limit, ByteLimit) and isinstance(checked.port.scheduler, SchedulerTree):
            said = member.of.setting("buffer-size")
            had_s = said.value if said and said.line == checked.line(member, "limit") else 0.0
            return (had_s or 0.0) * units.octets(time_s * served_bps) / limit.limit_bytes
        if checked.facts.text(checked.configured.interface, "platform") == "m120":
            return time_s
        rate_bps = checked.capacity_bps
        if isinstance(limit, TimeLimit):
            guaranteed_bps = member.queue.guaranteed_bps or served_bps
            rate_bps = {"served": served_bps, "guaranteed": guaranteed_bps}.get(limit.at, rate_bps)
        return time_s * served_bps / rate_bps

    def control_class(self, group: "Group", rest: ConfiguredClass) -> str:
        """CS6 for the class of network control, by the classifier of DSCPs."""
        classes = self.checked.configured.classes
        control = [of.name for of in classes if of.name.lower() in _CONTROL]
        lines = (said.whole.split() for said in self.checked.configuration.statements)
        which = "class-of-service", "classifiers", "dscp", "*"
        names = {name for words in lines for (name,) in captured(words, *which)}
        if len(control) != 1 or len(names) != 1:
            return ""
        return (
            f"{_SET} classifiers dscp {names.pop()} forwarding-class {control[0]}"
            " loss-priority low code-points cs6"
        )
