"""A JupyterLab on loopback that serves a copy of the lessons, for as long as it is needed."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_S = 60


def chromium():
    """Path of a Chromium."""
    found = os.environ.get("QOSLIB_CHROMIUM") or next(
        filter(None, map(shutil.which, CHROMIUMS)), ""
    )
    if not found:
        sys.exit("no Chromium: apt install chromium, or set QOSLIB_CHROMIUM to one")
    return found


@contextmanager
def laboratory(home):
    """Yield address and token of a JupyterLab whose files and settings are in a folder."""
    lessons = shutil.copytree(NOTEBOOKS, home / "notebooks", ignore=shutil.ignore_patterns(".*"))
    port, token = free_port(), secrets.token_hex(16)
    folders = {f"JUPYTER_{n}_DIR": str(home / n.lower()) for n in ("CONFIG", "DATA", "RUNTIME")}
    own = os.environ | folders | {"IPYTHONDIR": str(home / "ipython"), "JUPYTER_TOKEN": token}
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": lessons,
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(
            [*command, *(f"--{name}={value}" for name, value in options.items())],
            cwd=home,
            env=own,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_ready(server, f"http://127.0.0.1:{port}/api/status?token={token}")
        yield f"http://127.0.0.1:{port}", token
    finally:
        stop(server)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_ready(server, url):
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    sys.exit("JupyterLab did not start")


def stop(server):
    """End the server and its kernels, and it alone: by its process id."""
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
