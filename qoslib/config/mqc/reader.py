"""The dialects ``ios``, ``ios-xe``, ``ios-xr`` and ``nxos``: Cisco's modular QoS command line."""

import re
from dataclasses import replace

from qoslib.config.code_points import code_of
from qoslib.config.facts import Facts
from qoslib.config.mqc.blocks import policies_of
from qoslib.config.mqc.platform_defaults import (
    ASR_920,
    CATALYST,
    IOS,
    NCS,
    NCS_OR_NOT,
    OLD_CATALYST,
    PlatformDefaults,
)
from qoslib.config.mqc.policies import Policies, Policy, PolicyClass
from qoslib.config.mqc.port import ports_of
from qoslib.config.mqc.queue_commands import OF_MEMORY
from qoslib.config.mqc.settings import policies_for_rules
from qoslib.config.mqc.spelling import SHORT
from qoslib.config.mqc.types import refuse_other_types
from qoslib.config.records import Configuration, Statement
from qoslib.config.words import RATE_WORDS
from qoslib.units import convert

__all__ = ["SIGNS", "read_mqc", "reads_alike"]

_POLICY = re.compile(r"^[ \t]*(policy-map|class-map|service-policy) ", re.MULTILINE)
#: No router of IOS XE has Fast Ethernet in a slot, or limits what a policy may reserve, and no
#: switch of it queues in turns of packets.
_CLASSIC = re.compile(
    r"^version 1[0-5]\.|^[ \t]*int\w* ?f(a\w*)? ?\d+/\d|^[ \t]*(max-reserved-bandwidth|wrr-queue) ",
    re.MULTILINE | re.IGNORECASE,
)
#: The ports of IOL, an image for labs that schedules as classic IOS does, whatever its version;
#: those of IOS XE have three numbers.
_IOL = re.compile(r"^interface Ethernet\d/\d+[ \t]*$", re.MULTILINE)
_RECENT = re.compile(r"^version 1[5-9]\.", re.MULTILINE)
_THREE_NUMBERS = re.compile(r"^interface \w*GigabitEthernet\d/\d/\d", re.MULTILINE)
#: The name of an image of IOS XE begins with its platform.
_IMAGE = r"^boot system .*\b(?:asr(?:9\d\d|1[0k])|isr4|csr1000|c8000|cat9k)"
_XE = re.compile(rf"^version 1[6-9]\.|{_IMAGE}|^interface \D+\d/\d/\d", re.MULTILINE)
#: Serial ports of older routers have three numbers as well.
_XE_PORT = re.compile(
    rf"^version 1[6-9]\.|{_IMAGE}|^interface \w*(?:GigabitEthernet|GigE)\d/\d/\d", re.MULTILINE
)
_ASR_920 = re.compile(r"^boot system .*\basr920", re.MULTILINE)
#: Its ports have a rack, a slot, a module and a number; a fabric extender's racks begin at 101.
_XR = re.compile(
    r"^[ \t]*end-(policy|class)-map|^interface (Ten|Forty|(Four|Eight)?Hundred)GigE\d|^!! IOS XR"
    r"|^interface (\w+GigE|GigabitEthernet)\d\d?/\d+/\d+/\d|^interface (Bundle-Ether|MgmtEth)\d",
    re.MULTILINE,
)
#: Weaker signs of IOS XR, which count where no line is of IOS or IOS XE: rates with a unit word,
#: `ipv4` in front of an address, and four numbers of a serial port, which some older routers have.
_LIKE_XR = re.compile(
    r"^[ \t]*shape average \d+ [kmg]bps|^[ \t]*ipv4 address \d+\.\d+\.\d+\.\d"
    r"|^interface (Serial|POS) ?\d+/\d+/\d+/\d",
    re.MULTILINE,
)
_NO_XR = re.compile(
    r"^version 1\d\.|^[ \t]+(no )?ip address\b|^ip cef\b"
    r"|^interface (FastEthernet|\w*GigabitEthernet|Serial)\d+(/\d+){1,2}(\.\d+)?[ \t]*$",
    re.MULTILINE,
)
_NX = re.compile(
    r"^[ \t]*(service-policy|class-map|policy-map|class) type (queuing|network-qos|control-plane)"
    r"|^[ \t]*service-policy type qos|^system qos|^vdc \S+ id \d|^boot nxos"
    r"|^feature (vpc|lacp|lldp|interface-vlan|nxapi|telnet|udld)\b",
    re.MULTILINE,
)
#: What tells a Catalyst 9000 or 3850 whatever else a text has: its name, or a pair as one switch.
_CATALYST_9000 = re.compile(
    r"^(stackwise-virtual[ \t]*$|license udi pid C9[2-6]\d\d|switch \d+ provision c9[2-6]"
    r"|boot system .*\bcat9k)",
    re.MULTILINE | re.IGNORECASE,
)
#: What a Catalyst 9000 has, and no router of IOS or IOS XE: shares of its buffers, classes of its
#: own for what its processor is sent, members of a stack, ports of a switch in its first slots.
_CATALYST = re.compile(
    r"^[ \t]*(queue-buffers ratio \d|qos queue-softmax-multiplier|class-map match-any system-cpp-"
    r"|policy-map system-cpp-"
    r"|queue-limit (dscp|cos|precedence) .*percent|random-detect (dscp|cos|precedence) \S+ percent"
    r"|match non-client-nrt|switch \d provision )"
    r"|^interface (\w*GigabitEthernet|\w+GigE)[1-9]/\d/\d+\n([ \t]+.*\n)*?[ \t]+switchport\b",
    re.MULTILINE,
)
#: The queues of an older Catalyst go by number.
_OLD_CATALYST = re.compile(r"^[ \t]*(mls qos[ \t]*$|mls qos srr-queue |srr-queue )", re.MULTILINE)
_SWITCHES = _CATALYST_9000, _CATALYST, _OLD_CATALYST
_TURNS = re.compile(r"^[ \t]*wrr-queue ", re.MULTILINE)
#: What leads packets to the queues of an NCS 540 or 5500, and to those of no ASR 9000.
_NCS = re.compile(r"^[ \t]*(match|set) traffic-class \d", re.MULTILINE)
_NO_MLS = "A Catalyst 9000 has no `mls qos`: its ports trust marks, and its queues are of policies."
_INTERFACE = re.compile(r"^interface \S+\d", re.MULTILINE)


