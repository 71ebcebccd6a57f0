"""Schedulers, drop profiles and traffic-control profiles, as they are configured."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from qoslib.config.junos.amounts import Rate, count, percent, rate_bps, size_bytes, temporal_s
from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import LOSS_PRIORITIES, PRIORITIES
from qoslib.config.text import ConfigurationError

__all__ = ["Buffer", "Limit", "Points", "Profile", "Scheduler", "below", "named"]

Grouped = dict[str, list[Said]]
#: One proportion of `excess-rate proportion` is so much of the whole.
_PROPORTIONS = 1000


def below(said: Sequence[Said], *words: str) -> list[Said]:
    """The active statements below some words, without these.

    Parameters
    ----------
    said : sequence of Said
    *words : str
        They begin with these.

    Returns
    -------
    list of Said
        With at least one word left.
    """
    depth = len(words)
    return [
        each._replace(words=each.words[depth:])
        for each in said
        if each.active and each.words[:depth] == words and len(each.words) > depth
    ]


def named(said: Sequence[Said]) -> Grouped:
    """Statements by their first word, without it.

    Parameters
    ----------
    said : sequence of Said

    Returns
    -------
    dict of str to list of Said
        In the order in which the words first stand there.
    """
    found: Grouped = {}
    for each in said:
        if each.words:
            found.setdefault(each.words[0], []).append(each._replace(words=each.words[1:]))
    return found


class Limit(NamedTuple):
    """A shaping rate and its burst, if one is configured [B], and the line of that."""

    rate: Rate
    burst_bytes: int | None
    line: int


class Buffer(NamedTuple):
    """A buffer size: ``"share"``, ``"temporal"`` [s], ``"remainder"`` or ``"shared"``."""

    kind: str
    value: float
    line: int


class Points(NamedTuple):
    """A drop profile: fill levels and probabilities, and whether lines join them."""

    points: tuple[tuple[float, float], ...]
    interpolated: bool
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


@dataclass
class Profile:
    """A traffic-control profile as configured, or what a unit says of itself."""

    name: str
    line: int
    scheduler_map: tuple[str, int] | None = None
    shaping: Limit | None = None
    guaranteed: Limit | None = None
    excess: Rate | None = None
    delay_buffer: Rate | None = None


def _one_rate(said: Said, words: Sequence[str], what: str) -> Rate:
    if len(words) == 2 and words[0] == "percent":
        return Rate("share", percent(words[1], said.line, what), said.line)
    if len(words) == 2 and words[0] == "proportion":
        whole = count(words[1], said.line, what, _PROPORTIONS)
        return Rate("share", whole / _PROPORTIONS, said.line)
    if len(words) == 1:
        return Rate("rate", rate_bps(words[0], said.line, what), said.line)
    raise ConfigurationError(f"{what} is not understood; allowed: a rate, or percent", said.line)


def _excess(said: Said) -> Rate:
    rate = _one_rate(said, said.words, "the excess rate")
    if rate.kind == "rate":
        raise ConfigurationError("the excess rate; allowed: percent or proportion", said.line)
    return rate


def _limit(said: list[Said], what: str, before: Limit | None = None) -> Limit | None:
    """A rate with a burst, in one statement or in several; the last of each counts."""
    limit = before
    for each in said:
        words, burst_bytes = each.words, None
        if "burst-size" in words:
            at = words.index("burst-size")
            if len(words) != at + 2:
                raise ConfigurationError("burst-size is followed by one number", each.line)
            burst_bytes, words = size_bytes(words[at + 1], each.line), words[:at]
        rate = _one_rate(each, words, what) if words else None
        if rate is None and limit is None:
            raise ConfigurationError(f"{what} is not given, only its burst", each.line)
        rate = rate or (limit.rate if limit else None)
        if rate is None or rate.value <= 0:
            raise ConfigurationError(f"{what} is 0; allowed: above 0", each.line)
        if burst_bytes is None:
            burst_bytes, line = (limit.burst_bytes, limit.line) if limit else (None, 0)
        else:
            line = each.line
        limit = Limit(rate, burst_bytes, line)
    return limit


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
            of.transmit = _one_rate(each, words, "the transmit rate")


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
            case []:
                continue
            case _:
                allowed = "percent, temporal, remainder or shared"
                raise ConfigurationError(f"the buffer size; allowed: {allowed}", each.line)


def _word(said: Said, allowed: Sequence[str], what: str) -> str:
    if len(said.words) != 1 or said.words[0] not in allowed:
        given = shown(" ".join(said.words))
        raise ConfigurationError(f"{what} is {given}; allowed: {', '.join(allowed)}", said.line)
    return said.words[0]


def schedulers(said: Sequence[Said]) -> dict[str, Scheduler]:
    """The schedulers of a configuration by name.

    Parameters
    ----------
    said : sequence of Said
        Below `class-of-service schedulers`.

    Returns
    -------
    dict of str to Scheduler

    Raises
    ------
    ConfigurationError
        If a number or a word of one is not allowed.

    Examples
    --------
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
        of.shaping = _limit(by.get("shaping-rate", []), "the shaping rate")
        for each in by.get("priority", ()):
            of.priority = _word(each, PRIORITIES, "the priority")
            of.priority_line = each.line
        for each in by.get("excess-priority", ()):
            word = _word(each, (*PRIORITIES[2:], "none"), "the excess priority")
            of.excess_priority, of.excess_line = (None if word == "none" else word), each.line
        for each in by.get("excess-rate", ()):
            of.excess = _excess(each)
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


