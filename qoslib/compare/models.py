"""The models that can stand on the scoreboard."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from qoslib import fluid, packets, units
from qoslib.platforms.provenance import Experiment
from qoslib.results import Result
from qoslib.traffic import Cbr, Stream

__all__ = ["MODELS", "SEEDS", "in_any_phase"]

#: Seeds of the random models, declared once for all rows.
SEEDS = (1, 2, 3)


def in_any_phase(streams: Sequence[Stream], seed: int) -> list[Stream]:
    """Regular streams, each begun at a random point of its first interval.

    No source prints how the streams of its load generators stood to each other, and streams that
    all begin at once are the least likely case.
    """
    rng = np.random.default_rng(seed)
    return [_begun(stream, rng.random()) for stream in streams]


def _begun(stream, share):
    if not isinstance(stream.arrivals, Cbr) or not stream.rate_bps:
        return stream
    interval_s = 1 / units.rate_pps(stream.rate_bps, stream.mean_frame_bytes)
    return stream.replace(arrivals=Cbr(share * interval_s))


def _fluid(experiment: Experiment) -> tuple[Result]:
    return (fluid.solve(experiment.port, experiment.streams),)


def _packets(experiment: Experiment) -> tuple[Result, ...]:
    def one(seed):
        return packets.simulate(
            experiment.port,
            in_any_phase(experiment.streams, seed),
            experiment.duration_s,
            seed=seed,
            warmup_s=experiment.warmup_s,
            progress=lambda done_s, total_s: None,
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return tuple(pool.map(one, SEEDS))


#: Name to a function of an experiment. A deterministic model gives one result without a seed, a
#: random one a result for each seed: then a value's interval runs from the least to the largest,
#: since a published number is the outcome of one run too.
MODELS: dict[str, Callable[[Experiment], Sequence[Result]]] = {
    "fluid": _fluid,
    "packets": _packets,
}
