"""What ipywidgets and plotly do not do in the page: names of handles, figures that fit, files."""

from pathlib import Path

import anywidget

from qoslib.plots.theme import sheet

__all__ = ["PageGlue"]


class PageGlue(anywidget.AnyWidget):
    """An invisible widget in an explorer, which completes its page.

    It hides the labels of controls in a grid from view, gives each slider's handle the text of
    its label, tells plotly when the explorer's width changes (it only learns of the window's), and
    saves what it is sent as a file. Its style sheet has that of figures, which follow the theme.
    """

    _esm = Path(__file__).with_name("page_glue.js")
    _css = Path(__file__).with_name("page_glue.css").read_text(encoding="utf-8") + sheet()
