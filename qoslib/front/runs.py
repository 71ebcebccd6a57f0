"""Run a scenario by the model that is named; its parts decide which engine that is."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from functools import cache, partial
from typing import Any, overload

from qoslib import fluid, packets, tcp
from qoslib.fluid.filling import noted
from qoslib.front.grid import Sweep
from qoslib.front.workers import each, silent
from qoslib.packets.progress import Progress, check_progress
from qoslib.platforms import Experiment
from qoslib.port import Port
from qoslib.record import Count, checked, fail
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["MODELS", "run", "run_each"]

#: A run of this simulated time has its kernels compiled [s].
COMPILING_S = 1e-6
#: What a scenario says itself, or what `run` has a parameter for.
_GIVEN = {"network", "port", "streams", "hosts", "duration_s", "warmup_s", "seed"}
_GIVEN |= {"offered_bps", "progress"}


@overload
def run(
    scenario: Scenario,
    model: str = ...,
    *,
    seeds: None = None,
    executor: Executor | None = ...,
    progress: Progress | None = ...,
    **options: Any,
) -> Result: ...
@overload
def run(
    scenario: Scenario,
    model: str = ...,
    *,
    seeds: Iterable[int],
    executor: Executor | None = ...,
    progress: Progress | None = ...,
    **options: Any,
) -> Sweep: ...
def run(
    scenario: Scenario,
    model: str = "packets",
    *,
    seeds: Iterable[int] | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Result | Sweep:
    """Run a scenario, and record what happens to each of its streams and flows.

    Parameters
    ----------
    scenario : Scenario
    model : str
        ``packets``: packet by packet (`packets.simulate`, `tcp.simulate` with TCP hosts).
        ``fluid``: mean rates (`fluid.solve`; `fluid.over_time` where a stream starts or stops
        within the run; `tcp.solve` with TCP hosts).
    seeds : iterable of int, optional
        At least two, all different: a run for each, on all cores. By default one run with the
        scenario's own seed.
    executor : concurrent.futures.Executor, optional
        Whose workers run the seeds; by default a thread per core. It is not shut down.
    progress : callable, optional
        Called with simulated time done and in total [s], or with the number of seeds; by default a
        bar after two seconds.
    **options
        Of the engine: `bins`, `trace_packets` and so on. None of the fluid model.

    Returns
    -------
    Result or Sweep
        With `seeds` a Sweep over them, which has confidence intervals (`Sweep.interval`).

    Raises
    ------
    ValueError
        If the model or an option is not known, no engine can run the scenario, or as its engine
        does.
    KeyboardInterrupt
        If it is stopped before the warm-up is over, or during several runs: some of the seeds are
        no answer.

    Notes
    -----
    The fluid model's rates are steady where no stream starts or stops within the run, although the
    queues begin empty. A scenario that gives no times has a run of 1 s without a warm-up, and its
    fluid answer is read as that of a long test: if queues filled first, it would depend on a
    duration that nobody chose. Where filling would take more than a tenth of a stream's loss,
    `Result.notes` says what the stream would lose. `fluid.over_time` fills the queues of a port.

    Examples
    --------
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, run
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> office = Scenario("office", port, (Stream("data", 120e6),))
    >>> for model in ("packets", "fluid"):
    ...     print(model, run(office, model).sent_bps / 1e6)
    packets [100.]
    fluid [100.]
    """
    if isinstance(scenario, Experiment):
        kind = type(scenario).__name__
        fail("scenario", kind, "a Scenario: an experiment's is its .scenario")
    scenario = checked(Scenario, scenario, "scenario")
    checked(Executor | None, executor, "executor")
    check_progress(progress)
    engine = engine_of(scenario, model, options)
    if seeds is None:
        if executor is not None:
            fail("executor", executor, "None without seeds, as one run is not divided")
        return engine(seed=scenario.seed, progress=progress)
    chosen: tuple[int, ...] = checked(tuple[Count, ...], seeds, "seeds")
    if len(chosen) < 2 or len(set(chosen)) != len(chosen):
        fail("seeds", chosen, "at least two, all different")
    if model == "fluid" and not scenario.hosts:
        fail("seeds", chosen, "None, since the fluid model of streams draws nothing")
    runs = [scenario.replace(seed=seed) for seed in chosen]
    results = run_each(runs, model, options, executor=executor, progress=progress)
    return Sweep({"seed": chosen}, tuple(results))


def run_each(
    scenarios: Sequence[Scenario],
    model: str,
    options: dict[str, Any],
    *,
    executor: Executor | None = None,
    on_result: Callable[[int, Result], object] | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Run scenarios on the workers of an executor, after all kernels have been compiled here."""
    checked(Executor | None, executor, "executor")
    check_progress(progress)
    begun: dict[tuple[type, bool], Scenario] = {}
    for scenario in scenarios:
        engine_of(scenario, model, options)
        if model != "fluid" or scenario.hosts:
            duration_s = min(scenario.duration_s, COMPILING_S)
            kind = type(scenario.network), bool(scenario.hosts)
            begun.setdefault(kind, scenario.replace(duration_s=duration_s, warmup_s=0.0))
    task = partial(finished, model, options)
    # On threads of its own, so that an interrupt is noticed here.
    each(task, begun.values(), progress=silent)
    return each(task, scenarios, executor=executor, on_result=on_result, progress=progress)


