"""The benchmarks measure what they say they do; how fast it is, no test asks."""

import ast
import json
import os
import re

import pytest

from benchmarks import compiled, kernels
from benchmarks.dumbbells import DUMBBELLS, LAWS, RECOVERIES, qoslib_run
from benchmarks.dumbbells import compared as dumbbells_compared
from benchmarks.dumbbells import described as dumbbell_described
from benchmarks.dumbbells import table as dumbbells_table
from benchmarks.environments import PEERS
from benchmarks.lines import user_lines
from benchmarks.long_pipe import long_pipe_figures
from benchmarks.many_flows import many_flows_figures
from benchmarks.peers.qoslib_run import results
from benchmarks.report import tables
from benchmarks.side_by_side import SIMULATORS, compared
from benchmarks.workloads import FLOWS, TREES, WORKLOADS, described, duration_s, made, one_fifo
from places import ROOT

pytestmark = pytest.mark.soak

FEW = 3000
VARIANTS = sorted({(w, v) for s in SIMULATORS for w, v in s.variants.items()})


@pytest.mark.parametrize(("workload", "variant"), VARIANTS)
def test_a_workload_runs_on_a_valid_port(workload, variant):
    asked = json.loads(json.dumps(described(workload, 1, FEW, variant)))
    answer = results(asked)
    assert sum(answer["offered"]) == pytest.approx(FEW, rel=0.1)
    assert len(answer["sent"]) == len(asked["streams"]) == len(asked["queues"])
    assert all(0 < mean_s < asked["duration_s"] for mean_s in answer["delay_mean_s"])


def test_loads_are_those_of_the_description():
    load = {
        name: sum(s.rate_bps for s in streams) / port.rate_bps
        for name, (port, streams) in ((name, made(name, 0)) for name in WORKLOADS | TREES | FLOWS)
    }
    expected = {"W1": 0.9, "W2": 4000 / 2396, "W3": 4000 / 2396, "W4": 1.1, "W6": 1.1}
    expected |= {"W7": 1.1, "W8": 1.1}
    assert load == pytest.approx(expected)
    port, streams = one_fifo(16)
    assert sum(s.rate_bps for s in streams) == pytest.approx(0.9 * port.rate_bps)
    assert duration_s(streams, FEW) == pytest.approx(FEW * 8000 / (0.9 * port.rate_bps))


def test_the_kernels_json(monkeypatch, capsys):
    monkeypatch.setattr(kernels, "STREAMS", (4,))
    monkeypatch.setattr(kernels.measured, "__defaults__", (FEW, (FEW,), 2 * FEW))
    monkeypatch.setattr(kernels, "PACKETS", (FEW,))
    kernels.main(["--json", "--packets", str(FEW)])
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) == {"ns_per_packet", "reference_ns", "curve"}
    assert set(figures["ns_per_packet"]) == {*WORKLOADS, *TREES, *FLOWS}
    assert min(*figures["ns_per_packet"].values(), figures["reference_ns"]) > 0
    which = [(row["streams"], row["packets"]) for row in figures["curve"]]
    assert which == [(4, FEW), (1, 2 * FEW)]
    keys = {"streams", "packets", "ns_per_packet", "peak_rss_mb"}
    assert all(set(row) == keys and min(row.values()) > 0 for row in figures["curve"])


@pytest.mark.skipif(compiled.compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("workload", WORKLOADS | TREES)
def test_compiled_c_plays_the_same_packets(workload):
    assert compiled.same_results(workload, 3, 20_000)


def test_results_are_compared_by_their_spread():
    runs = [{"sent": [100 + i], "delay_mean_s": [1 + i / 100]} for i in range(4)]
    later = [{"sent": [100 + i], "delay_mean_s": [2 + i / 100]} for i in range(4)]
    assert compared(runs, runs[::-1])[0]
    equal, most = compared(runs, later)
    assert not equal
    assert most > 1


def test_every_simulator_is_measured_on_what_it_can_express():
    for simulator in SIMULATORS:
        lacks = {w for w in WORKLOADS if simulator.variants.get(w) != "same"}
        assert lacks == set(simulator.missing)
        assert simulator.environment in {"", *PEERS}
    assert set(user_lines()) == {simulator.name for simulator in SIMULATORS}
    assert min(user_lines().values()) > 10


@pytest.mark.parametrize("name", PEERS)
def test_peers_are_pinned_with_hashes_and_no_address(name):
    lock = (ROOT / "benchmarks" / f"requirements-{name}.lock").read_text()
    entries = re.split(r"\n(?=[a-z])", lock)[1:]
    assert entries
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"://|index-url|find-links", lock)
    assert not set(PEERS) - {"ns3", "simpy"}


def test_ten_dumbbells_span_what_was_asked_for():
    assert len(DUMBBELLS) == 10
    assert {d.rate_mbps for d in DUMBBELLS} >= {10, 1000}
    assert {d.round_trip_ms for d in DUMBBELLS} >= {10, 100}
    assert {d.buffer_share for d in DUMBBELLS} >= {0.1, 2.0}
    assert all(d.buffer_packets >= 1 for d in DUMBBELLS)


