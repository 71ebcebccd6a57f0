"""Run the models of the scoreboard on published experiments."""

import dataclasses
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Generic, TypeVar

from qoslib import fluid, packets, tcp
from qoslib.compare.observe import View
from qoslib.compare.rows import views_of
from qoslib.flows import Host, HtbPacing, actual_rate_bps
from qoslib.front.loss_free import loss_free_search
from qoslib.front.workers import each, silent
from qoslib.packets.phases import delayed, random_phases, random_starts
from qoslib.packets.progress import Progress
from qoslib.platforms import Experiment, Platform
from qoslib.record import fail
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["DRAINED_S", "MODELS", "Memo", "answers", "in_effect", "is_whole", "model_of"]

Value = TypeVar("Value")
#: After a whole replay's last packet is sent the router has so long to empty: testers count on.
DRAINED_S = 1.0


@dataclass
class Memo(Generic[Value]):
    """Values by key, worked out once; who asks for one that is under way waits for it."""

    futures: dict[Hashable, "Future[Value]"] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made if it is the first time; a failure is not kept."""
        with self.lock:
            first = key not in self.futures
            future = self.futures.setdefault(key, Future())
        if first:
            try:
                future.set_result(make())
            except BaseException as error:
                with self.lock:
                    del self.futures[key]
                future.set_exception(error)
        return future.result()


#: TCP runs of this process.
_TCP_RUNS: Memo[Result] = Memo()


def in_effect(host: Host) -> Host:
    """A host with the rate that its pacing really has, so that equal ones are equal."""
    if not isinstance(host.pacing, HtbPacing):
        return host
    actual_bps = actual_rate_bps(host.pacing, host.flows[0].mss_bytes, host.burst_packets)
    paced_bps = host.access_bps if actual_bps is None else min(actual_bps, host.access_bps)
    return host.replace(pacing=HtbPacing(paced_bps))


def is_whole(experiment: Experiment, full: bool) -> bool:
    """Whether an experiment is replayed whole."""
    return full and experiment.whole_s is not None


def _fluid(
    experiment: Experiment, full: bool = False, progress: Progress | None = None
) -> list[Result]:
    port, streams, duration_s = experiment.port, experiment.streams, experiment.duration_s
    if experiment.hosts:
        run = tcp.solve(experiment.only_port, experiment.hosts, duration_s, streams=streams)
        # One run stands for the model: it has no interval over seeds.
        return [dataclasses.replace(_finished(run), seed=None)]
    if experiment.is_run:
        first, *others = streams
        mean_s = experiment.started_within_s / 2
        started = (first, *(delayed(stream, mean_s) for stream in others))
        return [fluid.over_time(port, started, duration_s)]
    return [_at_loss_free_load(experiment, partial(fluid.solve, port))]


def _tcp(
    experiment: Experiment, full: bool = False, progress: Progress | None = None
) -> list[Result]:
    """Packet by packet; experiments that are the same but for their names run once."""
    port, hosts, streams = experiment.only_port, experiment.hosts, experiment.streams
    duration_s = experiment.duration_s

    def run(seed: int) -> Result:
        given: dict[str, Any] = {"seed": seed, "progress": progress or silent}
        return _finished(tcp.simulate(port, hosts, duration_s, streams=streams, **given))

    seeds = range(1, (experiment.replications if full else 1) + 1)
    return [_TCP_RUNS.get((*_described(experiment), seed), partial(run, seed)) for seed in seeds]


def _described(experiment: Experiment) -> tuple[Hashable, ...]:
    """What experiments that are the same but for their names have in common."""
    hosts = tuple(map(in_effect, experiment.hosts))
    return experiment.only_port, hosts, experiment.streams, experiment.duration_s


def _packets(
    experiment: Experiment, full: bool = False, progress: Progress | None = None
) -> list[Result]:
    whole = is_whole(experiment, full)
    # A whole replay is one run, and its tester counts until the router is empty.
    seeds = range(1, 2 if whole else experiment.replications + 1)
    sent_s = (whole and experiment.whole_s) or experiment.duration_s
    duration_s = sent_s + DRAINED_S if whole else sent_s

    def one(seed: int, stop: Progress) -> Result:
        def run(streams: Sequence[Stream]) -> Result:
            if not experiment.phased:
                streams = random_phases(streams, seed)
            streams = random_starts(streams, experiment.started_within_s, seed)
            if whole:
                streams = [stream.replace(stop_s=sent_s) for stream in streams]
            given: dict[str, Any] = {"seed": seed, "progress": progress or stop}
            given["warmup_s"] = experiment.warmup_s
            return _finished(packets.simulate(experiment.port, streams, duration_s, **given))

        return _at_loss_free_load(experiment, run)

    return each(one, seeds, progress=silent)


def _at_loss_free_load(experiment: Experiment, run: Callable[[Sequence[Stream]], Result]) -> Result:
    """What a model gives for an experiment, at its largest load without loss if it has a ramp."""
    ramp = experiment.ramp
    if ramp is None:
        return run(experiment.streams)
    loads = ramp.low_bps, ramp.high_bps, ramp.step_bps
    return loss_free_search(lambda bps: run(ramp.streams_at(bps)), *loads, ramp.watched)


def _finished(result: Result) -> Result:
    """A run that was stopped is no answer, and not one to remember."""
    if result.interrupted:
        raise KeyboardInterrupt
    return result


#: Name to a function of an experiment, whether whole replays are asked for, and a progress that
#: is called during a run; a whole replay takes the first seed alone. A deterministic model gives
#: one result without a seed, a random one a result for each seed: then a value's interval holds
#: the middle 90 % of them, since a published number is the outcome of one run too.
MODELS: dict[str, Callable[..., Sequence[Result]]] = {
    "fluid": _fluid,
    "packets": _packets,
    "tcp": _tcp,
}


def model_of(name: str) -> Callable[..., Sequence[Result]]:
    """One of `MODELS`, which the error lists if there is none of this name."""
    if not isinstance(name, str) or name not in MODELS:
        fail("model", name, ", ".join(MODELS))
    return MODELS[name]


def answers(
    platforms: Sequence[Platform],
    full: bool = False,
    progress: Callable[[str], object] = lambda title: None,
) -> list[list[View]]:
    """Run every model of some platforms on all cores."""
    tasks = [
        (platform, experiment, model)
        for platform in platforms
        for assumptions in platform.assumptions
        if full or assumptions not in platform.full_only
        for experiment in platform.experiments(assumptions).values()
        for model in experiment.models or platform.models
    ]

    # Of TCP experiments that are the same in effect the first is run, whichever thread is faster:
    # at a full queue a difference far below a picosecond decides who loses.
    first = {_described(e): e for _, e, model in reversed(tasks) if model == "tcp"}

    def run(at: int, stop: Progress) -> list[View]:
        platform, experiment, model = tasks[at]
        progress(f"{experiment.title} ({model}, {experiment.assumptions})")
        runs = first[_described(experiment)] if model == "tcp" else experiment
        results = MODELS[model](runs, full=full, progress=stop)
        return views_of(platform, experiment, results, is_whole(experiment, full))

    def is_short(at: int) -> bool:
        """Whole replays begin first, since they take the longest."""
        _, experiment, model = tasks[at]
        return model != "packets" or not is_whole(experiment, full)

    order = sorted(range(len(tasks)), key=is_short)
    found = dict(zip(order, each(run, order), strict=True))
    return [found[at] for at in range(len(tasks))]
