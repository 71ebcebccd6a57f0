"""Rules on commands of tc that have another effect than they seem to have."""

import re
from collections.abc import Iterator

from qoslib import units
from qoslib.checks.fixes import tc_line
from qoslib.checks.rule import Case, Found, rule
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import nodes_of
from qoslib.config.records import Configuration, ConfiguredClass
from qoslib.config.source import check_time
from qoslib.port import (
    DeficitRoundRobin,
    HierarchicalTokenBucket,
    Node,
    Queue,
    StartTimeFairQueueing,
)
from qoslib.tolerances import ROUNDING

__all__: list[str] = []

#: What a remark says of a command that is no command, and of one that leads nowhere.
_REFUSED = ("did you mean", "The quotation does not end")
_NOWHERE = ("No packets wait in", "is the qdisc, not a class")


@rule(
    "tc-refused",
    "error",
    "Linux manual, tc(8): a command that fails changes nothing; classid and default name a class",
    whole=True,
)
def tc_refused(configuration: Configuration) -> Iterator[Found]:
    """A command is refused, or names a class that is not there (tc)."""
    if configuration.dialect != "tc":
        return
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
def ceil_below_rate(case: Case) -> Iterator[Found]:
    """A class of htb has a ceil below its own rate, which it never gets (tc)."""
    if not isinstance(case.port.scheduler, HierarchicalTokenBucket):
        return
    lines = {each.queue or each.name: each.line for each in case.configured.classes}
    every: list[Queue | Node] = [*case.port.queues, *nodes_of(case.port)]
    for each in every:
        if each.shaper and each.shaper.rate_bps < each.guaranteed_bps:
            ceil, rate = rate_text(each.shaper.rate_bps), rate_text(each.guaranteed_bps)
            yield Found(
                lines.get(each.name) or case.configured.line,
                f"Class {each.name} never gets its rate of {rate}: its ceil is {ceil}.",
                f"{ceil} < {rate}.",
            )


#: A number, or what a shell makes one of.
_VALUE = (
    r"\d[\d.]*|\$\w+|\$\{[^{}]+\}|\$\(\([^`'\"]{1,200}?\)\)|\$\[[^`'\"\]]+\]|\$\([^()]+\)|`[^`]+`"
)
_BYTES = re.compile(rf"(?<![\w.])({_VALUE})([kmgt])(i?)bps\b", re.IGNORECASE)
#: Prefix of a rate, and the unit of so many bits per second.
_PREFIX = {"k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s"}


_OBJECT = re.compile(r"\b(qdisc|class) \w+ (?:dev \S+ )?|\b(?:dev|classid|handle|parent) \S+")


def _object(text: str) -> tuple[str, ...]:
    """What a command makes or changes: its words that name a thing, a device and a place."""
    named = " ".join(found[0] for found in _OBJECT.finditer(text)).split()
    return tuple(word for word in named if word not in ("add", "replace", "change"))


@rule(
    "tc-bytes-per-second",
    "warning",
    "Linux manual, tc(8), Rates: bps, kbps, mbps and gbps are bytes per second, and kbit, mbit and"
    " gbit bits per second",
    whole=True,
)
def tc_bytes_per_second(configuration: Configuration) -> Iterator[Found]:
    """A rate is in bytes per second, eight times what it looks like (tc)."""
    if configuration.dialect != "tc":
        return
    lines = [(each.line, each.text) for each in configuration.statements]
    lines += [(each.line, each.text) for each in configuration.remarks]
    last = {_object(text): line for line, text in sorted(lines)}
    texts = dict(reversed(lines))
    for line, text in dict.fromkeys(lines):
        later = last[_object(text)]
        if later > line and " change " in texts[later]:
            # What a later command changes counts no more.
            continue
        written = {found[0]: found for found in _BYTES.finditer(text)}
        if written:
            bits = [f"{found[1]}{(found[2] + found[3]).lower()}bit" for found in written.values()]
            units_of = dict.fromkeys(
                f"`{(found[2] + found[3]).lower()}bps`" for found in written.values()
            )
            yield Found(
                line,
                f"{'Were' if len(bits) > 1 else 'Was'} {' and '.join(bits)} meant?"
                f" {' and '.join(units_of)} are bytes per second:"
                f" {', '.join(map(_in_bits, written.values()))}.",
                "",
                tc_line(configuration, line, _BYTES.pattern, r"\1\2\3bit"),
            )


