"""Read what `tc` shows, or a plain script of tc commands."""

import re
from collections.abc import Iterator
from typing import Literal

from qoslib.config.facts import Facts
from qoslib.config.records import Configuration, ConfiguredPort, Statement
from qoslib.config.source import ConfigurationError, lines_that_say, without_refused
from qoslib.config.tc.command import THINGS, Command
from qoslib.config.tc.device import Device, devices
from qoslib.config.tc.json_output import read_shown
from qoslib.config.tc.ports import inward, outward
from qoslib.config.tc.provenance import DeviceNotes
from qoslib.config.tc.script import Script, read_script

__all__ = ["Commands", "is_tc", "read_commands", "read_tc", "tc_lines"]

Commands = list[tuple[Command, dict[str, str]]]
#: What an interface is called where the output does not name it.
NAMELESS = "device"
#: What may give packets their class, where it is not read.
_SORTS = re.compile(r"\bfilter\b|CLASSIFY|skbedit|cgroup|\bmeta priority\b")
_SHOWN = re.compile(r'^[ \t]*\[\s*\{[^}]{0,200}"(?:kind|class)"\s*:', re.MULTILINE)
_LINE = re.compile(
    r"""(?<![\w.-])tc\}?[ \t]+(?:-\S+[ \t]+)*(?:qdisc|class|filter)\b
    |^[ \t]*(?:qdisc|class)[ \t]+\w+[ \t]+[0-9a-f]*:[0-9a-f]*[ \t]
    |^[ \t]*(?:qdisc|class|filter)[ \t]+(?:add|replace|change|del)[ \t]
    |\b(?:qdisc|class|filter)[ \t]+(?:add|replace|change|del)
        [ \t]+(?:dev|root|parent|handle)[ \t]""",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)


def is_tc(text: str) -> float:
    """How sure it is that a text is of `tc`.

    >>> is_tc("tc qdisc add dev eth0 root pfifo"), is_tc("policy-map WAN")
    (0.9, 0.0)
    >>> is_tc("do_tc qdisc add dev eth0 root pfifo")
    0.9
    """
    return 0.9 if _LINE.search(text) or _SHOWN.search(text) else 0.0


def tc_lines(text: str) -> set[int]:
    """The lines of a script that say something; of a command over several lines the first.

    >>> tc_lines("# the uplink\\ntc qdisc add dev eth0 \\\\\\n  root pfifo\\n")
    {2}
    """
    lines = text.split("\n")
    behind = {at for at, line in enumerate(lines, 2) if line.endswith("\\")}
    return lines_that_say(text) - behind


def read_tc(text: str, facts: Facts) -> Configuration:
    """Read the queues of all devices in the output of `tc`, or in a script.

    Plain variables are expanded, and arithmetic of them is worked out. Loops, conditions, functions
    and what other commands give are never run: each such line is a remark, and a device that misses
    a queue for it has no port. A command that the kernel refuses is a remark, and what follows is
    read without it.

    >>> text = "tc qdisc add dev eth0 root tbf rate 10mbit burst 15k limit 100k"
    >>> found = read_tc(text, Facts({"line_rate_bps": 1e9}))
    >>> found.ports[0].port.shaper
    Shaper(rate_bps=10000000.0, burst_bytes=15360)
    """
    shown, rest = read_shown(text)
    script = read_script(rest)
    shown_of_text = [each for each in script.commands if each[0].shown]
    orders = _placed([each for each in script.commands if not each[0].shown])
    every = _named([*((each, {}) for each in shown), *shown_of_text])
    return read_commands([*sorted(every, key=_order), *orders], script, facts)


def read_commands(
    commands: Commands, script: Script, facts: Facts, dialect: str = "tc"
) -> Configuration:
    """The ports that commands make, in their order, beside what was noted of their text."""

    def refuse(error: ConfigurationError) -> int:
        wrong = [each for each, _ in commands if each.line == error.line and not each.shown]
        for each in wrong:
            script.refused(each.line, each.text, error)
        commands[:] = [each for each in commands if each[0] not in wrong]
        return len(wrong)

    try:
        return without_refused(lambda: _configuration(commands, script, facts, dialect), refuse)
    except RecursionError:
        raise ConfigurationError("classes below classes without end") from None


