"""The lines of EOS that are about queues: maps, profiles, interfaces and their queues."""

from dataclasses import replace
from difflib import get_close_matches
from typing import Literal

from qoslib.config.code_points import DSCP
from qoslib.config.eos.given import COMMANDS, Block, Given, InPacketsError, Queueing, shape
from qoslib.config.interfaces import speed_bps
from qoslib.config.lines import Line
from qoslib.config.mqc.lines import NotUnderstood, Refused, Words, lines_of
from qoslib.config.records import Remark, Statement
from qoslib.config.source import check_time
from qoslib.config.values import Value

__all__ = ["DEFAULT_CLASSES", "QUEUES", "queueing_of"]

#: Queues of a port that are modelled; a platform may have more.
QUEUES = 8
_TX = "tx-queue", "uc-tx-queue", "mc-tx-queue"
_PFC = "Pause by priority is left out: a full queue drops."
_MARKED = "The new mark is left out: streams keep the mark that you give them."
_POLICIES = "Policies on the way in are left out"
#: Trust is of the port where a packet comes in, and the queues are of the one where it goes out.
_TRUSTED = "All packets are taken to come in by ports that trust the same."
_ABSENT = "The text does not hold this policy-map: what it sets on the way in is unknown."
_ABOVE = "Queues above 7 are left out: what this maps has none here."
#: Beginning of a command -> what is lost.
_LEFT = {
    ("priority-flow-control",): _PFC,
    ("flowcontrol",): "Pause of the whole line is left out: a full queue drops.",
    ("qos", "trust"): "Both maps are taken: what the port trusts by itself is not known.",
    ("qos", "cos"): "What packets without a mark get is left out.",
    ("qos", "dscp"): "What packets without a mark get is left out.",
    ("qos", "rewrite"): _MARKED,
    ("qos", "random-detect"): "What this says of all queues is left out.",
    ("qos", "tx-queue"): "What this says of all queues is left out.",
    ("qos", "ecn"): "What this says of all queues is left out.",
    ("queue-monitor",): "Nothing is lost: it watches the queues.",
    ("storm-control",): "What limits broadcasts on the way in is left out.",
    ("service-policy",): f"{_POLICIES}.",
    ("policy-map",): f"{_POLICIES}, with all that is below this line.",
    ("class-map",): f"{_POLICIES}, with all that is below this line.",
    ("class",): f"{_POLICIES}.",
}
#: Parts of the memory, which a platform has behind ``platform`` or ``hardware``.
_MEMORY = {"qos", "queue", "buffer", "mmu", "ecn", "pfc", "voq", "tail-drop", "lossless"}
_MEMORY_LOST = "How this platform shares its memory is left out: each queue has its own limit."
#: What may stand in a class map and in a policy, of which nothing is modelled.
_OF_POLICIES = {
    "match", "class", "set", "police", "description", "shape", "bandwidth", "priority", "drop",
    "counter", "rate", "action", "burst", "redirect", "resequence", "statistics", "exit",
}  # fmt: skip
#: What `qos` stands before outside all blocks.
_QOS_ALONE = {"map", "profile", "rewrite", "random-detect", "tx-queue", "ecn"}
_NO_PART = {"comment", "description", "latency", "scheduler"}
#: What stands below a queue where no line is indented: a description is that of the whole block.
_OF_QUEUE = {*COMMANDS, *_NO_PART, "exit"} - {"description"}
#: What may stand in any block.
_OF_BLOCKS = {*_OF_POLICIES, *_OF_QUEUE, *_TX, "priority-flow-control", "qos", "service-policy"}
#: What ends an interface whose lines have no indentation.
_ENDS_INTERFACE = {
    "class-map", "end", "hardware", "interface", "management", "monitor", "platform", "policy-map",
    "router", "vlan",
}  # fmt: skip
#: What ends a profile, a class map or a policy of this kind: the commands of EOS outside all blocks
#: (Arista Validated Designs, eos_cli_config_gen). Another one is taken for a slip of the pen.
_ENDS = {
    *_ENDS_INTERFACE, "aaa", "address", "agent", "alias", "application", "arp", "banner", "bfd",
    "boot", "clock", "control-plane", "cvx", "daemon", "dhcp", "dns", "dot1x", "dynamic", "email",
    "enable", "environment", "errdisable", "event-handler", "event-monitor", "fips", "flow",
    "hostname", "ip", "ipv6", "kernel", "key", "l2-protocol", "lacp", "link", "lldp",
    "load-balance", "load-interval", "logging", "mac", "maintenance", "match-list", "mcs", "mlag",
    "mpls", "ntp", "p4-runtime", "patch", "peer-filter", "poe", "port-channel",
    "priority-flow-control", "prompt", "ptp", "queue-monitor", "radius-server", "redundancy",
    "role", "route-map", "schedule", "service", "sflow", "snmp-server", "spanning-tree", "stun",
    "switchport", "system", "tacacs-server", "tap", "tcam", "terminal", "track",
    "traffic-policies", "transceiver", "tunnel", "username", "vmtracer", "vrf", "vxlan",
    "zerotouch",
}  # fmt: skip
#: Of these, what stands below a profile as well.
_BELOW = {"priority-flow-control"}
#: Types of policies that are not about queues.
_OTHER_TYPES = ("pdp",), ("copp",), ("control-plane",), ("pbr",), ("inspect",)
#: A word that is so near to one of a profile is meant to be it.
_NEAR = 0.85
_UNLIKE = "This command is not understood; it has no effect here."
_IN_PACKETS = "A rate in packets per second is not modelled: nothing is promised here."
_LOST = "It stands below a line that is not understood."
#: Kinds of maps: what is mapped, and onto what.
_MAPPED = {
    "dscp": ("traffic-class",),
    "cos": ("traffic-class",),
    "exp": ("traffic-class",),
    "traffic-class": ("dscp", "cos", "exp", *_TX, "priority-group", "pg"),
}


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without the word in front that takes it back."""
    return words[1:] if words[0] in ("no", "default") else words


def _type(words: tuple[str, ...]) -> tuple[str, ...]:
    """The type of a policy or a class map; empty of one without."""
    return words[2:3] if words[1:2] == ("type",) else ()


class _Reading:
    """Where the reading stands.

    `left` is what is lost by all lines of a block of which nothing is read. `loose` is whether the
    lines of the block have no indentation, as some paste them; None before the first of them.
    `lost` is what is lost by all lines of a queue that is left out, `above` has the maps onto
    numbers that no queue has here, and `used` the lines that name a policy.
    """

    def __init__(self) -> None:
        self.found = Queueing()
        self.above: list[tuple[Line, str, int]] = []
        self.used: list[Line] = []
        self.policies: set[str] = set()
        self._open("")

    def _open(self, header: str, block: Block | None = None, left: str = "") -> None:
        self.block, self.header, self.left = block, header, left
        self.queue: Given | None = None
        self.indent = 0
        self.loose: bool | None = None
        self.lost = ""

    def take(self, line: Line) -> None:
        """Read one line."""
        words = tuple(word.lower() for word in line.words)
        if self.loose is None:
            self.loose = line.top
        try:
            if line.top and not self._goes_on(words):
                self._open(line.text)
                self._top(line, words)
            elif self.left:
                self._in_policy(line, words)
            elif self.block is not None:
                self._within(line, words, self.block)
        except NotUnderstood:
            self._remark("unknown", line, _UNLIKE)
        except InPacketsError:
            self._remark("not modelled", line, _IN_PACKETS)
            if self.block is not None:
                self.block.in_packets = True
        except Refused as problem:
            lost = str(problem).removeprefix(f"line {line.number}: ")
            self._remark("refused", line, f"{lost[:1].upper()}{lost[1:]}.")

    def _goes_on(self, words: tuple[str, ...]) -> bool:
        """Whether a line at the margin is of the block; where none is indented its words tell."""
        if not self.loose or (self.block is None and not self.left):
            return False
        bare = _bare(words)
        if bare[:1] == ("qos",):
            return not self.left and not _QOS_ALONE.intersection(bare[1:2])
        if self.block is None:
            return _ENDS.isdisjoint(bare[:1])
        ends = _ENDS - _BELOW if self.block.is_profile else _ENDS_INTERFACE
        return ends.isdisjoint(bare[:1])

    def _of_queue(self, line: Line, bare: tuple[str, ...]) -> bool:
        """Whether a line stands below the queue that stands above it."""
        if self.loose:
            return not _OF_QUEUE.isdisjoint(bare[:1])
        # An interface has no such line of its own, however far it is indented.
        return line.depth > self.indent or bare[:1] == ("random-detect",)

    def _remark(
        self, kind: Literal["not modelled", "unknown", "refused"], line: Line, lost: str
    ) -> None:
        self.found.remarks.append(Remark(kind, line.number, line.text, lost))

    def _state(self, line: Line, *parents: str) -> Statement:
        text = "description" if line.verb == "description" else line.text
        made = Statement(line.number, text, parents)
        self.found.statements.append(made)
        return made

    def _leave(self, line: Line, words: tuple[str, ...]) -> str:
        """Remark on a line that is left out; empty if it is none."""
        for start, lost in _LEFT.items():
            if words[: len(start)] == start:
                if words[0] == "service-policy" and words[0] == line.verb:
                    self.used.append(line)
                    return lost
                self._remark("not modelled", line, lost)
                return lost
        return ""

    def _top(self, line: Line, words: tuple[str, ...]) -> None:
        bare = _bare(words)
        if words[0] == "interface" and len(words) > 1:
            name = "".join(line.words[1:3])
            self.block = self.found.interfaces.setdefault(name, Block(name, line.number))
            self._state(line)
        elif words[:2] == ("qos", "profile") and len(words) > 2:
            self._state(line)
            made = Block(line.words[2], line.number, is_profile=True)
            self.block = self.found.profiles.setdefault(line.words[2], made)
        elif bare[:2] == ("qos", "map"):
            self._map(line, len(words) - len(bare) + 2, bare is not words)
        elif bare[:1] in (("platform",), ("hardware",)):
            parts = {part for word in bare for part in (word, *word.split("-"))}
            if parts & _MEMORY:
                self._remark("not modelled", line, _MEMORY_LOST)
        elif bare and bare[0] != "class":
            of_queues = _type(bare) not in _OTHER_TYPES
            if of_queues and not self._leave(line, bare) and bare[0] in ("qos", *_TX):
                self.left = _LOST
                raise NotUnderstood
            if of_queues and bare[0] in ("policy-map", "class-map") and bare is words:
                self.left = f"{_POLICIES}."
                if bare[0] == "policy-map":
                    self.policies.add(line.words[-1])

    def _in_policy(self, line: Line, words: tuple[str, ...]) -> None:
        """A line of a class map, a policy or an unknown block: nothing of it is modelled."""
        if words[0] == "exit":
            return
        self.found.sets |= words[:2] == ("set", "traffic-class")
        known = _OF_BLOCKS if self.left == _LOST else _OF_POLICIES
        if words[0] not in ("no", "default", *known):
            raise NotUnderstood
        self._remark("not modelled", line, self.left)

    def _map(self, line: Line, start: int, off: bool) -> None:
        words = Words(line, start)
        kind = words.skip(*_MAPPED)
        values = []
        while words.has_number():
            values.append(words.count("the value", 0, 63))
        if off and kind and values:
            self._remark("not modelled", line, "A map that is taken back is left out.")
            return
        target = words.skip("to") and words.skip(*_MAPPED.get(kind, ()))
        if not values or not target or not words.has_number():
            raise NotUnderstood
        # A platform may have more classes and queues than 8.
        number = words.count("the target", 0, 63)
        if words.skip("drop-precedence"):
            words.count("the drop precedence", 0, 2)
        words.end()
        if kind == "exp" or target in ("dscp", "cos", "exp", "mc-tx-queue", "priority-group", "pg"):
            lost = _MARKED if target in ("dscp", "cos", "exp") else "This map is left out."
            self._remark("not modelled", line, lost)
            return
        if number >= QUEUES:
            self.above.append((line, kind, number))
        for value in values:
            if kind == "traffic-class":
                self.found.queues[value] = number
            elif kind == "dscp":
                self.found.classes[f"DSCP {value}"] = number
            else:
                self.found.classes[f"PCP {value}"] = number
        self._state(line)

    def _within(self, line: Line, words: tuple[str, ...], block: Block) -> None:
        bare = _bare(words)
        off = bare is not words
        if bare and bare[0] in _TX:
            self.queue = None
            self._queue(line, bare, off, block)
        elif self.queue is not None and self._of_queue(line, bare):
            self._command(line, bare, off, self.queue)
        elif words[0] == "exit":
            self._open("")
        else:
            # A device stays below the queue where it does not understand a line.
            self._of_port(line, bare, off, block)
            self.queue = None

    def _queue(self, line: Line, bare: tuple[str, ...], off: bool, block: Block) -> None:
        words = Words(line, 2 if off else 1)
        number = words.count("the queue", 0, 63)
        words.end()
        self.indent, self.lost = line.depth, ""
        if bare[0] == "mc-tx-queue" or number >= QUEUES:
            multicast = bare[0] == "mc-tx-queue"
            self.lost = f"Queues {'of multicast' if multicast else 'above 7'} are left out."
            self.queue = Given(line.number)
            self._remark("not modelled", line, self.lost)
            return
        if off:
            block.queues.pop(number, None)
        else:
            self.queue = block.queues.setdefault(number, Given(line.number))
        self._state(line, self.header)

    def _command(self, line: Line, bare: tuple[str, ...], off: bool, queue: Given) -> None:
        if bare == ("exit",):
            self.queue = None
            return
        if bare and bare[0] in _NO_PART:
            self._remark("not modelled", line, "This has no part in the models.")
            return
        if not bare or bare[0] not in COMMANDS:
            raise NotUnderstood
        words = Words(line, 2 if off else 1)
        # A line that is not understood to its end changes nothing.
        changed = replace(queue, other=False)
        COMMANDS[bare[0]](changed, words, off)
        words.end()
        vars(queue).update(vars(changed))
        if self.lost:
            self._remark("not modelled", line, self.lost)
        elif queue.other:
            lost = "Thresholds of one drop precedence are left out: those of all are taken."
            self._remark("not modelled", line, lost)
        else:
            queue.statements.append(self._state(line, self.header))

    def _of_port(self, line: Line, bare: tuple[str, ...], off: bool, block: Block) -> None:
        if bare[:1] == ("shape",):
            words = Words(line, 2 if off else 1)
            changed = replace(block)
            shape(changed, words, off)
            words.end()
            block.shape = changed.shape
            self._state(line, self.header)
        elif bare[:1] == ("speed",) and not off:
            rates_bps = (speed_bps(word, "eos") for word in bare)
            rate_bps = next((each for each in rates_bps if each), None)
            if rate_bps:
                block.speed = Value(rate_bps, "bit/s", line.number)
                self._state(line, self.header)
        elif bare[:1] == ("service-profile",) and len(bare) == 2:
            block.profile = "" if off else line.words[-1]
            block.profile_line = line.number
            self._state(line, self.header)
        elif bare[:2] == ("qos", "trust"):
            block.trust = bare[2] if not off and bare[2:] in (("dscp",), ("cos",)) else ""
            if not block.trust:
                self._leave(line, bare)
            else:
                self._remark("not modelled", line, _TRUSTED)
        elif bare[:1] == ("description",):
            if block.is_profile:
                self._state(line, self.header)
        elif bare and _type(bare) not in _OTHER_TYPES and not self._leave(line, bare):
            near = get_close_matches(bare[0], (*_TX, *COMMANDS, "service-profile"), 1, _NEAR)
            if block.is_profile or near or bare[0] in ("qos", "scheduler", *COMMANDS):
                raise NotUnderstood

    def end(self) -> Queueing:
        """All that was read, with remarks on what only the whole text tells."""
        for line in self.used:
            here = line.words[-1] in self.policies
            self._remark("not modelled", line, f"{_POLICIES}." if here else _ABSENT)
        for line, kind, number in self.above:
            if kind == "traffic-class" or self.found.queues.get(number, number) >= QUEUES:
                self._remark("not modelled", line, _ABOVE)
        return self.found


def queueing_of(text: str) -> Queueing:
    """All that a text says of queues."""
    reading = _Reading()
    for line in lines_of(text, "EOF"):
        check_time()
        reading.take(line)
    return reading.end()


#: Traffic class of each code point by default: its precedence, but 0 and 1 the other way round.
#: Code points without a name come last.
DEFAULT_CLASSES = {
    f"{kind} {code}": {0: 1, 1: 0}.get(number, number)
    for kind, code, number in (
        *(("DSCP", code, code >> 3) for code in DSCP.values()),
        *(("PCP", code, code) for code in range(8)),
        *(("DSCP", code, code >> 3) for code in range(64) if code not in DSCP.values()),
    )
}
