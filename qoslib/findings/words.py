"""What the reports in a terminal, on a page and in Markdown say in the same words."""

from collections.abc import Sequence

from qoslib import units
from qoslib.config import Default, MissingFact
from qoslib.config.amounts import rate_text, share_text, time_text, value_text
from qoslib.findings.report import ClassRow, ClassRun, Compared, Report
from qoslib.findings.under_load import LEAST_LOSS

__all__ = [
    "CLASSES",
    "COMPARED",
    "RUNS",
    "answer",
    "compared_cells",
    "default_text",
    "how_long",
    "loss_text",
    "not_used",
    "run_cells",
    "sections",
]

#: Heads of the table of classes, of `run_cells`, and of `compared_cells`.
CLASSES = ("class", "marks", "offered", "minimum", "maximum", "full queue")
RUNS = ("class", "load", "sent", "loss", "mean delay", "p99", "longest seen", "model")
COMPARED = ("class", "quantity", "measured", "fluid model", "packet model")


def answer(fact: MissingFact) -> str:
    """What to type for a fact that is missing."""
    return f"--fact '{fact.name}=VALUE'"


def loss_text(run: ClassRun) -> str:
    """The loss of a run in per cent; a dash where only TCP is sent."""
    if run.drop_ratio is None:
        return "- (TCP)"
    if 0 < run.drop_ratio < LEAST_LOSS:
        return f"< {units.convert(LEAST_LOSS, '1', '%'):g} %"
    return share_text(run.drop_ratio)


def run_cells(run: ClassRun) -> tuple[str, ...]:
    """What a model gives for a class, as texts; a dash where it does not say it."""
    delays = run.delay_mean_s, run.delay_p99_s, run.delay_max_s
    shown = ("-" if delay is None else time_text(delay) for delay in delays)
    cells = rate_text(run.sent_bps), loss_text(run), *shown
    return run.name, _load_text(run), *cells, run.model


def _load_text(run: ClassRun) -> str:
    return f"{units.convert(run.load_ratio, '1', '%'):.0f} %"


def not_used(rows: Sequence[ClassRow]) -> list[str]:
    """What of TCP the packet model does not use, a line for each class that has it."""
    return [f"{row.name}: {row.tcp_not_used}" for row in rows if row.tcp_not_used]


def how_long(runs: Sequence[ClassRun]) -> str:
    """How much time the packet model simulated at each load; empty where it did not run."""
    times = {_load_text(run): run.simulated_s for run in runs if run.simulated_s is not None}
    each = ", ".join(f"{time_text(time_s)} at {load}" for load, time_s in times.items())
    said = f"The packet model simulated {each} of the load. The longest delay seen is no bound."
    return said if each else ""


def compared_cells(each: Compared) -> tuple[str, ...]:
    """A measured value, and each model's with how far it is above or below, as texts."""
    pairs = (each.fluid, each.fluid_error), (each.packets, each.packets_error)
    models = (_beside(each, value, error) for value, error in pairs)
    words = each.quantity.replace("_", " ")
    return each.name or "all", words, value_text(each.measured, each.unit), *models


def _beside(each: Compared, value: float | None, error: float | None) -> str:
    if value is None:
        return "-"
    said = value_text(value, each.unit)
    if error is None or not each.measured:
        return said
    sign = "+" if error >= 0 else "-"
    return f"{said} ({sign}{share_text(abs(error), 3)})"


def sections(report: Report) -> list[tuple[str, list[str]]]:
    """The lists below the tables: a title and its lines; none that is empty."""
    ignored = [f"{s.finding.id}, line {s.finding.line}: {s.reason}" for s in report.silenced]
    changes = [each.text for each in report.changes]
    every = [
        ("Against the older configuration", changes or [report.unchanged]),
        ("Notes on the measured values", list(report.measured)),
        ("Ignored", ignored),
        ("Assumed", list(report.assumed)),
        ("Defaults", [default_text(each) for each in report.defaults]),
    ]
    return [(title, lines) for title, lines in every if any(lines)]


def default_text(each: Default) -> str:
    """A default with its source, and whether somebody has read it there."""
    verified = "" if each.verified else "; nobody has verified it"
    return f"{each.name}: {each.what} ({each.source}{verified})"
