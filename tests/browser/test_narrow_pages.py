"""Figures on a page that becomes narrow: as wide as there is room, and as high as before."""

import json

import nbformat
from test_moving_lessons import open_and_run

STATIC = """
from qoslib import plots, run
from qoslib.platforms import isr4331
start = isr4331.PLATFORM.experiments()["llq"].scenario.replace(duration_s=0.1)
plots.queue_over_time(start, {"start": run(start)}, ["EF"])
"""
LIVE = """
from qoslib import lessons
lessons.policing.explorer()
"""
#: Width and height of each figure that plotly has drawn.
SIZES = """() => [...document.querySelectorAll('.js-plotly-plot .main-svg:first-of-type')]
    .map((svg) => [svg.clientWidth, svg.clientHeight])"""


def test_figures_follow_the_width_of_the_page_and_keep_their_height(page, jupyter_server):
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in (STATIC, LIVE)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (jupyter_server.root / "narrow.ipynb").write_text(json.dumps(notebook))
    open_and_run(page, jupyter_server, "narrow")
    page.wait_for_function(f"({SIZES})().length === 2")
    wide = settled(page)
    page.set_viewport_size({"width": 1000, "height": 800})
    narrow = settled(page)
    page.set_viewport_size({"width": 1400, "height": 900})
    again = settled(page)
    assert [width for width, _ in narrow] < [width for width, _ in wide]
    assert [height for _, height in narrow] == [height for _, height in wide]
    assert again == wide


def settled(page):
    """The sizes once they no longer change."""
    sizes = None
    for _ in range(20):
        page.wait_for_timeout(500)
        before, sizes = sizes, page.evaluate(SIZES)
        if sizes == before:
            return sizes
    return sizes
