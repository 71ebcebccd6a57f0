"""Widgets that come however busy the machine is, and say until then that they do."""

from pathlib import Path

import traitlets

__all__ = ["WAITING", "Patient", "patient"]

_PATIENCE = Path(__file__).with_name("patient.js").read_text(encoding="utf-8")
_CLASS = "qoslib-waits"
#: What stands in the place of a widget until its module has come; its style is there at once.
WAITING = f"""\
.{_CLASS}:empty::before {{
  content: "This part of the page is loading …";
  color: var(--jp-ui-font-color2, GrayText);
  font: var(--jp-ui-font-size1, 13px) var(--jp-ui-font-family, sans-serif);
}}
"""


class Patient(traitlets.HasTraits):
    """What such a widget has beside its module, which is made by `patient`."""

    #: By this the page knows those that may take longer than anywidget waits.
    patient = traitlets.Bool(True).tag(sync=True)

    @traitlets.default("_dom_classes")
    def _waits(self) -> tuple[str, ...]:
        return (_CLASS,)


def patient(module: str) -> str:
    """The module of a widget, so that it also works where it comes later than anywidget waits.

    >>> patient("export default { render };").endswith("export default patiently({ render });")
    True
    """
    begin, found, widget = module.rpartition("export default ")
    if not found:
        raise ValueError("the module has no default export; allowed: one")
    return f"{_PATIENCE}{begin}{found}patiently({widget.rstrip().removesuffix(';')});"
