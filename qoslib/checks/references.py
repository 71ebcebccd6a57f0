"""Rules on what is defined and used nowhere, and on what a filter that is used discards."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from qoslib.checks.rule import Found, rule
from qoslib.config.mqc.interfaces import TYPES
from qoslib.config.mqc.names import BUILT_IN, OWN_POLICIES, is_own
from qoslib.config.records import Configuration, ConfiguredPort, Remark, Statement
from qoslib.config.source import check_time

__all__: list[str] = []

GUIDE = "Cisco IOS QoS configuration guide: a policy acts where service-policy attaches it"
_POLICY = re.compile(r"(?:policy-map (?:type \S+ )?|qos profile )(\S+)")
_ATTACHED = re.compile(
    r"(?:.* )?service-(?:profile |policy (?:type \S+ )?(?:input |output )?)(\S+)"
)
_TO_INTERFACE = re.compile(r"service-(?:profile|policy (?:type \S+ )?(?:input|output)) (\S+)")
#: A policy that is attached or called, and no firewall's.
_USED = re.compile(rf"service-policy (?:type (?:{'|'.join(TYPES)}) )?(?:input |output )?(\S+)")
# The queuing classes of NX-OS are the system's: nobody can define another or take one away.
_CLASS_MAP = re.compile(
    r"class-map (?:type (?!queuing )\S+ )?(?!type )(?:match-(?:any|all) )?(\S+)"
)
#: Commands of queues, which no input has.
_QUEUES = {"bandwidth", "priority", "shape", "queue-limit", "random-detect", "fair-queue"}
#: Marks that are set, and groups that are matched, where packets leave.
_ON_OUTPUT = re.compile(r"set (?:cos|mpls experimental topmost) |set ip-precedence-tunnel ")
_GROUP = re.compile(r"match (?:traffic-class|qos-group|discard-class) ")
#: What policies of the control plane are called; nothing else tells them apart.
_CONTROL_PLANE = re.compile(r"copp|control.?plane|\bcpp\b", re.IGNORECASE)
_WAYS = "input", "output"
_CLASS = re.compile(r"class (?:type \S+ )?(\S+)")
_NESTED = re.compile(r"match (?:not )?class-map (\S+)")


def _lines(configuration: Configuration) -> list[Statement | Remark]:
    return [*configuration.statements, *configuration.remarks]


def _named(configuration: Configuration, pattern: re.Pattern[str]) -> dict[str, int]:
    """Name to the first line that has it, of what was understood and what was not modelled."""
    found: dict[str, int] = {}
    for each in _lines(configuration):
        name = pattern.fullmatch(each.text)
        if name and not BUILT_IN.match(name[1]):
            found.setdefault(name[1], each.line)
    return found


@rule(
    "policy-unattached",
    "warning",
    f"{GUIDE}; Arista EOS User Manual, Quality of Service Configuration Commands, service-profile",
    whole=True,
)
def policy_unattached(configuration: Configuration) -> Iterator[Found]:
    """A policy, or a profile of queues (EOS), is defined and attached nowhere."""
    used = {*_named(configuration, _ATTACHED), *_perhaps_meant(configuration)}
    # A text without any interface is a piece of a configuration, to be looked at as such.
    attached = _named(configuration, _TO_INTERFACE)
    interfaces = any(each.text.startswith("interface ") for each in configuration.statements)
    pieces = {each.policy for each in configuration.ports if each.interface == each.policy}
    profiles = {each.text for each in configuration.by_verb.get("qos", ())}
    policies = _Policies(configuration)
    for name, line in _named(configuration, _POLICY).items():
        check_time(line)
        if configuration.dialect == "nxos" and OWN_POLICIES.match(name):
            # The system attaches them.
            continue
        if name in pieces and name in attached:
            # A line attaches it where the device refuses it.
            continue
        if name not in pieces and (name in used or not (attached or interfaces)):
            continue
        if f"qos profile {name}" in profiles:
            what, where, commands = "Profile", "its interface", f"`service-profile {name}`"
        else:
            what, where = "Policy", _where(policies, name)
            commands = _commands(policies, name)
        how = f"0 lines have it. Below {where}: {commands}."
        if name in pieces:
            said = f"{what} {name} is attached nowhere: it is checked as a piece, on its own line."
            yield Found(line, said, how, "", "info")
        else:
            said = f"{what} {name} is defined and attached nowhere."
            # On which interface, and in which place, its owner knows.
            yield Found(line, said, how, _attach(policies, name))


class _Policies:
    """What a text says of its policies, worked out once for all of them."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration

    @cached_property
    def types(self) -> dict[str, str]:
        """The type of each policy that has one (NX-OS)."""
        found: dict[str, str] = {}
        for each in self.configuration.by_verb.get("policy-map", ()):
            words = each.text.split()
            if len(words) > 3 and words[1] == "type":
                found.setdefault(words[-1], words[2])
        return found

    @cached_property
    def below(self) -> dict[str, list[list[str]]]:
        """The words of the statements below each line, and of what of a policy is not modelled."""
        found: dict[str, list[list[str]]] = {}
        for each in self.configuration.statements:
            for parent in each.parents if each.text else ():
                found.setdefault(parent, []).append(each.text.split())
        # Remarks do not say where they stand: behind the last header before them.
        known = self.configuration.by_verb
        headers = sorted(
            (each.line, each.text)
            for verb in ("policy-map", "class-map", "interface")
            for each in known.get(verb, ())
        )
        lines = [line for line, _ in headers]
        for said in self.configuration.remarks:
            at = bisect_right(lines, said.line) - 1
            if said.text and at >= 0 and headers[at][1].startswith("policy-map "):
                found.setdefault(headers[at][1], []).append(said.text.split())
        return found

    @cached_property
    def by_group(self) -> set[str]:
        """Classes whose packets are told by groups, which are set where they come in."""
        return {
            each.parents[-1].split()[-1]
            for each in self.configuration.by_verb.get("match", ())
            if _GROUP.match(each.text) and each.parents
        }


