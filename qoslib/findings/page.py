"""Reports as one HTML page that loads nothing; a click on a number shows its arithmetic."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from qoslib.checks import Finding
from qoslib.findings.class_runs import LEAST_LOSS
from qoslib.findings.markdown import markdown
from qoslib.findings.modelled import MODELS
from qoslib.findings.report import Cell, ClassRow, ClassRun, Compared, PortReport, Report
from qoslib.findings.report_text import (
    CLASSES,
    COMPARED,
    RUNS,
    UNPOLICED,
    answer,
    compared_cells,
    how_long,
    loss_text,
    not_used,
    p99_text,
    run_cells,
    sections,
)

__all__ = ["inside", "page"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #57606a; --line: #d0d7de;
  --box: #f6f8fa; --error: #b3261e; --warning: #7a5200; --info: #0b5394; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9da7b3;
  --line: #30363d; --box: #161b22; --error: #ff8a80; --warning: #e3b341; --info: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem 1.5rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.2rem; margin: 0; } h2 { font-size: 1.1rem; margin: 1.2rem 0 .4rem; }
header { display: flex; gap: 1rem; align-items: baseline; flex-wrap: wrap;
  justify-content: space-between; }
.lead { font-size: 1.2rem; margin: .6rem 0; }
.soft { color: var(--soft); } .small { font-size: .9rem; margin: .4rem 0; }
.lossy { color: var(--error); font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0;
  border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
details > summary { cursor: pointer; white-space: nowrap; list-style-position: outside; }
td details p { margin: .2rem 0 .4rem; max-width: 22rem; color: var(--soft); font-size: .9rem; }
.finding { border-left: .3rem solid var(--line); padding: .1rem 0 .1rem .8rem; margin: .5rem 0; }
.finding.error { border-color: var(--error); } .finding.warning { border-color: var(--warning); }
.finding.info { border-color: var(--info); }
.finding summary { white-space: normal; list-style-position: inside; }
.error > summary > b { color: var(--error); } .warning > summary > b { color: var(--warning); }
.info > summary > b { color: var(--info); }
.finding p { margin: .2rem 0; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .3rem;
  padding: .6rem; overflow-x: auto; margin: .4rem 0; font-size: .9rem; }
button { font: inherit; padding: .35rem .9rem; border: 1px solid var(--line); border-radius: .3rem;
  background: var(--box); color: var(--ink); cursor: pointer; }
button:focus-visible, summary:focus-visible { outline: 2px solid var(--info); outline-offset: 2px; }
li { margin: .2rem 0; }
svg { fill: var(--ink); stroke: none; } svg .axis { stroke: var(--line); }
svg .measured { fill: none; stroke: var(--ink); stroke-width: 1.5; }
svg .fluid { stroke: var(--info); stroke-width: 2.5; }
@media print { button { display: none; } }
"""
_SCRIPT = """
document.querySelectorAll("button[data-copies]").forEach((button) => {
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copies);
    try { await navigator.clipboard.writeText(text.value); }
    catch { text.hidden = false; text.select(); document.execCommand("copy"); text.hidden = true; }
    button.textContent = "Copied";
  });
});
"""


_LEGEND = (
    "Click a number to see its arithmetic. A number with * rests on a vendor's default with a"
    " source, with ** on a default that nobody has verified, and with ? on an assumption."
)
#: A command or a word of a configuration in a sentence.
_QUOTED = re.compile(r"`([^`]+)`")
#: Half of the line that shows how far a model is from a measured value [pixels].
_MIDDLE = 60
_HOW_FAR = (
    "Circle: measured. Line: fluid model. Dot: packet model. The left end is 0, the right end twice"
    " the measured value. A maximum is compared with a maximum, a mean with a mean."
)


