"""A workload in qoslib: what a user writes stands in `benchmarks.workloads`.

It reads a description on standard input, of which it needs no more than the name, the seed and
the time, and prints results. The default record is made, and nothing is switched off.
"""

import json
import sys
from time import process_time

from benchmarks.workloads import made
from qoslib.packets import simulate


def results(asked):
    """Run it: seconds of `simulate`, counts, and mean latencies.

    Machine code is loaded with the first call, which belongs to the start of the process, as the
    peers' imports do.
    """
    port, streams = made(asked["workload"], asked["seed"], asked["variant"])
    simulate(port, streams, asked["duration_s"] / asked["packets"])
    began_s = process_time()
    result = simulate(port, streams, asked["duration_s"], seed=asked["seed"])
    took_s = process_time() - began_s
    counts = {name: getattr(result.packets, name).tolist() for name in ("offered", "sent")}
    return {"simulation_s": took_s, **counts, "delay_mean_s": result.delay_mean_s.tolist()}


if __name__ == "__main__":
    print(json.dumps(results(json.load(sys.stdin))))
