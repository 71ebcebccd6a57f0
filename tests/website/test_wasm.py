"""The kernels of a page are those of numba: the same bits for the same call."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms import MECHANISMS
from places import ROOT, SUPPORT
from qoslib import packets, tcp
from qoslib.flows import Cubic, Flow, Host, HTcp, Reno
from qoslib.packets.kernels.ahead import ENTRIES
from qoslib.port import (
    Chain,
    FlowQueues,
    Hop,
    Node,
    PacketLimit,
    Port,
    Queue,
    SchedulerTree,
    Switch,
)
from qoslib.traffic import Poisson, Stream
from soak import many
from tcp_scenes import RECOVERIES, STREAMS, hosts, ports
from website import wasm
from website.calls import recorded as recorded_in

#: Scenes of each mechanism, and of each way of recovery of TCP.
SCENES = 4
#: Fewer events than a scene has, so that a run goes on where it stopped.
CHUNK = 1000

#: Plays them again in node.
REPLAY = ROOT / "website" / "replay.mjs"
#: Python for a page, as npm has it: without numpy.
PYODIDE = ROOT / "build" / "npm" / "node_modules" / "pyodide"
TOOLS = {"zig": wasm.ZIG.is_dir(), "node": shutil.which("node")}
LACKING = [name for name, found in TOOLS.items() if not found]
#: At home a missing tool is a reason to skip; where all are installed it is a mistake.
pytestmark = pytest.mark.skipif(
    bool(LACKING) and os.environ.get("CI") != "true", reason=f"not installed: {', '.join(LACKING)}"
)

PROGRAM = """
from qoslib import Scenario, Stream, run
from qoslib.flows import Flow, Host
from qoslib.port import PacketLimit, Port, Queue
line = Port("line", 1e7, (Queue("all", PacketLimit(50)),))
streams = [Stream("all", 1.2e7, 1000)]
print(run(Scenario("one", line, streams, duration_s=2.0)).to_json())
hosts = [Host("host", 1e7, (Flow("flow", 0.02),))]
print(run(Scenario("two", line, streams, hosts=hosts, duration_s=2.0)).to_json())
"""

CLOCK = """
import json, time
begun_s = time.process_time()
sum(range(3_000_000))
json.dumps(time.process_time() > begun_s)
"""


@pytest.fixture(scope="module")
def libraries():
    """The folder of the kernels as they are now: nothing is compiled where they are there."""
    wasm.build(names=tuple(wasm.TARGETS))
    return wasm.FOLDER


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Calls of every kernel, kept in a folder."""
    with recorded_in(tmp_path_factory.mktemp("calls")) as recorder:
        play_mechanisms()
        play_tcp()
        play_networks()
        play_tcp_fluid()
    assert recorder.calls.keys() == set(ENTRIES.values())
    assert recorder.calls.total() >= 200
    return recorder


def play_mechanisms():
    for scenes in MECHANISMS.values():

        @many(SCENES)
        @given(scenes)
        def play(scene):
            options = {"seed": scene.seed, "warmup_s": scene.warmup_s, "chunk_packets": CHUNK}
            kept = {"events": 500, "trace_packets": 100}
            packets.simulate(scene.where, scene.streams, scene.duration_s, **options, **kept)

        play()


def play_tcp():
    for recovery in RECOVERIES:

        @many(SCENES)
        @given(ports(), hosts(recovery), STREAMS, st.integers(0, 9))
        def play(port, host, streams, seed):
            tcp.simulate(port, [host], 1.0, streams=streams, seed=seed)

        play()


def play_networks():
    """Ports of each kind alone, in a chain and in a switch, by streams and by TCP."""
    line = Port("line", 1e7, (Queue("all", PacketLimit(20)),))
    tree = line.replace(scheduler=SchedulerTree((Node("root", ("all",)),)))
    flows = line.replace(queues=(Queue("all", PacketLimit(20), flows=FlowQueues(8)),))
    host = Host("host", 1e8, (Flow("a", 0.02), Flow("b", 0.05)))
    last = Hop(line.replace(name="last"), ("b",))
    streams = [Stream(name, 6e6, 1000, Poisson()) for name in "ab"]
    for port in (line, tree, flows):
        chain, switch = Chain("chain", (Hop(port), last)), Switch("two", (Hop(port, ("a",)), last))
        for network in (port, chain, switch):
            tcp.simulate(network, [host], 0.3)
            packets.simulate(network, streams, 0.01, chunk_packets=CHUNK)


def play_tcp_fluid():
    port = Port("line", 1e7, (Queue("all", PacketLimit(50)),))
    for law in (Reno(), Cubic(), HTcp()):
        flows = tuple(Flow(name, rtt_s, law) for name, rtt_s in (("a", 0.02), ("b", 0.05)))
        tcp.solve(port, [Host("host", 1e7, flows)], 5.0)


def test_calls_have_the_same_bits_as_numba(libraries, recorded):
    command = ("node", REPLAY, libraries / "kernels.wasm", recorded.folder)
    said = said_by(command)
    assert (said["calls"], said["differ"]) == (recorded.calls.total(), [])


def test_calls_by_ctypes_in_pyodide_have_the_same_bits(libraries, recorded):
    files = f"kernels.so={libraries / 'kernels.so'}", f"calls={recorded.folder}"
    said = said_in_pyodide(SUPPORT / "replay_in_pyodide.py", *files)
    assert said == {"calls": recorded.calls.total(), "differ": []}


def test_the_clock_that_bounds_a_check_runs_in_pyodide(tmp_path):
    program = tmp_path / "clock.py"
    program.write_text(CLOCK)
    assert said_in_pyodide(program)


def said_in_pyodide(program, *files):
    if not PYODIDE.is_dir() and os.environ.get("CI") != "true":
        pytest.skip("not installed: `make build/npm/node_modules` does that")
    return said_by(("node", SUPPORT / "in_pyodide.mjs", PYODIDE, program, *files))


def said_by(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_scenario_runs_without_numba(libraries):
    answers = []
    for without, library in (("", ""), ('import sys\nsys.modules["numba"] = None', "native.so")):
        env = os.environ | {"QOSLIB_KERNELS": str(libraries / library)}
        command = (sys.executable, "-c", without + PROGRAM)
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    assert answers[0] == answers[1]


def test_without_numba_and_library_the_error_says_what_to_install(tmp_path):
    program = 'import sys\nsys.modules["numba"] = None' + PROGRAM
    env = os.environ | {"QOSLIB_KERNELS": str(tmp_path / "kernels.so")}
    command = (sys.executable, "-c", program)
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "kernels.so, which is not there: install numba" in done.stderr
