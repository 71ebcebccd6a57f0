"""The buttons that save what an explorer shows."""

from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets as widgets

from qoslib import plots
from qoslib.explore.control_widgets import button, flow_of
from qoslib.explore.export import Call, files
from qoslib.explore.page_glue import PageGlue

__all__ = ["save_buttons"]

#: Button -> what it gives.
KINDS = {
    "PNG": "png",
    "SVG": "svg",
    "HTML": "html",
    "Table (CSV)": "csv",
    "Scenario (JSON)": "json",
}
#: Made by the page itself, of the figure as it stands there.
IMAGES = ("png", "svg")


def save_buttons(
    call: Call, glue: PageGlue, drawn: Callable[[], tuple[plots.Figure, dict[str, Any]]]
) -> widgets.HBox:
    """A row of buttons; `drawn` gives the figure and the controls' values as they stand."""

    def give(kind: str) -> None:
        if kind in IMAGES:
            glue.send({"image": kind, "name": call.name})
        else:
            for file in files(kind, call, *drawn()):
                glue.send(file._asdict())

    known = [name for name, kind in KINDS.items() if kind != "json" or call.scenarios]
    made = [button(name, partial(give, KINDS[name])) for name in known]
    for each in made:
        each.layout.width = "auto"
        each.tooltip = f"Save as {each.description}"
    return flow_of(widgets.HTML("Save:"), *made)
