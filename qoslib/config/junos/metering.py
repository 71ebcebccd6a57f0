"""Policers of an interface: ports of what comes in, and policers in front of queues going out."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from qoslib.config.defaults import default
from qoslib.config.junos.definitions import Known, Rates, rest_of
from qoslib.config.junos.paths import below
from qoslib.config.junos.policers import Metered, Term
from qoslib.config.junos.references import NoPortError, NotDefinedError, no_port
from qoslib.config.junos.statements import Said, shown
from qoslib.config.records import ConfiguredClass, ConfiguredPort, MissingFact, Origin, Statement
from qoslib.port import Classifier, Fifo, PacketLimit, Policer, Port, Queue, StrictPriority

__all__ = ["metered"]

_WAYS: dict[str, Literal["in", "out"]] = {"input": "in", "output": "out"}
_REST = "the rest"
#: What is not known of a packet behind a filter or a policer that the text does not hold.
_NOT_CHECKED = {
    "filter": "what it drops, polices or marks is not checked",
    "policer": "what it drops or marks is not checked",
}
Lost = list[tuple[Said, str]]


class _Use(NamedTuple):
    """What is metered on a unit: a name, what belongs to it, its policer, and the statement."""

    name: str
    marks: tuple[str, ...]
    meter: str
    line: int
    of: str
    said: Said
    own: tuple[Said, ...]


def metered(
    ports: Sequence[ConfiguredPort], known: Known, rates: Rates
) -> tuple[list[ConfiguredPort], Lost]:
    """The ports with their policers, and a port for each unit that meters what comes in."""
    made = {port.interface: port for port in ports}
    lost = _absent(known)
    uses: dict[tuple[str, Literal["in", "out"]], list[_Use]] = {}
    for each in below(known.said, "interfaces"):
        match each.words:
            case (port, "unit", unit, "family", family, "policer", way, name) if way in _WAYS:
                use = _Use(f"{family} {name}", (f"family {family}",), name, each.line, "", each, ())
                if not known.firewall:
                    continue
                there = uses.setdefault((f"{port}.{unit}", _WAYS[way]), [])
                there[:] = [one for one in there if one.name != use.name] + [use]
            case (port, "unit", unit, "family", family, "filter", way, name) if way in _WAYS:
                terms = [_of_term(name, term, each) for term in known.filters.get(name, ())]
                if any(use.meter for use in terms):
                    there = uses.setdefault((f"{port}.{unit}", _WAYS[way]), [])
                    taken = {use.name for use in there}
                    if any(use.name in taken for use in terms):
                        terms = [_again(use, family) for use in terms]
                    there += [use for use in terms if use.name not in taken]
    more = []
    for (unit, direction), found in uses.items():
        for use in found:
            if use.meter and use.meter not in known.meters:
                raise NotDefinedError("policer", use.meter, use.line)
        port = unit.rpartition(".")[0]
        if direction == "out" and port in made:
            made[port] = _on_queues(made[port], found, known, lost, unit.rpartition(".")[2])
        elif any(use.meter for use in found):
            try:
                more.append(_alone(unit, direction, found, known, rates))
            except NoPortError as error:
                more.append(ConfiguredPort(unit, direction, None, line=found[0].said.line))
                lost.append((found[0].said, no_port(error)))
    return [*made.values(), *more], lost


def _absent(known: Known) -> Lost:
    """Filters and policers of interfaces that the text does not hold.

    A device refuses them where others are defined; a text without any is a piece.
    """
    lost: Lost = []
    for each in below(known.said, "interfaces"):
        match each.words:
            case (_, "unit", _, "family", _, "filter" | "policer" as kind, way, name) if (
                way in _WAYS and name not in known.firewall.get(kind, ())
            ):
                if known.firewall:
                    raise NotDefinedError(kind, name, each.line)
                lost.append((each, f"The text does not hold this {kind}: {_NOT_CHECKED[kind]}."))
    return lost


def _of_term(name: str, term: Term, said: Said) -> _Use:
    own = f"{name} {term.name}"
    return _Use(own, (own,), term.policer, term.policer_line or said.line, term.of, said, term.said)


def _again(use: _Use, family: str) -> _Use:
    """A term of a filter that another family of the unit has too."""
    name = f"{family} {use.name}"
    return use._replace(name=name, marks=(name,))


def _policer(meter: Metered, line_bps: float, known: Known) -> Policer:
    made = meter.of_port(line_bps)
    if not meter.aware:
        return made
    colours = {"medium-low": "yellow", "medium-high": "yellow", "high": "red"}
    marked = [(rule.mark, rule.loss) for rule in known.defined.rules if rule.loss in colours]
    return made.replace(colours=tuple((mark, colours[loss]) for mark, loss in marked))


def _origins(meter: Metered, queue: str) -> list[Origin]:
    where = f"queues[{queue!r}].policer"
    return [Origin(f"{where}.{place}", line) for place, line in meter.lines.items()]


def _on_queues(
    of: ConfiguredPort, found: Sequence[_Use], known: Known, lost: Lost, unit: str
) -> ConfiguredPort:
    """A port whose queues, on the unit or below all, get the policers of terms for their class."""
    for use in found:
        if not use.meter:
            continue
        queues = {queue.name: queue for queue in of.port.queues} if of.port else {}
        own = f"unit {unit} {use.of}"
        name = own if own in queues else use.of
        queue = queues.get(name)
        if of.port is None or queue is None or queue.policer is not None:
            sentence = f"What leaves {of.interface} by this policer is of several queues, or of one"
            lost.append((use.said, f"{sentence} that has another policer: it is left out."))
            continue
        meter = known.meters[use.meter]
        queue = queue.replace(policer=_policer(meter, of.port.rate_bps, known))
        queues[name] = queue
        port = of.port.replace(queues=tuple(queues.values()))
        of = of.replace(port=port, origins=(*of.origins, *_origins(meter, name)))
    return of


def _alone(
    unit: str, direction: Literal["in", "out"], found: Sequence[_Use], known: Known, rates: Rates
) -> ConfiguredPort:
    """A port that only meters: what it lets through does not wait."""
    first = found[0]
    classes = []
    for use in found:
        own = dict.fromkeys(Statement(s.line, s.text, s.parents) for s in use.own or (use.said,))
        classes.append(ConfiguredClass(use.name, use.name, use.marks, use.line, "", tuple(own)))
    names = [use.name for use in found]
    all_of_it = len(found) == 1 and not first.own
    if not all_of_it:
        classes.append(ConfiguredClass(_REST, _REST, (_REST,)))
    configured = ConfiguredPort(
        unit,
        direction,
        None,
        tuple(classes),
        policy=first.meter or first.name,
        line=first.said.line,
    )
    rate = rates.of(unit, first.said.line)
    if isinstance(rate, MissingFact):
        return configured.replace(missing=(rate,))
    limit = PacketLimit(int(default("junos.metered_queue").value or 1))
    queues, origins = [], [rate[1]]
    for use in found:
        policer = None
        if use.meter:
            policer = _policer(known.meters[use.meter], rate[0], known)
            origins += _origins(known.meters[use.meter], use.name)
        queues.append(Queue(use.name, limit, policer=policer))
    if not all_of_it:
        queues.append(Queue(_REST, limit))
    origins += [
        Origin(f"queues[{queue.name!r}].limit.packets", default="junos.metered_queue")
        for queue in queues
    ]
    more, given = rest_of(rates.facts, unit)
    try:
        port = Port(
            unit,
            rate[0],
            tuple(queues),
            Fifo() if all_of_it else StrictPriority(),
            classifier=Classifier()
            if all_of_it
            else Classifier(tuple((name, name) for name in names), _REST),
            **more,
        )
    except ValueError as error:
        raise NoPortError(f"interface {shown(unit)}: {error}", first.said.line) from None
    return configured.replace(port=port, origins=(*origins, *given))
