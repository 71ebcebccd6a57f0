"""What TCP connections did together: over time, and in total."""

import math
from typing import NamedTuple

import numpy as np

from qoslib import units
from qoslib.record import checked
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.units import Floats

__all__ = ["OverTime", "Totals", "over_time", "totals"]

#: Round trips that a rate over time is the mean of.
SMOOTHED_ROUNDS = 10


class Totals(NamedTuple):
    """What all connections delivered [bit/s], and how many of their packets the port dropped."""

    goodput_bps: float
    dropped_packets: float


def totals(result: Result) -> Totals:
    """Add up the connections of a run.

    Parameters
    ----------
    result : Result
        Of `tcp.simulate` or `tcp.solve`.

    Returns
    -------
    Totals

    Raises
    ------
    ValueError
        If the result is of no TCP model.

    Examples
    --------
    >>> from qoslib.flows import Flow, Host
    >>> from qoslib.port import ByteLimit, Port, Queue
    >>> from qoslib.tcp import simulate, totals
    >>> port = Port("wan", 10e6, (Queue("all", ByteLimit(500_000)),))
    >>> found = totals(simulate(port, [Host("server", 1e9, (Flow("copy", 0.020),))], 2.0))
    >>> found.dropped_packets
    82.0
    """
    result = checked(Result, result, "result")
    flows, seconds = result.tcp, result.duration_s
    if flows is None or seconds is None:
        raise ValueError(f"model is {result.model!r}; allowed: one of tcp.solve or tcp.simulate")
    dropped = result.dropped_pps[: len(flows.flows)].sum() * seconds
    return Totals(float(flows.goodput_bps.sum()), float(dropped))


class OverTime(NamedTuple):
    """What happened in each of the bins, all flows together.

    Attributes
    ----------
    time_s : ndarray, shape (bins,)
        Middles of the bins [s].
    windows_bytes, round_trip_s, queue_bytes, carried_bps : ndarray, shape (bins,)
        In base units; see `over_time`.
    """

    time_s: Floats
    windows_bytes: Floats
    round_trip_s: Floats
    queue_bytes: Floats
    carried_bps: Floats


def over_time(scenario: Scenario, result: Result) -> OverTime:
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
    OverTime
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
    >>> from qoslib.tcp import over_time, simulate
    >>> port = Port("wan", 1e9, (Queue("all", ByteLimit(500_000)),))
    >>> hosts = (Host("server", 10e9, (Flow("copy", 0.020),)),)
    >>> scenario = Scenario("copy", port, (), hosts=hosts)
    >>> result = simulate(port, hosts, 1.0)
    >>> found = over_time(scenario, result)
    >>> found.round_trip_s.shape, round(float(found.round_trip_s[-1]), 3)
    ((200,), 0.02)
    """
    scenario, result = checked(Scenario, scenario, "scenario"), checked(Result, result, "result")
    if result.tcp is None or result.history is None:
        raise ValueError(f"model is {result.model!r}; allowed: one of tcp.solve or tcp.simulate")
    flows = [flow for host in scenario.hosts for flow in host.flows]
    sizes = np.array([[flow.mss_bytes] for flow in flows], dtype=np.int64)
    most = np.array([[flow.window_bytes or np.inf] for flow in flows], dtype=float)
    edges_s = result.tcp.time_s
    carried_bps = units.bits(result.tcp.received_bytes.sum(axis=0)) / np.diff(edges_s)
    measured = np.isfinite(result.tcp.round_trip_s)
    count = measured.sum(axis=0)
    trips = np.where(measured, result.tcp.round_trip_s, 0.0).sum(axis=0)
    return OverTime(
        (edges_s[:-1] + edges_s[1:]) / 2,
        np.minimum(result.tcp.window_packets * sizes, most).sum(axis=0),
        np.divide(trips, count, out=np.full_like(trips, np.nan), where=count > 0),
        result.history.queue_packets.sum(axis=0) * flows[0].frame_bytes,
        _smoothed(carried_bps, flows[0].round_trip_s / (edges_s[1] - edges_s[0])),
    )


def _smoothed(values: Floats, round_trip_bins: float) -> Floats:
    """The mean over some round trips: what comes in bunches, a round trip apart, arrives evenly."""
    width = 2 * math.ceil(SMOOTHED_ROUNDS * round_trip_bins / 2) + 1
    edged = np.pad(values, width // 2, mode="edge")
    return np.convolve(edged, np.full(width, 1 / width), mode="valid")
