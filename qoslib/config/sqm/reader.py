"""Read `/etc/config/sqm` of OpenWrt: the queues that its scripts make of each section."""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from qoslib.config.facts import Facts
from qoslib.config.records import Configuration
from qoslib.config.source import check_time
from qoslib.config.sqm.scripts import NAMES, SCRIPTS, Way
from qoslib.config.tc.command import Command, command
from qoslib.config.tc.reader import read_commands
from qoslib.config.tc.script import Script

__all__ = ["OPTIONS", "is_sqm", "read_sqm"]

_SECTION = re.compile(r"^[ \t]*config[ \t]+queue\b", re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*option[ \t]+(?:script|qdisc|upload|download)\b", re.MULTILINE)
#: Options that change no queue, or only say which others are shown.
_SILENT = {"debug_logging", "verbosity", "qdisc_advanced", "qdisc_really_really_advanced"}
_SILENT |= {"linklayer_advanced", "enabled", "interface"}
#: Options that the scripts take.
_READ = {"upload", "download", "qdisc", "script", "linklayer", "overhead", "tcMPU", "squash_dscp"}
_READ |= {"squash_ingress", "ingress_ecn", "egress_ecn", "ilimit", "elimit", "itarget", "etarget"}
_READ |= {"iqdisc_opts", "eqdisc_opts"}
#: Options that are left out, and what is lost.
_LOST = {
    "linklayer_adaptation_mechanism": "The shaper itself counts what a frame takes of the link.",
    "tcMTU": "It is the size of a table, which the kernel does without.",
    "tcTSIZE": "It is the size of a table, which the kernel does without.",
    "target": "No script uses it.",
}
#: All options of a section.
OPTIONS = tuple(sorted({*_SILENT, *_READ, *_LOST}))
#: Where a section leaves a rate out [kbit/s] (sqm-scripts, src/defaults.sh: UPLINK and DOWNLINK).
_RATES = {"upload": 2302, "download": 14_698}
#: The longest name of a device.
_LONGEST = 15


class _Option(NamedTuple):
    value: str
    line: int
    text: str


class _Section(NamedTuple):
    head: _Option
    options: dict[str, _Option]

    def at(self, *names: str) -> _Option:
        """The first option of these that is there, else the head."""
        return next((self.options[name] for name in names if name in self.options), self.head)

    def value(self, name: str) -> str:
        return self.options[name].value if name in self.options else ""


def is_sqm(text: str) -> float:
    """How sure it is that a text is `/etc/config/sqm`.

    >>> is_sqm("config queue 'wan'\\n\\toption script 'simple.qos'"), is_sqm("config interface lan")
    (0.95, 0.0)
    """
    return 0.95 if _SECTION.search(text) and _OPTION.search(text) else 0.0


def read_sqm(text: str, facts: Facts) -> Configuration:
    """Read the queues of each section: `upload` of its interface, `download` of `ifb4` before it.

    >>> text = '''config queue 'wan'
    ...     option enabled '1'
    ...     option interface 'eth1'
    ...     option upload '10000'
    ...     option download '0'
    ...     option script 'simplest.qos'
    ... '''
    >>> (port,) = read_sqm(text, Facts({"line_rate_bps": 1e9})).ports
    >>> port.interface, port.port.queues[0].shaper.rate_bps
    ('eth1', 10000000.0)
    """
    notes = Script({})
    commands = [each for section in _sections(text, notes) for each in _commands(section, notes)]
    return read_commands(commands, notes, facts, "sqm")


def _sections(text: str, notes: Script) -> list[_Section]:
    """The sections of queues; what is no statement of UCI is unknown."""
    found: list[_Section] = []
    inside = False
    for number, said in enumerate(text.split("\n"), 1):
        check_time(number)
        line = said.strip()
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            notes.unknown(number, line)
            continue
        if words[:1] == ["config"]:
            inside = words[1:2] == ["queue"]
            if inside:
                found.append(_Section(_Option("", number, line), {}))
                notes.understood(number, line)
        elif inside and words[:1] == ["option"] and len(words) == 3:
            found[-1].options[words[1]] = _Option(words[2], number, line)
        elif inside and words:
            notes.unknown(number, line)
    return found


def _commands(section: _Section, notes: Script) -> Iterator[tuple[Command, dict[str, str]]]:
    """The commands of a section that is enabled, for both ways."""
    for name, option in section.options.items():
        if name in _LOST:
            notes.not_modelled(option.line, option.text, _LOST[name])
        elif name in _READ or name in _SILENT:
            notes.understood(option.line, option.text)
        else:
            notes.unknown(option.line, f"{name} {option.value}")
    interface, script = section.value("interface"), section.value("script")
    if section.value("enabled") != "1":
        at = section.at("enabled")
        notes.not_modelled(at.line, at.text, "It is not enabled, so it makes no queue.")
        return
    if not interface:
        notes.refused(*section.head[1:], "queue: the interface is missing")
        return
    if script not in SCRIPTS:
        at = section.at("script")
        known = ", ".join(SCRIPTS)
        lost = f"The queues of {interface} are not known: its script is none of {known}."
        notes.unknown(at.line, at.text, lost)
        return
    for rate in ("upload", "download"):
        yield from _way(section, rate, notes)


def _way(section: _Section, rate: str, notes: Script) -> Iterator[tuple[Command, dict[str, str]]]:
    """The commands of one way."""
    at, given = section.at(rate), section.value(rate) or str(_RATES[rate])
    if rate not in section.options:
        lost = f"It has no `{rate}`: the scripts take {_RATES[rate]:,} kbit/s."
        notes.not_modelled(at.line, at.text, lost)
    if not given.isascii() or not given.isdecimal() or len(given) > 10:
        problem = f"{rate} is {given[:40]!r}; allowed: a whole number of kbit/s"
        notes.refused(at.line, at.text, problem)
        return
    if not int(given):
        return
    interface, comes_in = section.value("interface"), rate == "download"
    device = f"ifb4{interface}"[:_LONGEST] if comes_in else interface
    told = {name: option.value for name, option in section.options.items()}
    for words in SCRIPTS[section.value("script")](Way(device, int(given), comes_in, told)):
        leaf = words.startswith("qdisc") and " htb " not in words and " tbf " not in words
        of = section.at("qdisc", "script") if leaf else at
        made = command(words.split(), of.line, of.text)
        if made is not None:
            yield made, NAMES
