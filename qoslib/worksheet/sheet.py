"""A worksheet as it is printed and shown: rules, a policer's burst, and commands."""

from dataclasses import dataclass

import pandas as pd

from qoslib import units

__all__ = ["Rule", "Worksheet"]


@dataclass(frozen=True)
class Rule:
    """A buffer by one rule.

    Attributes
    ----------
    name : str
    buffer_bytes : float
        As the queue counts packets [B].
    line_s : float
        How long the line takes for it: the longest wait [s].
    packets : int
    stable_bps : float
        What Reno's saw-tooth keeps of the line in the long run, the window allowing [bit/s].
    test_bps : float or None
        What a test of half a minute shows of CUBIC, start included [bit/s]; None where the model
        does not play it.
    note : str
    """

    name: str
    buffer_bytes: float
    line_s: float
    packets: int
    stable_bps: float
    test_bps: float | None
    note: str


@dataclass(frozen=True)
class Worksheet:
    """Rules, a policer's burst, and commands; printed as text, shown as a table.

    Attributes
    ----------
    title : str
    rules : tuple of Rule
    policer_bytes : float
        Burst that a policer of this rate would need instead of a buffer [B].
    commands : tuple of str
    """

    title: str
    rules: tuple[Rule, ...]
    policer_bytes: float
    commands: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        """The rules as a table to read, one row a rule."""
        cells = [dict(zip(_HEAD, _cells(rule), strict=True)) for rule in self.rules]
        return pd.DataFrame(cells).set_index("rule")

    def __str__(self):
        lines = [_HEAD, *map(_cells, self.rules)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        burst = f"A policer instead of a buffer: a burst of {_megabytes(self.policer_bytes)} MB."
        tests = ["Test it:", *(f"  {command}" for command in self.commands)]
        return "\n".join([self.title, "", *rows, "", burst, "", *tests])


_HEAD = ("rule", "ms", "MB", "packets", "stable Mb/s", "30 s Mb/s", "note")


def _cells(rule):
    wait, size = units.convert(rule.line_s, "s", "ms"), _megabytes(rule.buffer_bytes)
    rates = ["–" if bps is None else _mbps(bps) for bps in (rule.stable_bps, rule.test_bps)]
    return (rule.name, f"{wait:.3g}", size, f"{rule.packets:,}", *rates, rule.note)


def _megabytes(size):
    three_digits = float(f"{units.convert(size, 'B', 'MB'):.3g}")
    return f"{three_digits:,.12g}"


def _mbps(rate):
    rate = units.convert(rate, "bit/s", "Mbit/s")
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
