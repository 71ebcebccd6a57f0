"""The blocks of a configuration: which line belongs to which class, policy or interface."""

import re
from collections.abc import Collection

from qoslib.config.cut import CUT, ends_early
from qoslib.config.lines import SLIP, Line, nearest
from qoslib.config.mqc.commands import COMMANDS, VERBS
from qoslib.config.mqc.definitions import Definitions
from qoslib.config.mqc.held import Held
from qoslib.config.mqc.interfaces import INTERFACE, SEVERAL, TYPES, is_service
from qoslib.config.mqc.left_out import (
    BELOW_UNKNOWN,
    BLOCKS,
    CIRCUITS,
    FOR_EACH,
    LINES,
    OF_OTHERS,
    OF_PROCESSOR,
    OF_SERVICE_GROUP,
    OF_WIRELESS,
)
from qoslib.config.mqc.names import BUILT_IN, SYSTEM
from qoslib.config.mqc.policies import Policies, plain
from qoslib.config.mqc.spelling import OF_BLOCK, OF_DEVICE, spelt
from qoslib.config.source import check_time
from qoslib.config.values import Value
from qoslib.config.words import Refused, Words, begun, lines_of

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
#: A policy that a hub gives to its spokes (DMVPN).
_OF_GROUP = re.compile(
    r"(?:ip |ipv6 )?nhrp map group \S+ service-policy output (\S+)", re.IGNORECASE
)


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
    within = reading.block in ("class_map", "policy_map") and not reading.held.lines
    refused = lines and any(each.line == lines[-1].number for each in reading.notes.remarks)
    if lines and ends_early(text, within, not refused):
        reading.notes.not_modelled(lines[-1].number, lines[-1].text, CUT)
    reading.note_lists()
    reading.held.read()
    return reading.found


class _Reading(Definitions):
    """Where the reading stands: in which block, and in which class of it.

    `left` is what is lost by all lines of a block of which nothing is read, and `loose` whether the
    lines of the block have no indentation; None before the first of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.held = Held(self.found)
        self.lists: dict[str, int] = {}
        self.last = 0

    def close(self) -> None:
        """Leave the block."""
        super().close()
        self.block = self.left = self.interface = ""
        self.loose: bool | None = None

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
            self.held.groups.setdefault(line.words[-1], [])
            self._lost(line, OF_SERVICE_GROUP)
        elif line.verb in BLOCKS:
            self._open_left(line, BLOCKS[line.verb])
        else:
            self._open_definition(line)

    def _open_interface(self, line: Line, name: str) -> None:
        self.block, self.header, self.interface = "interface", line.text, name
        self.held.lines.setdefault(name, []).append(line)

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
            self.block, self.left = "left", BELOW_UNKNOWN
            self._unknown(line)
        elif BUILT_IN.match(names[0]):
            processor = names[0].startswith("system-cpp-")
            self._open_left(line, OF_PROCESSOR if processor else OF_WIRELESS)
        else:
            self.header = line.text
            self._understood(line)
            self.block = line.verb.replace("-", "_")
            self._define(line, names[0], plain(kind), every)

    def _in_left(self, line: Line) -> None:
        """Within a block of which nothing is read, but the policy of each circuit."""
        if self.left in CIRCUITS and line.words[:2] == ("service-policy", "output"):
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
            self.held.groups[self.header.split()[-1]].append(line)
            self._lost(line, OF_SERVICE_GROUP)

    def _in_interface(self, line: Line) -> None:
        if line.verb == "exit":
            self.close()
        elif "service-policy" in line.words[2:]:
            self._of_others(line)
        elif number := is_service(line):
            self._open_interface(line, f"{self.interface.split(' ')[0]} service instance {number}")
        elif line.verb in _KEPT or (line.verb == "group" and line.words[1:]):
            self.held.lines[self.interface].append(line)
        elif self.interface == SYSTEM or nearest(line.verb, _OF_INTERFACE, SLIP):
            self._unknown(line)

    def _of_others(self, line: Line) -> None:
        """Keep a policy of each tunnel of a group (NHRP); of others nothing is promised."""
        of_group = _OF_GROUP.fullmatch(line.text)
        if of_group:
            self.found.of_groups.setdefault(of_group[1], line)
        self._lost(line, FOR_EACH if of_group else OF_OTHERS)

    def _alone(self, line: Line) -> None:
        """Read a line that stands in no block; what a device shows as `name = value` is none."""
        if "=" in line.words:
            return
        words = tuple(word.lower() for word in line.words[line.verb == "no" :][:3])
        if words[:2] == _SOFTMAX:
            self._softmax(line)
            return
        lost = begun(words, LINES)
        if lost:
            self._lost(line, lost)
        if not line.top:
            if "service-policy" in line.words:
                self._lost(line, OF_OTHERS)
            return
        if words[:1] == ("qos",) and not lost:
            self._unknown(line)
        near = _header_near(line)
        if near or line.verb in _OF_A_CLASS:
            self._unknown(line)
            self.block = "mistyped_interface" if near == "interface" else "left"
            self.left = BELOW_UNKNOWN

    def _softmax(self, line: Line) -> None:
        """Keep how much more than usual queues may borrow (Catalyst)."""
        self.found.softmax = None
        if line.verb != "no":
            share = Words(line, 2).count("the multiplier", 100, 1200)
            self.found.softmax = Value(share, "%", line.number)
        self._understood(line)

    def note_lists(self) -> None:
        """Of an access list that a class names, say where it is and nothing of what it has."""
        matches = (each for made in self.found.selections.values() for each in made.matches)
        used = {mark.removeprefix("ACL ") for each in matches for mark in each.marks}
        for name in used & set(self.lists):
            self.notes.understood(self.lists[name], f"access-list {name}")


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
