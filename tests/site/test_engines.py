"""The engines in a site that was made with NUMPY_WHEEL: they answer as this process does."""

import json

import pytest

from website import checking


@pytest.fixture
def engines(site):
    """Nothing where the site has engines; without them there is nothing to test."""
    lacks = json.loads((site / "live" / "files.json").read_text())["lacks"]
    if lacks:
        pytest.skip(f"the site has no engines: {lacks}")


@pytest.fixture
def ask(engines, open_page):
    """Ask the engine of a page."""
    page = open_page("check/index.html")
    page.set_default_timeout(120_000)
    return lambda message: page.evaluate("(message) => qoslibEngine.ask(message)", message)


def test_a_check_says_what_the_command_line_says(ask):
    for load in ("", checking.EXAMPLE["load"]):
        message = {"ask": "check"} | checking.EXAMPLE | {"load": load}
        assert ask(message) == checking.answer(message, lambda done, whole: None)


def test_a_pasted_configuration_is_checked_in_the_page(engines, open_page):
    page = open_page("check/index.html")
    page.set_default_timeout(120_000)
    page.get_by_label("Configuration").fill(checking.EXAMPLE["text"].replace("VIDEO", "FILM"))
    page.get_by_label("Load").fill(checking.EXAMPLE["load"].replace("VIDEO", "FILM"))
    page.locator(".said", has_text="Checked by the engine in this page.").wait_for()
    assert page.locator(".lead").inner_text().startswith("2 warnings. First: Class FILM loses 6.7")
