"""What a configuration defines by name, and what it says, or facts say, of its interfaces."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from qoslib.config.defaults import defaults
from qoslib.config.facts import Facts, rate_question
from qoslib.config.interfaces import speed_bps, type_rate_bps
from qoslib.config.junos.amounts import of_bps
from qoslib.config.junos.attachments import Interface, parted
from qoslib.config.junos.classes import Rule
from qoslib.config.junos.paths import below, named
from qoslib.config.junos.policers import Meter, Term
from qoslib.config.junos.references import NotDefinedError
from qoslib.config.junos.schedulers import Points, Profile, Scheduler
from qoslib.config.junos.words import PRIORITIES
from qoslib.config.lines import Line
from qoslib.config.provenance import Provenance
from qoslib.config.records import MissingFact
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value, of_default, of_fact

__all__ = ["Definitions", "Draft", "Entry", "Rates", "Site", "maps_of", "row_of"]


#: The line rate of a port that may not be made, as it has to be asked.
_STAND_IN = Value(1.0, "bit/s")


class Entry(NamedTuple):
    """A queue to be: its class, its number, its scheduler if it has one, and its line."""

    of: str
    number: int
    scheduler: Scheduler | None
    line: int


class Site(NamedTuple):
    """Where a map of schedulers hangs, and what its shares are of.

    `whole_bps` is what transmit rates are shares of, `ceiling_bps` the most the queues get
    together, `buffer_bps` the rate that a delay buffer is counted at. Where nothing is `promised`,
    transmit rates are weights alone.
    """

    prefix: str
    node: str
    entries: tuple[Entry, ...]
    whole_bps: float
    ceiling_bps: float
    buffer_bps: float
    tree: bool
    promised: bool = True


class Definitions(NamedTuple):
    """All that the configuration defines by name.

    `classes` has the number of each class's queue; `firewall` the names of all filters and
    policers, by kind, and is empty where the text has no firewall. Of a device that is an `other`
    one than an MX no default is known. `refused` are statements that a device does not take.
    """

    lines: Sequence[Line]
    facts: Facts
    classes: dict[str, Value]
    rules: list[Rule]
    schedulers: dict[str, Scheduler]
    maps: dict[str, list[Entry]]
    drop_profiles: dict[str, Points]
    profiles: dict[str, Profile]
    filters: dict[str, tuple[Term, ...]]
    meters: dict[str, Meter]
    firewall: Mapping[str, set[str]]
    acx7000: bool = False
    other: bool = False
    refused: Sequence[Line] = ()

    def number(self, of: str) -> int:
        """The number of a class's queue."""
        return int(self.classes[of].value)

    def lines_at(self, number: int) -> list[Line]:
        """The statement of a line, if there is one."""
        return [line for line in self.lines if line.number == number and line.text][:1]

    def rules_of(self, entry: Entry) -> list[Rule]:
        """The rules that lead to a queue."""
        return [rule for rule in self.rules if self.number(rule.of) == entry.number]


@dataclass
class Draft:
    """A port while it is made: its device and its line rate, its priorities, and what is lost.

    Of the priorities in `words`, from the first served to the last, those in `strict` are served
    before any guarantee.
    """

    interface: Interface
    known: Definitions
    rate: Value = _STAND_IN
    words: tuple[str, ...] = PRIORITIES[1:]
    strict: tuple[str, ...] = PRIORITIES[1:2]
    notes: Provenance = field(default_factory=Provenance)

    @property
    def line_bps(self) -> float:
        """The line rate [bit/s]; a stand-in where it has to be asked."""
        return float(self.rate.value)

    @property
    def most_bps(self) -> float:
        """What the interface lets through [bit/s]: its shaping rate, or its line rate."""
        shaping = self.interface.own.shaping
        return of_bps(shaping, self.line_bps) if shaping else self.line_bps

    @property
    def platform(self) -> str:
        """The reader's word for the device; empty where there is none."""
        return self.known.facts.text(self.interface.name, "platform")

    def default(self, name: str) -> Value:
        """The platform's own default, or else that of Junos."""
        return of_default(row_of(self.platform, name))

    def fact(self, kind: str) -> Value | None:
        """A fact of the reader; None where it is not given."""
        return of_fact(self.known.facts, self.interface.name, kind)

    def ask(self, kind: str, question: str, line: int) -> None:
        """Ask for a fact that is missing."""
        self.notes.ask(self.known.facts, self.interface.name, kind, question, line)


def row_of(platform: str, name: str) -> str:
    """The platform's own row of a default, or else that of Junos."""
    own = f"{platform}.{name}"
    return own if own in defaults() else f"junos.{name}"


@dataclass
class Rates:
    """Line rates: a fact, what an interface says of its speed, or its type by its name.

    `pieces` are no interfaces, but what may stand on one.
    """

    lines: Sequence[Line]
    facts: Facts
    pieces: Collection[str] = ()

    def __post_init__(self) -> None:
        self.named_at: dict[str, int] = {}
        self.speeds: dict[str, Value] = {}
        # `speed` beside number-of-sub-ports is that of each sub-port.
        self.parted = parted(self.lines)
        for line in below(self.lines, "interfaces"):
            name, *words = line.words
            self.named_at.setdefault(name, line.number)
            if len(words) > 1 and words[-2] in ("speed", "link-speed") and "unit" not in words:
                self.speeds[name] = Value(words[-1], line=line.number)

    def of(self, interface: str, line: int) -> Value | MissingFact:
        """The line rate of an interface, or the question to ask."""
        name = interface.partition(".")[0]
        for each in (interface, name):
            fact = self.facts.name(each, "line_rate_bps")
            if fact:
                rate_bps = self.facts.number(each, "line_rate_bps") or 0.0
                if rate_bps <= 0:
                    raise ConfigurationError(f"the fact {fact} is 0; allowed: above 0")
                return Value(rate_bps, "bit/s", fact=fact)
        above = name.rpartition(":")[0]
        own = name if name in self.speeds or above not in self.parted else above
        speed = self.speeds.get(own, Value(""))
        said_bps = speed_bps(speed.value, "junos")
        if said_bps is not None:
            return Value(said_bps, "bit/s", speed.line)
        typed_bps = type_rate_bps(name, "junos") if interface not in self.pieces else None
        if typed_bps is not None:
            return Value(typed_bps, "bit/s", self.named_at.get(name, line), "junos.line_rate")
        what = "total rate of the members" if name.startswith("ae") else "line rate"
        question = f"What is the {what} of {interface}?"
        if interface in self.pieces:
            question = rate_question(interface, interface)
        return self.facts.missing(interface, "line_rate_bps", question, line)


def maps_of(
    lines: Sequence[Line], schedulers: dict[str, Scheduler], classes: dict[str, Value]
) -> dict[str, list[Entry]]:
    """Scheduler maps by name."""
    maps = {}
    for name, own in named(below(lines, "scheduler-maps")).items():
        entries: dict[str, Entry] = {}
        for line in own:
            match line.words:
                case ("forwarding-class", of, "scheduler", scheduler):
                    if of not in classes:
                        raise NotDefinedError("class", of, line.number)
                    if schedulers and scheduler not in schedulers:
                        raise NotDefinedError("scheduler", scheduler, line.number)
                    number, made = classes[of].value, schedulers.get(scheduler)
                    entries[of] = Entry(of, number, made, line.number)
        maps[name] = list(entries.values())
    return maps
