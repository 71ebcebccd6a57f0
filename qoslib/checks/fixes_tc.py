"""Fixes in the words of tc: a line of the text as a change, with parts of it replaced."""

import re
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.checks.fixes import Fixes
from qoslib.config.amounts import rate_text
from qoslib.config.records import Configuration
from qoslib.port import PacketLimit

if TYPE_CHECKING:
    from qoslib.checks.checked_port import Member

__all__ = ["TcFixes", "byte_rates", "in_bits", "in_bits_per_second"]

#: A number, or what a shell makes one of.
_VALUE = (
    r"\d[\d.]*|\$\w+|\$\{[^{}]+\}|\$\(\([^`'\"]{1,200}?\)\)|\$\[[^`'\"\]]+\]|\$\([^()]+\)|`[^`]+`"
)
#: A rate in bytes per second.
_BYTES = re.compile(rf"(?<![\w.])({_VALUE})([kmgt])(i?)bps\b", re.IGNORECASE)
_MADE = re.compile(r"\b(qdisc|class) (add|replace)\b")
_LIMIT = re.compile(r"\blimit \S+", re.IGNORECASE)
#: Prefix of a rate, and the unit of so many bits per second.
_PREFIX = {"k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s"}


def _changed(configuration: Configuration, line: int, pattern: re.Pattern[str], text: str) -> str:
    """A line as a change, with parts of it replaced; empty where it has no such part."""
    said = next((each.text for each in configuration.statements if each.line == line), "")
    new, count = pattern.subn(text, said)
    return _MADE.sub(r"\1 change", new, count=1) if count else ""


class TcFixes(Fixes):
    """Fixes of tc."""

    def _queue_limit(self, member: "Member", time_s: float, size_bytes: float, packets: int) -> str:
        """`limit` of the qdisc of a class."""
        number = packets if isinstance(member.queue.limit, PacketLimit) else f"{size_bytes:.0f}b"
        line = self.checked.line(member, "limit")
        return _changed(self.checked.configuration, line, _LIMIT, f"limit {number}")


def byte_rates(text: str) -> dict[str, tuple[str, str]]:
    """The rates of a command that are in bytes per second: number and prefix of each.

    >>> byte_rates("tc class add dev eth0 classid 1:1 htb rate 5mbps ceil 5mbit")
    {'5mbps': ('5', 'm')}
    """
    return {found[0]: (found[1], (found[2] + found[3]).lower()) for found in _BYTES.finditer(text)}


def in_bits(rate: str, number: str, prefix: str) -> str:
    """What a rate in bytes per second is in bits, in words.

    >>> in_bits("5mbps", "5", "m"), in_bits("${RATE}kbps", "${RATE}", "k")
    ('5mbps is 40 Mb/s', '${RATE}kbps is eight times ${RATE}kbit')
    """
    if prefix in _PREFIX and number[0].isdigit() and number.count(".") < 2:
        value_bps = units.convert(float(number.rstrip(".")), _PREFIX[prefix], "bit/s")
        return f"{rate} is {rate_text(units.bits(value_bps))}"
    return f"{rate} is eight times {number}{prefix}bit"


def in_bits_per_second(configuration: Configuration, line: int) -> str:
    """A line with its rates in bits per second."""
    return _changed(configuration, line, _BYTES, r"\1\2\3bit")
