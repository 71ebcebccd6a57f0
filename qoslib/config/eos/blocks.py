"""The lines of EOS that are about queues: maps, profiles, interfaces and their queues."""

from dataclasses import replace

from qoslib.config.code_points import DSCP
from qoslib.config.cut import CUT, ends_early
from qoslib.config.eos.commands import (
    COMMANDS,
    LEFT_OUT,
    Block,
    Given,
    InPacketsError,
    Queueing,
    map_of,
    shape,
)
from qoslib.config.interfaces import speed_bps
from qoslib.config.lines import SLIP, Line, nearest
from qoslib.config.records import Statement
from qoslib.config.source import check_time
from qoslib.config.values import Value
from qoslib.config.words import NotUnderstood, Refused, Words, begun, lines_of

__all__ = ["DEFAULT_CLASSES", "QUEUES", "queueing_of"]

#: Queues of a port that are modelled; a platform may have more.
QUEUES = 8
#: Traffic class of each code point by default: its precedence, but 0 and 1 the other way round.
#: Code points without a name come last.
DEFAULT_CLASSES = {
    (kind, code): {0: 1, 1: 0}.get(number, number)
    for kind, code, number in (
        *(("DSCP", code, code >> 3) for code in DSCP.values()),
        *(("PCP", code, code) for code in range(8)),
        *(("DSCP", code, code >> 3) for code in range(64)),
    )
}

_TX = "tx-queue", "uc-tx-queue", "mc-tx-queue"
_POLICY = "Policies on the way in are left out."
#: Trust is of the port where a packet comes in, and the queues are of the one where it goes out.
_TRUSTED = "All packets are taken to come in by ports that trust the same."
_ABSENT = "The text does not hold this policy-map: what it sets on the way in is unknown."
_ABOVE = "Queues above 7 are left out: what this maps has none here."
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
_IN_PACKETS = "A rate in packets per second is not modelled: nothing is promised here."
_LOST = "It is below a line that is not understood."
_NO_BLOCK = "{} belongs in an interface or a `qos profile`, and here it is in neither"
_NO_ACTION = "priority-flow-control: the watchdog's action is missing; allowed: drop, no-drop"
_ONE_PRECEDENCE = "Thresholds of one drop precedence are left out: those of all are taken."


def queueing_of(text: str) -> Queueing:
    """All that a text says of queues."""
    blocks, lines = _Blocks(), lines_of(text, "EOF")
    for line in lines:
        check_time()
        blocks.take(line)
    # A device shows no queue without a command.
    if blocks.queue and (lines[-1].verb in _TX or ends_early(text, within=True)):
        blocks.notes.not_modelled(lines[-1].number, lines[-1].text, CUT)
    return blocks.end()


def _type(words: tuple[str, ...]) -> tuple[str, ...]:
    """The type of a policy or a class map; empty of one without."""
    return words[2:3] if words[1:2] == ("type",) else ()


def _check_watchdog(line: Line, bare: tuple[str, ...]) -> None:
    """Refuse a watchdog of paused queues whose action is missing; before it stands `pause`."""
    if bare[1:2] == ("watchdog",):
        raise NotUnderstood
    if "watchdog" in bare and bare[-1] == "action":
        raise Refused(_NO_ACTION, line.number)


