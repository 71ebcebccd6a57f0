"""Classes that no packet is in, and the class of the device that takes what is meant for them."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from qoslib.checks import Load
from qoslib.checks.manners import manners_of
from qoslib.checks.names import OF_ROUTER, class_map, groups_set
from qoslib.checks.promises import queued
from qoslib.config import Configuration, ConfiguredClass, ConfiguredPort
from qoslib.config.mqc.names import DEFAULT, OWN_REST
from qoslib.config.source import check_time

__all__ = ["Taken", "routed", "taken", "without_group"]


class Taken(NamedTuple):
    """The class that takes the packets of another one, and the line that makes it so."""

    by: str
    line: int


def taken(configuration: Configuration, configured: ConfiguredPort) -> dict[str, Taken]:
    """The classes of a port that no packet is in.

    >>> from qoslib.config import read
    >>> text = '''class-map match-any VOICE
    ...  match dcsp ef
    ... policy-map EDGE
    ...  class VOICE
    ...   priority 1000
    ... interface GigabitEthernet0/1
    ...  service-policy output EDGE'''
    >>> found = read(text)
    >>> taken(found, found.ports[0])
    {'VOICE': Taken(by='class-default', line=2)}
    """
    if not manners_of(configuration.dialect).matching:
        return {}
    found: dict[str, Taken] = {}
    classes = queued(configured)
    by_name = any(each.marks == (each.name,) for each in classes.values())
    without = _without_match(configuration) if by_name else {}
    first: dict[tuple[str, str], str] = {}
    rest = {each.node: name for name, each in classes.items() if "the rest" in each.marks}
    for name, each in classes.items():
        marks = [(each.node, mark) for mark in each.marks if mark != "the rest"]
        if each.marks == (each.name,) and _is_rest(each) and each.node in rest:
            by = rest[each.node]
            found[name] = Taken(by, _puts_rest(configuration, classes[by]))
        elif each.marks == (each.name,) and each.name in without and each.node in rest:
            found[name] = Taken(rest[each.node], without[each.name])
        elif marks and len(marks) == len(each.marks) and all(mark in first for mark in marks):
            found[name] = Taken(first[marks[0]], each.line)
        for mark in marks:
            first.setdefault(mark, name)
    return found


def _is_rest(of: ConfiguredClass) -> bool:
    """Whether a class is by its name that of all packets that no other class takes."""
    return of.name.rsplit("/", 1)[-1] == DEFAULT or of.name.endswith(OWN_REST)


def _puts_rest(configuration: Configuration, into: ConfiguredClass) -> int:
    """The line that puts all packets without another class into the group of a class."""
    for group, commands in groups_set(configuration).items():
        for said in commands if group in into.marks else ():
            if said.parents and said.parents[-1].split()[-1] == DEFAULT:
                return said.line
    return into.line


def without_group(configuration: Configuration, configured: ConfiguredPort) -> dict[str, str]:
    """The classes of a port that a group alone leads to which no line sets, and that group.

    >>> from qoslib.config import read
    >>> text = '''class-map match-any VOICE
    ...  match traffic-class 5
    ... policy-map IN
    ...  class class-default
    ...   set traffic-class 2
    ... policy-map OUT
    ...  class VOICE
    ...   priority level 1
    ... interface GigabitEthernet0/0/0/1
    ...  service-policy input IN
    ...  service-policy output OUT'''
    >>> found = read(text, dialect="ios-xr")
    >>> without_group(found, found.ports[0])
    {'VOICE': 'traffic-class 5'}
    """
    if not manners_of(configuration.dialect).groups_choose:
        return {}
    known = groups_set(configuration)
    kinds = {group.split()[0] for group in known}
    found: dict[str, str] = {}
    for name, each in queued(configured).items():
        parts = [mark.split() for mark in each.marks]
        unset = [" ".join(part) for part in parts if len(part) == 2 and part[0] in kinds]
        nobody = not any(group in known or group.split()[1] in OF_ROUTER for group in unset)
        if unset and nobody and len(unset) == len(parts):
            found[name] = " or ".join(unset)
    return found


def _without_match(configuration: Configuration) -> dict[str, int]:
    """Class-maps (IOS) in which nothing is understood, and the line to look at."""
    if not manners_of(configuration.dialect).maps_whole:
        return {}
    headers = [each for each in configuration.statements if not each.parents]
    begins = sorted(each.line for each in headers)
    known: set[int] = set()
    odd: dict[int, int] = {}
    for each in configuration.statements:
        check_time(each.line)
        if each.parents:
            known.add(_owner(begins, each.line))
    for remark in configuration.remarks:
        check_time(remark.line)
        if remark.kind == "unknown":
            odd.setdefault(_owner(begins, remark.line), remark.line)
        else:
            known.add(_owner(begins, remark.line))
    found: dict[str, int] = {}
    for header in headers:
        of = class_map(header)
        if of and of.kind in ("", "qos"):
            if header.line in known:
                found[of.name] = 0
            else:
                found.setdefault(of.name, odd.get(header.line, header.line))
    return {name: line for name, line in found.items() if line}


def _owner(begins: Sequence[int], line: int) -> int:
    """The line of the command that a line stands below."""
    at = bisect_left(begins, line)
    return begins[at - 1] if at else 0


def routed(
    configuration: Configuration, configured: ConfiguredPort, loads: Sequence[Load]
) -> tuple[Load, ...]:
    """Loads of a port, those of classes that no packet is in with the class that takes them.

    Parameters
    ----------
    configuration : Configuration
    configured : ConfiguredPort
    loads : sequence of Load

    Returns
    -------
    tuple of Load

    Examples
    --------
    >>> from qoslib.config import read
    >>> from qoslib.checks import loads
    >>> text = '''class-map match-any VOICE
    ...  match dcsp ef
    ... policy-map EDGE
    ...  class VOICE
    ...   priority 1000
    ... interface GigabitEthernet0/1
    ...  service-policy output EDGE'''
    >>> found = read(text)
    >>> sent = loads(found.ports[0], 'VOICE = "0.9 Mb/s"')
    >>> [(load.name, load.taken_by) for load in routed(found, found.ports[0], sent)]
    [('VOICE', 'class-default'), ('class-default', '')]
    """
    known = taken(configuration, configured)
    return tuple(
        load.replace(taken_by=known[load.name].by if load.name in known else "") for load in loads
    )
