"""The commands of Junos on quality of service: what each says, or what is lost without it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from qoslib.config.junos.amounts import (
    Reading,
    bit_rate,
    buffer_size,
    excess_rate,
    limit,
    loss_mark,
    name,
    one_of,
    rate,
    says,
    share,
    size,
    transmit_rate,
)
from qoslib.config.junos.conditions import unknown_in_term
from qoslib.config.junos.paths import is_nearly_a_level
from qoslib.config.junos.words import ALL_PRIORITIES, PRIORITIES
from qoslib.config.lines import SLIP, Line, nearest
from qoslib.config.records import Remark, Statement
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value

__all__ = [
    "UNKNOWN_ON_PORT",
    *("POLICER", "PROFILE", "SCHEDULER", "TERM", "THREE_COLOURS", "WORDS", "Commands"),
    *("fields_of", "kind_of", "sort_out"),
]


class Field(NamedTuple):
    """What a command says: a field of what it stands below, and how its words are read."""

    name: str
    read: Reading
    what: str = ""


#: Pattern -> the field that a command says, or what is lost; empty where nothing is. `*` is one
#: word, `**` the rest.
Table = Mapping[str, Field | str]
Patterns = list[tuple[tuple[str, ...], Field | str]]


class Commands:
    """The commands below a level, by their first words."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._patterns: dict[str, Patterns] = {}
        for pattern, said in table.items():
            words = tuple(pattern.split())
            self._patterns.setdefault(words[0], []).append((words, said))

    def find(self, words: tuple[str, ...]) -> tuple[tuple[str, ...], Field | str] | None:
        """The command that fits some words."""
        for first in (words[0], "*", "**"):
            for pattern, said in self._patterns.get(first, ()):
                if _fits(pattern, words):
                    return pattern, said
        return None


def _fits(pattern: tuple[str, ...], words: tuple[str, ...]) -> bool:
    if pattern[-1] == "**":
        pattern = pattern[:-1]
        if len(words) < len(pattern):
            return False
    elif len(words) != len(pattern):
        return False
    return all(p in ("*", w) for p, w in zip(pattern, words, strict=False))


def _lost(sentence: str, words: str, end: str = " **") -> Table:
    """Commands of which one sentence says what is lost."""
    return {f"{word}{end}": sentence for word in words.split()}


def _below(level: str, table: Table) -> Table:
    return {f"{level} {pattern}": said for pattern, said in table.items()}


