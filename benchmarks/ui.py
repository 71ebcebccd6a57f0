"""`python -m benchmarks.ui`: how long a reader waits, in a real JupyterLab and a real Chromium.

For every lesson the time from *Run All Cells* to its last cell. For every explorer the time
from a key on its first slider to the figure that follows: the fluid model's, and the packet
model's once the slider has come to rest. And while a hand drags that slider, how long the figure
stays behind: the time between two drawings, and from the release to the next. `make bench-ui`
runs it.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from benchmarks.laboratory import chromium, laboratory
from benchmarks.report import machine, write_results

ROOT = Path(__file__).resolve().parent.parent
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
#: Moves of each slider, and how long nothing may be drawn before a move is over [ms].
MOVES, REST_MS, PATIENCE_MS = 40, 650, 8000
#: Drawings closer to each other than this belong to one redraw [ms].
APART_MS = 120
#: What a reader may be made to wait [ms], and a lesson [s].
TARGETS = {"fluid": 100, "packets": 500, "drag": 100, "ready": 20}

STARS = """() => [...document.querySelectorAll('.jp-InputPrompt')]
    .filter((prompt) => prompt.textContent.includes('*')).length"""
#: Note when a key goes down, and when plotly has drawn.
WATCH = """(place) => {
    const app = document.querySelectorAll('.qoslib-explorer')[place];
    const plot = app.querySelector('.js-plotly-plot');
    window.drawn = [];
    window.pressed = null;
    if (!plot.watched) plot.on('plotly_afterplot', () => window.drawn.push(performance.now()));
    plot.watched = true;
    if (!window.listening) window.addEventListener('keydown', () => {
        window.drawn = [];
        window.pressed = performance.now();
    }, true);
    window.listening = true;
}"""
#: Steps of a hand that drags a slider there and back, how far [px], and how long each takes [ms].
STEPS, STEP_PX, STEP_MS = 60, 3, 16
WAITED = "() => window.drawn.map((at) => at - window.pressed)"


@contextmanager
def opened(folder):
    """A page of a Chromium, and the address of a JupyterLab that serves the lessons."""
    with laboratory(folder) as (url, token), chromium() as browser:
        yield browser.new_page(viewport={"width": 1400, "height": 900}), url, token


def ready_s(page, url, token, name):
    """Open a lesson and run it; seconds from the menu to its last cell."""
    page.goto(f"{url}/lab/tree/{name}.ipynb?token={token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    begun_s = time.monotonic()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function(f"({STARS})() > 0", timeout=60_000)
    page.wait_for_function(f"({STARS})() === 0", timeout=120_000)
    return time.monotonic() - begun_s


def explorers(page):
    """Place of each explorer with a slider, and the name of that slider."""
    page.wait_for_timeout(1000)
    found = page.evaluate(
        """() => [...document.querySelectorAll('.qoslib-explorer')].map((app) =>
            [...app.querySelectorAll('[role=slider]')].filter((each) => each.offsetParent)
            .map((each) => each.getAttribute('aria-label'))[0] ?? '')"""
    )
    return [(place, label) for place, label in enumerate(found) if label]


def moved_ms(page, place, label, moves):
    """For each move, when the figure was first and last redrawn."""
    handle = (
        page.locator(".qoslib-explorer").nth(place).get_by_role("slider", name=label, exact=True)
    )
    handle.scroll_into_view_if_needed()
    page.evaluate(WATCH, place)
    handle.focus()
    found = []
    for number in range(moves):
        page.keyboard.press("ArrowLeft" if number % 2 else "ArrowRight")
        found.append(redraws(_settled(page)))
        if not found[-1]:
            raise RuntimeError(f"move {number + 1} of {label!r} drew nothing in {PATIENCE_MS} ms")
    return found


def dragged_ms(page, place, label):
    """While a hand drags the slider: times between two drawings, and from release to the next."""
    handle = (
        page.locator(".qoslib-explorer").nth(place).get_by_role("slider", name=label, exact=True)
    )
    handle.focus()
    handle.scroll_into_view_if_needed()
    page.wait_for_timeout(REST_MS)
    page.evaluate(WATCH, place)
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("() => { window.drawn = [performance.now()]; }")
    for step in range(STEPS):
        page.mouse.move(x + STEP_PX * min(step, STEPS - step), y)
        page.wait_for_timeout(STEP_MS)
    released = page.evaluate("() => performance.now()")
    page.mouse.up()
    page.wait_for_timeout(REST_MS)
    drawn = page.evaluate("() => window.drawn")
    during = [at for at in drawn if at <= released]
    after = [at - released for at in drawn if at > released][:1]
    return [after - before for before, after in pairwise(during)] + after


def _settled(page):
    """Times of the drawings of a move [ms], once nothing has been drawn for a while."""
    begun_s, seen = time.monotonic(), -1
    while (time.monotonic() - begun_s) * 1000 < PATIENCE_MS:
        drawn = page.evaluate(WAITED)
        if drawn and len(drawn) == seen:
            return drawn
        seen = len(drawn)
        page.wait_for_timeout(REST_MS)
    return page.evaluate(WAITED)


def redraws(drawn):
    """When each redraw was done: drawings close together are one [ms]."""
    done = []
    for at in drawn:
        if done and at - done[-1] < APART_MS:
            done[-1] = at
        else:
            done.append(at)
    return done


def summed(moves):
    """Median and 95 % of the first redraw, and of the last where there is another [ms]."""
    first = [each[0] for each in moves]
    last = [each[-1] for each in moves if len(each) > 1]
    return {"fluid": _both(first), "packets": _both(last)}


def _both(values):
    if len(values) < 2:
        return None
    return {
        "median": statistics.median(values),
        "95 %": statistics.quantiles(values, n=20, method="inclusive")[-1],
    }


def measured(lessons, moves):
    """All figures: seconds until ready by lesson, milliseconds by explorer."""
    ready, redrawn = {}, {}
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as (page, *where):
        for path in lessons:
            print(f"bench-ui: {path.stem}", file=sys.stderr, flush=True)
            ready[path.stem] = ready_s(page, *where, path.stem)
            for place, label in explorers(page):
                name = f"{path.stem[:2]}: {label}"
                redrawn[name] = summed(moved_ms(page, place, label, moves))
                redrawn[name]["drag"] = _both(dragged_ms(page, place, label))
    return {"machine": machine(), "moves": moves, "ready_s": ready, "redraw_ms": redrawn}


def table(figures):
    """The figures as tables of Markdown."""
    here = figures["machine"]
    where = f"{here['processor']}, {here['cores']} cores, Python {here['python']}"
    where += f", load average {here['load_average'][0]}, commit {here['commit']}"
    lines = [f"{where}; {figures['moves']} moves a slider.", ""]
    lines += ["| lesson | from *Run All Cells* to ready [s] |", "| --- | --- |"]
    lines += [f"| {name} | {took:.1f} |" for name, took in figures["ready_s"].items()]
    kinds = ("fluid", "packets", "drag")
    lines += ["", f"| first slider of | {' | '.join(f'{k}: median, 95 % [ms]' for k in kinds)} |"]
    lines += ["| --- | --- | --- | --- |"]
    for name, both in figures["redraw_ms"].items():
        cells = [_cell(both[kind]) for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    goals = ", ".join(f"{kind} {TARGETS[kind]} ms" for kind in kinds) + " at 95 %"
    return "\n".join([*lines, "", f"To reach: {goals}, a lesson {TARGETS['ready']} s."])


def _cell(both):
    return "–" if both is None else f"{both['median']:.0f}, {both['95 %']:.0f}"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ui", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", action="store_true", help="put the tables into RESULTS.md")
    parser.add_argument("--moves", type=int, default=MOVES)
    parser.add_argument("lessons", type=Path, nargs="*", default=LESSONS)
    asked = parser.parse_args()
    figures = measured(asked.lessons, asked.moves)
    print(json.dumps(figures, indent=1) if asked.json else table(figures))
    if asked.write:
        write_results(table(figures), "ui")


if __name__ == "__main__":
    main()
