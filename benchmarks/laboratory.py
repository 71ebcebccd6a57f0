"""A real Chromium, and a JupyterLab on loopback that serves a copy of the lessons."""

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

from playwright.sync_api import sync_playwright

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_CHROMIUM = "no Chromium: apt install chromium, or set QOSLIB_CHROMIUM to a Chrome or Chromium"
#: What Chromium goes without: the pages of its own below an address bar, which cost half a second
#: a window, and what playwright switches off, whose list this one replaces.
FEATURES_OFF = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
#: Nothing may look outward: without these, Chromium calls home when it starts.
CHROMIUM_ARGS = (
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
)
PATIENCE_S = 60


def chromium_path():
    """Path of a Chromium, or None."""
    found = filter(None, map(shutil.which, CHROMIUMS))
    return os.environ.get("QOSLIB_CHROMIUM") or next(found, None)


@contextmanager
def chromium():
    """Yield a Chromium without a window; the process ends where there is none."""
    path = chromium_path() or sys.exit(NO_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@contextmanager
def laboratory(home):
    """Yield address and token of a JupyterLab whose files, settings and log are in a folder.

    It neither reads nor writes the user's own settings.
    """
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
    log = home / "server.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [*command, *(f"--{name}={value}" for name, value in options.items())],
            cwd=home,
            env=own,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_ready(server, f"http://127.0.0.1:{port}/api/status?token={token}", log)
        yield f"http://127.0.0.1:{port}", token
    finally:
        stop(server)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_ready(server, url, log):
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    sys.exit(f"JupyterLab did not start:\n{log.read_text()}")


def stop(server):
    """End the server and its kernels, and it alone: by its process id."""
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
