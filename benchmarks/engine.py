"""What the packet engine alone costs: beside compiled C, at its start, on two cores."""

import os
import subprocess
import sys

from benchmarks import compiled
from benchmarks.kernels import simulate_ns
from benchmarks.reference import reference_ns
from benchmarks.sweeps import sweep_figures
from benchmarks.workloads import TREES, WORKLOADS

__all__ = ["engine_figures"]

START = """
import time; began = time.process_time()
import {module}
print(time.process_time() - began)
"""
FIRST_CALL = """
from benchmarks.workloads import duration_s, made
from qoslib.packets import simulate
import time
port, streams = made("W1", 0)
began = time.process_time(); simulate(port, streams, duration_s(streams, 1000))
print(time.process_time() - began)
"""


def _seconds(code, repeats):
    """The least that a fresh process says its code took."""
    command = [sys.executable, "-c", code]
    done = [subprocess.run(command, capture_output=True, check=True) for _ in range(repeats)]
    return min(float(d.stdout) for d in done)


def beside_compiled(packets=2_000_000):
    """Workload -> nanoseconds a packet here and in compiled C, and whether the answers agree."""
    table = {}
    for name in WORKLOADS | TREES:
        row = {"qoslib_ns": simulate_ns(name, packets)}
        if compiled.compiler():
            row["compiled_ns"] = compiled.twin_ns(name, packets)
            row["ratio"] = row["qoslib_ns"] / row["compiled_ns"]
            row["same_results"] = all(compiled.same_results(name, seed, 200_000) for seed in (0, 1))
        table[name] = row
    return table


def engine_figures():
    """All figures of the engine alone."""
    return {
        "beside_compiled": beside_compiled(),
        "reference_ns": reference_ns(),
        "compiler": compiled.compiler_version() if compiled.compiler() else None,
        "import_qoslib_s": _seconds(START.format(module="qoslib"), 5),
        "import_packets_s": _seconds(START.format(module="qoslib.packets"), 5),
        "first_call_s": _seconds(FIRST_CALL, 5),
        "sweeps": sweep_figures() if (os.cpu_count() or 1) > 1 else {},
    }
