"""A chain of ports and forwarders: what one sends, the next is offered."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from qoslib import units
from qoslib.port import Chain, Hop
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
        If a stream passes no hop, a hop names an unknown stream, a PAUSE is sent where packets
        come from another hop, or as `solve` does.
    """
    routes = _routes(chain, streams)
    frames = np.array([stream.mean_frame_bytes for stream in streams])
    first, now = offered_bps.copy(), offered_bps.copy()
    latency_s = np.zeros_like(now)
    causes: dict[str, Floats] = {}
    hops = []
    for index, (hop, members) in enumerate(zip(chain.hops, _members(routes, chain), strict=True)):
        start = [i for i in members if routes[i][0] == index]
        _refuse_pause(hop, start, members)
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


def _routes(chain: Chain, streams: Sequence[Stream]) -> list[list[int]]:
    """The hops that each stream passes."""
    names = [stream.name for stream in streams]
    for hop in chain.hops:
        for name in set(hop.streams) - set(names):
            raise ValueError(f"a stream of hop {hop.at.name!r} is {name!r}; allowed: {names}")
    routes = [
        [i for i, hop in enumerate(chain.hops) if not hop.streams or name in hop.streams]
        for name in names
    ]
    for name, route in zip(names, routes, strict=True):
        if not route:
            raise ValueError(f"stream {name!r} passes no hop; allowed: at least one that names it")
    return routes


def _members(routes: list[list[int]], chain: Chain) -> Iterator[list[int]]:
    """The streams that pass each hop."""
    for index, hop in enumerate(chain.hops):
        members = [i for i, route in enumerate(routes) if index in route]
        if not members:
            raise ValueError(f"hop {hop.at.name!r} has no stream; allowed: at least one")
        yield members


def _refuse_pause(hop: Hop, start: list[int], members: list[int]) -> None:
    if hop.at.pause is not None and start != members:
        allowed = "None, except where all streams start"
        raise ValueError(f"{hop.at.name!r} pause is {hop.at.pause}; allowed: {allowed}")


def _queue_names(chain: Chain, hops: Sequence[Result]) -> Iterator[str]:
    for hop, result in zip(chain.hops, hops, strict=True):
        yield from (f"{hop.at.name}/{queue}" for queue in result.queues)
