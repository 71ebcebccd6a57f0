"""Schedulers, as they are configured."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple

from qoslib.config.junos.amounts import Rate, percent, temporal_s
from qoslib.config.junos.paths import named
from qoslib.config.junos.profiles import Limit, excess_rate, limit_of, one_rate
from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import ALL_PRIORITIES, LOSS_PRIORITIES, PRIORITIES
from qoslib.config.source import ConfigurationError

__all__ = ["Buffer", "Scheduler", "schedulers"]


class Buffer(NamedTuple):
    """A buffer size: ``"share"``, ``"temporal"`` [s], ``"remainder"`` or ``"shared"``."""

    kind: str
    value: float
    line: int


@dataclass
class Scheduler:
    """A scheduler as configured; None where it says nothing."""

    name: str
    line: int
    transmit: Rate | None = None
    exact_line: int = 0
    limited_line: int = 0
    buffer: Buffer | None = None
    shaping: Limit | None = None
    excess: Rate | None = None
    excess_priority: str | None = None
    excess_line: int = 0
    priority: str = "low"
    priority_line: int = 0
    ecn_line: int = 0
    profiles: dict[str, tuple[str, Said]] = field(default_factory=dict)
    said: tuple[Said, ...] = ()


def _transmit(of: Scheduler, said: Sequence[Said]) -> None:
    for each in said:
        words = list(each.words)
        for flag in ("exact", "rate-limit"):
            if flag in words:
                words.remove(flag)
                if flag == "exact":
                    of.exact_line = each.line
                else:
                    of.limited_line = each.line
        if not words:
            continue
        if words[0] == "remainder":
            left = percent(words[1], each.line) if len(words) == 2 else 0.0
            if len(words) > 2:
                raise ConfigurationError("remainder is followed by one percentage", each.line)
            of.transmit = Rate("remainder", left, each.line)
        else:
            of.transmit = one_rate(each, words, "the transmit rate")


def _buffer(of: Scheduler, said: Sequence[Said]) -> None:
    for each in said:
        words = [word for word in each.words if word != "exact"]
        match words:
            case ["percent", value]:
                share = percent(value, each.line, "the buffer size")
                of.buffer = Buffer("share", share, each.line)
            case ["temporal", value]:
                of.buffer = Buffer("temporal", temporal_s(value, each.line), each.line)
            case ["remainder"]:
                of.buffer = Buffer("remainder", 0.0, each.line)
            case ["remainder", value]:
                of.buffer = Buffer("remainder", percent(value, each.line), each.line)
            case ["shared"]:
                of.buffer = Buffer("shared", 1.0, each.line)
            case [] | ["buffer-partition", *_]:
                continue
            case _:
                allowed = "percent, temporal, remainder or shared"
                raise ConfigurationError(f"the buffer size; allowed: {allowed}", each.line)


def _word(said: Said, allowed: Sequence[str], what: str) -> str:
    if len(said.words) != 1 or said.words[0] not in allowed:
        given = " ".join(said.words)
        near = get_close_matches(given, allowed, 1)
        meant = f", did you mean {shown(near[0])}?" if near else ""
        problem = f"{what} is {shown(given)}{meant}; allowed: {', '.join(allowed)}"
        raise ConfigurationError(problem, said.line)
    return said.words[0]


def schedulers(said: Sequence[Said]) -> dict[str, Scheduler]:
    """The schedulers of a configuration by name.

    >>> made = schedulers([Said(("voice", "transmit-rate", "percent", "10"), 1, "")])
    >>> made["voice"].transmit
    Rate(kind='share', value=0.1, line=1)
    """
    found = {}
    for name, own in named(said).items():
        of = Scheduler(name, own[0].line, said=tuple(own))
        by = named(own)
        _transmit(of, by.get("transmit-rate", ()))
        _buffer(of, by.get("buffer-size", ()))
        of.shaping = limit_of(by.get("shaping-rate", []), "the shaping rate")
        for each in by.get("priority", ()):
            of.priority = _word(each, ALL_PRIORITIES, "the priority")
            of.priority_line = each.line
        for each in by.get("excess-priority", ()):
            word = _word(each, (*PRIORITIES[2:], "none"), "the excess priority")
            of.excess_priority, of.excess_line = (None if word == "none" else word), each.line
        for each in by.get("excess-rate", ()):
            of.excess = excess_rate(each)
        for each in by.get("explicit-congestion-notification", ()):
            of.ecn_line = each.line
        for each in by.get("drop-profile-map", ()):
            _map(of, each)
        found[name] = of
    return found


def _map(of: Scheduler, said: Said) -> None:
    match said.words:
        case ("loss-priority", loss, "protocol", protocol, "drop-profile", profile):
            allowed = ("any", *LOSS_PRIORITIES)
            if loss not in allowed:
                problem = f"the loss priority is {shown(loss)}; allowed: {', '.join(allowed)}"
                raise ConfigurationError(problem, said.line)
            if protocol in ("any", "tcp"):
                of.profiles[loss] = profile, said
        case _:
            return
