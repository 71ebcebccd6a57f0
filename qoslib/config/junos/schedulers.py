"""Schedulers, traffic-control profiles and drop profiles, as they are configured."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from qoslib import units
from qoslib.config.junos.amounts import allowed_word, percent
from qoslib.config.junos.grammar import PROFILE, SCHEDULER, fields_of
from qoslib.config.junos.paths import below, named
from qoslib.config.junos.words import LOSS_PRIORITIES
from qoslib.config.lines import Line
from qoslib.config.records import Setting
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value

__all__ = ["Points", "Profile", "Scheduler", "drop_profiles", "profiles", "schedulers"]

#: Without a priority a queue is of the last.
_LOW = Value("low", default="junos.priority")


@dataclass
class Scheduler:
    """A scheduler as configured; None where it says nothing.

    Rates are in bit/s, shares or remainders; `buffer` may be a time. `exact` and `limited` are set
    where the transmit rate may not be exceeded, `profiles` has the drop profile of each loss
    priority.
    """

    line: int
    lines: tuple[Line, ...] = ()
    profiles: dict[str, tuple[str, Line]] = field(default_factory=dict)
    transmit: Value | None = None
    transmit_exact: Value | None = None
    transmit_limited: Value | None = None
    buffer: Value | None = None
    shaping: Value | None = None
    shaping_burst: Value | None = None
    excess: Value | None = None
    excess_priority: Value | None = None
    priority: Value = _LOW
    ecn: Value | None = None

    def first(self, command: str) -> Line:
        """Its first statement of a command."""
        return next(line for line in self.lines if line.words[:1] == (command,))

    def settings(self) -> tuple[Setting, ...]:
        """What it gives its class, for rules."""
        found = []
        transmit, buffer = self.transmit, self.buffer
        if transmit and transmit.unit == "bit/s":
            found.append(Setting("transmit-rate", transmit.value, "bit/s", transmit.line))
        elif transmit and transmit.unit == "1":
            percent = round(units.convert(transmit.value, "1", "%"), 9)
            found.append(Setting("transmit-rate", percent, "%", transmit.line))
        elif transmit:
            found.append(Setting("transmit-rate", line=transmit.line, sort=transmit.unit))
        if buffer and buffer.unit == "s":
            found.append(Setting("buffer-size", buffer.value, "s", buffer.line, "temporal"))
        return tuple(found)


@dataclass
class Profile:
    """A traffic-control profile as configured, or what a unit says of itself."""

    name: str
    line: int
    scheduler_map: Value | None = None
    shaping: Value | None = None
    shaping_burst: Value | None = None
    guaranteed: Value | None = None
    guaranteed_burst: Value | None = None
    excess: Value | None = None
    delay_buffer: Value | None = None


class Points(NamedTuple):
    """A drop profile: fill levels and probabilities, and whether lines join them."""

    points: tuple[tuple[float, float], ...]
    interpolated: bool
    line: int


def schedulers(lines: Sequence[Line]) -> dict[str, Scheduler]:
    """The schedulers of a configuration by name.

    >>> made = schedulers([Line(1, "", ("voice", "transmit-rate", "percent", "10"))])
    >>> made["voice"].transmit.value, made["voice"].transmit.unit
    (0.1, '1')
    """
    return {
        name: Scheduler(own[0].number, tuple(own), _profiles_of(own), **fields_of(own, SCHEDULER))
        for name, own in named(lines).items()
    }


def _profiles_of(lines: Sequence[Line]) -> dict[str, tuple[str, Line]]:
    """Loss priority -> the drop profile of a scheduler, and the statement that says so."""
    by_loss = {}
    for line in below(lines, "drop-profile-map"):
        match line.words:
            case ("loss-priority", loss, "protocol", protocol, "drop-profile", profile):
                allowed_word(loss, line.number, "the loss priority", ("any", *LOSS_PRIORITIES))
                if protocol in ("any", "tcp"):
                    by_loss[loss] = profile, line
    return by_loss


def profiles(lines: Sequence[Line]) -> dict[str, Profile]:
    """Traffic-control profiles by name; the same words of interfaces and units are read with it.

    >>> profiles([Line(1, "", ("site", "shaping-rate", "50m"))])["site"].shaping.value
    50000000.0
    """
    return {
        name: Profile(name, own[0].number, **fields_of(own, PROFILE))
        for name, own in named(lines).items()
    }


def drop_profiles(lines: Sequence[Line]) -> dict[str, Points]:
    """The drop profiles of a configuration by name.

    >>> words = ("early", "fill-level", "50", "drop-probability", "20")
    >>> drop_profiles([Line(1, "", words)])["early"].points
    ((0.5, 0.2),)
    """
    made = {name: _drop_profile(own) for name, own in named(lines).items()}
    return {name: profile for name, profile in made.items() if profile.points}


def _drop_profile(lines: Sequence[Line]) -> Points:
    pairs: dict[float, float] = {}
    levels: list[float] = []
    chances: list[float] = []
    for line in lines:
        match line.words:
            case ("fill-level", level, "drop-probability", chance):
                at = percent(level, line.number, "the fill level")
                pairs[at] = percent(chance, line.number)
            case ("interpolate", "fill-level", level):
                levels.append(percent(level, line.number, "the fill level"))
            case ("interpolate", "drop-probability", chance):
                chances.append(percent(chance, line.number, "the drop probability"))
    first = lines[0].number
    if len(levels) != len(chances):
        problem = f"{len(levels)} fill levels and {len(chances)} drop probabilities"
        raise ConfigurationError(f"{problem}; allowed: as many of both", first)
    points = tuple(zip(levels, chances, strict=True)) or tuple(sorted(pairs.items()))
    if levels and levels[-1] < 1:
        points = (*points, (1.0, 1.0))
    if [level for level, _ in points] != sorted({level for level, _ in points}):
        raise ConfigurationError("the fill levels; allowed: each above the one before", first)
    if [chance for _, chance in points] != sorted(chance for _, chance in points):
        raise ConfigurationError("the drop probabilities; allowed: none that falls", first)
    return Points(points, bool(levels), first)
