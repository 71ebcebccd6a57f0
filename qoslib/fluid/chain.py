"""A chain of ports and forwarders: what one sends, the next is offered."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from qoslib import units
from qoslib.port import Chain
from qoslib.results import Result
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["through"]


def through(
    chain: Chain,
    streams: Sequence[Stream],
    offered_bps: Floats,
    solve: Callable[..., Result],
) -> Result:
    """Steady rates, losses and waiting times over a whole chain.

    Hops in order: each is offered what the one before sends. Losses and latencies add; rates in
    are those of a stream's first hop, rates out those of its last.

    Parameters
    ----------
    chain : Chain
    streams : sequence of Stream
    offered_bps : ndarray, shape (..., streams)
        In bits of frames [bit/s].
    solve : callable
        Of one port or forwarder, its streams and their offered rates.

    Raises
    ------
    ValueError
        As `Chain.routes` and `solve` do.
    """
    routes = chain.routes(streams)
    frames = np.array([stream.mean_frame_bytes for stream in streams])
    first, now = offered_bps.copy(), offered_bps.copy()
    latency_s = np.zeros_like(now)
    causes: dict[str, Floats] = {}
    hops = []
    for index, hop in enumerate(chain.hops):
        members = [i for i, route in enumerate(routes) if index in route]
        start = [i for i in members if routes[i][0] == index]
        result = solve(hop.at, [streams[i] for i in members], now[..., members])
        first[..., start] = result.offered_bps[..., [members.index(i) for i in start]]
        now[..., members] = result.sent_bps
        latency_s[..., members] += result.delay_mean_s
        for cause, dropped_pps in result.dropped_by_pps.items():
            causes.setdefault(cause, np.zeros_like(now))[..., members] += dropped_pps
        hops.append(result)
    dropped = np.maximum(first - now, 0)
    return Result(
        model="fluid",
        streams=tuple(stream.name for stream in streams),
        queues=tuple(_queue_names(chain, hops)),
        offered_pps=units.rate_pps(first, frames),
        sent_pps=units.rate_pps(now, frames),
        dropped_pps=units.rate_pps(dropped, frames),
        offered_bps=first,
        sent_bps=now,
        dropped_bps=dropped,
        delay_mean_s=latency_s,
        delay_min_s=latency_s,
        delay_max_s=latency_s,
        dropped_by_pps=causes,
        without_delay={name: why for hop in hops for name, why in hop.without_delay.items()},
        hops=tuple(hops),
        notes=tuple(
            f"{hop.at.name}: {note}"
            for hop, result in zip(chain.hops, hops, strict=True)
            for note in result.notes
        ),
    )


def _queue_names(chain: Chain, hops: Sequence[Result]) -> Iterator[str]:
    for hop, result in zip(chain.hops, hops, strict=True):
        yield from (f"{hop.at.name}/{queue}" for queue in result.queues)
