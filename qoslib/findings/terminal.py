"""A report in a terminal: findings below a table, with notes on where numbers come from."""

import textwrap
from collections.abc import Iterator, Sequence

from qoslib import units
from qoslib.config import Default
from qoslib.config.amounts import rate_text, time_text, value_text
from qoslib.config.rules import Finding
from qoslib.findings.modelled import LEAST_LOSS, MODELS
from qoslib.findings.report import Cell, ClassRun, Compared, PortReport, Report

__all__ = ["columns", "terminal"]

_WIDTH = 90
_HEAD = ("class", "marks", "offered", "minimum", "maximum", "full queue")
#: Heads of `compared_cells`.
COMPARED = ("class", "quantity", "measured", "fluid model", "packet model")
_WORDS = {"error": "ERROR", "warning": "WARN", "info": "INFO"}
#: What every cell is unless a note says otherwise.
_PLAIN = {"configured", "given", ""}


def terminal(report: Report, *, every_remark: bool = False) -> str:
    """A report as text of 90 columns.

    Parameters
    ----------
    report : Report
    every_remark : bool
        Whether each line that was not modelled is listed, and each default with its source.

    Returns
    -------
    str

    Examples
    --------
    >>> print(terminal(Report("edge.cfg", "ios-xe", lines=4)))
    edge.cfg  ios-xe  4 lines: 0 on quality of service understood, 0 not modelled, 0 unknown
    <BLANKLINE>
    0 errors, 0 warnings, 0 infos
    """
    parts = [_title(report)]
    for port in report.ports:
        parts.append("\n".join(_port(port)))
    parts += ["\n".join(_finding(each)) for each in report.findings]
    parts += ["\n".join(each) for each in _rest(report, every_remark) if each]
    counts = (report.count(name) for name in _WORDS)
    words = zip(counts, ("error", "warning", "info"), strict=True)
    parts.append(", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in words))
    return "\n\n".join(part for part in parts if part)


def _title(report: Report) -> str:
    kinds = [remark.kind for remark in report.remarks]
    lines = f"{report.lines} lines: {report.understood} on quality of service understood"
    lost = f"{kinds.count('not modelled')} not modelled, {kinds.count('unknown')} unknown"
    return f"{report.file}  {report.dialect or 'not read'}  {lines}, {lost}"


def _port(port: PortReport) -> Iterator[str]:
    yield f"{port.interface} {port.direction}  {port.policy}".rstrip()
    for fact in port.missing:
        yield from _wrapped(f"{fact.question} Give it: --fact {quoted(fact.name)}=VALUE", "  ")
    if not port.rows:
        return
    notes: dict[str, int] = {}
    lines: list[tuple[str, ...]] = [_HEAD]
    for row in port.rows:
        cells = row.offered, row.minimum, row.maximum, row.queue
        lines.append((row.name, row.marks, *(_cell(cell, notes) for cell in cells)))
    yield ""
    yield from columns(lines)
    for why, number in notes.items():
        yield from _wrapped(f"[{number}] {why}", "", "    ")
    if port.runs:
        yield ""
        yield from columns(_runs(port.runs))
        yield from (line for each in port.met for line in _wrapped(each, "", "    "))
    if port.compared:
        yield ""
        yield from columns([COMPARED, *map(compared_cells, port.compared)])


def _cell(cell: Cell, notes: dict[str, int]) -> str:
    if cell.kind in _PLAIN:
        return cell.text
    said = f"{cell.kind}: {cell.why}" if cell.why else str(cell.kind)
    number = notes.setdefault(said, len(notes) + 1)
    return f"{cell.text} [{number}]"


def _runs(runs: Sequence[ClassRun]) -> list[tuple[str, ...]]:
    packets = any(run.model == "packets" for run in runs)
    more = ("p50", "p99", "longest seen") if packets else ()
    lines: list[tuple[str, ...]] = [("model", "load", "class", "sent", "loss", *more)]
    for run in runs:
        load = f"{units.convert(run.load_ratio, '1', '%'):.0f} %"
        delays = run.delay_p50_s, run.delay_p99_s, run.delay_max_s
        shown = tuple("-" if d is None else time_text(d) for d in delays) if packets else ()
        lines.append((run.model, load, run.name, rate_text(run.sent_bps), loss_text(run), *shown))
    return lines


def loss_text(run: ClassRun) -> str:
    """The loss of a run in per cent; a dash where only TCP is sent."""
    if run.drop_ratio is None:
        return "- (TCP)"
    if 0 < run.drop_ratio < LEAST_LOSS:
        return f"< {units.convert(LEAST_LOSS, '1', '%'):g} %"
    return f"{units.convert(run.drop_ratio, '1', '%'):.2g} %"


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
    return f"{said} ({units.convert(error, '1', '%'):+.3g} %)"


def columns(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table whose columns are as wide as they have to be."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(
            f"{text:{width}}" for text, width in zip(line, widths, strict=True)
        ).rstrip()


def _wrapped(text: str, first: str = "      ", then: str = "      ") -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False
    )


def _finding(each: Finding) -> Iterator[str]:
    where = f"line {each.line}" if each.line else ""
    head = f"{_WORDS[each.severity]:5} {each.id:20} {where:9} "
    yield from _wrapped(head + each.sentence, "")
    if each.arithmetic:
        yield from _wrapped(each.arithmetic)
    if each.fix:
        first, *others = each.fix.splitlines()
        yield f"      fix: {first}"
        yield from (f"           {line}" for line in others)
    said = f"{MODELS[each.model]}; " if each.model else ""
    yield from _wrapped(f"({said}{each.reference})" if each.reference else "")


def _rest(report: Report, every_remark: bool) -> Iterator[list[str]]:
    for title, lines in (
        ("Against the older configuration:", [each.text for each in report.changes]),
        ("Measured:", list(report.measured)),
        ("Ignored:", [_ignored(each.finding, each.reason) for each in report.silenced]),
        ("Assumed:", list(report.assumed)),
        ("Defaults:", _defaults(report.defaults, every_remark)),
    ):
        yield (
            [title, *(wrapped for line in lines for wrapped in _wrapped(line, "  "))]
            if lines
            else []
        )
    remarks = report.remarks if every_remark else report.remarks[:_MOST_REMARKS]
    lines = [f"line {each.line}: {each.text} ({each.kind}) {each.lost}" for each in remarks]
    if len(remarks) < len(report.remarks):
        lines.append(f"and {len(report.remarks) - len(remarks)} more: --all lists them")
    yield (
        ["Not in the models:", *(w for line in lines for w in _wrapped(line, "  "))]
        if lines
        else []
    )


_MOST_REMARKS = 10


def _defaults(found: Sequence[Default], whole: bool) -> list[str]:
    if whole or not found:
        return [default_text(each) for each in found]
    names = (f"{each.name}{'' if each.verified else ' (not verified)'}" for each in found)
    return [f"{', '.join(names)}. Their sources: --all"]


def default_text(each: Default) -> str:
    """A default with its source, and whether somebody has read it there."""
    verified = "" if each.verified else "; nobody has verified it"
    return f"{each.name}: {each.what} ({each.source}{verified})"


def _ignored(finding: Finding, reason: str) -> str:
    return f"{finding.id}, line {finding.line}: {reason}"


def quoted(name: str) -> str:
    """A name as a shell takes it."""
    plain = all(letter.isalnum() or letter in "._/-:" for letter in name)
    return name if plain else f"'{name}'"
