"""What a packet costs in a web page: `python -m benchmarks.page [--write] [--packets N]`.

A call of the event loop of each workload is kept, and played again by numba's machine code and by
the same kernels as WebAssembly in node, which has the engine of Chromium; the least of some runs,
which take turns. Then `log` of the two C libraries, which is all that the kernels take from
one, is compared over draws of the kernels' own generator. It needs `make wasm` and node.
"""

import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.report import machine, write_results
from benchmarks.workloads import TREES, WORKLOADS, duration_s, made
from qoslib.packets import loops, simulate
from qoslib.packets.kernels.ahead import leaves
from website import wasm
from website.calls import recorded

__all__ = ["beside_numba", "logs"]

TURNS, RUNS = 3, 3
DRAWS = 10_000_000
#: Mean gaps whose draws are rounded to picoseconds [s].
GAPS_S = (1e-6, 1e-3, 1.0)
HEAD = ("", "numba, ns a packet", "WebAssembly, ns a packet", "ratio", "same to the last bit")
LOGS = """
#include <math.h>
__attribute__((export_name("logs"))) void logs(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = log(x[i]);
}
"""
LOGS_IN_NODE = """
const fs = require("node:fs"), [library, file] = process.argv.slice(1);
WebAssembly.instantiate(fs.readFileSync(library), {}).then(({ instance }) => {
  const { memory, logs, __heap_base: base } = instance.exports, bytes = fs.readFileSync(file);
  const at = (base.value + 15) & ~15;
  memory.grow(Math.ceil((at + bytes.length) / 65536));
  new Uint8Array(memory.buffer).set(bytes, at);
  logs(at, bytes.length / 8);
  fs.writeFileSync(file, Buffer.from(memory.buffer, at, bytes.length));
});
"""


class Timed:
    """A kernel that makes each call again and again, and adds up the least time of each."""

    def __init__(self, kernel):
        self.kernel, self.total_s = kernel, 0.0

    def __call__(self, *arguments):
        arrays = [each for each in leaves(arguments) if isinstance(each, np.ndarray)]
        before = [each.copy() for each in arrays]
        least_s = float("inf")
        for _ in range(RUNS):
            for array, was in zip(arrays, before, strict=True):
                array[...] = was
            began_s = process_time()
            answer = self.kernel(*arguments)
            least_s = min(least_s, process_time() - began_s)
        self.total_s += least_s
        return answer


def beside_numba(name, packets):
    """Nanoseconds a packet of numba and of WebAssembly, and whether all bits are the same."""
    port, streams = made(name, 0)
    run = "run_tree" if name in TREES else "run_flat"
    options = {"chunk_packets": 2 * packets, "progress": lambda done_s, total_s: None}
    numba, page, same = [], [], True
    kernel = getattr(loops, run)
    simulate(port, streams, duration_s(streams, packets / 100), **options)
    for _ in range(TURNS):
        with tempfile.TemporaryDirectory() as folder:
            timed = Timed(kernel)
            setattr(loops, run, timed)
            try:
                with recorded(Path(folder)):
                    result = simulate(port, streams, duration_s(streams, packets), **options)
            finally:
                setattr(loops, run, kernel)
            said = replayed(Path(folder))
        numba.append(timed.total_s)
        page.append(sum(said["least_ms"]) / 1e3)
        same &= not said["differ"]
    each_ns = 1e9 / int(result.packets.offered.sum())
    return min(numba) * each_ns, min(page) * each_ns, same


def replayed(folder):
    """The calls of a folder on WebAssembly: how many, which differ, and the least time of each."""
    replay = Path(wasm.__file__).with_name("replay.mjs")
    command = ("node", replay, wasm.FOLDER / "kernels.wasm", folder, str(RUNS))
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def logs(draws):
    """How many logarithms differ between the libraries, and how many gaps in picoseconds."""
    bits = np.random.SeedSequence([1]).generate_state(draws, np.uint64)
    units = ((bits >> np.uint64(11)) + np.uint64(1)) * 2.0**-53
    with tempfile.TemporaryDirectory() as folder:
        source, library, file = (Path(folder) / name for name in ("logs.c", "logs.wasm", "draws"))
        source.write_text(LOGS)
        words = f"cc -target wasm32-wasi -mexec-model=reactor -O2 -Wl,--export=__heap_base {source}"
        zig = [sys.executable, "-m", "ziglang", *words.split(), "-o", library]
        subprocess.run(zig, env={"PYTHONPATH": str(wasm.ZIG), "HOME": folder}, check=True)
        file.write_bytes(units.tobytes())
        subprocess.run(("node", "-e", LOGS_IN_NODE, library, file), check=True)
        there = -np.frombuffer(file.read_bytes())
    here = -np.fromiter(map(math.log, units.tolist()), float, draws)
    gaps = [int(((here * g * 1e12).round() != (there * g * 1e12).round()).sum()) for g in GAPS_S]
    return int((here != there).sum()), gaps


def table(packets, draws):
    """The Markdown that RESULTS.md shows."""
    rows = [HEAD, ["---"] * len(HEAD)]
    for name in WORKLOADS | TREES:
        numba, page, same = beside_numba(name, packets)
        ratio, equal = f"{page / numba:.2f}", "yes" if same else "no"
        rows.append([name, f"{numba:.1f}", f"{page:.1f}", ratio, equal])
    differ, gaps = logs(draws)
    here = machine()
    node = subprocess.run(("node", "--version"), capture_output=True, text=True, check=True)
    rounded = ", ".join(f"{n} with a mean of {g:g} s" for n, g in zip(gaps, GAPS_S, strict=True))
    return "\n\n".join(
        [
            f"{here['processor']}, node {node.stdout.strip()}, numba {here['numba']};"
            f" load average {here['load_average']}. {packets:,} packets.",
            "\n".join("| " + " | ".join(row) + " |" for row in rows),
            f"`log`: {differ:,} of {draws:,} draws differ in their last bit; as gaps between"
            f" packets, rounded to picoseconds: {rounded}.",
        ]
    )


def main():
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    parser.add_argument("--packets", type=int, default=1_000_000, help="a run")
    parser.add_argument("--draws", type=int, default=DRAWS)
    asked = parser.parse_args()
    if not shutil.which("node"):
        sys.exit("not measured: node is not installed")
    try:
        wasm.build()
    except wasm.MissingTool as problem:
        sys.exit(f"not measured: {problem}")
    text = table(asked.packets, asked.draws)
    print(text)
    if asked.write:
        write_results(text, "page")


if __name__ == "__main__":
    main()
