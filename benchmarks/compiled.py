"""The same ports in compiled C, in the same run: what the engine's generality and language cost.

`twin.c` is compiled with the C compiler of the machine when it is needed; without one, `compiler`
answers None and the comparison is left out.
"""

import functools
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.workloads import duration_s, made
from qoslib.packets.kernels.codes import CAUSES, DRR, FIFO, MDRR, POISSON, TREE
from qoslib.packets.loops import beside, run
from qoslib.packets.plan import Run, planned
from qoslib.packets.plan_tree import tree_of

__all__ = ["compiler", "compiler_version", "same_results", "twin_ns"]

FLAGS = ("-std=gnu11", "-O3", "-march=native", "-ffp-contract=off")
CODES = {FIFO: 0, DRR: 1, MDRR: 2, TREE: 3}
WRAP = (1 << 64) - 1


def compiler():
    """The C compiler, or None where there is none."""
    return shutil.which("gcc") or shutil.which("cc")


def compiler_version():
    """One line about the compiler."""
    done = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=True)
    return f"{done.stdout.splitlines()[0]}, {' '.join(FLAGS)}"


@functools.cache
def _program():
    folder = Path(tempfile.mkdtemp(prefix="qoslib-twin-"))
    source, program = Path(__file__).with_name("twin.c"), folder / "twin"
    subprocess.run([compiler(), *FLAGS, str(source), "-o", str(program), "-lm"], check=True)
    return program


def _numbers(port, state, end_ps):
    """What `twin.c` reads, from the tables of the engine."""
    tree = tree_of(port, state, end_ps)
    where = state.port[0]
    streams = state.streams[: len(state.delays)]
    lengths = (len(streams), len(state.classes), len(state.queues))
    bins = len(state.past_counts)
    rows = [[end_ps, bins, CODES[int(where["scheduler"])], where["fast"], *lengths]]
    for s in streams:
        clock = [int(s["kind"] == POISSON), *(s[n] for n in ("clock_ps", "gap_ps", "gap_fraction"))]
        rows.append([*clock, s["first_class"], s["classes"], float(s["mean_gap_ps"]), s["key"]])
    for c in state.classes:
        names = ("stream", "queue", "frame_bytes", "service_ps", "service_fraction")
        reals = ("share_below", "red_minimum", "red_maximum")
        rows.append([*(c[n] for n in names), *(float(c[n]) for n in reals)])
    for q in state.queues:
        red = int(q["dropper"] != 0)
        rows.append([q["limit"], q["quantum"], red, float(q["weight"]), q["key"]])
    if tree is not None:
        rows += _tree_rows(tree, state)
    values = (v.hex() if type(v) is float else str(int(v)) for row in rows for v in row)
    return " ".join(values)


def _tree_rows(tree, state):
    """Nodes, steps and tournaments; what a packet costs its queue's guarantee is a step too."""
    root = tree.root[0]
    heads = (root["first_within"], root["first_beyond"])
    steps, firsts = [], []
    for kind, path in zip(state.classes, tree.paths, strict=True):
        firsts.append(len(steps))
        mine = tree.steps[path[: tree.nodes[kind["queue"]]["depth"] + 1]]
        for name in ("credit_ps", "credit_fraction"):
            mine[-1][name] = kind[name]
        steps.extend(mine)
    rows = [[len(tree.nodes), *heads, len(steps), tree.matches.shape[1], len(tree.wakes) // 2]]
    names = ("parent", "place", "depth", "within", "beyond", "first", "size", "shaped")
    for index, node in enumerate(tree.nodes):
        buckets = state.queues[index] if index < len(state.queues) else node
        saved = (buckets["guaranteed"], buckets["credit_burst_ps"])
        rows.append([*(node[n] for n in names), node["shape_burst_ps"], *saved])
    names = ("shape_ps", "shape_fraction", "credit_ps", "credit_fraction")
    rows += [[*(s[n] for n in names), s["turn_ps"], s["excess_turn_ps"]] for s in steps]
    return [*rows, firsts, tree.matches[0]]


def _asked(name, seed, packets):
    port, streams = made(name, seed)
    asked = Run(duration_s(streams, packets), seed=seed)
    return port, planned(port, streams, asked), asked


def _played(port, state, end_ps, repeats):
    done = subprocess.run(
        [_program(), str(repeats)],
        input=_numbers(port, state, end_ps),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def twin_ns(name, packets, repeats=5):
    """Nanoseconds a packet of the compiled program, the best of some."""
    port, state, asked = _asked(name, 0, packets)
    answer = _played(port, state, asked.end_ps, repeats)
    return answer["best_s"] * 1e9 / sum(row[0] for row in answer["classes"])


def _folded(*arrays):
    total = 0
    for array in arrays:
        for value in array.ravel().tolist():
            total = (total * 31 + value) & WRAP
    return total


def same_results(name, seed, packets):
    """Whether both programs count and time every packet alike, to the last picosecond."""
    port, state, asked = _asked(name, seed, packets)
    answer = _played(port, state, asked.end_ps, 1)
    run(state, beside(port, state, asked.end_ps), asked.end_ps, 1 << 62)
    classes = [
        [int(offered), int(sent), int(drops[: len(CAUSES)].sum())]
        for (offered, sent, _), drops in zip(state.counts, state.drops, strict=True)
    ]
    streams = [
        [(int(row["delay_high"]) << 40) + int(row["delay_low"]), *row[["delay_min", "delay_max"]]]
        for row in state.delays
    ]
    theirs = [[(high << 40) + low, *ends] for low, high, *ends in answer["streams"]]
    total = _folded(state.histogram, state.past_counts, state.past_peaks)
    return answer["classes"] == classes and theirs == streams and answer["sum"] == total
