"""Queues that are empty when a run begins: what fills them is not dropped."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from qoslib import units
from qoslib.port import Chain, Forwarder, Port, Switch
from qoslib.results import Result
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["filled", "noted"]

#: Filling is noted where it takes more than this part of the loss, and this part of the load.
MUCH, LEAST = 0.1, 1e-3
#: How many streams a note names.
NAMED = 3

FILLING = (
    "The queues begin empty, and what fills them is not dropped. These steady rates leave that out:"
    " in this run {}. With a longer warm-up the packet model is steady too."
)


def noted(
    network: Port | Forwarder | Chain | Switch,
    streams: Sequence[Stream],
    steady: Result,
    duration_s: float,
    warmup_s: float,
) -> Result:
    """A steady result for a run, with a note where the filling of queues would change its loss.

    Notes
    -----
    At a hop that drops d of a stream, sends s of it and has it wait for W, the stream's part of
    the full queue is ``s W``. By the time t it has been spared ``min(d t, s W)``. That holds at
    each hop of a chain: a queue that is still filling sends what it sends when it is full.
    """
    spared_bits = np.zeros(len(streams))
    for place, over_bps, full_bits in _hops(network, streams, steady):
        by_end, by_begin = (np.minimum(over_bps * at, full_bits) for at in (duration_s, warmup_s))
        spared_bits[place] += by_end - by_begin
    spared_bps = spared_bits / (duration_s - warmup_s)
    matters = spared_bps > np.maximum(MUCH * steady.dropped_bps, LEAST * steady.offered_bps)
    if not matters.any():
        return steady
    loses = [
        f"{streams[i].name} would lose {_percent(lost_bps - spared_bps[i], steady.offered_bps[i])}"
        f" instead of {_percent(lost_bps, steady.offered_bps[i])}"
        for i, lost_bps in enumerate(steady.dropped_bps)
        if matters[i]
    ]
    more = [f"and {len(loses) - NAMED} more would lose less"] if len(loses) > NAMED else []
    note = FILLING.format(", ".join([*loses[:NAMED], *more]))
    return replace(steady, notes=(*steady.notes, note))


def _percent(part: float, whole: float) -> str:
    return f"{units.convert(part / whole, '1', '%'):.3g} %"


def _hops(
    network: Port | Forwarder | Chain | Switch, streams: Sequence[Stream], steady: Result
) -> Iterator[tuple[list[int], Floats, Floats]]:
    """At each hop the places of its streams, what overflows of each, and its part when full."""
    if isinstance(network, Port | Forwarder):
        yield list(range(len(streams))), *_overflow(network, streams, steady)
        return
    names = [stream.name for stream in streams]
    for hop, result in zip(network.hops, steady.hops, strict=True):
        place = [names.index(name) for name in result.streams]
        yield place, *_overflow(hop.at, [streams[i] for i in place], result)


def _overflow(
    at: Port | Forwarder, streams: Sequence[Stream], steady: Result
) -> tuple[Floats, Floats]:
    """What each stream loses at a full queue [bit/s], and its part of the queue [bit]: ``s W``."""
    frames = np.array([stream.mean_frame_bytes for stream in streams], dtype=float)
    overflows = steady.dropped_pps - steady.dropped_by_pps.get("policer", 0.0)
    overflows_bps = units.rate_bps(np.maximum(overflows, 0.0), frames)
    waits_s = np.nan_to_num(steady.delay_mean_s - at.base_delay_s)
    # What a queue drops at its head has waited in it too.
    waited_pps = np.where(
        _sheds_heads(at, streams), overflows, steady.dropped_by_pps.get("head", 0)
    )
    passed_bps = steady.sent_bps + units.rate_bps(waited_pps, frames)
    return overflows_bps, np.where(overflows_bps > 0, passed_bps * waits_s, 0.0)


def _sheds_heads(at: Port | Forwarder, streams: Sequence[Stream]) -> list[bool]:
    """Whether a stream's queue keeps flows apart, and a full one loses the oldest of a flow."""
    if isinstance(at, Forwarder):
        return [False] * len(streams)
    flows = [at.queues[at.queue_of(stream)].flows for stream in streams]
    return [
        each is not None and each.drop_at == "head" and each.flow_limit is None for each in flows
    ]


def filled(port: Port, streams: Sequence[Stream], steady: Result, lengths_s: Floats) -> Result:
    """The rates of stretches with what fills the queues of a port, and what leaves them."""
    frames = np.array([stream.mean_frame_bytes for stream in streams], dtype=float)
    on_line = 1 + port.overhead_bytes / frames
    most_bps = min(port.rate_bps, port.shaper.rate_bps if port.shaper else np.inf)
    overflows_bps, full_bits = _overflow(port, streams, steady)
    held_bits = np.zeros(len(streams))
    sent_bps, dropped_bps = steady.sent_bps.copy(), steady.dropped_bps.copy()
    for k, length_s in enumerate(lengths_s):
        more = np.maximum(full_bits[k] - held_bits, 0.0)
        more = np.minimum(more, overflows_bps[k] * length_s)
        less = np.maximum(held_bits - full_bits[k], 0.0)
        left_bits = max(most_bps - (steady.sent_bps[k] * on_line).sum(), 0.0) * length_s
        wanted_bits = (less * on_line).sum()
        if wanted_bits > left_bits:
            less *= left_bits / wanted_bits
        sent_bps[k] += less / length_s
        dropped_bps[k] -= more / length_s
        held_bits += more - less
    sent_pps = units.rate_pps(sent_bps, frames)
    dropped_pps = units.rate_pps(np.maximum(dropped_bps, 0.0), frames)
    overflows = units.rate_pps(overflows_bps, frames)
    gone_pps = steady.dropped_pps - dropped_pps
    share = np.divide(
        overflows - gone_pps, overflows, out=np.ones_like(overflows), where=overflows > 0
    )
    causes = {
        cause: pps if cause == "policer" else pps * share
        for cause, pps in steady.dropped_by_pps.items()
    }
    return replace(
        steady,
        sent_bps=sent_bps,
        dropped_bps=np.maximum(dropped_bps, 0.0),
        sent_pps=sent_pps,
        dropped_pps=dropped_pps,
        dropped_by_pps=causes,
    )
