"""What completes the page of an explorer in a notebook."""

from pathlib import Path

import anywidget

from qoslib.explore.page_code import joined
from qoslib.plots.patient import Patient, patient
from qoslib.plots.theme import sheet

__all__ = ["PageGlue"]


class PageGlue(Patient, anywidget.AnyWidget):
    """The button *Projector* of an explorer, which also completes its page.

    It hides the labels of controls in a grid from view, gives each slider's handle the text of
    its label, tells plotly when the explorer's width changes (it only learns of the window's), and
    saves what it is sent as a file. On a projector the figure is as high as there is room. Its
    style sheet has that of figures, which follow the theme.
    """

    _esm = patient(joined("page/projector.js", "page_glue.js"))
    _css = Path(__file__).with_name("page_glue.css").read_text(encoding="utf-8") + sheet()
