"""Rules on commands of tc that have another effect than they seem to have."""

import re
from collections.abc import Iterator, Sequence

from qoslib.checks.checked_port import CheckedPort
from qoslib.checks.fixes_tc import byte_rates, in_bits, in_bits_per_second
from qoslib.checks.names import captured
from qoslib.checks.rule import Found, rule
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import nodes_of
from qoslib.config.records import Configuration, ConfiguredClass
from qoslib.config.source import check_time
from qoslib.config.tc.classes import BYTES
from qoslib.config.tc.schedulers import NO_DEFAULT
from qoslib.port import (
    DeficitRoundRobin,
    HierarchicalTokenBucket,
    Node,
    Queue,
    StartTimeFairQueueing,
)
from qoslib.tolerances import ROUNDING

__all__ = ["marks_never_set"]

#: What a remark says of a command that is no command, and of one that leads nowhere.
_REFUSED = ("did you mean", "The quotation does not end")
#: More lines are counted.
_MOST_LINES = 10
#: So many rates are named.
_MOST_RATES = 3
_NOWHERE = ("No packets wait in", NO_DEFAULT, "is the qdisc, not a class")


@rule(
    "tc-refused",
    "error",
    "Linux manual, tc(8): a command that fails changes nothing; classid and default name a class",
    whole=True,
    family="tc",
)
def tc_refused(configuration: Configuration) -> Iterator[Found]:
    """A command is refused, or names a class that is not there (tc)."""
    for each in configuration.remarks:
        check_time(each.line)
        if each.kind == "refused":
            # Rule `line-refused` says so.
            continue
        if any(words in each.lost for words in _REFUSED):
            yield Found(each.line, _ended(each.lost))
        elif any(words in each.lost for words in _NOWHERE):
            yield Found(each.line, _ended(each.lost), severity="warning")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}: the command has no effect."


@rule("ceil-below-rate", "warning", "Linux manual, tc-htb(8): ceil is the most that a class sends")
def ceil_below_rate(checked: CheckedPort) -> Iterator[Found]:
    """A class of htb has a ceil below its own rate, which it never gets (tc)."""
    if not isinstance(checked.port.scheduler, HierarchicalTokenBucket):
        return
    lines = {each.queue or each.name: each.line for each in checked.configured.classes}
    every: list[Queue | Node] = [*checked.port.queues, *nodes_of(checked.port)]
    for each in every:
        if each.shaper and each.shaper.rate_bps < each.guaranteed_bps:
            ceil, rate = rate_text(each.shaper.rate_bps), rate_text(each.guaranteed_bps)
            yield Found(
                lines.get(each.name) or checked.configured.line,
                f"Class {each.name} never gets its rate of {rate}: its ceil is {ceil}.",
                f"{ceil} < {rate}.",
            )


def _object(words: tuple[str, ...]) -> list[str]:
    """What a command makes or changes: its words that name a thing, a device and a place."""
    found = []
    for word, behind in zip(words, (*words[1:], ""), strict=True):
        if word in ("dev", "classid", "handle", "parent"):
            found += [word, behind]
        elif word in ("qdisc", "class"):
            found += [word, "" if behind in ("add", "replace", "change") else behind]
    return found


@rule(
    "tc-bytes-per-second",
    "warning",
    "Linux manual, tc(8), Rates: bps, kbps, mbps and gbps are bytes per second, and kbit, mbit and"
    " gbit bits per second",
    whole=True,
    family="tc",
)
def tc_bytes_per_second(configuration: Configuration) -> Iterator[Found]:
    """A rate is in bytes per second, eight times what it looks like (tc)."""
    told = set[int]()
    for meant, lines in _in_bytes(configuration).items():
        told.update(lines)
        fixes = filter(None, (in_bits_per_second(configuration, line) for line in lines))
        yield Found(lines[0], meant, _in_lines(lines), "\n".join(fixes))
    held: dict[int, dict[str, None]] = {}
    for of in (of for port in configuration.ports for of in port.classes):
        for each in of.settings:
            if each.command == BYTES:
                held.setdefault(each.line, {})[each.sort] = None
    for line, words in held.items():
        if line not in told:
            yield Found(line, _meant(" ".join(words)))