_MARKS = "The new mark is left out: streams keep the mark that you give them."
_PAUSES = "Pauses of single priorities (IEEE 802.1Qbb) are left out."
_NO_LOSS = "A class without loss pauses its senders; here its queue drops."
_ONE_CLASS = (
    "All packets that arrive here are of this class, whatever their mark: give their streams a"
    " mark of the class."
)
_FABRIC = "The priority in the fabric is left out."
_IN_POLICERS = "The priority of policers in the packet processor is left out."
_CLASS_OPTIONS: Table = {
    "priority *": _FABRIC,
    "policing-priority *": _IN_POLICERS,
    "spu-priority *": "The priority in the services processor is left out.",
    "pfc-priority *": _PAUSES,
}
_CLASSES: Table = {
    "class * queue-num *": "",
    "class * queue-num * no-loss **": _NO_LOSS,
    **_below("class * queue-num *", _CLASS_OPTIONS),
    "class * queue-num * priority * policing-priority *": _IN_POLICERS,
    "class * no-loss": _NO_LOSS,
    **_below("class *", _CLASS_OPTIONS),
    "queue * *": "",
    "queue * * priority *": _FABRIC,
}
SCHEDULER = Commands(
    {
        "transmit-rate **": Field("transmit", transmit_rate, "the transmit rate"),
        "buffer-size buffer-partition **": "The part of the buffer that packets to many may take is"
        " left out.",
        "buffer-size **": Field("buffer", buffer_size, "the buffer size"),
        "shaping-rate **": Field("shaping", limit, "the shaping rate"),
        "excess-rate **": Field("excess", excess_rate, "the excess rate"),
        "excess-priority **": Field(
            "excess_priority", one_of(*PRIORITIES[2:], "none"), "the excess priority"
        ),
        "priority **": Field("priority", one_of(*ALL_PRIORITIES), "the priority"),
        "explicit-congestion-notification": Field("ecn", says(True)),
        "drop-profile-map loss-priority * protocol * drop-profile *": "",
        "buffer-dynamic-threshold *": "The share of the common buffer that the queue may take as it"
        " is free is left out.",
        **_lost(
            "The option of this scheduler is left out.",
            "adjust-minimum adjust-percent overhead-accounting max-burst-size dwrr-weight"
            " shaping-rate-excess buffer-dynamic-threshold ecn-profile drop-profile-map-set"
            " minimum-guaranteed-rate parent-scheduler apply-groups apply-macro",
        ),
    }
)
PROFILE = Commands(
    {
        "scheduler-map *": Field("scheduler_map", name),
        "shaping-rate **": Field("shaping", limit, "the shaping rate"),
        "guaranteed-rate **": Field("guaranteed", limit, "the guaranteed rate"),
        "excess-rate **": Field("excess", excess_rate, "the excess rate"),
        "delay-buffer-rate **": Field("delay_buffer", rate, "the delay-buffer rate"),
        "overhead-accounting **": "What it adds to each frame is left out: the port counts one"
        " overhead.",
        **_lost(
            "The option of this traffic-control profile is left out.",
            "adjust-minimum atm-service max-burst-size peak-rate sustained-rate apply-groups"
            " excess-rate-high excess-rate-low excess-rate-medium strict-priority-scheduler"
            " shaping-rate-excess-high shaping-rate-excess-low shaping-rate-excess-medium-high"
            " shaping-rate-excess-medium-low shaping-rate-priority-high scheduler-node"
            " shaping-rate-priority-medium shaping-rate-priority-low delay-buffer-rate-excess"
            " shaping-rate-priority-strict-high shaping-rate-priority-medium-low"
            " shaping-rate-priority-medium-high shaping-rate-priority-low-latency"
            " queue-specific-overhead-accounting",
        ),
    }
)
_OF_INTERFACES = (
    "excess-bandwidth-share exclude-queue-overhead-bytes internal-node irb input-scheduler-map"
    " input-shaping-rate input-traffic-control-profile input-traffic-control-profile-remaining"
    " logical-interface-aggregate-statistics scheduler-map-chassis loss-priority-maps"
    " loss-priority-rewrites policy-map congestion-notification-profile"
    " output-traffic-control-profile-remaining forwarding-class-map multi-destination"
    " dedicated-buffer-profile apply-groups output-traffic-control-profile"
    " scheduler-map-forwarding-class-sets link-mode"
)
_OF_UNITS = (
    "adaptive-shaper copy-tos-to-outer-ip-header fragmentation-map translation-table"
    " link-layer-overhead output-forwarding-class-map per-session-scheduler virtual-channel-group"
    " vc-shaping simple-filter scheduler-map shaping-rate classifiers forwarding-class-set"
)
_QUEUES: Table = {
    "scheduler-map *": "",
    "shaping-rate **": "",
    "output-traffic-control-profile *": "",
}
_ON_INTERFACES: Table = {
    **_below("*", _QUEUES),
    "* forwarding-class-set * output-traffic-control-profile *": "",
    "interface-set * output-traffic-control-profile *": "",
    **_below("* unit *", _QUEUES),
    "* unit * classifiers * *": "",
    "* unit * classifiers no-default": "",
    "* classifiers * *": "",
    "* unit * rewrite-rules **": _MARKS,
    "* rewrite-rules **": _MARKS,
    "* unit * forwarding-class *": _ONE_CLASS,
    "* forwarding-class *": _ONE_CLASS,
    "* output-traffic-control-profile-remaining *": "Units without a profile of their own are left"
    " out.",
    "* congestion-notification-profile *": _PAUSES,
    "* member-link-scheduler *": "The members of a bundle are one link here.",
    "* description *": "",
    "* unit * description *": "",
    **_below(
        "* unit *",
        _lost("What it says of this unit is left out.", f"{_OF_UNITS} {_OF_INTERFACES}"),
    ),
    **_below("*", _lost("What it says of this interface is left out.", _OF_INTERFACES)),
    **_below(
        "interface-set *", _lost("What it says of this interface set is left out.", _OF_INTERFACES)
    ),
}
_MEMORY = "How the memory of the device is parted is left out."
_CLASS_OF_SERVICE: Table = {
    "classifiers ieee-802.1ad **": "Drop eligible is no mark: these rules are left out.",
    "classifiers * * import *": "",
    "classifiers * * forwarding-class * loss-priority * code-points *": "",
    "code-point-aliases * * *": "",
    **_below("forwarding-classes", _CLASSES),
    "forwarding-class-sets * class *": "",
    "scheduler-maps * forwarding-class * scheduler *": "",
    **_below("schedulers *", SCHEDULER.table),
    "drop-profiles * fill-level * drop-probability *": "",
    "drop-profiles * interpolate fill-level *": "",
    "drop-profiles * interpolate drop-probability *": "",
    **_below("traffic-control-profiles *", PROFILE.table),
    **_below("interfaces", _ON_INTERFACES),
    **_lost(_MARKS, "rewrite-rules loss-priority-rewrites"),
    **_lost("", "tri-color tri-rate", ""),
    **_lost("", "translation-table traceoptions policy-map telemetry"),
    **_lost(_MEMORY, "shared-buffer dedicated-buffer dedicated-buffer-profile"),
    **_lost(
        "This part of class of service is left out.",
        "adaptive-shapers application-traffic-control forwarding-class-map"
        " forwarding-classes-interface-specific fragmentation-maps output-forwarding-class-map"
        " virtual-channel-groups virtual-channels",
    ),
    "multi-destination **": "Classes for packets to many are left out.",
    "congestion-notification-profile **": _PAUSES,
    "host-outbound-traffic **": "Which class the device's own packets are of is left out.",
    **_lost("Paths by class are left out.", "forwarding-policy cos-next-hop-map"),
    "fabric **": "Queues in front of the fabric are left out.",
    "loss-priority-maps **": "Loss priorities from these maps are left out.",
    "restricted-queues **": "The queues of older interfaces are left out.",
    "system-defaults **": "Defaults for whole kinds of interfaces are left out.",
    "routing-instances **": "Classifiers of single routing instances are left out.",
    "copy-plp-all": "Loss priorities of copies are left out.",
    "classifiers * * forwarding-class * loss-priority * **": "?",
}
_NO_OPTION = "The option of this policer is left out."
_OF_POLICERS = _lost(
    _NO_OPTION,
    "filter-specific logical-bandwidth-policer logical-interface-policer physical-interface-policer"
    " shared-bandwidth-policer load-balance-group aggregate apply-groups single-packet-rate"
    " two-packet-rate count",
)
POLICER = Commands(
    {
        "if-exceeding bandwidth-limit *": Field("rate_bps", bit_rate, "the bandwidth limit"),
        "if-exceeding bandwidth-percent *": Field("rate_bps", share, "the bandwidth percentage"),
        "if-exceeding burst-size-limit *": Field("burst_bytes", size, "the burst size limit"),
        "then discard": Field("discard", says("drop")),
        "then loss-priority *": Field("exceed", loss_mark, "the loss priority"),
        "then forwarding-class *": "A packet that exceeds stays in its class.",
        **_OF_POLICERS,
        "then out-of-profile": _NO_OPTION,
        "then dscp **": _NO_OPTION,
        "if-exceeding-pps **": "A policer of packets is left out: it drops nothing here.",
    }
)
_COLOURS: Table = {
    "color-aware": Field("aware", says(True)),
    "color-blind": Field("aware", says(False)),
    "committed-information-rate *": Field("cir", bit_rate, "committed-information-rate"),
    "peak-information-rate *": Field("pir", bit_rate, "peak-information-rate"),
    "committed-burst-size *": Field("cbs", size, "committed-burst-size"),
    "excess-burst-size *": Field("ebs", size, "excess-burst-size"),
    "peak-burst-size *": Field("pbs", size, "peak-burst-size"),
}
THREE_COLOURS = Commands(
    {
        **_below("single-rate", _COLOURS),
        **_below("two-rate", _COLOURS),
        "action loss-priority high then discard": Field("violate", says("drop")),
    }
)
#: Of a filter's term, what concerns classes and policers.
TERM = Commands(
    {
        "then forwarding-class *": Field("to", name),
        "then loss-priority *": Field("loss", name),
        "then policer *": Field("policer", name),
        "then three-color-policer single-rate *": Field("policer", name),
        "then three-color-policer two-rate *": Field("policer", name),
    }
)
_LEVELLED = "A policer of several levels is left out: it drops nothing here."
_OF_LEVELS = "hierarchical-policer enhanced-hierarchical-policer traffic-priority"
_FIREWALL: Table = {
    **_below("policer *", POLICER.table),
    **_below("three-color-policer *", _lost("", "single-rate two-rate action")),
    **_below("three-color-policer *", _OF_POLICERS),
    "hierarchical-policer **": "A policer of two levels is left out: it drops nothing here.",
    "enhanced-hierarchical-policer **": _LEVELLED,
    **_below("filter * term * then", _lost(_LEVELLED, _OF_LEVELS)),
    **_below("family * filter * term * then", _lost(_LEVELLED, _OF_LEVELS)),
}
_INTERFACES: Table = {
    **_below("*", _lost("", "speed link-speed number-of-sub-ports", " *")),
    **_below("* gigether-options", _lost("", "speed 802.3ad", " *")),
    **_below("* ether-options", _lost("", "speed 802.3ad", " *")),
    "* unit * family * policer input *": "",
    "* unit * family * policer output *": "",
    "* unit * family * policer **": "This policer is left out.",
    "* unit * layer2-policer **": "Policers of frames below IP are left out.",
    "interface-set * interface **": "",
    **_below("*", _lost("", "per-unit-scheduler shared-scheduler", "")),
    "* hierarchical-scheduler **": "",
}
_OTHER: Table = {"**": "Made for a subscriber or a logical system, it is left out."}
_BUFFER = "How large it makes the buffer is a fact: give buffer_bytes or delay_buffer_s."
_LEVELS = {
    "class-of-service": Commands(_CLASS_OF_SERVICE),
    "firewall": Commands(_FIREWALL),
    "interfaces": Commands(_INTERFACES),
    "chassis": Commands({"**": _BUFFER}),
    "dynamic-profiles": Commands(_OTHER),
    "logical-systems": Commands(_OTHER),
    "protocols": Commands({"**": "The policer of this label-switched path is left out."}),
}
#: Levels where a statement that no pattern has is about something else, and no error.
_WIDE = {"interfaces", "firewall", "chassis", "protocols"}
_PATTERNS = [
    (level, pattern.split()) for level, commands in _LEVELS.items() for pattern in commands.table
]
#: All words that are known.
WORDS = tuple(
    dict.fromkeys(
        word for level, pattern in _PATTERNS for word in (level, *pattern) if "*" not in word
    )
)
#: Level, and how a pattern begins -> the words that may follow.
_BEHIND: dict[tuple[str, ...], list[str]] = {}
for _level, _pattern in _PATTERNS:
    for _at, _word in enumerate(_pattern):
        if "*" not in _word:
            _BEHIND.setdefault((_level, *_pattern[:_at]), []).append(_word)
