"""A prediction in a real browser: chosen, moved, drawn, kept, and shown beside the answer."""

import json

import nbformat

from accessibility import OURS, barriers
from jupyter_pages import Watch, open_and_run

CELLS = (
    'from qoslib.lessons import predict, reveal\npredict("00.a")',
    'predict("00.b")',
    'reveal("00.b", 62.1)',
    'predict("00.c")',
    'reveal("00.c", {50: 0.18, 80: 0.36, 90: 0.65, 95: 1.21}).summary',
    'reveal("00.c", {50: 0.18, 80: 0.36, 90: 0.65, 95: 1.21})',
)

#: Ground, text and line of the first figure, as the reader sees them.
SEEN = """() => {
    const shown = (element, what) => getComputedStyle(element)[what];
    const figure = document.querySelector(".js-plotly-plot");
    return [
        shown(figure.querySelector(".main-svg"), "backgroundColor"),
        shown(figure.querySelector(".xtick text"), "fill"),
        shown([...figure.querySelectorAll(".js-line")].at(-1), "stroke"),
    ];
}"""


def test_a_guess_is_kept_and_comes_back(jupyter_server, page):
    watch = Watch(page)
    folder = jupyter_server.root / "predictions"
    (folder / ".answers").mkdir(parents=True)
    lesson = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in CELLS])
    lesson.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
    nbformat.write(lesson, folder / "asked.ipynb")

    open_and_run(page, jupyter_server, "predictions/asked")
    # Everything by the keyboard first: a radio button, a slider, and a point of the curve.
    page.locator(".qoslib-predict input[type=radio]").first.focus()
    page.keyboard.press("Space")
    # Shift+Enter runs the cell and goes on to the next, as anywhere in a notebook.
    page.locator(".jp-Notebook .jp-Cell").first.locator(".jp-InputPrompt").click()
    page.locator(".qoslib-predict input[type=radio]").first.focus()
    page.keyboard.press("Shift+Enter")
    page.locator(".jp-Notebook .jp-Cell").nth(1).and_(page.locator(".jp-mod-active")).wait_for()
    page.locator(".qoslib-predict input[type=range]").focus()
    page.keyboard.press("Home")
    points = page.locator(".qoslib-predict circle")
    points.first.focus()
    for _ in range(points.count()):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowRight")
    page.get_by_text("Kept: your curve").wait_for()
    kept(page, folder, "00.a", lambda guess: guess == "less than a third")
    kept(page, folder, "00.b", lambda guess: guess == 1)
    kept(page, folder, "00.c", lambda guess: len({y for _, y in guess}) == 1)

    # And as numbers.
    page.get_by_text("Type the values instead").click()
    typed = page.get_by_role("textbox", name="mean delay at 50 % of the link, in ms")
    typed.fill("0,2")
    page.keyboard.press("Tab")
    kept(page, folder, "00.c", lambda guess: guess[0] == [50, 0.2])
    # Its own unit may stand behind a number, and no other.
    typed.fill("0.3 ms")
    page.keyboard.press("Tab")
    kept(page, folder, "00.c", lambda guess: guess[0] == [50, 0.3])
    for odd in ("-5", "99999", "two", "0.2 s"):
        typed.fill(odd)
        page.keyboard.press("Tab")
        page.get_by_text(f"“{odd}” is not a number from").wait_for()
        page.get_by_text("Give the number alone, in ms.").wait_for()
        assert typed.input_value() == "0.3"

    # Then the curve by hand, in one stroke from left to right and upwards.
    area = page.locator(".qoslib-predict svg")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.7 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 0.2 * box["height"], steps=15)
    page.mouse.up()
    kept(page, folder, "00.c", rises)

    # A new kernel has them still, and the answer stands beside them.
    end_kernels(page, jupyter_server)
    open_and_run(page, jupyter_server, "predictions/asked")
    page.get_by_text("You said 1 ms. The model: 62.1 ms.").wait_for(timeout=20_000)
    page.get_by_text("ms, your curve").first.wait_for()
    assert page.locator(".qoslib-predict input[type=radio]").first.is_checked()

    # The figure follows the theme at once.
    page.wait_for_selector(".js-plotly-plot .js-line")
    assert page.evaluate(SEEN) == ["rgb(255, 255, 254)", "rgb(68, 68, 68)", "rgb(0, 114, 178)"]
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert page.evaluate(SEEN) == ["rgba(0, 0, 0, 0)", "rgb(224, 224, 224)", "rgb(77, 163, 232)"]
    assert watch.wrong == []
    assert barriers(page, OURS) == []


def kept(page, folder, asked, holds, attempts=100):
    """Wait until the kernel has written the guess that was made: a busy one takes its time."""
    guess = None
    for _ in range(attempts):
        file = folder / ".answers" / f"{asked}.json"
        guess = json.loads(file.read_text())["guess"] if file.exists() else None
        if guess is not None and holds(guess):
            return
        page.wait_for_timeout(200)
    raise AssertionError(f"the guess kept for {asked} is {guess}")


def rises(guess):
    """Whether each point of a curve is above the one before."""
    return [y for _, y in guess] == sorted({y for _, y in guess})


def end_kernels(page, server):
    """A page that is opened again would go on with the old one."""
    told = {"Authorization": f"token {server.token}"}
    for each in page.request.get(f"{server.url}/api/sessions", headers=told).json():
        page.request.delete(f"{server.url}/api/sessions/{each['id']}", headers=told)
