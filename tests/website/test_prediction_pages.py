"""Predictions in a page of the site: no answer before the guess, and a file to hand in."""

import zipfile

import pytest

from accessibility import barriers
from qoslib import lessons
from site_pages import predictions_page, served
from website import questions

CLOSED = ".qoslib-closed"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predictions")
    predictions_page(folder, "00.a", "00.b", "00.c")
    with served(folder) as found:
        yield found


@pytest.fixture
def page(browser, address):
    context, wrong = browser.new_context(viewport={"width": 1000, "height": 1600}), []
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert wrong == []


def draw(page):
    box = page.locator("svg").bounding_box()
    x, y = box["x"], box["y"]
    page.mouse.move(x + 60, y + 200)
    page.mouse.down()
    page.mouse.move(x + 634, y + 60, steps=12)
    page.mouse.up()


def test_an_answer_and_what_follows_it_come_after_the_guess(page):
    assert barriers(page) == []
    for text in ("answer 00.a", "after 00.a", "answer 00.b", "after 00.c"):
        assert not page.get_by_text(text).is_visible()
    assert page.get_by_text("before").first.is_visible()
    page.get_by_label("more than a third").check()
    assert page.get_by_text("answer 00.a").is_visible()
    assert page.get_by_text("after 00.a").is_visible()
    assert page.get_by_text("You said: more than a third.").is_visible()
    assert not page.get_by_text("answer 00.b").is_visible()
    assert page.locator(CLOSED).count() == 2


def test_an_answer_opens_no_other_one_of_its_section(page):
    box = page.get_by_label("What is it then? (ms)")
    assert box.is_visible()
    box.fill("63")
    box.press("Enter")
    assert page.get_by_text("answer 00.b").is_visible()
    assert page.get_by_text("after 00.b").is_visible()
    assert page.locator("svg").first.is_visible()
    assert not page.get_by_text("answer 00.c").is_visible()
    assert not page.get_by_text("after 00.c").is_visible()


def test_an_output_that_gives_an_answer_away_is_folded_until_the_guess(page):
    below = page.get_by_text("below 00.a")
    assert not below.is_visible()
    assert page.get_by_text("Show this output, which may give away").count() == 3
    page.get_by_label("more than a third").check()
    assert below.is_visible()
    assert page.get_by_text("Show this output, which may give away").count() == 2
    page.reload()
    assert below.is_visible()


def test_a_reader_may_see_an_answer_without_a_guess(page):
    page.get_by_role("button", name="Show the answer without a prediction").first.click()
    assert page.get_by_text("answer 00.a").is_visible()
    assert page.locator(".qoslib-guess").first.is_hidden()
    assert page.get_by_role("button", name="Save my predictions").count() == 0


def test_a_guess_is_still_there_after_a_reload(page):
    page.get_by_label("less than a third").check()
    page.reload()
    assert page.get_by_label("less than a third").is_checked()
    assert page.get_by_text("answer 00.a").count() == 1
    assert page.locator(CLOSED).count() == 2


def test_saved_predictions_are_those_that_a_class_hands_in(page, tmp_path):
    page.get_by_label("more than a third").check()
    page.get_by_label("What is it then? (ms)").fill("63")
    page.get_by_label("What is it then? (ms)").press("Enter")
    draw(page)
    assert page.locator(CLOSED).count() == 0
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save my predictions").last.click()
    assert saved.value.suggested_filename == "predictions.zip"
    with zipfile.ZipFile(saved.value.path()) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "class" / "4711")
    for name in ("00.a", "00.b", "00.c"):
        shown = lessons.guesses(name, tmp_path / "class")
        assert shown.summary == f"1 guess: {lessons.predictions()[name].words['question']}"


def test_the_script_has_all_questions_and_no_answer():
    (script,) = questions.files().values()
    text = script.decode()
    for name, prediction in lessons.predictions().items():
        assert f'"{name}":' in text
        assert prediction.words["question"].replace('"', '\\"') in text
    assert '"answer"' not in text
    assert "export " not in text
