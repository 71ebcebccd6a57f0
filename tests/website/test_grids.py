"""Stored answers of explorers are those that the explorer gives itself."""

import re

import pytest

from website import explorers, grids, made, shown

LESSON = shown.LESSONS / "08_aqm.ipynb"


@pytest.fixture(scope="module")
def grid():
    """A grid of few stops."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grids, "STOPS", 3)
        yield grids.grid(LESSON, 0)


def test_each_state_is_the_direct_answer(grid):
    checked = 0
    for name, states in grid["states"].items():
        for value, changes in states:
            asked = {"lesson": LESSON.stem, "number": 0, "values": {name: value}, "packets": True}
            begin = {"values": grid["start"], "summary": grid["first"]["summary"]}
            direct = explorers.answer({**asked, "before": begin})
            assert grids.with_differences(grid["first"], changes) == grids._short(direct)
            checked += 1
    assert checked == 11


def test_stops_reach_from_end_to_end_without_the_start():
    slider = {"kind": "slider", "min": 0.5, "max": 50.0, "step": 0.1}
    stops = grids.stops(slider, 18.432)
    assert (stops[0], stops[-1], len(stops)) == (0.5, 50.0, grids.STOPS)
    assert 0.5 not in grids.stops(slider, 0.5)
    assert {60.0, 16.0} < set(grids.stops(slider, 18.432, [16.0, 60.0]))
    options = [("one", 1), ("two", 2)]
    assert grids.stops({"kind": "choice", "options": options}, 2) == [1]
    assert grids.stops({"kind": "switch"}, True) == [False]


def test_numbers_in_a_text_are_stops():
    first = shown.LESSONS / "00_one_queue.ipynb"
    assert {"110", "101", "99"} == set(grids._named(first, 0)["load"])
    assert grids._named(shown.LESSONS / "01_head_drop.ipynb", 1) == {"change": ["-0.04"]}


@pytest.mark.parametrize("lesson", shown.lessons()[:10], ids=lambda path: path.stem)
def test_each_number_in_a_text_moves_a_control_that_is_there(lesson):
    made.keep(lesson.stem, shown.pickled(lesson))
    told = re.findall(r'<data value=\\"e(\d)=([^\\"]+)\\">', lesson.read_text("utf-8"))
    assert told
    for number, state in told:
        explorer = made.again(lesson.stem, "explorer", int(number))
        specs = {each["name"]: each for each in explorers.described(explorer)["controls"]}
        given = dict(pair.split(":") for pair in state.split(","))
        sliders = [name for name in given if specs[name]["kind"] == "slider"]
        assert next(iter(given)) in sliders
        values = given | {name: float(given[name]) for name in sliders}
        explorers.answer({"lesson": lesson.stem, "number": int(number), "values": values})


def test_what_cannot_be_shown_is_kept_with_its_reason(monkeypatch):
    made.keep("00_one_queue", shown.pickled(shown.LESSONS / "00_one_queue.ipynb"))
    explorer = made.again("00_one_queue", "explorer", 0)

    draw = explorer._draw

    def refuse_none(values, found):
        if values["load"] == 0:
            raise ValueError("nothing is offered")
        return draw(values, found)

    monkeypatch.setattr(grids, "STOPS", 2)
    monkeypatch.setattr(explorer, "_simulate", None)
    monkeypatch.setattr(explorer, "_draw", refuse_none)
    monkeypatch.setattr(grids, "_first", grids._first.__wrapped__)
    monkeypatch.setattr(grids, "_explorer", lambda lesson, number: explorer)
    states = grids._moves(shown.LESSONS / "00_one_queue.ipynb", 0, "load")
    assert states[0] == [0.0, None, "nothing is offered"]
    assert states[1][1]


def test_kept_grids_go_with_code_and_sources(tmp_path, monkeypatch):
    key = grids.key(LESSON)
    copy = tmp_path / LESSON.name
    copy.write_text(LESSON.read_text("utf-8").replace("aqm.explorer()", "aqm.explorer( )"), "utf-8")
    assert grids.key(copy) != key
    monkeypatch.setattr(grids, "_sources", lambda: b"other")
    assert grids.key(LESSON) != key
