"""Rules on what is defined and used nowhere, or used and defined nowhere (Cisco, EOS)."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from qoslib.checks.fixes_mqc import code_points
from qoslib.checks.manners import manners_of
from qoslib.checks.names import (
    GROUPS,
    attachment,
    class_map,
    class_name,
    lines_of,
    nested_class,
    odd,
    perhaps_meant,
    policy_name,
)
from qoslib.checks.rule import Found, rule
from qoslib.config.code_points import read_word
from qoslib.config.cut import CUT
from qoslib.config.mqc.commands import verbs_giving
from qoslib.config.mqc.interfaces import TYPES
from qoslib.config.mqc.names import BUILT_IN, OWN_POLICIES, is_own
from qoslib.config.records import Configuration, ConfiguredPort, Remark, Statement
from qoslib.config.source import check_time
from qoslib.config.sros.text import UNATTACHED

__all__ = ["listed_names", "plural"]

Command = Statement | Remark
GUIDE = "Cisco IOS QoS configuration guide: a policy acts where service-policy attaches it"
#: Commands of queues, which no input has.
_QUEUES = {*verbs_giving("a queue", "a change")}
#: Marks that are set where packets leave.
_ON_OUTPUT = (
    ("set", "cos"),
    ("set", "mpls", "experimental", "topmost"),
    ("set", "ip-precedence-tunnel"),
)
#: What policies of the control plane are called; nothing else tells them apart.
_CONTROL_PLANE = ("copp", "controlplane")
_NETWORK = "network-qos"
_WAYS = "input", "output"
#: The direction of policies of a type.
_WAY_OF_TYPE = {"queuing": "output", "qos": "input"}
_MOST_NAMES = 8
#: So many reasons of lines that are not in the models are said.
_MOST_REASONS = 3


def _defined(configuration: Configuration) -> dict[str, int]:
    """Policies and profiles of queues by name, without those that a switch writes by itself."""
    found = lines_of(configuration, policy_name)
    return {name: line for name, line in found.items() if not BUILT_IN.match(name)}


def _attached(said: Command) -> str:
    """The policy that a command attaches or calls, even behind other words."""
    found = attachment(said)
    return found.name if found else ""


def _to_interface(said: Command) -> str:
    """The policy that a command attaches to an interface."""
    found = attachment(said)
    return found.name if found and found.alone and (found.way or found.profile) else ""


def _of_queues(said: Command) -> str:
    """The policy, and no firewall's, that a command attaches or calls."""
    found = attachment(said)
    known = found and found.alone and not found.profile and found.kind in {*TYPES, ""}
    return found.name if found and known else ""


def _of_network(said: Command) -> str:
    """The policy of the whole switch that a command attaches (NX-OS)."""
    found = attachment(said)
    of_network = found and found.alone and found.kind == _NETWORK and not found.way
    return found.name if found and of_network else ""


@rule(
    "policy-unattached",
    "warning",
    f"{GUIDE}; Arista EOS User Manual, Quality of Service Configuration Commands, service-profile;"
    " Nokia, SR OS Quality of Service Guide, Service Egress QoS Policies: a SAP names its policy",
    whole=True,
)
def policy_unattached(configuration: Configuration) -> Iterator[Found]:
    """A policy, or a profile of queues (EOS), is defined but attached nowhere."""
    for each in configuration.remarks:
        if each.lost == UNATTACHED:
            says = f"Policy {each.name} is defined but attached nowhere."
            yield Found(each.line, says, f"0 lines have it. Below a SAP: `egress qos {each.name}`.")
    defined = _defined(configuration)
    if not defined:
        return
    used = {*lines_of(configuration, _attached), *perhaps_meant(configuration)}
    # A text without any interface is a piece of a configuration, to be looked at as such.
    attached = lines_of(configuration, _to_interface)
    switch = any(each.words[1:2] == ("qos",) for each in configuration.by_verb.get("system", ()))
    whole = bool(attached or switch or configuration.by_verb.get("interface"))
    pieces = {port.policy for port in configuration.ports if port.interface == port.policy}
    policies = _Policies(configuration)
    for name, line in defined.items():
        check_time(line)
        if policies.is_own(name) or (name in pieces and name in used):
            # The system attaches its own; of others a line does so where the device refuses it.
            continue
        if name in pieces:
            said = f"{policies.kind(name)} {name} is attached nowhere: it is checked as a piece, on"
            yield Found(line, f"{said} its own line.", policies.how(name), "", "info")
        elif name not in used and whole:
            said = f"{policies.kind(name)} {name} is defined but attached nowhere."
            yield Found(line, said, policies.how(name), policies.fix(name))


