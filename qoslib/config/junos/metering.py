"""Policers of an interface: ports of what comes in, and policers in front of queues going out."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from qoslib.config.junos.definitions import Definitions, Rates
from qoslib.config.junos.paths import below
from qoslib.config.junos.policers import Metered, Term
from qoslib.config.junos.references import (
    NoPortError,
    NotDefinedError,
    leave_out,
    no_port,
    statements_of,
)
from qoslib.config.junos.statements import shown
from qoslib.config.lines import Line
from qoslib.config.provenance import Provenance
from qoslib.config.records import ConfiguredClass, ConfiguredPort, MissingFact
from qoslib.config.sourced import Sourced, by_name, described, facts_of_port, in_packets, made
from qoslib.config.values import of_default
from qoslib.port import Classifier, Policer, Port, Queue, StrictPriority

__all__ = ["metered"]

Way = Literal["in", "out"]
_WAYS: dict[str, Way] = {"input": "in", "output": "out"}
_REST = "the rest"
#: What is not known of a packet behind a filter or a policer that the text does not hold.
_NOT_CHECKED = {
    "filter": "what it drops, polices or marks is not checked",
    "policer": "what it drops or marks is not checked",
}


class _Use(NamedTuple):
    """What is metered on a unit: a name, what belongs to it, its policer, and the statement."""

    name: str
    marks: tuple[str, ...]
    meter: str
    line: int
    of: str
    said: Line
    own: tuple[Line, ...] = ()


def metered(
    ports: Sequence[ConfiguredPort], known: Definitions, rates: Rates, notes: Provenance
) -> list[ConfiguredPort]:
    """The ports with their policers, and a port for each unit that meters what comes in."""
    _check_defined(known, notes)
    _note_levels(known, notes)
    queued = {port.interface: port for port in ports}
    more = []
    for (unit, direction), uses in _uses(known).items():
        for use in uses:
            if use.meter and use.meter not in known.meters:
                raise NotDefinedError("policer", use.meter, use.line)
        port, _, number = unit.rpartition(".")
        if direction == "out" and port in queued:
            for use in uses:
                queued[port] = _on_queue(queued[port], use, known, notes, number)
        elif any(use.meter for use in uses):
            try:
                more.append(_alone(unit, direction, uses, known, rates))
            except NoPortError as error:
                more.append(ConfiguredPort(unit, direction, None, line=uses[0].said.number))
                leave_out(notes, [uses[0].said], no_port(error))
    return [*queued.values(), *more]


def _uses(known: Definitions) -> dict[tuple[str, Way], list[_Use]]:
    """Unit and direction -> what is metered there."""
    uses: dict[tuple[str, Way], list[_Use]] = {}
    for line in below(known.lines, "interfaces"):
        match line.words:
            case (port, "unit", unit, "family", family, kind, way, name) if way in _WAYS:
                there = uses.get((f"{port}.{unit}", _WAYS[way]), [])
                if kind == "policer" and known.firewall:
                    own = f"{family} {name}"
                    use = _Use(own, (f"family {family}",), name, line.number, "", line)
                    there = [one for one in there if one.name != own] + [use]
                elif kind == "filter":
                    there = [*there, *_of_filter(name, family, line, known, there)]
                if there:
                    uses[f"{port}.{unit}", _WAYS[way]] = there
    return uses


def _of_filter(
    name: str, family: str, line: Line, known: Definitions, there: Sequence[_Use]
) -> Iterator[_Use]:
    """The terms of a filter that has a policer; with the family where another one has it too."""
    terms = [_of_term(name, term, line) for term in known.filters.get(name, ())]
    taken = {use.name for use in there}
    again = any(use.name in taken for use in terms)
    for use in terms if any(use.meter for use in terms) else ():
        if again:
            own = f"{family} {use.name}"
            use = use._replace(name=own, marks=(own,))
        if use.name not in taken:
            yield use


def _of_term(name: str, term: Term, line: Line) -> _Use:
    own, number = f"{name} {term.name}", term.policer_line or line.number
    return _Use(own, (own,), term.policer, number, term.of, line, term.lines)


def _check_defined(known: Definitions, notes: Provenance) -> None:
    """Refuse filters and policers of interfaces that the text does not hold, where it has others.

    A text without any is a piece.
    """
    for line in below(known.lines, "interfaces"):
        match line.words:
            case (_, "unit", _, "family", _, "filter" | "policer" as kind, way, name) if (
                way in _WAYS and name not in known.firewall.get(kind, ())
            ):
                if known.firewall:
                    raise NotDefinedError(kind, name, line.number)
                lost = f"The text does not hold this {kind}: {_NOT_CHECKED[kind]}."
                leave_out(notes, [line], lost)


def _note_levels(known: Definitions, notes: Provenance) -> None:
    """Note filters of interfaces with a term that polices by levels, which no model has."""
    levelled = set()
    for line in known.lines:
        words = line.words
        polices = "hierarchical-policer" in words or "enhanced-hierarchical-policer" in words
        if polices and words[0] == "firewall" and {"filter", "term", "then"} < {*words}:
            levelled.add(words[words.index("filter") + 1])
    for line in below(known.lines, "interfaces") if levelled else ():
        match line.words:
            case (_, "unit", _, "family", _, "filter", way, name) if (
                way in _WAYS and name in levelled
            ):
                lost = "This filter has a policer of several levels, which drops nothing here."
                leave_out(notes, [line], lost)


def _policer(meter: Metered, line_bps: float, known: Definitions) -> Sourced[Policer]:
    """A policer on a port."""
    policer = meter.of_port(line_bps)
    if not meter.aware:
        return policer
    colours = {"medium-low": "yellow", "medium-high": "yellow", "high": "red"}
    marked = [rule for rule in known.rules if rule.loss in colours]
    return policer.with_fields(colours=tuple((rule.mark, colours[rule.loss]) for rule in marked))


def _on_queue(
    of: ConfiguredPort, use: _Use, known: Definitions, notes: Provenance, unit: str
) -> ConfiguredPort:
    """A port whose queue, on the unit or below all, gets the policer of a term for its class."""
    if not use.meter:
        return of
    queues = {queue.name: queue for queue in of.port.queues} if of.port else {}
    own = f"unit {unit} {use.of}"
    name = own if own in queues else use.of
    queue = queues.get(name)
    if of.port is None or queue is None or queue.policer is not None:
        sentence = f"What leaves {of.interface} by this policer is of several queues, or of one"
        leave_out(notes, [use.said], f"{sentence} that has another policer: it is left out.")
        return of
    policer = _policer(known.meters[use.meter], of.port.rate_bps, known)
    every = {each: Sourced(own) for each, own in queues.items()}
    every[name] = every[name].with_fields(policer=policer)
    return described(of, Sourced(of.port).with_fields(queues=by_name(every.values())))


def _alone(
    unit: str, direction: Way, uses: Sequence[_Use], known: Definitions, rates: Rates
) -> ConfiguredPort:
    """A port that only meters: what it lets through does not wait."""
    first, line = uses[0], uses[0].said.number
    everything = len(uses) == 1 and not first.own
    classes, policy = tuple(_classes(uses, everything)), first.meter or first.name
    configured = ConfiguredPort(unit, direction, None, classes, policy=policy, line=line)
    rate = rates.of(unit, line)
    if isinstance(rate, MissingFact):
        return configured.replace(missing=(rate,))
    queues = by_name(_queues(uses, everything, rate.value, known))
    more: dict[str, object] = {**facts_of_port(rates.facts, unit, "transmit_ring_packets")}
    if not everything:
        rules = tuple((use.name, use.name) for use in uses)
        more |= {"scheduler": StrictPriority(), "classifier": Classifier(rules, _REST)}
    try:
        port = made(Port, name=unit, rate_bps=rate, queues=queues, **more)
    except ValueError as error:
        raise NoPortError(f"interface {shown(unit)}: {error}", line) from None
    return described(configured, port)


def _classes(uses: Sequence[_Use], everything: bool) -> Iterator[ConfiguredClass]:
    """A class of each policer, and one of what no policer takes."""
    for use in uses:
        own = statements_of(use.own or (use.said,))
        yield ConfiguredClass(use.name, use.name, use.marks, use.line, "", own)
    if not everything:
        yield ConfiguredClass(_REST, _REST, (_REST,))


def _queues(
    uses: Sequence[_Use], everything: bool, line_bps: float, known: Definitions
) -> Iterator[Sourced[Queue]]:
    """The queues of what is metered, which never fill."""
    length = of_default("junos.metered_queue")
    limit = in_packets(length.value, length)
    for use in uses:
        meter = known.meters[use.meter] if use.meter else None
        policer = _policer(meter, line_bps, known) if meter else None
        yield made(Queue, name=use.name, limit=limit, policer=policer)
    if not everything:
        yield made(Queue, name=_REST, limit=limit)
