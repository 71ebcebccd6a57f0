"""What a lesson shows is found, made again elsewhere, and answers as it does in a notebook."""

import json
import random

import pytest

from qoslib import plots
from website import explorers, made, shown

EXPLORERS = [
    (notebook.stem, sum(each.kind == "explorer" for each in shown.shown(notebook)))
    for notebook in shown.lessons()
]
EVERY = [(lesson, number) for lesson, count in EXPLORERS for number in range(count)]
#: What a live figure takes over from a new one.
TAKEN = ("uid", "x", "y", "text", "customdata", "opacity", "name", "error_y")


@pytest.fixture(scope="module", autouse=True)
def kept():
    for notebook in shown.lessons():
        made.keep(notebook.stem, shown.pickled(notebook))


def asked(lesson, number, **more):
    return explorers.answer({"lesson": lesson, "number": number, **more})


def drawn(figure):
    """The traces of a figure of a notebook, as a page would get them."""
    return plots.Figure(figure.to_plotly_json()["data"]).data


def drawn_at_random(explorer, seed):
    """A place for each control that no preset moves."""
    draw = random.Random(seed)
    preset = explorers.described(explorer)["preset"]
    values = {}
    for each in explorers.described(explorer)["controls"]:
        if each["kind"] == "slider":
            steps = round((each["max"] - each["min"]) / each["step"])
            values[each["name"]] = each["min"] + draw.randint(0, steps) * each["step"]
        elif each["kind"] == "switch":
            values[each["name"]] = draw.random() < 0.5
        elif not preset or each["name"] != preset["name"]:
            values[each["name"]] = draw.choice(each["options"])[1]
    return values


def test_lessons_show_a_scene_first_and_an_explorer():
    assert dict(EXPLORERS) == {
        notebook.stem: {"01": 2, "10": 0, "13": 0}.get(notebook.stem[:2], 1)
        for notebook in shown.lessons()
    }
    for notebook in shown.lessons():
        scenes = [each for each in shown.shown(notebook) if each.kind == "scene"]
        assert bool(scenes) is (notebook.stem[:2] not in ("11", "12"))


def test_nothing_that_is_kept_needs_pandas():
    assert [path.stem for path in shown.lessons() if b"pandas" in shown.pickled(path)] == []


def test_arguments_are_those_of_the_lesson():
    point = next(
        each
        for each in shown.shown(shown.LESSONS / "00_one_queue.ipynb")
        if each.kind == "explorer"
    ).arguments[1]
    assert (point.lost, point.lost_half_width) == (0.36, 0.005)


@pytest.mark.parametrize(("lesson", "number"), EVERY)
def test_answer_is_the_figure_of_the_notebook(lesson, number):
    explorer = made.again(lesson, "explorer", number)
    for seed in (1, 2):
        values = drawn_at_random(explorer, seed)
        try:
            explorer.move(**values)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)[:20]):
                asked(lesson, number, values=values)
            continue
        answer = asked(lesson, number, values=values, packets=True)
        live = drawn(explorer.figure)
        for trace, other in zip(answer["data"], live, strict=False):
            assert {name: trace.get(name) for name in TAKEN} == {
                name: other.get(name) for name in TAKEN
            }
        assert (answer["summary"], answer["remark"]) == (explorer.summary, explorer.remark)
        assert answer["python"] == explorer.python
        assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_fluid_answer_comes_without_packets():
    fluid, packets = (asked("00_one_queue", 0, packets=each) for each in (False, True))
    both = list(zip(fluid["data"], packets["data"], strict=True))
    dots = [pair for pair in both if pair[0].get("meta") == "packets"]
    assert dots
    for before, after in dots:
        assert not any(before["y"])
        assert any(after["y"])


def test_cause_says_what_a_move_did():
    start = asked("00_one_queue", 0, packets=True)
    before = {"values": start["values"], "summary": start["summary"]}
    moved = asked("00_one_queue", 0, values={"buffer": 64}, packets=True, before=before)
    assert moved["cause"].startswith("Buffer 512 → 64 packets.")
    assert not asked("00_one_queue", 0, values={"buffer": 64}, before=before)["cause"]


def test_a_preset_decides_where_all_controls_begin():
    other = asked("03_round_robin", 0, values={"experiment": "test_a"})
    explorer = made.again("03_round_robin", "explorer", 0)
    begins = dict(map(tuple, explorers.described(explorer)["preset"]["starts"]))
    assert other["values"] == {**begins["test_a"], "experiment": "test_a"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"self": 3}, "control is 'self'; allowed: load, buffer, frame, rate, spacing"),
        ({"height": 3}, "control is 'height'; allowed: load, buffer, frame, rate, spacing"),
        ({"load": 201}, "load is 201; allowed: 0 to 200"),
        ({"load": float("nan")}, "load is nan; allowed: 0 to 200"),
        ({"load": "much"}, "load is 'much'; allowed: 0 to 200"),
        ({"spacing": "never"}, "spacing is 'never'; allowed: evenly"),
    ],
)
def test_a_bad_value_is_named(values, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        asked("00_one_queue", 0, values=values)


@pytest.mark.parametrize(
    ("lesson", "kind", "number", "message"),
    [
        ("99", "explorer", 0, "lesson is '99'; allowed: 00_one_queue"),
        ("00_one_queue", "book", 0, "kind is 'book'; allowed: explorer, scene"),
        ("00_one_queue", "explorer", 3, "number is 3; allowed: 0 to 0 in 00_one_queue"),
    ],
)
def test_what_no_lesson_shows_is_named(lesson, kind, number, message):
    with pytest.raises(ValueError, match=message):
        made.again(lesson, kind, number)
