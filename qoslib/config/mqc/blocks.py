"""The blocks of a configuration: which line belongs to which class, policy or interface."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from qoslib.config.cut import CUT, ends_early
from qoslib.config.lines import SLIP, Line, nearest
from qoslib.config.mqc.commands import (
    COMMANDS,
    VERBS,
    apply,
    gives_rate,
    name_of,
    withdraw,
)
from qoslib.config.mqc.interfaces import DCBX, INTERFACE, SEVERAL, TYPES, interface_line, is_service
from qoslib.config.mqc.matches import match
from qoslib.config.mqc.names import BUILT_IN, SYSTEM
from qoslib.config.mqc.police import ACTIONS
from qoslib.config.mqc.policies import (
    NETWORK,
    Interface,
    Match,
    Named,
    Policies,
    Policy,
    PolicyClass,
    Selection,
    key_of,
    plain,
    whole_of,
)
from qoslib.config.mqc.spelling import OF_BLOCK, OF_DEVICE, spelt
from qoslib.config.mqc.turns import turns_of
from qoslib.config.provenance import Provenance
from qoslib.config.records import Statement
from qoslib.config.source import check_time
from qoslib.config.values import Value
from qoslib.config.words import NotUnderstood, Refused, Words, begun, lines_of

__all__ = ["policies_of"]

_OPENING = {
    "class-map",
    "policy-map",
    "interface",
    "control-plane",
    "table-map",
    "map-class",
    "vc-class",
    "service-group",
}
#: Commands that are about queues wherever they stand.
_OF_A_CLASS = {"class", *(verb for verb in VERBS if COMMANDS[verb].read)} - {"set", "fair-queue"}
#: Of these, what has no other place, so that it is of the class before it wherever it begins.
_ONLY_IN_A_CLASS = _OF_A_CLASS - {"service-policy"}
#: Of these, what an interface says of other things as well.
_OF_PORTS = {"bandwidth"}
#: What an interface keeps for later.
_KEPT = {*INTERFACE, *(words[0] for words in SEVERAL), "clock", "no"}
_HEADERS = ("class-map", "policy-map", "interface")
#: A command that is so near to one of these, or to the others of an interface, is meant to be one.
_OF_INTERFACE = ("service-policy", "bandwidth")
#: In a text without indentation, so is one that is so near to a command of the block.
_NEAR_IN_BLOCK = 0.8
_CLOSING = {"end-policy-map", "end-class-map", "end", "exit-policy-map", "exit-class-map"}
_LIST = re.compile(
    r"(?:ip |ipv4 |ipv6 |mac |ethernet-services? )?access-list (?:standard |extended )?(\S+)"
)
_SOFTMAX = ("qos", "queue-softmax-multiplier")
_HARDWARE = "How the line cards are set up for queues is left out."
#: Lines of their own -> what is lost.
_GLOBAL = {
    (
        "mls",
        "qos",
    ): "The queues of this switch have numbers; only four in turn (`wrr-queue`) are read.",
    ("priority-list",): "Priority queueing by list is left out.",
    ("queue-list",): "Custom queueing is left out.",
    ("auto", "qos"): "What AutoQoS makes is read where it is written out.",
    ("hardware", "qos"): _HARDWARE,
    ("hardware", "profile", "buffer"): _HARDWARE,
    ("hardware", "profile", "pfc"): _HARDWARE,
    ("priority-flow-control",): "Pause by priority is left out: a full queue drops.",
    ("qos", "copy"): "What is copied is read where it is written out.",
    ("qos", "shared-policer"): "A policer that several classes share is left out.",
    ("qos", "wireless-default-untrust"): "What the switch trusts is left out: marks stay.",
    ("qos", "statistics"): "Nothing is lost: it counts packets.",
    ("lldp", "tlv-select", "dcbxp"): DCBX,
    ("hw-module", "qos"): _HARDWARE,
    ("hw-module", "profile", "qos"): _HARDWARE,
    ("hw-module", "profile", "priority-flow-control"): _HARDWARE,
    ("access-list", "rate-limit"): "Committed access rate, before `police`, is left out.",
    ("random-detect-group",): "Thresholds of early detection by group are left out.",
    ("ip", "nbar"): "Which packets are of an application is left out: give streams its name.",
    ("iphc-profile",): "Headers stay as long as they are.",
    ("qos", "queue-stats-frame-count"): "Nothing is lost: it counts packets.",
    ("platform", "qos"): "Nothing is lost: it sets what is counted and shown.",
    ("congestion-control", "random-detect", "forward-nonecn"): (
        "WRED drops packets here that cannot be marked; the switch keeps them until their queue is"
        " full."
    ),
    ("switch-fabric", "service-policy"): "Queues of the switch fabric are left out.",
}
_OF_PROCESSOR = "The platform's own, for its processor: it is no part of a port."
#: Cisco, Nexus 5000 NX-OS QoS Configuration Guide, Buffering and Queue Limits: an ingress buffer.
_OF_NETWORK = "Memory that the whole switch keeps for a class is left out: give buffer_bytes."
_OF_WIRELESS = "The platform's own, for its wireless ports: what they do is left out."
_OF_OTHERS = "A policy of what is no interface here is left out: nothing is promised of it."
_FOR_EACH = "Each tunnel of the group has a copy of this policy: the rates here are for one."
#: A policy that a hub gives to its spokes (DMVPN).
_OF_GROUP = re.compile(
    r"(?:ip |ipv6 )?nhrp map group \S+ service-policy output (\S+)", re.IGNORECASE
)
_OF_SERVICE_GROUP = (
    "Service groups, whose members share one policy, are left out: nothing is promised of them."
)
_BELOW_UNKNOWN = "It is below a line that is not understood."
#: Blocks of which nothing is read -> what is lost.
_ELSEWHERE = {
    "table-map": "New marks are left out: streams keep the mark that you give them.",
    "map-class": "Frame Relay's circuits are left out.",
    "vc-class": "The rates of ATM's circuits are left out.",
}


#: What is lost of circuits that have policies.
_OF_CIRCUITS = _ELSEWHERE["map-class"], _ELSEWHERE["vc-class"]


def policies_of(text: str) -> Policies:
    """All that a text defines."""
    reading, lines = _Reading(), lines_of(text)
    for line in lines:
        check_time(line.number)
        try:
            reading.take(line)
        except Refused as problem:
            # A device goes on as well, and has all but this line.
            reading.notes.refused(line.number, line.text, problem)
    # A device shows its policies before its interfaces: one behind them was added by hand.
    within = reading.block in ("class_map", "policy_map") and not reading.held
    if lines and ends_early(text, within):
        reading.notes.not_modelled(lines[-1].number, lines[-1].text, CUT)
    reading.finish()
    return reading.found


class _Reading:
    """Where the reading stands: in which block, and in which class of it.

    `left` is what is lost by all lines of a block of which nothing is read, and `loose` whether the
    lines of the block have no indentation; None before the first of them.
    """

    def __init__(self) -> None:
        self.found = Policies()
        self.notes = self.found.notes
        self.held: dict[str, list[Line]] = {}
        self.lists: dict[str, int] = {}
        self.groups: dict[str, list[Line]] = {}
        self.last = 0
        self.close()

    def close(self) -> None:
        """Leave the block."""
        self.block = self.header = self.left = self.interface = ""
        self.loose: bool | None = None
        self.selection: Selection | None = None
        self.policy: Policy | None = None
        self.part: PolicyClass | None = None

    def take(self, line: Line) -> None:
        """Read one line."""
        line = spelt(line, self.block if not line.top or self.loose is not False else "")
        if listed := _LIST.match(line.text):
            self.lists.setdefault(listed[1], line.number)
        if line.verb in _CLOSING:
            self.close()
        elif line.top and line.text.lower() == SYSTEM:
            self.close()
            self._open_interface(line, SYSTEM)
        elif line.verb in _OPENING and (line.verb != "control-plane" or line.top):
            self.close()
            self._open(line)
        elif self.block and self._belongs(line):
            getattr(self, f"_in_{self.block}")(line)
        else:
            self.close()
            if line.verb == "no":
                self._without_block(line)
            self._alone(line)
        self.last = line.number

    def _understood(self, line: Line, *parents: str) -> None:
        text = "description" if line.verb == "description" else line.text
        self.notes.understood(line.number, text, *parents)

    def _lost(self, line: Line, lost: str) -> None:
        self.notes.not_modelled(line.number, line.text, lost)

    def _unknown(self, line: Line) -> None:
        self.notes.unknown(line.number, line.text)

    def _say(self, line: Line, lost: list[str]) -> None:
        """Keep a line of a block, with what is lost of it."""
        if not lost:
            self._understood(line, self.header)
        for each in lost:
            self._lost(line, each)

    def _take_back(self, line: Line, gone: Callable[[Statement], bool]) -> None:
        """Forget what a line that begins with `no` takes back, and list it."""
        kept: list[Statement] = []
        for each in self.notes.statements:
            if gone(each):
                lost = f"Line {line.number} takes it back."
                self.notes.not_modelled(each.line, f"no longer {each.text}", lost)
            else:
                kept.append(each)
        self.notes.statements[:] = kept
        self._understood(line)

    def _without_block(self, line: Line) -> None:
        """Forget a class map or a policy that is taken back."""
        kind, name = (*line.words[1:2], "")[0].lower(), line.words[-1]
        known: dict[str, dict[str, Any]] = {
            "class-map": self.found.selections,
            "policy-map": self.found.policies,
        }
        typed = plain(line.words[3]) if line.words[2:3] == ("type",) and line.words[4:] else ""
        at = key_of(known.get(kind, {}), name, typed)
        if kind in known and known[kind].pop(at, None):
            headers = {
                each.text
                for each in self.notes.statements
                if each.text.startswith(f"{kind} ") and each.name == name
            }
            self._take_back(line, lambda each: bool(headers & {each.text, *each.parents}))

    def _belongs(self, line: Line) -> bool:
        """Whether a line is of this block; texts without indentation go by their words."""
        if self.loose is None:
            self.loose = line.top
        if not line.top:
            return True
        words = OF_BLOCK.get(self.block, ())
        if line.verb == "exit":
            # As typed, behind each class, it may stand at the margin of an indented text.
            return bool(words)
        if self.policy is not None and self._is_of_a_class(line):
            # A device does not look at the indentation.
            return True
        if self.block == "control_plane" and line.verb == "service-policy":
            return True
        return self.loose and (line.verb in words or self._is_slip(line, words))

    def _is_of_a_class(self, line: Line) -> bool:
        """Whether a line of an indented policy has no other place than a class, at any margin."""
        verb = line.words[line.verb == "no" :][:1]
        if verb == ("class",) or self.part is None:
            return verb == ("class",)
        child = verb == ("service-policy",) and len(line.words) == 2
        return child or "".join(verb).lower() in _ONLY_IN_A_CLASS

    def _is_slip(self, line: Line, words: Collection[str]) -> bool:
        """Whether a line of a text without indentation is of this block, though no word is."""
        if line.verb in OF_DEVICE or _header_near(line):
            return False
        if self.block == "interface":
            return bool(nearest(line.verb, _OF_INTERFACE, SLIP))
        below = bool(words) and line.number == self.last + 1
        return below or bool(nearest(line.verb, words, _NEAR_IN_BLOCK))

    def _open(self, line: Line) -> None:
        if line.verb == "interface":
            header, below = _in_one_line(line)
            self._open_interface(header, _interface_name(list(header.words[1:])))
            if below:
                self.take(below)
        elif line.verb == "control-plane":
            self.block = "control_plane"
        elif line.verb == "service-group":
            self.block, self.header = "service_group", line.text
            self.groups.setdefault(line.words[-1], [])
            self._lost(line, _OF_SERVICE_GROUP)
        elif line.verb in _ELSEWHERE:
            self._open_left(line, _ELSEWHERE[line.verb])
        else:
            self._open_definition(line)

    def _open_interface(self, line: Line, name: str) -> None:
        self.block, self.header, self.interface = "interface", line.text, name
        self.held.setdefault(name, []).append(line)

    def _open_left(self, line: Line, lost: str) -> None:
        """Leave a block out, its header with it."""
        self.block, self.left = "left", lost
        self._lost(line, lost)

    def _open_definition(self, line: Line) -> None:
        """Begin a class map or a policy."""
        names, kind = list(line.words[1:]), ""
        if len(names) > 1 and names[0].lower() == "type":
            if names[1].lower() not in TYPES:
                self.block = "left"
                return
            kind, names = names[1], names[2:]
        every: bool | None = None
        if names and names[0].lower() in ("match-any", "match-all"):
            every = names.pop(0).lower() == "match-all"
        if len(names) != 1:
            self.block, self.left = "left", _BELOW_UNKNOWN
            self._unknown(line)
        elif BUILT_IN.match(names[0]):
            processor = names[0].startswith("system-cpp-")
            self._open_left(line, _OF_PROCESSOR if processor else _OF_WIRELESS)
        else:
            self.header = line.text
            self._understood(line)
            self._define(line, names[0], plain(kind), every)

    def _define(self, line: Line, name: str, kind: str, every: bool | None) -> None:
        if line.verb == "class-map":
            self.block = "class_map"
            selections = self.found.selections
            self.selection = selections.setdefault(
                _key(selections, name, kind), Selection(name, line.number, kind=kind)
            )
            self.selection.every = self.selection.every if every is None else every
        else:
            self.block, policies = "policy_map", self.found.policies
            self.policy = policies.setdefault(
                _key(policies, name, kind), Policy(name, line.number, kind=kind)
            )

    def _in_left(self, line: Line) -> None:
        """Within a block of which nothing is read, but the policy of each circuit."""
        if self.left in _OF_CIRCUITS and line.words[:2] == ("service-policy", "output"):
            self.found.of_groups.setdefault(line.words[-1], line)
        if self.left:
            self._lost(line, self.left)

    def _in_mistyped_interface(self, line: Line) -> None:
        """Below a header that is nearly `interface`, of which much is on other things."""
        if line.verb in _OF_A_CLASS and line.verb not in _OF_PORTS:
            self._lost(line, self.left)

    def _in_control_plane(self, line: Line) -> None:
        if line.verb == "service-policy":
            self.found.of_control_plane[line.words[-1]] = line

    def _in_service_group(self, line: Line) -> None:
        if line.verb == "service-policy":
            self.groups[self.header.split()[-1]].append(line)
            self._lost(line, _OF_SERVICE_GROUP)

    def _in_class_map(self, line: Line) -> None:
        assert self.selection is not None
        negated = line.verb == "no" and "".join(line.words[1:2]).lower() == "match"
        if line.verb == "exit":
            self.close()
        elif line.verb == "description":
            self._understood(line, self.header)
        elif negated or line.verb == "match":
            self._match(line, self.selection, negated)
        else:
            self.selection.matches.append(Match(line.number))
            self._unknown(line)

    def _match(self, line: Line, selection: Selection, negated: bool) -> None:
        try:
            found, lost = match(Words(line, 2 if negated else 1))
        except NotUnderstood:
            if not negated:
                selection.matches.append(Match(line.number))
            self._unknown(line)
            return
        if negated:
            selection.matches = [each for each in selection.matches if each != found]
            self._understood(line, self.header)
        else:
            selection.matches.append(found)
            self._say(line, lost)

    def _in_policy_map(self, line: Line) -> None:
        assert self.policy is not None
        if line.verb == "exit":
            if self.part is None:
                self.close()
            self.part = None
        elif line.verb == "class":
            self._class(line, self.policy)
        elif line.verb == "no" and line.words[1:2] == ("class",):
            self._without_class(line, self.policy)
        elif self.part is not None:
            self._command(line, self.part)
        elif line.verb == "description":
            self._understood(line, self.header)
        else:
            self._unknown(line)

    def _class(self, line: Line, policy: Policy) -> None:
        names, kind = list(line.words[1:]), policy.kind
        if len(names) > 2 and names[0].lower() == "type":
            kind, names = plain(names[1]), names[2:]
        if len(names) != 1:
            self.part = PolicyClass("", line.number)
            self._unknown(line)
            return
        new = PolicyClass(names[0], line.number, kind=kind)
        self.part = policy.classes.setdefault(names[0], new)
        self._understood(line, self.header)

    def _without_class(self, line: Line, policy: Policy) -> None:
        self.part, name = None, line.words[-1]
        policy.classes.pop(name, None)
        own, header = self.header, f"class {name}"
        self._take_back(
            line, lambda each: own in each.parents and header in (each.text, *each.parents)
        )

    def _command(self, line: Line, part: PolicyClass) -> None:
        lost: list[str] = []
        try:
            if line.verb == "no":
                withdraw(part, line.words[1:])
                gone = line.text[3:]
                part.statements[:] = [s for s in part.statements if not s.text.startswith(gone)]
            else:
                lost = apply(part, Words(line))
                if part.kind == NETWORK and line.verb != "description":
                    lost = lost or [_OF_NETWORK]
        except NotUnderstood:
            self._unknown(line)
            return
        for each in lost:
            self._lost(line, each)
        statement = Statement(line.number, line.text, (self.header, f"class {part.name}"))
        if not lost:
            self.notes.statements.append(statement)
        if not lost or gives_rate(part, line.number) or line.verb in ACTIONS:
            # What is lost of a rate leaves the rate, and a fix keeps the actions of a policer.
            name = name_of(line.words)
            if name in COMMANDS and COMMANDS[name].single:
                part.statements[:] = [s for s in part.statements if name_of(s.words) != name]
            part.statements.append(statement)

    def _in_interface(self, line: Line) -> None:
        if line.verb == "exit":
            self.close()
        elif "service-policy" in line.words[2:]:
            self._of_others(line)
        elif number := is_service(line):
            self._open_interface(line, f"{self.interface.split(' ')[0]} service instance {number}")
        elif line.verb in _KEPT or (line.verb == "group" and line.words[1:]):
            self.held[self.interface].append(line)
        elif self.interface == SYSTEM or nearest(line.verb, _OF_INTERFACE, SLIP):
            self._unknown(line)

    def _of_others(self, line: Line) -> None:
        """Keep a policy of each tunnel of a group (NHRP); of others nothing is promised."""
        of_group = _OF_GROUP.fullmatch(line.text)
        if of_group:
            self.found.of_groups.setdefault(of_group[1], line)
        self._lost(line, _FOR_EACH if of_group else _OF_OTHERS)

    def _alone(self, line: Line) -> None:
        """Read a line that stands in no block; what a device shows as `name = value` is none."""
        if "=" in line.words:
            return
        words = tuple(word.lower() for word in line.words[line.verb == "no" :][:3])
        if words[:2] == _SOFTMAX:
            self._softmax(line)
            return
        lost = begun(words, _GLOBAL)
        if lost:
            self._lost(line, lost)
        if not line.top:
            if "service-policy" in line.words:
                self._lost(line, _OF_OTHERS)
            return
        if words[:1] == ("qos",) and not lost:
            self._unknown(line)
        near = _header_near(line)
        if near or line.verb in _OF_A_CLASS:
            self._unknown(line)
            self.block = "mistyped_interface" if near == "interface" else "left"
            self.left = _BELOW_UNKNOWN

    def _softmax(self, line: Line) -> None:
        """Keep how much more than usual queues may borrow (Catalyst)."""
        self.found.softmax = None
        if line.verb != "no":
            share = Words(line, 2).count("the multiplier", 100, 1200)
            self.found.softmax = Value(share, "%", line.number)
        self._understood(line)

    def finish(self) -> None:
        """Read the interfaces: of one without quality of service nothing is said."""
        self._used_lists()
        members: list[tuple[Interface, Provenance]] = []
        for name, lines in self.held.items():
            check_time(lines[0].number)
            notes = Provenance()
            interface = Interface(name, lines[0].number, turns=turns_of(lines))
            for line in lines:
                parents = () if line is lines[0] else (lines[0].text,)
                interface_line(interface, line, notes, parents)
                if line.verb == "group" and line.words[1] in self.groups:
                    self._join(interface, line, notes)
            queues = any(each.verb not in ("bandwidth", "speed") for each in notes.remarks)
            if interface.policies or interface.hold or interface.turns or queues:
                self.found.interfaces[name] = interface
                self.notes.add(notes)
            elif SYSTEM in self.held:
                self.found.bare[name] = interface
                self.notes.add(notes)
            elif interface.bundle:
                members.append((interface, notes))
        self._bundled(members)

    def _join(self, interface: Interface, line: Line, notes: Provenance) -> None:
        """Promise nothing of an interface that shares the policy of a group with others."""
        interface.hidden = True
        notes.not_modelled(line.number, line.text, _OF_SERVICE_GROUP)
        for each in self.groups[line.words[1]]:
            if each.words[1:2] == ("output",) and each.words[2:]:
                interface.policies.setdefault("out", Named(each.words[2], each.number))

    def _bundled(self, members: list[tuple[Interface, Provenance]]) -> None:
        """Keep the members of bundles that have policies."""
        attached = {whole_of(name).lower() for name in self.found.interfaces}
        for interface, notes in members:
            if interface.bundle in attached:
                self.found.members.setdefault(interface.bundle, []).append(interface)
                self.notes.add(notes)

    def _used_lists(self) -> None:
        """Of an access list that a class names, say where it is and nothing of what it has."""
        matches = (each for made in self.found.selections.values() for each in made.matches)
        used = {mark.removeprefix("ACL ") for each in matches for mark in each.marks}
        for name in used & set(self.lists):
            self.notes.understood(self.lists[name], f"access-list {name}")


def _key(known: Mapping[str, Policy | Selection], name: str, kind: str) -> str:
    """Where a block of this name and type is kept, or is to be kept."""
    had = known.get(name)
    return name if had is None or had.kind == kind else f"{kind} {name}"


def _in_one_line(line: Line) -> tuple[Line, Line | None]:
    """The header of an interface, and the command behind it in one line (IOS XR, `formal`)."""
    at = next((i for i, word in enumerate(line.words) if i > 1 and word in INTERFACE), 0)
    if not at:
        return line, None
    parts = line.words[:at], line.words[at:]
    header, below = (line._replace(text=" ".join(words), words=words) for words in parts)
    return header, below._replace(depth=1)


def _header_near(line: Line) -> str:
    """The first word of a block that the first word of a line is nearly; empty where it is none."""
    if len(line.words) < 2 or line.verb in _HEADERS:
        return ""
    return nearest(line.verb, _HEADERS, SLIP)


def _interface_name(names: list[str]) -> str:
    if not names:
        return ""
    if names[0].lower() == "range":
        return "".join(names[1:])
    if names[0].lower() == "preconfigure":
        names = names[1:] or names
    if any(c.isdigit() for c in names[0]) or len(names) == 1:
        return names[0]
    return "".join(names[:2])
