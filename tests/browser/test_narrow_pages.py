"""Figures on a page that becomes narrow: as wide as there is room, and as high as before."""

import json

import nbformat

from jupyter_pages import open_and_run

STATIC = """
from qoslib import plots, run
from qoslib.platforms import isr4331
start = isr4331.PLATFORM.experiments()["llq"].scenario.replace(duration_s=0.1)
plots.queue_over_time(start, {"start": run(start)}, ["EF"])
"""
LIVE = """
from qoslib import lessons
lessons.llq_policing.explorer()
"""
CONFIGURED = """
from qoslib import lessons
lessons.configuration.explorer()
"""
MARKS = "lessons.aqm.explorer()"
#: Marks at an end of an axis, of which plotly would draw a half.
CLIPPED = """() => [...document.querySelectorAll('.js-plotly-plot .points path')]
    .map((mark) => mark.closest('[class^="scatterlayer"]'))
    .filter((layer) => layer && getComputedStyle(layer).clipPath !== 'none')
    .map((layer) => layer.getAttribute('class'))"""
#: Width and height of each figure that plotly has drawn.
SIZES = """() => [...document.querySelectorAll('.js-plotly-plot .main-svg:first-of-type')]
    .map((svg) => [svg.clientWidth, svg.clientHeight])"""

#: Whether what fills the screen has room on it, in height and in width.
ROOM = """() => { const root = document.querySelector('.qoslib-projected');
    const places = [...root.children].map((each) => each.getBoundingClientRect());
    return [Math.max(...places.map((each) => each.bottom)) <= innerHeight,
        Math.max(...places.map((each) => each.right)) <= innerWidth]; }"""
#: Whether the legend of the explorer is above its panels.
LEGEND_ABOVE = """() => { const [legend, panel] = ['.legend', '.nsewdrag'].map((each) =>
        document.querySelector(`.qoslib-explorer ${each}`).getBoundingClientRect());
    return legend.bottom <= panel.top; }"""
#: Sizes of its letters on the screen; those of the figure are enlarged with it.
LETTERS = """() => [...document.querySelectorAll(`.qoslib-projected
        :is(.widget-label, .widget-readout, select, button, text, .qoslib-cause)`)]
    .filter((each) => each.getBoundingClientRect().height)
    .map((each) => parseFloat(getComputedStyle(each).fontSize) * (each.closest('svg') ? 2 : 1))"""


def test_figures_follow_the_width_of_the_page_and_keep_their_height(page, jupyter_server):
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in (STATIC, LIVE)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (jupyter_server.root / "narrow.ipynb").write_text(json.dumps(notebook))
    open_and_run(page, jupyter_server, "narrow")
    page.wait_for_function(f"({SIZES})().length === 2")
    wide = settled(page)
    page.set_viewport_size({"width": 1000, "height": 800})
    # A busy page follows only after a while, and is as it was until then.
    page.wait_for_function(
        f"(wide) => ({SIZES})().every(([width], at) => width < wide[at][0])", arg=wide
    )
    narrow = settled(page)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_function(
        f"(wide) => ({SIZES})().every(([width], at) => width === wide[at][0])", arg=wide
    )
    again = settled(page)
    assert [height for _, height in narrow] == [height for _, height in wide]
    assert again == wide
    an_explorer_fits_a_projector(page)
    page.wait_for_function(f"({SIZES})()[1][1] === {wide[1][1]}")
    settled(page)
    page.wait_for_function(LEGEND_ABOVE)


def test_nothing_is_cut_off_beside_an_open_browser_of_files(page, jupyter_server):
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in (CONFIGURED, MARKS)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (jupyter_server.root / "cut.ipynb").write_text(json.dumps(notebook))
    open_and_run(page, jupyter_server, "cut")
    page.set_viewport_size({"width": 1000, "height": 720})
    page.wait_for_function(f"({SIZES})().length === 2")
    settled(page)
    panel = page.locator(".qoslib-configuration .port")
    assert panel.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert page.get_by_text("full queue").is_visible()
    assert page.locator(".js-plotly-plot .points path").count()
    assert page.evaluate(CLIPPED) == []


def an_explorer_fits_a_projector(page):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.locator(".qoslib-explorer").get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Mb/s of data. Packet model: EF loses").first.wait_for(timeout=30_000)
    page.keyboard.press("p")
    page.wait_for_selector(".qoslib-explorer.qoslib-projected")
    settled(page)
    page.wait_for_function(f"({ROOM})().every(Boolean)")
    assert min(page.evaluate(LETTERS)) >= 22
    page.keyboard.press("Escape")
    page.wait_for_function("document.fullscreenElement === null")
    assert page.locator(".qoslib-projected").count() == 0


def settled(page):
    """The sizes once they no longer change."""
    sizes = None
    for _ in range(20):
        page.wait_for_timeout(500)
        before, sizes = sizes, page.evaluate(SIZES)
        if sizes == before:
            return sizes
    return sizes
