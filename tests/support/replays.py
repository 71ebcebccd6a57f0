"""A scene of the packet view, played by node."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from places import SUPPORT
from qoslib import explore
from qoslib.explore.packet_scene import scene_of

PAGE = Path(explore.__file__).parent / "page"
NODE = shutil.which("node")


def events_of(lane, start_s):
    record = lane.events
    rows = (record.time_s - start_s, record.kind, record.stream, record.queue, record.packet)
    return [list(row) for row in zip(*(column.tolist() for column in rows), strict=True)]


def replayed(tmp_path, lanes, window, times, states=False):
    if NODE is None:
        pytest.skip("no node; the browser tests compare the same")
    scene = scene_of(lanes, *window)
    # Half way between two ticks: what happens at one time is at one tick.
    known = np.unique(np.concatenate([lane.events.time_s for lane in lanes])) - window.start_s
    middle = (known[1:] + known[:-1]) / 2
    middle = middle[(np.diff(known) > 1e-9) & (middle > 0) & (middle < scene.spec["end_s"])]
    chosen = middle[np.linspace(0, len(middle) - 1, times).astype(int)]
    told = {
        "spec": scene.spec,
        "data": base64.b64encode(scene.data).decode(),
        "lanes": [events_of(lane, window.start_s) for lane in lanes],
        "times_s": chosen.tolist(),
        "states": states,
    }
    (tmp_path / "scene.json").write_text(json.dumps(told))
    command = [NODE, SUPPORT / "packet_replay.mjs", PAGE, tmp_path / "scene.json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {"times_s": chosen, "scene": scene, **json.loads(done.stdout)}