class _Policies:
    """What a text says of its policies, worked out once for all of them."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        headers = configuration.by_verb.get("policy-map", ())
        typed = ((said.name, said.words) for said in headers if len(said.words) > 3)
        self.types = {name: words[2] for name, words in typed if words[1] == "type"}
        profiles = configuration.by_verb.get("qos", ())
        self.profiles = {said.name for said in profiles if said.words[1:2] == ("profile",)}

    def is_own(self, name: str) -> bool:
        """Whether the system has a policy by itself (NX-OS)."""
        known = manners_of(self.configuration.dialect).takes_both
        return known and bool(OWN_POLICIES.match(name))

    def kind(self, name: str) -> str:
        """What it is called."""
        return "Profile" if name in self.profiles else "Policy"

    def how(self, name: str) -> str:
        """Below what it would stand, and the commands: two where it may be for either direction."""
        if name in self.profiles:
            return f"0 lines have it. Below its interface: `service-profile {name}`."
        kind, way = self.types.get(name, ""), self._way(name)
        control = way != "output" and _is_control(name)
        where = "`control-plane`" if control else "its interface"
        where = "`system qos`" if kind == _NETWORK else where
        typed = f"service-policy {f'type {kind} ' if kind else ''}"
        ways = ["input"] if control else [_WAY_OF_TYPE.get(kind) or way]
        if kind == "queuing" and self._pauses(name):
            ways = ["input"]
        commands = [f"`{typed}{each} {name}`" for each in (ways if ways[0] else _WAYS)]
        commands = [f"`{typed}{name}`"] if kind == _NETWORK else commands
        return f"0 lines have it. Below {where}: {' or '.join(commands)}."

    def fix(self, name: str) -> str:
        """To the whole switch, where it has no policy of this type yet (NX-OS).

        On which interface a policy belongs, and in which direction, nobody else can say.
        """
        before = "service-policy", "type", _NETWORK
        if self.types.get(name) != _NETWORK:
            return ""
        if any(said.words[:3] == before for said in self.configuration.every):
            return ""
        return f"system qos\n {' '.join(before)} {name}"

    @cached_property
    def below(self) -> dict[str, list[tuple[str, ...]]]:
        """The words of the commands below each line, and of what of a policy is not modelled."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for said in self.configuration.statements:
            for parent in said.parents if said.text else ():
                found.setdefault(_header(parent), []).append((*said.words[:-1], said.name))
        # Remarks do not say where they stand: behind the last header before them.
        verbs = "policy-map", "class-map", "interface"
        headers = [said for verb in verbs for said in self.configuration.by_verb.get(verb, ())]
        headers.sort(key=lambda said: said.line)
        lines = [said.line for said in headers]
        for remark in self.configuration.remarks:
            at = bisect_right(lines, remark.line) - 1
            if remark.text and at >= 0 and headers[at].verb == "policy-map":
                words = (*remark.words[:-1], remark.name)
                found.setdefault(_header(headers[at].text), []).append(words)
        return found

    @cached_property
    def by_group(self) -> set[str]:
        """Classes whose packets are told by groups, which are set where they come in."""
        matches = self.configuration.by_verb.get("match", ())
        return {
            said.parents[-1].split()[-1]
            for said in matches
            if said.parents and said.words[1:2] and said.words[1] in GROUPS
        }

    def _way(self, name: str, deepest: int = 8) -> str:
        """The direction that a policy is for; empty where it only polices, or sets any marks."""
        own = self.below.get(f"policy-map {name}", [])
        if any(words[0] in _QUEUES for words in own):
            return "output"
        if any(words[0] == "set" and words[1:2] and words[1] in GROUPS for words in own):
            # What chooses the queue is set on the way to it.
            return "input"
        if any(words[: len(begin)] == begin for words in own for begin in _ON_OUTPUT):
            return "output"
        if self.by_group.intersection(words[-1] for words in own if words[0] == "class"):
            return "output"
        below = [words[-1] for words in own if words[0] == "service-policy"] if deepest else []
        ways = {self._way(child, deepest - 1) for child in below}
        return next((way for way in ("output", "input") if way in ways), "")

    def _pauses(self, name: str) -> bool:
        """Whether a policy of queues has thresholds of pause, which are for what comes in."""
        headers = self.configuration.by_verb.get("policy-map", ())
        lines = {said.line: said.name for said in headers}
        own = [line for line, of in lines.items() if of == name and self.types.get(of)]
        first = min(own, default=self.configuration.lines)
        last = min((line for line in lines if line > first), default=self.configuration.lines + 1)
        remarks = self.configuration.remarks
        return any(first < each.line < last and each.verb == "pause" for each in remarks)


