"""From counters to the record."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.packets.events import events_of
from qoslib.packets.kernels.clock import PS_PER_S
from qoslib.packets.kernels.codes import CAUSES, LOSS_RUNS
from qoslib.packets.kernels.counters import bin_edges_ps
from qoslib.packets.kernels.tables import State
from qoslib.packets.plan import Run
from qoslib.results import Counts, Heard, Histogram, History, PacketTrace, Result
from qoslib.units import Floats

__all__ = ["balanced", "collected", "filling", "record_of", "trace_of"]


def collected(
    state: State,
    names: tuple[str, ...],
    queues: tuple[str, ...],
    run: Run,
    done_ps: int,
    trace: PacketTrace | None = None,
    marks: Sequence[str] = (),
) -> Result:
    """The record of a run, up to a time before which every event has been played."""
    return record_of(
        names,
        queues,
        run,
        done_ps,
        packets=_counts(state, 1),
        octets=_counts(state, state.classes["frame_bytes"]),
        delays=state.delays,
        delayed=_by_stream(state, state.counts[:, 1]),
        histogram=state.histogram,
        loss_runs=_by_stream(state, state.drops[:, LOSS_RUNS]),
        history=_history(state, run),
        pause_frames=int(state.port[0]["pause_frames"]),
        trace=trace,
        events=events_of(state, done_ps, marks) if run.events else None,
        sent_by_mark_pps=_sent_by_mark(state, marks, (done_ps - run.warm_ps) / PS_PER_S),
    )


def _sent_by_mark(state: State, marks: Sequence[str], seconds: float) -> dict[str, Floats]:
    """Sent packets of each stream by their mark, where packets of a stream have several."""
    classes, sent = state.classes, state.counts[:, 1]
    if (classes["base"] == np.arange(len(classes), dtype=np.int64)).all():
        return {}
    of = np.array(marks, dtype=str)
    found = {mark: _by_stream(state, sent * (of == mark)) for mark in dict.fromkeys(marks)}
    return {mark: packets / seconds for mark, packets in found.items() if packets.any()}


def record_of(
    names: tuple[str, ...],
    queues: tuple[str, ...],
    run: Run,
    done_ps: int,
    *,
    packets: Counts,
    octets: Counts,
    delays: NDArray[np.void],
    delayed: NDArray[np.int64],
    histogram: NDArray[np.int64],
    loss_runs: NDArray[np.int64],
    **more: Any,
) -> Result:
    """The record of counts, and of the delays of so many packets `delayed` of each stream."""
    seconds = (done_ps - run.warm_ps) / PS_PER_S
    low, mean, high = _delay_s(delays, delayed)
    return Result(
        model="packets",
        streams=names,
        queues=queues,
        offered_pps=packets.offered / seconds,
        sent_pps=packets.sent / seconds,
        dropped_pps=packets.lost / seconds,
        offered_bps=units.bits(octets.offered) / seconds,
        sent_bps=units.bits(octets.sent) / seconds,
        dropped_bps=units.bits(octets.lost) / seconds,
        delay_mean_s=mean,
        delay_min_s=low,
        delay_max_s=high,
        dropped_by_pps={cause: n / seconds for cause, n in packets.dropped.items()},
        duration_s=seconds,
        seed=run.seed,
        packets=packets,
        octets=octets,
        histogram=Histogram(bin_edges_ps() / PS_PER_S, histogram),
        heard=Heard(_jitter_s(delays, delayed), loss_runs),
        interrupted=done_ps < run.end_ps,
        **more,
    )


def _by_stream(state: State, per_class: NDArray[np.int64]) -> NDArray[np.int64]:
    total = np.zeros((len(state.delays), *np.shape(per_class)[1:]), np.int64)
    np.add.at(total, state.classes["stream"], per_class)
    return total


def _counts(state: State, each: int | NDArray[np.int64]) -> Counts:
    counts: NDArray[np.int64] = state.counts * np.reshape(each, (-1, 1))
    drops: NDArray[np.int64] = state.drops * np.reshape(each, (-1, 1))
    offered, sent, marked = (_by_stream(state, counts[:, i]) for i in range(3))
    dropped = {
        cause: _by_stream(state, drops[:, i])
        for i, cause in enumerate(CAUSES)
        if state.drops[:, i].any()
    }
    return balanced(offered, sent, dropped, marked)


def balanced(
    offered: NDArray[np.int64],
    sent: NDArray[np.int64],
    dropped: dict[str, NDArray[np.int64]],
    marked: NDArray[np.int64],
) -> Counts:
    """Counts whose queues hold what was neither sent nor dropped."""
    lost = sum(dropped.values(), np.zeros_like(offered))
    return Counts(offered, sent, offered - sent - lost, dropped, marked)


def _delay_s(delays: NDArray[np.void], sent: NDArray[np.int64]) -> tuple[np.ndarray, ...]:
    """Least, mean and largest delay [s] of so many packets of each stream."""
    some = np.maximum(sent, 1)
    total = [(int(t["delay_high"]) << 40) + int(t["delay_low"]) for t in delays]
    mean = np.array([ps / int(n) for ps, n in zip(total, some, strict=True)], dtype=float)
    columns = (delays["delay_min"], mean, delays["delay_max"])
    return tuple(np.where(sent > 0, column / PS_PER_S, np.nan) for column in columns)


def _jitter_s(delays: NDArray[np.void], sent: NDArray[np.int64]) -> Floats:
    """Mean change of the delay [s]; the first packet's is taken to be that from the least delay."""
    changed_ps = delays["varied_ps"] - delays["delay_min"]
    mean_ps = changed_ps / np.maximum(sent - 1, 1)
    return np.where(sent > 1, mean_ps / PS_PER_S, np.nan)


