"""TCP over time: windows, round trips, the queue, and what arrives."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.units import Floats

__all__ = ["Moments", "moments", "tcp_over_time"]

#: Titles of the panels, with units.
PANELS = ("windows [MB]", "round trip [ms]", "queue [MB]", "TCP [Gb/s of data]")
COLUMNS = ("windows [MB]", "round trip [ms]", "queue [MB]", "rate [Gb/s]")

#: The classes whose looks the results have, in their order: far apart.
LIKE = ("BE", "CS4", "CS3", "CS1")
#: Round trips that a drawn rate is the mean of.
SMOOTHED_ROUNDS = 10


class Moments(NamedTuple):
    """What happened in each of the bins: their middles, and all flows together."""

    time_s: np.ndarray
    windows_bytes: np.ndarray
    round_trip_s: np.ndarray
    queue_bytes: np.ndarray
    carried_bps: np.ndarray


def moments(scenario: Scenario, result: Result) -> Moments:
    """The history of a TCP run, its flows taken together.

    The windows are what may be outstanding: the congestion windows, or the sockets' if less. The
    round trip is the mean of the flows', the queue the fullest that it was within each bin, and
    the rate is a mean over ten round trips.

    Parameters
    ----------
    scenario : Scenario
        What was run: its flows' segments and windows are read.
    result : Result
        Of `tcp.simulate` or `tcp.solve`.

    Returns
    -------
    Moments
        Arrays of shape (bins,), in base units.

    Raises
    ------
    ValueError
        If the result is of no TCP model.

    Examples
    --------
    >>> from qoslib.flows import Flow, Host
    >>> from qoslib.port import ByteLimit, Port, Queue
    >>> from qoslib.scenario import Scenario
    >>> from qoslib.tcp import simulate
    >>> port = Port("wan", 1e9, (Queue("all", ByteLimit(500_000)),))
    >>> hosts = (Host("server", 10e9, (Flow("copy", 0.020),)),)
    >>> scenario = Scenario("copy", port, (), hosts=hosts)
    >>> result = simulate(port, hosts, 1.0)
    >>> found = moments(scenario, result)
    >>> found.round_trip_s.shape, round(float(found.round_trip_s[-1]), 3)
    ((200,), 0.02)
    """
    if result.tcp is None or result.history is None:
        raise ValueError(f"model is {result.model!r}; allowed: one of tcp.solve or tcp.simulate")
    flows = [flow for host in scenario.hosts for flow in host.flows]
    sizes = np.array([[flow.mss_bytes] for flow in flows])
    most = np.array([[flow.window_bytes or np.inf] for flow in flows])
    edges_s = result.tcp.time_s
    carried_bps = units.bits(result.tcp.received_bytes.sum(axis=0)) / np.diff(edges_s)
    heard = np.isfinite(result.tcp.round_trip_s)
    trips = np.where(heard, result.tcp.round_trip_s, 0.0).sum(axis=0)
    return Moments(
        (edges_s[:-1] + edges_s[1:]) / 2,
        np.minimum(result.tcp.window_packets * sizes, most).sum(axis=0),
        np.divide(trips, heard.sum(axis=0), out=np.full_like(trips, np.nan), where=heard.any(0)),
        result.history.queue_packets.sum(axis=0) * flows[0].frame_bytes,
        _smoothed(carried_bps, flows[0].round_trip_s / (edges_s[1] - edges_s[0])),
    )


def _smoothed(values: Floats, round_trip_bins: float) -> Floats:
    """The mean over some round trips: what comes in bunches, a round trip apart, arrives evenly."""
    width = 2 * math.ceil(SMOOTHED_ROUNDS * round_trip_bins / 2) + 1
    edged = np.pad(values, width // 2, mode="edge")
    return np.convolve(edged, np.full(width, 1 / width), mode="valid")


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
        Four panels over time.

    Raises
    ------
    ValueError
        If a result is of no TCP model.

    Examples
    --------
    >>> from qoslib.flows import Flow, Host
    >>> from qoslib.port import ByteLimit, Port, Queue
    >>> from qoslib.scenario import Scenario
    >>> from qoslib.tcp import simulate
    >>> port = Port("wan", 1e9, (Queue("all", ByteLimit(500_000)),))
    >>> hosts = (Host("server", 10e9, (Flow("copy", 0.020),)),)
    >>> scenario = Scenario("copy", port, (), hosts=hosts)
    >>> result = simulate(port, hosts, 1.0)
    >>> list(tcp_over_time(scenario, {"this run": result}).table)[:2]
    ['this run windows [MB]', 'this run round trip [ms]']
    """
    drawn = {label: _drawn(moments(scenario, each)) for label, each in results.items()}
    traces = []
    for place, (label, (x, panels)) in enumerate(drawn.items()):
        kind = "fluid" if results[label].model == "fluid" else "packets"
        look = style.look(LIKE[place % len(LIKE)])
        for panel, y in enumerate(panels):
            trace = style.line(kind, label, x, y, panel, as_look=look, uid=f"{place}-{panel}")
            traces.append(trace | {"mode": "lines"})
    layout = style.layout(PANELS, "time [s]")
    for panel in range(len(PANELS)):
        layout[f"yaxis{panel + 1 if panel else ''}"]["rangemode"] = "tozero"
    said = " ".join(_sentence(label, results[label], *drawn[label]) for label in drawn)
    table = pd.concat([_table(label, *values) for label, values in drawn.items()], axis=1)
    return Figure(data=traces, layout=layout, summary=said, table=table)


def _drawn(found: Moments) -> tuple[Floats, Sequence[Floats]]:
    """Time [s], and the panels in their units."""
    panels = (
        units.convert(found.windows_bytes, "B", "MB"),
        units.convert(found.round_trip_s, "s", "ms"),
        units.convert(found.queue_bytes, "B", "MB"),
        units.convert(found.carried_bps, "bit/s", "Gbit/s"),
    )
    return found.time_s, panels


def _table(label: str, x: Floats, panels: Sequence[Floats]) -> pd.DataFrame:
    """Ten moments are enough to read."""
    every = slice(len(x) // 20, None, max(1, len(x) // 10))
    columns = {f"{label} {title}": y[every] for title, y in zip(COLUMNS, panels, strict=True)}
    return pd.DataFrame(columns, index=pd.Index(x[every].round(2), name="time [s]")).round(2)


def _sentence(label: str, result: Result, x: Floats, panels: Sequence[Floats]) -> str:
    assert result.tcp is not None, "its moments were worked out"
    windows, _, queue, rate = panels
    lost = result.dropped_pps[: len(result.tcp.flows)].sum() * result.duration_s
    return (
        f"{label}: the windows reach {windows.max():.3g} MB and end at {windows[-1]:.3g} MB; at"
        f" most {queue.max():.3g} MB wait in the queue, {lost:,.0f} TCP packets are lost, and"
        f" {rate.mean():.3g} Gb/s of data arrive."
    )
