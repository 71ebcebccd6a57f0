"""A report in a terminal: findings below a table, with notes on where numbers come from."""

import textwrap
from collections.abc import Iterator, Sequence

from qoslib.checks import Finding
from qoslib.config import Default, Remark
from qoslib.findings.modelled import MODELS
from qoslib.findings.report import Cell, ClassRun, PortReport, Report
from qoslib.findings.report_text import (
    CLASSES,
    COMPARED,
    NO_PROMISE,
    RUNS,
    UNPOLICED,
    answer,
    compared_cells,
    how_long,
    kind_of_port,
    run_cells,
    sections,
)

__all__ = ["counted", "overview", "terminal"]

_WIDTH = 90
_WORDS = {"error": "ERROR", "warning": "WARN", "info": "INFO"}
#: What every cell is unless a note says otherwise.
_PLAIN = {"configured", "given", ""}


def terminal(report: Report, *, everything: bool = False) -> str:
    """A report as text of 90 columns.

    >>> print(terminal(Report("edge.cfg", "ios-xe", lines=4)))
    edge.cfg  ios-xe  0 lines understood, 0 not modelled, 0 unknown, 0 on other things
    <BLANKLINE>
    0 errors, 0 warnings, 0 infos
    """
    parts = [_title(report)]
    alike: dict[object, list[PortReport]] = {}
    for port in report.ports:
        # What is asked of many ports is asked once, and that nothing is promised is said once.
        apart = everything and bool(port.rows)
        alike.setdefault(port if apart else _alike(port), []).append(port)
    for ports in alike.values():
        parts.append("\n".join(_port(ports, len(ports) if everything else _MOST_NAMES)))
    by_rule: dict[object, list[Finding]] = {}
    for each in report.findings:
        by_rule.setdefault(each if everything else (each.id, each.severity), []).append(each)
    for found in by_rule.values():
        parts += ["\n".join(_finding(each)) for each in found[:_MOST_OF_A_RULE]]
        parts += _and_more(found[_MOST_OF_A_RULE:])
    parts += ["\n".join(each) for each in _rest(report, everything) if each]
    said = counted(report)
    parts.append(f"{said}; no all-clear: {_doubted(report)}" if report.unclear else said)
    return "\n\n".join(part for part in parts if part)


def _doubted(report: Report) -> str:
    """How many ports have no promise, and how many doubts there are beside."""
    ports = sum(port.unpromised for port in report.ports)
    said = [f"{ports} port{'' if ports == 1 else 's'} without a promise"] if ports else []
    # All ports without a promise share one doubt.
    others, waiting = len(report.doubts) - len(said), len(report.waiting)
    if waiting:
        said += [f"{waiting} port{' waits' if waiting == 1 else 's wait'} for a fact"]
    questions = "1 question" if others == 1 else f"{others} questions"
    return ", ".join([*said, *([f"{questions} without an answer"] if others else [])])


def _alike(port: PortReport) -> object:
    """All that is shown of a port but its name and the lines that its numbers come from."""
    rows = tuple(
        (row.name, row.marks, *(c.text for c in (row.offered, row.minimum, row.maximum, row.queue)))
        for row in port.rows
    )
    kind = kind_of_port(port.interface)
    missing = tuple((fact.name.rpartition(".")[2], kind) for fact in port.missing)
    return port.direction, port.policy, rows, port.runs, port.met, port.compared, missing


def _and_more(found: Sequence[Finding]) -> list[str]:
    """Findings of a rule that are only counted."""
    if not found:
        return []
    lines = ", ".join(dict.fromkeys(f"{each.line}" for each in found if each.line))
    at = f" (lines {lines})" if lines else ""
    text = f"and {len(found)} more of {found[0].id}{at}: --all lists them"
    return ["\n".join(_wrapped(text))]


def counted(report: Report) -> str:
    """How many errors, warnings and infos a report has.

    >>> counted(Report("edge.cfg"))
    '0 errors, 0 warnings, 0 infos'
    """
    counts = (report.count(name) for name in _WORDS)
    words = zip(counts, ("error", "warning", "info"), strict=True)
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in words)


