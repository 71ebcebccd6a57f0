"""A Junos configuration as ports."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from qoslib.config.facts import Facts
from qoslib.config.junos.attachments import Interface, interfaces, pieces
from qoslib.config.junos.classes import forwarding_classes, rules, rules_of_filters
from qoslib.config.junos.definitions import Definitions, Rates, maps_of
from qoslib.config.junos.grammar import kind_of, sort_out
from qoslib.config.junos.metering import metered
from qoslib.config.junos.paths import below, inherited, on_service
from qoslib.config.junos.platforms import is_acx7000, is_other, is_srx, platform_remarks
from qoslib.config.junos.policers import Term, catch_alls, filters, policers
from qoslib.config.junos.ports import port_of
from qoslib.config.junos.references import (
    NoPortError,
    NotDefinedError,
    leave_out,
    no_port,
    undefined,
    with_meant,
)
from qoslib.config.junos.schedulers import drop_profiles, profiles, schedulers
from qoslib.config.junos.statements import statements
from qoslib.config.lines import Line
from qoslib.config.provenance import Provenance
from qoslib.config.records import Configuration, ConfiguredPort, Remark, refusal
from qoslib.config.source import ConfigurationError, check_time, without_refused

__all__ = ["is_junos", "read_junos"]

_SURE, _LIKELY = 0.95, 0.8
_SIGNS = (
    ("class-of-service {", _SURE),
    ("set class-of-service ", _SURE),
    (" class-of-service interfaces ", _SURE),
    ("forwarding-class ", _LIKELY),
    ("if-exceeding", _LIKELY),
    ("set firewall ", _LIKELY),
    ("queue-num ", _LIKELY),
)
_NEW_MARK = "New marks are left out: streams keep the mark that you give them."


def is_junos(text: str) -> float:
    """How sure it is that a text is a Junos configuration.

    >>> is_junos("set class-of-service schedulers voice priority high"), is_junos("policy-map WAN")
    (0.95, 0.0)
    """
    return max((sure for word, sure in _SIGNS if word in text), default=0.0)


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
    lines, unknown, unused = inherited([*on_service(statements(text))])
    notes = Provenance()
    leave_out(notes, unknown, "The text does not hold this group.")
    refused, wrong = undefined(lines, notes, whole=not unknown)
    unused = [line for line in unused if kind_of(line.words) is not None]
    leave_out(notes, unused, "Nothing here inherits it.")
    gone = set(wrong)
    kept = [line for line in lines if line not in gone]
    reading = _Reading(text, facts, not unknown, notes, refused, wrong, kept)
    return without_refused(reading.configuration, reading.refuse)


@dataclass
class _Reading:
    """The statements of a text, and what is noted of it.

    Where the text is `whole`, it has all groups that it uses; `before` is what is noted before it
    is read, `refused` and `wrong` what a device refuses, and the statements of these; `lines` has
    the others.
    """

    text: str
    facts: Facts
    whole: bool
    before: Provenance
    refused: list[Remark]
    wrong: list[Line]
    lines: list[Line]

    def refuse(self, error: ConfigurationError) -> int:
        """Take out the statements that an error is about, and say how many remarks that gives."""
        wrong = _about(self.lines, error)
        if isinstance(error, NotDefinedError):
            error = with_meant(error, self.lines)
        texts = dict.fromkeys(line.text for line in wrong)
        self.refused += (refusal(error, wrong[0].number, text) for text in texts)
        self.wrong += wrong
        self.lines = [line for line in self.lines if line not in wrong]
        return len(texts)

    def configuration(self) -> Configuration:
        """All that the statements say."""
        notes, lines = Provenance(), self.lines
        notes.add(self.before)
        devices = [*platform_remarks(self.text, lines, self.facts)]
        known = self._definitions(lines, is_other(devices), notes)
        ports = _ports(known, notes)
        terms = chain.from_iterable(known.filters.values())
        of_filters = [line for term in terms for line in term.lines]
        of_filters += [line for line in lines if line.active and _uses(line, known.filters)]
        of_filters += [each for each in catch_alls(lines, known.filters) if each not in of_filters]
        # The levels above a statement stay, where it is refused.
        found, remarks = sort_out([*lines, *self.wrong], of_filters, notes.remarks)
        # A statement is listed as refused alone, wherever a group or a list repeats it.
        gone = {(each.line, each.text) for each in self.refused}
        remarks = [each for each in remarks if (each.line, each.text) not in gone]
        remarks = [*remarks, *self.refused, *devices]
        said = tuple(each for each in found if (each.line, each.text) not in gone)
        return Configuration("junos", tuple(ports), tuple(remarks), said)

    def _definitions(self, lines: list[Line], other: bool, notes: Provenance) -> Definitions:
        cos, firewall = below(lines, "class-of-service"), below(lines, "firewall")
        classes = forwarding_classes(cos, notes)
        found = rules(cos, classes, notes)
        filtered = filters(firewall)
        srx = {"platform": "srx"} if is_srx(self.text, lines, self.facts) else {}
        found = [*rules_of_filters(filtered, classes, notes), *found]
        leave_out(notes, [line for line in firewall if _marks_anew(line.words)], _NEW_MARK)
        made = schedulers(below(cos, "schedulers"))
        return Definitions(
            lines,
            Facts({**self.facts.given, **srx}),
            classes,
            found,
            made,
            maps_of(cos, made, classes),
            drop_profiles(below(cos, "drop-profiles")),
            profiles(below(cos, "traffic-control-profiles")),
            filtered,
            policers(firewall),
            _of_firewall(firewall) if self.whole else {},
            is_acx7000(self.text, lines, self.facts),
            other,
            self.wrong,
        )


def _ports(known: Definitions, notes: Provenance) -> list[ConfiguredPort]:
    """The ports of all interfaces; of a text without any, of each map as if it stood on one."""
    rates = Rates(known.lines, known.facts)
    ports = []
    for interface in interfaces(known.lines, known.profiles, notes):
        check_time(interface.line)
        if interface.shapes:
            ports.append(_port(interface, known, rates, notes))
    if not ports and not below(known.lines, "class-of-service", "interfaces"):
        alone = list(pieces(known.lines, known.maps, known.profiles))
        rates.pieces = {each.name for each in alone}
        ports = [_port(each, known, rates, notes) for each in alone]
    return _enabled(metered(ports, known, rates, notes), known.lines, notes)


def _enabled(
    ports: list[ConfiguredPort], lines: Sequence[Line], notes: Provenance
) -> list[ConfiguredPort]:
    """The ports of interfaces that pass packets; those that are disabled are noted."""
    disabled = {
        line.words[1]: line
        for line in lines
        if line.active and line.words[::2] == ("interfaces", "disable")
    }
    names = [port.interface.partition(".")[0] for port in ports]
    for name, line in disabled.items():
        lost = f"{name} is disabled: it passes no packets, and nothing of it is checked."
        leave_out(notes, [line] if name in names else [], lost)
    return [port for port, name in zip(ports, names, strict=True) if name not in disabled]


def _port(
    interface: Interface, known: Definitions, rates: Rates, notes: Provenance
) -> ConfiguredPort:
    """The port of an interface; without what the models take where none describes it."""
    try:
        return port_of(interface, known, rates, notes)
    except NoPortError as error:
        leave_out(notes, _about(known.lines, error)[:1], no_port(error))
        return ConfiguredPort(interface.name, "out", None, line=interface.line)


def _uses(line: Line, filtered: Mapping[str, tuple[Term, ...]]) -> bool:
    """Whether it puts a filter that chooses a class or a policer on an interface."""
    words = line.words
    return words[0] == "interfaces" and "filter" in words[-3:] and words[-1] in filtered


def _marks_anew(words: tuple[str, ...]) -> bool:
    """Whether a term of a filter sets a mark of the packet itself."""
    behind = words[words.index("then") + 1 :] if "then" in words else ()
    return behind[:1] in (("dscp",), ("traffic-class",))


def _of_firewall(firewall: Sequence[Line]) -> dict[str, set[str]]:
    """Kind, and the names of all that the text defines of it; empty where it has nothing."""
    names: dict[str, set[str]] = {"filter": set(), "policer": set()}
    for line in firewall:
        words = line.words[2:] if line.words[0] == "family" else line.words
        kind = words[0].rpartition("-")[2] if len(words) > 1 else ""
        if kind in names:
            names[kind].add(words[1])
    return names if any(names.values()) else {}


def _about(lines: Sequence[Line], error: ConfigurationError) -> list[Line]:
    """The statements that an error is about: those of its line, with the word it names if any."""
    there = [line for line in lines if line.number == error.line and line.text]
    names = set(re.findall(r"'([^']+)'", str(error)))
    return [line for line in there if not names.isdisjoint(line.words)] or there