def _configuration(commands: Commands, script: Script, facts: Facts, dialect: str) -> Configuration:
    found, notes_of_all = devices(commands, script.unread)
    elsewhere = any(each.kind != "refused" and _SORTS.search(each.text) for each in script.remarks)
    for device in found.values():
        device.sorted_elsewhere = elsewhere
    read = [each for device in found.values() for each in _ports(device, script.unread, facts)]
    lost = [each for _, notes in read for each in notes.remarks]
    remarks = dict.fromkeys((*script.remarks, *notes_of_all.remarks, *lost))
    unsaid = {(each.line, each.text) for each in remarks if each.kind != "not modelled"}
    unsaid |= {(each.line, each.text) for _, notes in read for each in notes.undescribed}
    said = {(each.line, each.text) for each, _ in commands} - unsaid
    said |= {(each.line, each.text) for each in script.statements} - unsaid
    statements = tuple(Statement(*each) for each in sorted(said))
    return Configuration(dialect, tuple(port for port, _ in read), tuple(remarks), statements)


def _placed(commands: Commands) -> Commands:
    """Devices of one name in several namespaces are called by both."""
    places: dict[str, set[str]] = {}
    for each, _ in commands:
        places.setdefault(each.device, set()).add(each.place)
    return [
        (each._replace(device=f"{each.place}:{each.device}"), names)
        if each.place and each.device and len(places[each.device]) > 1
        else (each, names)
        for each, names in commands
    ]


def _order(each: tuple[Command, dict[str, str]]) -> tuple[int, int]:
    """What hangs on something comes after it, in whatever order it is shown."""
    command = each[0]
    root = command.thing == "qdisc" and command.parent == "root"
    return -1 if root else THINGS.index(command.thing), command.line


def _named(commands: Commands) -> Commands:
    """With the device that is shown elsewhere, where an output of one device does not name it."""
    homes: dict[str, set[str]] = {}
    for each, _ in commands:
        if each.thing == "qdisc" and each.device and each.parent == "root":
            homes.setdefault(each.handle, set()).add(each.device)
    every = {name for home in homes.values() for name in home}
    named = []
    for each, names in commands:
        major = (each.parent if each.thing == "filter" else each.handle).partition(":")[0] + ":"
        places = homes.get(major) or every
        device = next(iter(places)) if not each.device and len(places) == 1 else each.device
        named.append((each._replace(device=device), names))
    return named


def _ports(
    device: Device, unread: dict[str, int], facts: Facts
) -> Iterator[tuple[ConfiguredPort, DeviceNotes]]:
    """The ports of a device, out and in, each with what was noted of it."""
    interface = device.name or NAMELESS
    line = unread.get(device.name, unread.get(""))
    if device.root is not None and device.root.kind != "noqueue":
        notes = DeviceNotes(device, interface, facts)
        if line is None:
            yield _port(notes, device.root, "out")
        else:
            lost = "is not read, so queues of this device are missing: no port is made."
            notes.lose(device.root, f"Line {line} {lost}")
            yield notes.no_port(device.root, "out"), notes
    if device.ingress is not None:
        yield _port(DeviceNotes(device, interface, facts), device.ingress, "in")


def _port(
    notes: DeviceNotes, top: Command, way: Literal["out", "in"]
) -> tuple[ConfiguredPort, DeviceNotes]:
    try:
        return (outward if way == "out" else inward)(notes, top), notes
    except ConfigurationError:
        raise
    except ValueError as wrong:
        notes = DeviceNotes(notes.device, notes.interface, notes.facts)
        notes.lose(top, f"No port describes this: {str(wrong)[:300]}.")
        return notes.no_port(top, way), notes
