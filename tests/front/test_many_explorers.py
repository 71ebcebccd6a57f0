"""Explorers that are closed leave nothing behind: a long session does not fill the memory."""

import os

import pytest
from jupyter_client.manager import start_new_kernel

pytestmark = pytest.mark.soak

#: How many are made and closed, and by how much the memory may grow [MB].
MADE, GROWN_MB = (200, 20) if "QOSLIB_SOAK" in os.environ else (20, 8)

BEGIN = """
import gc, resource
from qoslib import lessons

saved = lessons.your_network.router(lessons.your_network.configuration())

def make_and_close(explorers):
    for number in range(explorers):
        ports = lessons.your_network.explorer, lessons.round_robin.explorer
        made = ports[0](saved) if number % 2 else ports[1]()
        made.close()

make_and_close(12)
"""
HELD_MB = """
gc.collect()
with open("/proc/self/statm") as pages:
    print(int(pages.read().split()[1]) * resource.getpagesize() / 1e6)
"""


@pytest.fixture
def run():
    """Run code in a real kernel; what it prints. All that it sent to the page has left by then."""
    manager, client = start_new_kernel()

    def ran(code):
        said = []
        reply = client.execute_interactive(code, timeout=300, output_hook=said.append)
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(m["content"]["text"] for m in said if m["msg_type"] == "stream")

    yield ran
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_explorers_made_and_closed_in_one_kernel_take_no_memory(run):
    run(BEGIN)
    before = float(run(HELD_MB))
    run(f"make_and_close({MADE})")
    assert float(run(HELD_MB)) - before < GROWN_MB