def finished(model: str, options: dict[str, Any], scenario: Scenario, progress: Progress) -> Result:
    """One run of many: one that was stopped is no answer."""
    result = engine_of(scenario, model, options)(seed=scenario.seed, progress=progress)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def _streams_by_packets(
    scenario: Scenario, seed: int, progress: Progress | None, **options: Any
) -> Result:
    return packets.simulate(
        scenario.network,
        scenario.streams,
        scenario.duration_s,
        warmup_s=scenario.warmup_s,
        seed=seed,
        progress=progress,
        **options,
    )


def _hosts(
    engine: Callable[..., Result],
    scenario: Scenario,
    seed: int,
    progress: Progress | None,
    **options: Any,
) -> Result:
    return engine(
        scenario.network,
        scenario.hosts,
        scenario.duration_s,
        streams=scenario.streams,
        warmup_s=scenario.warmup_s,
        seed=seed,
        progress=progress,
        **options,
    )


def _streams_as_fluid(scenario: Scenario, seed: int, progress: Progress | None) -> Result:
    begin_s, end_s = scenario.warmup_s, scenario.duration_s
    for stream in scenario.streams:
        if stream.start_s > begin_s or (stream.stop_s is not None and stream.stop_s < end_s):
            return fluid.over_time(scenario.network, scenario.streams, end_s, warmup_s=begin_s)
    steady = fluid.solve(scenario.network, scenario.streams)
    return noted(scenario.network, scenario.streams, steady, end_s, begin_s)


#: Model, and whether it has TCP hosts -> the engine, and how a scenario is given to it.
_ENGINES: dict[tuple[str, bool], tuple[Callable[..., Result], Callable[..., Result]]] = {
    ("packets", False): (packets.simulate, _streams_by_packets),
    ("packets", True): (tcp.simulate, partial(_hosts, tcp.simulate)),
    ("fluid", False): (fluid.solve, _streams_as_fluid),
    ("fluid", True): (tcp.solve, partial(_hosts, tcp.solve)),
}
#: Names of the models that `run` and `sweep` take.
MODELS = tuple(dict.fromkeys(model for model, _ in _ENGINES))


def engine_of(scenario: Scenario, model: str, options: dict[str, Any]) -> Callable[..., Result]:
    """A function of seed and progress that runs a scenario; it has been checked that one can."""
    if model not in MODELS:
        runs_hosts = ", each of which runs TCP hosts as well" if model == "tcp" else ""
        fail("model", model, ", ".join(map(repr, MODELS)) + runs_hosts)
    if model == "fluid" and scenario.hosts and not isinstance(scenario.network, Port):
        kind = type(scenario.network).__name__
        runs = 'a Port in the fluid model; model="packets" runs them at chains and switches too'
        fail("the network of TCP hosts", kind, runs)
    engine, given = _ENGINES[model, bool(scenario.hosts)]
    allowed = _options_of(engine)
    for option in options.keys() - allowed:
        of_model = ", ".join(sorted(allowed)) or "none of this model"
        also = "; seeds=range(10), or Scenario(..., seed=3)" if option == "seed" else ""
        fail("an option", option, of_model + also)
    return partial(given, scenario, **options)


@cache
def _options_of(engine: Callable[..., Result]) -> frozenset[str]:
    return frozenset(inspect.signature(engine).parameters.keys() - _GIVEN)
