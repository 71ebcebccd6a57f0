"""Exercises in the site: the engine of the page checks an answer as the notebook does."""

import json
import re

import pytest

from accessibility import barriers
from qoslib import lessons
from website import shown, solutions


@pytest.fixture(scope="module")
def engines(site):
    """Nothing where the site has engines."""
    lacks = json.loads((site / "live" / "files.json").read_text())["lacks"]
    if lacks:
        pytest.skip(f"the site has no engines: {lacks}")


@pytest.fixture
def lesson(open_page):
    """Lesson 00, and an exercise of it by its number."""
    page = open_page("lessons/00_one_queue.html")
    page.set_default_timeout(120_000)
    return page, lambda number: page.locator(f'.qoslib-exercise[data-name="{number}"]')


def test_a_wrong_number_gets_a_hint_and_a_right_one_is_right(engines, lesson):
    exercise = lesson[1]("00.1")
    for answer, word in (("51.2", "Not yet"), ("67.2", "Right")):
        exercise.get_by_label("Your answer").fill(answer)
        exercise.get_by_role("button", name="Check").click()
        said = exercise.get_by_text(f"{word}:").locator("..").inner_text()
        assert said == f"{word}: {lessons.check('00.1', float(answer)).text}"


def test_nothing_is_asked_of_the_engine_without_a_number(lesson):
    page, exercise = lesson
    exercise("00.1").get_by_role("button", name="Check").click()
    assert exercise("00.1").get_by_role("status").inner_text() == "Type a number in ns."
    assert page.evaluate("qoslibEngine.status") == "idle"


def test_code_runs_and_can_be_stopped(engines, lesson):
    exercise = lesson[1]("00.5")
    code, run = exercise.get_by_role("textbox"), exercise.get_by_role("button", name="Run and")
    assert code.input_value() == 'check("00.5", ...)'
    code.fill("while True:\n    pass")
    run.click()
    exercise.get_by_role("button", name="Stop").click()
    exercise.get_by_text("Stopped.").wait_for()
    code.fill('print(port.name)\ncheck("00.5", (port, [Stream("a", units.mbps(120), 1000)]))')
    run.click()
    exercise.get_by_text(re.compile("(Right|Not yet):")).wait_for()
    assert exercise.locator("pre").inner_text().strip() == "slow link"


@pytest.mark.parametrize("width", [400, 1280])
def test_exercises_fit_and_can_be_reached(lesson, theme, width):
    page = lesson[0]
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    assert barriers(page, ".qoslib-exercise") == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_solution_shows_what_its_check_says(open_page):
    page = open_page("lessons/00_one_queue.html", java_script_enabled=False)
    page.get_by_text("Solution", exact=True).first.click()
    said = solutions.results(shown.LESSONS / "00_one_queue.ipynb")[41].said
    assert page.get_by_text(said.removeprefix("**Right:** ")).is_visible()


def test_without_engines_a_box_says_so(open_page, site):
    page = open_page("lessons/00_one_queue.html")
    page.route("**/live/files.json", lambda route: route.fulfill(json={"lacks": "it is a test"}))
    page.reload()
    exercise = page.locator(".qoslib-exercise").first
    exercise.get_by_text("Answers cannot be checked in this page.").wait_for()
    assert exercise.get_by_role("button", name="Check").is_disabled()


@pytest.mark.parametrize("notebook", shown.lessons(), ids=lambda path: path.stem)
def test_every_solution_that_a_page_can_run_is_right_there(engines, open_page, notebook):
    page = open_page("check/index.html")
    page.set_default_timeout(120_000)
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    for place, (said, in_a_page) in solutions.results(notebook).items():
        if not in_a_page:
            continue
        code = "".join(cells[place]["source"])
        number = re.search(r'check\("([\d.]+)"', code)[1]
        message = {"ask": "exercise", "lesson": notebook.stem, "number": number}
        message["code"] = f"{code}\nsolved"
        given = page.evaluate("message => qoslibEngine.ask(message)", message)
        assert (given.get("right"), f"**Right:** {given.get('text')}") == (True, said), number
