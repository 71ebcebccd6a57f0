"""Findings as annotations of a continuous integration: GitHub's workflow commands."""

from collections.abc import Iterator

from qoslib.findings.report import Report

__all__ = ["annotations"]

_WORDS = {"error": "error", "warning": "warning", "info": "notice"}


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
    for doubt in report.doubts:
        yield f"::notice file={file},title=no all-clear::{_escaped(doubt)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
