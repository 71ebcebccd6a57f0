"""The same description and seed give the same record, bit for bit, however the run is cut up."""

import dataclasses
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from places import ROOT
from qoslib import Scenario, packets, run
from qoslib import port as p
from qoslib.traffic import OnOff, Poisson, Stream, TickedBursts, imix

pytestmark = pytest.mark.newer


QUEUES = (
    p.Queue("a", p.TimeLimit(2e-3, "served"), p.HeadDrop(), priority=1, quantum_bytes=3000),
    p.Queue(
        "b",
        p.PacketLimit(50),
        p.Red(p.RedProfile(5, 40, 0.3), averaging=p.Sampled(20, 1e-3, jitter=0.3), ecn=True),
        policer=p.Policer(40e6, 20_000),
        quantum_bytes=1500,
    ),
)
PORT = p.Port("port", 100e6, QUEUES, p.DeficitRoundRobin(), transmit_ring_packets=3)
RUNS = {
    "port": PORT,
    "pausing port": PORT.replace(pause=p.Pause(30, 5, 1000)),
    "chain": p.Chain(
        "chain",
        (
            p.Hop(p.Forwarder("engine", p.Queue("in", p.PacketLimit(30), p.Pie(1e-3, 1e-3)), 5e-5)),
            p.Hop(PORT, ("a", "c")),
        ),
    ),
}
STREAMS = (
    Stream("a", 60e6, imix(), Poisson()),
    Stream("b", 50e6, 1000, OnOff(0.01, 0.01), jitter_s=1e-4, ecn=True),
    Stream("c", 30e6, 700, TickedBursts(), mark="a", access_bps=1e9),
)


def record(where, **options):
    return packets.simulate(
        where, STREAMS, 0.3, warmup_s=0.05, bins=11, trace_packets=5000, **options
    )


def same(one, other):
    """Whether two records, or parts of them, are equal bit for bit."""
    if dataclasses.is_dataclass(one):
        fields = dataclasses.fields(one)
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "items"):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return one == other


@pytest.mark.parametrize("name", RUNS)
def test_chunks_do_not_change_the_record(name):
    whole = record(RUNS[name], seed=3)
    assert whole.packets.lost.any() or whole.pause_frames
    for chunk_packets in (1, 7, 200_000):
        assert same(whole, record(RUNS[name], seed=3, chunk_packets=chunk_packets))


@pytest.mark.parametrize("name", RUNS)
def test_a_seed_is_a_record(name):
    assert same(record(RUNS[name], seed=3), record(RUNS[name], seed=3))
    assert not same(record(RUNS[name], seed=3).packets, record(RUNS[name], seed=4).packets)


def test_replications_are_the_single_runs():
    many = run(Scenario("s", PORT, STREAMS, 0.1), seeds=range(3))
    for seed, result in enumerate(many.results):
        assert same(result, packets.simulate(PORT, STREAMS, 0.1, seed=seed))


def test_cross_traffic_of_different_hops_is_drawn_apart():
    crossing = [Stream(name, 50e6, 1000, Poisson()) for name in ("first", "second")]
    ports = [PORT.replace(name=name, queues=QUEUES[:1]) for name in ("one", "two")]
    hops = tuple(p.Hop(port, (s.name,)) for port, s in zip(ports, crossing, strict=True))
    result = packets.simulate(p.Chain("chain", hops), crossing, 0.2)
    offered = result.history.offered_packets
    assert not np.array_equal(offered[0], offered[1])


SCRIPT = """
import numpy as np
from qoslib.packets.kernels import tables
from qoslib.packets.kernels.metering import ready_at
queue, classes, slots = (np.zeros(1, t) for t in (tables.QUEUE, tables.CLASS, tables.SLOT))
queue["length"] = queue["shaped"] = 1
queue["shape_tat"], queue["shape_burst_ps"] = 1000, 100
print(ready_at(queue[0], classes, slots))
"""


def test_an_edited_rule_changes_the_answer(tmp_path):
    """The kernels' cache is not taken in by an edit in a file other than the caller's."""
    shutil.copytree(ROOT / "qoslib", tmp_path / "qoslib", ignore=shutil.ignore_patterns("__py*"))
    called = tmp_path / "qoslib" / "packets" / "kernels" / "metering.py"
    text = called.read_text()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")

    def answer():
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return int(done.stdout)

    assert answer() == 900
    called.write_text(text.replace("- row.shape_burst_ps", "- 2 * row.shape_burst_ps"))
    assert answer() == 800
    called.write_text(text)
    assert answer() == 900
    assert len(list((tmp_path / "cache").rglob("packets.kernels.metering.ready_at-*"))) == 2
