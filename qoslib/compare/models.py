"""The models that can stand on the scoreboard."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from qoslib import fluid, packets, units
from qoslib.platforms.provenance import Experiment
from qoslib.results import Result
from qoslib.traffic import Cbr, Stream, TickedBursts

__all__ = ["MODELS", "in_any_phase", "started_by_hand"]

#: Apart from the draws of the phases, which have the seed alone.
HAND = 1


def in_any_phase(streams: Sequence[Stream], seed: int) -> list[Stream]:
    """Regular streams, each begun at a random point of its first interval or tick.

    No source prints how the streams of its load generators stood to each other, and streams that
    all begin at once are the least likely case.
    """
    rng = np.random.default_rng(seed)
    return [_begun(stream, rng.random()) for stream in streams]


def _begun(stream, share):
    if isinstance(stream.arrivals, TickedBursts):
        return stream.replace(
            arrivals=stream.arrivals.replace(phase_s=share * stream.arrivals.tick_s)
        )
    if not isinstance(stream.arrivals, Cbr) or not stream.rate_bps:
        return stream
    interval_s = 1 / units.rate_pps(stream.rate_bps, stream.mean_frame_bytes)
    return stream.replace(arrivals=Cbr(share * interval_s))


def started_by_hand(streams: Sequence[Stream], within_s: float, seed: int) -> list[Stream]:
    """Streams, of which all but the first start later by a uniform draw of up to `within_s` [s]."""
    rng = np.random.default_rng((seed, HAND))
    first, *others = streams
    return [first, *(_later(stream, within_s * rng.random()) for stream in others)]


def _later(stream, by_s):
    stop_s = None if stream.stop_s is None else stream.stop_s + by_s
    return stream.replace(start_s=stream.start_s + by_s, stop_s=stop_s)


def _fluid(experiment: Experiment) -> tuple[Result]:
    if experiment.is_run:
        mean_s = experiment.started_within_s / 2
        streams = (
            experiment.streams[0],
            *(_later(stream, mean_s) for stream in experiment.streams[1:]),
        )
        return (fluid.over_time(experiment.port, streams, experiment.duration_s),)
    return (fluid.solve(experiment.port, experiment.streams),)


def _packets(experiment: Experiment) -> tuple[Result, ...]:
    def one(seed):
        return packets.simulate(
            experiment.port,
            started_by_hand(
                in_any_phase(experiment.streams, seed), experiment.started_within_s, seed
            ),
            experiment.duration_s,
            seed=seed,
            warmup_s=experiment.warmup_s,
            progress=lambda done_s, total_s: None,
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return tuple(pool.map(one, range(1, experiment.replications + 1)))


#: Name to a function of an experiment. A deterministic model gives one result without a seed, a
#: random one a result for each seed: then a value's interval holds the middle 90 % of them,
#: since a published number is the outcome of one run too.
MODELS: dict[str, Callable[[Experiment], Sequence[Result]]] = {
    "fluid": _fluid,
    "packets": _packets,
}