def _in_bytes(configuration: Configuration) -> dict[str, list[int]]:
    """What is asked of rates in bytes per second, and the lines of commands with these."""
    said_by = {(said.line, said.text): said for said in configuration.every}
    ordered = sorted(said_by.values(), key=lambda said: (said.line, said.text))
    last = {tuple(_object(said.words)): said for said in ordered}
    by_device: dict[str, list[tuple[int, str]]] = {}
    for (line, text), said in said_by.items():
        of = _object(said.words)
        later = last[tuple(of)]
        # What a later command changes counts no more.
        changed = later.line > line and "change" in later.words
        if not changed and byte_rates(text):
            device = of[of.index("dev") + 1] if "dev" in of else ""
            by_device.setdefault(device, []).append((line, text))
    asked: dict[str, list[int]] = {}
    # The rates of one device make one tree: a fix of some alone would not fit the others.
    for own in by_device.values():
        meant = _meant(" ".join(text for _, text in own))
        asked.setdefault(meant, []).extend(line for line, _ in own)
    return asked


def _in_lines(lines: Sequence[int]) -> str:
    """In which lines something stands, where there are several; of many the first ones."""
    first = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"It is in {len(lines)} lines: {first}{more}." if len(lines) > 1 else ""


def _meant(text: str) -> str:
    """Whether bits were meant, of the rates in bytes per second of a text."""
    rates = byte_rates(text)
    bits = [f"{number}{prefix}bit" for number, prefix in rates.values()]
    first, more = bits[:_MOST_RATES], len(bits) - _MOST_RATES
    listed = f"{', '.join(first)} and {more} more" if more > 0 else " and ".join(bits)
    rate_units = dict.fromkeys(f"`{prefix}bps`" for _, prefix in rates.values())
    told = ", ".join(in_bits(rate, *parts) for rate, parts in [*rates.items()][:_MOST_RATES])
    return (
        f"{'Were' if len(bits) > 1 else 'Was'} {listed} meant?"
        f" {' and '.join(rate_units)} are bytes per second: {told}."
    )


#: The digits of UDP's number in another base than was meant, and which protocol that is.
_NOT_UDP = {"11": "11 is NVP-II", "0x17": "0x17 is 23, TRUNK-1"}


@rule(
    "tc-protocol-number",
    "info",
    "IANA, Assigned Internet Protocol Numbers: 17 is UDP, 11 NVP-II and 23 TRUNK-1",
    whole=True,
    family="tc",
)
def tc_protocol_number(configuration: Configuration) -> Iterator[Found]:
    """A filter matches a rare protocol, with the digits of UDP's number in another base (tc)."""
    lines: dict[str, list[int]] = {}
    for said in configuration.every:
        for family in ("ip", "ip6"):
            for (number,) in captured(said.words, "match", family, "protocol", "*"):
                lines.setdefault(number, []).append(said.line)
    for number, what in _NOT_UDP.items():
        if number in lines:
            first, *others = dict.fromkeys(lines[number])
            more = f" It is in {len(others) + 1} lines." if others else ""
            why = f"UDP is 17, or 0x11: a number without 0x is decimal.{more}"
            yield Found(first, f"Protocol {what} (did you mean 17, UDP?).", why)


@rule(
    "rate-above-line",
    "warning",
    "Linux manual, tc-htb(8): ceil is the most that a class sends",
    family="tc",
)
def rate_above_line(checked: CheckedPort) -> Iterator[Found]:
    """The outermost shapers of htb or tbf let more through than the line sends (tc)."""
    line_bps, shaper = checked.port.rate_bps, checked.port.shaper
    if shaper is not None and shaper.rate_bps > line_bps * (1 + ROUNDING):
        origin = checked.configured.origin("shaper.rate_bps")
        yield _above(checked, origin.line if origin else 0, "The rate", shaper.rate_bps)
    if not isinstance(checked.port.scheduler, HierarchicalTokenBucket):
        return
    nodes = nodes_of(checked.port)
    every: dict[str, Queue | Node] = {queue.name: queue for queue in checked.port.queues}
    every |= {node.name: node for node in nodes}
    below = {name for node in nodes if node.shaper for name in node.children}
    tops = [each for name, each in every.items() if name not in below and each.shaper]
    for top in tops:
        ceil_bps = top.shaper.rate_bps if top.shaper else 0.0
        if ceil_bps > line_bps * (1 + ROUNDING):
            yield _above(checked, _line(checked, top.name), f"The ceil of {top.name}", ceil_bps)
    rates = {top.name: top.guaranteed_bps for top in tops}
    if sum(rates.values()) > line_bps * (1 + ROUNDING):
        parts = " + ".join(f"{name} {rate_text(rate)}" for name, rate in rates.items())
        yield Found(
            max(_line(checked, name) for name in rates) or checked.configured.line,
            f"The rates of the classes add up to {rate_text(sum(rates.values()))}, and the line"
            f" has {rate_text(line_bps)}.",
            f"{parts}: not all of them can be kept.",
        )


