"""A report for programs: as JSON, and as annotations of a continuous integration.

Numbers are numbers, with the unit at the end of each key.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

from qoslib.findings.report import Cell, ClassRow, PortReport, Report

__all__ = ["annotations", "document"]

#: Counts up with each change of a key.
SCHEMA = 3
#: Severity -> how GitHub calls it.
_WORDS = {"error": "error", "warning": "warning", "info": "notice"}
#: Cell of a class -> its key.
_CELLS = {
    "offered": "offered_bps",
    "minimum": "minimum_bps",
    "maximum": "maximum_bps",
    "queue": "full_queue_s",
}


def document(report: Report) -> dict[str, Any]:
    """A report as what JSON can hold: docs/checking.md names every key.

    >>> made = document(Report("edge.cfg", "ios-xe", lines=4, understood=4))
    >>> made["schema"], made["file"], made["findings"]
    (3, 'edge.cfg', [])
    """
    plain = dataclasses.asdict(report)
    ports = [_port(port) for port in report.ports]
    ignored = [
        {"rule": each.finding.id, "line": each.finding.line, "reason": each.reason}
        for each in report.silenced
    ]
    del plain["silenced"]
    lists = {name: list(value) for name, value in plain.items() if isinstance(value, tuple)}
    own = {"ports": ports, "ignored": ignored}
    return {"schema": SCHEMA, "summary": report.summary} | plain | lists | own


def _port(port: PortReport) -> dict[str, Any]:
    plain = {
        field.name: getattr(port, field.name)
        for field in dataclasses.fields(port)
        if field.name not in ("rows", "runs", "missing", "compared")
    }
    parts = {
        name: [dataclasses.asdict(each) for each in getattr(port, name)]
        for name in ("runs", "missing", "compared")
    }
    lists = {"verify": list(port.verify), "met": list(port.met)}
    return plain | lists | {"classes": [_class(row) for row in port.rows]} | parts


def _class(row: ClassRow) -> dict[str, Any]:
    made: dict[str, Any] = {"name": row.name, "marks": row.marks, "line": row.line}
    made |= {"tcp_flows": row.tcp_flows, "tcp_not_used": row.tcp_not_used}
    for name, key in _CELLS.items():
        cell: Cell = getattr(row, name)
        made |= {key: cell.value, f"{name}_from": cell.kind, f"{name}_why": cell.why}
    return made


def annotations(report: Report) -> Iterator[str]:
    """A line for each finding and doubt, as ``::error file=...,line=...,title=...::text``.

    >>> from qoslib.checks import Finding
    >>> finding = Finding("llq-share", "warning", 7, "Priority may take 40 % of the link.")
    >>> print(*annotations(Report("edge.cfg", findings=(finding,))))
    ::warning file=edge.cfg,line=7,title=llq-share::Priority may take 40 %25 of the link.
    """
    file = _escaped(report.file).replace(":", "%3A").replace(",", "%2C")
    for each in report.findings:
        text = " ".join(part for part in (each.sentence, each.arithmetic) if part)
        line = f",line={each.line}" if each.line else ""
        yield f"::{_WORDS[each.severity]} file={file}{line},title={each.id}::{_escaped(text)}"
    for doubt in report.unclear:
        yield f"::notice file={file},title=no all-clear::{_escaped(doubt)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
