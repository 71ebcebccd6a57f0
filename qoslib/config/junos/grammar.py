"""Which statements are understood, which are not modelled, and what is lost by leaving them out."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from qoslib.config.junos.statements import Said, is_nearly_a_level
from qoslib.config.records import Remark, Statement

__all__ = ["WORDS", "kind_of", "sorted_out"]

#: A word that is so near to a known one is a slip of the pen.
_NEAR = 0.85

#: A statement that takes others away, or back.
_MOVE = re.compile(r"(?:\S+[#>%]\s+)?(?:delete|deactivate|activate)\b")
_MARKS = "The new mark is left out: streams keep the mark that you give them."
_PAUSES = "Pauses of single priorities (IEEE 802.1Qbb) are left out."
_LEFT = "This part of class of service is left out."
#: Statements of each level that are known, and that no port says.
_OF_SCHEDULERS = (
    *("adjust-minimum", "adjust-percent", "overhead-accounting", "max-burst-size", "dwrr-weight"),
    *("shaping-rate-excess", "buffer-dynamic-threshold", "ecn-profile", "drop-profile-map-set"),
    *("minimum-guaranteed-rate", "parent-scheduler", "apply-groups", "apply-macro"),
)
_OF_PROFILES = (
    *("adjust-minimum", "atm-service", "max-burst-size", "peak-rate", "sustained-rate"),
    *("excess-rate-high", "excess-rate-low", "excess-rate-medium", "strict-priority-scheduler"),
    *(f"shaping-rate-excess-{each}" for each in ("high", "low", "medium-high", "medium-low")),
    *(f"shaping-rate-priority-{each}" for each in ("high", "medium", "low", "strict-high")),
    *("shaping-rate-priority-medium-low", "shaping-rate-priority-medium-high"),
    *("shaping-rate-priority-low-latency", "delay-buffer-rate-excess", "apply-groups"),
    *("queue-specific-overhead-accounting", "scheduler-node"),
)
_OF_INTERFACES = (
    *("excess-bandwidth-share", "exclude-queue-overhead-bytes", "internal-node", "irb"),
    *("input-scheduler-map", "input-shaping-rate", "input-traffic-control-profile"),
    *("input-traffic-control-profile-remaining", "logical-interface-aggregate-statistics"),
    *("scheduler-map-chassis", "loss-priority-maps", "loss-priority-rewrites", "policy-map"),
    *("congestion-notification-profile", "output-traffic-control-profile-remaining"),
    *("forwarding-class-map", "multi-destination", "dedicated-buffer-profile", "apply-groups"),
    *("output-traffic-control-profile", "scheduler-map-forwarding-class-sets", "link-mode"),
)
_OF_UNITS = (
    *("adaptive-shaper", "copy-tos-to-outer-ip-header", "fragmentation-map", "translation-table"),
    *("link-layer-overhead", "output-forwarding-class-map", "per-session-scheduler"),
    *("virtual-channel-group", "vc-shaping", "simple-filter", "scheduler-map", "shaping-rate"),
    *("classifiers", "forwarding-class-set"),
)
#: Pattern below its level -> what is lost; empty where nothing is. `*` is one word, `**` the rest.
_CLASS_OF_SERVICE = {
    "classifiers ieee-802.1ad **": "Drop eligible is no mark: these rules are left out.",
    "classifiers * * import *": "",
    "classifiers * * forwarding-class * loss-priority * code-points *": "",
    "code-point-aliases * * *": "",
    "forwarding-classes class * queue-num *": "",
    "forwarding-classes class * queue-num * no-loss **": "A class without loss pauses its senders;"
    " here its queue drops.",
    "forwarding-classes class * queue-num * priority *": "The priority in the fabric is left out.",
    "forwarding-classes class * queue-num * policing-priority *": "The priority of policers in the"
    " packet processor is left out.",
    "forwarding-classes class * queue-num * spu-priority *": "The priority in the services"
    " processor is left out.",
    "forwarding-classes class * queue-num * priority * policing-priority *": "The priority of"
    " policers in the packet processor is left out.",
    "forwarding-classes class * no-loss": "A class without loss pauses its senders; here its queue"
    " drops.",
    "forwarding-classes class * priority *": "The priority in the fabric is left out.",
    "forwarding-classes class * policing-priority *": "The priority of policers in the packet"
    " processor is left out.",
    "forwarding-classes class * spu-priority *": "The priority in the services processor is left"
    " out.",
    "forwarding-classes class * pfc-priority *": _PAUSES,
    "forwarding-classes class * queue-num * pfc-priority *": _PAUSES,
    "forwarding-classes queue * *": "",
    "forwarding-classes queue * * priority *": "The priority in the fabric is left out.",
    "forwarding-class-sets * class *": "",
    "scheduler-maps * forwarding-class * scheduler *": "",
    "schedulers * transmit-rate **": "",
    "schedulers * buffer-size buffer-partition **": "The part of the buffer that packets to many"
    " may take is left out.",
    "schedulers * buffer-size **": "",
    "schedulers * shaping-rate **": "",
    "schedulers * excess-rate **": "",
    "schedulers * excess-priority *": "",
    "schedulers * priority *": "",
    "schedulers * explicit-congestion-notification": "",
    "schedulers * drop-profile-map loss-priority * protocol * drop-profile *": "",
    "schedulers * buffer-dynamic-threshold *": "The share of the common buffer that the queue may"
    " take as it is free is left out.",
    **dict.fromkeys(
        (f"schedulers * {word} **" for word in _OF_SCHEDULERS),
        "The option of this scheduler is left out.",
    ),
    "drop-profiles * fill-level * drop-probability *": "",
    "drop-profiles * interpolate fill-level *": "",
    "drop-profiles * interpolate drop-probability *": "",
    "traffic-control-profiles * scheduler-map *": "",
    "traffic-control-profiles * shaping-rate **": "",
    "traffic-control-profiles * guaranteed-rate **": "",
    "traffic-control-profiles * excess-rate **": "",
    "traffic-control-profiles * delay-buffer-rate **": "",
    "traffic-control-profiles * overhead-accounting **": "What it adds to each frame is left out:"
    " the port counts one overhead.",
    **dict.fromkeys(
        (f"traffic-control-profiles * {word} **" for word in _OF_PROFILES),
        "The option of this traffic-control profile is left out.",
    ),
    "interfaces * scheduler-map *": "",
    "interfaces * shaping-rate **": "",
    "interfaces * output-traffic-control-profile *": "",
    "interfaces * forwarding-class-set * output-traffic-control-profile *": "",
    "interfaces interface-set * output-traffic-control-profile *": "",
    "interfaces * unit * scheduler-map *": "",
    "interfaces * unit * shaping-rate **": "",
    "interfaces * unit * output-traffic-control-profile *": "",
    "interfaces * unit * classifiers * *": "",
    "interfaces * unit * classifiers no-default": "",
    "interfaces * classifiers * *": "",
    "interfaces * unit * rewrite-rules **": _MARKS,
    "interfaces * rewrite-rules **": _MARKS,
    "interfaces * unit * forwarding-class *": "All packets that arrive here are of this class,"
    " whatever their mark: give their streams a mark of the class.",
    "interfaces * forwarding-class *": "All packets that arrive here are of this class,"
    " whatever their mark: give their streams a mark of the class.",
    "interfaces * output-traffic-control-profile-remaining *": "Units without a profile of"
    " their own are left out.",
    "interfaces * congestion-notification-profile *": _PAUSES,
    "interfaces * member-link-scheduler *": "The members of a bundle are one link here.",
    **dict.fromkeys(
        (f"interfaces * unit * {word} **" for word in (*_OF_UNITS, *_OF_INTERFACES)),
        "What it says of this unit is left out.",
    ),
    **dict.fromkeys(
        (f"interfaces * {word} **" for word in _OF_INTERFACES),
        "What it says of this interface is left out.",
    ),
    **dict.fromkeys(
        (f"interfaces interface-set * {word} **" for word in _OF_INTERFACES),
        "What it says of this interface set is left out.",
    ),
    "rewrite-rules **": _MARKS,
    "tri-color": "",
    "multi-destination **": "Classes for packets to many are left out.",
    "shared-buffer **": "How the memory of the device is parted is left out.",
    "dedicated-buffer **": "How the memory of the device is parted is left out.",
    "dedicated-buffer-profile **": "How the memory of the device is parted is left out.",
    "congestion-notification-profile **": _PAUSES,
    "host-outbound-traffic **": "Which class the device's own packets are of is left out.",
    "forwarding-policy **": "Paths by class are left out.",
    "fabric **": "Queues in front of the fabric are left out.",
    "loss-priority-maps **": "Loss priorities from these maps are left out.",
    "loss-priority-rewrites **": _MARKS,
    "translation-table **": "",
    "restricted-queues **": "The queues of older interfaces are left out.",
    "system-defaults **": "Defaults for whole kinds of interfaces are left out.",
    "routing-instances **": "Classifiers of single routing instances are left out.",
    "traceoptions **": "",
    "policy-map **": "",
    "tri-rate": "",
    "copy-plp-all": "Loss priorities of copies are left out.",
    "adaptive-shapers **": _LEFT,
    "application-traffic-control **": _LEFT,
    "forwarding-class-map **": _LEFT,
    "cos-next-hop-map **": "Paths by class are left out.",
    "forwarding-classes-interface-specific **": _LEFT,
    "fragmentation-maps **": _LEFT,
    "output-forwarding-class-map **": _LEFT,
    "virtual-channel-groups **": _LEFT,
    "virtual-channels **": _LEFT,
    "telemetry **": "",
    "classifiers * * forwarding-class * loss-priority * **": "?",
}
_OF_POLICERS = (
    *("filter-specific", "logical-bandwidth-policer", "logical-interface-policer"),
    *("physical-interface-policer", "shared-bandwidth-policer", "load-balance-group"),
    *("aggregate", "apply-groups", "single-packet-rate", "two-packet-rate", "count"),
)
_FIREWALL = {
    "policer * if-exceeding bandwidth-limit *": "",
    "policer * if-exceeding bandwidth-percent *": "",
    "policer * if-exceeding burst-size-limit *": "",
    "policer * then discard": "",
    "policer * then loss-priority *": "",
    "policer * then forwarding-class *": "A packet that exceeds stays in its class.",
    **dict.fromkeys(
        (f"policer * {word} **" for word in _OF_POLICERS), "The option of this policer is left out."
    ),
    "policer * then out-of-profile": "The option of this policer is left out.",
    "policer * then dscp **": "The option of this policer is left out.",
    "policer * if-exceeding-pps **": "A policer of packets is left out: it drops nothing here.",
    "three-color-policer * single-rate **": "",
    "three-color-policer * two-rate **": "",
    "three-color-policer * action **": "",
    **dict.fromkeys(
        (f"three-color-policer * {word} **" for word in _OF_POLICERS),
        "The option of this policer is left out.",
    ),
    "hierarchical-policer **": "A policer of two levels is left out: it drops nothing here.",
}
_INTERFACES = {
    "* speed *": "",
    "* link-speed *": "",
    "* number-of-sub-ports *": "",
    "* gigether-options speed *": "",
    "* ether-options speed *": "",
    "* gigether-options 802.3ad *": "",
    "* ether-options 802.3ad *": "",
    "* unit * family * policer input *": "",
    "* unit * family * policer output *": "",
    "* unit * family * policer **": "This policer is left out.",
    "* unit * layer2-policer **": "Policers of frames below IP are left out.",
    "interface-set * interface **": "",
    "* unit * family * policer arp *": "A policer of ARP alone is left out.",
    "* per-unit-scheduler": "",
    "* hierarchical-scheduler **": "",
    "* shared-scheduler": "",
}
_MEMORY = "How large it makes the buffer is a fact: give buffer_bytes or delay_buffer_s."
_CHASSIS = {"**": _MEMORY}
_OTHER = "Made for a subscriber or a logical system, it is left out."
_LEVELS: dict[str, dict[str, str]] = {
    "class-of-service": _CLASS_OF_SERVICE,
    "firewall": _FIREWALL,
    "interfaces": _INTERFACES,
    "chassis": _CHASSIS,
    "dynamic-profiles": {"**": _OTHER},
    "logical-systems": {"**": _OTHER},
}
#: Levels where a statement that no pattern has is about something else, and no error.
_WIDE = {"interfaces", "firewall", "chassis"}
Patterns = list[tuple[tuple[str, ...], str]]


def _by_first_word(table: dict[str, str]) -> dict[str, Patterns]:
    found: dict[str, Patterns] = {}
    for pattern, lost in table.items():
        words = tuple(pattern.split())
        found.setdefault(words[0], []).append((words, lost))
    return found


#: All words that are known.
WORDS = tuple(
    dict.fromkeys(
        word
        for level, table in _LEVELS.items()
        for pattern in table
        for word in (level, *pattern.split())
        if "*" not in word
    )
)
_TABLES = {level: _by_first_word(table) for level, table in _LEVELS.items()}

#: Level, and how a pattern begins -> the words that may follow.
_BEHIND: dict[tuple[str, ...], list[str]] = {}
for _level, _table in _LEVELS.items():
    for _pattern in map(str.split, _table):
        for _at, _word in enumerate(_pattern):
            if "*" not in _word:
                _BEHIND.setdefault((_level, *_pattern[:_at]), []).append(_word)


def _fits(pattern: tuple[str, ...], words: tuple[str, ...]) -> bool:
    if pattern[-1] == "**":
        pattern = pattern[:-1]
        if len(words) < len(pattern):
            return False
    elif len(words) != len(pattern):
        return False
    return all(p in ("*", w) for p, w in zip(pattern, words, strict=False))


def kind_of(words: tuple[str, ...]) -> str | None:
    """What is lost by a statement: empty if nothing, ``"?"`` if it is not understood.

    >>> kind_of(("class-of-service", "schedulers", "voice", "priority", "high"))
    ''
    >>> kind_of(("class-of-service", "colours", "blue"))
    '?'
    """
    table = _TABLES.get(words[0])
    below = words[1:]
    if table is None or not below:
        return "?" if below and is_nearly_a_level(words[0]) else None
    for first in (below[0], "*", "**"):
        for pattern, lost in table.get(first, ()):
            if _fits(pattern, below):
                slip = lost and pattern[-1] == "**" and _is_slip(words, pattern)
                return "?" if slip else lost
    return None if words[0] in _WIDE and not below[0].endswith("policer") else "?"


def _is_slip(words: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether the first word that a pattern leaves open is nearly one that may stand there."""
    if len(words) <= len(pattern):
        return False
    word, known = words[len(pattern)], _BEHIND.get((words[0], *pattern[:-1]), [])
    near = get_close_matches(word, known, 1, _NEAR) if word not in known else []
    return bool(near) and not word.startswith(near[0])