def _in_bits(found: re.Match[str]) -> str:
    """What a rate in bytes per second is in bits."""
    number, prefix, binary = found[1], found[2].lower(), found[3]
    if prefix in _PREFIX and not binary and number[0].isdigit() and number.count(".") < 2:
        value = units.convert(float(number.rstrip(".")), _PREFIX[prefix], "bit/s")
        return f"{found[0]} is {rate_text(units.bits(value))}"
    return f"{found[0]} is eight times {number}{prefix}{binary.lower()}bit"


@rule("rate-above-line", "warning", "Linux manual, tc-htb(8): ceil is the most that a class sends")
def rate_above_line(case: Case) -> Iterator[Found]:
    """The outermost shapers of htb or tbf let more through than the line sends (tc)."""
    if case.configuration.dialect != "tc" or case.configured.direction != "out":
        return
    line_bps, shaper = case.port.rate_bps, case.port.shaper
    if shaper is not None and shaper.rate_bps > line_bps * (1 + ROUNDING):
        origin = case.configured.origin("shaper.rate_bps")
        yield _above(case, origin.line if origin else 0, "The rate", shaper.rate_bps)
    if not isinstance(case.port.scheduler, HierarchicalTokenBucket):
        return
    nodes = nodes_of(case.port)
    every: dict[str, Queue | Node] = {queue.name: queue for queue in case.port.queues}
    every |= {node.name: node for node in nodes}
    below = {name for node in nodes if node.shaper for name in node.children}
    tops = [each for name, each in every.items() if name not in below and each.shaper]
    for top in tops:
        ceil_bps = top.shaper.rate_bps if top.shaper else 0.0
        if ceil_bps > line_bps * (1 + ROUNDING):
            yield _above(case, _line(case, top.name), f"The ceil of {top.name}", ceil_bps)
    rates = {top.name: top.guaranteed_bps for top in tops}
    if sum(rates.values()) > line_bps * (1 + ROUNDING):
        parts = " + ".join(f"{name} {rate_text(rate)}" for name, rate in rates.items())
        yield Found(
            max(_line(case, name) for name in rates) or case.configured.line,
            f"The rates of the classes add up to {rate_text(sum(rates.values()))}, and the line"
            f" has {rate_text(line_bps)}.",
            f"{parts}: not all of them can be kept.",
        )


def _above(case: Case, line: int, what: str, rate_bps: float) -> Found:
    return Found(
        line or case.configured.line,
        f"{what}, {rate_text(rate_bps)}, is above the {rate_text(case.port.rate_bps)} of the line:"
        " it never holds anything back.",
        "The queues of the device fill first, and there priorities have no effect.",
    )


def _line(case: Case, name: str) -> int:
    """The line of the ceil or the rate of a class or a node above classes."""
    for of in ("queues", "scheduler.nodes"):
        for field in ("shaper.rate_bps", "guaranteed_bps"):
            origin = case.configured.origin(f"{of}[{name!r}].{field}")
            if origin and origin.line:
                return origin.line
    return 0


#: What sets the class of a packet without a filter, and what may be a filter.
_SETS_CLASS = re.compile(r"CLASSIFY|skbedit|cgroup|bpf|\bmeta priority\b|\bflow\b")
_MADE = re.compile(r"\bclass (?:add|replace|change)\b")


@rule(
    "class-without-filter",
    "warning",
    "Linux manual, tc-htb(8), Classification: what no filter takes goes to the default class",
)
def class_without_filter(case: Case) -> Iterator[Found]:
    """No filter leads to a class, and it is not the default (tc)."""
    trees = HierarchicalTokenBucket | DeficitRoundRobin | StartTimeFairQueueing
    if case.configuration.dialect != "tc" or not isinstance(case.port.scheduler, trees):
        return
    remarks = case.configuration.remarks
    texts = [each.text for each in case.configuration.statements]
    texts += [each.text for each in remarks]
    unread = any("filter" in each.text and each.kind == "unknown" for each in remarks)
    empty = [each for each in case.configured.classes if not each.marks and _is_made(each)]
    if unread or not empty or any(_SETS_CLASS.search(text) for text in texts):
        return
    names = ", ".join(each.name for each in empty)
    default = next((c.name for c in case.configured.classes if "the rest" in c.marks), "")
    goes = f" All that no filter takes goes to {default}." if default else ""
    yield Found(
        empty[0].line,
        f"No filter leads to {'classes' if len(empty) > 1 else 'class'} {names}:"
        f" {'they get' if len(empty) > 1 else 'it gets'} no packets.",
        f"Unless iptables (CLASSIFY) or an application (SO_PRIORITY) sets their class.{goes}",
    )


def _is_made(of: ConfiguredClass) -> bool:
    """Whether a command makes the class: where a kernel shows classes, filters are shown apart."""
    return bool(of.statements) and _MADE.search(of.statements[0].text) is not None
