"""A Junos configuration as ports."""

import re

from qoslib.config.facts import Facts
from qoslib.config.junos.attachments import Interface, interfaces
from qoslib.config.junos.classes import forwarding_classes, rules, rules_of_filters, without_number
from qoslib.config.junos.definitions import Known, Rates, maps_of
from qoslib.config.junos.droppers import drop_profiles
from qoslib.config.junos.grammar import kind_of, sorted_out
from qoslib.config.junos.groups import inherited
from qoslib.config.junos.metering import metered
from qoslib.config.junos.paths import below
from qoslib.config.junos.pieces import pieces
from qoslib.config.junos.platforms import is_acx7000, is_other, platform_remarks
from qoslib.config.junos.policers import Term, catch_alls, filters, policers
from qoslib.config.junos.ports import port_of
from qoslib.config.junos.profiles import profiles
from qoslib.config.junos.provenance import Definitions
from qoslib.config.junos.references import (
    NoPortError,
    NotDefinedError,
    no_port,
    with_meant,
)
from qoslib.config.junos.schedulers import schedulers
from qoslib.config.junos.statements import Said, statements
from qoslib.config.junos.uses import Undefined, undefined
from qoslib.config.records import Configuration, ConfiguredPort, refusal
from qoslib.config.source import ConfigurationError, TakesTooLongError, check_time

__all__ = ["is_junos", "read_junos"]

_SURE, _LIKELY = 0.95, 0.8
#: After so many refused statements the text is taken for none.
_MOST_REFUSED = 100
_SIGNS = (
    ("class-of-service {", _SURE),
    ("set class-of-service ", _SURE),
    ("forwarding-class ", _LIKELY),
    ("if-exceeding", _LIKELY),
    ("set firewall ", _LIKELY),
    ("queue-num ", _LIKELY),
)


def is_junos(text: str) -> float:
    """How sure it is that a text is a Junos configuration.

    >>> is_junos("set class-of-service schedulers voice priority high"), is_junos("policy-map WAN")
    (0.95, 0.0)
    """
    return max((sure for word, sure in _SIGNS if word in text), default=0.0)


def _uses(said: Said, filtered: dict[str, tuple[Term, ...]]) -> bool:
    """Whether it puts a filter that chooses a class or a policer on an interface."""
    words = said.words
    return words[0] == "interfaces" and "filter" in words[-3:] and words[-1] in filtered


def read_junos(text: str, facts: Facts) -> Configuration:
    """Read class of service and policers of a Junos configuration, in braces or as `set` lines.

    A queue has its guaranteed rate first, in order of priority, and then shares of what is left.
    An interface with one map is a flat port; units and sets with queues of their own are nodes of
    a tree. Without a classifier in the text a stream's mark is the name of its class.

    >>> text = '''
    ... set class-of-service interfaces ge-0/0/1 scheduler-map wan
    ... set class-of-service scheduler-maps wan forwarding-class best-effort scheduler data
    ... set class-of-service schedulers data transmit-rate percent 40
    ... set class-of-service schedulers data buffer-size percent 40
    ... '''
    >>> port = read_junos(text, Facts({"buffer_bytes": 1e6})).ports[0]
    >>> port.port.queues[0].guaranteed_bps, port.port.queues[0].limit
    (400000000.0, ByteLimit(limit_bytes=400000))
    >>> port.origin("queues['best-effort'].guaranteed_bps").line
    4
    """
    said, unknown, unused = inherited(statements(text))
    names = undefined(said, whole=not unknown)
    gone = set(names.wrong)
    said = [each for each in said if each not in gone]
    most = len(names.refused) + _MOST_REFUSED
    while True:
        try:
            return _read(text, facts, said, unknown, unused, names)
        except TakesTooLongError:
            raise
        except ConfigurationError as caught:
            error = caught
            # A device refuses a statement, not a configuration.
            wrong = _wrong(said, error)
            if not wrong or len(names.refused) >= most:
                raise
            if isinstance(error, NotDefinedError):
                error = with_meant(error, said)
            texts = dict.fromkeys(each.text for each in wrong)
            names.refused.extend(refusal(error, wrong[0].line, of) for of in texts)
            names.wrong.extend(wrong)
            said = [each for each in said if each not in wrong]


