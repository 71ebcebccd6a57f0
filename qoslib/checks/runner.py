"""Go through all rules, and silence what a comment in the configuration says to ignore."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from qoslib.checks import (
    allocation,
    buffers,
    command_checks,
    contract,
    early_drop,
    junos_references,
    lossless,
    marks,
    never_matches,
    policers,
    priority,
    queueless,
    references,
    spelling,
    tc_commands,
)
from qoslib.checks.checked_port import CheckedPort
from qoslib.checks.loads import Load
from qoslib.checks.manners import manners_of
from qoslib.checks.rule import SEVERITIES, Finding, Found, Rule, of_vendor
from qoslib.config.facts import Facts
from qoslib.config.junos.platforms import as_mx
from qoslib.config.lines import nearest
from qoslib.config.records import Configuration
from qoslib.config.source import check_time, in_time
from qoslib.record import Count, Record, record

__all__ = [
    "IGNORED",
    "RULES",
    "Silenced",
    "finding_of",
    "findings",
    "idle_comments",
    "in_order",
    "merged",
    "silenced",
]

_FILES = (
    contract,
    allocation,
    priority,
    policers,
    buffers,
    early_drop,
    marks,
    lossless,
    references,
    junos_references,
    spelling,
    command_checks,
    never_matches,
    queueless,
    tc_commands,
)
#: All rules that need no model, by their ids.
RULES = {each.id: each for file in _FILES for each in vars(file).values() if isinstance(each, Rule)}

#: What depends on how an MX shares its line and its buffers, which other devices do in their way.
_OF_MX = {"guarantees-over", "no-rate", "default-starved", "queue-shallow"}
_IGNORE = re.compile(r"(?:[!#]|/\*).*?\bqoslib:\s*ignore\b[ \t]*([\w-]*)[ \t]*(.*?)\s*(?:\*/)?\s*$")
#: A longer line has no comment for these rules.
_LONGEST = 1000
_COMMENT = re.compile(r"\s*([!#]|/\*)")


@record
class Silenced(Record):
    """A finding that a comment in the configuration says to ignore, and why.

    Parameters
    ----------
    finding : Finding
    reason : str
        As it stands in the comment.
    line : int
        Of the comment.
    """

    finding: Finding
    reason: str
    line: Count


@in_time()
def findings(
    configuration: Configuration,
    loads: Mapping[int, Sequence[Load]] | None = None,
    facts: Facts | None = None,
    rules: Iterable[str] | None = None,
) -> tuple[Finding, ...]:
    """What is wrong with a configuration, by arithmetic alone.

    Parameters
    ----------
    configuration : Configuration
    loads : mapping of int to sequence of Load, optional
        Place of a port in the configuration, and what is sent to it.
    facts : Facts, optional
        Of the reader.
    rules : iterable of str, optional
        Ids of `RULES`; all by default.

    Returns
    -------
    tuple of Finding
        The worst first, then by line.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass, ConfiguredPort
    >>> from qoslib.port import PacketLimit, Port, Queue, StrictPriority
    >>> queues = tuple(Queue(n, PacketLimit(99), priority=i) for i, n in enumerate(("EF", "BE")))
    >>> port = Port("out", 1e7, queues, StrictPriority())
    >>> classes = tuple(ConfiguredClass(q.name, q.name, line=i) for i, q in enumerate(queues, 3))
    >>> edge = Configuration("ios-xe", (ConfiguredPort("Gi0/1", "out", port, classes),))
    >>> for finding in findings(edge):
    ...     print(finding.severity, finding.id, finding.line)
    warning priority-unlimited 3
    """
    known, found = facts or Facts(), list[Finding]()
    # One record a port: what a class is promised is worked out once for all rules.
    ports = [
        CheckedPort(configuration, configured, known, tuple((loads or {}).get(place, ())))
        for place, configured in enumerate(configuration.ports)
        if configured.port is not None or configured.missing or configured.classes
    ]
    for each in _of_family(configuration, RULES if rules is None else rules):
        if each.whole:
            found += [finding_of(each, one) for one in each.find(configuration)]
            continue
        for checked in ports:
            configured = checked.configured
            check_time(configured.line)
            told = configured.port is not None or each.portless
            if told and (each.inward or configured.direction == "out"):
                where = f"{configured.interface} {configured.direction}"
                found += [finding_of(each, one, where) for one in each.find(checked)]
    vendor = manners_of(configuration.dialect).family or configuration.dialect
    own = (each.replace(reference=of_vendor(each.reference, vendor)) for each in found)
    return in_order(merged(own))


def _of_family(configuration: Configuration, names: Iterable[str]) -> Iterator[Rule]:
    """The rules that are about a text of this dialect and device."""
    other, family = as_mx(configuration), manners_of(configuration.dialect).family
    for name in names:
        if RULES[name].family in ("", family) and not (other and name in _OF_MX):
            yield RULES[name]


def merged(found: Iterable[Finding]) -> list[Finding]:
    """The same of several interfaces, as one finding that counts them.

    The same sentence on one line with one fix is the same as well, though numbers of interfaces
    differ; those of the first are kept.
    """
    alike: dict[tuple[object, ...], list[Finding]] = {}
    groups: list[list[Finding]] = []
    for each in found:
        said = each.id, each.severity, each.sentence
        same, on_line = (*said, each.arithmetic), (*said, each.line, each.fix)
        if same not in alike:
            there = alike.get(on_line, [])
            apart = not each.line or any(one.interface == each.interface for one in there)
            alike[same] = [] if apart else there
            alike.setdefault(on_line, alike[same])
        if not alike[same]:
            groups.append(alike[same])
        alike[same].append(each)
    return [_as_one(group) for group in groups]


def _as_one(alike: Sequence[Finding]) -> Finding:
    first, *others = alike
    names = {each.interface for each in others} - {first.interface}
    if not names:
        return first
    arithmetic = first.arithmetic
    if any(each.arithmetic != arithmetic for each in others):
        arithmetic = f"{arithmetic} The numbers are those of {first.interface}."
    return first.replace(
        interface=f"{first.interface} and {len(names)} more", arithmetic=arithmetic
    )


def finding_of(by: Rule, found: Found, interface: str = "", model: str = "") -> Finding:
    """A finding of what a rule yields."""
    return Finding(
        by.id,
        found.severity or by.severity,
        found.line,
        found.sentence,
        found.arithmetic,
        by.reference,
        found.fix,
        interface,
        model,
    )


def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The worst first, then by line."""
    return tuple(sorted(found, key=lambda each: (SEVERITIES.index(each.severity), each.line)))