def _pauses(configuration: Configuration, name: str) -> bool:
    """Whether a policy of queues has thresholds of pause, which are for what comes in (NX-OS)."""
    headers = [each.line for each in configuration.by_verb.get("policy-map", ())]
    first = next(
        each.line
        for each in configuration.by_verb["policy-map"]
        if each.text.split()[1:] == ["type", "queuing", name]
    )
    last = min((line for line in headers if line > first), default=configuration.lines + 1)
    return any(
        first < each.line < last and each.text.startswith("pause ")
        for each in configuration.remarks
    )


def _where(policies: _Policies, name: str) -> str:
    if policies.types.get(name) == "network-qos":
        return "`system qos`"
    control = _way(policies, name) != "output" and _CONTROL_PLANE.search(name)
    return "`control-plane`" if control else "its interface"


def _commands(policies: _Policies, name: str) -> str:
    """What attaches a policy: two commands where it may be for either direction."""
    kind = policies.types.get(name, "")
    typed = f"service-policy {f'type {kind} ' if kind else ''}"
    if kind == "network-qos":
        return f"`{typed}{name}`"
    way = {"queuing": "output", "qos": "input"}.get(kind) or _way(policies, name)
    if kind == "queuing" and _pauses(policies.configuration, name):
        way = "input"
    if _where(policies, name) == "`control-plane`":
        way = "input"
    return " or ".join(f"`{typed}{each} {name}`" for each in ([way] if way else _WAYS))


def _way(policies: _Policies, name: str, deepest: int = 8) -> str:
    """The direction that a policy is for; empty where it only polices, or sets any marks."""
    own = policies.below.get(f"policy-map {name}", [])
    if any(words[0] in _QUEUES for words in own):
        return "output"
    if any(words[:1] == ["set"] and _GROUP.match(f"match {' '.join(words[1:])}") for words in own):
        # What chooses the queue is set on the way to it.
        return "input"
    if any(_ON_OUTPUT.match(" ".join(words)) for words in own):
        return "output"
    classes = {words[-1] for words in own if words[0] == "class"}
    if classes & policies.by_group:
        return "output"
    below = [words[-1] for words in own if words[0] == "service-policy"] if deepest else []
    ways = {_way(policies, child, deepest - 1) for child in below}
    return next((way for way in ("output", "input") if way in ways), "")


