"""A real JupyterLab on loopback and a real Chromium, for the tests in this folder."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import sync_playwright

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_CHROMIUM = "no Chromium: apt install chromium, or set QOSLIB_CHROMIUM to a Chrome or Chromium"
#: Nothing may look outward: without these, Chromium calls home when it starts.
CHROMIUM_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
)


@pytest.fixture(scope="session")
def chromium_path():
    named = os.environ.get("QOSLIB_CHROMIUM")
    found = [named] if named else filter(None, map(shutil.which, CHROMIUMS))
    for path in found:
        return path
    if os.environ.get("CI") == "true":
        pytest.fail(NO_CHROMIUM, pytrace=False)
    pytest.skip(NO_CHROMIUM)


@pytest.fixture(scope="session")
def browser(chromium_path):
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_ARGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def jupyter_server(tmp_path_factory, chromium_path):
    """Yield the address and token of a JupyterLab that serves a copy of the lessons."""
    home = tmp_path_factory.mktemp("jupyter")
    lessons = shutil.copytree(NOTEBOOKS, home / "notebooks", ignore=shutil.ignore_patterns(".*"))
    port, token = free_port(), secrets.token_hex(16)
    log = home / "server.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jupyterlab",
                "--no-browser",
                "--allow-root",
                "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.port={port}",
                "--ServerApp.port_retries=0",
                f"--ServerApp.root_dir={lessons}",
            ],
            cwd=home,
            env=own_folders(home) | {"JUPYTER_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(server, f"{url}/api/status?token={token}", log)
        yield SimpleNamespace(url=url, token=token, root=lessons, log=log)
    finally:
        stop(server)


def own_folders(home):
    """An environment in which Jupyter neither reads nor writes the user's own settings."""
    folders = {
        f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")
    }
    return os.environ | folders | {"IPYTHONDIR": str(home / "ipython")}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_ready(server, url, log, patience_s=60):
    deadline_s = time.monotonic() + patience_s
    while time.monotonic() < deadline_s and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}", pytrace=False)


def stop(server):
    """End the server and its kernels, and it alone: by its process id."""
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