def silenced(
    found: Iterable[Finding], text: str
) -> tuple[tuple[Finding, ...], tuple[Silenced, ...]]:
    """Part findings into those that stay and those that the configuration says to ignore.

    ``! qoslib: ignore RULE reason`` (or ``#``, or ``/* */``) silences the findings of a rule on its
    own line and on the next command; above the first command, in the whole file. Without a reason
    it silences nothing.

    Parameters
    ----------
    found : iterable of Finding
    text : str
        The configuration.

    Returns
    -------
    tuple of Finding
        Those that stay.
    tuple of Silenced

    Examples
    --------
    >>> text = "! qoslib: ignore llq-share agreed with the voice team\\npolicy-map EDGE"
    >>> left, ignored = silenced([Finding("llq-share", "warning", 2, "Too much priority.")], text)
    >>> len(left), ignored[0].reason
    (0, 'agreed with the voice team')
    """
    kept, ignored = [], []
    comments = _comments(text)
    for finding in found:
        check_time(finding.line)
        for rule, reason, line, lines in comments:
            if rule == finding.id and (not lines or finding.line in lines):
                ignored.append(Silenced(finding, reason, line))
                break
        else:
            kept.append(finding)
    return tuple(kept), tuple(ignored)


def idle_comments(text: str, known: Collection[str]) -> tuple[Finding, ...]:
    """Comments that silence nothing: they name no rule, or give no reason.

    >>> idle_comments("! qoslib: ignore llq-shar agreed", {"llq-share"})[0].sentence
    "This comment silences nothing: no rule is called 'llq-shar'."
    """
    found = []
    for number, line in enumerate(text.splitlines() if "qoslib" in text else (), 1):
        check_time(number)
        said = _ignore_in(line)
        if not said or (said[1] in known and said[2]):
            continue
        why = "it gives no reason" if said[1] in known else f"no rule is called {said[1][:40]!r}"
        near = nearest(said[1], known)
        fix = f"qoslib: ignore {near} REASON" if near else ""
        one = Found(number, f"This comment silences nothing: {why}.", fix=fix)
        found.append(finding_of(IGNORED, one))
    return tuple(found)


def _without_effect() -> Iterator[Found]:
    """A `qoslib: ignore` comment names no rule or gives no reason, so it silences nothing."""
    yield from ()


#: The rule on comments; it looks at the text, which other rules do not have.
IGNORED = Rule("ignore-idle", "warning", "docs/checking.md: RULE, then a reason", _without_effect)


def _comments(text: str) -> list[tuple[str, str, int, tuple[int, ...]]]:
    """Rule, reason, line of each comment, and the lines that it is about; none for the file."""
    found: list[tuple[str, str, int, tuple[int, ...]]] = []
    seen = False
    waiting: list[int] = []
    for number, line in enumerate(text.splitlines() if "qoslib" in text else (), 1):
        check_time(number)
        is_comment = bool(_COMMENT.match(line))
        is_command = bool(line.strip()) and not is_comment
        seen = seen or is_command
        if is_command:
            for at in waiting:
                rule, reason, comment, about = found[at]
                found[at] = rule, reason, comment, (*about, number)
            waiting.clear()
        said = _ignore_in(line)
        if said and said[2]:
            if seen and is_comment:
                waiting.append(len(found))
            found.append((said[1], said[2], number, (number,) if seen else ()))
    return found


def _ignore_in(line: str) -> re.Match[str] | None:
    return _IGNORE.search(line) if "qoslib" in line and len(line) <= _LONGEST else None
