"""The engines and the checker run where there is only numpy: in a web page."""

import json
import os
import subprocess
import sys

import numpy_alone
from places import ROOT, SUPPORT
from website import wasm


def kernels():
    """Those compiled for this machine, if they are there as they are now; else those of numba."""
    manifest, library = wasm.FOLDER / "manifest.json", wasm.FOLDER / "native.so"
    there = manifest.is_file() and library.is_file()
    is_new = there and json.loads(manifest.read_text())["sources"] == wasm.hash_of_sources()
    return library if is_new else None


def test_all_rooms_say_the_same_with_numpy_alone():
    library = kernels()
    env = os.environ | {"PYTHONPATH": str(ROOT), "QOSLIB_KERNELS": str(library)}
    command = [sys.executable, SUPPORT / "numpy_alone.py", *([] if library else ["numba"])]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    alone, here = json.loads(done.stdout), numpy_alone.answers()
    assert [name for name in here if alone[name] != here[name]] == []