def _attach(policies: _Policies, name: str) -> str:
    """To the whole switch, where it has no policy of this type yet (NX-OS).

    On which interface a policy belongs, and in which direction, nobody else can say.
    """
    before = "service-policy type network-qos "
    lines = _lines(policies.configuration)
    if policies.types.get(name) != "network-qos" or any(e.text.startswith(before) for e in lines):
        return ""
    return f"system qos\n {before}{name}"


@rule("class-unused", "info", GUIDE, whole=True)
def class_unused(configuration: Configuration) -> Iterator[Found]:
    """A class is defined and no policy has it."""
    if _absent_policies(configuration):
        # They may have any class.
        return
    used = {*_named(configuration, _CLASS), *_named(configuration, _NESTED)}
    used |= _perhaps_meant(configuration)
    for name, line in _named(configuration, _CLASS_MAP).items():
        if name not in used:
            yield Found(
                line,
                f"Class {name} is defined and no policy has it.",
                f"0 lines have class {name}.",
                f"no class-map {name}",
            )


def _absent_policies(configuration: Configuration) -> set[str]:
    """Policies that are attached or called, and that the text does not hold."""
    absent = _named(configuration, _USED).keys() - _named(configuration, _POLICY)
    nxos = configuration.dialect == "nxos"
    return {name for name in absent if not (nxos and OWN_POLICIES.match(name))}


def _perhaps_meant(configuration: Configuration) -> set[str]:
    """Names in lines that are refused or not understood, and those that may be meant there."""
    odd = [f"{each.text} {each.lost}" for each in configuration.remarks if each.kind in _ODD]
    return {word.strip(_MARKS) for each in odd for word in each.split()}


_ODD = ("refused", "unknown")
#: What stands around names.
_MARKS = ".,:;?()[]{}'\"`"
_DELETE = "delete class-of-service "
#: Levels of Junos of which nothing is read.
_OF_OTHERS = re.compile(r"(?:\S+[#>%]\s+(?:set )?)?(?:dynamic-profiles|logical-systems) ")
#: A statement of Junos that takes others away, or back.
_MOVE = re.compile(r"(?:\S+[#>%]\s+)?(?:delete|deactivate|activate)\b")


def _junos(configuration: Configuration, pattern: str, *, read: bool = False) -> dict[str, int]:
    """Names in Junos statements, whose parents and text make a `set` line; or of what is `read`."""
    found: dict[str, int] = {}
    for each in _lines(configuration):
        parents = getattr(each, "parents", ())
        whole = " ".join([*parents, each.text]).removeprefix("set ")
        if _MOVE.match(whole) or (read and _OF_OTHERS.match(whole)):
            continue
        for name in re.findall(pattern, whole):
            found.setdefault(name, each.line)
    return found


@rule(
    "scheduler-unused",
    "warning",
    "Juniper, Class of Service User Guide: scheduler maps, applied to interfaces",
    whole=True,
)
def scheduler_unused(configuration: Configuration) -> Iterator[Found]:
    """A scheduler map is on no interface, or a scheduler in no map (Junos)."""
    if configuration.dialect != "junos":
        return
    for what, defined, used, fix in (
        (
            "Scheduler map",
            r"class-of-service scheduler-maps (\S+)",
            # What is listed in braces stands without those above it.
            r"(?:^|(?:interfaces|traffic-control-profiles) .*)(?:input-)?scheduler-map (\S+)",
            "scheduler-maps {}",
        ),
        (
            "Scheduler",
            r"class-of-service schedulers (\S+)",
            r"scheduler-maps .*scheduler (\S+)",
            "schedulers {}",
        ),
    ):
        names = {each.strip(";{}") for each in _junos(configuration, used)}
        if not names:
            continue
        names |= _perhaps_meant(configuration)
        for name, line in _junos(configuration, defined).items():
            if name not in names:
                yield Found(
                    line,
                    f"{what} {name} is defined and used nowhere.",
                    "0 lines use it.",
                    _DELETE + fix.format(name),
                )


#: What is read of a piece of a configuration, and how each begins.
_PARTS = {
    "class": r"class-of-service forwarding-classes (?:class|queue \d+) (\S+)",
    "classifier": r"class-of-service classifiers \S+ (\S+)",
    "rewrite rule": r"class-of-service rewrite-rules \S+ (\S+)",
    "drop profile": r"class-of-service drop-profiles (\S+)",
    "scheduler": r"class-of-service schedulers (\S+)",
    "scheduler map": r"class-of-service scheduler-maps (\S+)",
    "traffic-control profile": r"class-of-service traffic-control-profiles (\S+)",
    "policer": r"firewall (?:three-color-)?policer (\S+)",
}
_MOST_NAMES = 8


