"""A chain of ports and forwarders: what one sends, the next is offered."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from qoslib import units
from qoslib.fluid.colours import Parts
from qoslib.port import Chain, Forwarder, Port
from qoslib.results import Result
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["through"]


def through(
    chain: Chain,
    streams: Sequence[Stream],
    offered_bps: Floats,
    solve: Callable[[Port | Forwarder, Parts], tuple[Result, Parts]],
) -> Result:
    """Steady rates, losses and waiting times over a whole chain.

    Hops in order: each is offered what the one before sends. Losses and latencies add; rates in
    are those of a stream's first hop, rates out those of its last.
    """
    routes = chain.routes(streams)
    frames = np.array([stream.mean_frame_bytes for stream in streams], dtype=float)
    first, now = offered_bps.copy(), offered_bps.copy()
    going: list[list[tuple[Stream, Floats]]] = [
        [(stream, offered_bps[..., i])] for i, stream in enumerate(streams)
    ]
    latency_s = np.zeros_like(now)
    causes: dict[str, Floats] = {}
    hops = []
    for index, hop in enumerate(chain.hops):
        members = [i for i, route in enumerate(routes) if index in route]
        start = [i for i in members if routes[i][0] == index]
        result, sent = solve(hop.at, _gathered(streams, members, going))
        for row, i in enumerate(members):
            mine = np.flatnonzero(sent.owner == row)
            going[i] = [(sent.streams[part], sent.bps[..., part]) for part in mine]
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
        sent_by_mark_pps=_by_mark(hops, going, frames),
        without_delay={name: why for hop in hops for name, why in hop.without_delay.items()},
        hops=tuple(hops),
        notes=tuple(
            f"{hop.at.name}: {note}"
            for hop, result in zip(chain.hops, hops, strict=True)
            for note in result.notes
        ),
    )


def _gathered(
    streams: Sequence[Stream], members: Sequence[int], going: Sequence[list[tuple[Stream, Floats]]]
) -> Parts:
    """What the members among the streams have become, as a hop is offered it."""
    parts = [(row, *part) for row, i in enumerate(members) for part in going[i]]
    return Parts(
        tuple(streams[i].name for i in members),
        tuple(stream for _, stream, _ in parts),
        np.array([row for row, _, _ in parts], np.intp),
        np.stack([bps for _, _, bps in parts], axis=-1),
    )


def _by_mark(
    hops: Sequence[Result],
    going: Sequence[list[tuple[Stream, Floats]]],
    frames: Floats,
) -> dict[str, Floats]:
    """What leaves the last hops by mark [packets/s]; empty where no hop gives another mark."""
    found: dict[str, Floats] = {}
    if not any(hop.sent_by_mark_pps for hop in hops):
        return found
    for i, parts in enumerate(going):
        for stream, bps in parts:
            none = np.zeros((*bps.shape, len(going)))
            found.setdefault(stream.label, none)[..., i] += units.rate_pps(bps, frames[i])
    return {mark: pps for mark, pps in found.items() if pps.any()}


def _queue_names(chain: Chain, hops: Sequence[Result]) -> Iterator[str]:
    for hop, result in zip(chain.hops, hops, strict=True):
        yield from (f"{hop.at.name}/{queue}" for queue in result.queues)
