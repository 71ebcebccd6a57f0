"""The blocks of a configuration: which line belongs to which class, policy or interface."""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from qoslib.config.lines import Line
from qoslib.config.mqc.commands import COMMANDS, UNMODELLED, apply, withdraw
from qoslib.config.mqc.interfaces import INTERFACE, TYPES, interface_line, is_service
from qoslib.config.mqc.lines import NotUnderstood, Refused, Words, lines_of
from qoslib.config.mqc.matches import match
from qoslib.config.mqc.names import BUILT_IN, OF_DEVICE
from qoslib.config.mqc.police import ACTIONS
from qoslib.config.mqc.policies import (
    Interface,
    Match,
    Policies,
    Policy,
    PolicyClass,
    Selection,
    key_of,
    plain,
)
from qoslib.config.mqc.spelling import BESIDE, spelt
from qoslib.config.records import Statement
from qoslib.config.source import check_time

__all__ = ["policies_of"]

_OPENING = {"class-map", "policy-map", "interface", "control-plane", "table-map", "map-class"}
#: Commands that are about queues wherever they stand.
_OF_A_CLASS = {"class", "service-policy", *COMMANDS} - {"set"}
#: Commands that take the place of an earlier one of their kind.
_SINGLE = {"bandwidth", "priority", "shape", "police"}
_HEADERS = ("class-map", "policy-map")
#: A command that is so near to one of these, or to the others of an interface, is meant to be one.
_NEAR = 0.85
_OF_INTERFACE = ("service-policy", "bandwidth")
#: In a text without indentation, so is one that is so near to a command of the block.
_NEAR_IN_BLOCK = 0.8
_CLOSING = {"end-policy-map", "end-class-map", "end", "exit-policy-map", "exit-class-map"}
_LIST = re.compile(r"(?:ip |ipv4 |ipv6 |mac )?access-list (?:standard |extended )?(\S+)")
_HARDWARE = "How the line cards are set up for queues is left out."
#: Lines of their own -> what is lost.
_GLOBAL = {
    ("mls", "qos"): "The queues of this switch are configured by number; they are left out.",
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
    ("hw-module", "qos"): _HARDWARE,
    ("hw-module", "profile", "qos"): _HARDWARE,
    ("hw-module", "profile", "priority-flow-control"): _HARDWARE,
    ("access-list", "rate-limit"): "Committed access rate, before `police`, is left out.",
    ("random-detect-group",): "Thresholds of early detection by group are left out.",
    ("ip", "nbar"): "Which packets are of an application is left out: give streams its name.",
    ("iphc-profile",): "Headers stay as long as they are.",
    ("qos", "queue-softmax-multiplier"): _HARDWARE,
    ("qos", "queue-stats-frame-count"): "Nothing is lost: it counts packets.",
    ("platform", "qos"): "Nothing is lost: it sets what is counted and shown.",
    ("switch-fabric", "service-policy"): "Queues of the switch fabric are left out.",
}
_OF_PROCESSOR = "The platform's own, for its processor: it is no part of a port."
_OF_WIRELESS = "The platform's own, for its wireless ports: what they do is left out."
_OF_OTHERS = "A policy of what is no interface here is left out: nothing is promised of it."
_ELSEWHERE = {
    "table-map": "New marks are left out: streams keep the mark that you give them.",
    "map-class": "Frame Relay's circuits are left out.",
}


def policies_of(text: str) -> Policies:
    """All that a text defines."""
    reading = _Reading()
    for line in lines_of(text):
        check_time(line.number)
        try:
            reading.take(line)
        except Refused as problem:
            # A device goes on as well, and has all but this line.
            reading.found.refuse(line.number, line.text, problem)
    reading.finish()
    return reading.found


