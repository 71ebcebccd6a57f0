"""What the reports in a terminal, on a page and in Markdown say in the same words."""

import re
from collections.abc import Sequence

from qoslib import units
from qoslib.config import Default, MissingFact
from qoslib.config.amounts import rate_text, share_text, time_text, value_text
from qoslib.findings.class_runs import LEAST_LOSS
from qoslib.findings.report import ClassRow, ClassRun, Compared, Report
from qoslib.results import Interval

__all__ = [
    "CLASSES",
    "COMPARED",
    "NO_PROMISE",
    "RUNS",
    "UNPOLICED",
    "UNTOLD",
    "answer",
    "compared_cells",
    "default_text",
    "how_long",
    "kind_of_port",
    "loss_text",
    "not_used",
    "p99_text",
    "run_cells",
    "sections",
    "untold",
]

#: A half-width below this part of its mean is not shown.
_SURE = 0.005
#: Heads of the table of classes, of `run_cells`, and of `compared_cells`.
CLASSES = ("class", "marks", "offered", "minimum", "maximum", "full queue")
RUNS = ("class", "load", "sent", "loss", "mean delay", "p99", "longest seen", "model")
COMPARED = ("class", "quantity", "measured", "fluid model", "packet model")

#: Why a port has no promise although no fact is missing.
NO_PROMISE = "the mechanism that decides is not in the models, or not in this text."
#: What is said of a policy on the way in without a policer, in place of its table.
UNPOLICED = "Nothing is promised of what comes in: no policer is read here."

#: How a sentence begins on a target of which no model says whether a class meets it.
UNTOLD = "Undecided"


def kind_of_port(interface: str) -> str:
    """The kind of an interface, as its name begins: bundles have other rates than their members.

    >>> kind_of_port("et-0/1/1"), kind_of_port("ae22"), kind_of_port("TenGigE0/0/0/1")
    ('et', 'ae', 'TenGigE')
    """
    return re.split(r"[\W\d]", interface, maxsplit=1)[0]


def answer(fact: MissingFact) -> str:
    """What to type for a fact that is missing."""
    return f"--fact '{fact.name}=VALUE'"


def loss_text(run: ClassRun) -> str:
    """The loss of a run in per cent, with the half-width of its interval; a dash for TCP alone."""
    if run.changing:
        return "not settled"
    if run.drop_ratio is None:
        return "- (TCP)"
    if 0 < run.drop_ratio < LEAST_LOSS:
        return f"< {units.convert(LEAST_LOSS, '1', '%'):g} %"
    return _within(share_text(run.drop_ratio), run.drop)


def p99_text(run: ClassRun) -> str:
    """The p99 delay of a run with the half-width of its interval; a dash where there is none."""
    if run.delay_p99_s is None:
        return "-"
    return _within(time_text(run.delay_p99_s), run.delay_p99)


def _within(text: str, interval: Interval) -> str:
    """A mean as a text with the half-width of its interval, unless that is a small part of it."""
    if not interval.half_width > _SURE * interval.mean:
        return text
    number, _, unit = text.partition(" ")
    shown = float(number.replace(",", ""))
    width = float(f"{shown * interval.half_width / interval.mean:.1g}")
    return f"{number} ±{width:g} {unit}"


def run_cells(run: ClassRun) -> tuple[str, ...]:
    """What a model gives for a class, as texts; a dash where it does not say it."""
    mean, longest = (
        "-" if delay is None else time_text(delay) for delay in (run.delay_mean_s, run.delay_max_s)
    )
    sent = "-" if run.changing else rate_text(run.sent_bps)
    cells = sent, loss_text(run), mean, p99_text(run), longest
    return run.name, _load_text(run), *cells, run.model


def _load_text(run: ClassRun) -> str:
    return f"{units.convert(run.load_ratio, '1', '%'):.0f} %"


def not_used(rows: Sequence[ClassRow]) -> list[str]:
    """What of TCP the packet model does not use, a line for each class that has it."""
    return [f"{row.name}: {row.tcp_not_used}" for row in rows if row.tcp_not_used]


def how_long(runs: Sequence[ClassRun]) -> str:
    """How often and how long the packet model ran at each load; empty where it did not."""
    said = {
        _load_text(run): f"{run.runs} runs of {time_text(run.simulated_s)}"
        for run in runs
        if run.runs and run.simulated_s is not None
    }
    unsettled = {_load_text(run): run.changing for run in runs if run.changing}
    parts = []
    if said:
        each = ", ".join(f"{text} at {load}" for load, text in said.items())
        parts.append(
            f"The packet model's values are means of {each} of the load, each after its warm-up;"
            " ± is the 95 % interval, where it is above 0.5 %. The longest delay seen is not a"
            " bound."
        )
    parts += [f"At {load} of the load the packet model: {why}." for load, why in unsettled.items()]
    return " ".join(parts)


def untold(name: str, target_s: float) -> str:
    """That no model says whether a class meets its target."""
    return f"{UNTOLD}: whether {name} meets its target of {time_text(target_s)}."


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
        ("No all-clear", report.unclear),
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
