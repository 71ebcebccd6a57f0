"""The exercises of lessons in pages: the code of the notebook's cell, and the check's own words."""

import ast
import json
import re

import pytest

from qoslib import lessons as course
from website import exercises, lessons, made, needed, shown, solutions

NOTEBOOKS = shown.lessons()
#: They load a table with pandas, and run on the machine's own kernel.
IN_JUPYTERLAB = {"11.4", "12.4"}
PLACE = re.compile(r'<div class="qoslib-exercise" data-lesson="(\w+)" data-name="([\d.]+)"')


@pytest.fixture(scope="module", autouse=True)
def kept():
    made.keep("00_one_queue", shown.pickled(shown.LESSONS / "00_one_queue.ipynb"))


@pytest.fixture(scope="module")
def pages():
    return {path.stem: lessons.page(lessons.read(path))[0] for path in NOTEBOOKS}


def asked(number="00.1", **more):
    return exercises.answer({"lesson": "00_one_queue", "number": number, **more})


def test_a_number_gets_the_verdict_of_the_notebook():
    wrong, right = course.check("00.1", 51.2), course.check("00.1", 67.2)
    assert asked(answer="51.2") == {"printed": "", "right": False, "text": wrong.text}
    assert asked(answer=" 84 * 8 / 10 ") == {"printed": "", "right": True, "text": right.text}
    assert asked(answer="67,2")["text"] == course.check("00.1", 67, 2).text


def test_a_second_wrong_number_gets_a_further_hint():
    asked(answer="67.2")
    texts = [asked(answer=each)["text"] for each in ("1", "2")]
    assert ["Hint: " in each for each in texts] == [False, True]


@pytest.mark.parametrize("text", ["67.2 ns", "", "1) + (2", None, 3])
def test_what_is_no_answer_gets_one_sentence(text):
    with pytest.raises(ValueError, match="is no number; give one number, with a point"):
        asked(answer=text)


def test_another_exercise_is_refused():
    with pytest.raises(ValueError, match=r"number is '01\.1'; allowed: an exercise of the lesson"):
        asked("01.1", answer="1")


def test_code_knows_the_names_of_the_lesson_and_not_those_of_solutions():
    assert asked("00.5", code="print(port.rate_bps)\n2 + 2") == {
        "printed": "100000000.0\n",
        "shown": "4",
    }
    assert asked("00.5", code="smallest_s")["wrong"].startswith("Line 1: NameError: name 'small")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(1)\n1 / 0", "Line 2: ZeroDivisionError: division by zero"),
        ("x = (", "Line 1: SyntaxError: '(' was never closed"),
        ("exit()", "Line 1: SystemExit"),
    ],
)
def test_code_that_fails_says_where(code, said):
    assert asked("00.5", code=code)["wrong"].startswith(said)


def test_only_the_lines_that_code_needs_are_run():
    before = ast.parse("a = 1 / 0\nb = []\nfor a in range(3):\n    b.append(a)\nb = [2]").body
    assert needed.namespace(before, ast.parse("b").body)["b"] == [2]
    mine = ast.parse("a = 1\n[a for b in range(2)]").body
    assert needed.lines(before, mine) == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_every_solution_is_right(notebook, pages):
    said = [each.said for each in solutions.results(notebook).values()]
    assert all(each.startswith("**Right:** ") for each in said)
    assert all(each in pages[notebook.stem] for each in said)


def test_every_exercise_has_a_place_or_says_where_it_works(pages):
    for name, text in pages.items():
        there = [number for lesson, number in PLACE.findall(text) if lesson == name]
        all_of_it = [each for each in course.exercises() if each[:2] == name[:2]]
        assert there == [each for each in all_of_it if each not in IN_JUPYTERLAB]
        assert (lessons.ELSEWHERE in text) == (len(there) < len(all_of_it))


def test_an_answer_in_code_begins_with_the_code_of_the_text(pages):
    text = pages["03_round_robin"]
    begun = text[text.index('data-name="03.5"') :].partition("</div>")[0]
    assert begun.count('voice = Queue("voice"') == begun.count('check("03.5", ...)') == 1
    assert "Change these lines until the answer is right" in text


def test_a_choice_has_its_letters():
    kinds = {number: exercises.asked(number) for number in course.exercises()}
    choices = {number: each["choices"] for number, each in kinds.items() if "choices" in each}
    assert choices == dict.fromkeys(("08.3", "10.2", "12.2"), "abcd")


def test_a_page_of_a_lesson_speaks_of_no_cells(pages):
    orders = re.compile(
        r"[^.]*(?:(?:next|run the|text|a new) cells?\b|three dots|Shift \+|Restart)[^.]*\."
    )
    for text in pages.values():
        for said in orders.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            assert "JupyterLab" in said


def test_a_lesson_says_how_to_run_it(pages):
    for name, text in pages.items():
        assert f'<a href="{name}.ipynb" download>Download this notebook</a>' in text
        assert "<code>make lab</code>" in text


def test_kept_results_go_with_the_notebook(tmp_path, monkeypatch):
    monkeypatch.setattr(solutions, "KEPT", tmp_path)
    cells = [
        {"cell_type": "code", "metadata": {}, "source": ["from qoslib.lessons import check"]},
        {
            "cell_type": "code",
            "metadata": {"tags": ["solution"]},
            "source": ["solved = check('00.1', 1)"],
        },
    ]
    notebook = tmp_path / "00_mine.ipynb"
    notebook.write_text(json.dumps({"cells": cells}))
    assert solutions.results(notebook)[1].said.startswith("**Not yet:** 1 ns is too small.")
    notebook.write_text(json.dumps({"cells": cells}).replace("'00.1', 1)", "'00.1', 67.2)"))
    assert solutions.results(notebook)[1].said.startswith("**Right:** 67.2 ns.")
