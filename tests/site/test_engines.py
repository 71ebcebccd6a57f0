"""The engines in a site that was made with NUMPY_WHEEL: they answer as this process does."""

import base64
import json

import pytest

from website import checking, explorers, made, scenes, shown


@pytest.fixture(scope="module")
def engines(site):
    """Nothing where the site has engines; without them there is nothing to test."""
    lacks = json.loads((site / "live" / "files.json").read_text())["lacks"]
    if lacks:
        pytest.skip(f"the site has no engines: {lacks}")


#: Ask, and put what comes as bytes into letters.
ASK = """async (message) => {
  const answer = await qoslibEngine.ask(message);
  if (!(answer.data instanceof ArrayBuffer)) return answer;
  const letters = [...new Uint8Array(answer.data)].map((each) => String.fromCharCode(each));
  return { ...answer, data: btoa(letters.join("")) };
}"""


@pytest.fixture(scope="module")
def ask(engines, browser, address):
    """Ask the engine of one page."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}check/index.html")
    page.set_default_timeout(120_000)
    yield lambda message: page.evaluate(ASK, message)
    context.close()


def same(one, other):
    """Whether two documents differ in nothing but the last digits of numbers."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == (pytest.approx(other, rel=1e-9) if isinstance(one, float) else other)


def test_a_check_says_what_the_command_line_says(ask):
    for load in ("", checking.EXAMPLE["load"]):
        message = {"ask": "check"} | checking.EXAMPLE | {"load": load}
        assert ask(message) == checking.answer(message, lambda done, whole: None)


@pytest.fixture(params=[path.stem for path in shown.lessons()])
def lesson(request):
    """A lesson of which this process knows what it shows, and the kinds of these things."""
    notebook = shown.LESSONS / f"{request.param}.ipynb"
    made.keep(request.param, shown.pickled(notebook))
    return request.param, [each.kind for each in shown.shown(notebook)]


def test_every_explorer_answers(ask, lesson):
    for number in range(lesson[1].count("explorer")):
        message = {"ask": "explorer", "lesson": lesson[0], "number": number}
        for packets in (False, True):
            here = explorers.answer(message | {"packets": packets})
            assert same(json.loads(json.dumps(here)), ask(message | {"packets": packets}))


def test_every_scene_answers(ask, lesson):
    for number in range(lesson[1].count("scene")):
        message = {"ask": "scene", "lesson": lesson[0], "number": number}
        here = scenes.answer(message)
        assert ask(message) == here | {"data": base64.b64encode(here["data"]).decode()}


def test_a_pasted_configuration_is_checked_in_the_page(engines, open_page):
    page = open_page("check/index.html")
    page.set_default_timeout(120_000)
    page.get_by_label("Configuration").fill(checking.EXAMPLE["text"].replace("VIDEO", "FILM"))
    page.get_by_label("Load").fill(checking.EXAMPLE["load"].replace("VIDEO", "FILM"))
    page.locator(".said", has_text="Checked by the engine in this page.").wait_for()
    assert page.locator(".lead").inner_text().startswith("2 warnings. First: Class FILM loses 6.7")
