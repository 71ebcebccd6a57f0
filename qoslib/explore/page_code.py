"""The programs that run in the page: how they are joined, and what completes other libraries."""

import re
from functools import cache
from pathlib import Path

import anywidget

from qoslib.plots.patient import Patient, patient
from qoslib.plots.theme import sheet

__all__ = ["PageGlue", "joined"]


@cache
def joined(*files: str) -> str:
    """Files as one ES module, each importing from those before it.

    >>> joined("page/projector.js").splitlines()[0]
    'const PROJECTOR_CSS = `'
    """
    folder, parts = Path(__file__).parent, []
    for file in files:
        source = (folder / file).read_text(encoding="utf-8")
        source = re.sub(r"^import [^;]*;\n", "", source, flags=re.MULTILINE)
        source = re.sub(r"^export (?!default)", "", source, flags=re.MULTILINE)
        source = re.sub(r"^/\*\*\n(?: \*.*\n)* \*/\n", "", source, flags=re.MULTILINE)
        source = re.sub(r"^\s*(//.*|/\*\*.*\*/)\n", "", source, flags=re.MULTILINE)
        parts.append(re.sub(r"^\s+", "", source, flags=re.MULTILINE))
    return "".join(parts)


class PageGlue(Patient, anywidget.AnyWidget):
    """The button *Projector* of an explorer, which also completes its page.

    It hides the labels of controls in a grid from view, gives each slider's handle the text of
    its label, tells plotly when the explorer's width changes (it only learns of the window's), and
    saves what it is sent as a file. On a projector the figure is as high as there is room. Its
    style sheet has that of figures, which follow the theme.
    """

    _esm = patient(joined("page/projector.js", "page_glue.js"))
    _css = Path(__file__).with_name("page_glue.css").read_text(encoding="utf-8") + sheet()
