"""Traffic-control profiles, and rates with bursts as they are configured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from qoslib.config.junos.amounts import Rate, count, percent, rate_bps, size_bytes
from qoslib.config.junos.paths import named
from qoslib.config.junos.statements import Said
from qoslib.config.source import ConfigurationError

__all__ = ["Limit", "Profile", "excess_rate", "limit_of", "one_rate", "profiles"]

#: One proportion of `excess-rate proportion` is so much of the whole.
_PROPORTIONS = 1000


class Limit(NamedTuple):
    """A shaping rate and its burst, if one is configured [B], and the line of that."""

    rate: Rate
    burst_bytes: int | None
    line: int


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


def one_rate(said: Said, words: Sequence[str], what: str) -> Rate:
    """A rate, a percentage or a proportion."""
    if len(words) == 2 and words[0] == "percent":
        return Rate("share", percent(words[1], said.line, what), said.line)
    if len(words) == 2 and words[0] == "proportion":
        whole = count(words[1], said.line, what, _PROPORTIONS)
        return Rate("share", whole / _PROPORTIONS, said.line)
    if len(words) == 1:
        return Rate("rate", rate_bps(words[0], said.line, what), said.line)
    raise ConfigurationError(f"{what} is not understood; allowed: a rate, or percent", said.line)


def excess_rate(said: Said) -> Rate:
    """An excess rate, which is a percentage or a proportion."""
    rate = one_rate(said, said.words, "the excess rate")
    if rate.kind == "rate":
        raise ConfigurationError("the excess rate; allowed: percent or proportion", said.line)
    return rate


def limit_of(said: list[Said], what: str, before: Limit | None = None) -> Limit | None:
    """A rate with a burst, in one statement or in several; the last of each counts."""
    limit = before
    for each in said:
        words, burst_bytes = each.words, None
        if "burst-size" in words:
            at = words.index("burst-size")
            if len(words) != at + 2:
                raise ConfigurationError("burst-size is followed by one number", each.line)
            burst_bytes, words = size_bytes(words[at + 1], each.line), words[:at]
        rate = one_rate(each, words, what) if words else None
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


def profiles(said: Sequence[Said]) -> dict[str, Profile]:
    """Traffic-control profiles by name; the same words of interfaces and units are read with it.

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
        of.shaping = limit_of(by.get("shaping-rate", []), "the shaping rate")
        of.guaranteed = limit_of(by.get("guaranteed-rate", []), "the guaranteed rate")
        for each in by.get("excess-rate", ()):
            of.excess = excess_rate(each)
        for each in by.get("delay-buffer-rate", ()):
            of.delay_buffer = one_rate(each, each.words, "the delay-buffer rate")
        found[name] = of
    return found
