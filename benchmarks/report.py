"""The tables, as text that is Markdown too."""

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks import sweeps

__all__ = ["machine", "tables", "write_results"]

RESULTS = Path(__file__).with_name("RESULTS.md")


def machine():
    """What it was measured on and with."""
    names = ("numba", "llvmlite", "numpy")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "commit": _commit(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        **{name: version(name) for name in names},
    }


def _processor():
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    facts = dict(map(str.strip, line.split(":", 1)) for line in lines if ":" in line)
    name = facts.get("model name") or platform.processor() or platform.machine()
    if "cpu family" in facts:
        name += f" (family {facts['cpu family']}, model {facts['model']})"
    return name


def _commit():
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=RESULTS.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "not a git checkout"


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in lines)


def _side_by_side(figures):
    head = ["", "simulator", "port", "ns a packet", "packets/s", "times qoslib"]
    head += ["whole process, s", "times qoslib", "peak MB", "lines", "same results"]
    rows = [
        [
            row["workload"],
            row["simulator"],
            row["variant"],
            f"{row['ns_per_packet']:,.0f}",
            f"{row['packets_per_s']:,.0f}",
            f"{row['times_simulation']:,.0f}" if row["simulator"] != "qoslib" else "",
            f"{row['process_s']:.2f}",
            f"{row['times_process']:.1f}" if row["simulator"] != "qoslib" else "",
            f"{row['peak_mb']:.0f}",
            row["lines"],
            _equal(row),
        ]
        for row in figures["side_by_side"]
    ]
    return _table(head, rows)


def _equal(row):
    if row["equal"] is None:
        return ""
    return "yes" if row["equal"] else f"no ({row['most']:.1f} half-widths)"


def _engine(engine):
    head = ["", "qoslib, ns a packet", "compiled C, ns a packet", "ratio", "same to the last bit"]
    rows = []
    for name, row in engine["beside_compiled"].items():
        cells = ["no C compiler", "", ""]
        if "ratio" in row:
            same = "yes" if row["same_results"] else "no"
            cells = [f"{row['compiled_ns']:.1f}", f"{row['ratio']:.2f}", same]
        rows.append([name, f"{row['qoslib_ns']:.1f}", *cells])
    return _table(head, rows)


def _long_pipe(rows):
    head = ["W5", "simulated, s", "packets offered", "took, s", "ns a packet"]
    return _table(
        head,
        [
            [
                row["simulator"],
                f"{row['simulated_s']:g}",
                f"{row['packets']:,}",
                f"{row['s']:.4g}",
                f"{row['s'] / row['packets'] * 1e9:,.0f}",
            ]
            for row in rows
        ],
    )


def _many_flows(row):
    return (
        f"Many flows, {row['simulated_s']:g} s of it: {row['packets']:,} packets in"
        f" {row['s']:.3g} s, the whole process {row['process_s']:.3g} s and at most"
        f" {row['peak_mb']:.0f} MB."
    )


def _start(engine):
    lines = [
        f"- reference loop: {engine['reference_ns']:.3f} ns a dependent float addition",
        f"- `import qoslib` {engine['import_qoslib_s']:.3f} s, `import qoslib.packets`"
        f" {engine['import_packets_s']:.2f} s, first call in a new process"
        f" {engine['first_call_s']:.2f} s (cached)",
    ]
    return "\n".join([*lines, *sweeps.lines(engine["sweeps"])])


def _curve(rows):
    counts = sorted({row["packets"] for row in rows})
    cost = {(row["streams"], row["packets"]): row for row in rows}
    head = ["streams", *(f"{n:.0e} packets".replace("e+0", "e") for n in counts), "peak MB"]
    lines = []
    for streams in sorted({row["streams"] for row in rows}):
        mine = [cost.get((streams, n)) for n in counts]
        cells = [f"{row['ns_per_packet']:.1f}" if row else "" for row in mine]
        lines.append([streams, *cells, max(row["peak_rss_mb"] for row in mine if row)])
    return _table(head, lines)


def tables(figures):
    """All tables of a run."""
    versions = ", ".join(f"{name} {number}" for name, number in figures["versions"].items())
    here = figures["machine"]
    facts = [
        f"{here['processor']}, {here['cores']} cores, {here['system']}; Python {here['python']},"
        f" numba {here['numba']}, numpy {here['numpy']}; {versions};"
        f" {figures['engine']['compiler'] or 'no C compiler'}.",
        f"qoslib {here['commit']}; load average at the start {here['load_average']}.",
        f"{figures['packets']:,} packets a run, medians of {figures['runs']} runs, a process each.",
    ]
    parts = ["\n".join(facts), _side_by_side(figures)]
    parts += [f"- {name}: {reason}" for name, reason in figures["missing"].items()]
    parts += ["Differences, and each cause switched off:"]
    parts += ["\n".join(f"- {text}" for text in figures["causes"])]
    parts += ["### TCP", _long_pipe(figures["long_pipe"]), _many_flows(figures["many_flows"])]
    parts += ["### The engine", _engine(figures["engine"]), _start(figures["engine"])]
    if figures["curve"]:
        parts += ["ns a packet, n equal Poisson streams into one FIFO:", _curve(figures["curve"])]
    return "\n\n".join(parts)


def write_results(text, part="measured"):
    """Put tables into a part of RESULTS.md, between its marks."""
    begin, end = f"<!-- {part} -->", f"<!-- {part} end -->"
    before, rest = RESULTS.read_text().split(begin)
    RESULTS.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}")
    print(f"bench: wrote {RESULTS.name}", file=sys.stderr)
