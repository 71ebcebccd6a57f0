"""Policers of the firewall, and the filters that send packets to them or into a class."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from qoslib.config.junos.amounts import percent, rate_bps, size_bytes
from qoslib.config.junos.paths import below, named
from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS
from qoslib.config.source import ConfigurationError
from qoslib.port import ExcessBurst, PeakRate, Policer

__all__ = ["Metered", "Term", "catch_alls", "filters", "policers"]


@dataclass
class Metered:
    """A policer as configured: `share` is of the port's rate; `aware` says if colours come in."""

    name: str
    made: Policer
    lines: dict[str, int]
    share: float | None = None
    aware: bool = False

    def of_port(self, line_bps: float) -> Policer:
        """The policer on a port of a rate."""
        return (
            self.made if self.share is None else self.made.replace(rate_bps=self.share * line_bps)
        )


class Term(NamedTuple):
    """A term of a filter, with what it chooses.

    `of` is the class that it is about, `to` the one that it puts packets into, with a loss
    priority.
    """

    name: str
    of: str
    to: str
    loss: str
    policer: str
    policer_line: int
    said: tuple[Said, ...]


def policers(said: Sequence[Said]) -> dict[str, Metered]:
    """Policers and three-colour policers by name.

    >>> lines = [("if-exceeding", "bandwidth-limit", "10m"), ("then", "discard"),
    ...          ("if-exceeding", "burst-size-limit", "125k")]
    >>> policers([Said(("policer", "P", *words), 1, "") for words in lines])["P"].made
    Policer(rate_bps=10000000.0, burst_bytes=125000)
    """
    found = {}
    for name, own in named(below(said, "policer")).items():
        found[name] = _two_colours(name, own)
    for name, own in named(below(said, "three-color-policer")).items():
        found[name] = _three_colours(name, own)
    return found


def _two_colours(name: str, said: list[Said]) -> Metered:
    line = said[0].line if said else 0
    rate, share, burst_bytes, exceed = 0.0, None, 0, "pass"
    lines = dict[str, int]()
    for each in said:
        match each.words:
            case ("if-exceeding", "bandwidth-limit", word):
                rate, share = rate_bps(word, each.line, "the bandwidth limit"), None
                lines["rate_bps"] = each.line
            case ("if-exceeding", "bandwidth-percent", word):
                share = percent(word, each.line, "the bandwidth percentage")
                lines["rate_bps"] = each.line
                if not share:
                    raise ConfigurationError("the bandwidth percentage is 0", each.line)
            case ("if-exceeding", "burst-size-limit", word):
                burst_bytes = size_bytes(word, each.line, "the burst size limit")
                lines["burst_bytes"] = each.line
            case ("then", "discard"):
                exceed = "drop"
            case ("then", "loss-priority", loss) if exceed != "drop":
                exceed = _mark(loss, each)
    if len(lines) < 2:
        missing = "burst-size-limit" if "rate_bps" in lines else "bandwidth-limit"
        raise ConfigurationError(f"the policer {shown(name)} has no {missing}", line)
    made = Policer(rate or 1.0, burst_bytes, exceed=exceed)
    return Metered(name, made, lines, share)


def _mark(loss: str, said: Said) -> str:
    if loss not in LOSS_PRIORITIES:
        allowed = ", ".join(LOSS_PRIORITIES)
        problem = f"the loss priority is {shown(loss)}; allowed: {allowed}"
        raise ConfigurationError(problem, said.line)
    return MARK_OF_LOSS[loss]


#: Word -> the name of its number.
_RATES = {"committed-information-rate": "cir", "peak-information-rate": "pir"}
_SIZES = {
    "committed-burst-size": "cbs",
    "excess-burst-size": "ebs",
    "peak-burst-size": "pbs",
}


