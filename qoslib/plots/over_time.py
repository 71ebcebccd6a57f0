"""Queues over time: how they fill, and from when on packets are lost."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.port import Port
from qoslib.results import History, Result
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["queue_over_time"]

#: Titles of the panels, with units.
PANELS = ("waiting [packets]", "time to send these [ms]", "dropped [packets/s]")


def queue_over_time(
    port: Port,
    streams: Sequence[Stream],
    results: Mapping[str, Result],
    queues: Sequence[str] = (),
) -> Figure:
    """What waits in queues over time, how long sending it would take, and what is dropped.

    Parameters
    ----------
    port : Port
    streams : sequence of Stream
        What the port was offered in each of the results.
    results : mapping of str to Result
        Label of a run to its record, with a history; all of the same length.
    queues : sequence of str
        Which queues to draw; all of them if none is named.

    Returns
    -------
    Figure
        Three panels over time.

    Notes
    -----
    The time is packets waiting over packets sent a second, both of the same bin.

    Examples
    --------
    >>> from qoslib.packets import simulate
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> streams = [Stream("data", 120e6)]
    >>> figure = queue_over_time(port, streams, {"this run": simulate(port, streams, 0.1)})
    >>> print(figure.summary)
    In the queue (this run) at most 100 packets wait at once, and some are lost from 40.2 ms on;
    to send those at the end takes 7.14 ms.
    """
    drawn = _lines(port, streams, results, queues or port.queue_names)
    traces = []
    for (label, look), (x, *panels) in drawn.items():
        for panel, y in enumerate(panels):
            uid = f"{label}-{panel}"
            traces.append(style.line("packets", label, x, y, panel, as_look=look, uid=uid))
    tables = [_table(label, x, panels) for (label, _), (x, *panels) in drawn.items()]
    table = pd.concat(tables, axis=1)
    layout = style.layout(PANELS, "time [ms]", [{"rangemode": "tozero"}])
    summary = " ".join(_sentence(label, *values) for (label, _), values in drawn.items())
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _lines(
    port: Port, streams: Sequence[Stream], results: Mapping[str, Result], queues: Sequence[str]
) -> dict[tuple[str, style.Look], tuple[Floats, ...]]:
    """Label and look of each line -> time [ms] and the values of the panels."""
    lines, found = {}, style.looks(port.queue_names, 0)
    for run, (label, result) in enumerate(results.items()):
        if result.history is None:
            raise ValueError(f"the record of {label!r} has no history; allowed: a packet model's")
        for queue in queues:
            at = port.queue_names.index(queue)
            mine = [n for n, stream in enumerate(streams) if port.queue_of(stream) == at]
            name = queue if len(results) == 1 else f"{queue}, {label}"
            name = label if len(queues) == 1 else name
            look = found[queue] if len(results) == 1 else style.variant(queue, run)
            lines[name, look] = _panels(result.history, at, mine)
    return lines


def _panels(history: History, at: int, mine: Sequence[int]) -> tuple[Floats, ...]:
    """Time [ms], packets waiting, time to send them [ms], and drops a second, of one queue."""
    width_s = np.diff(history.time_s)
    waiting = history.queue_packets[at].astype(float)
    sent_pps = history.sent_packets[mine].sum(axis=0) / width_s
    takes_s = np.divide(waiting, sent_pps, out=np.full_like(waiting, np.nan), where=sent_pps > 0)
    dropped_pps = history.dropped_packets[mine].sum(axis=0) / width_s
    middle_s = (history.time_s[:-1] + history.time_s[1:]) / 2
    return (
        units.convert(middle_s, "s", "ms"),
        waiting,
        units.convert(takes_s, "s", "ms"),
        dropped_pps,
    )


def _table(label: str, x: Floats, panels: Sequence[Floats]) -> pd.DataFrame:
    """Ten moments are enough to read."""
    every = slice(len(x) // 20, None, max(1, len(x) // 10))
    columns = {f"{label} {title}": y[every] for title, y in zip(PANELS, panels, strict=True)}
    return pd.DataFrame(columns, index=pd.Index(x[every].round(3), name="time [ms]")).round(3)


def _sentence(label: str, x: Floats, waiting: Floats, takes_ms: Floats, dropped_pps: Floats) -> str:
    most = f"In the queue ({label}) at most {waiting.max():,.0f} packets wait at once"
    lossy = np.flatnonzero(dropped_pps)
    if not len(lossy):
        return f"{most}, and none is lost."
    text = f"{most}, and some are lost from {x[lossy[0]]:.3g} ms on"
    if np.isnan(takes_ms[-1]):
        return f"{text}."
    return f"{text}; to send those at the end takes {takes_ms[-1]:.3g} ms."