def _sure(text: str) -> float:
    if _is_xr(text) or _NX.search(text):
        return 0.1 if _POLICY.search(text) else 0.0
    if _POLICY.search(text):
        return 0.6
    if sum(bool(each.search(text)) for each in SHORT) > 1:
        return 0.5
    return 0.05 if _INTERFACE.search(text) else 0.0


def _ios_xe(text: str) -> float:
    return _sure(text) + (0.2 if _XE.search(text) and not _classic(text) else 0.0)


def _ios(text: str) -> float:
    sure = _sure(text)
    return sure + 0.1 if sure and _classic(text) else sure * 0.9


def _classic(text: str) -> bool:
    if _RECENT.search(text) and _IOL.search(text):
        return not _THREE_NUMBERS.search(text)
    return bool(_CLASSIC.search(text)) and not _XE_PORT.search(text)


def reads_alike(text: str) -> bool:
    """Whether nothing in a text of IOS tells IOS XE from classic IOS."""
    return not any(each.search(text) for each in (_CLASSIC, _XE, *_SWITCHES))


def _is_xr(text: str) -> bool:
    return bool(_XR.search(text) or (_LIKE_XR.search(text) and not _NO_XR.search(text)))


def _ios_xr(text: str) -> float:
    return 0.8 if _is_xr(text) and not _NX.search(text) else 0.0


def _nxos(text: str) -> float:
    return 0.8 if _NX.search(text) else 0.0


#: Dialect -> how sure it is that a text is its own, from 0 to 1.
SIGNS = {"ios-xe": _ios_xe, "ios": _ios, "ios-xr": _ios_xr, "nxos": _nxos}


