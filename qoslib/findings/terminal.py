"""A report in a terminal: findings below a table, with notes on where numbers come from."""

import textwrap
from collections.abc import Iterator, Sequence

from qoslib.config import Default
from qoslib.config.rules import Finding
from qoslib.findings.modelled import MODELS
from qoslib.findings.report import Cell, ClassRun, PortReport, Report
from qoslib.findings.words import (
    CLASSES,
    COMPARED,
    RUNS,
    answer,
    compared_cells,
    how_long,
    run_cells,
    sections,
)

__all__ = ["terminal"]

_WIDTH = 90
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
    edge.cfg  ios-xe  0 lines understood, 0 not modelled, 0 unknown, 0 on other things
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
    said = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in words)
    if report.doubts:
        said += f"; no all-clear: {len(report.doubts)} not settled or not run"
    parts.append(said)
    return "\n\n".join(part for part in parts if part)


def _title(report: Report) -> str:
    # A line of two remarks counts once, as the worse of them.
    worst: dict[int, str] = {}
    for remark in sorted(report.remarks, key=lambda each: _KINDS.index(each.kind)):
        worst[remark.line] = remark.kind
    kinds = [*worst.values()]
    counts = [f"{report.understood} lines understood"]
    counts += [f"{kinds.count(kind)} {kind}" for kind in _KINDS if kind in (*kinds, *_KINDS[:2])]
    counts.append(f"{report.elsewhere} on other things")
    return f"{report.file}  {report.dialect or 'not read'}  {', '.join(counts)}"


def _port(port: PortReport) -> Iterator[str]:
    yield f"{port.interface} {port.direction}  {port.policy}".rstrip()
    for fact in port.missing:
        yield from _wrapped(f"{fact.question} Give it: {answer(fact)}", "  ")
    if not port.rows:
        return
    notes: dict[str, int] = {}
    lines: list[tuple[str, ...]] = [CLASSES]
    for row in port.rows:
        offered = _noted(_cell(row.offered, notes), row.tcp_not_used, notes)
        cells = (_cell(cell, notes) for cell in (row.minimum, row.maximum, row.queue))
        lines.append((row.name, row.marks, offered, *cells))
    yield ""
    yield from _columns(lines)
    for why, number in notes.items():
        yield from _wrapped(f"[{number}] {why}", "", "    ")
    if port.runs:
        yield ""
        yield from _columns(_runs(port.runs))
        for each in (how_long(port.runs), *port.met):
            yield from _wrapped(each, "", "    ")
    if port.compared:
        yield ""
        yield from _columns([COMPARED, *map(compared_cells, port.compared)])


def _cell(cell: Cell, notes: dict[str, int]) -> str:
    if cell.kind in _PLAIN:
        return cell.text
    said = f"{cell.kind}: {cell.why}" if cell.why else str(cell.kind)
    return _noted(cell.text, said, notes)


def _noted(text: str, note: str, notes: dict[str, int]) -> str:
    return f"{text} [{notes.setdefault(note, len(notes) + 1)}]" if note else text


def _runs(runs: Sequence[ClassRun]) -> list[tuple[str, ...]]:
    """The model last; without delays where no model has them."""
    last = len(RUNS) - 1 if any(run.model == "packets" for run in runs) else 4
    return [(*cells[:last], cells[-1]) for cells in (RUNS, *map(run_cells, runs))]


def _columns(lines: Sequence[Sequence[str]]) -> Iterator[str]:
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
    for title, lines in sections(report):
        if title == "Defaults" and not every_remark:
            lines = [_names(report.defaults)]
        yield [f"{title}:", *(wrapped for line in lines for wrapped in _wrapped(line, "  "))]
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
#: Kinds of remarks; the title counts the last only where there is one.
_KINDS = ("not modelled", "unknown", "refused")


def _names(found: Sequence[Default]) -> str:
    names = (f"{each.name}{'' if each.verified else ' (not verified)'}" for each in found)
    return f"{', '.join(names)}. Their sources: --all"
