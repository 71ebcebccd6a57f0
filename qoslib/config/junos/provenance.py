"""What is known while a port is made, and what is noted: origins, questions, what is lost."""

from dataclasses import dataclass, field
from typing import NamedTuple

from qoslib.config.defaults import default, defaults
from qoslib.config.facts import Facts
from qoslib.config.junos.classes import Rule
from qoslib.config.junos.schedulers import Scheduler
from qoslib.config.junos.statements import Said
from qoslib.config.junos.words import PRIORITIES
from qoslib.config.records import MissingFact, Origin

__all__ = ["Definitions", "Entry", "Notes", "Points", "Site", "row_of", "value_of"]


class Points(NamedTuple):
    """A drop profile: fill levels and probabilities, and whether lines join them."""

    points: tuple[tuple[float, float], ...]
    interpolated: bool
    line: int


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


@dataclass
class Definitions:
    """What the configuration defines by name, and the facts.

    Of a device that is an `other` one than an MX no default is known.
    """

    facts: Facts
    drop_profiles: dict[str, Points]
    rules: list[Rule]
    numbers: dict[str, int]
    acx7000: bool = False
    other: bool = False


@dataclass
class Notes:
    """What is noted while a port is made."""

    interface: str
    words: tuple[str, ...] = PRIORITIES[1:]
    strict: tuple[str, ...] = PRIORITIES[1:2]
    acx7000: bool = False
    line_bps: float = 1.0
    origins: list[Origin] = field(default_factory=list)
    missing: list[MissingFact] = field(default_factory=list)
    lost: list[tuple[Said, str]] = field(default_factory=list)

    def says(self, where: str, line: int = 0, default: str = "", fact: str = "") -> None:
        """Note where the number at a place of the port comes from."""
        self.origins.append(Origin(where, line, default, fact))

    def lose(self, said: Said | None, sentence: str) -> None:
        """Note what the port does not say of a statement."""
        if said is not None:
            self.lost.append((said, sentence))

    def ask(self, facts: Facts, kind: str, question: str, line: int) -> None:
        """Note a fact that is missing, once."""
        fact = facts.missing(self.interface, kind, question, line)
        if fact.name not in [each.name for each in self.missing]:
            self.missing.append(fact)


def row_of(platform: str, name: str) -> str:
    """The platform's own row of a default, or else that of Junos."""
    own = f"{platform}.{name}"
    return own if own in defaults() else f"junos.{name}"


def value_of(row: str) -> float:
    """The number of a default."""
    value = default(row).value
    return 0.0 if value is None else value
