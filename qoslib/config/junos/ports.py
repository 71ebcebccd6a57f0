"""From what an interface says to a port: its sites, its tree, its classifier."""

from collections.abc import Sequence
from typing import Any

from qoslib.config.junos.attachments import Interface
from qoslib.config.junos.classes import NO_DEVICE
from qoslib.config.junos.definitions import Known, Rates, rest_of
from qoslib.config.junos.paths import below
from qoslib.config.junos.profiles import Limit, Profile
from qoslib.config.junos.provenance import Entry, Notes, Site
from qoslib.config.junos.queues import queues_of, shaper_of
from qoslib.config.junos.references import NoPortError, NotDefinedError
from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import PRIORITIES, STRICT, priorities
from qoslib.config.records import ConfiguredClass, ConfiguredPort, MissingFact, Statement
from qoslib.config.settings import of_scheduler
from qoslib.config.source import ConfigurationError
from qoslib.platforms.trees import junos
from qoslib.port import Classifier, Node, Port, PriorityLevels, SchedulerTree

__all__ = ["port_of"]

Lost = list[tuple[Said, str]]
_NO_GUARANTEE = (
    "Without a guaranteed rate beside it nothing is reserved: transmit rates are shares of what the"
    " other units of this text leave, and so are the minima of its classes."
)
#: Juniper, Class of Service User Guide, per-unit-scheduler: it enables scheduler maps of units.
_BY_UNIT = {"per-unit-scheduler", "hierarchical-scheduler", "shared-scheduler"}
_NOT_BY_UNIT = (
    "A unit has queues of its own only with `per-unit-scheduler` or `hierarchical-scheduler` on its"
    " interface, and this text has neither."
)
#: The classes of a port whose scheduler map is the default, by the numbers of their queues.
_DEFAULT_QUEUES = {"": (0, 3), "srx": (0, 7)}


def _entries(
    known: Known, given: tuple[str, int] | None, platform: str, lost: Lost, line: int
) -> tuple[Entry, ...]:
    """The queues of a map, one for each number; those of the default map where none is given."""
    if given is None:
        numbers = _DEFAULT_QUEUES.get(platform, _DEFAULT_QUEUES[""])
        by_number: dict[int, str] = {}
        for name, (number, _) in sorted(known.classes.items(), key=lambda one: not one[1][1]):
            by_number.setdefault(number, name)
        return tuple(Entry(by_number[n], n, None, line) for n in numbers if n in by_number)
    name, line = given
    if name not in known.maps:
        raise NotDefinedError("scheduler map", name, line)
    found: dict[int, Entry] = {}
    for entry in known.maps[name]:
        first = found.setdefault(entry.number, entry)
        if first is not entry and entry.scheduler:
            sentence = f"It shares a queue with {first.of}, whose scheduler counts."
            lost += [(each, sentence) for each in entry.scheduler.said[:1]]
    return tuple(found.values())


def port_of(interface: Interface, known: Known, rates: Rates) -> tuple[ConfiguredPort, Lost]:
    """The port of an interface with queues, as far as facts allow."""
    facts, name = known.defined.facts, interface.name
    notes = Notes(name)
    given = interface.own.scheduler_map
    policy = given[0] if given else ""
    line = given[1] if given else interface.line
    configured = ConfiguredPort(name, "out", None, policy=policy, line=line)
    every = [interface.own, *interface.units.values(), *interface.class_sets.values()]
    maps = {each.scheduler_map[0] for each in every if each.scheduler_map}
    if maps and not known.maps:
        return configured, _absent(known.said, interface)
    if maps and not known.schedulers:
        return configured, _without_schedulers(known.said, maps)
    alone, described = _not_by_unit(known.said, interface)
    if alone and described:
        return configured, alone
    rate = rates.of(name, line)
    if isinstance(rate, MissingFact):
        notes.missing.append(rate)
        notes.line_bps = 1.0
    else:
        notes.line_bps = rate[0]
        notes.origins.append(rate[1])
    notes.acx7000 = known.defined.acx7000
    try:
        sites, nodes, shaper = _sites(interface, known, notes)
        if known.defined.other:
            _without_defaults(sites, line)
        every_one = [entry.scheduler for site in sites for entry in site.entries]
        used = {each.priority for each in every_one if each}
        notes.words = priorities(notes.acx7000, not used <= set(PRIORITIES))
        notes.strict = notes.words[:-1] if notes.acx7000 else notes.words[:1]
        queues = [queue for site in sites for queue in queues_of(site, known.defined, notes)]
        tree = any(site.tree for site in sites)
        more, origins = rest_of(facts, name)
        classifier = _classifier(sites, known, notes)
        port = Port(
            name,
            notes.line_bps,
            tuple(queues),
            SchedulerTree(tuple(nodes), len(notes.strict)) if tree else PriorityLevels(),
            classifier=classifier,
            shaper=shaper,
            **more,
        )
    except ConfigurationError:
        raise
    except ValueError as error:
        raise NoPortError(f"interface {shown(name)}: {error}", line) from None
    configured = configured.replace(classes=_classes(sites, known, classifier.default))
    if notes.missing:
        return configured.replace(missing=tuple(notes.missing)), [*alone, *notes.lost]
    origins = [*notes.origins, *origins]
    return configured.replace(port=port, origins=tuple(origins)), [*alone, *notes.lost]