def overview(reports: Sequence[Report]) -> str:
    """A line for each of many reports, and how many findings of each rule there are.

    >>> print(overview([Report("a.cfg", "ios-xe"), Report("b.cfg", "ios-xe")]))
    a.cfg  ios-xe  0 errors, 0 warnings, 0 infos
    b.cfg  ios-xe  0 errors, 0 warnings, 0 infos
    <BLANKLINE>
    2 files: 0 errors, 0 warnings, 0 infos. One file alone, or --all, shows each finding.
    """
    lines = []
    for report in reports:
        said = [counted(report)]
        said += [f"{len(report.missing)} facts missing"] if report.missing else []
        said += ["no all-clear"] if report.unclear else []
        worst = dict.fromkeys(each.id for each in report.findings if each.severity == "error")
        said += [f"errors: {', '.join(worst)}"] if worst else []
        lines.append((report.file, report.dialect or "not read", "; ".join(said)))
    parts = ["\n".join(_columns(lines))]
    rules: dict[tuple[str, str], list[Report]] = {}
    for report in reports:
        for each in report.findings:
            rules.setdefault((each.severity, each.id), []).append(report)
    if rules:
        order = sorted(rules, key=lambda key: (list(_WORDS).index(key[0]), -len(rules[key])))
        table = [("", "rule", "findings", "files")]
        for key in order:
            files = {report.file for report in rules[key]}
            table.append((_WORDS[key[0]], key[1], f"{len(rules[key])}", f"{len(files)}"))
        parts.append("\n".join(_columns(table)))
    total = (sum(report.count(name) for report in reports) for name in _WORDS)
    words = zip(total, ("error", "warning", "info"), strict=True)
    said_of_all = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in words)
    doubted = sum(bool(report.unclear) for report in reports)
    said_of_all += f"; no all-clear for {doubted}" if doubted else ""
    end = "One file alone, or --all, shows each finding."
    parts.append(f"{len(reports)} files: {said_of_all}. {end}")
    return "\n\n".join(parts)


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


def _port(ports: Sequence[PortReport], most: int) -> Iterator[str]:
    """One port, or several that differ in their names alone, of which so many are named."""
    port, *others = ports
    names = ", ".join(f"{each.interface} {each.direction}" for each in ports[:most])
    more = f" and {len(ports) - most} more" if len(ports) > most else ""
    alike = f"  ({len(ports)} ports alike)" if others else ""
    yield from _wrapped(f"{names}{more}  {port.policy}{alike}".rstrip(), "", "    ")
    for fact in port.missing:
        yield from _wrapped(f"{fact.question} Give it: {answer(fact)}", "  ")
    if port.unpromised:
        for each in (f"No promise: {NO_PROMISE}", *port.met):
            yield from _wrapped(each, "  ")
    if port.unpoliced:
        yield from _wrapped(UNPOLICED, "  ")
    if not port.rows:
        return
    yield from _classes(port)
    if port.runs:
        yield ""
        yield from _columns(_runs(port.runs))
    for each in (how_long(port.runs), *port.met):
        yield from _wrapped(each, "", "    ")
    if port.compared:
        yield ""
        yield from _columns([COMPARED, *map(compared_cells, port.compared)])


def _classes(port: PortReport) -> Iterator[str]:
    """The table of the classes of a port, and where its numbers come from."""
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


def _rest(report: Report, everything: bool) -> Iterator[list[str]]:
    for title, lines in sections(report):
        if title == "Defaults" and not everything:
            lines = [_names(report.defaults)]
        yield [f"{title}:", *(wrapped for line in lines for wrapped in _wrapped(line, "  "))]
    alike: dict[object, list[Remark]] = {}
    for each in report.remarks:
        # A field of JSON begins with its name, and not with a command.
        command = [word for word in each.text.split()[:1] if not word.endswith(":")]
        key = each if everything else (each.kind, command, each.lost)
        alike.setdefault(str(key), []).append(each)
    shown = list(alike.values()) if everything else list(alike.values())[:_MOST_REMARKS]
    lines = [_remark(each) for each in shown]
    left = len(report.remarks) - sum(map(len, shown))
    if left:
        lines.append(f"and {left} more: --all lists them")
    yield (
        ["Not in the models:", *(w for line in lines for w in _wrapped(line, "  "))]
        if lines
        else []
    )


def _remark(alike: Sequence[Remark]) -> str:
    """A line that is not in the models, with the lines that say the same of other values."""
    each, *others = alike
    numbers = ", ".join(str(other.line) for other in others[:_MOST_LINES])
    more = f" and {len(others) - _MOST_LINES} more" if len(others) > _MOST_LINES else ""
    also = f" Likewise line{'s' * (len(others) > 1)} {numbers}{more}." if others else ""
    return f"line {each.line}: {each.text} ({each.kind}) {each.lost}{also}"


#: So much is shown unless everything is asked for: kinds of remarks, findings of a rule, names of
#: ports alike, and lines of remarks alike.
_MOST_REMARKS, _MOST_OF_A_RULE, _MOST_NAMES, _MOST_LINES = 10, 3, 3, 12
#: Kinds of remarks; the title counts the last only where there is one.
_KINDS = ("not modelled", "unknown", "refused")


def _names(found: Sequence[Default]) -> str:
    names = (f"{each.name}{'' if each.verified else ' (not verified)'}" for each in found)
    return f"{', '.join(names)}. Their sources: --all"
