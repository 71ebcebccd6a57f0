"""A real Chromium for the pages of the site, which it reads from files: no server is needed."""

import os

import pytest

from benchmarks.laboratory import NO_CHROMIUM, chromium, chromium_path


@pytest.fixture(scope="session")
def browser():
    if not chromium_path():
        if os.environ.get("CI") == "true":
            pytest.fail(NO_CHROMIUM, pytrace=False)
        pytest.skip(NO_CHROMIUM)
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    made = context.new_page()
    made.set_default_timeout(20_000)
    yield made
    context.close()