def _above(checked: CheckedPort, line: int, what: str, rate_bps: float) -> Found:
    return Found(
        line or checked.configured.line,
        f"{what}, {rate_text(rate_bps)}, is above the {rate_text(checked.port.rate_bps)} of the"
        " line: it never holds anything back.",
        "The queues of the device fill first, and there priorities have no effect.",
    )


def _line(checked: CheckedPort, name: str) -> int:
    """The line of the ceil or the rate of a class or a node above classes."""
    for of in ("queues", "scheduler.nodes"):
        for field in ("shaper.rate_bps", "guaranteed_bps"):
            origin = checked.configured.origin(f"{of}[{name!r}].{field}")
            if origin and origin.line:
                return origin.line
    return 0


#: What sets the class of a packet without a filter, and what may be a filter.
_SETS_CLASS = "CLASSIFY", "skbedit", "cgroup", "bpf", "meta priority "


@rule(
    "class-without-filter",
    "warning",
    "Linux manual, tc-htb(8), Classification: what no filter takes goes to the default class",
    family="tc",
)
def class_without_filter(checked: CheckedPort) -> Iterator[Found]:
    """No filter leads to a class, and it is not the default (tc)."""
    trees = HierarchicalTokenBucket | DeficitRoundRobin | StartTimeFairQueueing
    empty = [each for each in checked.configured.classes if not each.marks and _is_made(each)]
    if (
        not empty
        or not isinstance(checked.port.scheduler, trees)
        or _is_chosen(checked.configuration)
    ):
        return
    names = ", ".join(each.name for each in empty)
    default = next((c.name for c in checked.configured.classes if "the rest" in c.marks), "")
    goes = f" All that no filter takes goes to {default}." if default else ""
    yield Found(
        empty[0].line,
        f"No filter leads to {'classes' if len(empty) > 1 else 'class'} {names}:"
        f" {'they get' if len(empty) > 1 else 'it gets'} no packets.",
        f"Unless iptables (CLASSIFY) or an application (SO_PRIORITY) sets their class.{goes}",
    )


#: A mark of a packet, as iptables, nftables and tc itself set it; those that are no numbers too.
_SETS_MARK = re.compile(
    r"(?:-j MARK(?: --(?:set|or)-x?mark)?|(?:meta|ct) mark set|skbedit mark)(?: (\S+)|$)"
)


def marks_never_set(configuration: Configuration) -> list[str]:
    """The marks by which filters choose a class, and which no line of the text sets (tc).

    None where a line sets one that is not a number here, as a variable of a shell.

    >>> marks_never_set(Configuration("tc"))
    []
    """
    said = [word for each in configuration.every for word in _SETS_MARK.findall(each.text)]
    given = [word.partition("/")[0] for word in said]
    numbers = [_number(word) for word in given]
    if None in numbers:
        return []
    names = (mark for port in configuration.ports for of in port.classes for mark in of.marks)
    wanted = (name.split()[1] for name in names if name.startswith("fwmark "))
    return [
        each for each in dict.fromkeys(wanted) if _number(each.partition("/")[0]) not in numbers
    ]


def _number(word: str) -> int | None:
    try:
        return int(word, 0)
    except ValueError:
        return None


def _is_chosen(configuration: Configuration) -> bool:
    """Whether the text may lead packets to classes in another way than by the filters read."""
    unread = (said for said in configuration.remarks if said.kind == "unknown")
    if any("filter" in said.text for said in unread):
        return True
    return any(
        any(word in said.text for word in _SETS_CLASS) or "flow" in said.words
        for said in configuration.every
    )


def _is_made(of: ConfiguredClass) -> bool:
    """Whether a command makes the class: where a kernel shows classes, filters are shown apart."""
    said = of.setting("class")
    return said is not None and said.sort in ("add", "replace", "change")
