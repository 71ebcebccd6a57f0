"""`python -m benchmarks.site_ui`: how long a reader of the site waits, in a real Chromium.

It measures build/site as `make site` has made it, with the engines. First cold, from a server that
sends no faster than a line of 10 Mb/s: when the first page's packets move, when a slider of
lesson 00 answers, and when the engine is ready. Then without that limit: how long a drawing of the
packets takes, and from a key on the slider to the figure that follows, the fluid model's and the
packet model's once the slider has come to rest. `make bench-ui` runs it after the lessons where
the site is there.
"""

import argparse
import contextlib
import functools
import http.server
import sys
import threading
import time

from benchmarks.laboratory import chromium
from benchmarks.report import machine, write_results
from benchmarks.ui import ROOT, _both, _cell, _settled, redraws

__all__ = ["table"]

SITE = ROOT / "build" / "site"
LINE_BPS, PIECE_BYTES = 10e6, 16_384
MOVES = 40
#: What a reader may be made to wait: cold [s], and from then on [ms] at 95 %.
COLD_S = {"packets move": 2, "a slider answers": 5, "the engine is ready": 25}
THEN_MS = {"drawing of packets": 32, "fluid": 100, "packets": 400}
EXPLORER = '.qoslib-live[data-kind="explorer"]'
PLAYS = "document.querySelector('.qoslib-live')?.qoslib?.shown.stats.frames > 2"
#: Fold nothing, and note when a key goes down and when plotly has drawn.
WATCH = """(selector) => {
    document.querySelectorAll("details").forEach((each) => { each.open = true; });
    document.querySelector(selector).scrollIntoView();
    window.drawn = [];
    const plot = document.querySelector(`${selector} .js-plotly-plot`);
    plot.on("plotly_afterplot", () => window.drawn.push(performance.now()));
    const pressed = () => Object.assign(window, { drawn: [], pressed: performance.now() });
    addEventListener("keydown", pressed, true);
}"""


class OneLine(http.server.SimpleHTTPRequestHandler):
    """A server of files; all that it sends shares one line, where there is one."""

    line: "threading.Lock | None" = None

    def copyfile(self, source, outputfile):
        """Send a file in pieces, each for as long as the line takes for it."""
        while piece := source.read(PIECE_BYTES):
            if self.line:
                with self.line:
                    time.sleep(8 * len(piece) / LINE_BPS)
            with contextlib.suppress(BrokenPipeError):
                outputfile.write(piece)

    def log_message(self, *_):
        """Say nothing."""


@contextlib.contextmanager
def served(line=None):
    """The site's address on loopback."""
    handler = type("Handler", (OneLine,), {"line": line})
    serve = functools.partial(handler, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def slider_of(page, url):
    """Open lesson 00 and come to its explorer; its first slider."""
    page.goto(f"{url}/lessons/00_one_queue.html")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.locator(EXPLORER).first.scroll_into_view_if_needed()
    page.wait_for_selector(f"{EXPLORER} .js-plotly-plot .trace", state="attached")
    page.evaluate(WATCH, EXPLORER)
    return page.locator(f"{EXPLORER} input[type=range]").first


def cold(browser):
    """Seconds until each of `COLD_S`, from an empty cache and over one line."""
    with served(threading.Lock()) as url:
        page = browser.new_page(bypass_csp=True)
        began = time.monotonic()
        page.goto(url, wait_until="commit")
        page.wait_for_function(PLAYS, timeout=60_000)
        moves = time.monotonic() - began
        page = browser.new_page(bypass_csp=True)
        began = time.monotonic()
        slider = slider_of(page, url)
        touched = time.monotonic()
        slider.press("ArrowRight")
        page.wait_for_function("drawn.length > 0")
        answers = time.monotonic() - began
        page.wait_for_function("qoslibEngine.status === 'ready'", timeout=120_000)
        return dict(zip(COLD_S, (moves, answers, time.monotonic() - touched), strict=True))


def quiet(browser, moves):
    """Milliseconds of each of `THEN_MS`: all values."""
    with served() as url:
        page = browser.new_page(bypass_csp=True)
        page.goto(url)
        page.wait_for_function(PLAYS)
        page.wait_for_timeout(4000)
        drawing = page.evaluate(
            "[...document.querySelector('.qoslib-live').qoslib.shown.stats.drawing_ms]"
        )
        slider = slider_of(page, url)
        slider.press("ArrowRight")
        page.wait_for_function("qoslibEngine.status === 'ready'", timeout=120_000)
        _settled(page)
        found = []
        for number in range(moves):
            slider.press("ArrowLeft" if number % 2 else "ArrowRight")
            found.append(redraws(_settled(page)))
        fluid, packets = [each[0] for each in found], [each[-1] for each in found if len(each) > 1]
        return dict(zip(THEN_MS, (drawing, fluid, packets), strict=True))


def table(first_s, then_ms):
    """The figures as Markdown."""
    here = machine()
    where = f"{here['processor']}, {here['cores']} cores, load average {here['load_average'][0]}"
    lines = [f"{where}, commit {here['commit']}.", "", "| cold, 10 Mb/s | s | target |"]
    lines += ["| --- | --- | --- |"]
    lines += [f"| {name} | {took:.1f} | {COLD_S[name]} |" for name, took in first_s.items()]
    lines += ["", "| then | median, 95 % [ms] | target at 95 % |", "| --- | --- | --- |"]
    lines += [
        f"| {name} | {_cell(_both(took))} | {THEN_MS[name]} |" for name, took in then_ms.items()
    ]
    return "\n".join(lines)


def main():
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site_ui", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into RESULTS.md")
    parser.add_argument("--moves", type=int, default=MOVES)
    asked = parser.parse_args()
    if not (SITE / "live" / "worker.js").is_file():
        sys.exit("not measured: there is no build/site with engines; make site NUMPY_WHEEL=FILE")
    with chromium() as browser:
        text = table(cold(browser), quiet(browser, asked.moves))
    print(text)
    if asked.write:
        write_results(text, "site")


if __name__ == "__main__":
    main()
