"""The turns of a scheduler as a timeline, and what other quanta or another policer change."""

import numpy as np

from qoslib import run, units
from qoslib.platforms import gsr12000
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.plots.marks import by_mark
from qoslib.record import fail
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["premium_lost", "service_order", "updates_delay_ms"]

#: Looks of queues by their place, so that neighbours differ in grey as well.
_LOOKS = ("NC", "CS4", "BE", "CS1", "CS3", "CS2")
#: Simulated time [s]: long enough for a bucket that loses a few packets in a million to be empty.
SIMULATED_S = 60.0


def service_order(scenario: Scenario, result: Result, start_s: float, end_s: float) -> Figure:
    """Which queue has the line at which time, one row a queue.

    Parameters
    ----------
    scenario : Scenario
    result : Result
        Of a packet model, with a trace.
    start_s, end_s : float
        From when to when it is drawn [s].

    Notes
    -----
    A turn is what a queue sends until another one of the round robin is served; a low-latency
    queue only interrupts it. Each line of the table is a turn; the first and the last may be cut
    off by the window.
    """
    port, streams = scenario.only_port, scenario.streams
    if result.trace is None:
        fail("trace of the result", None, "one of run(..., trace_packets=...)")
    queue, begin_ms, end_ms, size = _served(port, streams, result.trace, start_s, end_s)
    names = _names(port, streams)
    fast = _low_latency(port)
    traces = [
        _row(names[at], at, *_pieces(queue == at, begin_ms, end_ms))
        for at in reversed(range(len(port.queues)))
        if names[at]
    ]
    table = _turns(port, queue[queue != fast], *(v[queue != fast] for v in (begin_ms, size)))
    layout = style.layout(["queue [its classes]"], "time [ms]")
    layout["yaxis"] |= {"type": "category", "automargin": True}
    layout["yaxis"]["title"]["standoff"] = 14
    layout["xaxis"]["range"] = [units.convert(t, "s", "ms") for t in (start_s, end_s)]
    layout |= {"showlegend": False, "margin": layout["margin"] | {"t": 15}}
    return Figure(data=traces, layout=layout, summary=_summary(port, table), table=table)


def _served(port, streams, trace, start_s, end_s):
    """Queue, times on the line [ms] and size [B] of each packet sent in the window, in order."""
    on_line_s = units.serialisation_s(trace.frame_bytes, port.rate_bps, port.overhead_bytes)
    begin_s = trace.departure_s - on_line_s
    shown = np.flatnonzero((begin_s >= start_s) & (trace.departure_s <= end_s))
    shown = shown[np.argsort(trace.departure_s[shown], kind="stable")]
    if not len(shown):
        raise ValueError("no packet of the trace is sent in this time; allowed: times it covers")
    queue = np.array([port.queue_of(stream) for stream in streams])[trace.stream[shown]]
    times = (units.convert(each[shown], "s", "ms") for each in (begin_s, trace.departure_s))
    return queue, *times, trace.frame_bytes[shown]


def _low_latency(port):
    name = getattr(port.scheduler, "low_latency", "")
    return port.queue_names.index(name) if name in port.queue_names else -1


def _names(port, streams):
    """Each queue with the classes in it; empty if it has none."""
    named = [""] * len(port.queues)
    for each in by_mark(streams):
        at = port.queue_of(streams[each.at[0]])
        named[at] += f"{', ' if named[at] else ''}{each.label}"
    return [
        f"{queue}: {labels}" if labels else ""
        for queue, labels in zip(port.queue_names, named, strict=True)
    ]


def _pieces(mine, begin_ms, end_ms):
    """Begin and end of each uninterrupted piece of service."""
    change = np.diff(mine.astype(int), prepend=0, append=0)
    first, behind = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    return begin_ms[first], end_ms[behind - 1]


def _row(name, at, begin_ms, end_ms):
    colour = style.look(_LOOKS[at % len(_LOOKS)]).colour
    x = np.column_stack([begin_ms, end_ms, np.full(len(begin_ms), np.nan)]).ravel()
    row = style.line("packets", name, x, np.zeros(len(x)), 0, uid=f"row-{at}")
    y = [None if np.isnan(each) else name for each in row["x"]]
    # Without a first entry a category that is never served would lose its row.
    # plotly would leave out what is narrower than a pixel, and that is every single packet.
    bar = {"width": 26, "color": colour, "simplify": False}
    return row | {"x": [None, *row["x"]], "y": [name, *y], "line": bar}


def _turns(port, queue, begin_ms, size):
    """One line a turn: queue, when it begins, packets and bytes sent."""
    first = np.flatnonzero(np.diff(queue, prepend=-1))
    sent = {"packets": np.ones_like(size), "bytes": size}
    columns = {name: np.add.reduceat(each, first) for name, each in sent.items()}
    names = [port.queue_names[at] for at in queue[first]]
    return Columns({"begins [ms]": begin_ms[first].round(3), **columns}, names)


def _summary(port, table):
    counts = [
        f"{name} has {len(mine)} turns of up to {mine.max()} packets"
        for name, mine in ((n, table["packets"][table.index == n]) for n in port.queue_names)
        if len(mine)
    ]
    return f"In this time {'; '.join(counts)}."


def premium_lost(slow_ppm: float = 0.0, header_bytes: int = 0, bucket_bytes: int = 4000) -> float:
    """Share of Premium that a policer drops in a minute.

    Parameters
    ----------
    slow_ppm : float
        By how much its clock is slow.
    header_bytes : int
        What it counts of each packet beyond the bytes that the tester counts [B].
    bucket_bytes : int
        Size of its bucket [B].

    Returns
    -------
    float
        Of all packets of Premium [ratio].
    """
    test = gsr12000.PLATFORM.experiments()["conclusion_90min"]
    police = gsr12000.policer(slow_ppm, bucket_bytes)
    frame_bytes = float(gsr12000.FACTS.frame_bytes)
    # To count more of each packet is to let fewer packets pass.
    passed = frame_bytes / (frame_bytes + header_bytes)
    police = police.replace(rate_bps=police.rate_bps * passed)
    queues = tuple(
        queue.replace(policer=police) if queue.policer else queue for queue in test.only_port.queues
    )
    port = test.only_port.replace(queues=queues)
    result = run(test.scenario.replace(network=port, duration_s=SIMULATED_S))
    return float(result.dropped_pps.sum() / result.offered_pps.sum())


def updates_delay_ms(percent: float) -> float:
    """Mean delay of Updates with all quanta at so many per cent of those of test B, in ms."""
    test = gsr12000.PLATFORM.experiments()["test_b"]
    queues = tuple(
        queue.replace(quantum_bytes=round(queue.quantum_bytes * percent / 100))
        for queue in test.only_port.queues
    )
    port = test.only_port.replace(queues=queues)
    answer = run(test.scenario.replace(network=port, duration_s=0.3))["1A/prec6"]
    return float(units.convert(answer.delay_mean_s, "s", "ms"))