def _absent(said: Sequence[Said], interface: Interface) -> Lost:
    found = below(said, "class-of-service", "interfaces", interface.name)
    sentence = "The text does not hold this scheduler map."
    return [(each, sentence) for each in found if "scheduler-map" in each.words]


def _without_defaults(sites: Sequence[Site], line: int) -> None:
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
        elif of.transmit is None and of.priority not in STRICT:
            lacks.append(f"{name} has no transmit-rate")
        elif of.buffer is None:
            lacks.append(f"{name} has no buffer-size")
    if lacks:
        why = "the default of this device is not known here"
        raise NoPortError(f"{', '.join(lacks)}, and {why}", line)


def _not_by_unit(said: Sequence[Said], interface: Interface) -> tuple[Lost, bool]:
    """The first queues of a unit, where nothing makes units have some.

    And whether the text has units of the interface itself, beside its class of service.
    """
    of = below(said, "interfaces", interface.name)
    if not interface.units or any(each.words[0] in _BY_UNIT for each in of):
        return [], False
    described = any(each.words[0] == "unit" for each in of)
    sentence = (
        f"{_NOT_BY_UNIT} Nothing is promised on this interface." if described else _NOT_BY_UNIT
    )
    line = next(iter(interface.units.values())).line
    found = [each for each in said if each.line == line and each.text]
    return [(each, sentence) for each in found[:1]], described


def _without_schedulers(said: Sequence[Said], maps: set[str]) -> Lost:
    found = below(said, "class-of-service", "scheduler-maps")
    sentence = "The text does not hold this scheduler: rates are unknown."
    return [(each, sentence) for each in found if each.words[0] in maps]


def _rate_of(limit: Limit | None, whole_bps: float) -> float | None:
    return None if limit is None else limit.rate.of_bps(whole_bps)


def _sites(interface: Interface, known: Known, notes: Notes) -> tuple[list[Site], list[Node], Any]:
    """Where the maps hang: on the port itself, or on nodes below it."""
    own, line_bps = interface.own, notes.line_bps
    platform = known.defined.facts.text(interface.name, "platform")
    hung = [(unit, f"unit {unit}", f"unit {unit} ") for unit in interface.units]
    hung += [(name, name, "") for name in interface.class_sets]
    profiles = {**interface.units, **interface.class_sets}
    if not hung:
        entries = _entries(known, own.scheduler_map, platform, notes.lost, own.line)
        tree = notes.acx7000 or any(_shares_unlike(entry, platform) for entry in entries)
        where = f"scheduler.nodes[{interface.name!r}].shaper" if tree else "shaper"
        shaper = shaper_of(own.shaping, line_bps, where, notes, platform) if own.shaping else None
        site = _site(own, "", "", entries, shaper.rate_bps if shaper else line_bps, line_bps, tree)
        names = tuple(entry.of for entry in site.entries)
        node = Node(interface.name, names, shaper=shaper)
        return [site], [node] if tree else [], None if tree else shaper
    where = f"scheduler.nodes[{interface.name!r}].shaper"
    shaper = shaper_of(own.shaping, line_bps, where, notes, platform) if own.shaping else None
    most_bps = shaper.rate_bps if shaper else line_bps
    sites, nodes, sets = [], [], dict[str, tuple[Profile, list[str]]]()
    top: list[str] = []
    for key, called, prefix in hung:
        profile = profiles[key]
        entries = _entries(known, profile.scheduler_map, platform, notes.lost, profile.line)
        site = _site(profile, prefix, called, entries, most_bps, line_bps, True)
        sites.append(site)
        notes.lost += [] if site.promised else _unpromised(known, profile)
        nodes.append(
            _node(profile, called, [prefix + e.of for e in entries], line_bps, notes, platform)
        )
        above = interface.above.get(key)
        if above and prefix:
            sets.setdefault(above.name, (above, []))[1].append(called)
        if above is None or above.name not in top:
            top.append(above.name if above and prefix else called)
    for name, (profile, children) in sets.items():
        nodes.append(_node(profile, name, children, line_bps, notes, platform))
    return sites, [Node(interface.name, tuple(top), shaper=shaper), *nodes], None