@pytest.mark.parametrize("law", LAWS)
def test_a_dumbbell_runs_here(law):
    asked = json.loads(json.dumps(dumbbell_described(DUMBBELLS[3], law, 1)))
    assert asked != dumbbell_described(DUMBBELLS[3], law, 2)
    goodput_bps, dropped = qoslib_run(asked, law)
    assert 0.9 * asked["rate_bps"] < goodput_bps < asked["rate_bps"]
    assert dropped > 0


def test_the_table_of_dumbbells_has_both_simulators(monkeypatch):
    monkeypatch.setattr("benchmarks.dumbbells.DUMBBELLS", DUMBBELLS[:1])
    theirs = {(law, recovery): [(9.6e6, 85.0)] for law in LAWS for recovery in RECOVERIES}
    rows = dumbbells_compared(theirs, 1)
    assert [row["close"] for row in rows] == [True, True]
    text = dumbbells_table(rows, 1)
    assert text.count("| yes |") == len(LAWS)
    assert text.count("of 1, NewReno") == 2 * len(RECOVERIES)
    (columns,) = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert columns == 14


def test_the_long_pipe_counts_packets_and_seconds(monkeypatch):
    monkeypatch.setattr("benchmarks.long_pipe.QOSLIB_S", 0.3)
    two, many, water = long_pipe_figures(None)
    assert two["packets"] == 2 * 10 * (2**6 - 1)
    assert many["packets"] > two["packets"]
    assert water["packets"] == pytest.approx(two["packets"], rel=0.2)
    assert min(row["s"] for row in (two, many, water)) > 0


def test_a_thousand_flows_take_the_memory_of_what_is_under_way():
    """1 GB is what they may take with their process; `make soak` plays all 10 s."""
    figures = many_flows_figures(10.0 if "QOSLIB_SOAK" in os.environ else 0.2)
    assert figures["packets"] > 0.9 * figures["simulated_s"] * 10e9 / 12_000
    assert figures["peak_mb"] < 1000


def test_nothing_in_the_library_imports_the_benchmarks():
    for path in (ROOT / "qoslib").rglob("*.py"):
        assert "benchmarks" not in {
            (getattr(node, "module", None) or node.names[0].name).split(".")[0]
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import | ast.ImportFrom)
        }


def test_the_tables_are_made_of_the_figures():
    row = {"workload": "W1", "simulator": "SimPy", "variant": "same", "ns_per_packet": 2000.0}
    row |= {"packets_per_s": 5e5, "times_simulation": 80.0, "process_s": 3.0, "times_process": 4.0}
    row |= {"peak_mb": 30.0, "lines": 100, "equal": True, "most": 0.5}
    engine = {"beside_compiled": {"W1": {"qoslib_ns": 40.0}}, "reference_ns": 0.5}
    engine |= {"import_qoslib_s": 0.1, "import_packets_s": 0.5, "first_call_s": 0.3}
    engine |= {"compiler": None, "sweeps": {}}
    here = dict.fromkeys(("processor", "cores", "system", "python", "numba", "numpy", "commit"), 1)
    point = {"streams": 1, "packets": 1000, "ns_per_packet": 40.0, "peak_rss_mb": 150.0}
    pipe = {"simulator": "qoslib, 2 flows", "simulated_s": 30.0, "packets": 1000, "s": 0.25}
    flows = {"simulated_s": 10.0, "packets": 8_000_000, "s": 4.0, "process_s": 5.0, "peak_mb": 300}
    text = tables(
        {"machine": here | {"load_average": [0]}, "versions": {"simpy": "4"}, "runs": 3}
        | {"packets": 1000, "side_by_side": [row], "missing": {}, "causes": ["a cause"]}
        | {"engine": engine, "curve": [point], "long_pipe": [pipe], "many_flows": flows}
    )
    assert "Many flows, 10 s of it: 8,000,000 packets in 4 s" in text
    assert "| qoslib, 2 flows | 30 | 1,000 | 0.25 | 250,000 |" in text
    assert "| W1 | SimPy | same | 2,000 | 500,000 | 80 | 3.00 | 4.0 | 30 | 100 | yes |" in text
    assert "no C compiler" in text


def test_the_readme_says_what_was_measured():
    said = re.findall(r"^\| W\d.*", (ROOT / "README.md").read_text(), re.M)
    measured = (ROOT / "benchmarks" / "RESULTS.md").read_text()
    figures = [(row[2:4], ns) for row in said for ns in re.findall(r"([\d,]+) ns", row)]
    tables = {
        "W5": measured.split("| W5 |")[1].split("\n\n")[0],
        "W2": "".join(re.findall(r"^\| W2 .*", measured, re.M)),
        "W3": "".join(re.findall(r"^\| W3 .*", measured, re.M)),
    }
    assert {workload for workload, _ in figures} == set(tables)
    assert [each for each in figures if f"| {each[1]} |" not in tables[each[0]]] == []


def test_drawings_close_together_are_one_redraw():
    from benchmarks import ui

    assert ui.redraws([40, 60, 75, 420, 450]) == [75, 450]
    assert ui.redraws([]) == []
    figures = ui.summed([[50, 400], [60, 420], [70, 410]])
    assert figures["fluid"]["median"] == 60
    assert figures["packets"]["95 %"] == pytest.approx(419)
    assert ui.summed([[50], [60]])["packets"] is None
