"""Policers of the firewall, and the filters that send packets to them or into a class."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from qoslib.config.conditioners import Metered
from qoslib.config.junos.grammar import POLICER, TERM, THREE_COLOURS, fields_of
from qoslib.config.junos.paths import below, named
from qoslib.config.junos.words import MARK_OF_LOSS
from qoslib.config.lines import Line, shown
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value

__all__ = ["Meter", "Term", "catch_alls", "filters", "policers"]

#: Kind of a three-colour policer -> its numbers.
_NUMBERS = {"single-rate": ("cir", "cbs", "ebs"), "two-rate": ("cir", "cbs", "pir", "pbs")}


class Meter(NamedTuple):
    """A policer as configured, and whether colours come in."""

    police: Metered
    aware: bool = False


class Term(NamedTuple):
    """A term of a filter, with what it chooses.

    `of` is the class that it is about, `to` the one that it puts packets into, with a loss
    priority; `policer_line` is 0 without a policer.
    """

    name: str
    of: str
    to: str
    loss: str
    policer: str
    policer_line: int
    lines: tuple[Line, ...]


def policers(lines: Sequence[Line]) -> dict[str, Meter]:
    """Policers and three-colour policers by name.

    >>> says = [("if-exceeding", "bandwidth-limit", "10m"), ("then", "discard"),
    ...         ("if-exceeding", "burst-size-limit", "125k")]
    >>> found = policers([Line(1, "", ("policer", "P", *words)) for words in says])
    >>> found["P"].police.rate.value, found["P"].police.burst.value
    (10000000.0, 125000)
    """
    two = named(below(lines, "policer")).items()
    three = named(below(lines, "three-color-policer")).items()
    return {name: _two_colours(name, own) for name, own in two} | {
        name: _three_colours(name, own) for name, own in three
    }


def _two_colours(name: str, lines: list[Line]) -> Meter:
    fields = fields_of(lines, POLICER)
    for field, command in (("rate_bps", "bandwidth-limit"), ("burst_bytes", "burst-size-limit")):
        if field not in fields:
            raise ConfigurationError(f"the policer {shown(name)} has no {command}", lines[0].number)
    exceed = fields.get("discard") or fields.get("exceed") or Value("pass")
    rate, burst, actions = fields["rate_bps"], fields["burst_bytes"], {"exceed": exceed.value}
    return Meter(Metered(rate.line, rate, burst, actions=actions))


def _three_colours(name: str, lines: list[Line]) -> Meter:
    fields = fields_of(lines, THREE_COLOURS)
    kinds = [line.words[0] for line in lines if line.words and line.words[0] in _NUMBERS]
    numbers = _NUMBERS[kinds[-1]] if kinds else ("single-rate",)
    missing = [each for each in numbers if each not in fields]
    if missing:
        problem = f"the policer {shown(name)} has no {' and no '.join(missing)}"
        raise ConfigurationError(problem, lines[0].number)
    rate, burst, excess = (fields[each] for each in (*numbers[:2], numbers[-1]))
    peak = fields["pir"] if "pir" in numbers else None
    if peak and peak.value < rate.value:
        problem = "the peak rate is below the committed rate; allowed: from it on"
        raise ConfigurationError(problem, peak.line)
    violate = fields.get("violate", Value(MARK_OF_LOSS["high"])).value
    actions = {"exceed": MARK_OF_LOSS["medium-high"], "violate": violate}
    police = Metered(rate.line, rate, burst, peak, excess, actions)
    return Meter(police, fields.get("aware", Value(False)).value)


def filters(lines: Sequence[Line]) -> dict[str, tuple[Term, ...]]:
    """Filters by name, with those of their terms that choose a class or a policer.

    >>> words = ("family", "inet", "filter", "in", "term", "voice", "then", "policer", "P")
    >>> filters([Line(1, "", words)])["in"][0].policer
    'P'
    """
    every = below(lines, "filter")
    for own in named(below(lines, "family")).values():
        every += below(own, "filter")
    chosen = {
        name: tuple(
            term for of, inner in named(below(own, "term")).items() for term in _chosen(of, inner)
        )
        for name, own in named(every).items()
    }
    return {name: terms for name, terms in chosen.items() if terms}


def _chosen(name: str, lines: list[Line]) -> list[Term]:
    """A term, if it chooses something."""
    fields = fields_of(lines, TERM)
    if not fields:
        return []
    of = [line.words[0] for line in below(lines, "from", "forwarding-class")][:1]
    to, loss = (fields.get(field, Value("")).value for field in ("to", "loss"))
    policer = fields.get("policer", Value(""))
    term = Term(
        name, to or "".join(of), to, loss or "low", policer.value, policer.line, tuple(lines)
    )
    return [term]


def catch_alls(lines: Sequence[Line], names: Collection[str]) -> list[Line]:
    """The statements of each filter's first term that takes every packet: it has no `from`.

    >>> words = ("firewall", "filter", "in", "term")
    >>> says = [("voice", "from", "dscp", "ef"), ("voice", "then", "accept"), ("rest",)]
    >>> every = [Line(1, each[0], (*words, *each)) for each in says]
    >>> [each.text for each in catch_alls(every, ("in",))]
    ['rest']
    """
    terms: dict[tuple[str, ...], list[Line]] = {}
    for each in lines:
        words = each.words
        at = {"filter": 1, "family": 3}.get(words[1] if len(words) > 1 else "", 0)
        if not at or not each.active or words[0] != "firewall":
            continue
        if words[at : at + 1] == ("filter",) and words[at + 2 : at + 3] == ("term",):
            terms.setdefault(words[: at + 4], []).append(each)
    first: dict[tuple[str, ...], list[Line]] = {}
    for path, own in terms.items():
        rests = [each.words[len(path) :] for each in own]
        passes = any(rest[:1] == ("from",) or rest == ("then", "next", "term") for rest in rests)
        if path[-3] in names and not passes:
            first.setdefault(path[:-1], own)
    return [each for own in first.values() for each in own]
