"""What a page's worker answers: the command line's check, and one sentence for each bad message."""

import contextlib
import io
import json

import pytest

from qoslib.__main__ import main
from website import checking
from website.answers import ANSWERERS, answer, answer_text

EXAMPLE = {"ask": "check", **checking.EXAMPLE}
NOWHERE = "an interface with queues: GigabitEthernet0/0/1"


def silent(done, whole):
    pass


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (None, "a message is None; allowed: an object"),
        ([1], "a message is [1]; allowed: an object"),
        ({}, "ask is None; allowed: explorer, scene, check, exercise"),
        ({"ask": "tea"}, "ask is 'tea'; allowed: explorer, scene, check, exercise"),
        ({"ask": "check"}, "there is no configuration yet: paste one, or drop a file"),
        ({"ask": "check", "text": " \n"}, "there is no configuration yet: paste one, or drop a"),
        ({"ask": "check", "text": 3}, "text is 3; allowed: a text"),
        ({"ask": "check", "text": "x", "load": {}}, "load is {}; allowed: a text"),
        ({"ask": "check", "text": "x", "facts": ["a"]}, "facts is ['a']; allowed: texts by the"),
        ({"ask": "check", "text": "x", "facts": {"a": 1}}, "facts is {'a': 1}; allowed: texts by"),
        (EXAMPLE | {"facts": {"speed": "1G"}}, "the fact is 'speed=1G'; allowed: NAME=VALUE"),
        (EXAMPLE | {"facts": {"Gi9/9.line_rate_bps": "1G"}}, f"'Gi9/9'; allowed: {NOWHERE}"),
        (EXAMPLE | {"dialect": "latin"}, "dialect is 'latin'; allowed: ios-xe, ios, "),
        (EXAMPLE | {"load": 'VOICE = "3 bananas"'}, "the load: line 1: traffic of VOICE is '3 ban"),
        (EXAMPLE | {"load": "VOICE"}, "the load: Expected '=' after a key"),
        (
            EXAMPLE | {"load": '["Gi9/9"]\nVOICE = "1 Mb/s"'},
            "a table of the load is 'Gi9/9'",
        ),
        (
            {"ask": "check", "text": "hostname edge\ninterface Gi0/1\n ip address dhcp\n"},
            "no policy",
        ),
    ],
)
def test_a_bad_message_gets_one_sentence(message, said):
    given = answer(message, silent)
    assert given.keys() == {"error"}
    assert said in given["error"]
    assert "\n" not in given["error"]


@pytest.fixture
def edge(tmp_path, monkeypatch):
    """The folder that the command line runs in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edge.cfg").write_text(EXAMPLE["text"])
    (tmp_path / "load.toml").write_text(EXAMPLE["load"])


def printed(*arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        main(["check", "edge.cfg", *arguments])
    return said.getvalue()


def test_promises_are_those_of_the_command_line(edge):
    given = answer(EXAMPLE | {"load": ""}, silent)
    assert given["text"] + "\n" == printed()
    assert given["json"] == printed("--json")
    assert given["markdown"] == printed("--markdown", "-")


def test_findings_under_load_are_those_of_the_command_line(edge, first):
    assert first["text"] + "\n" == printed("--traffic", "load.toml")
    assert first["json"] == printed("--traffic", "load.toml", "--json")


def test_a_ticket_is_that_of_the_command_line(edge):
    given = answer(EXAMPLE | {"full": True}, silent)
    assert given["markdown"] == printed("--traffic", "load.toml", "--markdown", "-")


@pytest.fixture(scope="module")
def first():
    """The answer to the example, and what its progress said."""
    heard = []
    return answer(EXAMPLE, lambda done, whole: heard.append(done / whole)) | {"heard": heard}


def test_a_fix_stands_beside_what_it_changes(first):
    line, fix = next((each["line"], each["fix"]) for each in first["findings"] if each["fix"])
    assert f'class="finding warning" data-line="{line}"' in first["html"]
    fixed = answer(
        EXAMPLE | {"text": f"{EXAMPLE['text']}{fix}\n", "before": EXAMPLE["text"]}, silent
    )
    assert first["changes"] == ""
    row = '<th scope="row">VIDEO</th><td>21.7 Mb/s → 25.3 Mb/s</td><td>6.7 % → 0 %</td>'
    assert row in fixed["changes"]


def test_a_fact_that_is_missing_is_asked_for_and_taken():
    text = EXAMPLE["text"].replace(" speed 100\n", "").replace("GigabitEthernet0/0/1", "Tunnel1")
    text = text.replace("  shape average 50000000\n", "")
    asked = answer({"ask": "check", "text": text}, silent)["missing"]
    assert [each["unit"] for each in asked] == ["bit/s"]
    given = {asked[0]["name"]: "50M"}
    assert answer({"ask": "check", "text": text, "facts": given}, silent)["missing"] == []


def test_what_a_text_says_is_shown_as_text():
    hostile = EXAMPLE["text"].replace("VIDEO", "<img/src=x>").replace("WAN", "<script>")
    load = EXAMPLE["load"].replace("VIDEO", '"<img/src=x>"')
    shown = answer(EXAMPLE | {"text": hostile, "load": load, "before": EXAMPLE["text"]}, silent)
    assert "&lt;img/src=x&gt;" in shown["html"]
    for part in (shown["html"], shown["changes"]):
        assert "<img" not in part
        assert "<script" not in part


def test_progress_reaches_the_whole(first):
    assert first["heard"] == sorted(first["heard"])
    assert first["heard"][-1] == 1


def test_bytes_are_kept_apart_from_json(monkeypatch):
    monkeypatch.setitem(ANSWERERS, "scene", "test_answers_scene")
    module = type("Scene", (), {"answer": staticmethod(lambda *_: {"spec": 1, "data": b"\x00"})})
    monkeypatch.setitem(__import__("sys").modules, "test_answers_scene", module)
    text, raw = answer_text('{"ask": "scene"}', silent)
    assert json.loads(text) == {"spec": 1}
    assert raw == {"data": b"\x00"}
