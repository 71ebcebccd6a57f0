"""A configured port as rows of HTML: what each node and class may take, and what it gets."""

import html
from collections.abc import Iterable, Mapping

from qoslib import units
from qoslib.checks import Promise
from qoslib.checks.promises import BURST
from qoslib.config import ConfiguredClass, ConfiguredPort, defaults
from qoslib.config.amounts import rate_text, time_text
from qoslib.findings import ClassRun
from qoslib.findings.report_text import loss_text
from qoslib.plots import style
from qoslib.port import HierarchicalTokenBucket, Node, Port, Queue, SchedulerTree
from qoslib.port.nodes import outline

__all__ = ["port_html"]

HEAD = (
    "<tr><td></td><td class='rate'><small>at least to at most</small></td>"
    "<td><small>full queue</small></td></tr>"
)


def port_html(
    configured: ConfiguredPort,
    promises: Iterable[Promise],
    now: Mapping[str, ClassRun],
    before: Mapping[str, ClassRun],
) -> str:
    """The tree of a port: the rates of each node, and of each class what it may take and gets."""
    port = configured.port
    assert port is not None
    found = {each.queue: each for each in promises}
    looks = style.looks([each.name for each in found.values()])
    shaped = f", shaped to {rate_text(port.shaper.rate_bps)}" if port.shaper else ""
    title = f"{configured.interface} {configured.direction}"
    rows = [HEAD, _row(configured.line, 0, title, f"{rate_text(port.rate_bps)}{shaped}")]
    for depth, each in _walk(port):
        if isinstance(each, Node):
            line = _line(configured, f"scheduler.nodes['{each.name}'].shaper.rate_bps")
            rows.append(_row(line, depth, each.name, _node(each)))
            continue
        # The last: classes without a queue of their own come before the one that has it.
        of = next((one for one in configured.classes[::-1] if one.queue == each.name), None)
        promise = found.get(each.name)
        if of is not None and promise is not None:
            colour = looks[promise.name].colour
            rows.append(_class(configured, port, of, promise, depth, colour))
            rows.append(_gets(of.line, now.get(promise.name), before.get(promise.name)))
    return f"<table>{''.join(rows)}</table>"


def _gets(line: int, now: ClassRun | None, before: ClassRun | None) -> str:
    """What a class loses and waits with the loads of the sliders, and before the change."""
    if now is None:
        return ""
    said = []
    lost, was = _lost(now), _lost(before)
    if lost:
        said.append(f"loses {lost}" + (f" ({was} before)" if was and was != lost else ""))
    wait, waited = _p99(now), _p99(before)
    if wait:
        said.append(f"p99 of the delay {wait}")
        said[-1] += f" ({waited} before)" if waited and waited != wait else ""
    cell = f'<td class="gets" colspan="3">{html.escape(", ".join(said))}</td>'
    return f'<tr data-line="{line}">{cell}</tr>'


def _lost(run: ClassRun | None) -> str:
    return "" if run is None or run.drop_ratio is None else loss_text(run)


def _p99(run: ClassRun | None) -> str:
    return "" if run is None or run.delay_p99_s is None else time_text(run.delay_p99_s)


def _walk(port: Port) -> list[tuple[int, Node | Queue]]:
    """Nodes and queues with their depths, a parent before its children; the root is the port."""
    scheduler = port.scheduler
    if not isinstance(scheduler, SchedulerTree | HierarchicalTokenBucket):
        return [(1, queue) for queue in port.queues]
    tree = outline(port.queues, scheduler.nodes)
    each = tree.each(port.queues)
    return [(tree.depths[number] + 1, each[number]) for number in tree.walk()]


def _node(node: Node) -> str:
    parts = []
    if node.guaranteed_bps:
        parts.append(f"guaranteed {rate_text(node.guaranteed_bps)}")
    if node.shaper:
        parts.append(f"at most {rate_text(node.shaper.rate_bps)}")
    return ", ".join(parts)


def _row(line: int, depth: int, name: str, said: str) -> str:
    return (
        f'<tr data-line="{line}"><th colspan="3" style="padding-left:{depth}em">'
        f"{html.escape(name)} <small>{html.escape(said)}</small></th></tr>"
    )


def _class(
    configured: ConfiguredPort,
    port: Port,
    of: ConfiguredClass,
    promise: Promise,
    depth: int,
    colour: str,
) -> str:
    least, most = (
        min(100.0, float(units.convert(rate / port.rate_bps, "1", "%")))
        for rate in (promise.minimum_bps, promise.maximum_bps)
    )
    # A line ends between marks, and before the first, but not within one.
    marks = html.escape(" ".join(mark.replace(" ", "\N{NO-BREAK SPACE}") for mark in of.marks))
    why = html.escape(f"minimum: {promise.minimum_why}; maximum: {promise.maximum_why}", quote=True)
    rates = _between(promise)
    lasts = time_text(promise.queue_s) if promise.queue_s is not None else "shared"
    by_limit = not promise.held_why.startswith(BURST)
    said, star = (_said(configured, of), _star(configured, of)) if by_limit else ("", "")
    held = html.escape(promise.held_why + said, quote=True)
    bar = (
        f'<div class="track" style="--light:{colour};--dark:{style.DARK.get(colour, colour)}">'
        f'<i class="most" style="width:{most:.1f}%"></i><i style="width:{least:.1f}%"></i></div>'
    )
    return (
        f'<tr data-line="{of.line}"><th style="padding-left:{depth}em">{html.escape(promise.name)}'
        f'<small> {marks}</small></th><td class="rate" title="{why}">{rates}{bar}</td>'
        f'<td title="{held}">{lasts}{star}</td></tr>'
    )


def _between(promise: Promise) -> str:
    least, most = rate_text(promise.minimum_bps), rate_text(promise.maximum_bps)
    return least if least == most else f"{least} to {most}"


def _line(configured: ConfiguredPort, where: str) -> int:
    origin = configured.origin(where)
    return origin.line if origin else 0


def _limit_default(configured: ConfiguredPort, of: ConfiguredClass) -> str:
    """The default that decides how much the queue of a class holds; empty where a line does."""
    begin = f"queues['{of.queue}'].limit"
    return next((o.default for o in configured.origins if o.where.startswith(begin)), "")


def _said(configured: ConfiguredPort, of: ConfiguredClass) -> str:
    name = _limit_default(configured, of)
    known = defaults()
    if name not in known:
        return ""
    sure = "" if known[name].verified else ", not verified"
    return f" (default{sure}: {known[name].what})"


def _star(configured: ConfiguredPort, of: ConfiguredClass) -> str:
    name = _limit_default(configured, of)
    if not name:
        return ""
    return (
        "<br><small>default</small>"
        if defaults()[name].verified
        else "<br><small>default, not verified</small>"
    )
