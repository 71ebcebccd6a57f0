"""A wrong address, on a host that serves 404.html at any depth and below any folder."""

import http.server
import threading
from urllib.parse import urlsplit

import pytest

#: The folder of the host below which the site is.
BELOW = "/some/project/"


@pytest.fixture(scope="module")
def host(site):
    """A host with the site below a folder, which answers a wrong address with 404.html."""

    class Host(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def translate_path(self, path):
            inside = urlsplit(path).path.removeprefix(BELOW)
            return str(site / inside) if path.startswith(BELOW) else str(site / "nowhere")

        def send_error(self, code, *_):
            content = (site / "404.html").read_bytes()
            self.send_response(code)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("wrong", ["nowhere.html", "lessons/round_robin.html", "a/b/c/d"])
def test_links_and_search_lead_on_from_any_depth(browser, host, wrong):
    context = browser.new_context()
    page = context.new_page()
    root = f"{host}{BELOW}"
    assert page.goto(root + wrong).status == 404
    page.locator(f'form[action="{BELOW}search.html"]').wait_for()
    for link in page.get_by_role("link").all():
        assert page.request.get(link.evaluate("link => link.href")).status == 200
    page.get_by_role("searchbox").fill("CoDel")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(f"{root}search.html?q=CoDel")
    assert page.title().startswith("Search")
    context.close()


def test_the_words_of_the_address_are_searched_for(browser, host):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{host}{BELOW}lessons/03_round-robin.html")
    assert page.get_by_role("searchbox").input_value() == "round robin"
    context.close()