def _port(
    interface: Interface, known: Known, rates: Rates, lost: list[tuple[Said, str]]
) -> ConfiguredPort:
    """The port of an interface; without what the models take where none describes it."""
    try:
        port, left_out = port_of(interface, known, rates)
    except NoPortError as error:
        lost += [(each, no_port(error)) for each in _wrong([*known.said], error)[:1]]
        return ConfiguredPort(interface.name, "out", None, line=interface.line)
    lost += left_out
    return port


_NEW_MARK = "New marks are left out: streams keep the mark that you give them."


def _marks_anew(words: tuple[str, ...]) -> bool:
    """Whether a term of a filter sets a mark of the packet itself."""
    behind = words[words.index("then") + 1 :] if "then" in words else ()
    return behind[:1] in (("dscp",), ("traffic-class",))


def _of_firewall(firewall: list[Said], *, known_groups: bool) -> dict[str, set[str]]:
    """Kind, and the names of all that the text defines of it; empty where it cannot define all."""
    found: dict[str, set[str]] = {"filter": set(), "policer": set()}
    for each in firewall if known_groups else ():
        words = each.words[2:] if each.words[0] == "family" else each.words
        kind = {"three-color-policer": "policer", "hierarchical-policer": "policer"}
        of = kind.get(words[0], words[0]) if words else ""
        if of.endswith("filter") and len(words) > 1:
            of = "filter"
        if of in found and len(words) > 1:
            found[of].add(words[1])
    return found if any(found.values()) else {}


def _wrong(said: list[Said], error: ConfigurationError) -> list[Said]:
    """The statements that an error is about: those of its line, with the word it names if any."""
    there = [each for each in said if each.line == error.line and each.text]
    named = re.findall(r"'([^']+)'", str(error))
    own = [each for each in there if not set(named).isdisjoint(each.words)]
    return own or there


def _read(
    text: str,
    facts: Facts,
    said: list[Said],
    unknown: list[Said],
    unused: list[Said],
    names: Undefined,
) -> Configuration:
    cos, firewall = below(said, "class-of-service"), below(said, "firewall")
    lost = [(each, "The text does not hold this group.") for each in unknown]
    lost += names.absent
    lost += [
        (each, "Nothing here inherits it.") for each in unused if kind_of(each.words) is not None
    ]
    numbers = forwarding_classes(cos)
    found_rules, left_out = rules(cos, numbers)
    lost += left_out + without_number(cos, numbers)
    filtered = filters(firewall)
    of_terms, left_out = rules_of_filters(filtered, numbers)
    lost += left_out
    lost += [(each, _NEW_MARK) for each in firewall if each.active and _marks_anew(each.words)]
    made = schedulers(below(cos, "schedulers"))
    devices = [*platform_remarks(text, said, facts)]
    defined = Definitions(
        facts,
        drop_profiles(below(cos, "drop-profiles")),
        [*of_terms, *found_rules],
        {name: number for name, (number, _) in numbers.items()},
        is_acx7000(text, said, facts),
        is_other(devices),
    )
    known = Known(
        defined,
        made,
        maps_of(cos, made, numbers),
        numbers,
        filtered,
        policers(firewall),
        said,
        _of_firewall(firewall, known_groups=not unknown),
    )
    rates = Rates(said, facts)
    ports: list[ConfiguredPort] = []
    made_profiles = profiles(below(cos, "traffic-control-profiles"))
    for interface in interfaces(said, made_profiles):
        check_time(interface.line)
        lost += interface.lost
        if interface.shapes:
            ports.append(_port(interface, known, rates, lost))
    if not ports and not below(cos, "interfaces"):
        alone = list(pieces(known, made_profiles))
        rates.pieces = {each.name for each in alone}
        ports = [_port(each, known, rates, lost) for each in alone]
    ports, left_out = metered(ports, known, rates)
    lost += left_out
    of_filters = [each for terms in filtered.values() for term in terms for each in term.said]
    of_filters += [each for each in said if each.active and _uses(each, filtered)]
    of_filters += [each for each in catch_alls(said, filtered) if each not in of_filters]
    # The levels above a statement stay, where it is refused.
    found, remarks = sorted_out([*said, *names.wrong], of_filters, lost)
    # A statement is listed as refused alone, wherever a group or a list repeats it.
    gone = {(each.line, each.text) for each in names.refused}
    found = [each for each in found if (each.line, each.text) not in gone]
    remarks = [each for each in remarks if (each.line, each.text) not in gone]
    remarks += [*names.refused, *devices]
    remarks.sort(key=lambda each: each.line)
    lines = text.count("\n") + 1
    return Configuration("junos", tuple(ports), tuple(remarks), tuple(found), lines)
