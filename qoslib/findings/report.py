"""What a check of one configuration says: classes with where each number comes from, findings."""

import math
from typing import Literal

from qoslib.checks import Finding, Silenced
from qoslib.config import Default, MissingFact, Remark
from qoslib.record import Count, NotNegative, Record, Share, record
from qoslib.results import Interval

__all__ = ["Cell", "Change", "ClassRow", "ClassRun", "Compared", "Kind", "PortReport", "Report"]

#: Where a number comes from.
Kind = Literal[
    "configured",
    "computed",
    "given",
    "counted",
    "assumed",
    "fact",
    "default",
    "unverified default",
    "",
]


@record
class Cell(Record):
    """A number to read, where it comes from, and its arithmetic.

    Parameters
    ----------
    text : str
    kind : str
        ``configured`` in a line, ``computed`` of such numbers, ``given`` or ``counted`` traffic,
        ``assumed``, a ``fact`` of the reader, a ``default`` with a source, or an ``unverified
        default`` that nobody has read in its source.
    why : str
        Arithmetic, line, or source.
    value : float or None
        The number itself, in base units; None where nothing is known or promised.
    """

    text: str
    kind: Kind = ""
    why: str = ""
    value: NotNegative | None = None


@record
class ClassRow(Record):
    """One class in the table of a port.

    Parameters
    ----------
    name : str
    marks : str
        As one text.
    offered, minimum, maximum, queue : Cell
        Three rates [bit/s], of which the first is that of streams that do not respond to loss, and
        the delay of a full queue at the minimum [s].
    line : int
    tcp_flows : int
        How many TCP connections are offered besides.
    tcp_not_used : str
        What of these the packet model does not use, and why; empty where it runs them.
    """

    name: str
    marks: str
    offered: Cell
    minimum: Cell
    maximum: Cell
    queue: Cell
    line: Count = 0
    tcp_flows: Count = 0
    tcp_not_used: str = ""


@record
class ClassRun(Record):
    """What a model gives for one class at one load.

    Parameters
    ----------
    name : str
        Of the class.
    load_ratio : float
        1 for the load as given.
    model : str
        ``"fluid"`` or ``"packets"``.
    drop_ratio : float or None
        Of streams that do not respond to loss; None where only TCP is sent.
    sent_bps : float
        [bit/s]
    offered_bps : float
        By the streams that do not respond to loss [bit/s].
    delay_mean_s, delay_p50_s, delay_p99_s, delay_max_s : float or None
        Packet model only; the maximum is that of the run, not a bound [s].
    simulated_s : float or None
        How long each run of the packet model is, without its warm-up [s]; None of the fluid model.
    drop_half_ratio, delay_p99_half_s : float or None
        Half-widths of the intervals of 95 % [ratio, s]; None where there are not several runs.
    runs : int
        How many runs of the packet model the figures are means of; 0 of the fluid model.
    changing : str
        Why the packet model has not settled, in words; empty if it has. No verdict uses the figures
        of such a run.
    drop_cause : str
        What drops most of the packets, as `Result.dropped_by_pps` names it; empty where nothing is.
    """

    name: str
    load_ratio: NotNegative
    model: str
    drop_ratio: Share | None
    sent_bps: NotNegative
    offered_bps: NotNegative = 0.0
    delay_mean_s: NotNegative | None = None
    delay_p50_s: NotNegative | None = None
    delay_p99_s: NotNegative | None = None
    delay_max_s: NotNegative | None = None
    simulated_s: NotNegative | None = None
    drop_half_ratio: NotNegative | None = None
    delay_p99_half_s: NotNegative | None = None
    runs: Count = 0
    changing: str = ""
    drop_cause: str = ""

    @property
    def drop(self) -> Interval:
        """The loss and the half-width of its interval; 0 wide where a model has no chance in it."""
        return Interval(self.drop_ratio or 0.0, self.drop_half_ratio or 0.0)

    @property
    def delay_p99(self) -> Interval:
        """The p99 delay and the half-width of its interval [s]; NaN where there is none."""
        if self.delay_p99_s is None:
            return Interval(math.nan, math.nan)
        return Interval(self.delay_p99_s, self.delay_p99_half_s or 0.0)


@record
class Compared(Record):
    """A measured value, and what each model gives for the same statistic at the same load.

    Parameters
    ----------
    name : str
        Of the class; empty for the port as a whole.
    quantity : str
        With its statistic, where the table has several: ``latency_p99``.
    unit : str
        Of all three values.
    measured : float
    fluid, packets : float or None
        None where a model does not give the value.
    fluid_error, packets_error : float or None
        Share of the measured value by which a model is above it; a difference where that is 0.
    """

    name: str
    quantity: str
    unit: str
    measured: float
    fluid: float | None = None
    packets: float | None = None
    fluid_error: float | None = None
    packets_error: float | None = None


