"""A real Chromium for the pages of the site, which it reads from files: no server is needed."""

import pytest

from real_browser import browser

__all__ = ["browser"]


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    made = context.new_page()
    made.set_default_timeout(20_000)
    yield made
    context.close()
