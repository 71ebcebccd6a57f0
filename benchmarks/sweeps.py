"""What a sweep costs beyond its runs: on threads, and on dask's workers in processes of their own.

    python -m benchmarks.sweeps

Efficiency is the time of the runs alone, one after the other, over the cores' time that a sweep
of them takes. The overhead is the wall time per point of a sweep of very short runs, less the
time of such a run.
"""

import contextlib
import os
import time

from benchmarks.workloads import duration_s, made
from qoslib import Scenario, run, sweep

__all__ = ["sweep_figures"]

POINTS, POINT_S = 16, 1.0
#: Of the runs that show the overhead.
SHORT_POINTS, SHORT_PACKETS = 400, 100


def _silent(done, total):
    pass


def _scenario(packets):
    port, streams = made("W2", 0)
    return Scenario("W2", port, tuple(streams), duration_s(streams, packets))


def _alone_s(scenario, runs):
    """The mean time of a run."""
    began_s = time.perf_counter()
    for seed in range(runs):
        run(scenario.replace(seed=seed), bins=1, progress=_silent)
    return (time.perf_counter() - began_s) / runs


def _swept_s(scenario, points, executor):
    began_s = time.perf_counter()
    sweep(scenario, {"seed": range(points)}, bins=1, executor=executor, progress=_silent)
    return time.perf_counter() - began_s


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
    cores = os.cpu_count() or 1
    _alone_s(_scenario(SHORT_PACKETS), 1)
    trial = 1_000_000
    long = _scenario(trial * POINT_S / _alone_s(_scenario(trial), 3))
    short = _scenario(SHORT_PACKETS)
    makers = {"threads": contextlib.nullcontext, "dask": lambda: _dask(cores)}
    figures = {}
    for name, maker in makers.items():
        with maker() as executor:
            _swept_s(short, 2 * cores, executor)
            alone_s = _alone_s(long, 4)
            swept_s = _swept_s(long, POINTS, executor)
            each_s = _swept_s(short, SHORT_POINTS, executor) / SHORT_POINTS
        figures[name] = {
            "cores": cores,
            "point_s": alone_s,
            "efficiency": POINTS * alone_s / (cores * swept_s),
            "overhead_s": each_s - _alone_s(short, SHORT_POINTS) / cores,
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
