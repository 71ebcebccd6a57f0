"""The same workloads through qoslib and its peers: one process a run, results checked equal.

Each simulator runs what it can express. Where it has no weighted round robin it runs the same
port with strict priority, and is compared with qoslib on just that port.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.workloads import WORKLOADS, described

__all__ = ["SIMULATORS", "Simulator", "compared", "played"]

ROOT = Path(__file__).resolve().parent.parent
#: All comparisons of a workload together raise a false alarm with this probability.
ALARM = 0.01
#: Clocks of floats or femtoseconds against exact ones; no cause is looked for below it.
ROUNDING = 1e-5


@dataclass(frozen=True)
class Simulator:
    """A program to run and what it can express: workload -> variant of the port."""

    name: str
    environment: str
    program: str
    variants: dict
    missing: dict


SIMULATORS = (
    Simulator("qoslib", "", "benchmarks.peers.qoslib_run", dict.fromkeys(WORKLOADS, "same"), {}),
    Simulator(
        "ns-3",
        "ns3",
        "ns3_model.py",
        {"W1": "same", "W2": "strict ring", "W3": "strict ring", "W4": "strict ring"},
        {"W2": "MDRR", "W3": "MDRR and RED without spacing", "W4": "weighted DRR"},
    ),
    Simulator("SimPy", "simpy", "simpy_model.py", dict.fromkeys(WORKLOADS, "same"), {}),
    Simulator(
        "ns.py",
        "simpy",
        "nspy_model.py",
        {"W1": "same", "W2": "strict", "W4": "same"},
        {"W2": "MDRR", "W3": "RED in front of a scheduler"},
    ),
)


def played(simulator, python, workload, seed, packets, variant, *options):
    """One run in a process of its own: its results, `process_s`, `wall_s` and `peak_mb`."""
    command = [python, ROOT / "benchmarks" / "peers" / simulator.program]
    if simulator.name == "qoslib":
        command = [sys.executable, "-m", simulator.program]
    done = subprocess.run(
        [sys.executable, "-S", ROOT / "benchmarks" / "launch.py", *command, *options],
        input=json.dumps(described(workload, seed, packets, variant)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    complaint, usage = done.stderr.rsplit("\n", 1)
    if done.returncode:
        raise RuntimeError(f"{simulator.name} {workload}: {complaint.strip()[-500:]}")
    return json.loads(done.stdout) | json.loads(usage)


def quantities(runs):
    """Packets sent and mean latencies of some runs, shape (runs, 2 x streams)."""
    return np.array([[*run["sent"], *run["delay_mean_s"]] for run in runs], float)


def compared(runs, others):
    """Whether two simulators agree, and where they agree least.

    Welch's t for every quantity, at a level shared between all of them (Bonferroni); a count may
    differ by the packet that leaves as the run ends.

    Returns
    -------
    equal : bool
    most : float
        The largest difference, in half-widths of its confidence interval.
    """
    mine, theirs = quantities(runs), quantities(others)
    squares = [x.var(axis=0, ddof=1) / len(x) for x in (mine, theirs)]
    freedom = sum(squares) ** 2 / sum(
        s**2 / (len(x) - 1) + np.finfo(float).tiny
        for s, x in zip(squares, (mine, theirs), strict=True)
    )
    level = 1 - ALARM / mine.shape[1] / 2
    half = stats.t.ppf(level, np.maximum(freedom, 1)) * np.sqrt(sum(squares))
    half += ROUNDING * np.abs(mine.mean(axis=0))
    half[: len(half) // 2] += 1
    most = float(np.max(np.abs(mine.mean(axis=0) - theirs.mean(axis=0)) / half))
    return most <= 1, most
