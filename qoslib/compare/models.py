"""The models that can stand on the scoreboard."""

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from qoslib import fluid, packets, tcp, units
from qoslib.compare.once import Once, in_effect
from qoslib.compare.ramp import largest_without_loss
from qoslib.front import each
from qoslib.packets.progress import Progress
from qoslib.platforms import Experiment
from qoslib.results import Result
from qoslib.traffic import Cbr, Stream, TickedBursts

__all__ = ["DRAINED_S", "MODELS", "in_any_phase", "is_whole", "started_by_hand"]

#: Apart from the draws of the phases, which have the seed alone.
HAND = 1
#: After a whole replay's last packet is sent the router has so long to empty: testers count on.
DRAINED_S = 1.0
#: TCP runs of this process.
ONCE: Once[Result] = Once()


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


def is_whole(experiment: Experiment, full: bool) -> bool:
    """Whether an experiment is replayed whole."""
    return full and experiment.whole_s is not None


def _fluid(
    experiment: Experiment, full: bool = False, tell: Progress | None = None
) -> list[Result]:
    if experiment.hosts:
        return [_tcp_fluid(experiment)]
    if experiment.is_run:
        mean_s = experiment.started_within_s / 2
        first, *others = experiment.streams
        streams = (first, *(_later(stream, mean_s) for stream in others))
        return [fluid.over_time(experiment.port, streams, experiment.duration_s)]

    def answer(streams):
        return fluid.solve(experiment.port, streams)

    ramp = experiment.ramp
    return [largest_without_loss(ramp, answer) if ramp else answer(experiment.streams)]


def _tcp_fluid(experiment):
    port, hosts, streams = experiment.only_port, experiment.hosts, experiment.streams
    result = _whole(tcp.solve(port, hosts, experiment.duration_s, streams=streams))
    # One run stands for the model: it has no interval over seeds.
    return dataclasses.replace(result, seed=None)


def _tcp(experiment: Experiment, full: bool = False, tell: Progress | None = None) -> list[Result]:
    """Packet by packet; experiments that are the same but for their names are played once."""
    port, hosts, streams = experiment.only_port, experiment.hosts, tuple(experiment.streams)
    seeds = range(1, (experiment.replications if full else 1) + 1)
    duration_s, heard = experiment.duration_s, tell or _silent

    def one(seed):
        run = tcp.simulate(port, hosts, duration_s, streams=streams, seed=seed, progress=heard)
        return _whole(run)

    described = (port, in_effect(hosts), streams, duration_s)
    return [ONCE.of((*described, seed), partial(one, seed)) for seed in seeds]


def _packets(
    experiment: Experiment, full: bool = False, tell: Progress | None = None
) -> list[Result]:
    whole = is_whole(experiment, full)

    def one(seed, listen):
        def run(streams):
            return _run(experiment, streams, seed, whole, tell or listen)

        ramp = experiment.ramp
        return largest_without_loss(ramp, run) if ramp else run(experiment.streams)

    seeds = range(1, 2 if whole else experiment.replications + 1)
    return each(one, seeds, progress=_silent)


def _run(experiment, streams, seed, whole, tell):
    sent_s = experiment.whole_s if whole else experiment.duration_s
    if not experiment.phased:
        streams = in_any_phase(streams, seed)
    streams = started_by_hand(streams, experiment.started_within_s, seed)
    if whole:
        streams = [stream.replace(stop_s=sent_s) for stream in streams]
    run = packets.simulate(
        experiment.port,
        streams,
        sent_s + DRAINED_S if whole else sent_s,
        seed=seed,
        warmup_s=experiment.warmup_s,
        progress=tell,
    )
    return _whole(run)


def _whole(result):
    """A run that was stopped is no answer, and not one to remember."""
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def _silent(done_s, total_s):
    pass


#: Name to a function of an experiment, whether whole replays are asked for, and whom to tell how
#: far a replay is; a whole replay takes the first seed alone. A deterministic model gives one
#: result without a seed, a random one a result for each seed: then a value's interval holds the
#: middle 90 % of them, since a published number is the outcome of one run too.
MODELS: dict[str, Callable[..., Sequence[Result]]] = {
    "fluid": _fluid,
    "packets": _packets,
    "tcp": _tcp,
}
