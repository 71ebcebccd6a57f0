"""Queues that fill and streams that start and stop: steady stretches, one after the other."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qoslib.fluid.filling import filled
from qoslib.fluid.solve import solve
from qoslib.port import Chain, Forwarder, Port, Switch
from qoslib.record import NotNegative, checked, fail
from qoslib.results import Result
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["over_time"]


def over_time(
    network: Port | Forwarder | Chain | Switch,
    streams: Sequence[Stream],
    duration_s: float,
    *,
    warmup_s: float = 0.0,
) -> Result:
    """Mean rates over a run that begins with empty queues, in which streams may start and stop.

    Between two starts or stops rates are steady, as `solve` gives them; the rates of the run are
    the means of these stretches, weighted by their lengths. At a port alone, the queues are empty
    at first: what fills one is not dropped, and is sent when the load falls. What a policer's
    burst lets through is left out. So is what fills the queues of a chain, forwarder or switch:
    as one hop's queue drains, the next hop is offered more than in any steady state.

    Parameters
    ----------
    network : Port, Forwarder, Chain or Switch
    streams : sequence of Stream
    duration_s : float
        Length of the run [s].
    warmup_s : float
        What happens before this is left out of the means [s].

    Returns
    -------
    Result
        What still waits at the end is neither sent nor dropped. Delays are the mean over the
        packets sent, and the least and largest of any stretch. They are NaN for a stream of which
        nothing is sent in one of the stretches: its packets wait through the stretch, which none
        of the steady states knows.

    Raises
    ------
    ValueError
        If the duration is not above 0, the warm-up is not below it, or as `solve` does.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> late = Stream("late", 50e6, start_s=5.0)
    >>> print(over_time(port, [Stream("first", 100e6), late], 10.0).dropped_bps.round())
    [16612800.  8306400.]

    The 101 packets that wait at the end, 0.8 Mbit, are not among the drops of 249.2 Mbit.

    Notes
    -----
    By Little's law a stream has ``s W`` in a queue that stays full, with s what passes it and W its
    delay in the queue. It takes ``s W / d`` to fill it, with d what the full queue drops. A queue
    drains by what the line has left, and takes nothing from others meanwhile.
    """
    streams = checked(tuple[Stream, ...], streams, "streams")
    if checked(float, duration_s, "duration_s") <= 0:
        fail("duration_s", duration_s, "above 0")
    if checked(NotNegative, warmup_s, "warmup_s") >= duration_s:
        fail("warmup_s", warmup_s, f"below the duration, {duration_s}")
    starts = [stream.start_s for stream in streams]
    stops = [duration_s if stream.stop_s is None else stream.stop_s for stream in streams]
    edges = np.unique(np.clip([0, warmup_s, duration_s, *starts, *stops], 0, duration_s))
    middles = (edges[1:] + edges[:-1]) / 2
    sends = (middles[:, None] > starts) & (middles[:, None] < stops)
    rates_bps = np.array([stream.mean_rate_bps for stream in streams], dtype=float)
    counted_s = duration_s - warmup_s
    steady = each = solve(network, streams, sends * rates_bps)
    if isinstance(network, Port):
        each = filled(network, streams, steady, np.diff(edges))
    shares = np.where(middles > warmup_s, np.diff(edges), 0.0) / counted_s
    return _mean(each, steady.sent_pps > 0, shares, counted_s)


def _mean(each: Result, there: NDArray[np.bool_], shares: Floats, duration_s: float) -> Result:
    """The stretches of a result as one, weighted by their shares of the time."""
    rates = [
        *("offered_pps", "sent_pps", "dropped_pps"),
        *("offered_bps", "sent_bps", "dropped_bps"),
    ]
    # What waits through a stretch in which nothing is sent is not in the delay of any stretch.
    counted = (shares > 0)[:, None]
    there = there & counted
    waits = ((each.offered_pps > 0) & ~there & counted).any(0)
    packets = shares[:, None] * np.where(there, each.sent_pps, 0.0)
    sent = packets.sum(0)
    total_s = (np.where(there, each.delay_mean_s, 0.0) * packets).sum(0)
    some = (sent > 0) & ~waits
    lowest_s = np.where(there, each.delay_min_s, np.inf).min(0)
    highest_s = np.where(there, each.delay_max_s, -np.inf).max(0)
    return replace(
        each,
        **{name: shares @ getattr(each, name) for name in rates},
        delay_mean_s=np.where(some, total_s / np.where(some, sent, 1.0), np.nan),
        delay_min_s=np.where(some, lowest_s, np.nan),
        delay_max_s=np.where(some, highest_s, np.nan),
        dropped_by_pps={cause: shares @ pps for cause, pps in each.dropped_by_pps.items()},
        sent_by_mark_pps={mark: shares @ pps for mark, pps in each.sent_by_mark_pps.items()},
        duration_s=duration_s,
        hops=(),
    )
