"""What a page gets of a lesson's scene: the packet view's own record, stored or asked for."""

import base64
import gzip
import json
import re

import pytest

from qoslib.lessons import head_drop, one_queue
from website import made, scene_records, scenes, shown

#: Of ports with one queue and with several, of one lane and of two, and of TCP.
SCENES = [("00_one_queue", 0), ("00_one_queue", 1), ("03_round_robin", 1), ("06_tcp_buffers", 0)]
FIRST = {"lesson": "00_one_queue", "number": 0}
QUEUE = {"lane": 0, "queue": 0}


@pytest.fixture(scope="module", autouse=True)
def kept():
    for name in {name for name, _ in SCENES}:
        made.keep(name, shown.pickled(shown.LESSONS / f"{name}.ipynb"))


@pytest.fixture(scope="module")
def files():
    with pytest.MonkeyPatch.context() as fewer:
        fewer.setattr(scene_records, "WALLS", (1, 8, 32))
        fewer.setattr(scene_records, "LOADS", (0.5,))
        return scene_records.records(shown.LESSONS / "00_one_queue.ipynb")


def stored(script):
    """Name, player, further files, prediction, and the scenes in a file by their settings."""
    call = re.fullmatch(r"qoslibScenes\.record\(\.\.\.(.*)\);\n", script)
    name, player, more, guess, letters = json.loads(call[1])
    head, _, data = gzip.decompress(base64.b64decode(letters)).partition(b"\n")
    found, at = {}, 0
    for each in json.loads(head):
        found[each["key"]] = each["spec"], data[at : at + each["bytes"]]
        at += each["bytes"]
    assert at == len(data)
    return name, player, more, guess, found


@pytest.mark.parametrize(("lesson", "number"), SCENES)
def test_without_a_change_it_is_the_scene_of_the_lesson(lesson, number):
    answer = scenes.answer({"lesson": lesson, "number": number, "changes": []})
    view = made.again(lesson, "scene", number)
    assert answer["data"] == view.data
    assert answer["spec"] == json.loads(json.dumps(dict(view.spec)))


def test_a_change_is_that_of_a_hand_in_a_notebook():
    view = one_queue.scene()
    view.change(limit=20, **QUEUE)
    view.change(rate=0.8, **QUEUE)
    view.change(turn=True, **QUEUE)
    changes = [{"limit": 20, **QUEUE}, {"rate": 0.8, **QUEUE}, {"turn": True, **QUEUE}]
    answer = scenes.answer({**FIRST, "changes": changes})
    assert answer["data"] == view.data
    assert answer["spec"]["lanes"] == json.loads(json.dumps(view.spec["lanes"]))
    assert answer["spec"]["summary"] == view.spec["summary"]


def test_an_answer_does_not_depend_on_the_questions_before():
    first = scenes.answer({**FIRST, "changes": [{"limit": 3, **QUEUE}]})
    scenes.answer({**FIRST, "changes": [{"rate": 2, **QUEUE}, {"turn": True, **QUEUE}]})
    with pytest.raises(ValueError, match="the limit is -1"):
        scenes.answer({**FIRST, "changes": [{"turn": True, **QUEUE}, {"limit": -1, **QUEUE}]})
    assert scenes.answer({**FIRST, "changes": [{"limit": 3, **QUEUE}]}) == first


def test_lanes_that_move_together_do_so_for_a_page():
    view = head_drop.ends_scene()
    assert view.spec["same_limit"]
    changes = [{"limit": 30, "lane": 1, "queue": 0}]
    spec = scenes.scene_with(view, changes).spec
    assert [lane["queues"][0]["limit"]["most"] for lane in spec["lanes"]] == [30, 30]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"limit": 4, "lane": -1, "queue": 0}, "the lane is -1"),
        ({"limit": 4, "lane": True, "queue": 0}, "the lane is True"),
        ({"limit": 4, "lane": 0, "queue": 1}, "the queue is 1"),
        ({"limit": 4}, "the lane is None"),
        ({"limit": float("inf"), **QUEUE}, "the limit is inf"),
        ({"limit": "4", **QUEUE}, "the limit is '4'"),
        ({"rate": 0.1, **QUEUE}, "the rate is 0.1; allowed: from 0.25 to 3"),
        ({"turn": False, **QUEUE}, "the turn is False"),
        ({"lane": 0, "queue": 0}, "a change is"),
        ("limit", "a change is 'limit'"),
    ],
)
def test_what_no_hand_can_do_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        scenes.answer({**FIRST, "changes": [change]})


@pytest.mark.parametrize("changes", ["limit", {"limit": 4}, 3])
def test_changes_are_a_list(changes):
    with pytest.raises(ValueError, match="the changes is"):
        scenes.answer({**FIRST, "changes": changes})


def test_the_first_scene_is_stored_with_other_walls_ends_and_loads(files):
    *about, found = stored(files["00_one_queue-0.js"])
    more = [["00_one_queue-0-loads", "rate-0-0", [0.5]]]
    assert about == ["00_one_queue-0", "packets", more, "00.a"]
    assert next(iter(found)) == ""
    assert len(found) == 6
    *_, loads = stored(files["00_one_queue-0-loads.js"])
    every = [[*filter(None, key.split(",")), "rate-0-0:0.5"] for key in found]
    assert list(loads) == [",".join(sorted(each)) for each in every]
    for key in ("", "limit-0-0:1", "turn-0-0:1", "limit-0-0:32,turn-0-0:1"):
        settings = dict(each.split(":") for each in key.split(",") if each)
        changes = scene_records.changes_of({n: float(v) for n, v in settings.items()})
        answer = scenes.answer({**FIRST, "changes": changes})
        assert found[key] == (answer["spec"], answer["data"])


def test_other_scenes_are_stored_as_they_begin(files):
    *about, found = stored(files["00_one_queue-1.js"])
    assert about == ["00_one_queue-1", "packets", [], ""]
    assert list(found) == [""]


def test_tcp_has_a_player_of_its_own():
    files = scene_records.records(shown.LESSONS / "06_tcp_buffers.ipynb")
    assert {stored(each)[1] for each in files.values()} == {"tcp"}
    players = scene_records.players()
    assert set(players) == {"packets.js", "tcp.js"}
    assert all("export " not in text and "import {" not in text for text in players.values())
