"""The lines of EOS that are about queues: maps, profiles, interfaces and their queues."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from qoslib.config.code_points import DSCP
from qoslib.config.mqc.lines import Line, NotUnderstood, Words, exactly, lines_of
from qoslib.config.mqc.policies import Amount
from qoslib.config.reading import Remark, Statement
from qoslib.config.text import check_time

__all__ = ["Block", "Given", "Queueing", "queueing_of"]

_SPEED = re.compile(r"([1-9]\d{0,4})g", re.IGNORECASE)
_TX = "tx-queue", "uc-tx-queue", "mc-tx-queue"
_PFC = "Pause by priority is left out: a full queue drops."
#: Beginning of a command -> what is lost.
_LEFT = {
    ("priority-flow-control",): _PFC,
    ("qos", "trust"): "Both maps are taken, whichever mark the port trusts.",
    ("qos", "cos"): "What packets without a mark get is left out.",
    ("qos", "dscp"): "What packets without a mark get is left out.",
    ("qos", "rewrite"): "The new mark is left out: streams keep the mark that you give them.",
    ("qos", "random-detect"): "What this says of all queues is left out.",
    ("service-policy",): "Policies on the way in are left out.",
    ("policy-map",): "Policies on the way in are left out, with all that is below this line.",
    ("class-map",): "Policies on the way in are left out, with all that is below this line.",
}
#: Words of a length, and their units; a segment is a cell of the memory.
_LENGTHS = {
    "bytes": "B",
    "kbytes": "kB",
    "mbytes": "MB",
    "milliseconds": "ms",
    "microseconds": "us",
}
_SEGMENT_BYTES = 208


@dataclass
class Given:
    """What a queue is given."""

    line: int
    strict: bool = True
    share: Amount | None = None
    guaranteed: Amount | None = None
    shape: Amount | None = None
    early: tuple[Amount, Amount, float] | None = None
    marking: tuple[Amount, Amount, float] | None = None
    statements: list[Statement] = field(default_factory=list)


@dataclass
class Block:
    """An interface, or a profile that interfaces name."""

    name: str
    line: int
    queues: dict[int, Given] = field(default_factory=dict)
    speed: Amount | None = None
    shape: Amount | None = None
    profile: str = ""


@dataclass
class Queueing:
    """All of a text."""

    interfaces: dict[str, Block] = field(default_factory=dict)
    profiles: dict[str, Block] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    queues: dict[int, int] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def _thresholds(words: Words) -> tuple[Amount, Amount, float]:
    low = _length(words)
    if not words.skip("maximum-threshold"):
        raise NotUnderstood
    high, share = _length(words), 1.0
    while words.ahead:
        if words.skip("max-mark-probability", "drop-probability"):
            share = words.percent("the probability", 0)
        elif words.skip("weight"):
            words.count("the weight", 0, 15)
        elif not words.skip("ecn"):
            raise NotUnderstood
    if low.unit != high.unit or low.value > high.value or high.value <= 0:
        words.refuse("the thresholds are no range; allowed: a maximum above 0 and the minimum")
    return low, high, share


def _length(words: Words) -> Amount:
    value = words.number("the threshold", 0)
    word = words.skip(*_LENGTHS, "segments")
    if word == "segments":
        return Amount(value * _SEGMENT_BYTES, "B", words.line.number)
    unit = _LENGTHS.get(word, "B")
    base = "s" if unit in ("ms", "us") else "B"
    return Amount(exactly(value, unit, base), base, words.line.number)


def _rate(words: Words, what: str) -> Amount:
    if words.skip("percent"):
        return Amount(words.percent(what), "1", words.line.number)
    before = words.at
    words.number(what)
    if words.skip("percent"):
        words.at = before
        share = words.percent(what)
        words.skip("percent")
        return Amount(share, "1", words.line.number)
    words.at = before
    return Amount(words.rate_bps(what, "kbit/s"), "bit/s", words.line.number)


def _priority(of: Given, words: Words, off: bool) -> None:
    of.strict = not off
    words.skip("strict")


def _bandwidth(of: Given, words: Words, off: bool) -> None:
    guaranteed = bool(words.skip("guaranteed"))
    if off:
        of.guaranteed, of.share = (None, of.share) if guaranteed else (of.guaranteed, None)
        words.skip("percent")
    elif guaranteed:
        of.guaranteed = _rate(words, "the guaranteed rate")
    else:
        words.skip("percent")
        of.share = Amount(words.percent("the share"), "1", words.line.number)


def _shape(of: Given | Block, words: Words, off: bool) -> None:
    if not words.skip("rate"):
        raise NotUnderstood
    of.shape = None if off else _rate(words, "the shaped rate")


def _early(of: Given, words: Words, off: bool) -> None:
    kind = words.skip("ecn", "drop")
    if not kind:
        raise NotUnderstood
    if off or words.skip("count"):
        words.skip("count", "minimum-threshold")
        return
    if not words.skip("minimum-threshold"):
        raise NotUnderstood
    if kind == "ecn":
        of.marking = _thresholds(words)
    else:
        of.early = _thresholds(words)


_COMMANDS: dict[str, Callable[[Given, Words, bool], None]] = {
    "priority": _priority,
    "bandwidth": _bandwidth,
    "shape": _shape,
    "random-detect": _early,
}


class _Reading:
    """Where the reading stands."""

    def __init__(self) -> None:
        self.found = Queueing()
        self.block: Block | None = None
        self.header = ""
        self.queue: Given | None = None
        self.indent = 0
        self.left = ""

    def take(self, line: Line) -> None:
        """Read one line."""
        words = tuple(word.lower() for word in line.words)
        if line.top:
            self.block, self.queue, self.left, self.header = None, None, "", line.text
            self._top(line, words)
        elif self.left:
            self.found.remarks.append(Remark("not modelled", line.number, line.text, self.left))
        elif self.block is not None:
            if self.queue is not None and line.indent <= self.indent:
                self.queue = None
            self._within(line, words, self.block)

    def _state(self, line: Line, *parents: str) -> Statement:
        made = Statement(line.number, line.text, parents)
        self.found.statements.append(made)
        return made

    def _wonder(self, line: Line) -> None:
        lost = "This command is not understood; it has no effect here."
        self.found.remarks.append(Remark("unknown", line.number, line.text, lost))

    def _leave(self, line: Line, words: tuple[str, ...]) -> str:
        """Remark on a line that is left out; empty if it is none."""
        for start, lost in _LEFT.items():
            if words[: len(start)] == start:
                self.found.remarks.append(Remark("not modelled", line.number, line.text, lost))
                return lost
        return ""

    def _top(self, line: Line, words: tuple[str, ...]) -> None:
        if words[0] == "interface" and len(words) > 1:
            name = "".join(line.words[1:3])
            self.block = self.found.interfaces.setdefault(name, Block(name, line.number))
        elif words[:2] == ("qos", "profile") and len(words) > 2:
            self._state(line)
            made = Block(line.words[2], line.number)
            self.block = self.found.profiles.setdefault(line.words[2], made)
        elif words[:2] == ("qos", "map"):
            self._map(line)
        else:
            kind = words[2:3] if words[1:2] == ("type",) else ()
            of_queues = kind not in (("pdp",), ("copp",), ("pbr",), ("inspect",))
            if of_queues:
                lost = self._leave(line, words)
                self.left = lost if words[0] in ("policy-map", "class-map") else ""

    def _map(self, line: Line) -> None:
        words = Words(line, 2)
        kind = words.skip("dscp", "cos", "traffic-class")
        values = []
        while words.has_number():
            values.append(words.count("the value", 0, 63))
        target = words.skip("to") and words.skip("traffic-class", *_TX)
        if not kind or not values or not target:
            self._wonder(line)
            return
        number = words.count("the target", 0, 7)
        for value in values:
            if kind == "traffic-class" and target in ("tx-queue", "uc-tx-queue"):
                self.found.queues[value] = number
            elif kind == "dscp":
                self.found.classes[f"DSCP {value}"] = number
            elif kind == "cos":
                self.found.classes[f"PCP {value}"] = number
        self._state(line)

    def _within(self, line: Line, words: tuple[str, ...], block: Block) -> None:
        off = words[0] == "no"
        bare = words[1:] if off else words
        if bare and bare[0] in _TX:
            if off or bare[0] == "mc-tx-queue":
                self._leave_queue(line)
                return
            number = Words(line).count("the queue", 0, 7)
            self.queue = block.queues.setdefault(number, Given(line.number))
            self.indent = line.indent
            self._state(line, self.header)
        elif self.queue is not None:
            self._command(line, bare, off, self.queue)
        else:
            self._of_port(line, bare, off, block)

    def _leave_queue(self, line: Line) -> None:
        self.queue, self.indent = Given(line.number), line.indent
        lost = "Queues of multicast are left out."
        self.found.remarks.append(Remark("not modelled", line.number, line.text, lost))

    def _command(self, line: Line, bare: tuple[str, ...], off: bool, queue: Given) -> None:
        if not bare or bare[0] not in _COMMANDS:
            self._wonder(line)
            return
        words = Words(line, 2 if off else 1)
        try:
            _COMMANDS[bare[0]](queue, words, off)
            words.end()
        except NotUnderstood:
            self._wonder(line)
            return
        queue.statements.append(self._state(line, self.header))

    def _of_port(self, line: Line, bare: tuple[str, ...], off: bool, block: Block) -> None:
        if bare[:2] == ("shape", "rate"):
            _shape(block, Words(line, 2 if off else 1), off)
            self._state(line, self.header)
        elif bare[:1] == ("speed",) and not off:
            found = next(filter(None, map(_SPEED.match, bare)), None)
            if found:
                rate_bps = exactly(float(found[1]), "Gbit/s", "bit/s")
                block.speed = Amount(rate_bps, "bit/s", line.number)
                self._state(line, self.header)
        elif bare[:1] == ("service-profile",) and len(bare) > 1 and not off:
            block.profile = line.words[1]
            self._state(line, self.header)
        elif not off:
            kind = bare[2:3] if bare[1:2] == ("type",) else ()
            if kind != ("pdp",):
                self._leave(line, bare)


def queueing_of(text: str) -> Queueing:
    """All that a text says of queues.

    Parameters
    ----------
    text : str

    Returns
    -------
    Queueing

    Raises
    ------
    ConfigurationError
        If a number is out of range, or it takes too long.
    """
    reading = _Reading()
    for line in lines_of(text, "EOSConfigParser"):
        check_time()
        reading.take(line)
    return reading.found


#: Traffic class of each code point by default: its precedence, but 0 and 1 the other way round.
DEFAULT_CLASSES = {
    **{f"DSCP {code}": {0: 1, 1: 0}.get(code >> 3, code >> 3) for code in DSCP.values()},
    **{f"PCP {code}": {0: 1, 1: 0}.get(code, code) for code in range(8)},
}
