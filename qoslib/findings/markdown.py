"""A report as Markdown, for a ticket."""

from collections.abc import Iterator, Sequence

from qoslib.findings.report import Cell, PortReport, Report
from qoslib.findings.report_text import (
    CLASSES,
    COMPARED,
    RUNS,
    UNPOLICED,
    answer,
    compared_cells,
    how_long,
    not_used,
    run_cells,
    sections,
)

__all__ = ["markdown"]


def markdown(report: Report) -> str:
    """A report as Markdown: the sentence first, then findings, tables, assumptions, commands.

    >>> print(markdown(Report("edge.cfg", "ios-xe", lines=4, understood=4)))
    # edge.cfg: 0 errors, 0 warnings
    <BLANKLINE>
    Nothing is wrong by the rules that apply.
    """
    counts = ((word, report.count(word)) for word in ("error", "warning"))
    said = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts)
    parts = [f"# {_plain(report.file)}: {said}", _plain(report.summary)]
    for port in report.ports[:1]:
        parts += _classes(port)
    parts += ["## Findings", "\n".join(_findings(report))] if report.findings else []
    for port in report.ports[1:]:
        parts += _classes(port)
    for port in report.ports:
        parts += _load(port, report)
    remarks = [f"line {r.line}: `{r.text}` {r.lost}" for r in report.remarks]
    lists = [*sections(report), *([("Not in the models", remarks)] if remarks else [])]
    for title, lines in lists:
        parts += [f"## {title}", "\n".join(f"- {line}" for line in lines)]
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _findings(report: Report) -> Iterator[str]:
    for each in report.findings:
        where = f", line {each.line}" if each.line else ""
        yield f"- **{each.severity} {each.id}**{where}: {_plain(each.sentence)}"
        if each.arithmetic:
            yield f"  {_plain(each.arithmetic)}"
        if each.fix:
            yield "\n  ```\n" + "\n".join(f"  {line}" for line in each.fix.splitlines())
            yield "  ```\n"


def _classes(port: PortReport) -> Iterator[str]:
    yield f"## {_plain(port.interface)} {port.direction}, {_plain(port.policy)}".rstrip(", ")
    if port.missing:
        yield "\n".join(f"- {fact.question} (`{answer(fact)}`)" for fact in port.missing)
    if port.rows:
        lines = [
            (r.name, r.marks, *map(_cell, (r.offered, r.minimum, r.maximum, r.queue)))
            for r in port.rows
        ]
        yield "\n".join(_table(CLASSES, lines))
    nothing = [UNPOLICED] if port.unpoliced else []
    if said := [*nothing, *not_used(port.rows), *port.met]:
        yield "\n".join(f"- {_plain(each)}" for each in said)


def _load(port: PortReport, report: Report) -> Iterator[str]:
    of = f": {_plain(port.interface)} {port.direction}" if len(report.ports) > 1 else ""
    if port.runs:
        yield f"## Under load{of}"
        yield "\n".join(_table(RUNS, list(map(run_cells, port.runs))))
        yield f"{how_long(port.runs)} Scenario {port.scenario}.".lstrip()
    if port.compared:
        yield f"## Measured{of}"
        yield "\n".join(_table(COMPARED, list(map(compared_cells, port.compared))))
    if port.verify and port.rows:
        yield f"Verify on the device{of}\n\n```\n" + "\n".join(port.verify) + "\n```"


def _cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.kind})" if cell.kind not in ("configured", "") else cell.text


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for line in lines:
        yield f"| {' | '.join(map(_plain, line))} |"