def _header(text: str) -> str:
    """A header whose first word is in small letters."""
    verb, _, rest = text.partition(" ")
    return f"{verb.lower()} {rest}"


def _is_control(name: str) -> bool:
    """Whether a policy is called as those of the control plane are."""
    spelt = name.lower().replace("-", "").replace("_", "").replace(".", "")
    parts = name.lower().replace("-", " ").replace(".", " ").split()
    return any(word in spelt for word in _CONTROL_PLANE) or "cpp" in parts


@rule(
    "class-unused",
    "info",
    f"{GUIDE}; Arista EOS User Manual, Traffic Management, Policy Maps: a policy names its classes",
    whole=True,
)
def class_unused(configuration: Configuration) -> Iterator[Found]:
    """A class is defined, but no policy uses it."""
    cut = any(each.lost == CUT for each in configuration.remarks)
    if cut or _absent_policies(configuration):
        # What is missing may have any class.
        return
    used = {*lines_of(configuration, class_name), *lines_of(configuration, nested_class)}
    used |= perhaps_meant(configuration)
    maps = filter(None, map(class_map, configuration.by_verb.get("class-map", ())))
    types = {each.name: f"type {each.kind} " for each in maps if each.kind not in ("", "qos")}
    control = _of_control(configuration)
    for name, line in lines_of(configuration, _of_text).items():
        if name in used or BUILT_IN.match(name):
            continue
        why, fix = f"0 lines have class {name}.", f"no class-map {types.get(name, '')}{name}"
        if name in control and used.isdisjoint(control):
            # To remove it would leave routing where it is.
            why += f" No policy has a class for routing (CS6): `class {name}` would be one."
            fix = ""
        yield Found(line, f"Class {name} is defined, but no policy uses it.", why, fix)


def _of_control(configuration: Configuration) -> set[str]:
    """The class maps that match CS6."""
    matches = configuration.by_verb.get("match", ())
    control = (
        said
        for said in matches
        if "CS6" in {read_word(word, "cisco") for word in code_points(said.text)}
    )
    return {said.parents[0].split()[-1] for said in control if said.parents}


def _of_text(said: Command) -> str:
    """The class map that a command begins; those of queues are the system's (NX-OS)."""
    found = class_map(said)
    return found.name if found and found.kind != "queuing" else ""


def _absent_policies(configuration: Configuration) -> set[str]:
    """Policies that are attached or called, and that the text does not hold."""
    absent = lines_of(configuration, _of_queues).keys() - _defined(configuration)
    policies = _Policies(configuration)
    return {name for name in absent if not BUILT_IN.match(name) and not policies.is_own(name)}


@rule(
    "nothing-checked",
    "warning",
    "docs/checking.md: without a port with queues or policers nothing is checked",
    whole=True,
)
def nothing_checked(configuration: Configuration) -> Iterator[Found]:
    """The text is about quality of service, and no port with queues or policers is read."""
    # What waits for a fact is read, and the report asks for it.
    ports = [p for p in configuration.ports if p.direction == "out" or p.port or p.missing]
    if ports or not configuration.spoken:
        return
    lost = dict.fromkeys(remark.lost for remark in configuration.remarks)
    why = [*_without_port(configuration)] or [*lost][:_MOST_REASONS]
    yield Found(
        min(configuration.spoken),
        "No port with queues or policers is read from this text, so nothing is checked.",
        " ".join(why),
    )


def _without_port(configuration: Configuration) -> Iterator[str]:
    """Why no policy of the text makes a port, a sentence each (Cisco)."""
    if manners_of(configuration.dialect).family != "cisco":
        return
    defined, own = _defined(configuration), _Policies(configuration)
    policies = [name for name in defined if not own.is_own(name)]
    if defined and not policies:
        yield "Its policies are the platform's own: what they do is not modelled."
    marking = {
        port.policy
        for port in configuration.ports
        if port.policy in policies and not port.missing and not _gives_rates(port)
    }
    used = lines_of(configuration, _attached)
    unattached = [name for name in policies if name not in used]
    if unattached:
        yield f"No interface has {listed_names('policy', unattached)}."
    # A policer that counts packets is a remark alone.
    if marking and not any(each.verb == "police" for each in configuration.remarks):
        yield f"What comes in is only marked, by {listed_names('policy', sorted(marking))}."