def _from_unknown(words: tuple[str, ...]) -> str:
    """A statement that is not understood, from the first word that is not known on."""
    if words[0] not in _TABLES:
        return " ".join(words)
    table, below = _TABLES[words[0]], words[1:]
    at = 0
    while at < len(below) - 1 and any(
        pattern[at] == "*" or pattern[at] == below[at]
        for patterns in table.values()
        for pattern, _ in patterns
        if len(pattern) > at and _fits((*pattern[:at], "**"), below)
    ):
        at += 1
    return " ".join(below[at:])


def sorted_out(
    said: Iterable[Said], of_filters: Iterable[Said], lost: Iterable[tuple[Said, str]]
) -> tuple[list[Statement], list[Remark]]:
    """Every statement on quality of service, as understood or as a remark."""
    remarks: dict[tuple[int, str, str], Remark] = {}
    found: dict[tuple[int, str, tuple[str, ...]], Statement] = {}
    for each, sentence in lost:
        key = each.line, each.text, sentence
        remarks[key] = Remark("not modelled", each.line, each.text, sentence)
    marked = {key[:2] for key in remarks}
    for each in said:
        kind = kind_of(each.words)
        place = each.line, each.text
        if kind is None or not each.text:
            continue
        if place in marked:
            _headers(each, found)
            continue
        if not each.active and _MOVE.match(each.text):
            found[(*place, each.parents)] = Statement(*place, each.parents)
        elif not each.active:
            sentence = "It is inactive: the device does not use it."
            remarks[(*place, sentence)] = Remark("not modelled", *place, sentence)
        elif kind == "?":
            sentence = "This statement is not known here; whatever it does is left out."
            text = _from_unknown(each.words)
            remarks[(*place, sentence)] = Remark("unknown", each.line, text, sentence)
        elif kind:
            remarks[(*place, kind)] = Remark("not modelled", *place, kind)
        else:
            found[(*place, each.parents)] = Statement(*place, each.parents)
        _headers(each, found)
    for each in of_filters:
        place = each.line, each.text
        if place not in marked and each.active:
            found[(*place, each.parents)] = Statement(*place, each.parents)
            _headers(each, found)
    places = {key[:2] for key in remarks}
    kept = [each for each in found.values() if (each.line, each.text) not in places]
    return (
        sorted(kept, key=lambda one: one.line),
        sorted(remarks.values(), key=lambda one: one.line),
    )


def _headers(of: Said, found: dict[tuple[int, str, tuple[str, ...]], Statement]) -> None:
    """The levels that a statement stands below, each on the line that opens it."""
    for depth, (line, text) in enumerate(zip(of.opened, of.parents, strict=True)):
        key = line, text, of.parents[:depth]
        if line != of.line and key not in found:
            found[key] = Statement(*key)
