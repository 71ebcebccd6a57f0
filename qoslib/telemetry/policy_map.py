"""``show policy-map interface`` of IOS and IOS-XE; that of IOS-XR has a reader of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from qoslib.telemetry import policy_map_xr
from qoslib.telemetry.policy_map_doubts import Counted, doubts
from qoslib.telemetry.values import Values, lines_of, short

__all__ = ["read"]

#: The line before its policies; what follows a comma or a colon is its circuit.
INTERFACE = re.compile(
    r"\s*([A-Z][A-Za-z-]*\d[\d/.:]*|[a-z-]+\d+/[\d/.:]*|Control Plane)\s*(?:[:,].*)?$"
)
POLICY = re.compile(r"(\s*)[Ss]ervice-policy\b([^:]*):\s*\S")
CLASS = re.compile(r"(\s*)Class-map:\s*(\S+)")
PRIORITY_BLOCK = re.compile(r"(\s*)queue stats for all priority classes:")
PRIORITY_LEVEL = re.compile(r"\s*priority level:? (\d+)\s*$", re.IGNORECASE)
PRIORITY = re.compile(r"\s*(Priority:|Strict Priority\b)")
EXCEEDED = re.compile(r".*\bb/w exceed drops: *(\d+)")
MATCHED = re.compile(r"\s*(\d+) packets(?:, (\d+) bytes)?\s*$")
RATE = re.compile(
    r"\s*(\d+) (second|minute)s? offered rate (\d+) (k|M|G)?bps(?:, drop rate (\d+) (k|M|G)?bps)?"
)
LIMIT = re.compile(r"\s*queue limit (.*)")
#: Rates as the device took them from its configuration, and what to call them.
CONFIGURED = {
    "priority_rate": re.compile(r"\s*Priority: (?:\d+% \()?(\d+) (k)bps"),
    "bandwidth_rate": re.compile(r"\s*[Bb]andwidth (?:\d+% \()?(\d+) \(?(k)bps"),
    "shape_rate": re.compile(r"\s*target shape rate (\d+)()\s*$"),
}
#: The burst of a priority class [B].
BURST = re.compile(r"\s*Priority: .*\bburst bytes (\d+)")
LIMIT_PART = re.compile(r"(\d+) ?(packets|bytes|us|ms)\b")
#: A name for each of the numbers behind, with or without the first bracket.
_WORDS = "[a-z-]+(?: [a-z-]+)*"
COUNTERS = re.compile(rf"\s*\(?({_WORDS}(?:/{_WORDS})*)\)?:? +(\d+(?:/\d+)*)\s*$")
#: Lines of counters and limits, with anything for their numbers.
NUMBERS = (
    re.compile(r"\s*(\S+) packets(?:, (\S+) bytes)?\s*$"),
    re.compile(
        r"\s*\d+ (?:second|minute)s? offered rate (\S+) [kMG]?bps(?:, drop rate (\S+) .*)?$"
    ),
    re.compile(r"\s*(?:conformed|exceeded|violated) (\S+) packets, (\S+) bytes\b.*"),
    re.compile(r"\s*queue limit (\S+) (?:packets|bytes|us|ms)\b.*"),
    re.compile(r"\s*target shape rate (\S+)\s*$"),
)
#: The same of counters whose names stand in front.
DAMAGED = re.compile(rf"\s*\(({_WORDS}(?:/{_WORDS})*)\):? +(\S+)\s*$")
POLICED = re.compile(r"\s*(?:conformed|exceeded|violated) (?:(\d+) packets, )?(\d+) bytes;? ?(.*)")
WRED = re.compile(r".*\bRandom drop\b.*\bTail(?:/Flow)? drop\b")
WRED_ROW = re.compile(
    r"\s*\S+(?: +\(\S+\))?\s+(?:\d+/\d+|-)\s+(\d+|-)(?:/\d+)?\s+(\d+|-)(?:/\d+)?\s+\S"
)

#: What stands between the brackets -> quantity and unit; None for what is said elsewhere.
NAMES = {
    "queue depth": ("queue_depth", "packets"),
    "depth": ("queue_depth", "packets"),
    "total drops": ("queue_dropped_packets", "packets"),
    "no-buffer drops": ("no_buffer_dropped_packets", "packets"),
    "flowdrops": ("flow_dropped_packets", "packets"),
    "bytes drops": ("queue_dropped_bytes", "B"),
    "pkts output": ("output_packets", "packets"),
    "bytes output": ("output_bytes", "B"),
    "pkts matched": None,
    "bytes matched": None,
    "pkts queued": None,
    "bytes queued": None,
}
SECONDS = {"second": 1, "minute": 60}
UNITS = {"packets": "packets", "bytes": "B", "us": "us", "ms": "ms"}
TIMES = {"": "bit/s", "k": "kbit/s", "M": "Mbit/s", "G": "Gbit/s"}
#: More classes than any router takes in a policy, and more levels of policies.
MOST_CLASSES, DEEPEST = 2_000, 8
#: IOS rounds a rate to so many bit/s, whatever it is.
HALF_WIDTH_BPS = 500.0


@dataclass
class _Value:
    """A value of a class, before it is known what to call the class."""

    quantity: str
    text: str
    unit: str
    line: int
    statistic: str = "total"
    half_width: float = 0.0
    interval_s: float | None = None


@dataclass
class _Class:
    """A class or, with an empty name, the priority block of a policy."""

    indent: int
    path: tuple[str, ...]
    values: list[_Value] = field(default_factory=list)
    priority: bool = False
    level: int | None = None
    in_bytes: bool = False
    #: Where a number should stand and none does, and the line.
    unreadable: list[tuple[str, int]] = field(default_factory=list)
    #: Drops of its policer and of WRED, which several lines add to.
    sums: dict[str, _Value] = field(default_factory=dict)


def read(text: str, values: Values) -> None:
    """Add the counters of each class; those of priority classes stand in a block of their own."""
    if "Class-map:" not in text:
        policy_map_xr.read(text, values)
        return
    _Reader(values).read(text)


class _Reader:
    """Line by line: the interface, the direction, and which class the lines are about."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.interface, self.direction = "", ""
        self.found: list[_Class] = []
        self.open: list[_Class] = []
        self.parents: set[tuple[str, ...]] = set()
        self.wred = False
        #: Packets and bytes whose action stands in the next lines.
        self.action: tuple[str | None, str, int] | None = None

    def read(self, text: str) -> None:
        for line, said in _joined(text):
            if not self._heading(line, said) and self.open:
                self._value(self.open[-1], line, said)
        self._flush()

    def _heading(self, line: int, said: str) -> bool:
        """Whether a line says what the next ones are about."""
        if found := CLASS.match(said):
            self._enter(_Class(len(found[1]), (*self._above(len(found[1])), found[2])), line)
        elif found := POLICY.match(said):
            self._policy(line, len(found[1]), found[2])
        elif found := PRIORITY_BLOCK.match(said):
            self._enter(_Class(len(found[1]), (*self._above(len(found[1])), "")), line)
        elif found := INTERFACE.match(said):
            self._flush()
            self.interface, self.direction = found[1], ""
        else:
            return False
        return True

    def _enter(self, new: _Class, line: int) -> None:
        self.wred, self.action = False, None
        if len(self.found) >= MOST_CLASSES or len(new.path) > DEEPEST:
            problem = f"more than {MOST_CLASSES:,} classes in a policy, or {DEEPEST} levels of them"
            raise self.values.error(f"{problem}; allowed: fewer", line)
        self.found.append(new)
        self.open.append(new)

    def _above(self, indent: int) -> tuple[str, ...]:
        """The classes that a line of this indentation lies in."""
        # A block of counters holds no class, however the lines are indented.
        while self.open and (self.open[-1].indent >= indent or not self.open[-1].path[-1]):
            self.open.pop()
        return self.open[-1].path if self.open else ()

    def _policy(self, line: int, indent: int, direction: str) -> None:
        words = direction.split()
        if {"input", "output", "inspect"} & {*words}:
            self._flush()
            self.direction = next((each for each in ("input", "output") if each in words), "")
            return
        if not self._above(indent) and self.found:
            problem = "a child policy that is not indented below its class"
            raise self.values.error(f"{problem}; allowed: the output as the router wrote it", line)
        if self.open:
            self.parents.add(self.open[-1].path)

    def _value(self, of: _Class, line: int, said: str) -> None:
        for pattern in NUMBERS:
            words = numbers.groups() if (numbers := pattern.match(said)) else ()
            of.unreadable += [(word, line) for word in words if word and not _is_number(word)]
        if found := BURST.match(said):
            of.values.append(_Value("priority_burst", found[1], "B", line, "configured"))
        for quantity, pattern in CONFIGURED.items():
            if found := pattern.match(said):
                unit = TIMES[found[2]]
                of.values.append(_Value(quantity, found[1], unit, line, "configured"))
        if found := PRIORITY_LEVEL.match(said):
            of.level = int(found[1][:9])
        elif found := COUNTERS.match(said):
            self._counters(of, line, found)
        elif (found := DAMAGED.match(said)) and {*found[1].split("/")} <= {*NAMES}:
            problem = f"{found[1]} is {found[2][:40]!r}; allowed: whole numbers with / between"
            raise self.values.error(problem, line)
        elif found := MATCHED.match(said):
            self._add(of, "class_packets", found[1], "packets", line)
            if found[2]:
                self._add(of, "class_bytes", found[2], "B", line)
        elif found := RATE.match(said):
            _rates(of, line, found)
        elif found := LIMIT.match(said):
            for number, unit in LIMIT_PART.findall(found[1]):
                of.values.append(_Value("queue_limit", number, UNITS[unit], line, "configured"))
                of.in_bytes = of.in_bytes or unit == "bytes"
        elif PRIORITY.match(said):
            of.priority = True
            if found := EXCEEDED.match(said):
                self._add(of, "exceed_dropped_packets", found[1], "packets", line)
        else:
            self._policed(of, line, said)

    def _policed(self, of: _Class, line: int, said: str) -> None:
        """Lines of a policer and of WRED: each class, colour or DSCP has one."""
        if WRED.match(said):
            self.wred = True
        elif self.wred and (found := WRED_ROW.match(said)):
            for quantity, number in zip(("random", "tail"), found.groups(), strict=True):
                if number != "-":
                    _sum(of, f"{quantity}_dropped_packets", number, "packets", line)
        elif found := POLICED.match(said):
            self.action = found[1], found[2], line
            said = found[3].partition(":")[2]
        if said.strip() == "drop" and self.action is not None:
            packets, octets, at = self.action
            if packets is not None:
                _sum(of, "exceed_dropped_packets", packets, "packets", at)
            _sum(of, "exceed_dropped_bytes", octets, "B", at)
            self.action = None

    def _counters(self, of: _Class, line: int, found: re.Match[str]) -> None:
        names = [name.strip() for name in found[1].split("/")]
        numbers = found[2].split("/")
        if not all(name in NAMES for name in names):
            return
        if len(names) != len(numbers):
            problem = f"{len(names)} names for {len(numbers)} numbers; allowed: one each"
            raise self.values.error(problem, line)
        for name, number in zip(names, numbers, strict=True):
            quantity, unit = NAMES[name] or ("", "")
            if quantity == "queue_depth":
                unit = "B" if of.in_bytes else unit
                of.values.append(_Value(quantity, number, unit, line, "unspecified"))
            elif names == ["total drops"]:
                # Catalyst 9000: alone it is a count of bytes, as the "bytes output" below it.
                self._add(of, "queue_dropped_bytes", number, "B", line)
            elif quantity:
                self._add(of, quantity, number, unit, line)

    def _add(self, of: _Class, quantity: str, text: str, unit: str, line: int) -> None:
        of.values.append(_Value(quantity, text, unit, line))

    def _flush(self) -> None:
        """Name the classes of a policy and hand over their values."""
        classes, self.found, self.open = self.found, [], []
        parents, self.parents = self.parents, set()
        if not classes:
            return
        title = f"{self.interface or 'policy'} {self.direction}".strip()
        experiment = self.values.experiment(title)
        names = _named([each.path for each in classes if each.path[-1]], parents)
        counted = [_counted(each, names) for each in classes if each.path[-1]]
        for sentence in (*_unreadable(classes), *doubts(counted, parents)):
            self.values.note(f"{title}: {sentence}")
        for each in classes:
            stream = names[each.path] if each.path[-1] else self._of_block(each, classes, names)
            for value in (*each.values, *each.sums.values()):
                self.values.add(
                    stream,
                    value.quantity,
                    value.text,
                    value.unit,
                    value.line,
                    statistic=value.statistic,
                    half_width=value.half_width,
                    interval_s=value.interval_s,
                    experiment=experiment,
                )

    def _of_block(
        self, block: _Class, classes: list[_Class], names: dict[tuple[str, ...], str]
    ) -> str:
        """The class that a priority block is about, or the names of all that share it."""
        mine = [
            names[each.path]
            for each in classes
            if each.priority
            and each.path[-1]
            and each.path[:-1] == block.path[:-1]
            and (block.level is None or each.level in (None, block.level))
        ]
        mine = list(dict.fromkeys(mine))
        if len(mine) > 1:
            listed = ", ".join(mine)
            self.values.note(f"One block of counters is of the priority classes {listed} together.")
        level = "" if block.level is None else f" level {block.level}"
        return " + ".join(mine) or f"priority{level}"


