"""Whatever ends a lab, nothing of it is left: no process, no namespace and no interface."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from livelab.lab import ROUTER, SENDER, Lab, LabError
from livelab.probe import lacking, probe

ROOT = Path(__file__).resolve().parents[2]
RUNS = 20
#: A run that never ends by itself; before its line it is still being built.
CODE = """
import json, sys
from livelab.lab import Lab, SENDER
with Lab() as lab:
    print(json.dumps(lab.ask("identity")), flush=True)
    lab.run([sys.executable, "-c", "import time; time.sleep(90)"], SENDER, 90)
"""


@pytest.fixture(scope="module", autouse=True)
def rights():
    if missing := lacking(probe(), ()):
        pytest.skip(missing)


def own(tag):
    """Processes whose environment has the tag: all that a lab of ours started."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if tag.encode() in path.read_bytes():
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


def namespaces(since=float("inf")):
    """The numbers of all namespaces that some process is in which had begun by then.

    The kernel gives the number of a namespace that is gone to the next one, say a browser's.
    """
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            begun = int((process / "stat").read_text().rpartition(")")[2].split()[19])
            if begun <= since:
                found |= {path.stat().st_ino for path in (process / "ns").iterdir()}
        except OSError:
            continue
    return found


def ticks():
    """The time in the clock that processes' starts are told in."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK")


def interfaces():
    return set(os.listdir("/sys/class/net"))


def gone(tag, numbers, since):
    """Wait a little for the kernel to clear up, and say what is left of what was there then."""
    end = time.monotonic() + 5.0
    while True:
        left = own(tag), namespaces(since) & numbers
        if not any(left) or time.monotonic() > end:
            return left
        time.sleep(0.05)


@pytest.mark.parametrize("run", range(RUNS))
def test_nothing_is_left_of_an_interrupted_lab(run):
    """Ctrl-C and SIGKILL by turns, some while the lab is still being built."""
    tag, before = f"LAB_{uuid.uuid4().hex}", interfaces()
    process = subprocess.Popen(
        [sys.executable, "-c", CODE],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, tag: "1", "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    numbers = set()
    try:
        if run % 4 < 3:
            numbers = set(json.loads(process.stdout.readline()).values())
            assert len(own(tag)) >= 3, "the program, the helper and what runs in it"
        else:
            time.sleep(0.02 * run)
        since = ticks()
        os.killpg(process.pid, signal.SIGINT if run % 2 else signal.SIGKILL)
        process.wait(10)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert gone(tag, numbers, since) == (set(), set())
    assert interfaces() == before


def test_nothing_is_left_where_the_program_fails():
    before = interfaces()

    def fails():
        with Lab() as lab:
            numbers.update(lab.ask("identity").values())
            assert namespaces(ticks()) & numbers
            raise ZeroDivisionError

    numbers: set[int] = set()
    with pytest.raises(ZeroDivisionError):
        fails()
    assert numbers
    assert gone("no such tag", numbers, ticks()) == (set(), set())
    assert interfaces() == before


def test_a_command_that_fails_or_hangs_is_an_error():
    with Lab() as lab:
        with pytest.raises(LabError, match="nowhere"):
            lab.script("ip link set nowhere up", ROUTER)
        with pytest.raises(LabError, match=r"longer than 0\.2 s"):
            lab.run(["sleep", "30"], SENDER, 0.2)
        assert lab.run(["echo", "on"], SENDER).out == "on\n"
    with pytest.raises(LabError, match="ended"):
        lab.run(["echo", "off"], SENDER)


def test_labs_run_side_by_side():
    with Lab() as one, Lab() as other:
        first, second = one.ask("identity"), other.ask("identity")
        assert not set(first.values()) & set(second.values())
