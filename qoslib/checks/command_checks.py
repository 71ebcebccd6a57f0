"""Rules on slips of the pen: words nobody knows, classes nobody can be in, units a thousand off."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from qoslib import units
from qoslib.checks.checked_port import CheckedPort
from qoslib.checks.fixes_mqc import code_points
from qoslib.checks.manners import manners_of
from qoslib.checks.names import GROUPS, ClassMap, attachment, class_map
from qoslib.checks.promises import FRAME_BYTES
from qoslib.checks.rule import Found, rule
from qoslib.config.amounts import rate_text, share_text, time_text
from qoslib.config.code_points import read_word
from qoslib.config.eos.reader import STRICT_SHARE
from qoslib.config.guarantees import nodes_of
from qoslib.config.interfaces import meant_interface
from qoslib.config.junos.grammar import WORDS
from qoslib.config.junos.platforms import several_strict
from qoslib.config.lines import nearest
from qoslib.config.mqc.commands import COMMANDS, verbs_giving
from qoslib.config.mqc.interfaces import INTERFACE
from qoslib.config.records import Configuration, ConfiguredPolicy, Remark, Statement
from qoslib.config.source import check_time
from qoslib.port.nodes import outline

__all__: list[str] = []

_HEADERS = "class-map", "policy-map", "interface"
_QUEUEING = {*verbs_giving("a queue", "a change")}
_KNOWN = [*COMMANDS, *INTERFACE, *_HEADERS, "class", "match", "description"]
#: So many thresholds has a queue of a Catalyst 9000.
_THRESHOLDS = 3
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
#: How names of interfaces of Junos begin, without their hyphen.
_WITHOUT_HYPHEN = ("fe", "ge", "xe", "et")
#: A shaper that is so many times too small was likely meant in kb/s, if a frame takes so long [s].
_SLIP, _SLOW_S = 1000, 0.1
#: More lines are counted.
_MOST_LINES = 10
#: What becomes of a refused line where a device takes a commit as a whole or not at all (Cisco, IOS
#: XR System Management Command Reference, commit: without best-effort nothing of one that fails).
_NO_COMMIT = "A commit that holds it changes nothing on the device."
_RUNNING = "If a device shows this line as part of what is running, its platform takes it."
#: Groups that packets of the router itself may have, and that all have without a line.
_OF_ROUTER = {"0", "6", "7"}


def _listed(lines: Sequence[int]) -> str:
    return ", ".join(map(str, lines[:_MOST_LINES])) + (", ..." if len(lines) > _MOST_LINES else "")


@rule(
    "line-refused",
    "error",
    "docs/checking.md: a line that the device refuses has no effect",
    whole=True,
)
def line_refused(configuration: Configuration) -> Iterator[Found]:
    """A device would not take this line; the rest of the configuration is read without it."""
    whole = manners_of(configuration.dialect).commits_whole
    effect = _NO_COMMIT if whole else "It has no effect on the device."
    lines: dict[str, list[int]] = {}
    for remark in configuration.remarks:
        if remark.kind == "refused":
            lines.setdefault(remark.lost, []).append(remark.line)
    for lost, (first, *others) in lines.items():
        more = f"Likewise line{'s' if len(others) > 1 else ''} {', '.join(map(str, others))}."
        running = [_RUNNING] if whole else []
        yield Found(first, f"{lost} {effect}", " ".join([*([more] if others else []), *running]))


#: How a full path of SR OS begins, whatever command it leads to.
_PATH = "configure", "/configure"


@rule(
    "unknown-command",
    "warning",
    "docs/checking.md: a command that is not understood has no effect here",
    whole=True,
)
def unknown_command(configuration: Configuration) -> Iterator[Found]:
    """A command where quality of service is configured, or a type of interface, is not known."""
    family = manners_of(configuration.dialect).family
    if family == "tc":
        # A script has commands of its shell as well.
        return
    known: Sequence[str] = {"cisco": _KNOWN, "eos": _KNOWN, "junos": WORDS}.get(family, ())
    forms = _FORMS if family != "eos" else {}
    unread: dict[str, list[Remark]] = {}
    for remark in configuration.remarks:
        if remark.kind == "unknown" and remark.words:
            word, *behind = remark.text.split()
            if configuration.dialect == "sros" and word in _PATH and behind:
                word = behind[0]
                known = (*known, word)
            unread.setdefault(word[:40], []).append(remark)
    for word, remarks in unread.items():
        check_time(remarks[0].line)
        lines = [*dict.fromkeys(remark.line for remark in remarks)]
        more = f"It is in {len(lines)} lines: {_listed(lines)}." if len(lines) > 1 else ""
        says = _says_unknown(word, remarks[0], known, forms)
        yield Found(lines[0], f"{says}: it has no effect in the models.", more)
    for line, name, meant in _meant_interfaces(configuration, family):
        says = f"{name!r} is no known name of an interface (did you mean {meant!r}?)"
        yield Found(line, f"{says}: the device may refuse it.")


def _says_unknown(word: str, first: Remark, known: Sequence[str], forms: dict[str, str]) -> str:
    """That a word is not known, or this form of it, and what may be meant."""
    verb = word.lower()
    if verb not in known:
        near = nearest(verb, known)
        return f"{word!r} is not a known command{f' (did you mean {near!r}?)' if near else ''}"
    form, second = forms.get(verb, ""), (*first.text.split()[1:2], "")[0]
    near = nearest(second, _SECOND.get(verb, ()))
    if near and near != second.lower():
        form += f"; did you mean {near!r} for {second[:40]!r}?"
    return f"This form of {word!r} is not known{form and f' (it is {form})'}"


def _meant_interfaces(configuration: Configuration, family: str) -> Iterator[tuple[int, str, str]]:
    """Line and name of each interface that is nearly one, and what may be meant."""
    if family == "junos":
        for port in configuration.ports:
            kind, rest = port.interface[:2], port.interface[2:]
            if kind in _WITHOUT_HYPHEN and rest[:1].isdigit():
                yield port.line, port.interface, f"{kind}-{rest}"
    for said in configuration.by_verb.get("interface", ()) if family in ("cisco", "eos") else ():
        check_time(said.line)
        names = [word for word in said.text.split()[1:] if word != "range"]
        whole = len(names) == 1 or any(letter.isdigit() for letter in "".join(names[:1]))
        name = "".join(names[: 1 if whole else 2])
        if name and (meant := meant_interface(name)):
            yield said.line, name, meant


@rule(
    "commands-exclusive",
    "error",
    "Cisco command references of IOS XE and IOS XR, priority: not with bandwidth in the same class;"
    " bandwidth: in kbps or in per cent; Nexus 9000 QoS Configuration Guide, Configuring Congestion"
    " Management: bandwidth remaining is for the classes without priority; Arista EOS User Manual,"
    " bandwidth percent: the share of a transmit queue in round robin; Juniper, Class of Service"
    " User Guide, priority (Schedulers): strict-high on only one queue per interface",
    whole=True,
)
def commands_exclusive(configuration: Configuration) -> Iterator[Found]:
    """Commands of a class or a policy that a device refuses together, or leaves without effect."""
    manners = manners_of(configuration.dialect, configuration.platform)
    yield from _strict_shares(configuration)
    yield from _several_strict_high(configuration)
    if manners.one_unit:
        yield from _several_policies(configuration)
    for policy in configuration.policies:
        yield from _priority_and_bandwidth(policy, manners.takes_both)
        if manners.one_unit:
            yield from _several_units(policy)
        if manners.shared_buffers:
            yield from _many_thresholds(policy)


def _strict_shares(configuration: Configuration) -> Iterator[Found]:
    """Shares of strict queues (EOS), which takes them without an effect."""
    lines = [remark.line for remark in configuration.remarks if remark.lost == STRICT_SHARE]
    if lines:
        yield Found(
            lines[0],
            "`bandwidth percent` has no effect on a transmit queue with strict priority, and no"
            " line here turns that priority off.",
            "`no priority` in this queue, or in one above it, puts it into round robin"
            f"{f'; so in lines {_listed(lines)}' if len(lines) > 1 else ''}. Platforms differ: on"
            " some, round robin is the default for such queues, as `show qos interfaces` says.",
            severity="warning",
        )


def _several_strict_high(configuration: Configuration) -> Iterator[Found]:
    """Several queues of strict-high on one interface or unit (Junos), but of an ACX or QFX10000.

    These take several (Juniper, CLI Reference, priority (Schedulers), Platform Information).
    """
    if not manners_of(configuration.dialect).one_strict_queue or several_strict(configuration):
        return
    known: set[tuple[int, ...]] = set()
    for port in configuration.ports:
        check_time(port.line)
        lines: dict[str, dict[int, str]] = {}
        for of in port.classes:
            for said in of.statements:
                if said.words[-2:] == ("priority", "strict-high"):
                    lines.setdefault(of.node, {})[said.line] = of.name
        for own in lines.values():
            if len(own) < 2 or tuple(own) in known:
                continue
            known.add(tuple(own))
            yield Found(
                max(own),
                f"{' and '.join(own.values())} have strict-high, which only one queue of an"
                " interface may have: the device may refuse them.",
                f"`priority strict-high` is in lines {_listed(sorted(own))}; an ACX or a"
                " QFX10000 takes several.",
                severity="warning",
            )


def _several_policies(configuration: Configuration) -> Iterator[Found]:
    """Two policies of one interface in one direction."""
    attached: dict[tuple[str, str], dict[str, int]] = {}
    taken_back = configuration.by_verb.get("no", ())
    said = [*configuration.by_verb.get("service-policy", ()), *taken_back]
    for each in sorted(said, key=lambda each: each.line):
        check_time(each.line)
        found = attachment(each)
        if found and found.way and each.parents and not found.kind:
            command = f"service-policy {found.way} {found.name}"
            lines = attached.setdefault((each.parents[0], f"service-policy {found.way}"), {})
            lines.pop(command, None)
            if found.alone:
                lines[command] = each.line
    for (interface, way), lines in attached.items():
        if len(lines) > 1:
            says = ", ".join(f"{command} in line {line}" for command, line in lines.items())
            yield Found(
                max(lines.values()),
                f"{interface[0].upper()}{interface[1:]} has {len(lines)} commands `{way}`: the"
                " device takes one of them.",
                f"{says}; the last is read.",
            )


def _priority_and_bandwidth(policy: ConfiguredPolicy, takes_both: bool) -> Iterator[Found]:
    """A class with both; some switches take that, and then the share says nothing."""
    for of in policy.classes:
        priority = of.setting("priority")
        shares = [each for each in of.settings if each.command.startswith("bandwidth")]
        if not priority or not shares:
            continue
        line = min(share.line for share in shares)
        yield Found(
            max(priority.line, line),
            f"Class {of.name} of {policy.header} has priority and bandwidth: the device takes one"
            " of them.",
            f"priority in line {priority.line}, bandwidth in line {line}.",
            "",
            "warning" if takes_both else None,
        )


def _several_units(policy: ConfiguredPolicy) -> Iterator[Found]:
    """Bandwidths of one policy in kb/s and in per cent."""
    shares = filter(None, (of.setting("bandwidth") for of in policy.classes))
    lines: dict[str, int] = {}
    for share in sorted(shares, key=lambda share: share.line):
        lines.setdefault("per cent" if share.unit == "%" else "kb/s", share.line)
    if len(lines) > 1:
        says = ", ".join(f"{unit} in line {line}" for unit, line in lines.items())
        yield Found(
            max(lines.values()),
            f"The bandwidths of {policy.header} are in kb/s and in per cent: the device takes one"
            " of these units for all.",
            f"{says}.",
        )


def _many_thresholds(policy: ConfiguredPolicy) -> Iterator[Found]:
    """More limits by mark than a queue of a Catalyst 9000 has thresholds."""
    for of in policy.classes:
        lines: dict[str, int] = {}
        for said in of.statements:
            if said.verb == "queue-limit" and "percent" in said.words[:-1]:
                percent = said.words[said.words.index("percent") + 1]
                lines.setdefault(f"{percent} %", said.line)
        if len(lines) > _THRESHOLDS:
            yield Found(
                max(lines.values()),
                f"Class {of.name} of {policy.header} has {len(lines)} thresholds of `queue-limit`:"
                f" a queue has {_THRESHOLDS}, and the device may refuse more.",
                f"{', '.join(lines)} (Cisco, Catalyst 9300 QoS Configuration Guide, Weighted Tail"
                " Drop).",
                severity="warning",
            )


@rule(
    "class-never-matches",
    "warning",
    "Cisco IOS QoS configuration guide: match-all needs every match at once;"
    " RFC 2475, section 2.3.1: a classifier selects packets by its rules",
    whole=True,
)
def class_never_matches(configuration: Configuration) -> Iterator[Found]:
    """A class has no match, or matches that exclude each other, or a list that is not there."""
    if not manners_of(configuration.dialect).maps_whole:
        return
    headers = _headers(configuration)
    matches, uncertain = _matches(configuration, headers)
    known = {said.text.split()[1] for said in configuration.by_verb.get("access-list", ())}
    groups = set(filter(None, (_sets_group(said) for said in configuration.every)))
    # What a later header says of the matches holds for those above it as well.
    combined = {header.name: header.combined for header in headers.values() if header.combined}
    for line, header in headers.items():
        mine = matches.pop(header.name, None)
        if mine is not None and header.name not in uncertain:
            together = combined.get(header.name) != "match-any"
            yield from _never(line, header.name, together, mine, groups)
            yield from _absent_lists(header.name, mine, known)


def _headers(configuration: Configuration) -> dict[int, ClassMap]:
    """The class maps without a type by their lines."""
    said = configuration.by_verb.get("class-map", ())
    maps = ((each.line, class_map(each)) for each in said)
    return {line: found for line, found in maps if found and not found.kind}


def _matches(
    configuration: Configuration, headers: dict[int, ClassMap]
) -> tuple[dict[str, list[Statement]], set[str]]:
    """The matches of each class map, and the names of those of which one is not understood."""
    names = {line: header.name for line, header in headers.items()}
    matches: dict[str, list[Statement]] = {name: [] for name in names.values()}
    uncertain: set[str] = set()
    of_headers = (configuration.by_verb.get(verb, ()) for verb in _HEADERS)
    # Line 0 owns what stands above all headers.
    begins = sorted({0, *(said.line for some in of_headers for said in some)})
    for said in configuration.every:
        check_time(said.line)
        name = names.get(begins[bisect_left(begins, said.line) - 1], "")
        unknown = isinstance(said, Remark) and said.kind == "unknown"
        if name and isinstance(said, Statement) and said.verb == "match":
            matches[name].append(said)
        elif name and (unknown or said.verb in ("match", "no")):
            uncertain.add(name)
    return matches, uncertain


def _never(
    line: int, name: str, together: bool, matches: Sequence[Statement], groups: set[str]
) -> Iterator[Found]:
    """Why no packet is in a class, by its matches."""
    if not matches:
        yield Found(line, f"Class {name} has no match: no packet is in it.")
        return
    of_marks = [words for said in matches if (words := code_points(said.text))]
    marks = [{read_word(word, "cisco") for word in words} for words in of_marks]
    known = len(marks) > 1 and not any(None in some for some in marks)
    if together and known and not set.intersection(*marks):
        yield Found(
            matches[0].line,
            f"Class {name} wants all of its DSCPs at once: no packet is in it.",
            "; ".join(said.text for said in matches) + ".",
            f"class-map match-any {name}",
        )
    if nobody := _never_set(matches, groups):
        yield Found(
            matches[0].line,
            f"Class {name} gets no packet: no line of this text sets {' or '.join(nobody)}.",
            f"What lines set: {', '.join(sorted(groups))}.",
        )


#: What the packets of an access list are (IOS XR).
_FAMILIES = ("ipv4", "ipv6", "ethernet-service", "ethernet-services")


def _absent_lists(name: str, matches: Sequence[Statement], known: set[str]) -> Iterator[Found]:
    """Access lists of a class that no line defines."""
    for said in matches:
        words = [word for word in said.words[1:] if word not in ("not", "name")]
        of_family = len(words) == 3 and words[1] in _FAMILIES
        named = words[:1] == ["access-group"] and (len(words) == 2 or of_family)
        if named and said.name not in known:
            yield Found(
                said.line,
                f"Access list {said.name} of class {name} is not in this text.",
                f"0 lines define access list {said.name}.",
            )


def _sets_group(said: Statement | Remark) -> str:
    """The group that a line sets; empty where it sets none."""
    words = said.words[:3]
    sets = len(words) == 3 and words[0] == "set" and words[1] in GROUPS and words[2].isdecimal()
    return " ".join(words[1:]) if sets else ""


def _never_set(matches: Sequence[Statement], groups: set[str]) -> list[str]:
    """The groups that a class matches alone, where lines set others of the kind and none of these.

    Group 0 is what a packet has by itself, and packets of the router may have 6 and 7.
    """
    said = [each.words for each in matches if each.words[1:2] and each.words[1] in GROUPS]
    wanted = [(words[1], number) for words in said for number in words[2:]]
    kinds = {group.split()[0] for group in groups}
    own = any(" ".join(each) in groups or each[1] in _OF_ROUTER for each in wanted)
    numbers = all(number.isdecimal() for _, number in wanted)
    same = numbers and all(kind in kinds for kind, _ in wanted)
    alone = same and not own and len(said) == len(matches)
    return [" ".join(each) for each in wanted] if alone else []


@rule(
    "queueing-on-input",
    "error",
    "Cisco IOS QoS configuration guide: queues are supported on output alone",
    inward=True,
)
def queueing_on_input(checked: CheckedPort) -> Iterator[Found]:
    """A policy for what comes in has commands of queues (IOS, IOS XE)."""
    if checked.configured.direction != "in" or not checked.manners.rest_shares_queue:
        return
    commands = [said for of in checked.configured.classes for said in of.statements]
    queueing = [said for said in commands if said.verb in _QUEUEING]
    if queueing:
        verbs = ", ".join(dict.fromkeys(said.verb for said in queueing))
        yield Found(
            checked.configured.line,
            f"Policy {checked.configured.policy} is for input and has queues: they are not"
            " supported on input.",
            f"{verbs}: first in line {min(said.line for said in queueing)}.",
            checked.fixes.to_output(),
        )


#: A shaper of a whole port (EOS) below this share of its line rate is worth a question.
_LEAST_SHAPED = 0.01


def _tiny(checked: CheckedPort) -> Found:
    """A shaper of a whole port that leaves little of it (EOS)."""
    line_bps, shaped_bps = checked.port.rate_bps, checked.capacity_bps
    node = outline(checked.port.queues, nodes_of(checked.port)).nodes[-1]
    origin = checked.configured.origin(f"scheduler.nodes[{node.name!r}].shaper.rate_bps")
    return Found(
        origin.line if origin and origin.line else checked.configured.line,
        f"The shaper of the port is {rate_text(shaped_bps)}, which is"
        f" {share_text(shaped_bps / line_bps, 4)} of its line rate.",
        f"`shape rate` is in kb/s: if {rate_text(shaped_bps * _SLIP)} is meant, write"
        f" {units.convert(shaped_bps * _SLIP, 'bit/s', 'kbit/s'):.0f}.",
        severity="info",
    )


@rule(
    "shaper-unit",
    "warning",
    "Cisco IOS QoS command reference, shape: the rate is in bit/s;"
    " Arista EOS User Manual, Quality of Service Configuration Commands, shape rate: in kb/s",
)
def shaper_unit(checked: CheckedPort) -> Iterator[Found]:
    """A shaper seems to be in kb/s instead of bit/s, is above the line rate, or tiny (EOS)."""
    line_bps = checked.port.rate_bps
    if checked.manners.shapers_by_kilobit and checked.capacity_bps < _LEAST_SHAPED * line_bps:
        yield _tiny(checked)
    for of in checked.configured.classes:
        said = of.setting("shape")
        shaped_bps = said.rate_bps if said else None
        if said is None or shaped_bps is None or said.sort not in ("average", "peak"):
            continue
        share = f"It is {share_text(shaped_bps / line_bps, 4)} of the line rate"
        frame_s = units.serialisation_s(FRAME_BYTES, shaped_bps)
        most_bps = line_bps if shaped_bps >= checked.capacity_bps else checked.capacity_bps
        meant_bps = shaped_bps * _SLIP
        if shaped_bps > line_bps:
            yield Found(
                said.line,
                f"The shaper of {of.name}, {rate_text(shaped_bps)}, never holds anything back:"
                f" the line has {rate_text(line_bps)}.",
                f"{share}; the queues of the line fill first.",
            )
        elif said.unit == "bit/s" and frame_s > _SLOW_S and meant_bps < most_bps:
            yield Found(
                said.line,
                f"The shaper of {of.name} is {rate_text(shaped_bps)}: was"
                f" {rate_text(meant_bps)} meant? The rate is in bit/s.",
                f"{share}: a frame of {FRAME_BYTES:,} B takes {time_text(frame_s)}.",
                checked.fixes.rate(of, said, meant_bps),
            )