#: A statement that takes others away, or back.
_MOVE = re.compile(r"(?:\S+[#>%]\s+)?(?:delete|deactivate|activate)\b")
#: Of a statement: its line, its text and its parents.
_Place = tuple[int, str, tuple[str, ...]]
_INACTIVE = "It is inactive: the device does not use it."
_UNKNOWN = "This statement is not known here; whatever it does is left out."
UNKNOWN_ON_PORT = (
    "This statement of an interface's class of service is not known here: it may change what the"
    " queues of the interface get."
)


def fields_of(lines: Iterable[Line], commands: Commands) -> dict[str, Value]:
    """The fields that statements say, by their names; the last statement counts.

    >>> line = Line(7, "", ("shaping-rate", "5m", "burst-size", "10k"))
    >>> {field: value.value for field, value in fields_of([line], PROFILE).items()}
    {'shaping': 5000000.0, 'shaping_burst': 10000}
    """
    fields: dict[str, Value] = {}
    for line in lines:
        pattern, field = (line.words and commands.find(line.words)) or ((), "")
        if isinstance(field, str):
            continue
        known = sum("*" not in word for word in pattern)
        said = field.read(line.words[known:], field.what, line.number)
        for suffix, value in ({"": said} if isinstance(said, Value) else said).items():
            if suffix == "_burst" and field.name not in fields:
                problem = f"{field.what} is not given, only its burst"
                raise ConfigurationError(problem, line.number)
            fields[field.name + suffix] = value
    return fields


