"""What a queue did in a run: over time, in the bins of its history."""

from typing import NamedTuple

import numpy as np

from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.units import Floats

__all__ = ["OverTime", "over_time"]


class OverTime(NamedTuple):
    """What happened to one queue in each of the bins.

    Attributes
    ----------
    time_s, end_s : ndarray, shape (bins,)
        Middle and end of each bin [s].
    waiting_packets : ndarray, shape (bins,)
        The most that waited at once.
    sending_s : ndarray, shape (bins,)
        How long it takes to send these at the rate of the bin [s]; NaN where nothing was sent.
    dropped_pps : ndarray, shape (bins,)
        Dropped packets [packets/s], those of its policer among them.
    tokens_ratio : ndarray, shape (bins,)
        What its policer's bucket held at the end of the bin, as a share of the burst [ratio].
    """

    time_s: Floats
    end_s: Floats
    waiting_packets: Floats
    sending_s: Floats
    dropped_pps: Floats
    tokens_ratio: Floats


def over_time(scenario: Scenario, result: Result, queue: str) -> OverTime:
    """The history of one queue of a packet model's run.

    Parameters
    ----------
    scenario : Scenario
        What was run, of one port.
    result : Result
        With a history.
    queue : str
        Its name.

    Returns
    -------
    OverTime
        Arrays of shape (bins,), in base units.

    Raises
    ------
    ValueError
        If there is no such queue, or no history.

    Notes
    -----
    The time to send what waits is packets waiting over packets sent per second, both of the bin.
    It is 0 where nothing waits, and NaN where packets wait and none is sent.

    Examples
    --------
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, run
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> busy = Scenario("busy", port, (Stream("data", 120e6),), duration_s=0.1)
    >>> float(over_time(busy, run(busy), "all").waiting_packets.max())
    100.0
    """
    port = checked(Scenario, scenario, "scenario").only_port
    if queue not in port.queue_names:
        fail("queue", queue, ", ".join(port.queue_names))
    history = checked(Result, result, "result").history
    if history is None:
        raise ValueError(f"this {result.model!r} result has no history; allowed: a packet model's")
    at, width_s = port.queue_names.index(queue), np.diff(history.time_s)
    mine = [result.streams.index(s.name) for s in scenario.streams if port.queue_of(s) == at]
    waiting = history.queue_packets[at].astype(float)
    sent_pps = history.sent_packets[mine].sum(axis=0) / width_s
    takes_s = np.where(waiting > 0, np.nan, 0.0)
    np.divide(waiting, sent_pps, out=takes_s, where=sent_pps > 0)
    dropped_pps = history.dropped_packets[mine].sum(axis=0) / width_s
    end_s, tokens = history.time_s[1:], history.tokens_share[at]
    return OverTime(end_s - width_s / 2, end_s, waiting, takes_s, dropped_pps, tokens)
