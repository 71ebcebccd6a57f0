"""A policer's bucket over time: how it empties, and what is lost once it is empty."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.port import Port
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["bucket_over_time"]

#: Titles of the panels, with units.
PANELS = ("tokens in the bucket [kB]", "lost to it [packets/s]")


def bucket_over_time(
    port: Port, streams: Sequence[Stream], results: Mapping[str, Result], queue: str
) -> Figure:
    """What a queue's policer has in tokens, and what the queue's streams lose, over time.

    Parameters
    ----------
    port : Port
    streams : sequence of Stream
        What the port was offered in each of the results.
    results : mapping of str to Result
        Label of a run to its record, with a history; all of the same length.
    queue : str
        Whose policer; its burst is drawn as a bound.

    Raises
    ------
    ValueError
        If the queue has no policer, or a record no history.
    """
    at = port.queue_names.index(queue)
    policer = port.queues[at].policer
    if policer is None:
        raise ValueError(f"queue is {queue!r}; allowed: one with a policer")
    mine = [n for n, stream in enumerate(streams) if port.queue_of(stream) == at]
    burst_kb = units.convert(policer.burst_bytes, "B", "kB")
    traces: list[dict] = []
    columns: dict[str, np.ndarray] = {}
    sentences: list[str] = []
    for place, (label, result) in enumerate(results.items()):
        time_s, tokens_kb, lost_pps = _seen(label, result, at, mine, burst_kb)
        look = style.variant("CS4", place)
        for panel, y in enumerate((tokens_kb, lost_pps)):
            uid = f"{label}-{panel}"
            traces.append(style.line("packets", label, time_s, y, panel, as_look=look, uid=uid))
        columns |= {f"{label} {PANELS[0]}": tokens_kb, f"{label} {PANELS[1]}": lost_pps}
        sentences.append(_sentence(label, time_s, tokens_kb))
    traces.append(_bound(time_s, burst_kb))
    y_axes = [{"range": [-0.04 * burst_kb, 1.12 * burst_kb]}, {"rangemode": "tozero"}]
    layout = style.layout(PANELS, "time [s]", y_axes)
    table = pd.DataFrame(columns, index=pd.Index(time_s.round(3), name="time [s]")).round(1)
    every = slice(None, None, max(1, len(table) // 12))
    return Figure(data=traces, layout=layout, summary=" ".join(sentences), table=table.iloc[every])


def _seen(label, result, at, mine, burst_kb):
    """Ends of the bins [s], tokens then [kB], and packets lost a second in each bin."""
    history = result.history
    if history is None:
        raise ValueError(f"the record of {label!r} has no history; allowed: a packet model's")
    lost = history.dropped_packets[mine].sum(axis=0)
    ends_s = history.time_s[1:]
    return ends_s, history.tokens_share[at] * burst_kb, lost / np.diff(history.time_s)


def _bound(time_s, burst_kb):
    look = style.Look(style.INK, "circle")
    ends_s = [float(time_s[0]), float(time_s[-1])]
    return style.line("bound", "burst", ends_s, [burst_kb] * 2, 0, as_look=look, uid="burst")


def _sentence(label, time_s, tokens_kb):
    empty = np.flatnonzero(tokens_kb < 0.01 * tokens_kb.max())
    if not len(empty):
        return f"The bucket ({label}) never holds less than {tokens_kb.min():.3g} kB."
    return f"The bucket ({label}) is empty from {time_s[empty[0]]:.2g} s on."
