"""What a packet costs: `python -m benchmarks.kernels [--json]`.

W1 to W4 and W6 to W8 run through the public `simulate`, record and all, in one process, the best of
five. The curve is n equal Poisson streams into one FIFO at load 0.9, each point a process of its
own; there the event loop alone is timed, because making and collecting the tables takes a few
milliseconds whatever the number of packets. The cache of machine code is warm. Times are of the
processor, which on a quiet machine are those of the clock, and on a busy one say more.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from time import process_time

from benchmarks.reference import reference_ns
from benchmarks.workloads import FLOWS, TREES, WORKLOADS, duration_s, made, one_fifo
from qoslib.packets import simulate
from qoslib.packets.kernels.loop import run
from qoslib.packets.plan import Run, planned
from qoslib.packets.simulate import CHUNK_PACKETS

__all__ = ["curve_points", "main", "measured"]

STREAMS = (1, 4, 16, 64)
PACKETS = (10_000, 100_000, 1_000_000, 10_000_000)
LONGEST = 100_000_000
REPEATS = 5
#: A short run is repeated until this time has passed, so that the clock does not matter.
AT_LEAST_S = 0.2


def _silent(done_s, total_s):
    pass


def simulate_ns(name, packets, repeats=REPEATS):
    """Nanoseconds a packet of a workload through `simulate`, the best of some."""
    port, streams = made(name, 0)
    span_s = duration_s(streams, packets)
    simulate(port, streams, span_s / 100, progress=_silent)
    best_s = float("inf")
    for _ in range(repeats):
        began_s = process_time()
        result = simulate(port, streams, span_s, progress=_silent)
        best_s = min(best_s, process_time() - began_s)
    return best_s * 1e9 / int(result.packets.offered.sum())


def loop_ns(streams, packets, repeats=REPEATS):
    """Nanoseconds a packet of the event loop alone, the best of some."""
    port, many = one_fifo(streams)
    asked = Run(duration_s(many, packets))
    run(planned(port, many, Run(duration_s(many, 1000))), 1, 1)
    best_s, began_s, done = float("inf"), process_time(), 0
    while done < repeats or process_time() - began_s < AT_LEAST_S:
        state = planned(port, many, asked)
        at_s = process_time()
        while run(state, asked.end_ps, CHUNK_PACKETS) < asked.end_ps:
            pass
        best_s, done = min(best_s, process_time() - at_s), done + 1
    return best_s * 1e9 / int(state.counts[:, 0].sum())


def peak_rss_mb():
    """The most memory this process has held [MB].

    Linux has it as VmHWM; what `getrusage` says there begins with the memory of the parent.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1]) * 1024 / 1e6
    kilo = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilo / 1e6


def point(streams, packets):
    """One point of the curve, in this process."""
    repeats = REPEATS if packets < LONGEST else 2
    ns = round(loop_ns(streams, packets, repeats), 2)
    rss_mb = round(peak_rss_mb(), 1)
    return {"streams": streams, "packets": packets, "ns_per_packet": ns, "peak_rss_mb": rss_mb}


def _point_apart(streams, packets):
    code = "import json; from benchmarks.kernels import point; "
    code += f"print(json.dumps(point({streams}, {packets})))"
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def curve_points(packets=PACKETS, longest=LONGEST):
    """All points of the curve, each from a process of its own."""
    points = [(streams, n) for streams in STREAMS for n in packets]
    points += [(1, longest)] if longest else []
    return [_point_apart(*which) for which in points]


def measured(packets=4_000_000, curve=PACKETS, longest=LONGEST):
    """All figures, as `--json` prints them."""
    names = WORKLOADS | TREES | FLOWS
    return {
        "ns_per_packet": {name: round(simulate_ns(name, packets), 2) for name in names},
        "reference_ns": round(reference_ns(), 4),
        "curve": curve_points(curve, longest),
    }


def main(arguments=None):
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--packets", type=int, default=4_000_000, help="of each workload")
    asked = parser.parse_args(arguments)
    figures = measured(asked.packets)
    if asked.json:
        print(json.dumps(figures))
        return
    for name, ns in figures["ns_per_packet"].items():
        print(f"{name}  {ns:6.1f} ns a packet")
    print(f"reference loop {figures['reference_ns']:.2f} ns")
    for row in figures["curve"]:
        print(
            f"{row['streams']:3} streams {row['packets']:11,} packets"
            f" {row['ns_per_packet']:6.1f} ns a packet {row['peak_rss_mb']:6.1f} MB"
        )


if __name__ == "__main__":
    main()
