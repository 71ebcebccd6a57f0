"""A figure fills although plotly comes later than anywidget waits for the module of a widget."""

import json

import nbformat
from test_moving_lessons import (  # noqa: F401  (watch is a fixture)
    complaints,
    drawn,
    open_and_run,
    wait_until_drawn,
    watch,
)

from qoslib import fluid
from qoslib.platforms import m120

LABEL = "All offered loads, ± [%]"
CELLS = (
    "from qoslib import lessons\napp = lessons.priority_queue.knife_edge('m120')\napp",
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


def test_a_figure_fills_however_late_plotly_comes(page, watch, jupyter_server):  # noqa: F811
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
