"""What a check of a configuration answers a page: the command line's pipeline, texts and JSON."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from qoslib.config import ConfigurationError, MissingFact
from qoslib.config.amounts import rate_text, share_text, time_text
from qoslib.findings import Change, Report, check
from qoslib.findings.command import all_used, fact_of
from qoslib.findings.document import document
from qoslib.findings.markdown import markdown
from qoslib.findings.page import inside
from qoslib.findings.proved import in_place
from qoslib.findings.terminal import terminal
from qoslib.packets.progress import Progress
from qoslib.record import fail

__all__ = ["EXAMPLE", "answer"]

#: Names of the texts of a message; all but the first may be left out.
_TEXTS = ("text", "name", "load", "before", "interface", "dialect")
#: What somebody sees who has pasted nothing yet: the configuration and loads of docs/checking.md.
EXAMPLE = {
    "name": "edge.cfg",
    "text": """\
class-map match-any VOICE
 match dscp ef
class-map match-any VIDEO
 match dscp af41 af42 af43
class-map match-any BULK
 match dscp af11
policy-map BRANCH
 class VOICE
  priority percent 20
 class VIDEO
  bandwidth percent 30
  random-detect dscp-based
 class BULK
  bandwidth percent 10
  queue-limit 64 packets
 class class-default
  fair-queue
policy-map WAN
 class class-default
  shape average 50000000
   service-policy BRANCH
interface GigabitEthernet0/0/1
 speed 100
 service-policy output WAN
""",
    "load": """\
VOICE = "90 calls G.711"
VIDEO = "24 Mb/s video"
BULK = "3 bulk TCP, 30 ms"
class-default = "15 Mb/s"

[targets]
VOICE = "10 ms"
""",
}
_CHANGES = ("class", "minimum", "loss", "p99 delay")


def answer(message: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Answer ``{text, name, load, facts, before, interface, dialect, full}``; only `text` must be.

    `load` is the text of ``traffic.toml``; without it nothing is simulated. `facts` has the values
    of missing facts, as somebody types them. `before` is an older configuration to compare with.
    `full` is for a ticket: models run at 80, 100 and 120 % of the load.

    Raises
    ------
    ValueError
        If a text, a fact or the load cannot be read.
    """
    given = _texts(message)
    typed = message.get("facts") or {}
    facts = dict(fact_of(f"{name}={value}", "the fact") for name, value in typed.items() if value)
    load = given["load"] if given["load"].strip() else None
    try:
        report = check(
            given["text"],
            given["name"] or "configuration",
            interface=given["interface"] or None,
            dialect=given["dialect"] or None,
            facts=facts,
            traffic=load,
            against=given["before"] or None,
            full=bool(message.get("full")),
            progress=progress,
        )
    except ConfigurationError as error:
        raise ValueError(f"the load: {error}") from None
    if report.empty:
        raise ValueError(f"no policy, scheduler or qdisc found in {report.file}")
    interfaces = [name.rpartition(".")[0] for name in facts]
    all_used([report], interfaces, load or "", "a table of the load")
    return shown(report)


def shown(report: Report) -> dict[str, Any]:
    """A report as a page takes it: to show, to download, and the lines of its fixes."""
    return {
        "html": inside(report),
        "changes": _changes(report.changes),
        "text": terminal(report),
        "json": json.dumps([document(report)], indent=2) + "\n",
        "markdown": markdown(report) + "\n",
        "missing": [_asked(fact) for fact in report.missing],
        "findings": [
            {
                "line": each.line,
                "severity": each.severity,
                "id": each.id,
                "fix": each.fix,
                "in_place": in_place(each),
            }
            for each in report.findings
        ],
    }


def _texts(message: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a message, of which the first must be there."""
    for name in _TEXTS:
        value = message.get(name, "")
        if not isinstance(value, str):
            fail(name, value, "a text")
    given = {name: message.get(name, "") for name in _TEXTS}
    if not given["text"].strip():
        raise ValueError("there is no configuration yet: paste one, or drop a file")
    typed = message.get("facts") or {}
    if not isinstance(typed, Mapping) or not all(isinstance(each, str) for each in typed.values()):
        fail("facts", typed, "texts by the names of facts")
    return given


def _asked(fact: MissingFact) -> dict[str, str]:
    return {"name": fact.name, "question": fact.question, "unit": fact.unit}


def _changes(changes: Sequence[Change]) -> str:
    """What classes gain and lose against the older configuration: a row of a table each."""
    if not changes:
        return ""
    heads = "".join(f'<th scope="col">{each}</th>' for each in _CHANGES)
    rows = "".join(map(_change, changes))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _change(each: Change) -> str:
    cells = (
        _cell(each.minimum_before_bps, each.minimum_after_bps, rate_text, more_is_worse=False),
        _cell(each.drop_before_ratio, each.drop_after_ratio, share_text),
        _cell(each.delay_p99_before_s, each.delay_p99_after_s, time_text),
    )
    name = escape(each.name or each.interface)
    return f'<tr title="{escape(each.text)}"><th scope="row">{name}</th>{"".join(cells)}</tr>'


def _cell(
    before: float | None, after: float | None, text: Any, *, more_is_worse: bool = True
) -> str:
    """A value before and after, or once where it stays."""
    was, now = ("-" if each is None else text(each) for each in (before, after))
    if was == now:
        return f"<td>{now}</td>"
    worse = before is not None and after is not None and (after > before) == more_is_worse
    mark = ' class="worse"' if worse else ""
    return f"<td{mark}>{was} → {now}</td>"