def _shares_unlike(entry: Entry, platform: str) -> bool:
    """Whether a queue shares the excess in another way than its guaranteed rate."""
    of = entry.scheduler
    if of is not None and of.priority in STRICT:
        return False
    return platform == "mpc" or bool(of and (of.excess or of.excess_line))


def _site(
    of: Profile, prefix: str, node: str, entries: tuple[Entry, ...], most_bps: float,
    line_bps: float, tree: bool,
) -> Site:  # fmt: skip
    """What shares are of: the guaranteed rate, else the shaping rate, else all there is."""
    shaping_bps = _rate_of(of.shaping, line_bps)
    guaranteed_bps = _rate_of(of.guaranteed, line_bps) if prefix or node else None
    ceiling_bps = min(shaping_bps or most_bps, most_bps)
    whole_bps = guaranteed_bps or ceiling_bps
    buffer_bps = of.delay_buffer.of_bps(line_bps) if of.delay_buffer else whole_bps
    promised = not node or guaranteed_bps is not None
    return Site(prefix, node, entries, whole_bps, ceiling_bps, buffer_bps, tree, promised)


def _unpromised(known: Known, profile: Profile) -> Lost:
    """The statement that gives a profile its rate, where no guaranteed rate stands beside it."""
    line = profile.shaping.rate.line if profile.shaping else profile.line
    found = [each for each in known.said if each.line == line and each.text]
    found = [each for each in found if "shaping-rate" in each.words] or found
    return [(found[0], _NO_GUARANTEE)] if found else []


def _node(
    of: Profile, name: str, children: Sequence[str], line_bps: float, notes: Notes, platform: str
) -> Node:
    where = f"scheduler.nodes[{name!r}]"
    shaper = None
    if of.shaping is not None:
        shaper = shaper_of(of.shaping, line_bps, f"{where}.shaper", notes, platform)
    guaranteed = of.guaranteed
    if guaranteed is not None:
        notes.says(f"{where}.guaranteed_bps", guaranteed.rate.line)
    weight = of.excess.value if of.excess else None
    if weight == 0:
        problem = "an excess rate of 0 for all queues of a profile"
        raise NoPortError(problem, of.excess.line if of.excess else of.line)
    notes.says(
        f"{where}.weight",
        of.excess.line if of.excess else 0,
        "" if of.excess else "junos.excess_rate",
    )
    node = junos(
        Node(name, tuple(children)),
        guaranteed_bps=_rate_of(guaranteed, line_bps) or 0.0,
        excess_weight=weight,
    ).replace(shaper=shaper)
    if guaranteed is not None and guaranteed.burst_bytes is not None:
        notes.says(f"{where}.guaranteed_burst_bytes", guaranteed.line)
        return node.replace(guaranteed_burst_bytes=guaranteed.burst_bytes)
    return node


def _classifier(sites: Sequence[Site], known: Known, notes: Notes) -> Classifier:
    """The rules whose class has a queue; a mark without a rule goes to the class of queue 0."""
    found, default = [], ""
    queues: dict[str, dict[int, str]] = {}
    for site in sites:
        own = {entry.number: site.prefix + entry.of for entry in site.entries}
        queues[site.prefix] = {**own, **queues.get(site.prefix, {})}
    for prefix, by_number in queues.items():
        for rule in known.defined.rules:
            queue = by_number.get(known.defined.numbers[rule.of])
            if queue is not None:
                found.append((prefix + rule.mark, queue))
            elif rule.said.text:
                sentence = f"A scheduler map has no scheduler for {rule.of}: where it is used,"
                notes.lose(rule.said, f"{sentence} these packets go to the class of queue 0.")
        if 0 in by_number and not default and found:
            default = by_number[0]
    return Classifier(tuple(found), default)


def _classes(sites: Sequence[Site], known: Known, default: str) -> tuple[ConfiguredClass, ...]:
    made = []
    for site in sites:
        for entry in site.entries:
            numbers = known.defined.numbers
            of = [rule for rule in known.defined.rules if numbers[rule.of] == entry.number]
            marks = [site.prefix + rule.mark for rule in of]
            if site.prefix + entry.of == default:
                marks.append("the rest")
            said = entry.scheduler.said if entry.scheduler else ()
            own = dict.fromkeys(Statement(each.line, each.text, each.parents) for each in said)
            made.append(
                ConfiguredClass(
                    site.prefix + entry.of,
                    site.prefix + entry.of,
                    tuple(marks),
                    known.classes[entry.of][1] or entry.line,
                    site.node,
                    tuple(own),
                    of_scheduler(entry.scheduler),
                )
            )
    return tuple(made)
