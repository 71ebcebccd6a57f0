"""Which scheduler maps hang where on an interface: on the port, its units, or sets of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from qoslib.config.junos.paths import below, named
from qoslib.config.junos.references import NotDefinedError, leave_out
from qoslib.config.junos.schedulers import Profile, profiles
from qoslib.config.lines import Line
from qoslib.config.provenance import Provenance
from qoslib.config.source import TakesTooLongError
from qoslib.config.values import Value

__all__ = ["Interface", "interfaces", "parted", "pieces"]

#: So many wildcards times names are tried.
_MOST_FITS = 500_000
Profiles = Mapping[str, Profile]


@dataclass
class Interface:
    """What class of service says of one interface.

    `units` and `class_sets` are nodes of a tree above their own queues; `above` has the interface
    set that a unit is in.
    """

    name: str
    line: int
    own: Profile
    units: dict[str, Profile] = field(default_factory=dict)
    class_sets: dict[str, Profile] = field(default_factory=dict)
    above: dict[str, Profile] = field(default_factory=dict)

    @property
    def shapes(self) -> bool:
        """Whether anything about its queues is configured."""
        own = self.own
        queued = own.scheduler_map or own.shaping or own.guaranteed
        return bool(queued or self.units or self.class_sets)


def interfaces(lines: Sequence[Line], known: Profiles, notes: Provenance) -> Iterator[Interface]:
    """Every interface that class of service names; wildcards become the names that they fit."""
    names = _names(lines)
    whole = names.keys() - parted(lines)
    cos = below(lines, "class-of-service", "interfaces")
    sets = _sets(lines, known, below(cos, "interface-set"))
    listed = [line for line in cos if line.words[0] != "interface-set"]
    for name, own in _expanded(listed, [name for name in names if name in whole]).items():
        on_port = [line for line in own if line.words and line.words[0] != "unit"]
        first = own[0].number
        of = Interface(name, first, _profile(name, on_port, known) or Profile(name, first))
        for unit, inner in _expanded(below(own, "unit"), names.get(name, [])).items():
            profile = _profile(unit, inner, known)
            if profile:
                of.units[unit] = profile
                above = sets.get(f"{name}.{unit}") or sets.get(name)
                if above:
                    of.above[unit] = above
        for class_set, inner in named(below(on_port, "forwarding-class-set")).items():
            profile = _profile(class_set, inner, known)
            if profile:
                of.class_sets[class_set] = profile
        if of.units and of.own.scheduler_map:
            hidden = [line for line in on_port if line.words[0] == "scheduler-map"]
            sentence = "Units of this interface have queues of their own: this map is left out."
            leave_out(notes, hidden, sentence)
        yield of


def pieces(lines: Sequence[Line], maps: Collection[str], known: Profiles) -> Iterator[Interface]:
    """An interface for each traffic-control profile with a map, and for each map of no profile.

    A text without interfaces is looked at as if each of these stood on one.
    """
    used = set()
    for name, profile in known.items():
        if profile.scheduler_map and profile.scheduler_map.value in maps:
            used.add(profile.scheduler_map.value)
            yield Interface(name, profile.line, profile)
    first = {
        line.words[0]: line.number
        for line in reversed(below(lines, "class-of-service", "scheduler-maps"))
    }
    for name in maps:
        if name not in used:
            line = first[name]
            yield Interface(name, line, Profile(name, line, Value(name, line=line)))


def parted(lines: Sequence[Line]) -> set[str]:
    """The ports that are parted into sub-ports, so that they are no interfaces themselves.

    References
    ----------
    Juniper, Interfaces User Guide, number-of-sub-ports.

    >>> parted([Line(1, "", ("interfaces", "et-0/0/0", "number-of-sub-ports", "2"))])
    {'et-0/0/0'}
    """
    found = [line.words for line in lines if line.active and line.words[0] == "interfaces"]
    return {words[1] for words in found if words[2:3] == ("number-of-sub-ports",)}


def _names(lines: Sequence[Line]) -> dict[str, list[str]]:
    """The interfaces of the configuration, and the units of each."""
    names: dict[str, dict[str, None]] = {}
    for line in lines:
        if line.words[0] == "interfaces" and len(line.words) > 1:
            units = names.setdefault(line.words[1], {})
            if line.words[2:3] == ("unit",):
                units |= dict.fromkeys(line.words[3:4])
    return {name: list(units) for name, units in names.items()}


def _pattern(word: str) -> str:
    """A wildcard, or empty where a word is a name."""
    inner = word.strip("<>")
    if word == "all":
        return "*"
    return inner if "*" in inner or word != inner else ""


def _expanded(lines: list[Line], names: Sequence[str]) -> dict[str, list[Line]]:
    """Statements by name; a wildcard stands for all names it fits, and counts less than they."""
    by_word = named(lines)
    found: dict[str, list[Line]] = {}
    wild = [word for word in by_word if _pattern(word)]
    if len(wild) * len(names) > _MOST_FITS:
        problem = f"{len(wild):,} wildcards for {len(names):,} names"
        raise TakesTooLongError(problem, by_word[wild[-1]][0].number)
    for word in wild:
        fits = [name for name in names if fnmatchcase(name, _pattern(word))]
        for name in fits or [word]:
            found.setdefault(name, []).extend(by_word[word])
    for word, own in by_word.items():
        if not _pattern(word):
            found.setdefault(word, []).extend(own)
    return found


def _sets(lines: Sequence[Line], known: Profiles, of_sets: list[Line]) -> dict[str, Profile]:
    """Interface, or interface and unit, -> the profile of the interface set that it is in."""
    by_set = {name: _named_profile(own, known) for name, own in named(of_sets).items()}
    found = {}
    for line in below(lines, "interfaces", "interface-set"):
        match line.words:
            case (name, "interface", *member) if len(member) in (1, 3):
                profile = by_set.get(name)
                if profile:
                    of_set = replace(profile, name=name, scheduler_map=None, delay_buffer=None)
                    found[".".join(member[::2])] = of_set
    return found


def _named_profile(lines: Sequence[Line], known: Profiles) -> Profile | None:
    """The traffic-control profile that statements name."""
    profile = None
    for line in below(lines, "output-traffic-control-profile"):
        name = line.words[0]
        if name not in known:
            raise NotDefinedError("traffic-control profile", name, line.number)
        profile = known[name]
    return profile


def _profile(name: str, lines: list[Line], known: Profiles) -> Profile | None:
    """What a profile and the statements beside it say; None if nothing."""
    beside = [line for line in lines if line.words[:1] in (("scheduler-map",), ("shaping-rate",))]
    profile = _named_profile(lines, known)
    if not beside:
        return profile and replace(profile, name=name)
    own = profiles([line._replace(words=(name, *line.words)) for line in beside])[name]
    of = replace(profile or own, name=name)
    of.scheduler_map = own.scheduler_map or of.scheduler_map
    if own.shaping:
        of.shaping, of.shaping_burst = own.shaping, own.shaping_burst
    return of
