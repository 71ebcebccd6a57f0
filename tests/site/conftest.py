"""The site as `make site` has made it, on loopback, and a real Chromium that notes what it asks."""

import functools
import http.server
import threading

import pytest

from real_browser import browser
from website.build import SITE

__all__ = ["browser"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def site():
    """The folder of the site; where there is none, `make site` makes it."""
    if not (SITE / "index.html").is_file():
        pytest.skip("there is no build/site: `make site` makes it")
    return SITE


@pytest.fixture(scope="session")
def address(site):
    """Where the site is served, with a slash at the end."""
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(params=["light", "dark"])
def theme(request):
    return request.param


@pytest.fixture
def open_page(browser, address):
    """Open a page of the site; at the end nothing was asked of another host, and nothing failed."""
    contexts, wrong = [], []

    def opened(name, width=1280, height=720, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"{name}: {error}"))
        page.on("request", lambda sent: note(sent.url))
        page.on("response", lambda got: missed(got.url) if got.status >= 400 else None)
        page.on("console", lambda said: said.type == "error" and heard(said.text))
        page.goto(address + name)
        return page

    def missed(url):
        # A site without an engine has no such folder, which a page finds out by asking.
        if not url.startswith(f"{address}live/"):
            wrong.append(url)

    def heard(text):
        if not text.startswith("Failed to load resource"):
            wrong.append(text)

    def note(url):
        if not url.startswith((address, "data:", "blob:")):
            wrong.append(url)

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