def read_mqc(text: str, facts: Facts, platform: PlatformDefaults) -> Configuration:
    """Read a configuration of Cisco's modular QoS command line."""
    found = policies_of(text)
    if platform.name in ("ios", "ios-xe"):
        platform = _device(text) or platform
    if platform.buffers:
        _say_not_of_catalyst(found)
    else:
        _leave_shares_out(found)
    if platform.name in ("ios", "ios-xe") and not platform.buffers:
        _mixed_shares(found, platform.name == "ios-xe" and _takes_ratios(text))
    if platform.name in ("ios", "ios-xe"):
        _refuse_unit_words(found)
    if platform.name == "ios-xr" and _NCS.search(text):
        platform = NCS_OR_NOT if _queues_by_mark(found) else NCS
    if platform.name == "ios-xr":
        _refuse_ios_early(found)
        _refuse_low_levels(found)
    if platform.name == "nxos":
        refuse_other_types(found)
    ports = tuple(ports_of(found, platform, facts))
    return Configuration(
        platform.name,
        ports,
        tuple(found.notes.remarks),
        tuple(sorted(found.notes.statements, key=lambda each: each.line)),
        policies=policies_for_rules(found),
        platform="catalyst" if platform.buffers else "",
    )


def _queues_by_mark(found: Policies) -> bool:
    """Whether a class with a queue matches marks of packets, as no queue of an NCS does."""
    queued = (
        part.name
        for part in found.parts
        if part.priority or part.bandwidth or part.remaining or part.limit or part.early
    )
    selections = (found.selections[name] for name in queued if name in found.selections)
    return any(code_of(mark) for of in selections for match in of.matches for mark in match.marks)


def _device(text: str) -> PlatformDefaults | None:
    """The Catalyst or the ASR 920 that a text is of, if any."""
    if _ASR_920.search(text):
        return ASR_920
    if _CATALYST_9000.search(text):
        return CATALYST
    if _OLD_CATALYST.search(text):
        return replace(IOS, modelled=False) if _TURNS.search(text) else OLD_CATALYST
    return CATALYST if _CATALYST.search(text) else None


def _say_not_of_catalyst(found: Policies) -> None:
    """Say of `mls qos` that a Catalyst 9000 does not have it.

    References
    ----------
    Cisco, document 118629, Catalyst 3850 QoS: it does not support MLS QoS, and trusts marks.
    """
    remarks = found.notes.remarks
    remarks[:] = [
        each.replace(lost=_NO_MLS) if each.words[:2] == ("mls", "qos") else each for each in remarks
    ]


def _leave_shares_out(found: Policies) -> None:
    """Leave limits by mark out that are shares of the port's memory."""
    for part in found.parts:
        lines = {each.line for each in part.limits.values() if each.unit == "1"}
        part.limits = {m: each for m, each in part.limits.items() if each.line not in lines}
        for each in [each for each in part.statements if each.line in lines]:
            _take_away(found, part, each)
            found.notes.not_modelled(each.line, each.text, OF_MEMORY)


#: Forms of early detection that IOS has alone: XR asks for a mark, for thresholds or for its
#: default (Cisco, IOS XR Modular QoS Command Reference, random-detect).
_IOS_EARLY = re.compile(r"random-detect(?: (?:dscp|precedence)-based)?")
_XR_EARLY = "allowed: random-detect default, thresholds, or a mark with thresholds"


def _refuse_ios_early(found: Policies) -> None:
    """Take away what IOS XR refuses of early detection."""
    for part in found.parts:
        refused = [each for each in part.statements if _IOS_EARLY.fullmatch(each.text)]
        if part.early is None or not refused:
            continue
        part.early = part.early if part.early.rows else None
        for each in refused:
            _refuse(found, part, each, f"{each.text} is a command of IOS; {_XR_EARLY}")


#: A rate with a word for its unit behind it, and what IOS and IOS XE take in its place.
_UNIT_WORD = re.compile(r"(shape|bandwidth|priority)\b.* (\d[\d.]*) ([kmg]?bps)\b")
_BARE = {"shape": "bit/s", "bandwidth": "kbit/s", "priority": "kbit/s"}


