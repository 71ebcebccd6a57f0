"""What a configuration defines by name, and what it says, or facts say, of its interfaces."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from qoslib.config.facts import Facts
from qoslib.config.interfaces import speed_bps, type_rate_bps
from qoslib.config.junos.attachments import parted
from qoslib.config.junos.paths import below, named
from qoslib.config.junos.policers import Metered, Term
from qoslib.config.junos.provenance import Definitions, Entry
from qoslib.config.junos.references import NotDefinedError
from qoslib.config.junos.schedulers import Scheduler
from qoslib.config.junos.statements import Said
from qoslib.config.records import MissingFact, Origin
from qoslib.config.source import ConfigurationError

__all__ = ["Known", "Maps", "Rates", "maps_of", "rest_of"]

Maps = dict[str, list[Entry]]


class Known(NamedTuple):
    """All that the configuration defines by name.

    `firewall` has the names of all filters and policers, by kind; it is empty where the text has
    no firewall.
    """

    defined: Definitions
    schedulers: dict[str, Scheduler]
    maps: Maps
    classes: dict[str, tuple[int, int]]
    filters: dict[str, tuple[Term, ...]]
    meters: dict[str, Metered]
    said: Sequence[Said]
    firewall: Mapping[str, set[str]]


@dataclass
class Rates:
    """Line rates: a fact, what an interface says of its speed, or its type by its name.

    `pieces` are no interfaces, but what may stand on one.
    """

    said: Sequence[Said]
    facts: Facts
    pieces: Collection[str] = ()

    def __post_init__(self) -> None:
        self.lines: dict[str, int] = {}
        self.speeds: dict[str, tuple[str, int]] = {}
        # `speed` beside number-of-sub-ports is that of each sub-port.
        self.parted = parted(self.said)
        for each in below(self.said, "interfaces"):
            name, words = each.words[0], each.words[1:]
            self.lines.setdefault(name, each.line)
            if len(words) > 1 and words[-2] in ("speed", "link-speed") and "unit" not in words:
                self.speeds[name] = words[-1], each.line

    def of(self, interface: str, line: int) -> tuple[float, Origin] | MissingFact:
        """The line rate of an interface with its origin, or the question to ask."""
        name = interface.partition(".")[0]
        for each in (interface, name):
            fact = self.facts.name(each, "line_rate_bps")
            if fact:
                rate_bps = self.facts.number(each, "line_rate_bps") or 0.0
                if rate_bps <= 0:
                    raise ConfigurationError(f"the fact {fact} is 0; allowed: above 0")
                return rate_bps, Origin("rate_bps", fact=fact)
        above = name.rpartition(":")[0]
        own = name if name in self.speeds or above not in self.parted else above
        speed, speed_line = self.speeds.get(own, ("", 0))
        said_bps = speed_bps(speed, "junos")
        if said_bps is not None:
            return said_bps, Origin("rate_bps", speed_line)
        typed_bps = type_rate_bps(name, "junos") if interface not in self.pieces else None
        if typed_bps is not None:
            return typed_bps, Origin("rate_bps", self.lines.get(name, line), "junos.line_rate")
        what = "the members of" if name.startswith("ae") else "the line of"
        question = f"How fast, in all, is {what} {interface}?"
        if interface in self.pieces:
            question = f"No interface has {interface}; for which line rate shall it be checked?"
        return self.facts.missing(interface, "line_rate_bps", question, line)


def maps_of(
    cos: Sequence[Said], made: dict[str, Scheduler], classes: dict[str, tuple[int, int]]
) -> Maps:
    """Scheduler maps by name."""
    found: Maps = {}
    for name, own in named(below(cos, "scheduler-maps")).items():
        entries: dict[str, Entry] = {}
        for each in own:
            match each.words:
                case ("forwarding-class", of, "scheduler", scheduler):
                    if of not in classes:
                        raise NotDefinedError("class", of, each.line)
                    if made and scheduler not in made:
                        raise NotDefinedError("scheduler", scheduler, each.line)
                    entries[of] = Entry(of, classes[of][0], made.get(scheduler), each.line)
        found[name] = list(entries.values())
    return found


def rest_of(facts: Facts, interface: str) -> tuple[dict[str, Any], list[Origin]]:
    """What only facts say of a port, with their origins."""
    more: dict[str, Any] = {}
    for kind in ("overhead_bytes", "base_delay_s", "transmit_ring_packets"):
        value = facts.number(interface, kind)
        if value is not None:
            more[kind] = int(value) if kind.endswith("packets") else value
    return more, [Origin(kind, fact=facts.name(interface, kind)) for kind in more]
