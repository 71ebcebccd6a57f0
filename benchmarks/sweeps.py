"""What a sweep costs beyond its runs: on threads, and on dask's workers in processes of their own.

    python -m benchmarks.sweeps

Ideal is what as many separate processes as there are cores take, each of which runs its share of
the points one after the other. Sweep and processes take turns, so that other work on the machine
slows both. The overhead is the time per point of a sweep of very short runs, less their own time
over the cores.
"""

import contextlib
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor

from benchmarks.workloads import duration_s, made
from qoslib import Scenario, run, sweep

__all__ = ["lines", "sweep_figures"]

POINTS, POINT_S, TURNS = 16, 1.0, 3
#: Of the runs that show the overhead.
SHORT_POINTS, SHORT_PACKETS = 400, 100


def _silent(done, total):
    pass


def _scenario(packets):
    port, streams = made("W2", 0)
    return Scenario("W2", port, tuple(streams), duration_s(streams, packets))


def _took_s(call, *arguments):
    began_s = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - began_s


def _runs(scenario, seeds):
    for seed in seeds:
        run(scenario.replace(seed=seed), bins=1, progress=_silent)


def _shared(pool, scenario, cores):
    shares = [range(core, POINTS, cores) for core in range(cores)]
    list(pool.map(_runs, [scenario] * cores, shares))


def _swept(scenario, points, executor):
    sweep(scenario, {"seed": range(points)}, bins=1, executor=executor, progress=_silent)


@contextlib.contextmanager
def _dask(workers):
    """Worker processes on this machine that listen on loopback alone."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as c,
        Client(c) as client,
    ):
        yield client.get_executor()


def sweep_figures():
    """Executor -> its efficiency, and the overhead per point [s]."""
    cores, trial = os.cpu_count() or 1, 1_000_000
    short = _scenario(SHORT_PACKETS)
    _runs(short, range(2))
    least_s = min(_took_s(_runs, _scenario(trial), range(1)) for _ in range(5))
    long = _scenario(trial * POINT_S / least_s)
    makers = {"threads": contextlib.nullcontext, "dask": lambda: _dask(cores)}
    figures = {}
    spawn = multiprocessing.get_context("spawn")
    for name, maker in makers.items():
        with maker() as executor, ProcessPoolExecutor(cores, spawn) as pool:
            _shared(pool, short, cores)
            _swept(short, 2 * cores, executor)
            turns = [
                (_took_s(_shared, pool, long, cores), _took_s(_swept, long, POINTS, executor))
                for _ in range(TURNS)
            ]
            overheads_s = [
                _took_s(_swept, short, SHORT_POINTS, executor)
                - _took_s(_runs, short, range(SHORT_POINTS)) / cores
                for _ in range(TURNS)
            ]
        ideal_s, swept_s = map(sum, zip(*turns, strict=True))
        figures[name] = {
            "cores": cores,
            "point_s": POINT_S,
            "efficiency": ideal_s / swept_s,
            "overhead_s": min(overheads_s) / SHORT_POINTS,
        }
    return figures


def lines(figures):
    """The figures as lines of a list."""
    return [
        f"- `sweep` on {row['cores']} cores, {name}: {row['efficiency']:.0%} of ideal with"
        f" {row['point_s']:.2g} s per point; {row['overhead_s'] * 1e3:.2g} ms per point on top"
        for name, row in figures.items()
    ]


if __name__ == "__main__":
    print(*lines(sweep_figures()), sep="\n")
