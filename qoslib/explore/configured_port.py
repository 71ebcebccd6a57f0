"""A configured port as rows of HTML: what each node and class may take, and what it gets."""

import html
from collections.abc import Iterable

from qoslib import units
from qoslib.config import ConfiguredClass, ConfiguredPort, Promise, defaults
from qoslib.config.amounts import rate_text, time_text
from qoslib.plots import style
from qoslib.port import HierarchicalTokenBucket, Node, Port, Queue, SchedulerTree
from qoslib.port.nodes import outline
from qoslib.results import Result

__all__ = ["port_html"]

HEAD = (
    "<tr><td></td><td class='rate'><small>at least to at most</small></td>"
    "<td><small>full queue</small></td></tr>"
)


def port_html(
    configured: ConfiguredPort,
    promises: Iterable[Promise],
    now: Result | None = None,
    before: Result | None = None,
) -> str:
    """The tree of a port: the rates of each node, and of each class what it may take and gets.

    Parameters
    ----------
    configured : ConfiguredPort
        Its port is known.
    promises : iterable of Promise
        Of its classes.
    now, before : Result or None
        Of the packet model, for the port and before its change; streams have the classes' names.

    Returns
    -------
    str
        A table, everything from the configuration escaped.
    """
    port = configured.port
    assert port is not None
    found = {each.queue: each for each in promises}
    names = [each.name for each in configured.classes if each.queue in port.queue_names]
    looks = style.looks(names)
    shaped = f", shaped to {rate_text(port.shaper.rate_bps)}" if port.shaper else ""
    title = f"{configured.interface} {configured.direction}"
    rows = [HEAD, _row(configured.line, 0, title, f"{rate_text(port.rate_bps)}{shaped}")]
    for depth, each in _walk(port):
        if isinstance(each, Node):
            line = _line(configured, f"scheduler.nodes['{each.name}'].shaper.rate_bps")
            rows.append(_row(line, depth, each.name, _node(each)))
            continue
        of = next((one for one in configured.classes if one.queue == each.name), None)
        promise = found.get(each.name)
        if of is not None and promise is not None:
            colour = looks[of.name].colour
            rows.append(_class(configured, port, of, promise, depth, colour))
            rows.append(_gets(of.line, of.name, now, before))
    return f"<table>{''.join(rows)}</table>"


def _gets(line: int, name: str, now: Result | None, before: Result | None) -> str:
    """What a class loses and waits with the loads of the sliders, and before the change."""
    if now is None or name not in now.streams:
        return ""
    lost, was = (_percent(each, name) for each in (now, before))
    said = f"loses {lost}" + (f" ({was} before)" if was and was != lost else "")
    wait, waited = (_p99(each, name) for each in (now, before))
    if wait:
        said += f", p99 of the delay {wait}" + (f" ({waited} before)" if waited != wait else "")
    return f'<tr data-line="{line}"><td class="gets" colspan="3">{html.escape(said)}</td></tr>'


def _percent(result: Result | None, name: str) -> str:
    if result is None or name not in result.streams:
        return ""
    share = result[name].drop_ratio
    return "" if share is None else f"{units.convert(share, '1', '%'):.3g} %"


def _p99(result: Result | None, name: str) -> str:
    if result is None or name not in result.streams:
        return ""
    delay_s = result[name].delay_p99_s
    return "" if delay_s is None or delay_s != delay_s else time_text(delay_s)


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
    marks = html.escape(" ".join(of.marks))
    why = html.escape(f"minimum: {promise.minimum_why}; maximum: {promise.maximum_why}", quote=True)
    rates = _between(promise)
    lasts = time_text(promise.queue_s) if promise.queue_s is not None else "shared"
    held = html.escape(promise.held_why + _said(configured, of), quote=True)
    bar = (
        f'<div class="track" style="--light:{colour};--dark:{style.DARK.get(colour, colour)}">'
        f'<i class="most" style="width:{most:.1f}%"></i><i style="width:{least:.1f}%"></i></div>'
    )
    return (
        f'<tr data-line="{of.line}"><th style="padding-left:{depth}em">{html.escape(of.name)}'
        f' <small>{marks}</small></th><td class="rate" title="{why}">{rates}{bar}</td>'
        f'<td title="{held}">{lasts}{_star(configured, of)}</td></tr>'
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