@rule(
    "piece-without-interface",
    "info",
    "Juniper, Class of Service User Guide: scheduler maps, applied to interfaces",
    whole=True,
)
def piece_without_interface(configuration: Configuration) -> Iterator[Found]:
    """A text has no interface with queues or policers: what was read of it (Junos)."""
    ports = [port for port in configuration.ports if port.interface != port.policy]
    lines = _lines(configuration)
    if configuration.dialect != "junos" or ports or not lines:
        return
    said = []
    for kind, pattern in _PARTS.items():
        names = [name.strip(";{}") for name in _junos(configuration, pattern, read=True)]
        names = list(dict.fromkeys(filter(None, names)))
        more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
        words = ", ".join([*names[:_MOST_NAMES], *more])
        said += [f"{kind if len(names) == 1 else _plural(kind)} {words}"] if names else []
    # A subscriber's profile has its interface itself.
    if not said and _junos(configuration, r"^(?:dynamic-profiles|logical-systems) (\S+)"):
        return
    pieces = [port.interface for port in configuration.ports]
    on = pieces[0] if pieces else "NAME"
    yield Found(
        lines[0].line,
        "No interface of this text has queues: it is read as a piece.",
        f"Read: {'; '.join(said) or 'no class and no scheduler'}. `set class-of-service interfaces"
        f" INTERFACE scheduler-map {on}` puts a scheduler map on a port.",
    )


@rule(
    "nothing-checked",
    "warning",
    "docs/checking.md: without a port with queues or policers nothing is checked",
    whole=True,
)
def nothing_checked(configuration: Configuration) -> Iterator[Found]:
    """The text is about quality of service, and no port with queues or policers is read."""
    ports = [each for each in configuration.ports if each.direction == "out" or each.port]
    if ports or not configuration.spoken:
        return
    lost = dict.fromkeys(each.lost for each in configuration.remarks)
    why = [*_without_port(configuration)] or [*lost][:_MOST_REASONS]
    yield Found(
        min(configuration.spoken),
        "No port with queues or policers is read from this text, so nothing is checked.",
        " ".join(why),
    )


def _without_port(configuration: Configuration) -> Iterator[str]:
    """Why no policy of the text makes a port, a sentence each (Cisco)."""
    if not configuration.dialect.startswith(("ios", "nxos")):
        return
    own = OWN_POLICIES if configuration.dialect == "nxos" else BUILT_IN
    every = _named(configuration, _POLICY)
    policies = [name for name in every if not own.match(name)]
    if every and not policies:
        yield "Its policies are the platform's own: what they do is not modelled."
    marking = {
        port.policy
        for port in configuration.ports
        if port.policy in policies and not port.missing and not _polices(port)
    }
    used = _named(configuration, _ATTACHED)
    unattached = [name for name in policies if name not in used]
    if unattached:
        yield f"No interface has {_policies(unattached)}."
    if marking:
        yield f"What comes in is only marked, by {_policies(sorted(marking))}."


def _polices(port: ConfiguredPort) -> bool:
    return any(each.text.startswith("police") for of in port.classes for each in of.statements)


def _policies(names: list[str]) -> str:
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    kind = "policy" if len(names) == 1 else _plural("policy")
    return f"{kind} {', '.join([*names[:_MOST_NAMES], *more])}"


#: So many reasons of lines that are not in the models are said.
_MOST_REASONS = 3


def _plural(kind: str) -> str:
    if kind.endswith("y"):
        return f"{kind[:-1]}ies"
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