def page(reports: Sequence[Report]) -> str:
    """Reports as one page, self-contained, in the light and the dark theme.

    >>> "Nothing is wrong" in page([Report("edge.cfg", "ios-xe", lines=4, understood=4)])
    True
    """
    names = ", ".join(report.file.rsplit("/", 1)[-1] for report in reports)
    body = "\n".join(
        line for number, report in enumerate(reports) for line in _report(report, f"ticket{number}")
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        f"<title>{escape(names)}: check of a configuration</title>\n<style>{_STYLE}</style>\n"
        f"</head>\n<body>\n{body}\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def inside(report: Report) -> str:
    """What a page shows of a report below its name: HTML in which all texts are escaped.

    >>> inside(Report("edge.cfg", "ios-xe", lines=4, understood=4))
    '<p class="lead">Nothing is wrong by the rules that apply.</p>'
    """
    return "\n".join(_inside(report))


def _prose(text: str) -> str:
    """A sentence as HTML, in which the commands that it quotes are set as code.

    >>> _prose("`bandwidth` < 1 kb/s")
    '<code>bandwidth</code> &lt; 1 kb/s'
    """
    return _QUOTED.sub(r"<code>\1</code>", escape(text))


def _report(report: Report, ticket: str) -> Iterator[str]:
    yield f"<header><h1>{escape(report.file)}</h1>"
    yield f'<button type="button" data-copies="{ticket}">Copy for ticket</button></header>'
    yield from _inside(report)
    text = escape(markdown(report))
    yield f'<textarea id="{ticket}" aria-label="The report as Markdown" hidden>{text}</textarea>'


def _inside(report: Report) -> Iterator[str]:
    yield f'<p class="lead">{_prose(report.summary)}</p>'
    # What the first port promises is seen without scrolling, and then what is wrong.
    for port in report.ports[:1]:
        yield from _classes(port)
    if any(port.rows for port in report.ports):
        yield f"<p class='soft small'>{_LEGEND}</p>"
    if report.findings:
        yield "<h2>Findings</h2>"
        yield from (line for each in report.findings for line in _finding(each))
    for port in report.ports[1:]:
        yield from _classes(port)
    for port in report.ports:
        yield from _load(port, report)
    for title, lines in sections(report):
        items = "".join(f"<li>{_prose(line)}</li>" for line in lines)
        yield f"<h2>{title}</h2><ul>{items}</ul>"
    if report.remarks:
        items = "".join(
            f"<li>line {r.line}: <code>{escape(r.text)}</code> {_prose(r.lost)}</li>"
            for r in report.remarks
        )
        title = f"Lines that are not in the models: {len(report.remarks)}"
        yield f"<details><summary>{title}</summary><ul>{items}</ul></details>"


def _classes(port: PortReport) -> Iterator[str]:
    """What each class is promised and, where a model ran, loses and waits at the load as given."""
    yield f"<h2>{escape(port.interface)} {port.direction}"
    yield f" <span class=soft>{escape(port.policy)}</span></h2>"
    for fact in port.missing:
        yield f"<p>{_prose(fact.question)} <code>{escape(answer(fact))}</code></p>"
    if port.rows:
        head = [*CLASSES, *(["loss", "p99 delay"] if port.runs else [])]
        # Of both models the packet model, which has delays too.
        given = sorted((run for run in port.runs if run.load_ratio == 1), key=_is_packets)
        runs = {run.name: run for run in given}
        yield from _table(head, (_row(row, runs) for row in port.rows))
    nothing = [UNPOLICED] if port.unpoliced else []
    yield from (f"<p>{_prose(each)}</p>" for each in (*nothing, *not_used(port.rows), *port.met))


def _load(port: PortReport, report: Report) -> Iterator[str]:
    """What was run and measured, and how to see the same on the device."""
    of = f": {escape(port.interface)} {port.direction}" if len(report.ports) > 1 else ""
    if port.runs:
        yield f"<h2>Under load{of}</h2>"
        yield from _table(RUNS, map(_plain_row, map(run_cells, port.runs)))
        said = f"{how_long(port.runs)} Scenario {port.scenario}.".lstrip()
        yield f"<p class=soft>{escape(said)}</p>"
    if port.compared:
        yield f"<h2>Measured{of}</h2>"
        yield from _table((*COMPARED, "errors"), map(_compared, port.compared))
        yield f"<p class=soft>{_HOW_FAR}</p>"
    if port.verify and port.rows:
        yield f"<p>Verify on the device{of}</p><pre>{escape(chr(10).join(port.verify))}</pre>"


def _table(head: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    titles = "".join(f'<th scope="col">{each}</th>' for each in head)
    yield f"<div class=scroll><table><thead><tr>{titles}</tr></thead><tbody>"
    yield from rows
    yield "</tbody></table></div>"


def _is_packets(run: ClassRun) -> bool:
    return run.model == "packets"


def _row(row: ClassRow, runs: Mapping[str, ClassRun]) -> str:
    cells = "".join(map(_cell, (row.offered, row.minimum, row.maximum, row.queue)))
    if runs:
        run = runs.get(row.name)
        p99 = p99_text(run) if run else "-"
        lossy = run is not None and (run.changing or (run.drop_ratio or 0.0) >= LEAST_LOSS)
        marked = ' class="lossy"' if lossy else ""
        cells += f"<td{marked}>{escape(loss_text(run) if run else '-')}</td><td>{escape(p99)}</td>"
    name = f'<th scope="row">{escape(row.name)}</th>'
    return f"<tr>{name}<td>{escape(row.marks)}</td>{cells}</tr>"


def _cell(cell: Cell) -> str:
    if not cell.kind and not cell.why:
        return f"<td>{escape(cell.text)}</td>"
    said = f"<b>{cell.kind}</b> " if cell.kind else ""
    mark = {"default": "*", "unverified default": "**", "assumed": "?"}.get(cell.kind, "")
    return (
        f"<td><details><summary>{escape(cell.text)}{mark}</summary>"
        f"<p>{said}{_prose(cell.why)}</p></details></td>"
    )


def _plain_row(texts: Sequence[str], more: str = "") -> str:
    name, *cells = texts
    inner = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr><th scope="row">{escape(name)}</th>{inner}{more}</tr>'


def _compared(each: Compared) -> str:
    return _plain_row(compared_cells(each), f"<td>{_distance(each)}</td>")


def _distance(each: Compared) -> str:
    """Both models on a line from 0 to twice the measured value, which is in the middle."""
    if not each.measured:
        return ""
    fluid, packets = (
        None if error is None else f"{_MIDDLE * (1 + min(max(error, -1.0), 1.0)):.0f}"
        for error in (each.fluid_error, each.packets_error)
    )
    parts = [f'<path d="M8 10h{_MIDDLE * 2 - 16}" class="axis"/>']
    parts += [f'<circle cx="{_MIDDLE}" cy="10" r="5" class="measured"/>']
    parts += [f'<path d="M{fluid} 3v14" class="fluid"/>'] if fluid else []
    parts += [f'<circle cx="{packets}" cy="10" r="3"/>'] if packets else []
    return (
        f'<svg viewBox="-6 0 {_MIDDLE * 2 + 12} 20" width="{_MIDDLE * 2 + 12}" height="20"'
        f' aria-hidden="true">{"".join(parts)}</svg>'
    )


def _finding(each: Finding) -> Iterator[str]:
    """A finding to open; what is more than worth knowing is open at first."""
    where = f"line {each.line}" if each.line else "the port as a whole"
    model = f", by the {MODELS[each.model]}" if each.model else ""
    begins = "" if each.severity == "info" else " open"
    at = f' data-line="{each.line}"' if each.line else ""
    yield f'<details class="finding {each.severity}"{at}{begins}>'
    yield f"<summary><b>{each.severity}</b>"
    yield f" {_prose(each.sentence)} <span class=soft>{escape(each.id)}, {where}{model}</span>"
    yield f"</summary><p>{_prose(each.arithmetic)}</p>"
    yield f"<pre>{escape(each.fix)}</pre>" if each.fix else ""
    yield f"<p class='soft small'>{escape(each.reference)}</p></details>"