@record
class PortReport(Record):
    """One port of a configuration.

    Parameters
    ----------
    interface, direction, policy : str
    rows : tuple of ClassRow
        Empty while a fact is missing.
    runs : tuple of ClassRun
    missing : tuple of MissingFact
    scenario : str
        Hash of the scenario that was run; empty where none was.
    verify : tuple of str
        Commands that show the same on the device.
    met : tuple of str
        A sentence for each class that no packet is in, for each target that is met or of which that
        cannot be told, and for a load that no model uses.
    compared : tuple of Compared
        Measured values and what the models say.
    """

    interface: str
    direction: str
    policy: str
    rows: tuple[ClassRow, ...] = ()
    runs: tuple[ClassRun, ...] = ()
    missing: tuple[MissingFact, ...] = ()
    scenario: str = ""
    verify: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    compared: tuple[Compared, ...] = ()

    @property
    def unpromised(self) -> bool:
        """Whether nothing is promised on the way out, although no fact is missing."""
        return not self.rows and not self.missing and self.direction == "out"

    @property
    def unpoliced(self) -> bool:
        """Whether it is of what comes in, and no policer is read there."""
        return not self.rows and not self.missing and self.direction == "in"


@record
class Change(Record):
    """What one class gains or loses against an older configuration.

    Parameters
    ----------
    interface, name : str
    text : str
        One sentence.
    worse : bool
        Whether it loses something.
    minimum_before_bps, minimum_after_bps : float or None
        Of the class [bit/s]; None where it is not there, and of the interface as a whole.
    maximum_before_bps, maximum_after_bps : float or None
        [bit/s]
    queue_before_s, queue_after_s : float or None
        Of a full queue [s].
    drop_before_ratio, drop_after_ratio : float or None
        Of the load that both are given, by the packet model, or by the fluid model where that one
        cannot run or does not settle.
    delay_p99_before_s, delay_p99_after_s : float or None
        Under that load, by the packet model [s].
    """

    interface: str
    name: str
    text: str
    worse: bool
    minimum_before_bps: NotNegative | None = None
    minimum_after_bps: NotNegative | None = None
    maximum_before_bps: NotNegative | None = None
    maximum_after_bps: NotNegative | None = None
    queue_before_s: NotNegative | None = None
    queue_after_s: NotNegative | None = None
    drop_before_ratio: Share | None = None
    drop_after_ratio: Share | None = None
    delay_p99_before_s: NotNegative | None = None
    delay_p99_after_s: NotNegative | None = None


@record
class Report(Record):
    """The check of one file.

    Parameters
    ----------
    file : str
    dialect : str
        Empty where it could not be read.
    lines : int
    understood : int
        Lines on quality of service that the models have.
    elsewhere : int
        Lines on other things, without blank ones and comments.
    ports : tuple of PortReport
    findings : tuple of Finding
    silenced : tuple of Silenced
    remarks : tuple of Remark
        Lines that were not modelled or not understood.
    assumed : tuple of str
        One sentence each.
    defaults : tuple of Default
        Those that ports rest on.
    changes : tuple of Change
        Against an older configuration.
    measured : tuple of str
        Where the device shows another configuration, and which measured values are not compared.
    unchanged : str
        Why there are none; empty where there are some, or no older configuration.
    doubts : tuple of str
        Why nothing is promised for a port, the packet model gives no answer under its load, or
        which classes may miss their target; a sentence each.
    """

    file: str
    dialect: str = ""
    lines: Count = 0
    understood: Count = 0
    elsewhere: Count = 0
    ports: tuple[PortReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    silenced: tuple[Silenced, ...] = ()
    remarks: tuple[Remark, ...] = ()
    assumed: tuple[str, ...] = ()
    defaults: tuple[Default, ...] = ()
    changes: tuple[Change, ...] = ()
    measured: tuple[str, ...] = ()
    unchanged: str = ""
    doubts: tuple[str, ...] = ()

    def count(self, severity: str) -> int:
        """How many findings are of a severity.

        Parameters
        ----------
        severity : str

        Returns
        -------
        int
        """
        return sum(each.severity == severity for each in self.findings)

    @property
    def missing(self) -> tuple[MissingFact, ...]:
        """The facts that ports still need."""
        return tuple(dict.fromkeys(fact for port in self.ports for fact in port.missing))

    @property
    def empty(self) -> bool:
        """Whether the file has nothing on quality of service."""
        unread = any(each.id == "unreadable" for each in self.findings)
        found = self.ports or self.understood or self.remarks
        return bool(self.dialect) and not (unread or found)

    @property
    def waiting(self) -> list[PortReport]:
        """The ports of which nothing is promised while a fact is missing."""
        return [port for port in self.ports if port.missing]

    @property
    def unclear(self) -> list[str]:
        """Why there is no all-clear: doubts, and ports that wait for a fact."""
        if not self.waiting:
            return list(self.doubts)
        first, *more = self.waiting
        others = f" and {len(more)} more" if more else ""
        waits = f"{first.interface} {first.direction}{others}: nothing is promised while a fact is"
        return [*self.doubts, f"{waits} missing."]

    @property
    def summary(self) -> str:
        """The sentence that leads."""
        if self.missing:
            return f"A fact is missing: {self.missing[0].question}"
        if self.empty:
            return "No policy, scheduler or qdisc is found."
        errors, warnings = self.count("error"), self.count("warning")
        if not errors and not warnings:
            if self.doubts:
                return f"This is no all-clear. {self.doubts[0]}"
            return "Nothing is wrong by the rules that apply."
        parts = [
            f"{number} {word}{'s' if number > 1 else ''}"
            for number, word in ((errors, "error"), (warnings, "warning"))
            if number
        ]
        return f"{' and '.join(parts)}. First: {self.findings[0].sentence}"
