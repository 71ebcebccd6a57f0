"""A real JupyterLab on loopback and a real Chromium, for the tests in this folder."""

from types import SimpleNamespace

import pytest

from benchmarks.laboratory import laboratory
from jupyter_pages import Watch
from real_browser import browser

__all__ = ["browser"]


@pytest.fixture(scope="session")
def context(browser):
    """Pages of one context load and compile the scripts of JupyterLab once."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    yield context
    context.close()


@pytest.fixture
def page(context):
    page = context.new_page()
    yield page
    page.close()


@pytest.fixture
def watch(page):
    return Watch(page)


@pytest.fixture(scope="session")
def jupyter_server(tmp_path_factory, browser):
    """A JupyterLab that serves a copy of the lessons: its address, token, files and log."""
    home = tmp_path_factory.mktemp("jupyter")
    with laboratory(home) as (url, token):
        yield SimpleNamespace(
            url=url, token=token, root=home / "notebooks", log=home / "server.log"
        )
