"""The records of the packet views in the lessons, as files that a page plays without an engine.

A file is a script, so that a page in a folder loads it as well as one from a server. It hands over
what `packed` makes: for each setting of the scene its spec and its columns.
"""

import base64
import gzip
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qoslib.explore.packet_scene import Scene
from qoslib.explore.packet_view import PacketView, module
from qoslib.explore.tcp_view import TcpView
from website import made, shown
from website.scenes import scene_with

__all__ = [
    "changes_of",
    "files",
    "key_of",
    "packed",
    "players",
    "records",
]

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "scenes"
#: The scene that is kept with other settings, too: a page needs no engine to change it.
FIRST = "00_one_queue-0"
WALLS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 64)
LOADS = (0.5, 0.65, 0.8, 1.35, 2.0)
#: The name of the setting that has these values.
RATE = "rate-0-0"
#: What plays a scene: that of ports, and that of TCP.
PLAYERS: dict[str, type[PacketView]] = {"packets": PacketView, "tcp": TcpView}

#: Settings of a scene, by kind, lane and queue, that are not as at first.
Settings = dict[str, float]


def files() -> dict[str, bytes]:
    """Name of each script, players and records -> its content; kept by a hash of what makes it."""
    key = _key()
    if not (kept := KEPT / key).is_dir():
        every = {name: text for each in shown.lessons() for name, text in records(each).items()}
        shutil.rmtree(KEPT, ignore_errors=True)
        part = KEPT / f"{key}.part"
        part.mkdir(parents=True)
        for name, text in every.items():
            (part / name).write_text(text, encoding="utf-8")
        part.rename(kept)
    found = {f"scenes/{path.name}": path.read_bytes() for path in kept.iterdir()}
    return found | {name: text.encode() for name, text in players().items()}


def _key() -> str:
    """A hash of the package, of the lessons, and of this program."""
    parts = sorted([*(ROOT / "qoslib").rglob("*.py"), *shown.lessons(), Path(__file__)])
    return hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()[:16]


def players() -> dict[str, str]:
    """The programs that play scenes, each as a script that hands over `mount`."""
    found = {}
    for name, view in PLAYERS.items():
        code = module(view.layers).replace("export default { render };\n", "return mount;\n")
        found[f"{name}.js"] = (
            f'qoslibScenes.player("{name}", (() => {{\n"use strict";\n{code}}})());\n'
        )
    return found


def records(lesson: Path) -> dict[str, str]:
    """A file for each scene of a lesson, and another for other loads where they are kept."""
    found = {}
    made.keep(lesson.stem, shown.pickled(lesson))
    for number in range(sum(each.kind == "scene" for each in shown.shown(lesson))):
        name, view = f"{lesson.stem}-{number}", made.again(lesson.stem, "scene", number)
        parts = _settings(name, view)
        more = [[f"{name}-loads", RATE, LOADS]] if len(parts) > 1 else []
        for part, every in parts.items():
            found[f"{name}{part}.js"] = _script(name, view, more, every)
    return found


def _settings(name: str, view: PacketView) -> dict[str, list[Settings]]:
    """The settings with which a scene is kept, its first ones first, by the part of the file."""
    if name != FIRST:
        return {"": [{}]}
    own = view.spec["lanes"][0]["queues"][0]["limit"]["most"]
    walls: list[Settings] = [{}]
    walls += [{"limit-0-0": float(wall)} for wall in WALLS if wall != own]
    ends: tuple[Settings, Settings] = {}, {"turn-0-0": 1.0}
    both = [each | turned for turned in ends for each in walls]
    return {"": both, "-loads": [each | {RATE: load} for load in LOADS for each in both]}


def changes_of(settings: Settings) -> list[dict[str, Any]]:
    """The same as `website.scenes.answer` takes it."""
    found = []
    for name, value in settings.items():
        kind, lane, queue = name.split("-")
        value = bool(value) if kind == "turn" else value
        found.append({kind: value, "lane": int(lane), "queue": int(queue)})
    return found


def key_of(settings: Settings) -> str:
    """What names settings in a page, and in its address.

    >>> key_of({"rate-0-0": 0.5, "limit-0-0": 16})
    'limit-0-0:16,rate-0-0:0.5'
    """
    return ",".join(f"{name}:{value:g}" for name, value in sorted(settings.items()))


def _script(name: str, view: PacketView, more: list[list[Any]], every: list[Settings]) -> str:
    """A file; `more` has each further one: its name, and the setting and values that it is for."""
    player = next(name for name, kind in PLAYERS.items() if view.layers == kind.layers)
    scenes = {key_of(each): scene_with(view, changes_of(each)) for each in every}
    about = json.dumps([name, player, more, _prediction(view), packed(scenes)])
    return f"qoslibScenes.record(...{about});\n"


def _prediction(view: PacketView) -> str:
    """The prediction whose guess is written below a picture that is copied, if there is one."""
    return str(next(iter(getattr(view._guess, "args", ())), ""))


def packed(scenes: Mapping[str, Scene]) -> str:
    """Scenes by their settings: a line of JSON and the columns of all, compressed, as letters."""
    told = [
        {"key": key, "spec": scene.spec, "bytes": len(scene.data)} for key, scene in scenes.items()
    ]
    head = json.dumps(told, separators=(",", ":")).encode()
    data = b"".join([head, b"\n", *(scene.data for scene in scenes.values())])
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