def _refuse_unit_words(found: Policies) -> None:
    """Take away rates with a unit word, which IOS and IOS XE refuse.

    References
    ----------
    Cisco IOS Quality of Service Solutions Command Reference: bandwidth, priority, shape.
    """
    for part in found.parts:
        for each in list(part.statements):
            written = _UNIT_WORD.match(each.text)
            if written is None:
                continue
            command, value, word = written.groups()
            own = getattr(part, command)
            if own is not None and own.line == each.line:
                setattr(part, command, None)
            bare = _BARE[command]
            number = convert(float(value), RATE_WORDS[word], bare)
            allowed = f"a number of {bare.replace('bit', 'b')} without a unit, {number:.15g}"
            problem = f"the word '{word}' follows the rate; allowed: {allowed}"
            _refuse(found, part, each, f"{command}: {problem}")


_VERSION = re.compile(r"^version (\d+)\.(\d+)", re.MULTILINE)
_RATIO_BESIDE = (
    "From IOS XE 16.11 on, an ASR 1000 or ISR 4000 takes `bandwidth remaining` in one policy with"
    " `bandwidth`. Other devices refuse it: there the shares differ from those given here."
)


def _takes_ratios(text: str) -> bool:
    """Whether a text of IOS XE may be of a release that shares what remains beside guarantees."""
    found = _VERSION.search(text)
    return found is None or (int(found[1]), int(found[2])) >= (16, 11)


def _mixed_shares(found: Policies, taken: bool) -> None:
    """Refuse shares of what remains beside `bandwidth` in one policy, or say who takes them.

    References
    ----------
    Cisco IOS XE, QoS: Policing and Shaping Configuration Guide, Distribution of Remaining Bandwidth
    Using Ratio, Restrictions; IOS XE 16.11, 3-Level User-Defined Queuing Policy Support.
    """
    for policy in found.policies.values():
        kinds = _kinds_of_shares(policy)
        if len({field for _, field, _ in kinds}) < 2:
            continue
        # What stands first stays.
        first, kept, _ = kinds[0]
        other = "remaining" if taken or kept == "bandwidth" else "bandwidth"
        for line, field, part in kinds:
            if field != other:
                continue
            for each in [each for each in part.statements if each.line == line]:
                if taken:
                    found.notes.statements[:] = [s for s in found.notes.statements if s != each]
                    found.notes.not_modelled(each.line, each.text, _RATIO_BESIDE)
                else:
                    setattr(part, field, None)
                    why = f"{each.text} is another kind of bandwidth than in line {first}"
                    _refuse(found, part, each, f"{why}; allowed: one kind in a policy")


def _kinds_of_shares(policy: Policy) -> list[tuple[int, str, PolicyClass]]:
    """Line, field and class of each bandwidth of a policy, in their order."""
    kinds = [
        (own.line, field, part)
        for part in policy.classes.values()
        for field in ("bandwidth", "remaining")
        if (own := getattr(part, field))
    ]
    return sorted(kinds, key=lambda each: each[:2])


def _take_away(found: Policies, part: PolicyClass, statement: Statement) -> None:
    for statements in (part.statements, found.notes.statements):
        statements[:] = [each for each in statements if each != statement]


def _refuse(found: Policies, part: PolicyClass, statement: Statement, problem: str) -> None:
    """Take a statement away that a device would not take."""
    _take_away(found, part, statement)
    found.notes.refused(statement.line, statement.text, problem)


#: What an NCS 540 or 5500 has after this command (Cisco, Converged SDN Transport High Level Design,
#: H-QoS platform support): priority of the levels 1 to 4.
_HIERARCHICAL, _HIERARCHICAL_LEVELS = "hw-module profile qos hqos-enable", 4


def _refuse_low_levels(found: Policies) -> None:
    """Take away levels of priority that IOS XR has only without hierarchical queues (NCS)."""
    if not any(each.text.startswith(_HIERARCHICAL) for each in found.notes.remarks):
        return
    for part in found.parts:
        own = part.priority
        if own is None or own.level <= _HIERARCHICAL_LEVELS:
            continue
        refused = [each for each in part.statements if each.line == own.line]
        part.priority = None
        why = f"level {own.level} does not exist with `{_HIERARCHICAL}`; allowed: 1 to 4"
        for each in refused:
            _refuse(found, part, each, f"priority {why}")