@rule(
    "name-not-in-text",
    "warning",
    "Juniper, CLI User Guide: a commit fails where a name is used and not defined; Cisco, Catalyst"
    " 4500 Command Reference, service-policy: the name of a previously configured policy map",
    whole=True,
)
def name_not_in_text(configuration: Configuration) -> Iterator[Found]:
    """A class map, policy, filter, policer, scheduler, map or group is used and not in the text."""
    absent: dict[str, dict[str, int]] = {}
    sentences: dict[str, str] = {}
    for each in configuration.remarks:
        if said := _ABSENT.fullmatch(each.lost):
            names = absent.setdefault(said[1], {})
            names.setdefault(each.text.split()[-1].rstrip(";"), each.line)
            sentences[said[1]] = said[2] or ""
    absent["class-map"] = _absent_classes(configuration)
    sentences["class-map"] = ": which packets belong there is unknown"
    policies = _named(configuration, _POLICY)
    for name, line in _named(configuration, _NETWORK).items():
        if name not in policies and not OWN_POLICIES.match(name):
            absent.setdefault("network-qos policy", {})[name] = line
            sentences["network-qos policy"] = ": what pauses and how large frames are is unknown"
    for kind, lines in absent.items():
        if not lines:
            continue
        few = [*lines][:_MOST_NAMES]
        more = [f"{len(lines) - _MOST_NAMES} more"] if len(lines) > _MOST_NAMES else []
        which = kind if len(lines) == 1 else _plural(kind)
        # Without any class map the text is plainly a piece: a class keeps all but its packets.
        piece = kind == "class-map" and not configuration.by_verb.get("class-map")
        yield Found(
            min(lines.values()),
            f"The text does not hold {which} {', '.join([*few, *more])}{sentences[kind]}.",
            "Give the text that defines what is missing as well: a device takes no name that"
            " nothing defines.",
            "",
            "info" if piece else None,
        )


def _absent_classes(configuration: Configuration) -> dict[str, int]:
    """Class maps that a policy or another class map uses, and that the text does not define."""
    nxos = configuration.dialect == "nxos"
    if not nxos and not configuration.dialect.startswith("ios"):
        return {}
    defined = {each.text.split()[-1] for each in configuration.by_verb.get("class-map", ())}
    for each in configuration.remarks:
        defined.update(each.text.split() if each.kind in _ODD else ())
    known = configuration.by_verb
    used = [(each.line, _CLASS.fullmatch(each.text)) for each in known.get("class", ())]
    used += [(each.line, _NESTED.fullmatch(each.text)) for each in known.get("match", ())]
    names: dict[str, int] = {}
    for line, said in used:
        if said and said[1] not in defined and not is_own(said[1], nxos):
            names.setdefault(said[1], line)
    return names


#: A policy of the whole switch (NX-OS).
_NETWORK = re.compile(r"service-policy type network-qos (\S+)")
_ABSENT = re.compile(
    r"The text does not hold this (policy-map|filter|policer|scheduler(?: map)?|group)(: [^.]*)?\."
)
_TERM = re.compile(r"\bfirewall ((?:family \S+ )?)filter (\S+) term (\S+)(.*)")
_FILTERED = re.compile(r"\binterfaces (?!lo\d)(?:.* )?filter (?:input|output) (\S+)")


@rule(
    "filter-discards-rest",
    "error",
    "Juniper, Firewall Filters User Guide: a filter ends in an implicit `then discard`",
    whole=True,
)
def filter_discards_rest(configuration: Configuration) -> Iterator[Found]:
    """A filter that polices or classifies discards what none of its terms match (Junos)."""
    if configuration.dialect != "junos":
        return
    used: set[str] = set()
    terms: dict[tuple[str, str], dict[str, list[str]]] = {}
    lines: dict[tuple[str, str], int] = {}
    for each in _lines(configuration):
        parents = getattr(each, "parents", ())
        whole = " ".join([*parents, each.text]).removeprefix("set ").rstrip(";")
        used.update(_FILTERED.findall(whole))
        if said := _TERM.search(whole):
            family, name, term, rest = said.groups()
            terms.setdefault((family, name), {}).setdefault(term, []).append(rest.strip())
            lines[family, name] = max(each.line, lines.get((family, name), 0))
    names = Counter(name for _, name in terms)
    for (family, name), own in terms.items():
        which = f"Filter {name}" if names[name] == 1 else f"Filter {name} ({family.strip()})"
        every = any(
            not any(one.startswith("from") or one == "then next term" for one in said)
            for said in own.values()
        )
        if name in used and not every:
            yield Found(
                lines[family, name],
                f"{which} discards every packet that none of its terms match.",
                f"No term takes all that is left after {', '.join(own)}: it meets the implicit"
                " discard.",
                f"set firewall {family}filter {name} term all-other-traffic then accept",
            )
