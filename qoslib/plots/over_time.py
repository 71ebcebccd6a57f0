"""Lines over time: how queues fill and drop packets, and what TCP does meanwhile."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from qoslib import packets, tcp, units
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure, checked_results
from qoslib.record import checked
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.units import Floats

__all__ = ["Line", "over_time", "queue_over_time", "tcp_over_time"]

#: Titles of the panels, with units.
OF_QUEUES = ("waiting [packets]", "time to send these [ms]", "dropped [packets/s]")
OF_TCP = ("windows [MB]", "round trip [ms]", "queue [MB]", "TCP [Gb/s of data]")
#: The classes whose looks the results of TCP have, in their order: far apart.
LIKE = ("BE", "CS4", "CS3", "CS1")


class Line(NamedTuple):
    """A run as a line in each panel: its label, its look, the time, and values by panel."""

    label: str
    look: style.Look
    x: Floats
    panels: Sequence[Floats]
    kind: str = "packets"


def over_time(lines: Sequence[Line], titles: Sequence[str], x_title: str, summary: str) -> Figure:
    """A figure of lines over time; ten moments are enough to read in its table."""
    traces: list[style.Json] = []
    columns: dict[str, tuple[Floats, Floats]] = {}
    for label, look, x, panels, kind in lines:
        for panel, y in enumerate(panels):
            uid = f"{label}-{panel}"
            traces.append(style.curve(kind, label, x, y, panel, as_look=look, uid=uid))
        every = slice(len(x) // 20, None, max(1, len(x) // 10))
        at = x[every].round(3)
        columns |= {
            f"{label} {title}": (at, y[every]) for title, y in zip(titles, panels, strict=True)
        }
    layout = style.layout(titles, x_title, [{"rangemode": "tozero"}])
    table = Columns.aligned(columns, x_title).round(3)
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def queue_over_time(
    scenario: Scenario, results: Mapping[str, Result], queues: Sequence[str] = ()
) -> Figure:
    """What waits in queues over time, how long sending it would take, and what is dropped.

    Parameters
    ----------
    scenario : Scenario
        The port and the streams of each of the results.
    results : mapping of str to Result
        Label of a run to its record, with a history; all of the same length.
    queues : sequence of str
        Which queues to draw; all of them if none is named.

    Returns
    -------
    Figure
        Three panels over time, see `packets.over_time`.

    Raises
    ------
    ValueError
        If there is no such queue, or a record has no history.

    Examples
    --------
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, run
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> busy = Scenario("busy", port, (Stream("data", 120e6),), duration_s=0.1)
    >>> print(queue_over_time(busy, {"this run": run(busy)}).summary)
    In the queue (this run) at most 100 packets wait at once, and some are dropped from 40.2 ms on;
    to send those at the end takes 7.14 ms.
    """
    port = checked(Scenario, scenario, "scenario").only_port
    results = checked_results(results, Result)
    names = checked(tuple[str, ...], queues, "queues") or port.queue_names
    looks, lines = style.looks(port.queue_names, 0), []
    for run, (label, result) in enumerate(results.items()):
        for queue in names:
            found = packets.over_time(scenario, result, queue)
            several = queue if len(results) == 1 else f"{queue}, {label}"
            look = looks[queue] if len(results) == 1 else style.variant(queue, run)
            sending_ms = units.convert(found.sending_s, "s", "ms")
            panels = found.waiting_packets, sending_ms, found.dropped_pps
            x = units.convert(found.time_s, "s", "ms")
            lines.append(Line(label if len(names) == 1 else several, look, x, panels))
    return over_time(lines, OF_QUEUES, "time [ms]", " ".join(map(_of_queue, lines)))


def _of_queue(line: Line) -> str:
    waiting, takes_ms, dropped_pps = line.panels
    count = waiting.max()
    wait = "1 packet waits" if count == 1 else f"{count:,.0f} packets wait"
    most = f"In the queue ({line.label}) at most {wait} at once"
    lossy = np.flatnonzero(dropped_pps)
    if not len(lossy):
        return f"{most}, and none is dropped."
    text = f"{most}, and some are dropped from {line.x[lossy[0]]:.3g} ms on"
    if not takes_ms[-1] > 0:
        return f"{text}."
    return f"{text}; to send those at the end takes {takes_ms[-1]:.3g} ms."


def tcp_over_time(scenario: Scenario, results: Mapping[str, Result]) -> Figure:
    """Windows, round trip, queue and rate over time, one colour a result.

    Parameters
    ----------
    scenario : Scenario
        Its hosts' flows are drawn together.
    results : mapping of str to Result
        Label to a result of `qoslib.tcp`; the fluid model is a thick line, packets a thin one.

    Returns
    -------
    Figure
        Four panels over time, see `tcp.over_time`.

    Raises
    ------
    ValueError
        If a result is of no TCP model.

    Examples
    --------
    >>> from qoslib import Flow, Host, Port, Queue, Scenario, run
    >>> from qoslib.port import ByteLimit
    >>> port = Port("wan", 1e9, (Queue("all", ByteLimit(500_000)),))
    >>> hosts = (Host("server", 10e9, (Flow("copy", 0.020),)),)
    >>> copy = Scenario("copy", port, (), hosts=hosts)
    >>> list(tcp_over_time(copy, {"this run": run(copy)}).table)[:2]
    ['this run windows [MB]', 'this run round trip [ms]']
    """
    scenario, lines, sentences = checked(Scenario, scenario, "scenario"), [], []
    for place, (label, result) in enumerate(checked_results(results, Result).items()):
        found, dropped = tcp.over_time(scenario, result), tcp.totals(result).dropped_packets
        panels = (
            units.convert(found.windows_bytes, "B", "MB"),
            units.convert(found.round_trip_s, "s", "ms"),
            units.convert(found.queue_bytes, "B", "MB"),
            units.convert(found.carried_bps, "bit/s", "Gbit/s"),
        )
        kind = "fluid" if result.model == "fluid" else "packets"
        look = style.look(LIKE[place % len(LIKE)])
        lines.append(Line(label, look, found.time_s, panels, kind))
        windows, _, queue, rate = panels
        sentences.append(
            f"{label}: the windows reach {windows.max():.3g} MB and end at {windows[-1]:.3g} MB; at"
            f" most {queue.max():.3g} MB wait in the queue, {dropped:,.0f} TCP packets are dropped,"
            f" and {rate.mean():.3g} Gb/s of data arrive."
        )
    return over_time(lines, OF_TCP, "time [s]", " ".join(sentences))
