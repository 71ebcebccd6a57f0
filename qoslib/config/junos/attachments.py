"""Which scheduler maps hang where on an interface: on the port, its units, or sets of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from qoslib.config.junos.paths import below, named
from qoslib.config.junos.profiles import Profile, profiles
from qoslib.config.junos.references import NotDefinedError
from qoslib.config.junos.statements import Said
from qoslib.config.source import TakesTooLongError

__all__ = ["Interface", "interfaces", "parted"]

#: So many wildcards times names are tried.
_MOST_FITS = 500_000
_PROFILE = "output-traffic-control-profile"


@dataclass
class Interface:
    """What class of service says of one interface.

    `units` and `class_sets` are nodes of a tree above their own queues; `above` names the
    interface set that a unit is in.
    """

    name: str
    line: int
    own: Profile
    units: dict[str, Profile] = field(default_factory=dict)
    class_sets: dict[str, Profile] = field(default_factory=dict)
    above: dict[str, Profile] = field(default_factory=dict)
    lost: list[tuple[Said, str]] = field(default_factory=list)

    @property
    def shapes(self) -> bool:
        """Whether anything about its queues is configured."""
        own = self.own
        queued = own.scheduler_map or own.shaping or own.guaranteed
        return bool(queued or self.units or self.class_sets)


def _names(of: Sequence[Said]) -> dict[str, list[str]]:
    """The interfaces of the configuration, and the units of each."""
    found: dict[str, list[str]] = {}
    for each in of:
        if each.words[0] == "interfaces" and len(each.words) > 1:
            units = found.setdefault(each.words[1], [])
            if len(each.words) > 3 and each.words[2] == "unit" and each.words[3] not in units[-1:]:
                units.append(each.words[3])
    return {name: list(dict.fromkeys(units)) for name, units in found.items()}


def parted(of: Sequence[Said]) -> set[str]:
    """The ports that are parted into sub-ports, so that they are no interfaces themselves.

    References
    ----------
    Juniper, Interfaces User Guide, number-of-sub-ports.

    >>> parted([Said(("interfaces", "et-0/0/0", "number-of-sub-ports", "2"), 1, "")])
    {'et-0/0/0'}
    """
    found = [each.words for each in of if each.active and each.words[0] == "interfaces"]
    return {words[1] for words in found if words[2:3] == ("number-of-sub-ports",)}


def _pattern(word: str) -> str:
    """A wildcard, or empty where a word is a name."""
    inner = word.strip("<>")
    if word == "all":
        return "*"
    return inner if "*" in inner or word != inner else ""


def _expanded(said: list[Said], names: Sequence[str]) -> dict[str, list[Said]]:
    """Statements by name; a wildcard stands for all names it fits, and counts less than they."""
    by_word = named(said)
    found: dict[str, list[Said]] = {}
    wild = [word for word in by_word if _pattern(word)]
    if len(wild) * len(names) > _MOST_FITS:
        problem = f"{len(wild):,} wildcards for {len(names):,} names"
        raise TakesTooLongError(problem, by_word[wild[-1]][0].line)
    for word, own in by_word.items():
        pattern = _pattern(word)
        fits = [name for name in names if pattern and fnmatchcase(name, pattern)]
        for name in fits:
            found.setdefault(name, []).extend(own)
        if pattern and not fits:
            found.setdefault(word, []).extend(own)
    for word, own in by_word.items():
        if not _pattern(word):
            found.setdefault(word, []).extend(own)
    return found


def _sets(said: Sequence[Said], known: dict[str, Profile], cos: list[Said]) -> dict[str, Profile]:
    """Interface, or interface and unit, -> the profile of the interface set that it is in."""
    profile = {}
    for name, own in named(below(cos, "interfaces", "interface-set")).items():
        given = _named_profile(own, known)
        if given:
            profile[name] = given
    found = {}
    for each in below(said, "interfaces", "interface-set"):
        match each.words:
            case (name, "interface", port, "unit", unit) if name in profile:
                found[f"{port}.{unit}"] = _called(profile[name], name)
            case (name, "interface", port) if name in profile:
                found[port] = _called(profile[name], name)
    return found


def _called(profile: Profile, name: str) -> Profile:
    return Profile(
        name, profile.line, None, profile.shaping, profile.guaranteed, profile.excess, None
    )


def _named_profile(own: Sequence[Said], known: dict[str, Profile]) -> Profile | None:
    found = None
    for each in below(own, _PROFILE):
        name = each.words[0]
        if name not in known:
            raise NotDefinedError("traffic-control profile", name, each.line)
        found = known[name]
    return found


def _profile(name: str, own: list[Said], known: dict[str, Profile]) -> Profile | None:
    """What a profile and the statements beside it say; None if nothing."""
    beside = [
        each for each in own if each.words and each.words[0] in ("scheduler-map", "shaping-rate")
    ]
    given = _named_profile(own, known)
    if not beside and given is None:
        return None
    of = Profile(name, beside[0].line if beside else 0)
    if given:
        of = Profile(**{**vars(given), "name": name})
    if beside:
        again = profiles([each._replace(words=(name, *each.words)) for each in beside])[name]
        of.scheduler_map = again.scheduler_map or of.scheduler_map
        of.shaping = again.shaping or of.shaping
    return of


def interfaces(said: Sequence[Said], known: dict[str, Profile]) -> list[Interface]:
    """Every interface that class of service names; wildcards become the names that they fit."""
    names = _names(said)
    whole = names.keys() - parted(said)
    cos = below(said, "class-of-service")
    sets = _sets(said, known, cos)
    listed = [each for each in below(cos, "interfaces") if each.words[0] != "interface-set"]
    found = []
    for name, own in _expanded(listed, [name for name in names if name in whole]).items():
        on_port = [each for each in own if each.words and each.words[0] != "unit"]
        line = own[0].line
        of = Interface(name, line, _profile(name, on_port, known) or Profile(name, line))
        for unit, lines in _expanded(below(own, "unit"), names.get(name, [])).items():
            given = _profile(unit, lines, known)
            if given:
                of.units[unit] = given
                above = sets.get(f"{name}.{unit}") or sets.get(name)
                if above:
                    of.above[unit] = above
        for each_set, lines in named(below(on_port, "forwarding-class-set")).items():
            given = _profile(each_set, lines, known)
            if given:
                of.class_sets[each_set] = given
        if of.units and of.own.scheduler_map:
            hidden = [each for each in on_port if each.words[0] == "scheduler-map"]
            sentence = "Units of this interface have queues of their own: this map is left out."
            of.lost += [(each, sentence) for each in hidden]
        found.append(of)
    return found