def _history(state: State, run: Run) -> History:
    bins = int(state.port[0]["edge"])
    past = state.past_counts[:bins]
    steps = np.diff(past, axis=0, prepend=np.zeros((1, *past.shape[1:]), np.int64))
    offered, sent, dropped = (_by_stream(state, steps[:, :, i].T) for i in range(3))
    sent_bytes = _by_stream(state, (steps[:, :, 1] * state.classes["frame_bytes"]).T)
    time_s = np.concatenate(([run.warm_ps], run.edges_ps()[:bins])) / PS_PER_S
    peaks, tokens = state.past_peaks[:bins].T.copy(), _tokens_share(state, bins)
    return History(time_s, peaks, tokens, offered, sent, dropped, sent_bytes)


def _tokens_share(state: State, bins: int) -> Floats:
    """What policers' buckets hold, over their burst: the rest is what they take to be full."""
    queues = state.queues
    spent_ps = state.past_spent_ps[:bins].T
    # A burst below a picosecond counts as one.
    burst_ps = np.maximum(queues["police_burst_ps"], 1)[:, None]
    return np.where(queues["policed"][:, None], 1 - spent_ps / burst_ps, np.nan)


def trace_of(outcomes: NDArray[np.void], classes: NDArray[np.void]) -> PacketTrace:
    """The packets one by one."""
    causes = np.array([*CAUSES, ""], dtype=str)
    sent = outcomes["cause"] < 0
    return PacketTrace(
        stream=classes["stream"][outcomes["packet_class"]].astype(np.int64),
        arrival_s=outcomes["arrival_ps"] / PS_PER_S,
        departure_s=np.where(sent, outcomes["departure_ps"] / PS_PER_S, np.nan),
        frame_bytes=classes["frame_bytes"][outcomes["packet_class"]],
        cause=causes[outcomes["cause"]],
    )


#: A queue that takes in more than this share of what it is offered, for good, is not yet full.
GROWTH = 2e-3


def filling(result: Result) -> list[str]:
    """Streams whose queues fill to the end of a packet model's run: their delay is no mean.

    Parameters
    ----------
    result : Result
        Of a packet model.

    Returns
    -------
    list of str
        Names of the streams.

    Examples
    --------
    >>> from qoslib.packets import filling, simulate
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(5000)),))
    >>> filling(simulate(port, [Stream("data", 120e6)], 0.1))
    ['data']
    """
    if result.packets is None:
        return []
    grows = result.packets.queued > GROWTH * result.packets.offered
    return [name for name, more in zip(result.streams, grows, strict=True) if more]
