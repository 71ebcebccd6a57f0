"""`python -m benchmarks`: qoslib and its peers side by side; `make bench` runs it."""

import argparse
import json
import statistics
import sys

from benchmarks import kernels
from benchmarks.causes import causes_shown
from benchmarks.engine import engine_figures
from benchmarks.environments import PEERS, made_environment, versions
from benchmarks.lines import user_lines
from benchmarks.long_pipe import long_pipe_figures
from benchmarks.many_flows import many_flows_figures
from benchmarks.report import machine, tables, write_results
from benchmarks.side_by_side import SIMULATORS, compared, played
from benchmarks.workloads import WORKLOADS


def _say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _pythons():
    """Environment -> interpreter, and what is missing with the reason."""
    pythons, missing = {"": sys.executable}, {}
    for name in PEERS:
        pythons[name], reason = made_environment(name)
        if reason:
            missing[name] = f"not measured: {reason}"
    return pythons, missing


def _wanted(pythons):
    """What to run: (simulator, workload, variant), with qoslib on every port that others run."""
    wanted = []
    for simulator in SIMULATORS:
        if pythons[simulator.environment]:
            for workload, variant in simulator.variants.items():
                wanted += [(simulator, workload, variant), (SIMULATORS[0], workload, variant)]
    return list(dict.fromkeys((s.name, w, v) for s, w, v in wanted))


def _runs(pythons, runs, packets):
    """(simulator, workload, variant) -> results of each run; simulators take turns."""
    by_name = {simulator.name: simulator for simulator in SIMULATORS}
    found = {which: [] for which in _wanted(pythons)}
    for seed in range(runs):
        _say(f"run {seed + 1} of {runs}")
        for (name, workload, variant), results in found.items():
            simulator = by_name[name]
            python = pythons[simulator.environment]
            results.append(played(simulator, python, workload, seed, packets, variant))
    return found


def _row(which, found, lines):
    name, workload, variant = which
    results, mine = found[which], found["qoslib", workload, variant]

    def median(runs, quantity):
        return statistics.median(run[quantity] for run in runs)

    def per_packet(runs):
        return statistics.median(run["simulation_s"] / sum(run["offered"]) for run in runs)

    equal, most = (None, None) if name == "qoslib" else compared(mine, results)
    return {
        "workload": workload,
        "simulator": name,
        "variant": variant,
        "ns_per_packet": per_packet(results) * 1e9,
        "packets_per_s": 1 / per_packet(results),
        "times_simulation": per_packet(results) / per_packet(mine),
        "process_s": median(results, "process_s"),
        "wall_s": median(results, "wall_s"),
        "times_process": median(results, "process_s") / median(mine, "process_s"),
        "peak_mb": median(results, "peak_mb"),
        "lines": lines[name],
        "equal": equal,
        "most": most,
    }


def _missing(pythons, reasons):
    texts = dict(reasons)
    for simulator in SIMULATORS:
        if pythons[simulator.environment] and simulator.missing:
            lacks = "; ".join(f"{w} ({what})" for w, what in simulator.missing.items())
            texts[simulator.name] = f"cannot express {lacks}"
    return texts


def _monitor_share(pythons, packets):
    """How much of ns-3's simulation phase FlowMonitor takes, on W1."""
    simulator = next(s for s in SIMULATORS if s.name == "ns-3")
    asked = (simulator, pythons["ns3"], "W1", 0, packets, "same")
    plain, watched = (played(*asked, *option)["simulation_s"] for option in (["unmonitored"], []))
    return (
        f"W1: FlowMonitor, which counts and times, takes {1 - plain / watched:.0%} of ns-3's time."
    )


def measured(runs, packets, curve=True):
    """All figures of a run."""
    pythons, reasons = _pythons()
    here = machine()
    _say("the engine alone")
    engine = engine_figures()
    points = kernels.curve_points() if curve else []
    found = _runs(pythons, runs, packets)
    _say("the causes of what differs")
    causes = causes_shown(pythons)
    if pythons["ns3"]:
        causes.append(_monitor_share(pythons, packets))
    _say("TCP")
    long_pipe = long_pipe_figures(pythons["ns3"])
    lines, order = user_lines(), list(WORKLOADS)
    rows = [_row(which, found, lines) for which in found]
    names = [simulator.name for simulator in SIMULATORS]
    rows.sort(key=lambda r: (order.index(r["workload"]), names.index(r["simulator"])))
    numbers = {}
    for name, distributions in PEERS.items():
        if pythons[name]:
            numbers |= versions(pythons[name], distributions)
    return {
        "machine": here,
        "versions": numbers,
        "runs": runs,
        "packets": packets,
        "side_by_side": rows,
        "missing": _missing(pythons, reasons),
        "causes": causes,
        "engine": engine,
        "long_pipe": long_pipe,
        "many_flows": many_flows_figures(),
        "curve": points,
    }


def main():
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", action="store_true", help="put the tables into RESULTS.md")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--packets", type=int, default=1_000_000, help="a run")
    parser.add_argument("--no-curve", action="store_true", help="leave out the curve of kernels")
    asked = parser.parse_args()
    figures = measured(asked.runs, asked.packets, not asked.no_curve)
    if asked.write:
        write_results(tables(figures))
    print(json.dumps(figures) if asked.json else tables(figures))


if __name__ == "__main__":
    main()
