"""Predictions: asked, kept, and shown again beside the answer."""

import json
import re
import threading

import pytest

from qoslib import lessons
from qoslib.lessons.prediction import Prediction, Store, ghost, reveal
from qoslib.lessons.prediction_widget import Widget

NUMBER = Prediction("x.a", {"question": "How long?", "who": "The router", "low": 1, "high": 1000,
                            "log": True, "unit": "ms"})  # fmt: skip
CHOICE = Prediction("x.b", {"question": "Who?", "who": "The model", "choices": ["voice", "data"]})
AXIS = {"label": "load", "unit": "%", "low": 0, "high": 100, "ticks": [0, 50, 100]}
CURVE = Prediction("x.c", {"question": "How?", "who": "The model", "x": AXIS,
                           "y": AXIS | {"label": "loss"}, "at": [0, 50, 100]})  # fmt: skip
GUESSES = {NUMBER: 20, CHOICE: "data", CURVE: [[0, 1], [50, 2], [100, 3]]}
WRONG = {
    NUMBER: [0, 1001, "20", None, True, float("nan"), [20]],
    CHOICE: ["nobody", 1, None, ["voice"]],
    CURVE: [20, [], [[0, 1], [50, 2]], [[0, 1], [50, 2], [99, 3]], [[0, 1], [50, 2], [100, 300]],
            [[0, 1], [50, "2"], [100, 3]], ["abc", "def", "ghi"], None],
}  # fmt: skip
KINDS = pytest.mark.parametrize("asked", GUESSES, ids=lambda each: each.kind)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of working copies, where guesses are kept."""
    (tmp_path / ".answers").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".answers"


@KINDS
def test_a_guess_is_kept_for_the_next_kernel(asked, folder):
    Widget(asked, Store()).guess = GUESSES[asked]
    assert [path.name for path in folder.iterdir()] == [f"{asked.name}.json"]
    assert Store().get(asked) == GUESSES[asked]
    assert Widget(asked, Store()).guess == GUESSES[asked]


@KINDS
def test_without_a_folder_a_guess_lasts_as_long_as_the_kernel(asked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store()
    Widget(asked, store).guess = GUESSES[asked]
    assert store.get(asked) == GUESSES[asked]
    assert list(tmp_path.iterdir()) == []
    assert Store().get(asked) is None


@pytest.mark.parametrize(("asked", "guess"), [(a, g) for a, each in WRONG.items() for g in each])
def test_what_is_no_guess_is_not_kept(asked, guess, folder):
    store = Store()
    store.keep(asked, GUESSES[asked])
    Widget(asked, store).guess = guess
    assert store.get(asked) == GUESSES[asked]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"guess": 5000}', '{"guess": "x"}', "[" * 9_999, " " * 20_000]
)
def test_a_damaged_file_is_no_guess(text, folder):
    (folder / "x.a.json").write_text(text)
    assert Store().get(NUMBER) is None


def test_a_guess_is_never_half_written(folder):
    Store().keep(NUMBER, 20)
    stop = threading.Event()

    def keep():
        while not stop.is_set():
            Store().keep(NUMBER, 20)

    writer = threading.Thread(target=keep)
    writer.start()
    try:
        assert {Store().get(NUMBER) for _ in range(300)} == {20}
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize(
    ("asked", "guess", "answer", "text"),
    [
        (NUMBER, 20, 84.2, "You said 20 ms. The router: 84.2 ms."),
        (NUMBER, 80, 84, "You said 80 ms. The router: 84 ms. Well predicted."),
        (NUMBER, None, 84, "The router: 84 ms."),
        (CHOICE, "data", "voice", "You said: data. The model: voice."),
        (CHOICE, "voice", "voice", "You said: voice. The model: voice. Well predicted."),
        (CHOICE, None, "voice", "The model: voice."),
    ],
)
def test_the_answer_stands_beside_the_guess(asked, guess, answer, text):
    shown = reveal(asked, guess, answer)
    assert repr(shown) == text
    assert shown._repr_markdown_() == f"**{text}**"


def test_a_drawn_curve_stays_in_the_picture():
    figure = reveal(CURVE, GUESSES[CURVE], {0: 0, 100: 40})
    assert [trace["name"] for trace in figure.data] == ["your guess", "The model"]
    assert figure.summary == "At 100 %: the model 40 %, your curve 3 %."
    assert figure.table["The model"].tolist() == [0, 20, 40]
    alone = reveal(CURVE, None, [(0, 0), (100, 40)])
    assert [trace["name"] for trace in alone.data] == ["The model"]
    assert alone.summary == "At 100 %: the model 40 %."


def test_an_unfinished_curve_is_shown_and_named_but_not_kept(folder):
    store = Store()
    asked = Widget(CURVE, store)
    asked.part = [[0, 1], [50, 2]]
    assert store.get(CURVE) is None
    assert list(folder.iterdir()) == []
    figure = reveal(CURVE, None, {0: 0, 100: 40}, store.part(CURVE))
    assert list(figure.data[0]["x"]) == [0, 50]
    said = "Your curve is not finished: nothing is drawn at 100 %. At 100 %: the model 40 %."
    assert figure.summary == said
    assert figure.table["your guess"].isna().tolist() == [False, False, True]
    asked.part, asked.guess = [], GUESSES[CURVE]
    assert store.part(CURVE) == []
    assert store.get(CURVE) == GUESSES[CURVE]


@pytest.mark.parametrize(
    "points", [[[51, 2]], [[50, 2], [0, 1]], [[0, 101]], [[0]], "ab", [[0, None]]]
)
def test_what_is_no_part_of_a_curve_is_not_held(points):
    store = Store()
    store.hold(CURVE, points)
    assert store.part(CURVE) == []


def test_a_guess_stays_in_the_figure_whose_axis_it_is_of():
    mark = ghost(NUMBER, 20, 1, x=["BE"], drawn=lambda ms: ms / 1000)
    assert (mark["x"], mark["y"], mark["text"]) == (["BE"], [0.02], ["your guess"])
    assert mark["customdata"] == ["20 ms"]
    upright = ghost(NUMBER, 20, 0, y=[0, 9])
    assert (upright["x"], upright["y"], upright["mode"]) == ([20, 20], [0, 9], "lines+text")
    curve = ghost(CURVE, GUESSES[CURVE], 2, faded=True)
    assert (curve["x"], curve["y"]) == ([0, 50, 100], [1, 2, 3])
    assert curve["customdata"][-1] == "3 %"
    assert curve["opacity"] < mark["opacity"]
    for asked in (NUMBER, CURVE):
        assert ghost(asked, None, 0, x=["BE"])["x"] == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [(NUMBER, "84"), (NUMBER, None), (CHOICE, "nobody"), (CURVE, 3), (CURVE, "ab")],
)
def test_an_answer_of_another_kind_is_refused(asked, answer):
    with pytest.raises(ValueError, match=r"answer is .*; allowed: "):
        reveal(asked, None, answer)


def test_an_unknown_prediction_is_named_with_those_that_there_are():
    for call in (lessons.predict, lessons.guess):
        with pytest.raises(ValueError, match=r"prediction is '99.z'; allowed: .*00\.a"):
            call("99.z")
    with pytest.raises(ValueError, match=r"prediction is 3; allowed: "):
        lessons.reveal(3, 1)


def test_a_class_becomes_one_picture(tmp_path):
    name = next(name for name, each in lessons.predictions().items() if each.kind == "number")
    words = lessons.predictions()[name].words
    for reader in range(30):
        mine = tmp_path / f"reader {reader}" / ".answers"
        mine.mkdir(parents=True)
        guess = words["low"] if reader < 20 else words["high"]
        (mine / f"{name}.json").write_text(json.dumps({"prediction": name, "guess": guess}))
    (tmp_path / "reader 0" / ".answers" / f"{name}.json").write_text("damaged")
    figure = lessons.guesses(name, tmp_path, answer=words["high"])
    assert figure.table["guesses"].tolist()[0] == 19
    assert figure.table["guesses"].tolist()[-1] == 10
    assert "29 guesses" in figure.summary
    assert "1 file could not be read" in figure.summary


def test_a_folder_that_is_none_is_refused(tmp_path):
    for folder in (tmp_path / "nowhere", None, 3):
        with pytest.raises(ValueError, match="folder is "):
            lessons.guesses(next(iter(lessons.predictions())), folder)


@pytest.mark.parametrize("name", lessons.predictions())
def test_the_words_of_each_prediction_are_whole(name):
    asked = lessons.predictions()[name]
    words = asked.words
    assert re.fullmatch(r"\d\d\.[a-c]", name), "at most three in a lesson"
    assert words["question"].endswith("?")
    assert words["who"].startswith("The ")
    if asked.kind == "number":
        assert words["low"] < words["high"]
        assert words["unit"]
        assert not words.get("log") or words["low"] > 0
    elif asked.kind == "choice":
        assert len(set(words["choices"])) == len(words["choices"]) >= 2
    else:
        assert list(words["at"]) == sorted(words["at"])
        for axis in (words["x"], words["y"]):
            assert {"label", "unit", "low", "high", "ticks"} <= set(axis)
            assert axis["low"] < axis["high"]
