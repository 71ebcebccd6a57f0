"""Policers of an interface: ports of what comes in, and policers in front of queues going out."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from qoslib.config.conditioners import policer_of
from qoslib.config.junos.definitions import Definitions, Rates
from qoslib.config.junos.paths import below
from qoslib.config.junos.policers import Term
from qoslib.config.junos.references import (
    NoPortError,
    NotDefinedError,
    leave_out,
    no_port,
    statements_of,
)
from qoslib.config.lines import Line, shown
from qoslib.config.provenance import Provenance
from qoslib.config.records import ConfiguredClass, ConfiguredPort, MissingFact
from qoslib.config.sourced import Sourced, by_name, described, in_packets, made, with_port
from qoslib.config.values import of_default
from qoslib.port import Classifier, Policer, Queue, StrictPriority

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


class _Attached(NamedTuple):
    """A filter or a policer on a unit, and the statement."""

    line: Line
    unit: str
    family: str
    kind: str
    way: Way
    name: str


def metered(
    ports: Sequence[ConfiguredPort], known: Definitions, rates: Rates, notes: Provenance
) -> list[ConfiguredPort]:
    """The ports with their policers, and a port for each unit that meters what comes in."""
    attached = [*_attached(known.lines)]
    _check_defined(attached, known, notes)
    _note_levels(attached, known, notes)
    queued = {port.interface: port for port in ports}
    more = []
    for (unit, direction), uses in _uses(attached, known).items():
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


def _attached(lines: Sequence[Line]) -> Iterator[_Attached]:
    """The filters and policers of interfaces."""
    for line in below(lines, "interfaces"):
        match line.words:
            case (port, "unit", unit, "family", family, kind, way, name) if way in _WAYS:
                if kind in _NOT_CHECKED:
                    yield _Attached(line, f"{port}.{unit}", family, kind, _WAYS[way], name)


def _uses(attached: Sequence[_Attached], known: Definitions) -> dict[tuple[str, Way], list[_Use]]:
    """Unit and direction -> what is metered there."""
    uses: dict[tuple[str, Way], list[_Use]] = {}
    for line, unit, family, kind, way, name in attached:
        there = uses.get((unit, way), [])
        if kind == "filter":
            there = [*there, *_of_filter(name, family, line, known, there)]
        elif known.firewall:
            own = f"{family} {name}"
            use = _Use(own, (f"family {family}",), name, line.number, "", line)
            there = [one for one in there if one.name != own] + [use]
        if there:
            uses[unit, way] = there
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


def _check_defined(attached: Sequence[_Attached], known: Definitions, notes: Provenance) -> None:
    """Refuse filters and policers of interfaces that the text does not hold, where it has others.

    A text without any is a piece.
    """
    for each in attached:
        if each.name not in known.firewall.get(each.kind, ()):
            if known.firewall:
                raise NotDefinedError(each.kind, each.name, each.line.number)
            lost = f"The text does not hold this {each.kind}: {_NOT_CHECKED[each.kind]}."
            leave_out(notes, [each.line], lost)


def _note_levels(attached: Sequence[_Attached], known: Definitions, notes: Provenance) -> None:
    """Note filters of interfaces with a term that polices by levels, which no model has."""
    levelled = set()
    for line in known.lines if attached else ():
        words = line.words
        polices = "hierarchical-policer" in words or "enhanced-hierarchical-policer" in words
        if polices and words[0] == "firewall" and {"filter", "term", "then"} < {*words}:
            levelled.add(words[words.index("filter") + 1])
    lost = "This filter has a policer of several levels, which drops nothing here."
    lines = [each.line for each in attached if each.kind == "filter" and each.name in levelled]
    leave_out(notes, lines, lost)


def _policer(use: _Use, line_bps: float, known: Definitions) -> Sourced[Policer] | None:
    """The policer of what is metered, if it has one, on a port of a rate."""
    if not use.meter:
        return None
    meter = known.meters[use.meter]
    policer = policer_of(meter.police, line_bps)
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
    every = {each: Sourced(own) for each, own in queues.items()}
    every[name] = every[name].with_fields(policer=_policer(use, of.port.rate_bps, known))
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
    more: dict[str, object] = {}
    if not everything:
        rules = tuple((use.name, use.name) for use in uses)
        more = {"scheduler": StrictPriority(), "classifier": Classifier(rules, _REST)}
    try:
        return with_port(configured, rates.facts, rate_bps=rate, queues=queues, **more)
    except ValueError as error:
        raise NoPortError(f"interface {shown(unit)}: {error}", line) from None


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
        yield made(Queue, name=use.name, limit=limit, policer=_policer(use, line_bps, known))
    if not everything:
        yield made(Queue, name=_REST, limit=limit)