def _gives_rates(port: ConfiguredPort) -> bool:
    return any(not {*of.verbs}.isdisjoint({"police", *_QUEUES}) for of in port.classes)


def listed_names(kind: str, names: Sequence[str]) -> str:
    """Names with what they are of, of which many are counted.

    >>> listed_names("policy", ["WAN", "LAN"])
    'policies WAN, LAN'
    """
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    of = kind if len(names) == 1 else plural(kind)
    return f"{of} {', '.join([*names[:_MOST_NAMES], *more])}"


def plural(kind: str) -> str:
    """The plural of a noun.

    >>> plural("policy"), plural("class"), plural("filter")
    ('policies', 'classes', 'filters')
    """
    if kind.endswith("y"):
        return f"{kind[:-1]}ies"
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


@rule(
    "name-not-in-text",
    "warning",
    "Juniper, CLI User Guide: a commit fails where a name is used and not defined; Cisco, Catalyst"
    " 4500 Command Reference, service-policy: the name of a previously configured policy map;"
    " docs/checking.md: a name that is not in the text has no effect here",
    whole=True,
)
def name_not_in_text(configuration: Configuration) -> Iterator[Found]:
    """A class, policy, filter, policer, scheduler, map or group is used and not in the text."""
    for (kind, sentence), lines in _absent(configuration).items():
        # Without any class map or class the text is plainly a piece: a class keeps all but its
        # packets or its defaults.
        piece = kind == _CLASS or (
            kind == "class-map" and not configuration.by_verb.get("class-map")
        )
        yield Found(
            min(lines.values()),
            f"The text does not hold {listed_names(kind, [*lines])}{sentence}"
            f"{'' if sentence.endswith('?') else '.'}",
            "Give the text that defines what is missing as well: a device takes no name that"
            " nothing defines.",
            "",
            "info" if piece else None,
        )


#: How a reader says that something is used and not defined.
_SAID = "The text does not hold this "


def _absent(configuration: Configuration) -> dict[tuple[str, str], dict[str, int]]:
    """What is absent and what that means -> names, and the first line of each."""
    absent: dict[str, dict[str, int]] = {}
    sentences: dict[str, str] = {}
    for remark in configuration.remarks:
        if remark.lost.startswith(_SAID):
            kind, colon, rest = remark.lost.removeprefix(_SAID).rstrip(".").partition(": ")
            # Of a class in a classifier the line may not say its name.
            if "." not in rest and kind in _KINDS and (kind != _CLASS or rest):
                names = absent.setdefault(kind, {})
                names.setdefault(_name_of(remark, kind), remark.line)
                sentences[kind] = colon + rest
    absent["class-map"] = _absent_classes(configuration)
    sentences["class-map"] = ": which packets belong there is unknown"
    defined = _defined(configuration)
    for name, line in lines_of(configuration, _of_network).items():
        if name not in defined and not OWN_POLICIES.match(name):
            absent.setdefault("network-qos policy", {})[name] = line
            sentences["network-qos policy"] = ": what pauses and how large frames are is unknown"
    return {(kind, sentences[kind]): names for kind, names in absent.items() if names}


#: Of Junos, and the word in front of its name.
_CLASS, _CLASS_WORD = "forwarding class", "forwarding-class"
_KINDS = {
    "policy-map", "filter", "policer", "scheduler", "scheduler map", "group", _CLASS,
    "sap-egress policy", "network-queue policy", "scheduler policy",
}  # fmt: skip


def _name_of(remark: Remark, kind: str) -> str:
    """The name that a line uses and nothing defines: of a class behind its word, else the last."""
    words = remark.text.split()
    if kind == _CLASS and _CLASS_WORD in words[:-1]:
        return words[words.index(_CLASS_WORD) + 1]
    return remark.name.rstrip(";")


def _absent_classes(configuration: Configuration) -> dict[str, int]:
    """Class maps that a policy or another class map uses, and that the text does not define."""
    manners = manners_of(configuration.dialect)
    if manners.family != "cisco":
        return {}
    verbs = configuration.by_verb
    defined = {said.name for said in verbs.get("class-map", ())}
    defined.update(word for said in odd(configuration) for word in said.text.split())
    used = [(said.line, class_name(said)) for said in verbs.get("class", ())]
    used += [(said.line, nested_class(said)) for said in verbs.get("match", ())]
    names: dict[str, int] = {}
    for line, name in used:
        if name and name not in defined and not is_own(name, manners.takes_both):
            names.setdefault(name, line)
    return names
