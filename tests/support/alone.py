"""A program in a process of its own that has numpy alone, as a web page has."""

import json
import os
import subprocess
import sys

from places import ROOT, SUPPORT
from website import wasm


def _kernels():
    """Those compiled for this machine, if they are there as they are now; else those of numba."""
    path, library = wasm.FOLDER / "manifest.json", wasm.FOLDER / "native.so"
    manifest = json.loads(path.read_text()) if path.is_file() else {"bytes": {}, "sources": ""}
    is_new = library.name in manifest["bytes"] and manifest["sources"] == wasm.hash_of_sources()
    return library if is_new else None


def answers_of(program):
    """The JSON that a program of this folder prints."""
    library = _kernels()
    env = os.environ | {"PYTHONPATH": str(ROOT), "QOSLIB_KERNELS": str(library)}
    command = [sys.executable, SUPPORT / program, *([] if library else ["numba"])]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