def drop_profiles(said: Sequence[Said]) -> dict[str, Points]:
    """The drop profiles of a configuration by name.

    Parameters
    ----------
    said : sequence of Said
        Below `class-of-service drop-profiles`.

    Returns
    -------
    dict of str to Points
        An interpolated one goes on to (1, 1), as Junos draws it.

    Raises
    ------
    ConfigurationError
        If levels and probabilities are not pairs, or do not rise.

    Examples
    --------
    >>> words = ("early", "fill-level", "50", "drop-probability", "20")
    >>> drop_profiles([Said(words, 1, "")])["early"].points
    ((0.5, 0.2),)
    """
    found = {}
    for name, own in named(said).items():
        line = own[0].line
        pairs: dict[float, float] = {}
        levels: list[float] = []
        chances: list[float] = []
        for each in own:
            match each.words:
                case ("fill-level", level, "drop-probability", chance):
                    pairs[percent(level, each.line, "the fill level")] = percent(chance, each.line)
                case ("interpolate", "fill-level", level):
                    levels.append(percent(level, each.line, "the fill level"))
                case ("interpolate", "drop-probability", chance):
                    chances.append(percent(chance, each.line, "the drop probability"))
        if len(levels) != len(chances):
            problem = f"{len(levels)} fill levels and {len(chances)} drop probabilities"
            raise ConfigurationError(f"{problem}; allowed: as many of both", line)
        points = tuple(zip(levels, chances, strict=True)) or tuple(sorted(pairs.items()))
        if levels and levels[-1] < 1:
            points = (*points, (1.0, 1.0))
        chances = [chance for _, chance in points]
        if [level for level, _ in points] != sorted({level for level, _ in points}):
            raise ConfigurationError("the fill levels; allowed: each above the one before", line)
        if chances != sorted(chances):
            raise ConfigurationError("the drop probabilities; allowed: none that falls", line)
        if points:
            found[name] = Points(points, bool(levels), line)
    return found


def profiles(said: Sequence[Said]) -> dict[str, Profile]:
    """Traffic-control profiles by name; the same words of interfaces and units are read with it.

    Parameters
    ----------
    said : sequence of Said
        Below `class-of-service traffic-control-profiles`.

    Returns
    -------
    dict of str to Profile

    Raises
    ------
    ConfigurationError
        If a number of one is not allowed.

    Examples
    --------
    >>> profiles([Said(("site", "shaping-rate", "50m"), 1, "")])["site"].shaping.rate.value
    50000000.0
    """
    found = {}
    for name, own in named(said).items():
        of = Profile(name, own[0].line)
        by = named(own)
        for each in by.get("scheduler-map", ()):
            if len(each.words) == 1:
                of.scheduler_map = each.words[0], each.line
        of.shaping = _limit(by.get("shaping-rate", []), "the shaping rate")
        of.guaranteed = _limit(by.get("guaranteed-rate", []), "the guaranteed rate")
        for each in by.get("excess-rate", ()):
            of.excess = _excess(each)
        for each in by.get("delay-buffer-rate", ()):
            of.delay_buffer = _one_rate(each, each.words, "the delay-buffer rate")
        found[name] = of
    return found
