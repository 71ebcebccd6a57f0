"""Which class a packet goes to: filters, their policers, and the map of prio."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from qoslib.config.code_points import DSCP
from qoslib.config.records import ConfiguredClass, Setting
from qoslib.config.source import ConfigurationError
from qoslib.config.sourced import Sourced, made
from qoslib.config.tc.command import Command, handle
from qoslib.config.tc.filters import Selected, selected
from qoslib.config.tc.options import Options
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.values import Value
from qoslib.port import Classifier, Policer

__all__ = [
    "BYTES",
    "PRIOMAP",
    "TAKEN",
    "Classification",
    "bands_of",
    "by_priority",
    "chosen_by",
    "classifier_of",
    "classify",
    "describe",
    "policer",
]

#: A rate in bytes per second that a variable of the text holds.
BYTES = "rate in bytes"
_IN_BYTES = re.compile(r"\d[\d.]*[kmgt]i?bps", re.IGNORECASE)
#: Of a filter behind one that leaves it nothing.
TAKEN = "An earlier filter takes every packet, so this one sees none."
#: Band of each priority of a packet, of prio and pfifo_fast.
PRIOMAP = (1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)
#: Priority of a packet by four bits of its ToS byte (net/ipv4/route.c, ip_tos2prio).
_BY_TOS = (0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4)


class Classification(NamedTuple):
    """Where packets go."""

    #: Mark and queue, the first that fits wins.
    rules: tuple[tuple[str, str], ...]
    #: The queue of a filter that takes every packet; None without one.
    default: str | None
    #: By queue.
    filters: dict[str, list[Command]]
    policers: dict[str, Sourced[Policer]]


def classify(
    notes: DeviceNotes, parent: str, queues: dict[str, str], astray: str = ""
) -> Classification:
    """Read the filters of a qdisc, whose classes are queues of these names."""
    notes.read_filters.add(parent)
    rules: list[tuple[str, str]] = []
    default: str | None = None
    filters: dict[str, list[tuple[Command, Options | None]]] = {}
    for command in notes.device.filters_of(parent):
        if default is not None:
            notes.lose(command, TAKEN)
            continue
        chosen = chosen_by(notes, command)
        if chosen.away:
            # Linux, net/sched: a stolen packet gets no class, whatever the filter names.
            if not chosen.marks:
                lost = f"All packets of IP go to {chosen.away}, whose queues and limits count."
                raise Unmodelled(command, lost)
            continue
        if queue := _queue(notes, command, chosen, queues, astray):
            rules += [(notes.name(mark), queue) for mark in chosen.marks]
            default = default if chosen.marks else queue
            filters.setdefault(queue, []).append((command, chosen.police))
    policers = {queue: _policer(notes, queue, each) for queue, each in filters.items()}
    return Classification(
        tuple(rules),
        default,
        {queue: [command for command, _ in each] for queue, each in filters.items()},
        {queue: policer for queue, policer in policers.items() if policer is not None},
    )


def chosen_by(notes: DeviceNotes, command: Command) -> Selected:
    """What a filter selects; what of it no port says is noted."""
    chosen = selected(command)
    for lost in chosen.lost:
        notes.lose(command, lost)
    return chosen


def _queue(
    notes: DeviceNotes, command: Command, chosen: Selected, queues: dict[str, str], astray: str
) -> str:
    """The queue that a filter leads to; empty where there is none."""
    parent = command.parent
    if not chosen.target:
        if chosen.police is not None or not chosen.lost:
            notes.lose(command, "It names no class, so the port says nothing of it.")
        return ""
    target = handle(chosen.target, command.line, parent)
    if astray and target != parent:
        # Linux, net/sched, prio_classify: the number behind the colon is that of the band.
        target = f"{parent.partition(':')[0]}:{target.partition(':')[2]}"
    if target in queues:
        return queues[target]
    whole = target == parent
    what = f"{target} is the qdisc, not a class" if whole else f"No packets wait in {target}"
    notes.lose(command, f"{what}: these packets {_goes(notes, parent, whole, astray)}.")
    return queues.get(astray, "")


def _goes(notes: DeviceNotes, parent: str, whole: bool, astray: str) -> str:
    """What becomes of packets whose filter names no class with a queue, or the qdisc as a whole.

    Linux, net/sched: prio_classify, htb_classify, drr_classify, qfq_classify.
    """
    qdisc = notes.device.qdiscs.get(parent)
    kind = qdisc.kind if qdisc else ""
    if astray:
        return f"go to {astray}, the first of the priomap"
    if kind == "htb" and whole:
        return "leave at once, unshaped"
    return "are dropped" if kind in ("drr", "qfq") else "go where unclassified ones go"


def _policer(
    notes: DeviceNotes, queue: str, filters: list[tuple[Command, Options | None]]
) -> Sourced[Policer] | None:
    """The policer in front of a queue, if one bucket meters all that goes there."""
    found = [(command, police) for command, police in filters if police is not None]
    if not found:
        return None
    command, police = max(found, key=lambda each: "rate" in each[1])
    indices = {str(each.get("index", Value(f"of line {c.line}")).value) for c, each in found}
    if len(found) < len(filters) or len(indices) > 1:
        lost = f"It polices only some packets of {queue!r}, which a port cannot: it is left out."
        notes.lose(command, lost)
        return None
    return policer(Part(notes, command, police))


def classifier_of(rules: Iterable[tuple[str, str]], default: str) -> Classifier:
    """A classifier; without a default a mark leads to the queue of its own name anyway.

    >>> classifier_of([("EF", "voice"), ("CS1", "CS1")], "")
    Classifier(rules=(('EF', 'voice'),))
    """
    needed = tuple((mark, queue) for mark, queue in rules if default or mark != queue)
    return Classifier(needed, default)


def policer(part: Part) -> Sourced[Policer] | None:
    """A policer; None where no bucket of bytes is given."""
    police = part.options
    if "rate" not in police:
        part.lose("The rate and burst of this policer are not here: tc -j leaves them out.")
        return None
    if not police.said("rate") or not police.said("burst"):
        raise ConfigurationError("a policer needs a rate and a burst above 0", part.command.line)
    exceed = str(police.get("exceed", Value("reclassify")).value)
    if exceed not in ("drop", "shot", "pass", "ok", "pipe"):
        part.lose(f"Packets that exceed are handled by {exceed!r}: here they pass.")
    return made(
        Policer,
        rate_bps=police["rate"],
        burst_bytes=police["burst"],
        exceed="drop" if exceed in ("drop", "shot") else "pass",
        overhead_bytes=police.said("overhead") or 0,
    )


def tos_priority(code: int) -> int:
    """The priority that the kernel gives a packet with a DSCP.

    References
    ----------
    Linux, net/ipv4/route.c, ip_tos2prio, and include/net/route.h, rt_tos2priority.

    >>> tos_priority(46), tos_priority(10), tos_priority(0)
    (4, 2, 0)
    """
    return _BY_TOS[(code << 2 & 0x1E) >> 1]


def bands_of(
    qdisc: Command, options: Options, bands: int, name: str = "priomap"
) -> tuple[int, ...]:
    """The band of each priority of a packet."""
    words = options[name].value if name in options else ()
    if len(words) > len(PRIOMAP):
        raise ConfigurationError(f"a {name} has 16 bands", qdisc.line)
    given = [
        int(word) if word.isascii() and word.isdigit() and len(word) < 3 else 99 for word in words
    ]
    usual = PRIOMAP if name == "priomap" else (0,) * len(PRIOMAP)
    whole = (*given, *usual[len(given) :])
    if max(whole) >= bands:
        raise ConfigurationError(f"the {name} names band {max(whole)} of {bands}", qdisc.line)
    return whole


def by_priority(whole: tuple[int, ...], names: list[str]) -> tuple[list[tuple[str, str]], str]:
    """Marks that a map of prio sends away from the band of unmarked packets, and that band."""
    rest = names[whole[0]]
    bands = {name: names[whole[tos_priority(code)]] for name, code in DSCP.items()}
    return [(mark, band) for mark, band in bands.items() if band != rest], rest


def describe(
    notes: DeviceNotes,
    classifier: Classifier,
    found: Classification,
    names: Mapping[str, str],
    commands: Mapping[str, Command],
    nodes: Mapping[str, str],
) -> None:
    """Note the classes of a port as the reader sees them: their commands, and the nodes above."""
    marks: dict[str, dict[str, None]] = {}
    for mark, queue in (*found.rules, *classifier.rules):
        marks.setdefault(queue, {})[mark] = None
    if classifier.default:
        marks.setdefault(classifier.default, {})["the rest"] = None
    for classid, name in names.items():
        command = commands.get(classid)
        every = [command, notes.device.child_of(classid), *found.filters.get(name, [])]
        said = [each for each in every if each is not None]
        statements = tuple(map(notes.statement, said))
        settings = tuple(setting for each in said for setting in _settings(each))
        line, node = (command.line, nodes.get(command.parent, "")) if command else (0, "")
        own = tuple(marks.get(name, ()))
        notes.classes.append(ConfiguredClass(name, name, own, line, node, statements, settings))


def _settings(command: Command) -> Iterator[Setting]:
    """What a command does to its class, for rules: the verb that made it, a filter's protocol.

    Of rates that stand in a variable of the text, those in bytes per second are told as well.
    """
    verb = "" if command.shown else command.verb
    sort = command.protocol if command.thing == "filter" else verb
    yield Setting(command.thing, line=command.line, sort=sort)
    for word in dict.fromkeys(command.words):
        if _IN_BYTES.fullmatch(word) and word not in command.text:
            yield Setting(BYTES, line=command.line, sort=word)