def _is_number(word: str) -> bool:
    """Whether a word is a whole number, or has no digit at all and so says something else."""
    return word.isdecimal() or not any(map(str.isdecimal, word))


def _unreadable(classes: list[_Class]) -> Iterator[str]:
    for each in classes:
        for word, line in each.unreadable:
            name = f"class {each.path[-1]}" if each.path[-1] else "all priority classes"
            yield f"{name}: {short(word)} in line {line} is no number: this value is left out."


def _counted(of: _Class, names: dict[tuple[str, ...], str]) -> Counted:
    # Below its matches a class may count again: what comes first is its own.
    counts = {each.quantity: float(each.text) for each in reversed(of.values)}
    depths = (each.unit for each in of.values if each.quantity == "queue_depth")
    unit = next(depths, "")
    # A depth goes with the limit of its own unit.
    limits = [each for each in of.values if each.quantity == "queue_limit" and each.unit == unit]
    if limits:
        counts["queue_limit"] = float(limits[0].text)
    else:
        counts.pop("queue_depth", None)
    return Counted(of.path, names[of.path], counts)


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a number that a terminal has wrapped is joined to its line."""
    before: tuple[int, str] | None = None
    for number, line in lines_of(text):
        if before is not None:
            yield before[0], f"{before[1].rstrip()} {line.strip()}"
            before = None
        if line.rstrip().endswith("exceed drops:"):
            before = number, line
        else:
            yield number, line


def _rates(of: _Class, line: int, found: re.Match[str]) -> None:
    """Averages that decay, over what the load interval is."""
    number, unit = int(found[1][:9]), found[2]
    over_s = float(number * SECONDS[unit])
    name = f"{number}_{unit}{'' if number == 1 else 's'}"
    for quantity, text, times in (("offered", *found.group(3, 4)), ("dropped", *found.group(5, 6))):
        if text is not None:
            measured = "average", HALF_WIDTH_BPS if not times else 0.5, over_s
            quantity = f"{quantity}_bits_{name}"
            of.values.append(_Value(quantity, text, TIMES[times or ""], line, *measured))


def _sum(of: _Class, quantity: str, text: str, unit: str, line: int) -> None:
    before = of.sums.get(quantity)
    total = int(text) + (int(before.text) if before is not None else 0)
    of.sums[quantity] = _Value(quantity, str(total), unit, line)


def _named(
    paths: list[tuple[str, ...]], parents: set[tuple[str, ...]]
) -> dict[tuple[str, ...], str]:
    """What to call each class: by its own name, where no other leaf has it.

    A class that alone holds a child policy holds all traffic: it is called nothing, which means
    all streams.
    """
    leaves = [path for path in dict.fromkeys(paths) if path not in parents]
    tops = [path for path in dict.fromkeys(paths) if len(path) == 1]
    names = {}
    for path in dict.fromkeys(paths):
        alone = sum(leaf[-1] == path[-1] for leaf in leaves) == 1
        if path in parents:
            names[path] = "" if tops == [path] else f"{'/'.join(path)} with its classes"
        else:
            names[path] = path[-1] if alone else "/".join(path)
    return names
