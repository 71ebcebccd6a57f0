"""A worksheet as it is printed and shown: rules, pacing, a policer's burst, and commands."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from qoslib import units
from qoslib.worksheet.carried import TEST_S, Shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Advice", "Rule", "Worksheet"]


class Advice(NamedTuple):
    """A sentence or a command, and why it has the numbers that it has."""

    text: str
    why: str


@dataclass(frozen=True)
class Rule:
    """A buffer by one rule.

    Attributes
    ----------
    name : str
    buffer_bytes : float
        As the queue counts packets [B].
    line_s : float
        How long the line takes to send it: the longest delay [s].
    packets : int
    long_run : Shown
        Payload carried after the first half minute [bit/s], from 'packets' or a 'formula', or at
        most a 'bound'.
    test : Shown or None
        Payload carried in the first half minute [bit/s], from 'packets' or 'fluid'; None where
        no model simulates it.
    remark : str
        Where two models differ, or where the only one is not valid; otherwise empty.
    why : str
        Why the buffer is as large as it is.
    call_mos : float
        Mean opinion score of a call, with G.711, whose packets wait behind a full buffer.
    """

    name: str
    buffer_bytes: float
    line_s: float
    packets: int
    long_run: Shown
    test: Shown | None
    remark: str
    why: str
    call_mos: float


@dataclass(frozen=True, kw_only=True)
class Worksheet:
    """Rules, pacing, a policer's burst, and commands; printed as text, shown as a table.

    Attributes
    ----------
    title : str
    remarks : tuple of str
        What limits the flows whatever the buffer, and what may be a mistake in a unit.
    rules : tuple of Rule
        First your own buffer, if you gave one.
    policer_bytes : float or None
        Burst that a policer of this rate would need instead of a buffer [B]; None where it would
        be more than a second of the line.
    policer, pacing : Advice
    simulated_s : float or None
        Length of each run of the packet model [s]; None where it did not run.
    paced_bps : float or None
        Rate to pace each flow at [bit/s]; None where it is too low to be set.
    path_commands, laboratory_commands : tuple of Advice
        For a path that already has its delay; for a laboratory, where netem adds it.
    """

    title: str
    remarks: tuple[str, ...]
    rules: tuple[Rule, ...]
    policer_bytes: float | None
    policer: Advice
    simulated_s: float | None
    paced_bps: float | None
    pacing: Advice
    path_commands: tuple[Advice, ...]
    laboratory_commands: tuple[Advice, ...]

    def table(self) -> "pd.DataFrame":
        """The rules as a table to read, one row per rule.

        Returns
        -------
        DataFrame
            Texts, in ms, MB and Mb/s.
        """
        import pandas as pd

        cells = [dict(zip(_HEAD, _cells(rule), strict=True)) for rule in self.rules]
        return pd.DataFrame(cells).set_index("rule")

    def __str__(self) -> str:
        lines = [_HEAD, *map(_cells, self.rules)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        remarks = [line for remark in self.remarks for line in _wrapped(remark, indent="")]
        parts = [[self.title], remarks, rows, self._notes()]
        parts += [[each.text, *_wrapped(each.why)] for each in (self.pacing, self.policer)]
        parts += [["On a path that has its delay:", *_listed(self.path_commands)]]
        added = "In a laboratory, with the port between the hosts, add the delay before the test:"
        parts += [[added, *_listed(self._added())]]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def _notes(self) -> list[str]:
        """What the marks mean, and where models part."""
        given = {shown.by for rule in self.rules for shown in (rule.long_run, rule.test) if shown}
        marks = [line for by, line in _MARKS.items() if by in given]
        if self.simulated_s is not None and self.simulated_s > TEST_S:
            marks.append(f"The long run is from {TEST_S:g} to {self.simulated_s:.0f} s.")
        marks.append(_CALL)
        remarks = [f"{rule.name}: {rule.remark}" for rule in self.rules if rule.remark]
        return marks + [line for remark in remarks for line in _wrapped(remark, indent="")]

    def _added(self) -> list[Advice]:
        """What a laboratory needs beyond the commands of a path."""
        return [each for each in self.laboratory_commands if each not in self.path_commands]


_HEAD = ("rule", "ms", "MB", "packets", "call MOS", "long run Mb/s", "first 30 s Mb/s", "why")
_SIGNS = {"packets": "", "formula": "≈ ", "bound": "< ", "fluid": "~ "}
_MARKS = {
    "packets": "Rates are of payload, from the packet model with CUBIC.",
    "formula": "≈ is a formula: the saw-tooth of Reno flows that lose together, or the rate of the"
    " windows.",
    "bound": "< is the same formula as an upper bound. Bursts set the limit in so small a buffer,"
    " or timeouts in so small windows, and no formula covers them.",
    "fluid": "~ is the fluid model, since the packet model would take more than 2e7 packets.",
}

_CALL = (
    "MOS is the score, from 1 to 4.5, that callers would give if their packets waited behind the"
    " full buffer."
)


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent=indent)


def _listed(commands: Sequence[Advice]) -> list[str]:
    width = max(len(each.text) for each in commands)
    return [f"  {each.text:{width}}  # {each.why}" for each in commands]


def _cells(rule: Rule) -> tuple[str, ...]:
    wait, size = units.convert(rule.line_s, "s", "ms"), units.convert(rule.buffer_bytes, "B", "MB")
    large = _three_digits(wait), _three_digits(size), f"{rule.packets:,}"
    rates = [_mbps(shown) for shown in (rule.long_run, rule.test)]
    return (rule.name, *large, f"{rule.call_mos:.1f}", *rates, rule.why)


def _three_digits(value: float) -> str:
    return f"{float(f'{value:.3g}'):,.12g}"


def _mbps(shown: Shown | None) -> str:
    if shown is None:
        return "–"
    rate = units.convert(shown.bps, "bit/s", "Mbit/s")
    return _SIGNS[shown.by] + (f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}")
