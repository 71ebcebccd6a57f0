"""From what an interface says to a port: its sites, its tree, its classifier."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from qoslib.config.junos.amounts import of_bps
from qoslib.config.junos.attachments import Interface
from qoslib.config.junos.classes import NO_DEVICE, by_queue
from qoslib.config.junos.definitions import Definitions, Draft, Entry, Rates, Site
from qoslib.config.junos.paths import below
from qoslib.config.junos.queues import queues_of, shaper_of, transmit_shares
from qoslib.config.junos.references import (
    NoPortError,
    NotDefinedError,
    leave_out,
    no_port,
    statements_of,
)
from qoslib.config.junos.schedulers import Profile, Scheduler
from qoslib.config.junos.words import PRIORITIES, STRICT, priorities
from qoslib.config.lines import Line, shown
from qoslib.config.provenance import Provenance
from qoslib.config.records import ConfiguredClass, ConfiguredPort, MissingFact
from qoslib.config.source import ConfigurationError
from qoslib.config.sourced import Sourced, by_name, described, facts_of_port, made, number
from qoslib.config.values import Value
from qoslib.port import Classifier, Node, Port, PriorityLevels, SchedulerTree, Shaper

__all__ = ["port_of"]

_NO_GUARANTEE = (
    "Without a guaranteed rate, nothing is reserved: transmit rates are shares of what the"
    " other units of this text leave, and so are the minima of its classes."
)
#: Juniper, Class of Service User Guide, per-unit-scheduler: it enables scheduler maps of units.
_BY_UNIT = {"per-unit-scheduler", "hierarchical-scheduler", "shared-scheduler"}
_NOT_BY_UNIT = (
    "A unit has queues of its own only with `per-unit-scheduler` or `hierarchical-scheduler` on its"
    " interface, and this text has neither."
)
_NO_SCHEDULER = (
    "A scheduler map has no scheduler for {of}: on the device its queue has no rate of its own, and"
    " here its packets go to the class of queue 0."
)
_NO_QUEUE_BY_DEFAULT = (
    "Without a scheduler map these are the queues of the default map, and none is for {of}: here"
    " its packets go to the class of queue 0."
)
_NOTHING = " Nothing is promised on this interface."
#: Platforms, as facts name them, whose queues all of their cards serve alike.
_ONE_SCHEDULER = ("m120", "srx")
_BY_CARD = "goes first differs from card to card"
_HIGH_WITHOUT_RATE = (
    "Without a transmit-rate it is read as a queue that gets what the rates of the others leave. A"
    " card with a queueing chip may serve it first, up to its shaping rate: then it gets more than"
    " is given here, and the others less."
)
_STRICT_HIGH = PRIORITIES[1]
#: The classes of a port whose scheduler map is the default, by the numbers of their queues.
_DEFAULT_QUEUES = {"": (0, 3), "srx": (0, 7)}


def port_of(
    interface: Interface, known: Definitions, rates: Rates, notes: Provenance
) -> ConfiguredPort:
    """The port of an interface with queues, as far as facts allow."""
    name, policy = interface.name, interface.own.scheduler_map
    line = policy.line if policy else interface.line
    configured = ConfiguredPort(name, "out", None, policy=policy.value if policy else "", line=line)
    draft = Draft(interface, known)
    if _is_in_parts(draft):
        notes.add(draft.notes)
        return configured
    _check_maps(interface, known)
    rate = rates.of(name, line)
    if isinstance(rate, MissingFact):
        draft.notes.missing.append(rate)
    else:
        draft.rate = rate
    try:
        sites, port = _made(draft, line)
    except ConfigurationError:
        raise
    except ValueError as error:
        raise NoPortError(f"interface {shown(name)}: {error}", line) from None
    notes.add(draft.notes)
    classes = tuple(_classes(sites, known, port.part.classifier.default))
    configured = configured.replace(classes=classes)
    if not known.acx7000 and (problem := _several_strict(sites, known)):
        leave_out(notes, known.lines_at(problem.line or line), no_port(problem))
        return configured
    if draft.notes.missing:
        return configured.replace(missing=tuple(draft.notes.missing))
    return described(configured, port)


def _is_in_parts(draft: Draft) -> bool:
    """Whether something is not in the text without which there are no queues, which is noted."""
    interface, known, notes = draft.interface, draft.known, draft.notes
    every = [interface.own, *interface.units.values(), *interface.class_sets.values()]
    maps = {each.scheduler_map.value for each in every if each.scheduler_map}
    if maps and not known.maps:
        lines = below(known.lines, "class-of-service", "interfaces", interface.name)
        lines = [line for line in lines if "scheduler-map" in line.words]
        leave_out(notes, lines, "The text does not hold this scheduler map.")
        return True
    if maps and not known.schedulers:
        lines = below(known.lines, "class-of-service", "scheduler-maps")
        lines = [line for line in lines if line.words[0] in maps]
        leave_out(notes, lines, "The text does not hold this scheduler: rates are unknown.")
        return True
    own = below(known.lines, "interfaces", interface.name)
    if not interface.units or any(line.words[0] in _BY_UNIT for line in own):
        return False
    # Units of the interface itself, beside its class of service.
    described = any(line.words[0] == "unit" for line in own)
    first = next(iter(interface.units.values())).line
    lines = [line for line in known.lines if line.number == first and line.text]
    leave_out(notes, lines[:1], _NOT_BY_UNIT + (_NOTHING if described else ""))
    return described


def _check_maps(interface: Interface, known: Definitions) -> None:
    """Promise nothing where a device refuses the scheduler map of the port, or of a part of it."""
    refused = [line.words[1:] for line in known.refused if "scheduler-map" in line.words[:-1]]
    on_port = [words[1] for words in refused if words[0] == "interfaces"]
    in_profile = {words[1] for words in refused if words[0] == "traffic-control-profiles"}
    lines = {each.line for name, each in known.profiles.items() if name in in_profile}
    every = {"": interface.own}
    every |= {f"{name} of ": profile for name, profile in interface.class_sets.items()}
    every |= {f"unit {unit} of ": profile for unit, profile in interface.units.items()}
    where = next((name for name, profile in every.items() if profile.line in lines), None)
    if where is None and any(fnmatchcase(interface.name, name.strip("<>")) for name in on_port):
        where = ""
    if where is not None:
        problem = f"the scheduler map of {where}{interface.name} is not defined"
        raise NoPortError(problem, every[where].line)


def _made(draft: Draft, line: int) -> tuple[list[Site], Sourced[Port]]:
    """The sites of a port, and the port; with a missing fact a stand-in."""
    interface, acx7000 = draft.interface, draft.known.acx7000
    hung = _tree if interface.units or interface.class_sets else _flat
    sites, nodes, shaper = hung(draft)
    if draft.known.other:
        _check_defaults(sites, line)
    elif not acx7000 and draft.platform not in _ONE_SCHEDULER:
        _check_priorities(sites, draft)
    used = {priority.value for priority in _priorities(sites)}
    draft.words = priorities(acx7000, not used <= set(PRIORITIES))
    draft.strict = draft.words[:-1] if acx7000 else draft.words[:1]
    scheduler: Sourced[SchedulerTree] | PriorityLevels = PriorityLevels()
    if nodes:
        scheduler = made(SchedulerTree, nodes=by_name(nodes), strict_levels=len(draft.strict))
    port = made(
        Port,
        name=interface.name,
        rate_bps=draft.rate,
        shaper=shaper,
        scheduler=scheduler,
        queues=by_name(queue for site in sites for queue in queues_of(site, draft)),
        classifier=_classifier(sites, draft),
        **facts_of_port(draft.known.facts, interface.name),
    )
    return sites, port


def _check_defaults(sites: Sequence[Site], line: int) -> None:
    """Refuse what rests on a default: those of QFX, EX, PTX and ACX are other ones than an MX's.

    A QFX has five queues by default, and gives the first 5 per cent (Juniper, Traffic Management
    User Guide for QFX, Understanding Default CoS Scheduling and Classification).
    """
    entries = [entry for site in sites for entry in site.entries]
    lacks = ["queue 0 has no scheduler"]
    if any(not entry.number or entry.number >= NO_DEVICE for entry in entries):
        lacks = []
    for entry in entries:
        of, name = entry.scheduler, shown(entry.of)
        if of is None:
            lacks.append(f"{name} has no scheduler")
        elif of.transmit is None and of.priority.value not in STRICT:
            lacks.append(f"{name} has no transmit-rate")
        elif of.buffer is None:
            lacks.append(f"{name} has no buffer-size")
    if lacks:
        why = "the default of this device is not known here"
        raise NoPortError(f"{', '.join(lacks)}, and {why}", line)


def _several_strict(sites: Sequence[Site], known: Definitions) -> NoPortError | None:
    """Why nothing is promised where several queues are strict-high: an MX takes one, and others
    serve them in an order of their own.

    A QFX5200 begins with the highest number (Juniper, Traffic Management User Guide for QFX,
    Defining CoS Queue Scheduling Priority).
    """
    for site in sites:
        first = [
            entry
            for entry in site.entries
            if entry.scheduler and entry.scheduler.priority.value == _STRICT_HIGH
        ]
        if len(first) > 1:
            names = " and ".join(shown(entry.of) for entry in first)
            why = "which an MX takes for one queue only"
            if known.other:
                why = "and in which order this device serves them is not known here"
            return NoPortError(f"{names} are {_STRICT_HIGH}, {why}", max(e.line for e in first))
    return None


def _priorities(sites: Sequence[Site]) -> Iterator[Value]:
    """The priorities of all schedulers."""
    schedulers = (entry.scheduler for site in sites for entry in site.entries)
    return (each.priority for each in schedulers if each)


def _check_priorities(sites: Sequence[Site], draft: Draft) -> None:
    """Promise nothing where cards differ in which priority goes first.

    Where no unit has a guaranteed rate, an Enhanced Queuing DPC serves a higher priority first, up
    to its shaping rate. An MPC has two priorities for all that is beyond guarantees (Juniper, Class
    of Service User Guide, Configuring MDRR on Enhanced Queuing DPCs; Hierarchical Scheduling on MIC
    and MPC Interfaces).
    """
    interface = draft.interface
    eager = [of for site in sites for of in _high_without_rate(site, draft)]
    if not interface.units:
        # The card may have no queueing chip: this map is on the port itself.
        leave_out(draft.notes, [of.first("priority") for of in eager], _HIGH_WITHOUT_RATE)
        return
    if eager:
        problem = f"a queue of priority high has no transmit-rate, and whether it {_BY_CARD}"
        raise NoPortError(problem, eager[0].priority.line)
    shared = {each.value: each.line for each in _priorities(sites) if each.value not in STRICT}
    profiles = [interface.own, *interface.units.values(), *interface.above.values()]
    if len(shared) > 1 and not any(each.guaranteed for each in profiles):
        problem = f"no unit has a guaranteed-rate, and which of the priorities {_BY_CARD}"
        raise NoPortError(problem, max(shared.values()))


def _high_without_rate(site: Site, draft: Draft) -> Iterator[Scheduler]:
    """The schedulers of priority high that have no transmit rate, or one of 0."""
    shares = transmit_shares(site, draft)
    for entry in site.entries:
        of = entry.scheduler
        if of and of.priority.value == "high" and not shares[entry.of].value:
            yield of


Hung = tuple[list[Site], list[Sourced[Node]], Sourced[Shaper] | None]


def _flat(draft: Draft) -> Hung:
    """One map on the port itself; below a node where queues share the excess unlike rates."""
    own = draft.interface.own
    entries = _entries(own, draft)
    tree = draft.known.acx7000 or any(_shares_unlike(entry, draft.platform) for entry in entries)
    shaper = shaper_of(own, draft.line_bps, draft)
    site = _site(own, "", "", entries, tree, draft)
    children = tuple(entry.of for entry in entries)
    root = made(Node, name=draft.interface.name, children=children, shaper=shaper)
    return [site], [root] if tree else [], None if tree else shaper


def _tree(draft: Draft) -> Hung:
    """Maps on units and on sets of classes, which are nodes of a tree, and sets of units above."""
    interface = draft.interface
    hung = [
        (profile, f"unit {unit}", f"unit {unit} ", interface.above.get(unit))
        for unit, profile in interface.units.items()
    ]
    hung += [(profile, name, "", None) for name, profile in interface.class_sets.items()]
    sites, nodes = [], []
    top: dict[str, None] = {}
    sets: dict[str, tuple[Profile, list[str]]] = {}
    for profile, name, prefix, unit_set in hung:
        entries = _entries(profile, draft)
        site = _site(profile, prefix, name, entries, True, draft)
        sites.append(site)
        if not site.promised:
            leave_out(draft.notes, _unpromised(draft.known.lines, profile), _NO_GUARANTEE)
        nodes.append(_node(profile, name, [prefix + e.of for e in entries], draft))
        if unit_set:
            sets.setdefault(unit_set.name, (unit_set, []))[1].append(name)
        top[unit_set.name if unit_set else name] = None
    nodes += [_node(profile, name, children, draft) for name, (profile, children) in sets.items()]
    shaper = shaper_of(interface.own, draft.line_bps, draft)
    root = made(Node, name=interface.name, children=tuple(top), shaper=shaper)
    return sites, [root, *nodes], None


def _entries(of: Profile, draft: Draft) -> tuple[Entry, ...]:
    """The queues of a map, one for each number; those of the default map where none is given."""
    known = draft.known
    if of.scheduler_map is None:
        numbers = _DEFAULT_QUEUES.get(draft.platform, _DEFAULT_QUEUES[""])
        names = by_queue(known.classes)
        return tuple(Entry(names[n], n, None, of.line) for n in numbers if n in names)
    name = of.scheduler_map.value
    if name not in known.maps:
        raise NotDefinedError("scheduler map", name, of.scheduler_map.line)
    by_number: dict[int, Entry] = {}
    for entry in known.maps[name]:
        first = by_number.setdefault(entry.number, entry)
        if first is not entry and entry.scheduler:
            sentence = f"It shares a queue with {first.of}, whose scheduler counts."
            leave_out(draft.notes, entry.scheduler.lines[:1], sentence)
    return tuple(by_number.values())


def _shares_unlike(entry: Entry, platform: str) -> bool:
    """Whether a queue shares the excess in another way than its guaranteed rate."""
    of = entry.scheduler
    if of is not None and of.priority.value in STRICT:
        return False
    return platform == "mpc" or bool(of and (of.excess or of.excess_priority))


def _site(
    of: Profile, prefix: str, node: str, entries: tuple[Entry, ...], tree: bool, draft: Draft
) -> Site:
    """What shares are of: the guaranteed rate, else the shaping rate, else all there is."""
    line_bps, most_bps = draft.line_bps, draft.most_bps
    shaping_bps = of_bps(of.shaping, line_bps) if of.shaping else most_bps
    guaranteed_bps = of_bps(of.guaranteed, line_bps) if of.guaranteed and node else None
    ceiling_bps = min(shaping_bps, most_bps)
    whole_bps = guaranteed_bps or ceiling_bps
    buffer_bps = of_bps(of.delay_buffer, line_bps) if of.delay_buffer else whole_bps
    promised = not node or guaranteed_bps is not None
    return Site(prefix, node, entries, whole_bps, ceiling_bps, buffer_bps, tree, promised)


def _unpromised(lines: Sequence[Line], profile: Profile) -> list[Line]:
    """The statement that gives a profile its rate, where no guaranteed rate stands beside it."""
    number = profile.shaping.line if profile.shaping else profile.line
    there = [line for line in lines if line.number == number and line.text]
    return ([line for line in there if "shaping-rate" in line.words] or there)[:1]


def _node(of: Profile, name: str, children: Sequence[str], draft: Draft) -> Sourced[Node]:
    """A node of the tree, as a profile has it."""
    if of.excess and not of.excess.value:
        raise NoPortError("an excess rate of 0 for all queues of a profile", of.excess.line)
    own_bps = of_bps(of.guaranteed, draft.line_bps) if of.guaranteed else 0.0
    return made(
        Node,
        name=name,
        children=tuple(children),
        shaper=shaper_of(of, draft.line_bps, draft),
        guaranteed_bps=number(own_bps, of.guaranteed),
        weight=of.excess or Value(own_bps or 1.0, default="junos.excess_rate"),
        guaranteed_burst_bytes=of.guaranteed_burst or 0,
    )


def _queues_by_number(sites: Sequence[Site]) -> Mapping[str, dict[int, str]]:
    """Prefix of a unit -> the queue of each number; of several with one prefix the first."""
    queues: dict[str, dict[int, str]] = {}
    for site in sites:
        own = {entry.number: site.prefix + entry.of for entry in site.entries}
        queues[site.prefix] = {**own, **queues.get(site.prefix, {})}
    return queues


def _classifier(sites: Sequence[Site], draft: Draft) -> Classifier:
    """The rules whose class has a queue; a mark without a rule goes to the class of queue 0."""
    known, rules, default = draft.known, [], ""
    built_in: dict[tuple[int, str, str], list[str]] = {}
    for prefix, by_number in _queues_by_number(sites).items():
        lost = _NO_QUEUE_BY_DEFAULT if _by_default(prefix, draft.interface) else _NO_SCHEDULER
        for rule in known.rules:
            queue = by_number.get(known.number(rule.of))
            if queue is not None:
                rules.append((prefix + rule.mark, queue))
            elif rule.line.text:
                leave_out(draft.notes, [rule.line], lost.format(of=rule.of))
            else:
                built_in.setdefault((rule.line.number, rule.of, lost), []).append(rule.mark)
        if 0 in by_number and not default and rules:
            default = by_number[0]
    for (line_number, of, lost), marks in built_in.items():
        said = f"The built-in rules put {', '.join(sorted(set(marks)))} into {of}."
        leave_out(draft.notes, known.lines_at(line_number), f"{said} {lost.format(of=of)}")
    return Classifier(tuple(rules), default)


def _by_default(prefix: str, interface: Interface) -> bool:
    """Whether queues with a prefix are those of the default map."""
    of_unit = [each for unit, each in interface.units.items() if prefix == f"unit {unit} "]
    profiles = of_unit or [*interface.class_sets.values()] or [interface.own]
    return all(each.scheduler_map is None for each in profiles)


def _classes(sites: Sequence[Site], known: Definitions, default: str) -> Iterator[ConfiguredClass]:
    """The classes of the queues, with their marks and their statements."""
    for site in sites:
        for entry in site.entries:
            name = site.prefix + entry.of
            marks = [site.prefix + rule.mark for rule in known.rules_of(entry)]
            marks += ["the rest"] if name == default else []
            scheduler = entry.scheduler
            own = statements_of(scheduler.lines) if scheduler else ()
            settings = scheduler.settings() if scheduler else ()
            line = known.classes[entry.of].line or entry.line
            yield ConfiguredClass(name, name, tuple(marks), line, site.node, own, settings)