def _three_colours(name: str, said: list[Said]) -> Metered:
    line = said[0].line if said else 0
    rates, sizes, lines = dict[str, float](), dict[str, int](), dict[str, int]()
    kind, aware, violate = "", False, MARK_OF_LOSS["high"]
    for each in said:
        match each.words:
            case ("single-rate" | "two-rate" as kind, "color-aware" | "color-blind" as how):
                aware = how == "color-aware"
            case ("single-rate" | "two-rate" as kind, word, value) if word in _RATES:
                rates[_RATES[word]] = rate_bps(value, each.line, word)
                lines[_RATES[word]] = each.line
            case ("single-rate" | "two-rate" as kind, word, value) if word in _SIZES:
                sizes[_SIZES[word]] = size_bytes(value, each.line, word)
                lines[_SIZES[word]] = each.line
            case ("action", "loss-priority", "high", "then", "discard"):
                violate = "drop"
    wanted = {"single-rate": ("cir", "cbs", "ebs"), "two-rate": ("cir", "cbs", "pir", "pbs")}
    missing = [each for each in wanted.get(kind, ("single-rate",)) if each not in lines]
    if missing:
        problem = f"the policer {shown(name)} has no {' and no '.join(missing)}"
        raise ConfigurationError(problem, line)
    excess: ExcessBurst | PeakRate
    if kind == "single-rate":
        excess = ExcessBurst(sizes["ebs"])
    elif rates["pir"] < rates["cir"]:
        problem = "the peak rate is below the committed rate; allowed: from it on"
        raise ConfigurationError(problem, lines["pir"])
    else:
        excess = PeakRate(rates["pir"], sizes["pbs"])
    made = Policer(
        rates["cir"],
        sizes["cbs"],
        excess=excess,
        exceed=MARK_OF_LOSS["medium-high"],
        violate=violate,
    )
    places = {"rate_bps": "cir", "burst_bytes": "cbs", "excess.rate_bps": "pir"}
    places["excess.burst_bytes"] = "ebs" if kind == "single-rate" else "pbs"
    where = {place: lines[each] for place, each in places.items() if each in lines}
    return Metered(name, made, where, None, aware)


def filters(said: Sequence[Said]) -> dict[str, tuple[Term, ...]]:
    """Filters by name, with those of their terms that choose a class or a policer.

    >>> words = ("family", "inet", "filter", "in", "term", "voice", "then", "policer", "P")
    >>> filters([Said(words, 1, "")])["in"][0].policer
    'P'
    """
    found: dict[str, tuple[Term, ...]] = {}
    every = below(said, "filter")
    for own in named(below(said, "family")).values():
        every += below(own, "filter")
    for name, lines in named(every).items():
        terms = []
        for term, own in named(below(lines, "term")).items():
            of = to = policer = ""
            loss = "low"
            line, chosen = 0, False
            for each in own:
                match each.words:
                    case ("then", "forwarding-class", word):
                        to, chosen = word, True
                    case ("from", "forwarding-class", word):
                        of = of or word
                    case ("then", "policer", word):
                        policer, line, chosen = word, each.line, True
                    case ("then", "three-color-policer", "single-rate" | "two-rate", word):
                        policer, line, chosen = word, each.line, True
                    case ("then", "loss-priority", word):
                        loss, chosen = word, True
            if chosen:
                terms.append(Term(term, to or of, to, loss, policer, line, tuple(own)))
        if terms:
            found[name] = tuple(terms)
    return found


def catch_alls(said: Sequence[Said], names: Collection[str]) -> list[Said]:
    """The statements of each filter's first term that takes every packet: it has no `from`.

    >>> words = ("firewall", "filter", "in", "term")
    >>> lines = [("voice", "from", "dscp", "ef"), ("voice", "then", "accept"), ("rest",)]
    >>> every = [Said((*words, *each), 1, each[0]) for each in lines]
    >>> [each.text for each in catch_alls(every, ("in",))]
    ['rest']
    """
    terms: dict[tuple[str, ...], list[Said]] = {}
    for each in said:
        words = each.words
        at = {"filter": 1, "family": 3}.get(words[1] if len(words) > 1 else "", 0)
        if not at or not each.active or words[0] != "firewall":
            continue
        if words[at : at + 1] == ("filter",) and words[at + 2 : at + 3] == ("term",):
            terms.setdefault(words[: at + 4], []).append(each)
    first: dict[tuple[str, ...], list[Said]] = {}
    for path, own in terms.items():
        rests = [each.words[len(path) :] for each in own]
        passes = any(rest[:1] == ("from",) or rest == ("then", "next", "term") for rest in rests)
        if path[-3] in names and not passes:
            first.setdefault(path[:-1], own)
    return [each for own in first.values() for each in own]