def kind_of(words: tuple[str, ...]) -> str | None:
    """What is lost by a statement: empty if nothing, ``"?"`` if it is not understood.

    >>> kind_of(("class-of-service", "schedulers", "voice", "priority", "high"))
    ''
    >>> kind_of(("class-of-service", "colours", "blue"))
    '?'
    """
    level, words = words[0], words[1:]
    if level not in _LEVELS or not words:
        return "?" if words and is_nearly_a_level(level) else None
    found = _LEVELS[level].find(words)
    if found is None:
        return None if level in _WIDE and not words[0].endswith("policer") else "?"
    pattern, lost = found
    if not lost or isinstance(lost, Field):
        return ""
    return "?" if pattern[-1] == "**" and _is_slip(level, words, pattern) else lost


def _is_slip(level: str, words: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether the first word that a pattern leaves open is nearly one that may stand there."""
    if len(words) < len(pattern):
        return False
    word, known = words[len(pattern) - 1], _BEHIND.get((level, *pattern[:-1]), [])
    near = nearest(word, known, SLIP) if word not in known else ""
    return bool(near) and not word.startswith(near)


def _from_unknown(words: tuple[str, ...]) -> str:
    """A statement that is not understood, from the first word that is not known on."""
    level, words = words[0], words[1:]
    if level not in _LEVELS:
        return " ".join((level, *words))
    patterns = [tuple(pattern) for of, pattern in _PATTERNS if of == level]
    at = 0
    while at < len(words) - 1 and any(
        len(pattern) > at
        and pattern[at] in ("*", words[at])
        and _fits((*pattern[:at], "**"), words)
        for pattern in patterns
    ):
        at += 1
    return " ".join(words[at:])


def sort_out(
    lines: Iterable[Line], of_filters: Iterable[Line], remarks: Iterable[Remark]
) -> tuple[list[Statement], list[Remark]]:
    """Every statement on quality of service, as understood or as a remark."""
    by_place = {(each.line, each.text, each.lost): each for each in remarks}
    marked = {place[:2] for place in by_place}
    understood: dict[_Place, None] = {}
    terms = (each for each in of_filters if (each.number, each.text) not in marked)
    for line, remark in chain(_on_service(lines), _in_terms(terms)):
        place = line.number, line.text
        if place not in marked and remark:
            by_place[*place, remark.lost] = remark
        elif place not in marked:
            understood[*place, line.parents] = None
        understood |= _headers(line)
    places = {place[:2] for place in by_place}
    kept = (Statement(*place) for place in understood if place[:2] not in places)
    return (
        sorted(kept, key=lambda each: each.line),
        sorted(by_place.values(), key=lambda each: each.line),
    )


def _on_service(lines: Iterable[Line]) -> Iterator[tuple[Line, Remark | None]]:
    """Each statement on quality of service, with a remark if the ports do not say it."""
    for line in lines:
        lost = kind_of(line.words)
        if lost is None or not line.text:
            continue
        if not line.active:
            lost = "" if _MOVE.match(line.text) else _INACTIVE
        if lost == "?":
            of_port = line.words[:2] == ("class-of-service", "interfaces")
            lost = UNKNOWN_ON_PORT if of_port else _UNKNOWN
            yield line, Remark("unknown", line.number, _from_unknown(line.words), lost)
        else:
            yield line, Remark("not modelled", line.number, line.text, lost) if lost else None


def _in_terms(lines: Iterable[Line]) -> Iterator[tuple[Line, Remark | None]]:
    """The same of each statement of a filter's term."""
    for line in lines:
        if line.active:
            text = unknown_in_term(line.words)
            yield line, Remark("unknown", line.number, text, _UNKNOWN) if text else None


def _headers(line: Line) -> dict[_Place, None]:
    """The levels that a statement stands below, each on the line that opens it."""
    opened = enumerate(zip(line.opened, line.parents, strict=True))
    return {
        (number, text, line.parents[:depth]): None
        for depth, (number, text) in opened
        if number != line.number
    }
