"""Rules on slips of the pen: words nobody knows, classes nobody can be in, units a thousand off."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from qoslib import units
from qoslib.checks.effective_commands import standing
from qoslib.checks.promises import FRAME_BYTES
from qoslib.checks.rule import Case, Found, rule
from qoslib.config.amounts import rate_text, share_text, time_text
from qoslib.config.code_points import read_word
from qoslib.config.eos.reader import STRICT_SHARE
from qoslib.config.interfaces import meant_interface
from qoslib.config.junos.grammar import WORDS
from qoslib.config.mqc.commands import COMMANDS, UNMODELLED
from qoslib.config.mqc.interfaces import INTERFACE
from qoslib.config.records import Configuration, Remark, Statement
from qoslib.config.source import check_time

__all__: list[str] = []

_ATTACHED = re.compile(r"service-policy (?:input|output) \S+")
_HEADERS = ("class-map", "policy-map")
_QUEUEING = {"bandwidth", "priority", "shape", "queue-limit", "random-detect", "fair-queue"}
_KNOWN = [*COMMANDS, *UNMODELLED, *INTERFACE, *_HEADERS, "class", "match", "description"]
#: How a command that is written in another way goes.
_FORMS = {
    "bandwidth": "`bandwidth KBPS`, `bandwidth percent P` or `bandwidth remaining ...`",
    "class": "`class NAME`",
    "class-map": "`class-map [match-any | match-all] NAME`",
    "policy-map": "`policy-map NAME`",
    "priority": "`priority [level L] [KBPS | percent P] [BURST]`",
    "queue-limit": "`queue-limit N packets`, `bytes` or `ms`",
    "service-policy": "`service-policy output NAME`, or `input`, on an interface",
    "shape": "`shape average RATE`, in bit/s or with k, m, g",
    "speed": "`speed MBPS` or `speed auto`",
}
#: What may stand behind a command.
_SECOND = {"service-policy": ("input", "output")}
_HEADER = re.compile(r"(class-map|policy-map|interface) ")
_CLASS_MAP = re.compile(r"class-map (?:match-(?:any|all) )?(\S+)")
_DSCP = re.compile(r"match (?:ip |ipv4 |ipv6 )?dscp (?:ipv4 |ipv6 )?(.+)")
_LIST = re.compile(r"match (?:not )?access-group (?:name )?(\S+)")
_SHAPE = re.compile(r"shape (?:average|peak) (\d+)([kmg]?)(?: ([kmg]?)bps)?(?: .*)?", re.IGNORECASE)
_WITHOUT_HYPHEN = re.compile(r"(fe|ge|xe|et)(\d.*)")
_PREFIX = {"": "bit/s", "k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s"}
#: A shaper that is so many times too small was likely meant in kb/s, if a frame takes so long [s].
_SLIP, _SLOW_S = 1000, 0.1


@rule(
    "unknown-command",
    "warning",
    "docs/checking.md: a command that is not understood has no effect here",
    whole=True,
)
def unknown_command(configuration: Configuration) -> Iterator[Found]:
    """A command where quality of service is configured, or a type of interface, is not known."""
    if configuration.dialect == "tc":
        # A script has commands of its shell as well.
        return
    lines: dict[str, list[int]] = {}
    second: dict[str, str] = {}
    for each in configuration.remarks:
        if each.kind == "unknown" and each.text:
            word, *rest = each.text.split()
            lines.setdefault(word[:40], []).append(each.line)
            second.setdefault(word[:40], rest[0] if rest else "")
    for word, at in lines.items():
        check_time(at[0])
        known = _words_of(configuration)
        near = get_close_matches(word.lower(), known, 1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        says = f"{word!r} is not a known command{meant}"
        if word.lower() in known:
            form = _FORMS.get(word.lower(), "") if configuration.dialect != "eos" else ""
            if near := get_close_matches(second[word], _SECOND.get(word.lower(), ()), 1):
                form += f"; did you mean {near[0]!r} for {second[word][:40]!r}?"
            says = f"This form of {word!r} is not known{form and f' (it is {form})'}"
        at = [*dict.fromkeys(at)]
        where = ", ".join(map(str, at[:10])) + (", ..." if len(at) > 10 else "")
        more = f"It stands in {len(at)} lines: {where}." if len(at) > 1 else ""
        yield Found(at[0], f"{says}: it has no effect in the models.", more)
    for line, name, meant in _meant_interfaces(configuration):
        says = f"{name!r} is no known name of an interface (did you mean {meant!r}?)"
        yield Found(line, f"{says}: the device may refuse it.")


def _meant_interfaces(configuration: Configuration) -> Iterator[tuple[int, str, str]]:
    """Line and name of each interface that is nearly one, and what may be meant."""
    if configuration.dialect == "junos":
        for port in configuration.ports:
            if found := _WITHOUT_HYPHEN.fullmatch(port.interface):
                yield port.line, port.interface, f"{found[1]}-{found[2]}"
    for each in configuration.statements if _is_mqc(configuration) else ():
        check_time(each.line)
        words = [word for word in each.text.split() if word != "range"]
        if words[0] == "interface" and len(words) > 1:
            whole = len(words) == 2 or any(letter.isdigit() for letter in words[1])
            name = words[1] if whole else "".join(words[1:3])
            if meant := meant_interface(name):
                yield each.line, name, meant


def _words_of(configuration: Configuration) -> Sequence[str]:
    """The words that a command of a dialect may begin with; none where they are not listed."""
    if _is_mqc(configuration):
        return _KNOWN
    return WORDS if configuration.dialect == "junos" else ()


def _is_mqc(configuration: Configuration) -> bool:
    return configuration.dialect.startswith(("ios", "nxos", "eos"))


def _strict_shares(configuration: Configuration) -> Iterator[Found]:
    """Shares of strict queues (EOS), which takes them without an effect."""
    lines = [each.line for each in configuration.remarks if each.lost == STRICT_SHARE]
    if lines:
        where = ", ".join(map(str, lines[:10])) + (", ..." if len(lines) > 10 else "")
        yield Found(
            lines[0],
            "`bandwidth percent` has no effect on a transmit queue with strict priority.",
            f"`no priority` in this queue, or in one above it, puts it into round robin"
            f"{f'; so in lines {where}' if len(lines) > 1 else ''}.",
            severity="warning",
        )


@rule(
    "commands-exclusive",
    "error",
    "Cisco command references of IOS XE and IOS XR, priority: not with bandwidth in the same class;"
    " bandwidth: in kbps or in per cent; Nexus 9000 QoS Configuration Guide, Configuring Congestion"
    " Management: bandwidth remaining is for the classes without priority; Arista EOS User Manual,"
    " bandwidth percent: the share of a transmit queue in round robin",
    whole=True,
)
def commands_exclusive(configuration: Configuration) -> Iterator[Found]:
    """Commands of a class or a policy that a device refuses together, or leaves without effect."""
    if configuration.dialect == "eos":
        yield from _strict_shares(configuration)
    if configuration.dialect not in ("ios", "ios-xe", "ios-xr", "nxos"):
        return
    classic = configuration.dialect in ("ios", "ios-xe")
    classes: dict[tuple[str, ...], dict[str, int]] = {}
    units: dict[str, dict[str, int]] = {}
    attached: dict[tuple[str, str], dict[str, int]] = {}
    for each in standing(configuration):
        verb, _, rest = each.text.partition(" ")
        if verb in ("priority", "bandwidth"):
            classes.setdefault(each.parents, {}).setdefault(verb, each.line)
            if classic and verb == "bandwidth" and not rest.startswith("remaining"):
                unit = "per cent" if rest.startswith("percent") else "kb/s"
                units.setdefault(each.parents[0], {}).setdefault(unit, each.line)
    for each in configuration.statements:
        check_time(each.line)
        said = each.text.removeprefix("no ")
        if classic and _ATTACHED.fullmatch(said) and each.parents:
            way = " ".join(said.split()[:2])
            there = attached.setdefault((each.parents[0], way), {})
            there.pop(said, None)
            if said == each.text:
                there[said] = each.line
    for (interface, way), lines in attached.items():
        if len(lines) > 1:
            says = ", ".join(f"{text} in line {line}" for text, line in lines.items())
            yield Found(
                max(lines.values()),
                f"{interface[0].upper()}{interface[1:]} has {len(lines)} commands `{way}`: the"
                " device takes one of them.",
                f"{says}; the last is read.",
            )
    for (policy, name), lines in classes.items():
        if len(lines) == 2:
            yield Found(
                max(lines.values()),
                f"Class {name.removeprefix('class ')} of {policy} has priority and bandwidth: the"
                " device takes one of them.",
                f"priority in line {lines['priority']}, bandwidth in line {lines['bandwidth']}.",
                "",
                # Some of these switches take both, and then the share says nothing.
                "warning" if configuration.dialect == "nxos" else None,
            )
    for policy, lines in units.items():
        if len(lines) == 2:
            says = ", ".join(f"{unit} in line {line}" for unit, line in lines.items())
            yield Found(
                max(lines.values()),
                f"The bandwidths of {policy} are in kb/s and in per cent: the device takes one of"
                " these units for all.",
                f"{says}.",
            )


@rule(
    "class-never-matches",
    "warning",
    "Cisco IOS QoS configuration guide: match-all needs every match at once",
    whole=True,
)
def class_never_matches(configuration: Configuration) -> Iterator[Found]:
    """A class has no match, or matches that exclude each other, or a list that is not there."""
    if not configuration.dialect.startswith("ios"):
        return
    headers = [each for each in configuration.statements if _HEADER.match(each.text)]
    classes = {each.line: name for each in headers if (name := _CLASS_MAP.fullmatch(each.text))}
    matches: dict[str, list[Statement]] = {name[1]: [] for name in classes.values()}
    # Line 0 owns what stands above all headers.
    begins, uncertain = sorted({0, *(each.line for each in headers)}), set()
    every: list[Statement | Remark] = [*configuration.statements, *configuration.remarks]
    for each in every:
        check_time(each.line)
        owner = begins[bisect_left(begins, each.line) - 1]
        if owner not in classes:
            continue
        unknown = isinstance(each, Remark) and each.kind == "unknown"
        if isinstance(each, Statement) and each.text.startswith("match "):
            matches[classes[owner][1]].append(each)
        elif unknown or each.text.split()[0] in ("match", "no"):
            uncertain.add(classes[owner][1])
    known = {each.text.split()[1] for each in configuration.statements if _is_list(each.text)}
    groups = {found[1] for each in every if (found := _SETS_GROUP.match(each.text))}
    for line, name in classes.items():
        mine = matches.pop(name[1], None)
        if mine is None or name[1] in uncertain:
            continue
        if not mine:
            yield Found(line, f"Class {name[1]} has no match: no packet is in it.")
        together = "match-any" not in name[0]
        marks = [_marks(each.text) for each in mine if _DSCP.fullmatch(each.text)]
        if together and len(marks) > 1 and all(marks) and not set.intersection(*marks):
            yield Found(
                mine[0].line,
                f"Class {name[1]} wants all of its DSCPs at once: no packet is in it.",
                "; ".join(each.text for each in mine) + ".",
                f"class-map match-any {name[1]}",
            )
        if mine and (nobody := _never_set(mine, groups)):
            others = ", ".join(sorted(groups))
            yield Found(
                mine[0].line,
                f"Class {name[1]} gets no packet: no line of this text sets {' or '.join(nobody)}.",
                f"What lines set: {others}.",
            )
        for each in mine:
            listed = _LIST.fullmatch(each.text)
            if listed and listed[1] not in known:
                yield Found(
                    each.line,
                    f"Access list {listed[1]} of class {name[1]} is not in this text.",
                    f"0 lines define access list {listed[1]}.",
                )


def _never_set(matches: list[Statement], groups: set[str]) -> list[str]:
    """The groups that a class matches alone, where lines set others of the kind and none of these.

    Group 0 is what a packet has by itself, and packets of the router may have 6 and 7.
    """
    said = [found for each in matches if (found := _MATCHES_GROUP.fullmatch(each.text))]
    wanted = [f"{found[1]} {number}" for found in said for number in found[2].split()]
    kinds = {group.split()[0] for group in groups}
    own = any(each in groups or each[-2:] in _OF_ROUTER for each in wanted)
    same = all(each.split()[0] in kinds for each in wanted)
    return wanted if same and not own and len(said) == len(matches) else []


_OF_ROUTER = {" 0", " 6", " 7"}
_SETS_GROUP = re.compile(r"set ((?:traffic-class|qos-group|discard-class) \d+)")
_MATCHES_GROUP = re.compile(r"match (traffic-class|qos-group|discard-class) (\d+(?: \d+)*)")


def _is_list(text: str) -> bool:
    return text.startswith("access-list ")


def _marks(text: str) -> set[str]:
    """The code points of a `match dscp`; none where one is not known."""
    found = _DSCP.fullmatch(text)
    marks = [read_word(word, "cisco") for word in found[1].split()] if found else []
    return {mark for mark in marks if mark} if all(marks) else set()


@rule(
    "queueing-on-input",
    "error",
    "Cisco IOS QoS configuration guide: queues are supported on output alone",
    inward=True,
)
def queueing_on_input(case: Case) -> Iterator[Found]:
    """A policy for what comes in has commands of queues (IOS, IOS XE)."""
    if case.configured.direction != "in" or case.configuration.dialect not in ("ios", "ios-xe"):
        return
    said = [
        each
        for part in case.configured.classes
        for each in part.statements
        if each.text.split()[0] in _QUEUEING
    ]
    if said:
        verbs = ", ".join(dict.fromkeys(each.text.split()[0] for each in said))
        policy = case.configured.policy
        yield Found(
            case.configured.line,
            f"Policy {policy} is for input and has queues: they are not supported on input.",
            f"{verbs}: first in line {min(each.line for each in said)}.",
            f"interface {case.configured.interface}\n no service-policy input {policy}\n"
            f" service-policy output {policy}",
        )


@rule("shaper-unit", "warning", "Cisco IOS QoS command reference, shape: the rate is in bit/s")
def shaper_unit(case: Case) -> Iterator[Found]:
    """A shaper seems to be given in kb/s instead of bit/s, or is above the line rate."""
    rate_bps = case.port.rate_bps
    for part in case.configured.classes:
        for each in part.statements:
            found = _SHAPE.fullmatch(each.text)
            if not found:
                continue
            unit = (found[2] or found[3] or "").lower()
            shaped = units.convert(float(found[1]), _PREFIX[unit], "bit/s")
            share = f"{share_text(shaped / rate_bps, 4)} of the line rate"
            frame_s = units.serialisation_s(FRAME_BYTES, shaped) if shaped else 0.0
            most_bps = rate_bps if shaped >= case.capacity_bps else case.capacity_bps
            if shaped > rate_bps:
                yield Found(
                    each.line,
                    f"The shaper of {part.name}, {rate_text(shaped)}, never holds anything back:"
                    f" the line has {rate_text(rate_bps)}.",
                    f"It is {share}; the queues of the line fill first.",
                )
            elif found[3] is None and frame_s > _SLOW_S and shaped * _SLIP < most_bps:
                meant = shaped * _SLIP
                yield Found(
                    each.line,
                    f"The shaper of {part.name} is {rate_text(shaped)}: was"
                    f" {rate_text(meant)} meant? The rate is in bit/s.",
                    f"It is {share}: a frame of {FRAME_BYTES:,} B takes {time_text(frame_s)}.",
                    case.fix(mqc=case.in_class(part, f"shape average {meant:.0f}")),
                )
