"""What a page asks of the packet views: the scene of a lesson with what a hand has changed.

Plain Python: it runs in the worker of a page, and in tests.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from qoslib.explore.packet_scene import Scene
from qoslib.explore.packet_view import PacketView
from qoslib.record import fail
from website import made

__all__ = ["answer", "scene_with"]

#: What can be changed, and the least and the most of it; a queue is turned or is not named.
KINDS = {"limit": (0.0, 1e12), "rate": (0.25, 3.0), "turn": (1, 1)}


def answer(message: Mapping[str, Any]) -> dict[str, Any]:
    """Answer ``{lesson, number, changes}`` with the spec and the columns of a scene.

    A change is that of a queue of a lane: its limit, how many times as fast its arrivals are as at
    first, or that it drops at its other end. All since the first settings are asked for, so that an
    answer depends on nothing that was asked before.

    Raises
    ------
    ValueError
        If there is no such scene, or a change that cannot be made.
    """
    view = made.again(message.get("lesson", ""), "scene", message.get("number", 0))
    scene = scene_with(view, message.get("changes") or ())
    return {"spec": scene.spec, "data": scene.data}


def scene_with(view: PacketView, changes: Any) -> Scene:
    """The scene of a view with its first settings but for some changes."""
    if isinstance(changes, str) or not isinstance(changes, Sequence):
        fail("the changes", changes, "a list")
    view._apply({"reset": True})
    for change in changes:
        _check(view, change)
        view._apply(change)
    scene = view._made()
    # Through JSON, so that a page gets the same from here and from a file.
    return scene._replace(spec=json.loads(json.dumps(scene.spec)))


def _check(view: PacketView, change: Any) -> None:
    """That a change is one that a hand can make: a link may have any."""
    kind = next((each for each in KINDS if isinstance(change, Mapping) and each in change), None)
    if kind is None:
        fail("a change", change, f"of {', '.join(KINDS)}")
    lanes = view._shown
    lane = _place("the lane", change.get("lane"), len(lanes))
    _place("the queue", change.get("queue"), len(lanes[lane].queues))
    low, high = KINDS[kind]
    value = change[kind]
    if not isinstance(value, int | float) or not math.isfinite(value) or not low <= value <= high:
        fail(f"the {kind}", value, "true" if kind == "turn" else f"from {low:g} to {high:g}")


def _place(what: str, value: Any, count: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
        fail(what, value, f"from 0 to {count - 1}")
    return value
