"""Widgets come, and follow, although their modules come later than anywidget waits for them."""

import json

import nbformat

from jupyter_pages import (
    EMPTY,
    complaints,
    drawn,
    open_and_run,
    show,
    wait_until_drawn,
)
from qoslib import fluid
from qoslib.platforms import m120

LABEL = "All offered loads, ± [%]"
CELLS = (
    "from qoslib import lessons\napp = lessons.head_drop.knife_edge('m120')\napp",
    "app.move(change=-0.01)",
)
#: Holds a large module back for longer than the 2 s of anywidget.
SLOW = """window.Blob = class extends Blob {
    constructor(parts, options) {
        const large = options?.type === 'text/javascript' && parts[0].length > 1e6;
        const wait = 'await new Promise((go) => setTimeout(go, 4000));';
        super(large ? [wait, ...parts] : parts, options);
    }
}"""


#: The same of every module of a widget.
ALL_SLOW = SLOW.replace("parts[0].length > 1e6", "true")
WAITS = "This part of the page is loading …"
#: What is read in the place of each widget that waits.
WAITING = f"""() => [...document.querySelectorAll('{EMPTY}')]
    .map((each) => getComputedStyle(each, '::before').content)"""
BUSY_CELLS = (
    "from qoslib import lessons\nlessons.predict('01.a')",
    *CELLS,
    "lessons.head_drop.ends_scene()",
    "import time\ntime.sleep(6)",
    "app.move(change=-0.02)",
)


def test_everything_comes_and_follows_on_a_machine_that_is_busy(page, watch, jupyter_server):
    """Each module takes twice as long as anywidget waits; the kernel speaks before and after."""
    cells = [nbformat.v4.new_code_cell(source) for source in BUSY_CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (jupyter_server.root / "busy.ipynb").write_text(json.dumps(notebook))
    page.add_init_script(ALL_SLOW)
    page.add_init_script(
        f"""globalThis.waiting = new Set();
        setInterval(() => ({WAITING})().forEach((said) => waiting.add(said)), 100)"""
    )
    open_and_run(page, jupyter_server, "busy")
    show(page, LABEL)
    base = m120.PLATFORM.experiments()["scenario1"]
    rates = [stream.rate_bps * (1 - 0.02e-2) for stream in base.streams]
    answer = fluid.solve(base.port, base.streams, rates)
    wait_until_drawn(page, LABEL, "now-sent_pps", [answer[name].sent_pps for name in ("CS2", "BE")])
    assert page.evaluate("[...waiting]") == [f'"{WAITS}"']
    assert complaints(page, watch) == []


def test_a_figure_fills_however_late_plotly_comes(page, watch, jupyter_server):
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (jupyter_server.root / "slow.ipynb").write_text(json.dumps(notebook))
    page.add_init_script(SLOW)
    open_and_run(page, jupyter_server, "slow")
    base = m120.PLATFORM.experiments()["scenario1"]
    rates = [stream.rate_bps * (1 - 0.01e-2) for stream in base.streams]
    answer = fluid.solve(base.port, base.streams, rates)
    # They were moved before plotly came, over lines that were there from the start.
    wait_until_drawn(page, LABEL, "now-sent_pps", [answer[name].sent_pps for name in ("CS2", "BE")])
    assert drawn(page, LABEL, "sent_pps-CS2")
    assert complaints(page, watch) == []