class _Blocks:
    """The block that is read, and all that was read before.

    What reads a line says what is lost by leaving it out: nothing where that is empty, and None
    where it is about other things than queues.

    `left` is what is lost by all lines of a block of which nothing is read. `loose` is whether the
    lines of the block have no indentation, as some paste them; None before the first of them.
    `lost` is what is lost by all lines of a queue that is left out, `above` has the maps onto
    numbers that no queue has here, and `used` the lines that name a policy.
    """

    def __init__(self) -> None:
        self.queueing = Queueing()
        self.notes = self.queueing.notes
        self.above: list[tuple[Line, str, int]] = []
        self.used: list[Line] = []
        self.policies: set[str] = set()
        self._open(None)

    def _open(self, header: Line | None) -> None:
        self.header, self.left, self.lost = header, "", ""
        self.block: Block | None = None
        self.queue: Given | None = None
        self.indent = 0
        self.loose: bool | None = None

    def take(self, line: Line) -> None:
        """Read one line, and note what became of it."""
        if self.loose is None:
            self.loose = line.top
        if self.notes.read(line, self._lost_by):
            self._understood(line)

    def _lost_by(self, line: Line) -> str | None:
        try:
            return self._read(line, tuple(word.lower() for word in line.words))
        except InPacketsError:
            if self.block is not None:
                self.block.in_packets = True
            return _IN_PACKETS

    def _understood(self, line: Line) -> Statement:
        text = "description" if line.verb == "description" else line.text
        above = self.header if self.header is not line else None
        return self.notes.understood(line.number, text, *([above.text] if above else []))

    def _read(self, line: Line, words: tuple[str, ...]) -> str | None:
        off = words[0] in ("no", "default")
        bare = words[1:] if off else words
        if line.top and not self._goes_on(bare):
            self._open(line)
            return self._top(line, words, bare, off)
        if self.left:
            return self._in_policy(words)
        return self._within(line, bare, off, self.block) if self.block is not None else None

    def _goes_on(self, bare: tuple[str, ...]) -> bool:
        """Whether a line at the margin is of the block; where none is indented its words tell."""
        if not self.loose or (self.block is None and not self.left):
            return False
        if bare[:1] == ("qos",):
            return not self.left and not _QOS_ALONE.intersection(bare[1:2])
        if self.block is None:
            return _ENDS.isdisjoint(bare[:1])
        ends = _ENDS - _BELOW if self.block.is_profile else _ENDS_INTERFACE
        return ends.isdisjoint(bare[:1])

    def _top(
        self, line: Line, words: tuple[str, ...], bare: tuple[str, ...], off: bool
    ) -> str | None:
        """A line at the margin: it begins a block, or stands alone."""
        if words[0] == "interface" and len(words) > 1:
            name = "".join(line.words[1:3])
            self.block = self.queueing.interfaces.setdefault(name, Block(name, line.number))
            return ""
        if words[:2] == ("qos", "profile") and len(words) > 2:
            profile = Block(line.words[2], line.number, is_profile=True)
            self.block = self.queueing.profiles.setdefault(profile.name, profile)
            return ""
        if bare[:2] == ("qos", "map"):
            return self._map(line, off)
        if bare[:1] in (("platform",), ("hardware",)):
            parts = {part for word in bare for part in (word, *word.split("-"))}
            return _MEMORY_LOST if parts & _MEMORY else None
        if not bare or bare[0] == "class" or _type(bare) in _OTHER_TYPES:
            return None
        lost = self._left_out(line, bare, off)
        if lost is None and bare[0] in ("qos", *_TX):
            self.left = _LOST
            if bare[0] in _TX:
                raise Refused(_NO_BLOCK.format(bare[0]), line.number)
            raise NotUnderstood
        if bare[0] in ("policy-map", "class-map") and not off:
            self.left = _POLICY
            self.policies |= {line.words[-1]} if bare[0] == "policy-map" else set()
        return lost

    def _left_out(self, line: Line, bare: tuple[str, ...], off: bool) -> str | None:
        """What is lost by a command that is left out, if it is one; of a policy the end tells."""
        if bare[0] == "service-policy" and not off:
            self.used.append(line)
            return None
        if bare[0] == "priority-flow-control" and not off:
            _check_watchdog(line, bare)
        return begun(bare, LEFT_OUT) or None

    def _in_policy(self, words: tuple[str, ...]) -> str | None:
        """A line of a class map, a policy or an unknown block: nothing of it is modelled."""
        if words[0] == "exit":
            return None
        self.queueing.sets |= words[:2] == ("set", "traffic-class")
        known = _OF_BLOCKS if self.left == _LOST else _OF_POLICIES
        if words[0] not in ("no", "default", *known):
            raise NotUnderstood
        return self.left

    def _map(self, line: Line, off: bool) -> str:
        mapped = map_of(Words(line, 2 + off), off)
        if isinstance(mapped, str):
            return mapped
        kind, values, number = mapped
        if number >= QUEUES:
            self.above.append((line, kind, number))
        for value in values:
            if kind == "traffic-class":
                self.queueing.queues[value] = number
            else:
                self.queueing.classes["DSCP" if kind == "dscp" else "PCP", value] = number
        return ""

    def _within(self, line: Line, bare: tuple[str, ...], off: bool, block: Block) -> str | None:
        if bare and bare[0] in _TX:
            # From below one queue, as prompts show it, a device goes on to the next of the block.
            below = self.queue is not None and line.depth > self.indent
            self.indent = self.indent if below else line.depth
            self.queue = None
            return self._queue(line, bare, off, block)
        if self.queue is not None and self._of_queue(line, bare):
            return self._command(line, bare, off, self.queue)
        if bare[:1] == ("exit",) and not off:
            self._open(None)
            return None
        # A device stays below the queue where it does not understand a line.
        lost = self._of_port(line, bare, off, block)
        self.queue = None
        return lost

    def _of_queue(self, line: Line, bare: tuple[str, ...]) -> bool:
        """Whether a line stands below the queue that stands above it."""
        if self.loose:
            return not _OF_QUEUE.isdisjoint(bare[:1])
        # An interface has no such line of its own, however far it is indented.
        return line.depth > self.indent or bare[:1] == ("random-detect",)

    def _queue(self, line: Line, bare: tuple[str, ...], off: bool, block: Block) -> str:
        words = Words(line, 1 + off)
        number = words.count("the queue", 0, 63)
        words.end()
        self.lost = ""
        if bare[0] == "mc-tx-queue" or number >= QUEUES:
            which = "of multicast" if bare[0] == "mc-tx-queue" else "above 7"
            self.lost = f"Queues {which} are left out."
            self.queue = Given(line.number, line.text)
        elif off:
            block.queues.pop(number, None)
        else:
            self.queue = block.queues.setdefault(number, Given(line.number, line.text))
        return self.lost

    def _command(self, line: Line, bare: tuple[str, ...], off: bool, queue: Given) -> str | None:
        if bare == ("exit",):
            self.queue = None
            return None
        if bare and bare[0] in _NO_PART:
            return "This has no part in the models."
        if not bare or bare[0] not in COMMANDS:
            raise NotUnderstood
        words = Words(line, 1 + off)
        # A line that is not understood to its end changes nothing.
        changed = replace(queue, other=False)
        COMMANDS[bare[0]](changed, words, off)
        words.end()
        vars(queue).update(vars(changed))
        if self.lost or queue.other:
            return self.lost or _ONE_PRECEDENCE
        queue.statements.append(self._understood(line))
        return None

    def _of_port(self, line: Line, bare: tuple[str, ...], off: bool, block: Block) -> str | None:
        verb = bare[0] if bare else ""
        if verb == "shape":
            words, changed = Words(line, 1 + off), replace(block)
            shape(changed, words, off)
            words.end()
            block.shape = changed.shape
        elif verb == "speed" and not off:
            rate_bps = next(filter(None, (speed_bps(word, "eos") for word in bare)), None)
            if rate_bps is None:
                return None
            block.speed = Value(rate_bps, "bit/s", line.number)
        elif verb == "service-profile" and len(bare) == 2:
            block.profile, block.profile_line = "" if off else line.words[-1], line.number
        elif bare[:2] == ("qos", "trust"):
            block.trust = bare[2] if not off and bare[2:] in (("dscp",), ("cos",)) else ""
            none = line.verb == "no" and len(bare) == 2
            told = ("no", *bare) if none else bare
            return _TRUSTED if block.trust else self._left_out(line, told, off)
        elif verb == "description":
            return "" if block.is_profile else None
        elif verb and _type(bare) not in _OTHER_TYPES:
            return self._another(line, bare, off, block)
        else:
            return None
        return ""

    def _another(self, line: Line, bare: tuple[str, ...], off: bool, block: Block) -> str | None:
        """A line of a port that sets nothing here: left out, nearly a known one, or of others."""
        lost = self._left_out(line, bare, off)
        if lost is not None or bare[0] == "service-policy":
            return lost
        near = nearest(bare[0], (*_TX, *COMMANDS, "service-profile"), SLIP)
        if block.is_profile or near or bare[0] in ("qos", "scheduler", *COMMANDS):
            raise NotUnderstood
        return None

    def end(self) -> Queueing:
        """All that was read, with remarks on what only the whole text tells."""
        for line in self.used:
            lost = _POLICY if line.words[-1] in self.policies else _ABSENT
            self.notes.not_modelled(line.number, line.text, lost)
        for line, kind, number in self.above:
            if kind == "traffic-class" or self.queueing.queues.get(number, number) >= QUEUES:
                self.notes.not_modelled(line.number, line.text, _ABOVE)
        return self.queueing