class _Reading:
    """Where the reading stands: in which block, and in which class of it."""

    def __init__(self) -> None:
        self.found = Policies()
        self.held: dict[str, list[Line]] = {}
        self.lists: dict[str, int] = {}
        self.last = 0
        self.close()

    def close(self) -> None:
        """Leave the block."""
        self.block = ""
        self.header = ""
        self.loose: bool | None = None
        self.selection: Selection | None = None
        self.policy: Policy | None = None
        self.part: PolicyClass | None = None
        self.interface = ""

    def take(self, line: Line) -> None:
        """Read one line."""
        line = spelt(line, self.block if not line.top or self.loose is not False else "")
        verb = line.verb
        if listed := _LIST.match(line.text):
            self.lists.setdefault(listed[1], line.number)
        if verb in _CLOSING:
            self.close()
        elif line.top and line.text.lower() == "system qos":
            self.close()
            self.block, self.header, self.interface = "interface", line.text, "system qos"
            self.held.setdefault(self.interface, []).append(line)
        elif verb in _OPENING and (verb != "control-plane" or line.top):
            self.close()
            self._open(line)
        elif self.block and self._belongs(line):
            getattr(self, f"_in_{self.block}")(line)
        else:
            self.close()
            if verb == "no":
                self._withdrawn(line)
            self._alone(line)
        self.last = line.number

    def _withdrawn(self, line: Line) -> None:
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
                for each in self.found.statements
                if each.text.startswith(f"{kind} ") and each.text.split()[-1] == name
            }
            self.found.take_back(
                line, lambda each: each.text in headers or bool(headers.intersection(each.parents))
            )

    def _belongs(self, line: Line) -> bool:
        """Whether a line is of this block; texts without indentation go by their words."""
        if self.loose is None:
            self.loose = line.top
        if not line.top:
            return True
        words = {
            "class_map": {"match", "description", "no", "exit"},
            "policy_map": {*COMMANDS, *UNMODELLED, "class", "no", "description", "exit"},
            "interface": {*INTERFACE, *BESIDE, "ipv4"} - {"interface"},
        }.get(self.block, ())
        if line.verb == "exit":
            # As typed, behind each class, it may stand at the margin of an indented text.
            return bool(words)
        return self.loose and (line.verb in words or self._is_slip(line, words))

    def _is_slip(self, line: Line, words: Collection[str]) -> bool:
        """Whether a line of a text without indentation is of this block, though no word is."""
        if line.verb in OF_DEVICE:
            return False
        if self.block == "interface":
            return bool(get_close_matches(line.verb, _OF_INTERFACE, 1, _NEAR))
        below = bool(words) and line.number == self.last + 1
        return below or bool(get_close_matches(line.verb, words, 1, _NEAR_IN_BLOCK))

    def _open(self, line: Line) -> None:
        verb, names = line.verb, list(line.words[1:])
        if verb == "control-plane" or verb in _ELSEWHERE:
            self.block, self.header = "elsewhere", verb
            if verb != "control-plane":
                self.found.leave(line, _ELSEWHERE[verb])
            return
        if verb == "interface":
            self.block, self.header = "interface", line.text
            self.interface = _interface_name(names)
            self.held.setdefault(self.interface, []).append(line)
            return
        kind = ""
        if len(names) > 1 and names[0].lower() == "type":
            if names[1].lower() not in TYPES:
                self.block = "skipped"
                return
            kind, names = names[1], names[2:]
        kind = plain(kind)
        every: bool | None = None
        if names and names[0].lower() in ("match-any", "match-all"):
            every = names.pop(0).lower() == "match-all"
        if len(names) != 1:
            self.block = "lost"
            self.found.wonder(line)
            return
        if BUILT_IN.match(names[0]):
            self.block, self.header = "own", names[0]
            self._in_own(line)
            return
        self.header = line.text
        self.found.state(line)
        if verb == "class-map":
            self.block = "class_map"
            key = _key(self.found.selections, names[0], kind)
            self.selection = self.found.selections.setdefault(
                key, Selection(names[0], line.number, kind=kind)
            )
            self.selection.every = self.selection.every if every is None else every
        else:
            self.block = "policy_map"
            key = _key(self.found.policies, names[0], kind)
            self.policy = self.found.policies.setdefault(
                key, Policy(names[0], line.number, kind=kind)
            )

    def _in_skipped(self, line: Line) -> None:
        """A block of another kind."""

    def _in_own(self, line: Line) -> None:
        """Within a class map or a policy that the platform writes by itself."""
        processor = self.header.startswith("system-cpp-")
        self.found.leave(line, _OF_PROCESSOR if processor else _OF_WIRELESS)

    def _in_lost(self, line: Line) -> None:
        """Below a header that is not understood."""
        self.found.leave(line, "It stands below a line that is not understood.")

    def _in_elsewhere(self, line: Line) -> None:
        if self.header != "control-plane":
            self.found.leave(line, _ELSEWHERE[self.header])
        elif line.verb == "service-policy":
            self.found.of_control_plane[line.words[-1]] = line

    def _in_class_map(self, line: Line) -> None:
        assert self.selection is not None
        words = Words(line)
        negated = line.verb == "no" and len(line.words) > 1 and line.words[1].lower() == "match"
        if line.verb == "exit":
            self.close()
        elif line.verb == "description":
            self.found.state(line, self.header)
        elif negated:
            words.at = 2
            self._forget_match(line, words)
        elif line.verb == "match":
            self._match(line, words)
        else:
            self.selection.matches.append(Match(line.number))
            self.found.wonder(line)

    def _match(self, line: Line, words: Words) -> None:
        assert self.selection is not None
        try:
            made, lost = match(words)
        except NotUnderstood:
            self.selection.matches.append(Match(line.number))
            self.found.wonder(line)
            return
        self.selection.matches.append(made)
        self._say(line, lost)

    def _forget_match(self, line: Line, words: Words) -> None:
        assert self.selection is not None
        try:
            gone, _ = match(words)
        except NotUnderstood:
            self.found.wonder(line)
            return
        self.selection.matches = [
            each
            for each in self.selection.matches
            if (each.marks, each.negated, each.nested) != (gone.marks, gone.negated, gone.nested)
        ]
        self.found.state(line, self.header)

    def _in_policy_map(self, line: Line) -> None:
        assert self.policy is not None
        if line.verb == "exit":
            if self.part is None:
                self.close()
            self.part = None
        elif line.verb == "class":
            self._class(line)
        elif line.verb == "no" and line.words[1:2] == ("class",):
            self._without_class(line)
        elif self.part is not None:
            self._command(line, self.part)
        elif line.verb == "description":
            self.found.state(line, self.header)
        else:
            self.found.wonder(line)

    def _class(self, line: Line) -> None:
        assert self.policy is not None
        names, kind = list(line.words[1:]), self.policy.kind
        if len(names) > 2 and names[0].lower() == "type":
            kind, names = plain(names[1]), names[2:]
        if len(names) != 1:
            self.part = PolicyClass("", line.number)
            self.found.wonder(line)
            return
        part = self.policy.classes.setdefault(
            names[0], PolicyClass(names[0], line.number, kind=kind)
        )
        self.part = part
        self.found.state(line, self.header)

    def _without_class(self, line: Line) -> None:
        assert self.policy is not None
        self.part, name = None, line.words[-1]
        self.policy.classes.pop(name, None)
        own, header = self.header, f"class {name}"
        self.found.take_back(
            line, lambda each: own in each.parents and header in (each.text, *each.parents)
        )

    def _command(self, line: Line, part: PolicyClass) -> None:
        header = f"class {part.name}"
        try:
            if line.verb == "no":
                withdraw(part, " ".join(line.words[1:3]).lower())
                part.statements[:] = [
                    each for each in part.statements if not each.text.startswith(line.text[3:])
                ]
                lost: list[str] = []
            else:
                lost = apply(part, Words(line))
        except NotUnderstood:
            self.found.wonder(line)
            return
        if lost:
            self._say(line, lost)
        if not lost or part.has(line.number) or line.verb in ACTIONS:
            # What is lost of a rate leaves the rate, and a fix keeps the actions of a policer.
            made = Statement(line.number, line.text, (self.header, header))
            if not lost:
                self.found.statements.append(made)
            if line.verb in _SINGLE and not line.text.startswith("bandwidth remaining"):
                part.statements[:] = [
                    each
                    for each in part.statements
                    if each.text.split()[0] != line.verb
                    or each.text.startswith("bandwidth remaining")
                ]
            part.statements.append(made)

    def _in_interface(self, line: Line) -> None:
        if line.verb == "exit":
            self.close()
            return
        if "service-policy" in line.words[2:]:
            self.found.leave(line, _OF_OTHERS)
            return
        number = is_service(line)
        if number:
            self.interface = f"{self.interface.split(' ')[0]} service instance {number}"
            self.held.setdefault(self.interface, []).append(line)
        elif line.verb in INTERFACE or line.verb in (
            "mls",
            "auto",
            "clock",
            "ip",
            "no",
            "qos",
            "trust",
        ):
            self.held[self.interface].append(line)
        elif (
            get_close_matches(line.verb, _OF_INTERFACE, 1, _NEAR) or self.interface == "system qos"
        ):
            self.found.wonder(line)

    def _alone(self, line: Line) -> None:
        said = line.words[1:] if line.verb == "no" else line.words
        verbs = tuple(word.lower() for word in said[:3])
        listed = [lost for start, lost in _GLOBAL.items() if verbs[: len(start)] == start]
        for lost in listed:
            self.found.leave(line, lost)
        if not line.top and "service-policy" in line.words:
            self.found.leave(line, _OF_OTHERS)
        if line.top and verbs[:1] == ("qos",) and not listed:
            self.found.wonder(line)
        if line.top and len(verbs) > 1 and get_close_matches(line.verb, _HEADERS, 1, _NEAR):
            self.found.wonder(line)
            self.block = "lost"
        elif line.top and line.verb in _OF_A_CLASS:
            self.found.wonder(line)

    def _say(self, line: Line, lost: list[str]) -> None:
        if not lost:
            self.found.state(line, self.header)
        for each in lost:
            self.found.leave(line, each)

    def finish(self) -> None:
        """Read the interfaces: of one without quality of service nothing is said."""
        self._lists()
        for name, lines in self.held.items():
            check_time(lines[0].number)
            made = Interface(name, lines[0].number)
            understood, left = [], []
            for line in lines:
                lost, kind = interface_line(made, line)
                if kind == "stated":
                    understood.append(line)
                elif kind:
                    left.append((line, lost, kind))
            if made.policies or made.hold or any(_of_queues(line) for line, *_ in left):
                self.found.interfaces[name] = made
                for line in understood:
                    self.found.state(line, *(() if line is lines[0] else (lines[0].text,)))
                for line, lost, kind in left:
                    if kind == "unknown":
                        self.found.wonder(line)
                    elif kind == "refused":
                        self.found.refuse(line.number, line.text, lost)
                    else:
                        self.found.leave(line, lost)

    def _lists(self) -> None:
        """Of an access list that a class names, say where it is and nothing of what it has."""
        matches = (each for made in self.found.selections.values() for each in made.matches)
        used = {mark.removeprefix("ACL ") for each in matches for mark in each.marks}
        for name in used & set(self.lists):
            self.found.statements.append(Statement(self.lists[name], f"access-list {name}"))


def _key(known: Mapping[str, Policy | Selection], name: str, kind: str) -> str:
    """Where a block of this name and type is kept, or is to be kept."""
    had = known.get(name)
    return name if had is None or had.kind == kind else f"{kind} {name}"


def _of_queues(line: Line) -> bool:
    """Whether a line is about queues even where no policy is."""
    return line.verb not in ("bandwidth", "speed")


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
